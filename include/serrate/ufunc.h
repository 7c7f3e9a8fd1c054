// What NumPy's ufuncs offer besides a call, for the rows of elementwise.def with two arguments, and
// products of vectors and matrices.
#pragma once

#include <optional>
#include <span>

#include "serrate/ops.h"

namespace serrate {

struct UfuncReduceOptions {
  Axis axis = 0;
  bool keepdims = false;
  const Array* initial = nullptr;  ///< comes before the first item
};
/// op(op(first, second), third) ... along an axis, missing items left out. Without items: the
/// identity of the operation, or None if it has none.
/// reduce of subtract: [[5, 1, 2], []] along axis 1 is [2, None].
Array ufunc_reduce(Op op, const Array& x, const UfuncReduceOptions& o = {});
/// The same up to each item; missing items stay missing and add nothing.
/// accumulate of subtract: [[5, 1, 2], []] along axis 1 is [[5, 4, 2], []].
Array ufunc_accumulate(Op op, const Array& x, Axis axis = 0);
/// op of each number in x with all of y, which takes its place.
/// outer of add: [[1], []] and [10, 20] is [[[11, 21]], []].
Array ufunc_outer(Op op, const Array& x, const Array& y);
/// reduce of x[i:j] for each i of the indices and the next one, j; x[i] where j is not larger. The
/// last one goes to the end. Looks at the indices.
Array ufunc_reduceat(Op op, const Array& x, const Array& indices);

/// The numbers of the leaves of x, from 0 on, in its structure: what x[...] of it gives are places
/// to write to.
Array leaf_positions(const Array& x);
/// x with op(its value, value) at these places, one after the other where a place comes again.
Array ufunc_at(Op op, const Array& x, const Array& places, const Array& values);
/// x with values at these places; the last one stays where a place comes again. `handles`: see
/// put_at.
Array put(const Array& x, const Array& places, const Array& values, int64_t handles = 0);
/// x, a flat array, with values at these indexes or with op(its value, value) one after the other;
/// or one of regular lists throughout, with items at these indexes: one value, or as many as they
/// have. Nothing where that takes another way than a scatter in the host's memory, or an index is
/// wrong. With so many `handles` x is about to be replaced by the result: if there are no others,
/// and nobody else holds its memory, that is written to. Else it stays as it is.
std::optional<Array> put_at(const Array& x, const Array& indexes, const Array& values,
                            std::optional<Op> op = {}, int64_t handles = 0);
/// The same at places first, first + step ..., `size` of them.
std::optional<Array> put_every(const Array& x, int64_t first, int64_t size, int64_t step,
                               const Array& values, int64_t handles = 0);
/// Indexes first, first + step ..., `size` of them.
struct IndexRange {
  int64_t first, size, step;
};
/// The same of one value at all indexes [i, j ...] of which each is in the range of its dimension,
/// of an array of regular lists; what has no range has all.
std::optional<Array> put_ranges(const Array& x, std::span<const IndexRange> ranges,
                                const Array& value, int64_t handles = 0);
/// x with one value wherever the mask is true, as an expression; nothing where the mask is not over
/// the same lists of numbers, or something is missing.
std::optional<Array> put_where(const Array& x, const Array& mask, const Array& value);
/// The same now, to the memory of x, flat or regular, that is evaluated; nothing where put_at would
/// not write there.
std::optional<Array> put_masked(const Array& x, const Array& mask, const Array& value,
                                int64_t handles);

/// Products of the last two dimensions of both, or the last one of an array that has no more;
/// dimensions before are broadcast. ValueError, when evaluated, where lengths do not match.
Array matmul(const Array& x, const Array& y);
/// Sums of conjugate(x) * y over the last dimension.
Array vecdot(const Array& x, const Array& y);
/// Matrices of x by vectors of y.
Array matvec(const Array& x, const Array& y);
/// Conjugated vectors of x by matrices of y.
Array vecmat(const Array& x, const Array& y);

}  // namespace serrate
