// Cutting lists into tasks of about as many items each, whatever their lengths.
#pragma once

#include <algorithm>
#include <vector>

#include "core/seams.h"
#include "cpu/lists/lists.h"
#include "cpu/machine/pool.h"

namespace serrate::cpu {

/// Lists begin .. end - 1.
struct ListRange {
  int64_t begin, end;
};

/// Calls giant(list) for the giant ones one after the other, and part(range) for all others in
/// parallel.
template <class Giant, class Part>
void for_lists(const Lists& lists, Giant&& giant, Part&& part) {
  std::vector<ListRange> tasks;
  const int64_t* offsets = lists.offsets;
  for (int64_t i = 0; i < lists.count;) {
    const int64_t* next =
        std::upper_bound(offsets + i + 1, offsets + lists.count + 1, offsets[i] + seams().task);
    const int64_t end = std::max<int64_t>(i + 1, next - offsets - 1);
    if (offsets[end] - offsets[i] > seams().giant) {
      giant(i);
    } else {
      tasks.push_back({i, end});
    }
    i = end;
  }
  parallel_for(static_cast<int64_t>(tasks.size()),
               [&](int64_t t, int) { part(tasks[static_cast<size_t>(t)]); });
}

}  // namespace serrate::cpu
