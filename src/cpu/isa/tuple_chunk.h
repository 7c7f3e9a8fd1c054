// How calls that make a bounded number of tuples go on where the last one ended: what combinations
// and products have in common.
#pragma once

#include "cpu/isa/ragged_parts.h"

namespace serrate::cpu::SERRATE_ISA {

// Whole lists while they fit in `cap`; a list is cut only if no chunk can hold it.
//   count(p)                  how many tuples list p has
//   part(p, rank, n, at)      writes n tuples of list p, from that rank on, to `at`
//   whole(p, out_off, at)     writes whole lists from p on while they fit, moves `at` ahead and
//                             gives the first list that does not fit
template <class Count, class Part, class Whole>
TupleChunk tuple_chunk(int64_t lists, TupleCursor& cursor, int64_t cap, int32_t* out_off,
                       const Count& count, const Part& part, const Whole& whole) {
  TupleChunk chunk;
  chunk.first = cursor.list;
  out_off[0] = 0;
  int64_t p = cursor.list, at = 0;
  const auto write_part = [&](int64_t n) {
    part(p, cursor.rank, n, at);
    at += n;
    out_off[p + 1 - chunk.first] = static_cast<int32_t>(at);
    cursor.rank += n;
  };
  if (p < lists && cursor.rank > 0) {
    const int64_t left = count(p) - cursor.rank;
    if (left > 0) write_part(least(left, cap));
    if (left > cap) {
      chunk.last = p + 1;
      chunk.tuples = at;
      return chunk;
    }
    out_off[p + 1 - chunk.first] = static_cast<int32_t>(at);
    p++;
    cursor.rank = 0;
  }
  p = whole(p, out_off + (p - chunk.first), at);
  chunk.last = p;
  cursor.list = p;
  if (p < lists && at < cap && count(p) > cap) {
    write_part(cap - at);
    chunk.last = p + 1;
  }
  chunk.tuples = at;
  return chunk;
}

}  // namespace serrate::cpu::SERRATE_ISA
