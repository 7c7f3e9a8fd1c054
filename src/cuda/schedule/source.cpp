// Sizes of spaces that can be told without a walk: see source.h.
#include "cuda/schedule/source.h"

#include <algorithm>

#include "graph/backend.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

using namespace graph;

namespace {

/// A bound of axis 0: the number of threads depends on it.
int64_t unit_integer(const ColumnRef& c) {
  if (c->kind == ColumnKind::constant) return c->scalar.i;
  const ColumnRef stored = evaluate(leaf(cast(c, DType::int64)))->column;
  if (stored->kind == ColumnKind::constant) return stored->scalar.i;
  return *to_host(stored->buffer).as<int64_t>();
}

}  // namespace

StoredExtent numbered(const SpaceRef& s) {
  if (is_stored(s)) return stored_extent(s);
  return {.first = 0, .size = known_size(s)};
}

int64_t driver_size(const Space& s) {
  switch (s.kind) {
    case SpaceKind::rows:
    case SpaceKind::fixed:
      return s.size;
    case SpaceKind::list:
      return std::max<int64_t>(0, unit_integer(s.stops) - unit_integer(s.starts));
    case SpaceKind::unit:
      return 1;
    case SpaceKind::flat:
      return driver_size(*s.bases[0]->parent);
    default:
      return driver_size(*s.bases[0]);
  }
}

int64_t known_size(const SpaceRef& s) {
  if (s->kind == SpaceKind::unit) return 1;
  if (is_stored(s)) return stored_extent(s).size;
  if (s->kind == SpaceKind::fixed) {
    const int64_t owners = known_size(s->parent);
    return owners < 0 ? -1 : owners * s->size;
  }
  if (s->kind == SpaceKind::list && s->depth == 1) return driver_size(*s);
  const bool as_base = s->kind == SpaceKind::flat || s->kind == SpaceKind::aligned;
  if (as_base && is_stored(s->bases[0])) return stored_extent(s->bases[0]).size;
  return -1;
}

}  // namespace serrate::cuda
