// Blocks of places are looked at in vectors, then each item is one load from the array's begin or
// its end: no branches, so that loads of many items wait for memory together.
#include "cpu/lists/flat/take.h"

#include <algorithm>
#include <atomic>
#include <type_traits>

#include "core/seams.h"
#include "core/types/with_number.h"
#include "core/unsigned_of_size.h"
#include "cpu/lists/flat/places.h"
#include "cpu/machine/pool.h"

namespace serrate::cpu {
namespace {

constexpr int64_t kBlock = 512, kTogether = 8;

template <class T, class I>
bool take_range(const TakeArgs& of, int64_t begin, int64_t end, T* out) {
  static const LookAtPlaces look = look_at_places();
  const I* const index = static_cast<const I*>(of.index);
  const T* const items = static_cast<const T*>(of.items);
  const T* const from[] = {items, items + of.size};
  const auto item = [&](I place) {
    const auto at = static_cast<int64_t>(place);
    return from[at < 0][at];
  };
  for (int64_t b = begin; b < end; b += kBlock) {
    const int64_t stop = std::min(end, b + kBlock);
    if (look(of.index_type, index + b, stop - b, of.size) & kOutside) return false;
    // Places are loaded before items are stored: where these are some pages apart, loads would
    // wait for the stores.
    int64_t i = b;
    for (; i + kTogether <= stop; i += kTogether) {
      T found[kTogether];
      for (int64_t k = 0; k < kTogether; k++) found[k] = item(index[i + k]);
      for (int64_t k = 0; k < kTogether; k++) out[i + k] = found[k];
    }
    for (; i < stop; i++) out[i] = item(index[i]);
  }
  return true;
}

}  // namespace

bool take(const TakeArgs& of, void* out) {
  const int64_t task = std::max<int64_t>(1, seams().task);
  const int64_t tasks = (of.count + task - 1) / task;
  return with_bytes(of.itemsize, [&]<class T>(T) {
    return with_integer(of.index_type, [&]<class I>(I) {
      std::atomic<bool> all_inside{true};
      parallel_for(tasks, [&](int64_t t, int) {
        if (!take_range<T, I>(of, t * task, std::min(of.count, (t + 1) * task),
                              static_cast<T*>(out)))
          all_inside = false;
      });
      return all_inside.load();
    });
  });
}

}  // namespace serrate::cpu
