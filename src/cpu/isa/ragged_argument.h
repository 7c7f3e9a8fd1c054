// The best item and where it is in one look: each lane keeps its best and in which step that came.
#pragma once

#include <type_traits>

#include "cpu/isa/ragged_lanes.h"

namespace serrate::cpu::SERRATE_ISA {

/// Of items, and of registers of them lane by lane.
template <class Op, class X>
[[gnu::always_inline]] inline auto better(X x, X than) {
  if constexpr (__is_same(Op, Min))
    return x < than;
  else
    return x > than;
}

/// Of items of 4 and 8 bytes, whose steps lanes of their own size can count.
template <class Op, class T>
struct Argument {
  using V = Vec<T, kNative>;
  using Index = typename SignedOf<sizeof(T)>::type;
  using In = Vec<Index, kNative>;
  static constexpr int kLanes = kNative / sizeof(T), kOnce = 4, kStep = kOnce * kLanes;
  static constexpr int64_t kMost = int64_t{1} << 24;  // items

  /// The first of the best items, that are not NaN; 0 if none is better than the reducer's
  /// identity.
  static int64_t of(const T* values, int64_t count, T& best) {
    const T identity = Op::template identity<T>;
    best = identity;
    int64_t index = 0;
    if (count < kLanes) {
      for (int64_t k = 0; k < count; k++)
        if (better<Op>(values[k], best)) best = values[k], index = k;
      return index;
    }
    V bests[kOnce];
    In at[kOnce] = {}, step = {};
    for (V& b : bests) b = V{} + identity;
    const auto look = [&](int64_t k, int i) {
      const V v = load<V>(values + k + i * kLanes);
      const auto is_better = better<Op>(v, bests[i]);
      at[i] = is_better ? step : at[i];
      if constexpr (std::is_integral_v<T>)
        bests[i] = Op::step(v, bests[i]);
      else
        bests[i] = is_better ? v : bests[i];
    };
    int64_t k = 0;
    for (; k + kStep <= count; k += kStep, step += 1)
      for (int i = 0; i < kOnce; i++) look(k, i);
    for (int i = 0; i < kOnce - 1; i++)
      if (k + (i + 1) * kLanes <= count) look(k, i);
    // The last ones, some of them again.
    const int64_t last_at = count - kLanes;
    const V last = load<V>(values + last_at);
    V all = Op::step(last, V{} + identity);
    for (const V& b : bests) all = Op::step(b, all);
    best = Lanes<Op, T, T>::template reduce<kLanes>(all);
    const V same = V{} + best;
    const In lanes = load<In>(kIota.value);
    In first = last == same ? lanes + static_cast<Index>(last_at) : In{} + kLargest<Index>;
    for (int i = 0; i < kOnce; i++) {
      const In where = at[i] * kStep + (lanes + i * kLanes);
      first = (bests[i] == same) & (where < first) ? where : first;
    }
    return Lanes<Min, Index, Index>::template reduce<kLanes>(first);
  }

 private:
  static constexpr Iota<Index, kLanes> kIota{};
};

}  // namespace serrate::cpu::SERRATE_ISA
