// concatenate of arrays that are stored already: their memory is copied, piece by piece.
#include "ops/structure/join_stored.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "core/host.h"
#include "core/seams.h"
#include "core/where.h"
#include "graph/below.h"
#include "graph/evaluate.h"
#include "graph/materialise.h"
#include "ops/tree/broadcast.h"
#include "ops/tree/contents.h"
#include "ops/tree/input.h"

namespace serrate::ops {

using namespace graph;

namespace {

/// Can b lie behind a in memory? Lists that many levels down, if any (0: none), are joined
/// themselves, and may be longer than others.
bool alike(const Node& a, const Node& b, bool types = true, int joined = 0) {
  if (a.kind != b.kind || a.unit != b.unit || a.parameters != b.parameters ||
      (a.size != b.size && joined != 1) || a.is_tuple != b.is_tuple ||
      a.contents.size() != b.contents.size())
    return false;
  switch (a.kind) {
    case NodeKind::leaf:
      return !types || a.column->dtype == b.column->dtype;
    case NodeKind::list:
      if (a.space->kind == SpaceKind::fixed && b.space->kind == SpaceKind::fixed &&
          a.space->size == b.space->size)
        break;
      if (joined == 1 || is_stored(a.space) != is_stored(b.space)) break;  // one will be
      if (is_stored(a.space) &&
          (a.space->kind != SpaceKind::list || b.space->kind != SpaceKind::list))
        return false;
      break;
    case NodeKind::option:
      if (is_unmasked(a) || is_unmasked(b)) return false;
      break;
    case NodeKind::union_:
      if (a.column->dtype != b.column->dtype) return false;
      break;
    case NodeKind::record:
      if (!a.is_tuple && *a.fields != *b.fields) return false;
      break;
    default:
      return false;
  }
  for (size_t i = 0; i < a.contents.size(); ++i) {
    if (!alike(*a.contents[i], *b.contents[i], types, joined - 1)) return false;
  }
  return true;
}

/// Copies `bytes` of each piece's column, in order.
ColumnRef joined_column(const Pieces& pieces, const SpaceRef& to) {
  const DType t = pieces[0].node->column->dtype;
  int64_t n = 0;
  for (const Piece& p : pieces) n += p.size;
  void* memory = nullptr;
  const Buffer out = Buffer::allocate(n * itemsize(t), &memory);
  auto* next = static_cast<std::byte*>(memory);
  for (const Piece& p : pieces) {
    const int64_t bytes = p.size * itemsize(t);
    if (bytes) std::memcpy(next, p.node->column->buffer.data() + p.first * itemsize(t), bytes);
    next += bytes;
  }
  return stored_column(out, t, to);
}

const int64_t* offsets_of(const Node& n) { return n.space->starts->buffer.as<int64_t>(); }

/// Offsets p.first .. p.first + p.size of the lists of a piece; the last one lies behind its
/// starts.
int64_t offset(const Piece& p, int64_t i) {
  if (p.size == 0) return 0;
  if (i < p.size) return offsets_of(*p.node)[p.first + i];
  return p.node->space->stops->buffer.as<int64_t>()[p.first + p.size - 1];
}

NodeRef joined(const Pieces& pieces, const SpaceRef& to);

NodeRef joined_lists(const Pieces& pieces, const SpaceRef& to) {
  int64_t n = 0;
  for (const Piece& p : pieces) n += p.size;
  void* memory = nullptr;
  const Buffer out = Buffer::allocate((n + 1) * 8, &memory);
  auto* next = static_cast<int64_t*>(memory);
  int64_t total = 0;
  Pieces inner;
  *next++ = 0;
  for (const Piece& p : pieces) {
    const int64_t begin = offset(p, 0), shift = total - begin;
    for (int64_t i = 1; i < p.size; ++i) *next++ = offsets_of(*p.node)[p.first + i] + shift;
    const int64_t end = offset(p, p.size);
    if (p.size) *next++ = end + shift;
    inner.push_back({p.node->contents[0].operator->(), begin, end - begin});
    total += end - begin;
  }
  const SpaceRef lists = stored_list(to, out, DType::int64, {.first = 0, .size = total});
  return list_node(lists, joined(inner, lists), pieces[0].node->size, pieces[0].node->parameters);
}

NodeRef joined_regular(const Pieces& pieces, const SpaceRef& to) {
  const Node& first = *pieces[0].node;
  const int64_t width = first.space->size;
  Pieces inner;
  for (const Piece& p : pieces)
    inner.push_back({p.node->contents[0].operator->(), p.first * width, p.size * width});
  const SpaceRef lists = stored_fixed(to, width);
  return list_node(lists, joined(inner, lists), first.size, first.parameters);
}

NodeRef joined(const Pieces& pieces, const SpaceRef& to) {
  const Node& first = *pieces[0].node;
  if (first.kind == NodeKind::leaf)
    return leaf(joined_column(pieces, to), first.unit, first.parameters);
  if (first.kind == NodeKind::list)
    return first.space->kind == SpaceKind::fixed ? joined_regular(pieces, to)
                                                 : joined_lists(pieces, to);
  std::vector<NodeRef> contents;
  for (size_t k = 0; k < first.contents.size(); ++k) {
    Pieces inner;
    for (const Piece& p : pieces)
      inner.push_back({p.node->contents[k].operator->(), p.first, p.size});
    contents.push_back(joined(inner, to));
  }
  if (first.kind == NodeKind::option) return option_node(joined_column(pieces, to), contents[0]);
  if (first.kind == NodeKind::union_)
    return union_node(joined_column(pieces, to), std::move(contents), first.parameters);
  return record_like(first, std::move(contents));
}

bool on_host(const Node& n) {
  if (n.column && !on_host(n.column->buffer)) return false;
  if (n.kind == NodeKind::list && n.space->starts && !on_host(n.space->starts->buffer))
    return false;
  for (const auto& c : n.contents) {
    if (!on_host(*c)) return false;
  }
  return true;
}

/// Of the innermost lists that lie in no record.
int64_t innermost_items(const Node& array) {
  const Node* n = &array;
  while (n->contents[0]->kind == NodeKind::list) n = n->contents[0].operator->();
  return stored_extent(n->space).size;
}

/// n with the types of numbers that `like` has; null where that is something else.
NodeRef with_types(const Node& n, const Node& like) {
  if (n.kind != like.kind || n.contents.size() != like.contents.size()) return {};
  auto* r = new Node(n);
  NodeRef result = r;
  if (n.kind == NodeKind::leaf) r->column = cast(n.column, like.column->dtype);
  for (size_t i = 0; i < n.contents.size(); i++) {
    r->contents[i] = with_types(*n.contents[i], *like.contents[i]);
    if (!r->contents[i]) return {};
  }
  return result;
}

}  // namespace

bool can_join_stored(const std::vector<NodeRef>& arrays, int axis, bool types) {
  return std::ranges::all_of(arrays, [&](const NodeRef& a) {
    return is_list(*a) && is_stored(*a) && a->space->kind == SpaceKind::rows && on_host(*a) &&
           alike(*a->contents[0], *arrays[0]->contents[0], types, axis);
  });
}

std::optional<std::vector<NodeRef>> stored_to_be_joined(const std::vector<Array>& arrays,
                                                        const std::vector<NodeRef>& nodes,
                                                        int axis) {
  const bool can_be_joined = std::ranges::all_of(nodes, [&](const NodeRef& n) {
    return is_list(*n) && (axis == 0 || is_list(*n->contents[0])) &&
           alike(*n->contents[0], *nodes[0]->contents[0], false, axis);
  });
  if (arrays.size() < 2 || !can_be_joined || !are_worth_storing(nodes)) return {};
  for (const Array& a : arrays)
    materialise(a, current_where("materialised") +
                       ": copies of what is stored cost less than a choice for each item");
  return inputs(arrays);
}

NodeRef with_wide_offsets(const NodeRef& n) {
  NodeRef wide = with_contents(n, [&](size_t i) { return with_wide_offsets(n->contents[i]); });
  if (n->kind != NodeKind::list || n->space->kind != SpaceKind::list ||
      n->space->starts->dtype == DType::int64)
    return wide;
  const SpaceRef& s = n->space;
  const StoredExtent extent = stored_extent(s), lists = stored_extent(s->parent);
  void* memory = nullptr;
  const Buffer out = Buffer::allocate((lists.first + lists.size + 1) * 8, &memory);
  auto* const offsets = static_cast<int64_t*>(memory);
  std::fill_n(offsets, lists.first, 0);
  for (int64_t i = 0; i <= lists.size; i++) offsets[lists.first + i] = stored_offset(s, i);
  const SpaceRef to =
      stored_list(s->parent, out, DType::int64, {.first = extent.first, .size = extent.size});
  return list_node(to, rebase_equal(wide->contents[0], s, to), n->size, n->parameters);
}

std::optional<std::vector<NodeRef>> as_types_of(const std::vector<NodeRef>& arrays,
                                                const NodeRef& joined, int axis) {
  if (!can_join_stored(arrays, axis, false)) return {};
  int64_t items = 0;
  std::vector<NodeRef> out;
  for (const NodeRef& a : arrays) {
    items += innermost_items(*a);
    out.push_back(with_types(*a, *joined));
    if (!out.back()) return {};
  }
  if (items < seams().block) return {};
  for (NodeRef& n : out) n = evaluate(n);
  if (!can_join_stored(out, axis)) return {};
  return out;
}

NodeRef join_stored(const std::vector<NodeRef>& arrays) {
  note_look_at_values();
  Pieces pieces;
  std::vector<NodeRef> wide;
  int64_t n = 0;
  for (const auto& a : arrays) {
    wide.push_back(with_wide_offsets(a));
    pieces.push_back({wide.back()->contents[0].operator->(), 0, a->space->size});
    n += a->space->size;
  }
  const SpaceRef to = rows(n);
  return list_node(to, joined(pieces, to));
}

}  // namespace serrate::ops
