// Growing columns joined: see columns.h.
#include "io/json/columns.h"

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

void JsonColumns::append(Slot& a, Slot& b) {
  const int64_t m = b.length();
  if (m == 0 && b.kind == Kind::unknown) return;
  if (b.kind == Kind::unknown) return b.rest->has_missing ? Fill::missing(a, m) : Fill::pad(a, m);
  if (a.kind == Kind::unknown) Fill::start(a, b.kind, b.rest->name, slots(b));
  if (a.kind != Kind::union_ && b.kind != Kind::union_) {
    if (Fill::takes(a, b.kind, b.rest->name, slots(b))) {
      append_missing(a, b);
      return append_same(a, b);
    }
  }
  if (a.kind != Kind::union_) Fill::to_union(a);
  append_missing(a, b);
  append_union(a, b);
}

void JsonColumns::append_same(Slot& a, Slot& b) {
  const int64_t m = b.length();
  switch (a.kind) {
    case Kind::record:
      return append_records(a, b);
    case Kind::list:
    case Kind::string: {
      const bool is_list = a.kind == Kind::list;
      const int64_t base = is_list ? a.content->length() : a.rest->text.size;
      Fill::reserve(a, m);
      const auto* offsets = items<int64_t>(b.begin);
      for (int64_t i = 1; i <= m; ++i) ArrayBuilder::put(a, base + offsets[i]);
      if (is_list) return append(*a.content, *b.content);
      const builder::Bytes& text = b.rest->text;
      if (text.size == 0) return;
      std::memcpy(a.rest->text.grow(text.size), text.memory.block->data,
                  static_cast<size_t>(text.size));
      return;
    }
    default:
      Fill::reserve(a, m);
      if (a.kind == b.kind) {
        const uintptr_t bytes = static_cast<uintptr_t>(m) << a.shift;
        if (bytes) std::memcpy(reinterpret_cast<void*>(a.tail), items<char>(b.begin), bytes);
        a.tail += bytes;
      } else {
        for (int64_t i = 0; i < m; ++i)
          ArrayBuilder::put(a, static_cast<double>(items<int64_t>(b.begin)[i]));
      }
  }
}

void JsonColumns::append_records(Slot& a, Slot& b) {
  const int64_t n = a.length(), m = b.length();
  Rest& to = *a.rest;
  Rest& from = *b.rest;
  if (from.records == 0) return Fill::pad(a, m);
  for (size_t k = 0; k < from.keys.size(); ++k) {
    Slot& c = *to.contents[Fill::field(a, from.keys[k])];
    Slot& d = *from.contents[k];
    Fill::missing(c, n - c.length());
    Fill::missing(d, m - d.length());
    append(c, d);
  }
  to.odd_keys |= from.odd_keys;
  to.records += from.records;
  a.tail += static_cast<uintptr_t>(m);
}

// The alternative of the union a that b's values go to.
ArrayBuilder::Slot& JsonColumns::alternative(Slot& a, Slot& b, int8_t& tag) {
  auto& contents = a.rest->contents;
  size_t t = 0;
  while (t < contents.size() && !Fill::takes(*contents[t], b.kind, b.rest->name, slots(b))) ++t;
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

void JsonColumns::append_union(Slot& a, Slot& b) {
  const int64_t m = b.length();
  Fill::reserve(a, m);
  int8_t tag = 0;
  if (b.kind != Kind::union_) {
    append_same(alternative(a, b, tag), b);
    for (int64_t i = 0; i < m; ++i) ArrayBuilder::put(a, tag);
    return;
  }
  std::array<int8_t, 128> tags{};
  for (size_t k = 0; k < b.rest->contents.size(); ++k) {
    Slot& d = *b.rest->contents[k];
    Fill::pad(d, m - d.length());
    append_same(alternative(a, d, tags[k]), d);
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
