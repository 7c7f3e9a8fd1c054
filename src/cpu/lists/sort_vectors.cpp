// Vectorised quicksort (Wassenberg, Blacher, Giesen, Sanders 2022): Highway's, see sort_vectors.h.
#include "cpu/lists/sort_vectors.h"

#if defined(SERRATE_HIGHWAY)
#include <hwy/contrib/sort/vqsort.h>
#endif

namespace serrate::cpu {
namespace {

template <class T>
bool sort([[maybe_unused]] T* items, [[maybe_unused]] int64_t n) {
#if defined(SERRATE_HIGHWAY)
  hwy::Sorter()(items, static_cast<size_t>(n), hwy::SortAscending());
  return true;
#else
  return false;
#endif
}

}  // namespace

bool sort_by_vectors(int32_t* items, int64_t n) { return sort(items, n); }
bool sort_by_vectors(int64_t* items, int64_t n) { return sort(items, n); }

}  // namespace serrate::cpu
