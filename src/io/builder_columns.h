// The growing columns behind ArrayBuilder, and how they change: into options, wider numbers,
// unions.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <unordered_map>

#include "core/pool_allocator.h"
#include "core/ref.h"
#include "graph/evaluate.h"
#include "serrate/builder.h"
#include "serrate/error.h"

namespace serrate {
namespace builder {

// Memory that grows while nobody else holds it: a snapshot shares it, and what is written later
// lies behind the snapshot's items.
struct Block {
  static constexpr int64_t kOwn = 160;  // bytes of small columns, of which documents may have many
  void* data = nullptr;
  alignas(16) std::byte own[kOwn];
  ~Block() {
    if (data != own) std::free(data);
  }
};

struct Memory {
  std::shared_ptr<Block> block;

  // Room for `bytes`, of which the first `used` are kept. Gives the address.
  uintptr_t resize(int64_t used, int64_t bytes) {
    const bool is_ours = block && block.use_count() == 1;
    if (is_ours && block->data != block->own) {
      void* p = std::realloc(block->data, static_cast<size_t>(bytes));
      if (!p) throw std::bad_alloc();
      block->data = p;
    } else if (!is_ours || bytes > Block::kOwn) {
      const bool small = bytes <= Block::kOwn;
      std::shared_ptr<Block> into =
          is_ours ? block : std::allocate_shared<Block>(PoolAllocator<Block>());
      void* p = small ? into->own : std::malloc(static_cast<size_t>(bytes));
      if (!p) throw std::bad_alloc();
      if (used) std::memcpy(p, block->data, static_cast<size_t>(used));
      into->data = p;
      block = std::move(into);
    }
    return reinterpret_cast<uintptr_t>(block->data);
  }
  Buffer buffer(int64_t bytes) const { return Buffer(block ? block->data : nullptr, bytes, block); }
};

// Bytes appended to: validities and the contents of strings.
struct Bytes {
  Memory memory;
  int64_t size = 0, room = 0;
  std::byte* grow(int64_t more) {
    if (size + more > room) {
      room = std::max(2 * room, size + more + 64);
      memory.resize(size, room);
    }
    std::byte* p = static_cast<std::byte*>(memory.block->data) + size;
    size += more;
    return p;
  }
  // Appends x until there are n.
  void fill(uint8_t x, int64_t n) {
    const int64_t more = n - size;
    if (more > 0) std::memset(grow(more), x, static_cast<size_t>(more));
  }
};

constexpr uint8_t log2_size(int bytes) {
  return static_cast<uint8_t>(bytes == 1 ? 0 : bytes == 8 ? 3 : 4);
}

}  // namespace builder

// Which of the names of a record's fields a name is.
class KeyIndex {
 public:
  static constexpr size_t kNone = SIZE_MAX;
  static constexpr size_t kFew = 16;  // that are compared one by one
  size_t find(const std::vector<std::string>& keys, std::string_view key) const {
    if (many_) {
      const auto found = many_->find(std::string(key));
      return found == many_->end() ? kNone : found->second;
    }
    for (size_t k = 0; k < keys.size(); ++k)
      if (keys[k] == key) return k;
    return kNone;
  }
  // The last one of the keys is new.
  void add(const std::vector<std::string>& keys) {
    if (keys.size() <= kFew) return;
    size_t k = keys.size() - 1;
    if (!many_) {
      many_ = std::make_unique<std::unordered_map<std::string, size_t>>();
      k = 0;
    }
    for (; k < keys.size(); ++k) many_->emplace(keys[k], k);
  }

 private:
  std::unique_ptr<std::unordered_map<std::string, size_t>> many_;
};

// What is not needed for every number.
struct ArrayBuilder::Rest : Pooled<ArrayBuilder::Rest> {
  using Bytes = builder::Bytes;
  builder::Memory memory;    // of the items
  Bytes valid;               // grown up to the last missing value only; empty: none is missing
  bool has_missing = false;  // of unknown: not all are padding
  Bytes text;                // bytes of strings
  bool utf8 = true;          // string (or bytestring), as the first one was
  std::string name;          // unit of times, name of records
  std::vector<std::unique_ptr<Slot>> contents;  // list: 1, union, tuple, record
  std::vector<std::string> keys;                // record
  KeyIndex key_index;
  size_t next_key = 0;    // where the next field probably is
  int64_t records = 0;    // of length(), those that were begun and ended
  bool odd_keys = false;  // some key has a quote or a backslash, which texts write differently
};

inline ArrayBuilder::Slot::Slot() : rest(std::make_unique<Rest>()) {}
inline ArrayBuilder::Slot::~Slot() = default;

// The slow parts, as functions over slots.
struct ArrayBuilder::Fill {
  using Memory = builder::Memory;
  using Bytes = builder::Bytes;
  static bool has_items(Kind k) {
    return (k >= Kind::boolean && k <= Kind::list) || k == Kind::union_;
  }
  static int item_bytes(Kind k) {
    return k == Kind::boolean || k == Kind::union_ ? 1 : k == Kind::complex ? 16 : 8;
  }

  // Room for `more` items.
  static void reserve(Slot& s, int64_t more) {
    const int64_t used = static_cast<int64_t>(s.tail - s.begin);
    const int64_t need = used + (more << s.shift);
    if (need <= static_cast<int64_t>(s.limit - s.begin)) return;
    const int64_t room = std::max<int64_t>(need + (int64_t{16} << s.shift), 2 * used);
    s.begin = s.rest->memory.resize(used, room);
    s.tail = s.begin + static_cast<uintptr_t>(used);
    s.limit = s.begin + static_cast<uintptr_t>(room);
  }
  template <class T>
  static void push(Slot& s, T x) {
    reserve(s, 1);
    put(s, x);
  }

  // n more values of no meaning.
  static void pad(Slot& s, int64_t n) {
    if (n <= 0) return;
    switch (s.kind) {
      case Kind::unknown:
        s.tail += static_cast<uintptr_t>(n);
        break;
      case Kind::record:
      case Kind::tuple: {
        const int64_t before = s.length();
        s.tail += static_cast<uintptr_t>(n);
        for (auto& c : s.rest->contents) {
          missing(*c, before - c->length());
          pad(*c, s.length() - c->length());
        }
        break;
      }
      case Kind::string:
      case Kind::list: {
        reserve(s, n);
        const int64_t last = reinterpret_cast<const int64_t*>(s.tail)[-1];
        for (int64_t i = 0; i < n; ++i) put(s, last);
        break;
      }
      default: {
        reserve(s, n);
        const uintptr_t bytes = static_cast<uintptr_t>(n) << s.shift;
        std::memset(reinterpret_cast<void*>(s.tail), 0, bytes);
        s.tail += bytes;
      }
    }
  }

  // n more missing values.
  static void missing(Slot& s, int64_t n) {
    if (n <= 0) return;
    if (s.kind == Kind::unknown) {
      s.rest->has_missing = true;
    } else {
      s.rest->valid.fill(1, s.length());
      s.rest->valid.fill(0, s.length() + n);
    }
    pad(s, n);
  }

  // An unknown slot becomes one of `kind`; what was missing stays missing.
  static void become(Slot& s, Kind kind) {
    const int64_t n = s.length();
    s.kind = kind;
    if (s.rest->has_missing) s.rest->valid.fill(0, n);
    if (has_items(kind)) {
      s.begin = s.tail = s.limit = 0;
      s.shift = builder::log2_size(item_bytes(kind));
      if (kind == Kind::string || kind == Kind::list) {
        push(s, int64_t{0});
        s.extra = 1;
      }
      if (kind == Kind::list) {
        s.rest->contents.push_back(std::make_unique<Slot>());
        s.content = s.rest->contents[0].get();
      }
      pad(s, n);
    }
  }

  static void widen(Slot& s, Kind to) {
    const int64_t n = s.length();
    const int bytes = item_bytes(to);
    Memory memory;
    const int64_t room = (n + 16) * bytes;
    const uintptr_t begin = memory.resize(0, room);
    auto* out = reinterpret_cast<double*>(begin);
    for (int64_t i = 0; i < n; ++i) {
      const double x = s.kind == Kind::integer
                           ? static_cast<double>(reinterpret_cast<const int64_t*>(s.begin)[i])
                           : reinterpret_cast<const double*>(s.begin)[i];
      if (to == Kind::real) {
        out[i] = x;
      } else {
        out[2 * i] = x;
        out[2 * i + 1] = 0;
      }
    }
    s.rest->memory = std::move(memory);
    s.kind = to;
    s.shift = builder::log2_size(bytes);
    s.begin = begin;
    s.tail = begin + static_cast<uintptr_t>(n * bytes);
    s.limit = begin + static_cast<uintptr_t>(room);
  }

  static bool is_number(Kind k) { return k >= Kind::integer && k <= Kind::complex; }

  // Whether values of this kind (unit or name; number of slots, or whether UTF-8) go into s, made
  // wider if need be.
  static bool takes(Slot& s, Kind kind, std::string_view name, int64_t slots) {
    if (is_number(s.kind) && is_number(kind)) {
      if (kind > s.kind) widen(s, kind);
      return true;
    }
    if (s.kind != kind) return false;
    switch (kind) {
      case Kind::datetime:
      case Kind::timedelta:
      case Kind::record:
        return s.rest->name == name;
      case Kind::tuple:
        return static_cast<int64_t>(s.rest->contents.size()) == slots;
      case Kind::string:
        return s.rest->utf8 == (slots != 0);
      default:
        return true;
    }
  }

  static void start(Slot& s, Kind kind, std::string_view name, int64_t slots) {
    become(s, kind);
    s.rest->name = name;
    if (kind == Kind::string) s.rest->utf8 = slots != 0;
    for (int64_t i = 0; kind == Kind::tuple && i < slots; ++i) {
      s.rest->contents.push_back(std::make_unique<Slot>());
      pad(*s.rest->contents.back(), s.length());
    }
  }

  // s becomes a union of what it was.
  static void to_union(Slot& s) {
    auto inner = std::make_unique<Slot>();
    Bytes valid = std::move(s.rest->valid);
    s.rest->valid = {};
    std::swap(inner->kind, s.kind);
    std::swap(inner->shift, s.shift);
    std::swap(inner->extra, s.extra);
    std::swap(inner->begin, s.begin);
    std::swap(inner->tail, s.tail);
    std::swap(inner->limit, s.limit);
    std::swap(inner->content, s.content);
    std::swap(inner->rest, s.rest);
    s.kind = Kind::union_;
    s.rest->valid = std::move(valid);
    pad(s, inner->length());
    s.rest->contents.push_back(std::move(inner));
  }

  // Which field of the record it is; a new one, if there is none.
  static size_t field(Slot& record, std::string_view key) {
    ArrayBuilder::Rest& r = *record.rest;
    const size_t found = r.key_index.find(r.keys, key);
    if (found != KeyIndex::kNone) return found;
    r.keys.emplace_back(key);
    r.key_index.add(r.keys);
    r.contents.push_back(std::make_unique<Slot>());
    // A field that is there from the first record on is not missing where records are.
    if (r.records == 0) pad(*r.contents.back(), record.length());
    return r.keys.size() - 1;
  }

  // The slot for a value of this kind: s, or its alternative `tag`, at s's length.
  static Slot* resolve(Slot& s, Kind kind, std::string_view name, int64_t slots, int& tag) {
    tag = -1;
    if (s.kind == Kind::unknown) {
      start(s, kind, name, slots);
      return &s;
    }
    if (s.kind != Kind::union_) {
      // Alone, strings and bytestrings go together as what came first, as in Awkward.
      if (kind == Kind::string && s.kind == kind) return &s;
      if (takes(s, kind, name, slots)) return &s;
      to_union(s);
    }
    auto& contents = s.rest->contents;
    for (tag = 0; tag < static_cast<int>(contents.size()); ++tag) {
      if (takes(*contents[static_cast<size_t>(tag)], kind, name, slots)) break;
    }
    if (tag == static_cast<int>(contents.size())) {
      check<ValueError>(tag < 127, "ArrayBuilder: more than 127 different types in one place");
      contents.push_back(std::make_unique<Slot>());
      start(*contents.back(), kind, name, slots);
    }
    Slot* c = contents[static_cast<size_t>(tag)].get();
    pad(*c, s.length() - c->length());
    return c;
  }
  // After the value was appended to the alternative.
  static void done(Slot& s, int tag) {
    if (tag >= 0) push(s, static_cast<int8_t>(tag));
  }

  // -- snapshot --
  static graph::NodeRef node(Slot& s, const graph::SpaceRef& space) {
    const int64_t n = s.length();
    graph::NodeRef out = plain(s, space, n);
    if (s.kind == Kind::unknown ? !s.rest->has_missing : s.rest->valid.size == 0) return out;
    Bytes& valid = s.rest->valid;
    if (s.kind == Kind::unknown)
      valid.fill(0, n);
    else
      valid.fill(1, n);
    return graph::option_node(graph::stored_column(valid.memory.buffer(n), DType::boolean, space),
                              out);
  }

  static graph::NodeRef plain(Slot& s, const graph::SpaceRef& space, int64_t n) {
    using graph::list_node;
    Rest& r = *s.rest;
    auto leaf = [&](DType t, std::string unit = {}) {
      return graph::leaf(graph::stored_column(r.memory.buffer(n << s.shift), t, space),
                         std::move(unit));
    };
    auto lists = [&] {
      return graph::stored_list(space, r.memory.buffer((n + 1) * 8), DType::int64);
    };
    switch (s.kind) {
      case Kind::boolean:
        return leaf(DType::boolean);
      case Kind::integer:
        return leaf(DType::int64);
      case Kind::real:
        return leaf(DType::float64);
      case Kind::complex:
        return leaf(DType::complex128);
      case Kind::datetime:
        return leaf(DType::datetime64, r.name);
      case Kind::timedelta:
        return leaf(DType::timedelta64, r.name);
      case Kind::string: {
        const graph::SpaceRef child = lists();
        auto bytes = graph::stored_column(r.text.memory.buffer(r.text.size), DType::uint8, child);
        auto chars = graph::leaf(bytes, {}, {{"__array__", r.utf8 ? "\"char\"" : "\"byte\""}});
        return list_node(child, chars, -1,
                         {{"__array__", r.utf8 ? "\"string\"" : "\"bytestring\""}});
      }
      case Kind::list: {
        const graph::SpaceRef child = lists();
        return list_node(child, node(*s.content, child));
      }
      case Kind::record:
      case Kind::tuple: {
        std::vector<graph::NodeRef> contents;
        for (auto& c : r.contents) {
          missing(*c, n - c->length());
          contents.push_back(node(*c, space));
        }
        if (s.kind == Kind::tuple) return graph::tuple_node(std::move(contents));
        Parameters p;
        if (!r.name.empty()) p.emplace_back("__record__", json_quote(r.name));
        return graph::record_node(r.keys, std::move(contents), std::move(p));
      }
      case Kind::union_: {
        std::vector<graph::NodeRef> contents;
        for (auto& c : r.contents) {
          pad(*c, n - c->length());
          contents.push_back(node(*c, space));
        }
        return graph::union_node(graph::stored_column(r.memory.buffer(n), DType::int8, space),
                                 std::move(contents));
      }
      default:
        return graph::unknown_node();
    }
  }
};

}  // namespace serrate
