// Runs of equal keys in the order of all: see group_sorted.h.
#include "cpu/lists/groups/group_sorted.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/unsigned_of_size.h"
#include "cpu/lists/groups/group_keys.h"

namespace serrate::cpu {
namespace {

/// Keys of the items at n places, at most kKeysAtOnce.
void keys_at(const GroupedItems& items, int64_t begin, const int64_t* places, int64_t n,
             uint64_t* keys) {
  std::array<uint64_t, kKeysAtOnce> raw;
  with_unsigned(itemsize(items.type), [&]<class V>(V) {
    const V* from = static_cast<const V*>(items.keys) + begin;
    V* to = reinterpret_cast<V*>(raw.data());
    for (int64_t k = 0; k < n; k++) to[k] = from[places[k]];
  });
  GroupedItems those = items;
  those.keys = raw.data();
  NumberKeys(those).make(0, n, keys);
}

}  // namespace

void group_by_order(const GroupedItems& items, int64_t begin, int64_t end, int32_t* numbers,
                    bool is_only_list, FoundGroups& out) {
  const std::array<int64_t, 2> ends{0, end - begin};
  const auto* valid = items.valid ? items.valid + begin : nullptr;
  void* p = nullptr;
  const Buffer result = Buffer::allocate(8 * ends[1], &p);
  auto* order = static_cast<int64_t*>(p);
  argsort_lists(items.type,
                static_cast<const std::byte*>(items.keys) + begin * itemsize(items.type), valid,
                {ends.data(), 1}, items.descending, order);
  int64_t present = ends[1];
  while (valid && present > 0 && !valid[order[present - 1]]) present--;
  const size_t before = out.counts.size();
  // Room for nearly as many groups as items takes no memory before it is written.
  out.counts.reserve(static_cast<size_t>(out.most) + 1);
  if (!is_only_list) out.firsts.reserve(static_cast<size_t>(out.most));
  std::array<uint64_t, kKeysAtOnce> keys;
  uint64_t last = 0;
  for (int64_t i = 0; i < ends[1]; i += kKeysAtOnce) {
    const int64_t n = std::min(kKeysAtOnce, ends[1] - i);
    keys_at(items, begin, order + i, n, keys.data());
    for (int64_t k = 0; k < n; k++) {
      const bool is_missing = i + k >= present;
      const bool is_new = i + k == 0 || i + k == present || (!is_missing && keys[k] != last);
      last = keys[k];
      if (is_new) {
        if (!is_only_list) out.firsts.push_back(order[i + k]);
        out.counts.push_back(0);
      }
      out.counts.back()++;
      if (numbers)
        numbers[begin + order[i + k]] = static_cast<int32_t>(out.counts.size() - before - 1);
    }
  }
  out.sizes.push_back(static_cast<int64_t>(out.counts.size() - before));
  if (is_only_list) out.order = result;
}

}  // namespace serrate::cpu
