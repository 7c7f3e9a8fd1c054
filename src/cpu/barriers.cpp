// Barriers on stored lists, by the kernels of lists.h.
#include "graph/evaluation/barriers.h"

#include <cstring>

#include "cpu/backend.h"
#include "cpu/lists/lists.h"

namespace serrate::cpu {

using namespace graph;

namespace {

void run(const Column& c, const BarrierInput& in, std::byte* out) {
  const Buffer offsets = offsets_on_host(in.space);
  const Lists lists{offsets.as<int64_t>(), stored_extent(in.space->parent).size};
  const auto* valid =
      in.take_part ? reinterpret_cast<const uint8_t*>(in.data(in.take_part)) : nullptr;
  auto* order = reinterpret_cast<int64_t*>(out);
  if (c.over) {
    const SpaceRef& bytes = in.key->space;
    const Buffer ends = offsets_on_host(bytes);
    const auto* text =
        reinterpret_cast<const uint8_t*>(in.data(in.key->contents[0]->column, bytes));
    return argsort_strings(text, ends.as<int64_t>(), valid, lists, c.descending, order);
  }
  const ColumnRef& key = in.key->column;
  const std::byte* keys = in.data(key);
  switch (c.barrier) {
    case Barrier::argsort:
      return argsort_lists(key->dtype, keys, valid, lists, c.descending, order);
    case Barrier::sort:
      return sort_lists(key->dtype, keys, valid, lists, c.descending, out);
    case Barrier::inverse:
      return invert_lists(reinterpret_cast<const int64_t*>(keys), lists, order);
    case Barrier::scan:
      return scan_lists(c.reducer, key->dtype, keys, valid, lists, out);
    case Barrier::op_scan:
      return scan_lists(c.op, key->dtype, keys, lists, out);
  }
}

}  // namespace

Buffer materialise(const Column& barrier, const BarrierInput& in, int64_t skip) {
  const int64_t size = itemsize(barrier.dtype);
  void* out = nullptr;
  const Buffer result = Buffer::allocate(skip + in.items * size, &out);
  if (skip > 0) std::memset(out, 0, static_cast<size_t>(size));
  run(barrier, in, static_cast<std::byte*>(out) + skip);
  return result;
}

}  // namespace serrate::cpu
