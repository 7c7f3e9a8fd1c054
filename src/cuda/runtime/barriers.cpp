// Barriers on stored lists, by the plug-in's sorts and scans and by passes over the data.
#include "graph/evaluation/barriers.h"

#include <mutex>
#include <utility>
#include <vector>

#include "core/waiting.h"
#include "cuda/runtime/backend.h"
#include "cuda/runtime/offsets.h"

namespace serrate::cuda {

using namespace graph;

namespace {

/// 0 and n on the GPU. Those of the last sizes are kept: to bring them there takes longer than to
/// launch a kernel.
Buffer offsets_of_one(int64_t n) {
  constexpr size_t kKept = 16;
  static std::mutex mutex;
  static auto& kept = *new std::vector<std::pair<int64_t, Buffer>>;  // arrays may outlive statics
  const auto hold = lock_patiently(mutex);
  for (const auto& [size, offsets] : kept) {
    if (size == n) return offsets;
  }
  const int64_t both[] = {0, n};
  if (kept.size() == kKept) kept.erase(kept.begin());
  kept.emplace_back(n, to_gpu(Buffer::copy_of(both, sizeof both)));
  return kept.back().second;
}

/// Column c over a stored space, stored from its first item on.
Buffer store(const SpaceRef& s, const ColumnRef& c) {
  return stored_over(s, c)->buffer.slice(stored_extent(s).first * itemsize(c->dtype));
}

/// Running sums and the like, where the GPU has them for the type; else an empty buffer.
Buffer scanned_lists(const Column& c, const BarrierInput& in) {
  const bool has_type = c.dtype == DType::float32 || c.dtype == DType::float64 ||
                        c.dtype == DType::int64 || c.dtype == DType::uint64;
  if (c.barrier != Barrier::scan || !has_type || in.take_part) return {};
  void* p = nullptr;
  const Buffer out = allocate(itemsize(c.dtype) * in.items, &p);
  const Buffer offsets = offsets_of(in.space);
  const bool done =
      gpu().scan_lists(c.reducer, c.dtype, in.data(in.key->column), offsets.as<int64_t>(),
                       stored_extent(in.space->parent).size, in.items, p);
  return done ? out : Buffer();
}

Buffer run(const Column& c, const BarrierInput& in) {
  if (in.items == 0) return Buffer(nullptr, 0, {}, Device::cuda);
  if (adds(c) && c.dtype == DType::float16) {
    // Parts of a list are multiplied first: they must not overflow where a zero stands before them.
    const ColumnRef wide = cast(in.key->column, DType::float64);
    return store(in.space, cast(scan(c.reducer, in.space, wide, in.take_part), c.dtype));
  }
  if (const Buffer scanned = scanned_lists(c, in); scanned.bytes() > 0) return scanned;
  if (const ColumnRef lowered = lower_barrier(c, in.space, in.key, in.take_part))
    return store(in.space, lowered);
  // Where each of 0 .. n-1 is among them, is their order.
  const bool order = c.barrier == Barrier::argsort || c.barrier == Barrier::inverse;
  const ColumnRef& key = in.key->column;
  void* p = nullptr;
  const Buffer out = allocate((order ? 8 : itemsize(key->dtype)) * in.items, &p);
  const Buffer offsets = offsets_of(in.space);
  const ListsToSort lists{.dtype = key->dtype,
                          .items = in.data(key),
                          .offsets = offsets.as<int64_t>(),
                          .lists = stored_extent(in.space->parent).size,
                          .n = in.items,
                          .longest = longest_list(in.space),
                          .descending = c.descending};
  const Waiting waiting;  // it may look at how many lists are long
  order ? gpu().argsort(lists, static_cast<int64_t*>(p)) : gpu().sort(lists, p);
  return out;
}

}  // namespace

Buffer offsets_of(const SpaceRef& s) {
  const int64_t lists = stored_extent(s->parent).size;
  if (s->kind == SpaceKind::list && lists > 0 && s->starts->dtype == DType::int64 &&
      s->extent.first == 0 && s->stops->buffer.data() == s->starts->buffer.data() + 8)
    return s->starts->buffer.slice(8 * stored_extent(s->parent).first);  // both are offsets
  if (s->parent->kind == SpaceKind::unit) return offsets_of_one(stored_extent(s).size);
  const NodeRef counts = evaluate(lists_down_to(s->parent, leaf(count(s))));
  const Node* n = counts.get();
  int64_t first = 0;
  while (n->kind == NodeKind::list) {
    first = stored_extent(n->space).first;
    n = n->contents[0].get();
  }
  // Item 0 of the buffer is that of the domain, where nothing needs to be.
  if (n->column->kind != ColumnKind::constant)
    return offsets_of(n->column->buffer.slice(8 * first), lists).buffer;
  return to_gpu(offsets_on_host(s));
}

Buffer materialise(const Column& barrier, const BarrierInput& in, int64_t skip) {
  const Buffer result = run(barrier, in);
  if (skip == 0) return result;
  const int64_t size = itemsize(barrier.dtype);
  void* moved = nullptr;
  const Buffer late = allocate(skip + in.items * size, &moved);
  gpu().fill(moved, 0, size);
  gpu().copy(static_cast<std::byte*>(moved) + skip, result.data(), in.items * size);
  return late;
}

}  // namespace serrate::cuda
