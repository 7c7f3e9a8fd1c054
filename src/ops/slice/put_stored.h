// Writing to places of numbers that are stored in the host's memory: a scatter into a copy, or into
// memory that nobody else can see.
#pragma once

#include <optional>
#include <span>

#include "graph/ir.h"
#include "serrate/array.h"
#include "serrate/op.h"
#include "serrate/ufunc.h"

namespace serrate::ops {

/// Does a type take values of another one as an array of both would? Updates must not widen it.
bool takes(DType t, const graph::Column& number, bool updates);

/// ValueError where values are more than places: each has one, or all have the same one.
void check_places(int64_t places, int64_t values);

/// x with `values` at these places (the last one stays where a place comes again), or with op(its
/// value, value) one after the other. Places below 0 are counted from the end. Nothing where
/// another way must be taken: memory of another device, missing items, values that x's type does
/// not hold, places that are out of range. `handles`: see put_at.
std::optional<Array> put_stored(const Array& x, const Array& places, const Array& values,
                                std::optional<Op> op = {}, int64_t handles = 0);

/// x, flat or of regular lists throughout, with items at these indexes, or at `size` of them from
/// `first` on: one value, or as many as the items have.
std::optional<Array> put_items(const Array& x, const Array& places, const Array& values,
                               int64_t handles = 0);
std::optional<Array> put_range(const Array& x, int64_t first, int64_t size, int64_t step,
                               const Array& values, int64_t handles = 0);

/// The same, with one value, of the first dimensions of x each: ranges of their indexes.
std::optional<Array> put_box(const Array& x, std::span<const IndexRange> ranges, const Array& value,
                             int64_t handles = 0);

/// x, flat or regular, with one value wherever the mask is true, in its own memory.
std::optional<Array> put_under_mask(const Array& x, const Array& mask, const Array& value,
                                    int64_t handles);

/// x with one value wherever the mask is true, as an expression. Nothing where the mask is over
/// other items, or something is missing.
std::optional<Array> put_selected(const Array& x, const Array& mask, const Array& value);

}  // namespace serrate::ops
