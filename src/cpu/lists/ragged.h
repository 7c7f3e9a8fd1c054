// The ragged kernels: what the CPU engine does to one chunk of lists, as a table of functions per
// instruction set.
#pragma once

#include <cstdint>

#include "core/types/reducer_info.h"
#include "cpu/machine/isa.h"
#include "serrate/dtype.h"

namespace serrate::cpu {

// A chunk is a run of lists and their items. Its local offsets are int32 off[0..lists], off[0] = 0,
// off[lists] = n; the first and the last list may be parts of longer lists. Rules for all pointers:
//  - every output buffer may be written up to 64 bytes behind its end (scratch buffers are padded
//  by 256);
//  - local offsets `off` and index vectors may be read up to 64 bytes behind their end;
//  - all other inputs (values, masks, physical offsets) are never read out of bounds;
//  - inputs and outputs don't overlap, unless a function says so.

/// Element type of physical offsets, starts, stops and indexes.
enum class IndexType : uint8_t { i32, i64, u32 };

/// True when fold has a kernel for it (float16 never; complex: no order).
bool can_fold(Reducer reducer, DType values);

/// Writes the identity `count` times to accumulators of type state_type(reducer, values); times are
/// integers. `index` (argmin, argmax) gets -1: nothing yet.
void fill_identity(Reducer reducer, DType values, void* acc, int64_t* index, int64_t count);

/// What a fold reads and writes. Accumulators are updated in place, so a list may continue from an
/// earlier chunk.
struct FoldArgs {
  const void* values = nullptr;    // n items; not read by count
  const uint8_t* valid = nullptr;  // n bytes; items with 0 are skipped; null: all are valid
  const int32_t* off = nullptr;
  // Where lists end, if they do not lie end to end (see local_spans); null: where the next begins.
  // Folds of truth values and counts take none.
  const int32_t* ends = nullptr;
  int64_t lists = 0;
  void* acc = nullptr;         // lists accumulators
  int64_t* index = nullptr;    // argmin, argmax: positions within the lists, -1 = nothing yet
  int64_t first_index = 0;     // argmin, argmax: position of the chunk's first item within its list
  bool first_started = false;  // argmin, argmax: an earlier task has the start of the first list
                               // (leading NaNs are skipped)
  bool scratch = false;        // values are in the caches; 64 bytes behind the last may be read
};
/// Floating sums go over 16 (float32) or 8 (float64) lanes that are added as a tree, long parts
/// over four times as many, in blocks. The order is the same for all instruction sets, so results
/// depend on the chunk boundaries only. NaN: min and max ignore it; argmin and argmax take the
/// first item whatever it is, then strictly better ones (as Awkward's CPU kernels). Accumulators of
/// argmin and argmax mean something only where the index is not -1.
using FoldFn = void (*)(const FoldArgs&);

/// What lists have of their domain if they ascend: each begins where the last has ended, or behind.
struct Spans {
  bool ascend = false;
  int64_t first = 0, last = 0;  // from where the first list that has items begins to where ...
  int64_t items = 0;
};

/// Where a producer of tuples stands: the next list of the base chunk, and how many of its tuples
/// were produced.
struct TupleCursor {
  int64_t list = 0;
  int64_t rank = 0;
};
/// What one call produced: tuples of lists [first, last). The first may continue, the last may be
/// continued (then cursor.list == last - 1). All is done when cursor.list == lists.
struct TupleChunk {
  int64_t first = 0;
  int64_t last = 0;
  int64_t tuples = 0;
};
inline constexpr int kMaxTuple = 64;

struct HistogramArgs {
  const void* cells = nullptr;    // of the items: int32, or int64 if `wide`
  const void* weights = nullptr;  // of type `dtype`; null: count
  DType dtype = DType::int64;     // int64 or float64
  bool wide = false;
  int tables = 1;  // 1 or 4: item k counts in table k % tables
  int64_t n = 0;
  int64_t size = 0;  // cells
  // Tables of size + 1, added to; nobody reads the last word, where items without a cell may go.
  void* out = nullptr;
};

struct RaggedKernels {
  // ---- offsets
  /// Local offsets of lists [0, lists) from lists + 1 contiguous physical offsets:
  /// off[p] = clamp(offsets[p] - offsets[0], skip, skip + limit) - skip; limit <= 2^31 - 1. Returns
  /// offsets[lists] - offsets[0]: when it is above skip + limit, lists were cut. skip = 0, limit =
  /// 2^31 - 1: whole lists.
  int64_t (*local_offsets)(IndexType, const void* offsets, int64_t lists, int64_t skip,
                           int64_t limit, int32_t* off);
  /// The same from starts and stops; with `valid`, lists of validity 0 have length 0, whatever
  /// their starts and stops.
  int64_t (*local_offsets_pairs)(IndexType, const void* starts, const void* stops,
                                 const uint8_t* valid, int64_t lists, int64_t skip, int64_t limit,
                                 int32_t* off);
  /// Of lists by their starts and stops. If no list has items, all is 0.
  Spans (*spans)(const int64_t* starts, const int64_t* stops, int64_t lists);
  /// A chunk of [first, last) of the domain, with what lies between the lists: these ascend, list p
  /// is [off[p], ends[p]), and what is behind it belongs to nobody. off[lists] is last - first, no
  /// more than 2^31 - 1.
  void (*local_spans)(const int64_t* starts, const int64_t* stops, int64_t lists, int64_t first,
                      int64_t last, int32_t* off, int32_t* ends);
  /// off[p + 1] - off[p] as int64.
  void (*lengths)(const int32_t* off, int64_t lists, int64_t* out);

  // ---- from lists to items
  /// out[k] = values[p] for each item k of list p; itemsize 1, 2, 4, 8 or 16.
  void (*expand)(int itemsize, const void* values, const int32_t* off, int64_t lists, void* out);
  /// out[k] = first + p.
  void (*parents)(const int32_t* off, int64_t lists, int32_t first, int32_t* out);
  /// out[k] = k - off[p], plus `start` in the first list.
  void (*local_index)(const int32_t* off, int64_t lists, int64_t start, int64_t* out);
  void (*local_index32)(const int32_t* off, int64_t lists, int32_t start, int32_t* out);
  /// out[k] = starts[p] + k - off[p] - base, plus `start` in the first list.
  void (*positions)(IndexType, const void* starts, const int32_t* off, int64_t lists, int64_t start,
                    int64_t base, int64_t* out);
  void (*positions32)(IndexType, const void* starts, const int32_t* off, int64_t lists,
                      int64_t start, int64_t base, int32_t* out);

  // ---- lists that others look at again
  /// List q of `repeated` (lists + 1 local offsets) for each item of list q of `off`: where each of
  /// these copies begins in the repeated chunk (off[lists] of them), and their local offsets (room
  /// for one more). Returns how many items they have together; above 2^31 - 1 the offsets mean
  /// nothing.
  int64_t (*repeat_offsets)(const int32_t* off, const int32_t* repeated, int64_t lists,
                            int32_t* begins, int32_t* out);
  /// out[off[p] + k] = values[begins[p] + k], plus `start` in the first list, of `items` values;
  /// itemsize 1, 2, 4, 8 or 16. `begins` never decrease.
  void (*repeat)(int itemsize, const void* values, int64_t items, const int32_t* begins,
                 const int32_t* off, int64_t lists, int64_t start, void* out);

  // ---- lists that lie anywhere
  /// out[off[p] + k] = values[starts[p] + k], plus `start` in the first list. itemsize is 1, 2, 4,
  /// 8 or 16. Behind the items of a list others may be read, of `items`.
  void (*copy_lists)(int itemsize, const void* values, int64_t items, const int64_t* starts,
                     const int32_t* off, int64_t lists, int64_t start, void* out);

  // ---- tuples
  /// Number of k-combinations of all lists, and of each list if counts is not null. A number above
  /// 2^63 - 1 saturates to 2^63 - 1; then combinations() must not be called.
  int64_t (*count_combinations)(int k, bool replacement, const int32_t* off, int64_t lists,
                                int64_t* counts);
  /// The same for the product of m bases, each with its own local offsets.
  int64_t (*count_cartesian)(int m, const int32_t* const* offs, int64_t lists, int64_t* counts);
  /// Produces at most `cap` tuples (1 <= cap <= 2^31 - 1) from the cursor on, in itertools order;
  /// out[0..k) get positions into the base chunk (room for cap each), out_off the local offsets of
  /// the produced chunk (room for lists + 1). Lists without tuples are covered as they come. 1 <= k
  /// <= kMaxTuple.
  TupleChunk (*combinations)(int k, bool replacement, const int32_t* off, int64_t lists,
                             TupleCursor& cursor, int64_t cap, int32_t* const* out,
                             int32_t* out_off);
  /// The same for the product of m bases; the last varies fastest; out[b] gets positions into chunk
  /// b.
  TupleChunk (*cartesian)(int m, const int32_t* const* offs, int64_t lists, TupleCursor& cursor,
                          int64_t cap, int32_t* const* out, int32_t* out_off);

  // ---- selection; mask bytes are 0 or 1
  /// Positions of the ones; returns how many.
  int64_t (*select)(const uint8_t* mask, int64_t n, int32_t* out);
  /// out[p] = ones before item off[p], for p in [0, lists]. In place (out == off) is allowed.
  void (*select_offsets)(const uint8_t* mask, const int32_t* off, int64_t lists, int32_t* out);
  int64_t (*count_ones)(const uint8_t* mask, int64_t n);
  /// The values whose mask is 1, packed; returns how many. In place is allowed.
  int64_t (*compress)(int itemsize, const void* values, const uint8_t* mask, int64_t n, void* out);
  /// out[k] = values[index[k]]; itemsize 1, 2, 4, 8 or 16. Indexes are not checked.
  void (*take)(int itemsize, const void* values, const int32_t* index, int64_t n, void* out);
  void (*take64)(int itemsize, const void* values, const int64_t* index, int64_t n, void* out);

  // ---- reductions
  /// The kernel that folds values of this type, or null when !can_fold(reducer, values).
  FoldFn (*fold)(Reducer reducer, DType values);
  /// Adds up float32 as float64, bit by bit as if they had been converted before. They are, if
  /// there is room for all items: faster for short lists.
  void (*wide_sum)(const FoldArgs&, double* room);
  /// Folds accumulators of later parts of the same lists into those of earlier parts. `values` as
  /// for fold.
  void (*merge)(Reducer reducer, DType values, void* acc, int64_t* index, const void* later,
                const int64_t* later_index, int64_t count);
  /// Adds 1 or the weight of each item to its cell.
  void (*histogram)(const HistogramArgs&);

  /// First p with offsets[p] < 0, > content or < offsets[p - 1]; there are lists + 1 offsets.
  int64_t (*validate_offsets)(IndexType, const void* offsets, int64_t lists, int64_t content);
  /// First p with starts[p] < stops[p] (empty lists are not looked at) outside [0, content], or
  /// stops[p] < starts[p].
  int64_t (*validate_pairs)(IndexType, const void* starts, const void* stops, int64_t lists,
                            int64_t content);
  /// First k with index[k] outside [lo, hi).
  int64_t (*validate_index)(IndexType, const void* index, int64_t n, int64_t lo, int64_t hi);
  /// First p whose list has another length in a and b.
  int64_t (*lengths_equal)(const int32_t* a, const int32_t* b, int64_t lists);
  /// The same for physical offsets of any types.
  int64_t (*offsets_equal)(IndexType, const void* a, IndexType, const void* b, int64_t lists);
};

/// The kernels compiled for `isa`. Throws ValueError when it is not available.
const RaggedKernels& ragged(Isa isa);
/// The kernels for best_isa().
const RaggedKernels& ragged();

/// RaggedKernels::wide_sum of best_isa(), in the way that suits the lengths.
void fold_wide_sum(const FoldArgs& args);

/// The most lists from the first on whose items together are at most `items` (lists + 1 offsets); a
/// search, not a scan.
int64_t lists_within(IndexType type, const void* offsets, int64_t lists, int64_t items);

}  // namespace serrate::cpu
