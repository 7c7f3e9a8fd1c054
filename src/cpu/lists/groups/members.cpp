// The set becomes a table once; all threads look items up in it. Items of another type become that
// of the set a block at a time.
#include "cpu/lists/groups/members.h"

#include <algorithm>
#include <vector>

#include "core/seams.h"
#include "core/types/with_number.h"
#include "cpu/lists/groups/group_keys.h"
#include "cpu/lists/groups/group_table.h"
#include "cpu/lists/groups/key_set.h"
#include "cpu/lists/groups/member_table.h"
#include "cpu/machine/pool.h"

namespace serrate::cpu {
namespace {

constexpr int64_t kAhead = 16;

/// Keys of numbers as another type: float32, float64, int64 or uint64.
class ConvertedKeys {
 public:
  ConvertedKeys(const GroupedItems& items, DType as) : items_(items), as_(as) {}

  template <class K>
  void make(int64_t begin, int64_t n, K* keys) const {
    switch (as_) {
      case DType::float32:
        return make_as<float>(begin, n, keys);
      case DType::float64:
        return make_as<double>(begin, n, keys);
      case DType::uint64:
        return make_as<uint64_t>(begin, n, keys);
      default:
        return make_as<int64_t>(begin, n, keys);
    }
  }

 private:
  template <class T, class K>
  void make_as(int64_t begin, int64_t n, K* keys) const {
    T values[kKeysAtOnce];
    with_number(items_.type, [&]<class I>(I) {
      std::transform(static_cast<const I*>(items_.keys) + begin,
                     static_cast<const I*>(items_.keys) + begin + n, values,
                     [](I x) { return static_cast<T>(x); });
    });
    sort_kernels().to_keys(as_, values, n, false, keys);
  }

  const GroupedItems& items_;
  DType as_;
};

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

  template <class Keys>
  void find(const Keys& items, int64_t begin, int64_t end, uint8_t* out) const {
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

/// f(begin, end) of the items of each task.
template <class F>
void each_task(int64_t n, F&& f) {
  const int64_t task = seams().task;
  parallel_for((n + task - 1) / task,
               [&](int64_t t, int) { f(t * task, std::min(n, (t + 1) * task)); });
}

template <class Set, class Keys>
void find(const Keys& keys, int64_t n, const GroupedItems& set, int64_t size, uint8_t* out) {
  const Set table(set, size);
  each_task(n, [&](int64_t begin, int64_t end) { table.find(keys, begin, end, out); });
}

template <class K>
void find_numbers(const GroupedItems& items, int64_t n, const GroupedItems& set, int64_t size,
                  uint8_t* out) {
  if (items.type == set.type) return find<NumberSet<K>>(NumberKeys(items), n, set, size, out);
  find<NumberSet<K>>(ConvertedKeys(items, set.type), n, set, size, out);
}

bool is_whole(DType t) { return is_integer(t) || t == DType::boolean; }

/// Integers in a set of integers that are close together.
bool look_up(const GroupedItems& items, int64_t n, const GroupedItems& set, int64_t size,
             uint8_t* out) {
  if (!is_whole(items.type) || !is_whole(set.type)) return false;
  const auto table = member_table(set.type, set.keys, size);
  if (!table) return false;
  const auto look = look_up_members();
  const auto* keys = static_cast<const std::byte*>(items.keys);
  each_task(n, [&](int64_t begin, int64_t end) {
    look(items.type, keys + begin * itemsize(items.type), end - begin, table->lowest, table->size,
         table->bits.data(), out + begin);
  });
  return true;
}

}  // namespace

void find_members(const GroupedItems& items, int64_t n, const GroupedItems& set, int64_t size,
                  uint8_t* out) {
  if (items.ends) return find<StringSet>(StringKeys(items), n, set, size, out);
  if (look_up(items, n, set, size, out)) return;
  if (has_narrow_keys(set.type)) return find_numbers<int32_t>(items, n, set, size, out);
  find_numbers<int64_t>(items, n, set, size, out);
}

}  // namespace serrate::cpu
