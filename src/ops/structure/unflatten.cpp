// unflatten: one list level more, from the number of items of each new list.
#include <algorithm>

#include "core/host.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/limits.h"
#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/lists/flatten.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "ops/tree/shift.h"
#include "serrate/error.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;

/// The counts, looked at: lists begin and end at offsets; missing counts give missing, empty lists.
struct Counts {
  Buffer ends;  // the offsets, in memory of the host
  const int64_t* offsets = nullptr;
  int64_t lists = 0, longest = 0;
  std::vector<uint8_t> valid;
  bool option = false;
  NodeRef like;  // the array that gets the lists: new buffers go to its device

  int64_t items() const { return offsets[lists]; }
  /// Offsets of these counts; null: of none.
  void add_up(const int64_t* counts, int64_t n);
};

void Counts::add_up(const int64_t* counts, int64_t n) {
  void* p = nullptr;
  ends = Buffer::allocate(8 * (n + 1), &p);
  auto* out = static_cast<int64_t*>(p);
  int64_t end = out[0] = 0;
  for (int64_t i = 0; i < n; i++) {
    const int64_t c = option && !valid[static_cast<size_t>(i)] ? 0 : counts[i];
    check<ValueError>(c >= 0, "unflatten: counts must not be negative, found {} at {}", c, i);
    check<ValueError>(c <= kMaxItems - end,
                      "unflatten: counts add up to more than {}, with {} at {}", kMaxItems, c, i);
    out[i + 1] = end += c;
    longest = std::max(longest, c);
  }
  offsets = out;
  lists = n;
}

Counts look_at_counts(const NodeRef& n, const NodeRef& like) {
  Counts out;
  out.like = like;
  NodeRef content = n->contents[0];
  if (content->kind == NodeKind::option) {
    out.option = true;
    const ColumnRef valid = content->column;
    for (int64_t v : ops::look_at_integers(list_node(n->space, leaf(cast(valid, DType::int64)))))
      out.valid.push_back(v != 0);
    content = content->contents[0];
  }
  if (content->kind == NodeKind::unknown) {
    out.add_up(nullptr, 0);
    return out;
  }
  check<ValueError>(content->kind == NodeKind::leaf && is_integer(content->column->dtype),
                    "unflatten: counts must be an integer or a flat array of integers, got {}",
                    type_text(*n));
  const ops::HostIntegers counts = ops::integers_on_host(list_node(n->space, content));
  out.add_up(counts.data, counts.size);
  return out;
}

template <class T>
Buffer buffer_of(const std::vector<T>& v, const Counts& c) {
  return beside(Buffer::copy_of(v.data(), static_cast<int64_t>(v.size() * sizeof(T))), {c.like});
}

NodeRef with_validity(const Counts& c, const SpaceRef& space, NodeRef lists) {
  if (!c.option) return lists;
  return option_node(stored_column(buffer_of(c.valid, c), DType::boolean, space), std::move(lists));
}

NodeRef regular_rows(const NodeRef& n, int64_t size) {
  const int64_t length = length_of(n->space);
  check<ValueError>(size > 0 ? length % size == 0 : length == 0,
                    "unflatten: {} items can't be split into lists of {}", length, size);
  const SpaceRef outer = rows(size > 0 ? length / size : 0);
  const SpaceRef inner = stored_fixed(outer, size);
  NodeRef content = rebase_pick(n->contents[0], inner, n->space, position(inner));
  return list_node(outer, list_node(inner, std::move(content), size));
}

NodeRef split_rows(const NodeRef& n, const Counts& c) {
  const int64_t length = length_of(n->space);
  check<ValueError>(c.items() == length, "unflatten: counts add up to {}, the array has {}",
                    c.items(), length);
  const SpaceRef outer = rows(c.lists);
  const SpaceRef inner =
      stored_list(outer, beside(c.ends, {c.like}), DType::int64, {0, c.items(), c.longest});
  NodeRef content = rebase_pick(n->contents[0], inner, n->space, position(inner));
  return list_node(outer, with_validity(c, outer, list_node(inner, std::move(content))));
}

/// Lists of each list: all of `size` items, checked when evaluated.
NodeRef regular_lists(const NodeRef& n, int64_t size, const ColumnRef& guard) {
  check<ValueError>(size > 0, "unflatten: lists of {} items have no number", size);
  auto info = std::make_shared<CheckInfo>();
  info->text = fmt::format("a list at position {{position}} can't be split into lists of {}", size);
  info->where = "unflatten";
  const ColumnRef length = count(n->space);
  ColumnRef ok = apply(Op::equal, {apply(Op::remainder, {length, constant(size)}), constant(0)});
  if (length->kind == ColumnKind::constant)  // of all lists, if there is one: who asks has a place
    ok = length->scalar.i % size == 0 ? constant(Scalar::boolean(true))
                                      : apply(Op::less, {local(n->space->parent), constant(0)});
  const ColumnRef lists =
      check_column(apply(Op::floor_divide, {length, constant(size)}), ok, guard, std::move(info));
  const SpaceRef outer = list(n->space->parent, constant(0), lists);
  const SpaceRef inner = fixed(outer, constant(0), size);
  const ColumnRef first = apply(Op::multiply, {local(outer), constant(size)});
  const ColumnRef index = apply(Op::add, {parent(inner, first), local(inner)});
  const ColumnRef below = guard ? lift(guard, n->space->parent, inner) : guard;
  NodeRef content = rebase_pick(n->contents[0], inner, n->space, index, below);
  return list_node(outer, list_node(inner, std::move(content), size), -1, n->parameters);
}

/// Offsets of a stored list, wherever they are.
struct Offsets {
  SpaceRef space;
  int64_t operator()(int64_t i) const { return stored_offset(space, i); }
};

Offsets offsets_on_host(const SpaceRef& s) {
  // The list alone, with nothing in it: only its offsets move.
  const NodeRef tree = ops::list_of(s->parent, list_node(s, leaf(constant(0))));
  if (is_host(buffers_device({tree}).value_or(Device::cpu))) return {s};
  NodeRef n = move_stored(tree, Device::cpu);
  while (n->contents[0]->kind == NodeKind::list) n = n->contents[0];
  return {n->space};
}

/// Lists of each list, as the counts say; they must end where the old lists end. Everything is
/// stored already.
NodeRef split_lists(const NodeRef& n, const Counts& c, int axis, const ColumnRef& guard) {
  const SpaceRef& space = n->space->parent;
  const Offsets offsets = offsets_on_host(n->space);
  const StoredExtent lists = stored_extent(space);
  std::vector<int64_t> looked_at(static_cast<size_t>(lists.size), 1);
  if (guard)
    looked_at = ops::look_at_integers(ops::list_of(space, leaf(cast(guard, DType::int64))));
  const int64_t total = c.lists;
  std::vector<int64_t> outer{0}, starts, stops;
  int64_t used = 0, end = 0;  // sublists and items so far
  for (int64_t i = 0; i < lists.size; i++) {
    if (looked_at[static_cast<size_t>(i)]) {
      const int64_t first = offsets(i) - end;
      end = offsets(i + 1) - first;
      while (used < total && c.offsets[used + 1] <= end) {
        starts.push_back(first + c.offsets[used]);
        stops.push_back(first + c.offsets[++used]);
      }
      check<ValueError>(
          c.offsets[used] == end,
          "unflatten: counts do not fit the lists at axis={}: list {} ends inside a new one", axis,
          i);
    }
    outer.push_back(used);
  }
  check<ValueError>(used == total, "unflatten: counts add up to {}, the lists at axis={} have {}",
                    c.items(), axis, end);
  // Offsets belong to positions of the parent, which need not begin at 0.
  ColumnRef ordinal = position(space);
  if (lists.first != 0) ordinal = apply(Op::subtract, {ordinal, constant(lists.first)});
  const Buffer o = buffer_of(outer, c);
  const SpaceRef new_lists =
      list(space, load(o, DType::int64, ordinal),
           load(o.slice(sizeof(int64_t)), DType::int64, ordinal), lists.first == 0);
  const ColumnRef p = position(new_lists);
  const SpaceRef inner = list(new_lists, load(buffer_of(starts, c), DType::int64, p),
                              load(buffer_of(stops, c), DType::int64, p));
  NodeRef content = ops::rebase_shift(n->contents[0], n->space, inner);
  return list_node(new_lists, with_validity(c, new_lists, list_node(inner, std::move(content))), -1,
                   n->parameters);
}

}  // namespace

Array unflatten(const Array& x, const Array& counts, int axis) {
  const graph::Operation operation;
  NodeRef n = ops::input(x);
  const NodeRef by = ops::input(counts);
  const bool single = by->kind == NodeKind::leaf && is_integer(by->column->dtype);
  check<ValueError>(single || ops::is_list(*by),
                    "unflatten: counts must be an integer or a flat array of integers, got {}",
                    type_text(*by));
  const auto a = ops::positive_axis(*n, axis, 0);
  if (axis == 0 || (a && *a == 0)) {
    check<TypeError>(ops::is_list(*n), "unflatten: expected an array, got a single {}",
                     type_text(*n));
    return Array(single ? regular_rows(n, look(by->column)) : split_rows(n, look_at_counts(by, n)));
  }
  if (single) {
    const int64_t size = look(by->column);
    return Array(ops::at_axis(n, axis, "unflatten", [&](const NodeRef& l, const ColumnRef& guard) {
      return regular_lists(l, size, guard);
    }));
  }
  const Counts c = look_at_counts(by, n);
  return Array(ops::at_axis(
      evaluate(n), axis, "unflatten",
      [&](const NodeRef& l, const ColumnRef& guard) { return split_lists(l, c, axis, guard); }));
}

}  // namespace serrate
