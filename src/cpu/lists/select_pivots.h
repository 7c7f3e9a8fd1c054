// Pivots on both sides of places in order, from samples (Floyd, Rivest 1975).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace serrate::cpu {

inline constexpr int64_t kFew = 4096;  // keys that are selected without a sample

/// f(position) of some of n, any but the same each time.
template <class F>
void each_sampled(int64_t n, int64_t some, F&& f) {
  uint64_t state = 0x9E3779B97F4A7C15;
  for (int64_t k = 0; k < some; k++) {
    state = state * 6364136223846793005 + 1442695040888963407;  // Knuth's MMIX
    f(static_cast<int64_t>(static_cast<unsigned __int128>(state) * static_cast<uint64_t>(n) >> 64));
  }
}

inline int64_t sample_size(int64_t n) { return std::clamp<int64_t>(n / 64, 256, kFew); }

template <class K>
using Pivots = std::pair<K, K>;

/// Bounds between which the places from low to high of n keys in a range are, most likely, by a
/// sample of them; or the key at these places, if many are equal to it.
template <class K>
Pivots<K> bounds(std::vector<K>& sample, int64_t n, int64_t low, int64_t high,
                 const Pivots<K>& range) {
  if (sample.empty()) return range;
  const auto size = static_cast<double>(sample.size());
  // Four standard deviations of a place in the sample.
  const auto place = [&](int64_t k, int side) {
    const double p = static_cast<double>(k) / static_cast<double>(n);
    return size * p + side * (4 * std::sqrt(size * p * (1 - p)) + 4);
  };
  const auto key_at = [&](double k) {
    const auto nth = sample.begin() + static_cast<int64_t>(k);
    std::nth_element(sample.begin(), nth, sample.end());
    return *nth;
  };
  const double a = place(low, -1), b = place(high, 1);
  const Pivots<K> wide{a < 0 ? range.first : key_at(a), b >= size ? range.second : key_at(b)};
  const auto inside = std::count_if(sample.begin(), sample.end(),
                                    [&](K k) { return k >= wide.first && k <= wide.second; });
  if (8 * inside <= std::ssize(sample)) return wide;
  const K one = key_at(place(low, 0));
  const auto equal = std::count(sample.begin(), sample.end(), one);
  return 8 * equal > std::ssize(sample) ? Pivots<K>{one, one} : wide;
}

}  // namespace serrate::cpu
