// Growing columns joined: see columns.h.
#include "io/json/columns.h"

#include "cpu/machine/pool.h"
#include "io/json/target.h"

namespace serrate {
namespace {

template <class T>
const T* items(uintptr_t p) {
  return reinterpret_cast<const T*>(p);
}

}  // namespace

// What is missing in b, which goes behind a's values; both are of a known kind.
void JsonColumns::append_missing(Slot& a, Slot& b) {
  builder::Bytes& from = b.rest->valid;
  if (from.size == 0) return;
  builder::Bytes& to = a.rest->valid;
  to.fill(1, a.length());
  std::memcpy(to.grow(from.size), from.memory.block->data, static_cast<size_t>(from.size));
  from = {};
}

void JsonColumns::Copies::finish() {
  const auto copy = [&](int64_t i, int) {
    const Copy& c = copies_[static_cast<size_t>(i)];
    const uintptr_t begin =
        c.text ? reinterpret_cast<uintptr_t>(c.to->rest->text.memory.block->data) : c.to->begin;
    void* const out = reinterpret_cast<void*>(begin + static_cast<uintptr_t>(c.at));
    const auto* from = static_cast<const int64_t*>(c.from);
    switch (c.kind) {
      case Copy::bytes:
        std::memcpy(out, c.from, static_cast<size_t>(c.n));
        break;
      case Copy::offsets:
        for (int64_t k = 0; k < c.n; ++k) static_cast<int64_t*>(out)[k] = c.base + from[k];
        break;
      case Copy::doubles:
        for (int64_t k = 0; k < c.n; ++k)
          static_cast<double*>(out)[k] = static_cast<double>(from[k]);
        break;
    }
  };
  cpu::parallel_for(static_cast<int64_t>(copies_.size()), copy);
  copies_.clear();
}

// Do b's values go into a, which may become wider for it?
bool JsonColumns::takes(Slot& a, Slot& b, Copies& copies) {
  if (Fill::is_number(a.kind) && Fill::is_number(b.kind) && b.kind > a.kind) copies.finish();
  return Fill::takes(a, b.kind, b.rest->name, slots(b));
}

void JsonColumns::append(Slot& a, Slot& b, Copies& copies) {
  const int64_t m = b.length();
  if (m == 0 && b.kind == Kind::unknown) return;
  if (b.kind == Kind::unknown) return b.rest->has_missing ? Fill::missing(a, m) : Fill::pad(a, m);
  if (a.kind == Kind::unknown) Fill::start(a, b.kind, b.rest->name, slots(b));
  if (a.kind != Kind::union_ && b.kind != Kind::union_) {
    if (takes(a, b, copies)) {
      append_missing(a, b);
      return append_same(a, b, copies);
    }
  }
  if (a.kind != Kind::union_) {
    copies.finish();
    Fill::to_union(a);
  }
  append_missing(a, b);
  append_union(a, b, copies);
}

void JsonColumns::append_same(Slot& a, Slot& b, Copies& copies) {
  const int64_t m = b.length();
  if (a.kind == Kind::record) return append_records(a, b, copies);
  if (m == 0) return;
  const auto begin = static_cast<int64_t>(a.tail - a.begin);
  Fill::reserve(a, m);
  a.tail += static_cast<uintptr_t>(m) << a.shift;
  if (a.kind == Kind::list || a.kind == Kind::string) {
    const bool is_list = a.kind == Kind::list;
    const int64_t base = is_list ? a.content->length() : a.rest->text.size;
    const auto* offsets = items<int64_t>(b.begin) + 1;
    copies.add({Copies::Copy::offsets, &a, false, begin, offsets, m, base});
    // Where the next list begins is looked at before.
    reinterpret_cast<int64_t*>(a.tail)[-1] = base + offsets[m - 1];
    if (is_list) return append(*a.content, *b.content, copies);
    const builder::Bytes& text = b.rest->text;
    if (text.size == 0) return;
    copies.add({Copies::Copy::bytes, &a, true, base, text.memory.block->data, text.size});
    a.rest->text.grow(text.size);
    return;
  }
  if (a.kind == b.kind)
    copies.add({Copies::Copy::bytes, &a, false, begin, items<char>(b.begin), m << a.shift});
  else
    copies.add({Copies::Copy::doubles, &a, false, begin, items<char>(b.begin), m});
}

void JsonColumns::append_records(Slot& a, Slot& b, Copies& copies) {
  const int64_t n = a.length(), m = b.length();
  Rest& to = *a.rest;
  Rest& from = *b.rest;
  if (from.records == 0) return Fill::pad(a, m);
  for (size_t k = 0; k < from.keys.size(); ++k) {
    Slot& c = *to.contents[Fill::field(a, from.keys[k])];
    Slot& d = *from.contents[k];
    Fill::missing(c, n - c.length());
    Fill::missing(d, m - d.length());
    append(c, d, copies);
  }
  to.odd_keys |= from.odd_keys;
  to.records += from.records;
  a.tail += static_cast<uintptr_t>(m);
}

// The alternative of the union a that b's values go to.
ArrayBuilder::Slot& JsonColumns::alternative(Slot& a, Slot& b, int8_t& tag, Copies& copies) {
  auto& contents = a.rest->contents;
  size_t t = 0;
  while (t < contents.size() && !takes(*contents[t], b, copies)) ++t;
  if (t == contents.size()) {
    check<ValueError>(t < 127, "from_json: more than 127 different types in one place");
    contents.push_back(std::make_unique<Slot>());
    Fill::start(*contents.back(), b.kind, b.rest->name, slots(b));
  }
  tag = static_cast<int8_t>(t);
  Slot& c = *contents[t];
  Fill::pad(c, a.length() - c.length());
  return c;
}

void JsonColumns::append_union(Slot& a, Slot& b, Copies& copies) {
  const int64_t m = b.length();
  Fill::reserve(a, m);
  int8_t tag = 0;
  if (b.kind != Kind::union_) {
    append_same(alternative(a, b, tag, copies), b, copies);
    for (int64_t i = 0; i < m; ++i) ArrayBuilder::put(a, tag);
    return;
  }
  std::array<int8_t, 128> tags{};
  for (size_t k = 0; k < b.rest->contents.size(); ++k) {
    Slot& d = *b.rest->contents[k];
    Fill::pad(d, m - d.length());
    append_same(alternative(a, d, tags[k], copies), d, copies);
  }
  // What has no value has tag 0, whatever is there.
  for (int64_t i = 0; i < m; ++i)
    ArrayBuilder::put(a, tags[static_cast<size_t>(items<int8_t>(b.begin)[i])]);
}

// True if s was such records.
bool JsonColumns::to_complex(Slot& s, const std::pair<std::string, std::string>& fields) {
  if (s.kind != Kind::record) return false;
  Rest& r = *s.rest;
  const size_t re = r.key_index.find(r.keys, fields.first);
  const size_t im = r.key_index.find(r.keys, fields.second);
  if (re == KeyIndex::kNone || im == KeyIndex::kNone) return false;
  const int64_t n = s.length();
  Slot* const parts[] = {r.contents[re].get(), r.contents[im].get()};
  for (Slot* p : parts) {
    Fill::missing(*p, n - p->length());
    const bool number = p->kind == Kind::integer || p->kind == Kind::real;
    if (!number || p->rest->valid.size != 0) io::fail_complex(fields);
    if (p->kind == Kind::integer) Fill::widen(*p, Kind::real);
  }
  builder::Memory memory;
  const uintptr_t begin = memory.resize(0, 16 * n + 16);
  auto* out = reinterpret_cast<double*>(begin);
  for (int64_t i = 0; i < n; ++i) {
    out[2 * i] = items<double>(parts[0]->begin)[i];
    out[2 * i + 1] = items<double>(parts[1]->begin)[i];
  }
  r.memory = std::move(memory);
  r.contents.clear();
  r.keys.clear();
  r.key_index = {};
  s.kind = Kind::complex;
  s.shift = builder::log2_size(16);
  s.begin = begin;
  s.tail = s.limit = begin + static_cast<uintptr_t>(16 * n);
  return true;
}

// Numbers beside complex ones, of a union, are one alternative.
void JsonColumns::merge_numbers(Slot& s) {
  auto& contents = s.rest->contents;
  const int64_t n = s.length();
  auto* tags = reinterpret_cast<int8_t*>(s.begin);
  const auto is_number = [&](size_t k) { return Fill::is_number(contents[k]->kind); };
  size_t first = 0;
  while (first < contents.size() && !is_number(first)) ++first;
  for (size_t k = contents.size() - 1; k > first && k < contents.size(); --k) {
    if (!is_number(k)) continue;
    Slot &a = *contents[first], &b = *contents[k];
    for (Slot* c : {&a, &b}) {
      Fill::pad(*c, n - c->length());
      if (c->kind != Kind::complex) Fill::widen(*c, Kind::complex);
    }
    using Pair = std::pair<double, double>;
    for (int64_t i = 0; i < n; ++i) {
      const auto tag = static_cast<size_t>(tags[i]);
      if (tag == k) {
        reinterpret_cast<Pair*>(a.begin)[i] = reinterpret_cast<Pair*>(b.begin)[i];
        tags[i] = static_cast<int8_t>(first);
      } else if (tag > k) {
        --tags[i];
      }
    }
    contents.erase(contents.begin() + static_cast<std::ptrdiff_t>(k));
  }
  if (contents.size() > 1) return;
  // One is left: its values in the union's place.
  Fill::pad(*contents[0], n - contents[0]->length());
  const std::unique_ptr<Slot> only = std::move(contents[0]);
  only->rest->valid = std::move(s.rest->valid);
  std::swap(s.kind, only->kind);
  std::swap(s.shift, only->shift);
  std::swap(s.extra, only->extra);
  std::swap(s.begin, only->begin);
  std::swap(s.tail, only->tail);
  std::swap(s.limit, only->limit);
  std::swap(s.content, only->content);
  std::swap(s.rest, only->rest);
}

void JsonColumns::make_complex(Slot& s, const std::pair<std::string, std::string>& fields) {
  if (to_complex(s, fields)) return;
  bool found = false;
  for (auto& c : s.rest->contents) {
    make_complex(*c, fields);
    found |= c->kind == Kind::complex;
  }
  if (s.kind == Kind::union_ && found) merge_numbers(s);
}

}  // namespace serrate
