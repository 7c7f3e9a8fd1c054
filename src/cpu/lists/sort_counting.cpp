// Chunks of a list are counted by all threads, then written by all to where their items begin: the
// result is the same for any number of them.
#include "cpu/lists/sort_counting.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "core/seams.h"
#include "cpu/machine/pool.h"

namespace serrate::cpu {
namespace {

constexpr uint64_t kMostValues = 1 << 16;

/// P: counts, and places in the list.
template <class T, class P>
class Counter {
 public:
  explicit Counter(const CountedList& list) : l_(list), keys_(static_cast<const T*>(list.keys)) {
    chunks_ = num_threads() == 1 ? 1 : std::clamp<int64_t>(l_.n / seams().counts, 1, 64);
  }

  bool run() {
    if (!find_range()) return false;
    const size_t size = range_ + 1;  // the last one for items that are not valid
    places_.assign(size * static_cast<size_t>(chunks_), 0);
    in_chunks([&](int64_t c, int64_t begin, int64_t end) {
      P* counts = &places_[size * static_cast<size_t>(c)];
      for (int64_t i = begin; i < end; i++) counts[bucket(i)]++;
    });
    P place = 0;
    for (size_t b = 0; b < size; b++) {
      for (size_t c = 0; c < static_cast<size_t>(chunks_); c++)
        place += std::exchange(places_[size * c + b], place);
    }
    if (l_.order) {
      in_chunks([&](int64_t c, int64_t begin, int64_t end) {
        P* places = &places_[size * static_cast<size_t>(c)];
        for (int64_t i = begin; i < end; i++) l_.order[places[bucket(i)]++] = i;
      });
      return true;
    }
    // Equal items are the same bits: counts say what is written. Of items that are not valid they
    // do not.
    parallel_for(chunks_, [&](int64_t c, int) { write_runs(part(c), part(c + 1)); });
    if (!l_.valid) return true;
    in_chunks([&](int64_t c, int64_t begin, int64_t end) {
      P& place = places_[size * static_cast<size_t>(c) + range_];
      for (int64_t i = begin; i < end; i++)
        if (!l_.valid[i]) static_cast<T*>(l_.out)[place++] = keys_[i];
    });
    return true;
  }

 private:
  /// Where the values of a chunk of all of them begin.
  size_t part(int64_t chunk) const {
    return range_ * static_cast<size_t>(chunk) / static_cast<size_t>(chunks_);
  }

  /// The items of these buckets, each written as whole blocks: what is too much the next one's
  /// items overwrite.
  void write_runs(size_t first, size_t last) {
    constexpr size_t kBlock = 32 / sizeof(T);
    T* out = static_cast<T*>(l_.out);
    T* const end = out + places_[last];
    for (size_t b = first; b < last; b++) {
      T block[kBlock];
      std::fill_n(block, kBlock, static_cast<T>(l_.descending ? first_ - b : first_ + b));
      T *to = out + places_[b], *const stop = out + places_[b + 1];
      for (; to < stop && static_cast<size_t>(end - to) >= kBlock; to += kBlock)
        std::memcpy(to, block, sizeof block);
      if (to < stop) std::fill(to, stop, block[0]);
    }
  }

  bool find_range() {
    constexpr T high = std::numeric_limits<T>::max(), low = std::numeric_limits<T>::lowest();
    std::vector<T> least(static_cast<size_t>(chunks_), high);
    std::vector<T> most(static_cast<size_t>(chunks_), low);
    in_chunks([&](int64_t c, int64_t begin, int64_t end) {
      T a = high, b = low;
      for (int64_t from = begin; from < end; from += kLooked) {
        const int64_t to = std::min(end, from + kLooked);
        for (int64_t i = from; i < to; i++) {
          const bool counts = !l_.valid || l_.valid[i];
          a = counts && keys_[i] < a ? keys_[i] : a;
          b = counts && b < keys_[i] ? keys_[i] : b;
        }
        if (a <= b && !has_few(spread(a, b))) break;  // most lists of any numbers end here
      }
      least[static_cast<size_t>(c)] = a;
      most[static_cast<size_t>(c)] = b;
    });
    const T a = *std::min_element(least.begin(), least.end());
    const T b = *std::max_element(most.begin(), most.end());
    if (b < a) return false;
    range_ = static_cast<size_t>(spread(a, b)) + 1;
    first_ = static_cast<uint64_t>(l_.descending ? b : a);
    return has_few(spread(a, b));
  }
  static uint64_t spread(T a, T b) { return static_cast<uint64_t>(b) - static_cast<uint64_t>(a); }
  bool has_few(uint64_t spread) const {
    return spread < kMostValues && spread < static_cast<uint64_t>(l_.n) / 4;
  }

  size_t bucket(int64_t i) const {
    if (l_.valid && !l_.valid[i]) return range_;
    const auto key = static_cast<uint64_t>(keys_[i]);
    return l_.descending ? first_ - key : key - first_;
  }

  template <class F>
  void in_chunks(F&& f) const {
    parallel_for(chunks_,
                 [&](int64_t c, int) { f(c, l_.n * c / chunks_, l_.n * (c + 1) / chunks_); });
  }

  static constexpr int64_t kLooked = 1024;  // items

  const CountedList& l_;
  const T* keys_;
  int64_t chunks_;
  size_t range_ = 0;
  uint64_t first_ = 0;
  std::vector<P> places_;
};

template <class T>
bool counted(const CountedList& list) {
  constexpr int64_t kNarrow = std::numeric_limits<uint32_t>::max();
  return list.n < kNarrow ? Counter<T, uint32_t>(list).run() : Counter<T, int64_t>(list).run();
}

}  // namespace

bool sort_by_counting(const CountedList& list) {
  switch (list.type) {
    case DType::boolean:
    case DType::uint8:
      return counted<uint8_t>(list);
    case DType::int8:
      return counted<int8_t>(list);
    case DType::int16:
      return counted<int16_t>(list);
    case DType::uint16:
      return counted<uint16_t>(list);
    case DType::int32:
      return counted<int32_t>(list);
    case DType::uint32:
      return counted<uint32_t>(list);
    case DType::int64:
      return counted<int64_t>(list);
    case DType::uint64:
      return counted<uint64_t>(list);
    default:
      return false;
  }
}

}  // namespace serrate::cpu
