// A flag for each of some addresses: a hash table without an allocation for each entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace serrate::graph {

class PointerFlags {
 public:
  PointerFlags() : table_(128) {}

  /// Nothing if the address has no flag.
  std::optional<bool> find(const void* p) const {
    const Entry& e = table_[place(p)];
    return e.p ? std::optional(e.flag) : std::nullopt;
  }

  bool set(const void* p, bool flag) {
    if (2 * (count_ + 1) > table_.size()) grow();
    Entry& e = table_[place(p)];
    count_ += e.p == nullptr;
    e = {p, flag};
    return flag;
  }

 private:
  struct Entry {
    const void* p = nullptr;
    bool flag = false;
  };

  /// Where p is, or goes.
  size_t place(const void* p) const {
    const size_t last = table_.size() - 1;
    size_t i = (reinterpret_cast<uintptr_t>(p) >> 4) * 0x9e3779b97f4a7c15u >> 20 & last;
    while (table_[i].p && table_[i].p != p) i = (i + 1) & last;
    return i;
  }

  void grow() {
    std::vector<Entry> old(2 * table_.size());
    std::swap(old, table_);
    for (const Entry& e : old)
      if (e.p) table_[place(e.p)] = e;
  }

  std::vector<Entry> table_;  // a power of two of them, half of them empty
  size_t count_ = 0;
};

}  // namespace serrate::graph
