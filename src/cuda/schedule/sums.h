// Lengths that are sums of those of stored lists: where each list begins is known without adding
// them up.
#pragma once

#include <vector>

#include "graph/ir.h"

namespace serrate::cuda {

/// A part of the length of each list: the length of a stored list, or a number.
struct LengthPart {
  const graph::Column *starts = nullptr, *stops = nullptr;  // loads from the same offsets
  graph::ColumnRef number;
  int sign = 1;
};

/// The parts of a column of lengths; none if it is not such a sum.
std::vector<LengthPart> parts_of(const graph::ColumnRef& length);

/// The load of an offset, cast or not; else null.
const graph::Column* loaded_offset(const graph::Column& c);
/// Do these load the end and the beginning of the same lists, one behind the other?
bool is_offset_behind(const graph::Column& stops, const graph::Column& starts);
/// Does it load offsets of stored lists, each once? Elsewhere a list may come several times.
bool is_each_once(const graph::Column& load);

}  // namespace serrate::cuda
