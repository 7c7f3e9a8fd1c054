// The set becomes a table once; all threads look items up in it.
#include "cpu/lists/groups/members.h"

#include <algorithm>
#include <vector>

#include "core/seams.h"
#include "cpu/lists/groups/group_keys.h"
#include "cpu/lists/groups/group_table.h"
#include "cpu/lists/groups/key_set.h"
#include "cpu/machine/pool.h"

namespace serrate::cpu {
namespace {

constexpr int64_t kAhead = 16;

/// Numbers, which their keys are.
template <class K>
class NumberSet {
 public:
  NumberSet(const GroupedItems& set, int64_t size) : keys_(set) {
    K keys[kKeysAtOnce];
    for (int64_t i = 0; i < size; i += kKeysAtOnce) {
      const int64_t n = std::min(kKeysAtOnce, size - i);
      keys_.make(i, n, keys);
      // Where nearly all are different, there will be as many as there are items.
      const bool are_different =
          i >= seams().sampled && 8 * table_.size() > 7 * static_cast<size_t>(i);
      table_.reserve(static_cast<size_t>(are_different ? size - i : n));
      for (int64_t k = 0; k < n; k++) {
        if (table_.is_large()) table_.prefetch(keys[std::min(k + kAhead, n - 1)]);
        if (!keys_.is_nan(keys[k])) table_.add(keys[k]);
      }
    }
  }

  void find(const NumberKeys& items, int64_t begin, int64_t end, uint8_t* out) const {
    K keys[kKeysAtOnce];
    for (int64_t i = begin; i < end; i += kKeysAtOnce) {
      const int64_t n = std::min(kKeysAtOnce, end - i);
      items.make(i, n, keys);
      for (int64_t k = 0; k < n; k++) {
        if (table_.is_large()) table_.prefetch(keys[std::min(k + kAhead, n - 1)]);
        out[i + k] = table_.has(keys[k]);
      }
    }
  }

 private:
  NumberKeys keys_;
  KeySet<K> table_;
};

class StringSet {
  using Keys = StringKeys;

 public:
  StringSet(const GroupedItems& set, int64_t size) : keys_(set) {
    uint64_t keys[kKeysAtOnce];
    for (int64_t i = 0; i < size; i += kKeysAtOnce) {
      const int64_t n = std::min(kKeysAtOnce, size - i);
      keys_.make(i, n, keys);
      table_.reserve(static_cast<size_t>(n));
      for (int64_t k = 0; k < n; k++) add(keys[k], i + k);
    }
  }

  void find(const Keys& items, int64_t begin, int64_t end, uint8_t* out) const {
    uint64_t keys[kKeysAtOnce];
    for (int64_t i = begin; i < end; i += kKeysAtOnce) {
      const int64_t n = std::min(kKeysAtOnce, end - i);
      items.make(i, n, keys);
      for (int64_t k = 0; k < n; k++) {
        if (table_.is_large()) table_.prefetch(keys[std::min(k + kAhead, n - 1)]);
        out[i + k] = table_.look(keys[k], [&](uint32_t g) {
          return items.is_same(i + k, keys_, firsts_[g]);
        }) != nullptr;
      }
    }
  }

 private:
  void add(uint64_t key, int64_t item) {
    auto& slot = table_.find(key, [&](uint32_t g) { return keys_.is_same(item, firsts_[g]); });
    if (slot.count == 0) firsts_.push_back(item);
    slot.count = 1;
  }

  Keys keys_;
  GroupTable table_;
  std::vector<int64_t> firsts_;
};

template <class Set, class Keys>
void find(const GroupedItems& items, int64_t n, const GroupedItems& set, int64_t size,
          uint8_t* out) {
  const Set table(set, size);
  const Keys keys(items);
  const int64_t task = seams().task;
  parallel_for((n + task - 1) / task, [&](int64_t t, int) {
    table.find(keys, t * task, std::min(n, (t + 1) * task), out);
  });
}

}  // namespace

void find_members(const GroupedItems& items, int64_t n, const GroupedItems& set, int64_t size,
                  uint8_t* out) {
  if (items.ends) return find<StringSet, StringKeys>(items, n, set, size, out);
  if (has_narrow_keys(items.type))
    return find<NumberSet<int32_t>, NumberKeys>(items, n, set, size, out);
  find<NumberSet<int64_t>, NumberKeys>(items, n, set, size, out);
}

}  // namespace serrate::cpu
