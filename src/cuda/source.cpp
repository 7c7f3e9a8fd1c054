// Numbers of the trees at hand: see source.h.
#include "cuda/source.h"

#include <algorithm>
#include <bit>

#include "cuda/bounds.h"
#include "cuda/device.h"
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

uint64_t value_of(const Source& s, std::span<const void* const> objects) {
  if (s.kind == Source::given) return s.bits;
  const void* const object = objects[static_cast<size_t>(s.object)];
  const auto column = [&]() -> const Column& { return *static_cast<const Column*>(object); };
  const auto space = [&] { return SpaceRef(static_cast<const Space*>(object)); };
  const auto bits = [](int64_t n) { return static_cast<uint64_t>(n); };
  switch (s.kind) {
    case Source::address:
      return std::bit_cast<uint64_t>(column().buffer.data());
    case Source::real:
      return column().scalar.u;
    case Source::imaginary:
      return std::bit_cast<uint64_t>(column().scalar.im);
    case Source::first:
      return bits(stored_extent(space()).first);
    case Source::items:
      return bits(stored_extent(space()).size);
    case Source::end: {
      const StoredExtent e = stored_extent(space());
      return bits(e.first + e.size);
    }
    case Source::size:
      return bits(space()->size);
    case Source::positions:
      return bits(known_size(space()));
    case Source::most:
      return bits(most_positions(space()));
    default:
      return bits(driver_size(*space()));
  }
}

}  // namespace serrate::cuda
