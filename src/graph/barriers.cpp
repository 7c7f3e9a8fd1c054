// Barriers on stored lists: see barriers.h.
#include "graph/barriers.h"

#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "core/waiting.h"
#include "cpu/lists.h"
#include "cuda/checks.h"
#include "cuda/offsets.h"
#include "graph/evaluate.h"
#include "serrate/error.h"

namespace serrate::graph {

NodeRef lists_down_to(const SpaceRef& s, NodeRef n) {
  for (SpaceRef p = s; p->kind != SpaceKind::unit; p = p->parent)
    n = list_node(p, n, p->kind == SpaceKind::fixed ? p->size : -1);
  return n;
}

ColumnRef stored_over(const SpaceRef& s, const ColumnRef& c) {
  NodeRef n = evaluate(lists_down_to(s, leaf(c)));
  while (n->kind == NodeKind::list) n = n->contents[0];
  return n->column;
}

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
  kept.emplace_back(n, cuda::to_gpu(Buffer::copy_of(both, sizeof both)));
  return kept.back().second;
}

/// Offsets from 0 on of a stored space: one more than its parent has positions.
Buffer offsets_of(const SpaceRef& s, Device device) {
  const int64_t lists = stored_extent(s->parent).size;
  if (s->kind == SpaceKind::list && device == Device::cuda && lists > 0 &&
      s->starts->dtype == DType::int64 && s->extent.first == 0 &&
      s->stops->buffer.data() == s->starts->buffer.data() + 8)
    return s->starts->buffer.slice(8 * stored_extent(s->parent).first);  // both are offsets
  if (device == Device::cuda && s->parent->kind == SpaceKind::unit)
    return offsets_of_one(stored_extent(s).size);
  if (device == Device::cuda) {
    const NodeRef counts = evaluate(lists_down_to(s->parent, leaf(count(s))));
    const Node* n = counts.get();
    int64_t first = 0;
    while (n->kind == NodeKind::list) {
      first = stored_extent(n->space).first;
      n = n->contents[0].get();
    }
    // Item 0 of the buffer is that of the domain, where nothing needs to be.
    if (n->column->kind != ColumnKind::constant)
      return cuda::offsets_of(n->column->buffer.slice(8 * first), lists).buffer;
  }
  void* p = nullptr;
  const Buffer out = Buffer::allocate(8 * (lists + 1), &p);
  auto* offsets = static_cast<int64_t*>(p);
  const int64_t first = stored_extent(s).first;
  const auto copy = [&]<class T>(const T* from) {
    for (int64_t i = 0; i < lists; i++) offsets[i] = static_cast<int64_t>(from[i]) - first;
  };
  if (s->kind == SpaceKind::list && lists > 0) {
    const std::byte* from =
        s->starts->buffer.data() + stored_extent(s->parent).first * itemsize(s->starts->dtype);
    switch (s->starts->dtype) {
      case DType::int32:
        copy(reinterpret_cast<const int32_t*>(from));
        break;
      case DType::uint32:
        copy(reinterpret_cast<const uint32_t*>(from));
        break;
      default:
        copy(reinterpret_cast<const int64_t*>(from));
    }
  } else {
    for (int64_t i = 0; i < lists; i++) offsets[i] = i * s->size;
  }
  offsets[lists] = stored_extent(s).size;
  return device == Device::cuda ? cuda::to_gpu(out) : out;
}

/// Where position p of s stands in the tree of lists whose space at this level is `stored`.
ColumnRef place(const SpaceRef& s, const SpaceRef& stored, Device device) {
  if (s->kind == SpaceKind::unit) return constant(0);
  if (s->parent->kind == SpaceKind::unit) return local(s);
  if (is_stored(s)) return apply(Op::subtract, {position(s), constant(stored_extent(s).first)});
  return apply(Op::add, {parent(s, first_of_list(s, stored, device)), local(s)});
}

/// The stored input of a barrier, taken apart.
struct Input {
  SpaceRef space;
  NodeRef key;
  ColumnRef take_part;
  int64_t items = 0;
  Device device = surrounding_device();  // memory of nothing is on none

  Input(const Column& c, const NodeRef& root) {
    NodeRef n = root;
    while (n->kind == NodeKind::list && n->space->depth <= c.space->depth) {
      space = n->space;
      n = n->contents[0];
    }
    const bool tells_part = n->kind == NodeKind::record;
    key = tells_part ? n->contents[0] : n;
    if (tells_part) take_part = n->contents[1]->column;
    items = stored_extent(space).size;
    const Node& values = c.over ? *key->contents[0] : *key;
    // Sorting must not meet what a failed check left.
    cuda::settle_checks(values.column->buffer);
    if (take_part) cuda::settle_checks(take_part->buffer);
  }
  const std::byte* data(const ColumnRef& c, const SpaceRef& s) const {
    return c->buffer.data() + stored_extent(s).first * itemsize(c->dtype);
  }
  const std::byte* data(const ColumnRef& c) const { return data(c, space); }
};

void run_on_cpu(const Column& c, const Input& in, std::byte* out) {
  const Buffer offsets = offsets_of(in.space, Device::cpu);
  const cpu::Lists lists{offsets.as<int64_t>(), stored_extent(in.space->parent).size};
  const auto* valid =
      in.take_part ? reinterpret_cast<const uint8_t*>(in.data(in.take_part)) : nullptr;
  auto* order = reinterpret_cast<int64_t*>(out);
  if (c.over) {
    const SpaceRef& bytes = in.key->space;
    const Buffer ends = offsets_of(bytes, Device::cpu);
    const auto* text =
        reinterpret_cast<const uint8_t*>(in.data(in.key->contents[0]->column, bytes));
    return cpu::argsort_strings(text, ends.as<int64_t>(), valid, lists, c.descending, order);
  }
  const ColumnRef& key = in.key->column;
  const std::byte* keys = in.data(key);
  switch (c.barrier) {
    case Barrier::argsort:
      return cpu::argsort_lists(key->dtype, keys, valid, lists, c.descending, order);
    case Barrier::sort:
      return cpu::sort_lists(key->dtype, keys, valid, lists, c.descending, out);
    case Barrier::inverse:
      return cpu::invert_lists(reinterpret_cast<const int64_t*>(keys), lists, order);
    case Barrier::sum_scan:
      return cpu::scan_lists(cpu::Scan::sum, key->dtype, keys, valid, lists, out);
    case Barrier::prod_scan:
      return cpu::scan_lists(cpu::Scan::prod, key->dtype, keys, valid, lists, out);
    case Barrier::min_scan:
      return cpu::scan_lists(cpu::Scan::min, key->dtype, keys, valid, lists, out);
    case Barrier::max_scan:
      return cpu::scan_lists(cpu::Scan::max, key->dtype, keys, valid, lists, out);
    case Barrier::op_scan:
      return cpu::scan_lists(c.op, key->dtype, keys, lists, out);
  }
}

/// Column c over a stored space, stored from its first item on.
Buffer store(const SpaceRef& s, const ColumnRef& c) {
  return stored_over(s, c)->buffer.slice(stored_extent(s).first * itemsize(c->dtype));
}

/// Running sums and the like, where the GPU has them for the type; else an empty buffer.
Buffer scan_on_gpu(const Column& c, const Input& in) {
  static constexpr std::pair<Barrier, cuda::ListScan> kScans[] = {
      {Barrier::sum_scan, cuda::ListScan::sum},
      {Barrier::prod_scan, cuda::ListScan::prod},
      {Barrier::min_scan, cuda::ListScan::min},
      {Barrier::max_scan, cuda::ListScan::max}};
  const bool has_type = c.dtype == DType::float32 || c.dtype == DType::float64 ||
                        c.dtype == DType::int64 || c.dtype == DType::uint64;
  if (!has_type || in.take_part) return {};
  for (const auto& [kind, how] : kScans) {
    if (c.barrier != kind) continue;
    void* p = nullptr;
    const Buffer out = cuda::allocate(itemsize(c.dtype) * in.items, &p);
    const Buffer offsets = offsets_of(in.space, Device::cuda);
    if (!cuda::gpu().scan_lists(how, c.dtype, in.data(in.key->column), offsets.as<int64_t>(),
                                stored_extent(in.space->parent).size, in.items, p))
      return {};
    return out;
  }
  return {};
}

/// Running sums or products.
bool adds(const Column& c) {
  return c.barrier == Barrier::sum_scan || c.barrier == Barrier::prod_scan;
}

Buffer run_on_gpu(const Column& c, const Input& in) {
  if (in.items == 0) return Buffer(nullptr, 0, {}, Device::cuda);
  if (adds(c) && c.dtype == DType::float16) {
    // Parts of a list are multiplied first: they must not overflow where a zero stands before them.
    const ColumnRef wide = cast(in.key->column, DType::float64);
    return store(in.space, cast(barrier(c.barrier, in.space, wide, in.take_part), c.dtype));
  }
  if (const Buffer scanned = scan_on_gpu(c, in); scanned.bytes() > 0) return scanned;
  if (const ColumnRef lowered = lower_barrier(c, in.space, in.key, in.take_part))
    return store(in.space, lowered);
  // Where each of 0 .. n-1 is among them, is their order.
  const bool order = c.barrier == Barrier::argsort || c.barrier == Barrier::inverse;
  const ColumnRef& key = in.key->column;
  void* p = nullptr;
  const Buffer out = cuda::allocate((order ? 8 : itemsize(key->dtype)) * in.items, &p);
  const Buffer offsets = offsets_of(in.space, Device::cuda);
  const cuda::ListsToSort lists{.dtype = key->dtype,
                                .items = in.data(key),
                                .offsets = offsets.as<int64_t>(),
                                .lists = stored_extent(in.space->parent).size,
                                .n = in.items,
                                .longest = longest_list(in.space),
                                .descending = c.descending};
  const Waiting waiting;  // it may look at how many lists are long
  order ? cuda::gpu().argsort(lists, static_cast<int64_t*>(p)) : cuda::gpu().sort(lists, p);
  return out;
}

}  // namespace

ColumnRef first_of_list(const SpaceRef& s, const SpaceRef& stored, Device device) {
  if (s->parent->kind == SpaceKind::unit) return constant(0);
  const ColumnRef owner = place(s->parent, stored->parent, device);
  if (stored->kind == SpaceKind::fixed) return apply(Op::multiply, {owner, constant(stored->size)});
  return load(offsets_of(stored, device), DType::int64, owner);
}

NodeRef barrier_input(const Column& c, bool on_gpu) {
  // Whether items take part need not be sorted with them, if their places may hold anything. The
  // CPU counts integers that take few values.
  if (c.barrier == Barrier::sort && c.args[1] && (on_gpu || is_floating(c.args[0]->dtype)))
    return lists_down_to(c.space, leaf(sort_key(c)));
  // The GPU adds up numbers of the result's type only.
  NodeRef n = leaf(on_gpu && adds(c) ? cast(c.args[0], c.dtype) : c.args[0]);
  if (c.over) n = list_node(c.over, n);
  if (c.args[1]) n = tuple_node({n, leaf(c.args[1])});
  return lists_down_to(c.space, n);
}

ColumnRef run_barrier(const ColumnRef& c, const NodeRef& stored) {
  const Input in(*c, stored);
  // Results stand where the items of a stored space do. Where these start late there is an item 0
  // all the same: guarded loads read it.
  const bool same_place = is_stored(c->space);
  const int64_t size = itemsize(c->dtype);
  const int64_t skip = same_place ? stored_extent(c->space).first * size : 0;
  Buffer result;
  if (in.device == Device::cuda) {
    result = run_on_gpu(*c, in);
    if (skip > 0) {
      void* moved = nullptr;
      const Buffer late = cuda::allocate(skip + in.items * size, &moved);
      cuda::gpu().fill(moved, 0, size);
      cuda::gpu().copy(static_cast<std::byte*>(moved) + skip, result.data(), in.items * size);
      result = late;
    }
  } else {
    void* out = nullptr;
    result = Buffer::allocate(skip + in.items * size, &out);
    if (skip > 0) std::memset(out, 0, static_cast<size_t>(size));
    run_on_cpu(*c, in, static_cast<std::byte*>(out) + skip);
  }
  if (same_place) return stored_column(result, c->dtype, c->space);
  return load(result, c->dtype, place(c->space, in.space, in.device));
}

}  // namespace serrate::graph
