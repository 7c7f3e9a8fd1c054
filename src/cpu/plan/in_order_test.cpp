// What tasks append lands in their order, whatever the order they end in.
#include "cpu/plan/in_order.h"

#include <cstring>
#include <numeric>

#include "catch.h"

namespace serrate::cpu {
namespace {

void append(Grow& to, int32_t first, int64_t n) {
  std::vector<int32_t> items(static_cast<size_t>(n));
  std::iota(items.begin(), items.end(), first);
  void* const p = to.place(0, n);
  if (n > 0) std::memcpy(p, items.data(), items.size() * sizeof(int32_t));
}

// Task t leaves lengths[t] numbers, which go on where those of task t - 1 end.
void check_order(const std::vector<int64_t>& lengths, const std::vector<int64_t>& order,
                 int64_t before) {
  Grow whole(sizeof(int32_t), -1, 0);
  append(whole, 0, before);
  std::vector<int64_t> begins(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), begins.begin(), before);
  InOrder in_order({&whole}, std::ssize(lengths));
  for (int64_t t : order) {
    const auto i = static_cast<size_t>(t);
    append(in_order.parts_of(t).front(), static_cast<int32_t>(begins[i]), lengths[i]);
  }
  for (int64_t t : order) in_order.ended(t, 0);
  in_order.finish();
  const graph::Written r = whole.take();
  REQUIRE(r.size == begins.back() + lengths.back());
  const auto* got = reinterpret_cast<const int32_t*>(r.buffer.data());
  bool same = true;
  for (int64_t i = 0; i < r.size; i++) same &= got[i] == static_cast<int32_t>(i);
  CHECK(same);
}

TEST_CASE("Parts are put in the order of their tasks") {
  check_order({5, 5, 5, 5}, {0, 1, 2, 3}, 0);
  check_order({3, 0, 1000, 7, 2}, {4, 2, 0, 3, 1}, 11);
  check_order({0, 0, 0}, {2, 1, 0}, 0);
  // The first one leaves little: there is no room for the others until all have ended.
  check_order({1, 100'000, 1, 3'000'000, 5}, {1, 0, 4, 2, 3}, 100);
  // It leaves more than the others.
  check_order({3'000'000, 1, 0, 7}, {3, 0, 1, 2}, 0);
}

}  // namespace
}  // namespace serrate::cpu
