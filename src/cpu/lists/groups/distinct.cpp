// Integers that are close together are bits of a table; of what seems to have few different numbers
// these are hashed; else all are sorted.
#include "cpu/lists/groups/distinct.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <vector>

#include "core/seams.h"
#include "core/types/with_number.h"
#include "core/unsigned_of_size.h"
#include "cpu/lists/groups/group_lists.h"
#include "cpu/lists/sort_kernels.h"
#include "cpu/machine/pool.h"

namespace serrate::cpu {
namespace {

/// Bits of the table: a byte an item, at most, where they are many.
constexpr int64_t kBits = 8, kFewBits = int64_t{1} << 18;
/// So many are set as bytes first.
constexpr uint64_t kFewValues = 4096;

template <class T>
class Bits {
 public:
  Bits(const T* items, int64_t n) : items_(items), n_(n) {}

  std::optional<Buffer> run() {
    if (!find_range()) return {};
    table_.resize(values_ / 64 + 1);
    values_ < kFewValues ? set_by_bytes() : set_bits();
    int64_t found = 0;
    for (const uint64_t word : table_) found += std::popcount(word);
    void* p = nullptr;
    Buffer out = Buffer::allocate(found * int64_t{sizeof(T)}, &p);
    T* to = static_cast<T*>(p);
    for (size_t w = 0; w < table_.size(); w++) {
      for (uint64_t word = table_[w]; word != 0; word &= word - 1)
        *to++ = static_cast<T>(first_ + 64 * w + static_cast<uint64_t>(std::countr_zero(word)));
    }
    return out;
  }

 private:
  void set_bits() {
    for (int64_t i = 0; i < n_; i++) {
      const uint64_t bit = static_cast<uint64_t>(items_[i]) - first_;
      table_[bit / 64] |= uint64_t{1} << bit % 64;
    }
  }

  /// Neighbours that set bits of one word would wait for each other.
  void set_by_bytes() {
    std::vector<uint8_t> seen(64 * table_.size());
    for (int64_t i = 0; i < n_; i++) seen[static_cast<uint64_t>(items_[i]) - first_] = 1;
    for (size_t w = 0; w < table_.size(); w++) {
      for (size_t k = 0; k < 64; k += 8) {
        uint64_t bytes;
        std::memcpy(&bytes, &seen[64 * w + k], sizeof bytes);
        table_[w] |= (bytes * 0x0102040810204080 >> 56) << k;
      }
    }
  }

  bool find_range() {
    constexpr int64_t kLooked = 1024;  // most lists of any numbers end after as many
    const auto most = static_cast<uint64_t>(std::max(kBits * n_, kFewBits));
    T low = items_[0], high = items_[0];
    for (int64_t from = 0; from < n_; from += kLooked) {
      const int64_t to = std::min(n_, from + kLooked);
      for (int64_t i = from; i < to; i++) {
        low = std::min(low, items_[i]);
        high = std::max(high, items_[i]);
      }
      values_ = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
      if (values_ >= most) return false;
    }
    first_ = static_cast<uint64_t>(low);
    return true;
  }

  const T* items_;
  int64_t n_;
  uint64_t first_ = 0, values_ = 0;
  std::vector<uint64_t> table_;
};

std::optional<Buffer> by_bits(DType t, const void* items, int64_t n) {
  const auto run = [&]<class T>(T) { return Bits<T>(static_cast<const T*>(items), n).run(); };
  if (!is_integer(t) && t != DType::boolean) return {};
  return with_integer(t, run);
}

/// Is NaN? They come last.
template <class V>
bool is_nan(const std::byte* item) {
  V v;
  std::memcpy(&v, item, sizeof v);
  return v != v;
}

/// Of numbers in order; how many are left.
int64_t drop_repeats(DType t, std::byte* items, int64_t n) {
  const int64_t size = itemsize(t);
  int64_t numbers = n;
  if (is_floating(t)) {
    const auto nan = [&](int64_t i) {
      return size == 8 ? is_nan<double>(items + i * size) : is_nan<float>(items + i * size);
    };
    int64_t low = 0;
    while (low < numbers) {
      const int64_t middle = (low + numbers) / 2;
      if (nan(middle)) {
        numbers = middle;
      } else {
        low = middle + 1;
      }
    }
  }
  int64_t left = sort_kernels().drop_repeats(t, items, numbers);
  if (numbers < n) std::memmove(items + size * left++, items + size * numbers, size_t(size));
  return left;
}

/// Are there so many different ones among some of the items that a sort is faster than hashing?
bool seem_different(DType t, const void* items, int64_t n) {
  constexpr int64_t kSome = 256;
  std::array<uint64_t, kSome> some;
  std::array<int64_t, 2> ends{0, std::min(n, kSome)};
  with_unsigned(itemsize(t), [&]<class V>(V) {
    V* to = reinterpret_cast<V*>(some.data());
    for (int64_t i = 0; i < ends[1]; i++) to[i] = static_cast<const V*>(items)[i * n / ends[1]];
  });
  std::array<uint64_t, kSome> sorted;
  sort_lists(t, some.data(), nullptr, {ends.data(), 1}, false, sorted.data());
  const int64_t left = drop_repeats(t, reinterpret_cast<std::byte*>(sorted.data()), ends[1]);
  return 8 * left > 7 * ends[1];
}

/// The first items of groups.
std::optional<Buffer> by_hash(DType t, const void* items, int64_t n) {
  const std::array<int64_t, 2> ends{0, n};
  const auto found = group_lists({.type = t, .keys = items}, {ends.data(), 1}, nullptr);
  if (!found) return {};
  void* p = nullptr;
  Buffer out = Buffer::allocate(std::ssize(found->firsts) * itemsize(t), &p);
  with_unsigned(itemsize(t), [&]<class V>(V) {
    V* to = static_cast<V*>(p);
    for (const int64_t i : found->firsts) *to++ = static_cast<const V*>(items)[i];
  });
  return out;
}

}  // namespace

std::optional<Buffer> distinct_numbers(DType t, const void* items, int64_t n) {
  const bool is_alone = n <= seams().giant || num_threads() == 1 || in_parallel();
  if (n < seams().distinct || !is_alone) return {};
  if (auto found = by_bits(t, items, n)) return found;
  const int64_t size = itemsize(t);
  if (size < 4) return {};
  if (!seem_different(t, items, n))
    if (auto found = by_hash(t, items, n)) return found;
  const std::array<int64_t, 2> ends{0, n};
  void* p = nullptr;
  const Buffer sorted = Buffer::allocate(n * size, &p);
  sort_lists(t, items, nullptr, {ends.data(), 1}, false, p);
  const int64_t left = size * drop_repeats(t, static_cast<std::byte*>(p), n);
  if (left >= n * size / 2) return sorted.slice(0, left);
  Buffer out = Buffer::allocate(left, &p);
  std::memcpy(p, sorted.as<std::byte>(), static_cast<size_t>(left));
  return out;
}

}  // namespace serrate::cpu
