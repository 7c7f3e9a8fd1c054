// Second keys are selected as a list of integers is: see select_two_keys.h.
#include "cpu/lists/select_two_keys.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/unsigned_of_size.h"
#include "cpu/lists/select_lists.h"
#include "cpu/lists/sort_two_keys.h"

namespace serrate::cpu {
namespace {

using Numbers = std::vector<int64_t>;

/// How second keys of the items at some positions are in order, as far as places are asked for.
Numbers order_of_second(const std::byte* items, bool descending, const Numbers& positions,
                        const graph::Places& places) {
  Numbers keys(positions.size()), order(positions.size());
  second_keys_at(items, positions.data(), std::ssize(positions), descending, keys.data());
  select_keys(keys.data(), std::ssize(keys), places, order.data());
  return order;
}

}  // namespace

void order_leading(const std::byte* items, bool descending, int64_t key, int64_t equal,
                   std::vector<KeyAt>& leading) {
  Numbers some;
  for (const KeyAt& k : leading)
    if (k.key == key) some.push_back(k.position);
  if (std::ssize(some) > equal) {
    const Numbers order = order_of_second(items, descending, some, {.first = equal});
    std::erase_if(leading, [&](const KeyAt& k) { return k.key == key; });
    for (size_t i = 0; i < static_cast<size_t>(equal); i++)
      leading.push_back({key, some[static_cast<size_t>(order[i])]});
  }
  std::ranges::stable_sort(leading, {}, &KeyAt::key);
  const auto run = [&](int64_t begin, int64_t end) {
    KeyAt* const first = leading.data() + begin;
    some.clear();
    for (const KeyAt* k = first; k < leading.data() + end; k++) some.push_back(k->position);
    order_by_second(items, descending, some.data(), end - begin);
    for (size_t i = 0; i < some.size(); i++) first[i].position = some[i];
  };
  each_equal_run(
      std::ssize(leading), [&](int64_t i) { return leading[static_cast<size_t>(i)].key; }, run);
}

void partition_order(const std::byte* items, bool descending, int64_t place, int64_t n,
                     int64_t* positions) {
  if (n < 2) return;
  const Numbers before(positions, positions + n);
  const Numbers order = order_of_second(items, descending, before, {.at = place});
  for (int64_t i = 0; i < n; i++)
    positions[i] = before[static_cast<size_t>(order[static_cast<size_t>(i)])];
}

void partition_items(bool descending, int64_t place, int64_t n, std::byte* items) {
  if (n < 2) return;
  Numbers positions(static_cast<size_t>(n));
  std::iota(positions.begin(), positions.end(), 0);
  partition_order(items, descending, place, n, positions.data());
  std::vector<Bytes16> before(static_cast<size_t>(n));
  std::memcpy(before.data(), items, static_cast<size_t>(n) * sizeof(Bytes16));
  for (int64_t i = 0; i < n; i++)
    std::memcpy(items + i * int64_t{sizeof(Bytes16)},
                &before[static_cast<size_t>(positions[static_cast<size_t>(i)])], sizeof(Bytes16));
}

}  // namespace serrate::cpu
