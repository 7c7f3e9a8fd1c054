// Barriers on stored lists: see barriers.h.
#include "graph/evaluation/barriers.h"

#include "core/host.h"
#include "core/types/reducer_info.h"
#include "graph/backend.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/selection.h"
#include "graph/store.h"

namespace serrate::graph {

NodeRef lists_down_to(const SpaceRef& s, NodeRef n) {
  for (SpaceRef p = s; p->kind != SpaceKind::unit; p = p->parent)
    n = list_node(p, n, p->kind == SpaceKind::fixed ? p->size : -1);
  return n;
}

StoredItems stored_items(const SpaceRef& s, const NodeRef& n) {
  StoredItems r{evaluate(lists_down_to(s, n)), s};
  for (int level = 0; level < s->depth; level++) {
    r.space = r.items->space;
    r.items = r.items->contents[0];
  }
  return r;
}

ColumnRef stored_over(const SpaceRef& s, const ColumnRef& c) {
  return stored_items(s, leaf(c)).items->column;
}

Buffer offsets_on_host(const SpaceRef& s) {
  const int64_t lists = stored_extent(s->parent).size;
  // Where they are that already, they are looked at where they lie.
  if (s->kind == SpaceKind::list && lists > 0 && s->starts->dtype == DType::int64 &&
      stored_extent(s).first == 0 && s->stops->buffer.data() == s->starts->buffer.data() + 8)
    return s->starts->buffer.slice(8 * stored_extent(s->parent).first);
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
  return out;
}

ColumnRef place_in(const SpaceRef& s, const SpaceRef& stored) {
  if (s->kind == SpaceKind::unit) return constant(0);
  if (s->parent->kind == SpaceKind::unit) return local(s);
  if (is_stored(s)) return apply(Op::subtract, {position(s), constant(stored_extent(s).first)});
  return apply(Op::add, {parent(s, first_of_list(s, stored)), local(s)});
}

ColumnRef stored_items_over(const SpaceRef& s, const SpaceRef& stored, const Buffer& values,
                            DType t) {
  if (is_stored(s))
    return stored_column(behind_item_0(values, stored_extent(s).first * itemsize(t)), t, s);
  return load(values, t, place_in(s, stored));
}

ColumnRef first_of_list(const SpaceRef& s, const SpaceRef& stored) {
  if (s->parent->kind == SpaceKind::unit) return constant(0);
  const ColumnRef owner = place_in(s->parent, stored->parent);
  if (stored->kind == SpaceKind::fixed) return apply(Op::multiply, {owner, constant(stored->size)});
  return load(backend(surrounding_device()).offsets_of(stored), DType::int64, owner);
}

BarrierInput::BarrierInput(const Column& c, const NodeRef& root) {
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
  settle(values.column->buffer);
  if (take_part) settle(take_part->buffer);
}

bool adds(const Column& c) { return c.barrier == Barrier::scan && info(c.reducer).is_arithmetic(); }

NodeRef barrier_input(const Column& c, const Capabilities& can) {
  // Whether items take part need not be sorted with them, if their places may hold anything.
  // Where some places only are in order, these are counted among those that take part.
  const Places places = Places::of(c);
  const bool by_keys =
      !can.sorts_with_missing || (is_floating(c.args[0]->dtype) && !places.part && !places.at);
  if (c.barrier == Barrier::sort && c.args[1] && by_keys)
    return lists_down_to(c.space, leaf(sort_key(c)));
  NodeRef n = leaf(adds(c) && !can.scans_any_type ? cast(c.args[0], c.dtype) : c.args[0]);
  if (c.over) n = list_node(c.over, n);
  if (c.args[1]) n = tuple_node({n, leaf(c.args[1])});
  return lists_down_to(c.space, n);
}

ColumnRef run_barrier(const ColumnRef& c, const NodeRef& stored) {
  const BarrierInput in(*c, stored);
  // Results stand where the items of a stored space do. Where these start late there is an item 0
  // all the same: guarded loads read it.
  const bool same_place = is_stored(c->space);
  const int64_t skip = same_place ? stored_extent(c->space).first * itemsize(c->dtype) : 0;
  // Memory of nothing is on no device.
  const Buffer result = backend(surrounding_device()).materialise(*c, in, skip);
  if (same_place) return stored_column(result, c->dtype, c->space);
  return load(result, c->dtype, place_in(c->space, in.space));
}

NodeRef run_alone(const NodeRef& root) {
  const Node* n = root.get();
  const Space* items = nullptr;
  for (; n->kind == NodeKind::list; n = n->contents[0].get()) items = n->space.get();
  if (items == nullptr || n->kind != NodeKind::leaf) return {};
  const ColumnRef& c = n->column;
  if (c->kind != ColumnKind::barrier || c->over || c->space.get() != items || !is_stored(c->space))
    return {};
  const auto is_here = [&](const ColumnRef& x) {
    return is_plain_load(x) && x->args[0]->space.get() == items && on_host(x->buffer);
  };
  if (!is_here(c->args[0]) || (c->args[1] && !is_here(c->args[1]))) return {};
  const Buffer& keys = c->args[0]->buffer;
  Backend& b = backend(keys.device());
  const Capabilities& can = b.capabilities();
  if (can.compares_plans || keys.bytes() > b.items_at_a_time()) return {};
  const NodeRef input = barrier_input(*c, can);
  if (!is_stored(*input)) return {};
  const Surrounding here(b.device());
  return with_leaf(*root, leaf(run_barrier(c, input), n->unit, n->parameters));
}

}  // namespace serrate::graph
