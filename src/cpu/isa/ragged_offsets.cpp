// Local offsets of a chunk from physical offsets, or from starts and stops.
#include "cpu/isa/ragged_parts.h"

namespace serrate::cpu::SERRATE_ISA {
namespace {

[[gnu::always_inline]] inline int32_t clipped(int64_t before, int64_t skip, int64_t end) {
  return static_cast<int32_t>(most(skip, least(before, end)) - skip);
}

template <class T>
int64_t from_offsets(const T* offsets, int64_t lists, int64_t skip, int64_t limit, int32_t* off) {
  const T base = offsets[0];
  const int64_t total = static_cast<int64_t>(offsets[lists]) - static_cast<int64_t>(base);
  if (skip == 0 && total <= limit) {
    // The next block's stand behind these.
    fetch_ahead<0>(offsets + lists, offsets + 2 * lists);
    for (int64_t p = 0; p <= lists; p++) off[p] = static_cast<int32_t>(offsets[p] - base);
  } else {
    const int64_t end = skip + limit;
    for (int64_t p = 0; p <= lists; p++)
      off[p] = clipped(static_cast<int64_t>(offsets[p]) - static_cast<int64_t>(base), skip, end);
  }
  return total;
}

template <bool masked, class T>
int64_t from_pairs(const T* starts, const T* stops, const uint8_t* valid, int64_t lists,
                   int64_t skip, int64_t limit, int32_t* off) {
  int64_t sum = 0, any = 0;  // any: all bits of the lengths
  off[0] = 0;
  for (int64_t p = 0; p < lists; p++) {
    int64_t length = static_cast<int64_t>(stops[p]) - static_cast<int64_t>(starts[p]);
    if constexpr (masked) length &= -static_cast<int64_t>(valid[p] != 0);
    sum += length;
    any |= length;
    off[p + 1] = static_cast<int32_t>(sum);
  }
  if (skip == 0 && sum <= limit && any >> 31 == 0) return sum;
  // Rare: a part of a long list. The sums don't fit, so they are made again.
  const int64_t end = skip + limit;
  sum = 0;
  for (int64_t p = 0; p < lists; p++) {
    const int64_t length = static_cast<int64_t>(stops[p]) - static_cast<int64_t>(starts[p]);
    if ((!masked || valid[p]) && __builtin_add_overflow(sum, length, &sum)) sum = kMaxInt64;
    off[p + 1] = clipped(sum, skip, end);
  }
  return sum;
}

int64_t local_offsets(IndexType type, const void* offsets, int64_t lists, int64_t skip,
                      int64_t limit, int32_t* off) {
  return with_index_type(type, [&](auto t) {
    return from_offsets(static_cast<const decltype(t)*>(offsets), lists, skip, limit, off);
  });
}

int64_t local_offsets_pairs(IndexType type, const void* starts, const void* stops,
                            const uint8_t* valid, int64_t lists, int64_t skip, int64_t limit,
                            int32_t* off) {
  return with_index_type(type, [&](auto t) {
    using T = decltype(t);
    const T *first = static_cast<const T*>(starts), *last = static_cast<const T*>(stops);
    return valid ? from_pairs<true>(first, last, valid, lists, skip, limit, off)
                 : from_pairs<false>(first, last, valid, lists, skip, limit, off);
  });
}

// The first list that has items and the one behind the last; equal if none has.
struct Filled {
  int64_t from = 0, to = 0;
  Filled(const int64_t* starts, const int64_t* stops, int64_t lists) : to(lists) {
    while (from < to && stops[from] <= starts[from]) from++;
    while (to > from && stops[to - 1] <= starts[to - 1]) to--;
  }
};

Spans spans(const int64_t* starts, const int64_t* stops, int64_t lists) {
  constexpr int64_t kLook = 128;  // most that are in any order are known to be by the first few
  const auto [from, to] = Filled(starts, stops, lists);
  if (from == to) return {true};
  Spans s{true, starts[from], stops[to - 1], stops[from] - starts[from]};
  for (int64_t p = from + 1; p < to; p += kLook) {
    const int64_t end = least(to, p + kLook);
    uint64_t items = 0, signs = 0;  // of lengths, of what is between two lists
    for (int64_t i = p; i < end; i++) {
      const auto begin = static_cast<uint64_t>(starts[i]);
      const auto length = static_cast<uint64_t>(stops[i]) - begin;
      items += length;
      signs |= length | (begin - static_cast<uint64_t>(stops[i - 1]));
    }
    if (signs >> 63 != 0) return {};
    s.items += static_cast<int64_t>(items);
  }
  return s;
}

// Where lists without items before the first one that has some, and behind the last, begin is not
// looked at: they may be anywhere.
void local_spans(const int64_t* starts, const int64_t* stops, int64_t lists, int64_t first,
                 int64_t last, int32_t* off, int32_t* ends) {
  const auto size = static_cast<int32_t>(last - first);
  const auto [from, to] = Filled(starts, stops, lists);
  for (int64_t p = 0; p < from; p++) off[p] = ends[p] = 0;
  for (int64_t p = from; p < to; p++) {
    off[p] = static_cast<int32_t>(starts[p] - first);
    ends[p] = static_cast<int32_t>(stops[p] - first);
  }
  for (int64_t p = to; p < lists; p++) off[p] = ends[p] = size;
  off[lists] = size;
}

void lengths(const int32_t* off, int64_t lists, int64_t* out) {
  for (int64_t p = 0; p < lists; p++) out[p] = off[p + 1] - off[p];
}

}  // namespace

void add_offset_kernels(RaggedKernels& table) {
  table.local_offsets = local_offsets;
  table.local_offsets_pairs = local_offsets_pairs;
  table.spans = spans;
  table.local_spans = local_spans;
  table.lengths = lengths;
}

}  // namespace serrate::cpu::SERRATE_ISA
