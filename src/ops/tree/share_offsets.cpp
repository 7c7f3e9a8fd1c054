// One space for stored lists that have equal offsets.
#include "ops/tree/share_offsets.h"

#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/evaluation/barriers.h"
#include "serrate/ops.h"

namespace serrate::ops {
namespace {

using namespace graph;

bool are_equal(const SpaceRef& a, const SpaceRef& b) {
  if (!same(a->parent, b->parent) || a->starts->buffer.device() != b->starts->buffer.device())
    return false;
  const StoredExtent x = stored_extent(a), y = stored_extent(b);
  if (x.first != y.first || x.size != y.size) return false;
  // The lists lie end to end: their ends are other lists' starts.
  const ColumnRef equal = apply(Op::equal, {a->starts, b->starts});
  return all(Array(lists_down_to(a->parent, leaf(equal))), {.axis = none}).item<bool>();
}

}  // namespace

void share_offsets(std::vector<SpaceRef>& spaces, std::vector<NodeRef>& contents) {
  SpaceRef first;
  for (size_t i = 0; i < spaces.size(); i++) {
    SpaceRef& s = spaces[i];
    if (!s || s->kind != SpaceKind::list || !is_stored(s)) continue;
    if (!first) first = s;
    if (same(first, s) || !is_stored(*contents[i], s) || !are_equal(first, s)) continue;
    contents[i] = over_equal_space(contents[i], s, first);
    s = first;
  }
}

}  // namespace serrate::ops
