// Chunks of a list are counted by all threads, then written by all to where their items begin: the
// result is the same for any number of them.
#include "cpu/lists/sort_counting.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "core/seams.h"
#include "cpu/machine/pool.h"

namespace serrate::cpu {
namespace {

constexpr uint64_t kMostValues = 1 << 16;

template <class T>
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
      int64_t* counts = &places_[size * static_cast<size_t>(c)];
      for (int64_t i = begin; i < end; i++) counts[bucket(i)]++;
    });
    int64_t place = 0;
    for (size_t b = 0; b < size; b++) {
      for (size_t c = 0; c < static_cast<size_t>(chunks_); c++)
        place += std::exchange(places_[size * c + b], place);
    }
    in_chunks([&](int64_t c, int64_t begin, int64_t end) {
      int64_t* places = &places_[size * static_cast<size_t>(c)];
      if (l_.order) {
        for (int64_t i = begin; i < end; i++) l_.order[places[bucket(i)]++] = i;
      } else {
        auto* out = static_cast<T*>(l_.out);
        for (int64_t i = begin; i < end; i++) out[places[bucket(i)]++] = keys_[i];
      }
    });
    return true;
  }

 private:
  bool find_range() {
    constexpr T high = std::numeric_limits<T>::max(), low = std::numeric_limits<T>::lowest();
    std::vector<T> least(static_cast<size_t>(chunks_), high);
    std::vector<T> most(static_cast<size_t>(chunks_), low);
    in_chunks([&](int64_t c, int64_t begin, int64_t end) {
      T a = high, b = low;
      for (int64_t i = begin; i < end; i++) {
        const bool counts = !l_.valid || l_.valid[i];
        a = counts && keys_[i] < a ? keys_[i] : a;
        b = counts && b < keys_[i] ? keys_[i] : b;
      }
      least[static_cast<size_t>(c)] = a;
      most[static_cast<size_t>(c)] = b;
    });
    const T a = *std::min_element(least.begin(), least.end());
    const T b = *std::max_element(most.begin(), most.end());
    if (b < a) return false;
    const uint64_t spread = static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
    range_ = static_cast<size_t>(spread) + 1;
    first_ = static_cast<uint64_t>(l_.descending ? b : a);
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

  const CountedList& l_;
  const T* keys_;
  int64_t chunks_;
  size_t range_ = 0;
  uint64_t first_ = 0;
  std::vector<int64_t> places_;
};

template <class T>
bool counted(const CountedList& list) {
  return Counter<T>(list).run();
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
