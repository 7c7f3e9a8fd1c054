// Numbers of the trees at hand: see values.h.
#include "cuda/runtime/values.h"

#include <bit>

#include "cuda/runtime/bounds.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

using namespace graph;

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
      return bits(numbered(space()).first);
    case Source::items:
      return bits(numbered(space()).size);
    case Source::end: {
      const StoredExtent e = numbered(space());
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
