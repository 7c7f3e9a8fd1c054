// Columns of an outer axis: see columns.h.
#include "ops/lists/columns.h"

#include <algorithm>

#include "core/seams.h"
#include "core/types/reducer_info.h"
#include "graph/backend.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/evaluation/barriers.h"
#include "graph/lengths.h"
#include "graph/limits.h"
#include "graph/scatter.h"
#include "ops/lists/moved_columns.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"

namespace serrate::ops {

using namespace graph;

namespace {

/// Items of one stored space as those of another. What needs whole lists is looked up where it is.
class SameItems : public Rebase {
 public:
  SameItems(const SpaceRef& from, const SpaceRef& to) : Rebase(from, to) {
    keeps_order_ = true;
    const int64_t shift = stored_first(from) - stored_first(to);
    position_ = apply(Op::add, {position(to), constant(shift)});
  }

 protected:
  ColumnRef wrap(const ColumnRef& c) override {
    switch (c->kind) {
      case ColumnKind::position:
        return position_;
      case ColumnKind::histogram:
      case ColumnKind::barrier:
        return pick(to_, from_, c, position_);
      default:
        return rebuild(c);
    }
  }

 private:
  ColumnRef position_;
};

/// Where an item's list begins is stored where it is computed for each item, and where lists are
/// deep: it is not computed again at each level.
constexpr size_t kDeep = 3;

DType cell_type(int64_t cells) { return cells < (int64_t{1} << 31) ? DType::int32 : DType::int64; }

/// c, for those that take part; any number for others.
ColumnRef picked_where(const SpaceRef& space, const SpaceRef& over, const ColumnRef& c,
                       const ColumnRef& index, const ColumnRef& who) {
  return pick(space, over, c, cast(index, DType::int64), who);
}

}  // namespace

bool has_stored_lists(const Node& n) {
  if (is_list(n) && !is_stored(n.space)) return false;
  return std::all_of(n.contents.begin(), n.contents.end(),
                     [](const NodeRef& c) { return has_stored_lists(*c); });
}

bool are_few_long_lists(const SpaceRef& s) {
  if (looks_of_thread != nullptr || s->kind != SpaceKind::list || !is_stored(s)) return false;
  const int64_t lists = stored_extent(s->parent).size;
  return lists > 0 && stored_extent(s).size / lists >= seams().long_lists;
}

SpaceRef lists_with_lengths(const SpaceRef& parent, const ColumnRef& length) {
  if (parent->kind == SpaceKind::unit) return rows(look(length));
  const SpaceRef lists = list(parent, constant(0), length);
  return stored_items(parent, list_node(lists, unknown_node())).items->space;
}

NodeRef over_same_items(const NodeRef& n, const SpaceRef& from, const SpaceRef& to) {
  return from == to ? n : SameItems(from, to)(n);
}

Columns::Columns(SpaceRef axis, ColumnRef row)
    : axis_(std::move(axis)),
      items_(axis_),
      tells_indexes_(!row),
      row_(row ? std::move(row) : local(axis_)) {}

void Columns::enter(const SpaceRef& lists, const ColumnRef& who, int64_t size) {
  levels_.empty() ? begin(lists, who, size) : go_on(lists, who, size);
  items_ = lists;
  sizes_.push_back(size);
  all_take_part_ &= !who;
}

/// The longest list of each owner of the axis.
void Columns::begin(const SpaceRef& lists, const ColumnRef& who, int64_t size) {
  const SpaceRef& owner = axis_->parent;
  const bool single = owner->kind == SpaceKind::unit;
  ColumnRef start;  // over the owner
  if (size >= 0) {
    levels_.push_back(single ? rows(size) : stored_fixed(owner, size));
    if (!single) {
      const int64_t first = stored_first(owner);
      start = apply(Op::multiply,
                    {apply(Op::add, {position(owner), constant(-first)}), constant(size)});
      cells_ = rows(items_of(stored_extent(owner).size, size));
    }
  } else {
    const int64_t known = !single || who     ? -1
                          : is_stored(lists) ? look_for_longest(lists)
                                             : longest_list(lists);
    if (known >= 0) {
      levels_.push_back(rows(known));
    } else {
      const ColumnRef some =
          apply(Op::greater, {who ? reduce(Reducer::sum, axis_, who) : count(axis_), constant(0)});
      const ColumnRef longest = reduce(Reducer::max, axis_, count(lists), who);
      levels_.push_back(lists_with_lengths(owner, apply(Op::where, {some, longest, constant(0)})));
    }
    if (!single) {
      start = cast(levels_[0]->starts, DType::int64);
      cells_ = rows(stored_extent(levels_[0]).size);
    }
  }
  cell_ = local(lists);
  if (single) cells_ = levels_[0];
  if (start) cell_ = apply(Op::add, {lift(start, owner, lists), cell_});
  cell_ = cast(cell_, cell_type(cells_->size));
}

/// The longest list of each column so far.
void Columns::go_on(const SpaceRef& lists, const ColumnRef& who, int64_t size) {
  const SpaceRef& above = levels_.back();
  ColumnRef start;  // over what owns the lists
  if (size >= 0) {
    start = apply(Op::multiply, {cast(cell_, DType::int64), constant(size)});
    levels_.push_back(stored_fixed(above, size));
    cells_ = rows(items_of(cells_->size, size));
  } else {
    const ColumnRef nowhere = constant(Scalar::of(int64_t{-1}, cell_->dtype));
    const ColumnRef cell = who ? apply(Op::where, {who, cell_, nowhere}) : cell_;
    const ColumnRef longest = scatter(Reducer::max, items_, cell, count(lists), cells_->size);
    const SpaceRef of_cells =
        lists_with_lengths(cells_, apply(Op::maximum, {longest, constant(0)}));
    start = picked_where(items_, cells_, cast(of_cells->starts, DType::int64), cell_, who);
    const NodeRef seen = over_same_items(list_node(of_cells, unknown_node()), cells_, above);
    levels_.push_back(seen->space);
    cells_ = rows(stored_extent(of_cells).size);
  }
  const Device there = some_device(list_node(lists, unknown_node())).value_or(surrounding_device());
  const bool repeats = graph::backend(there).capabilities().repeats_for_items;
  if (is_stored(lists) && (repeats || levels_.size() > kDeep)) start = stored_over(items_, start);
  cell_ = cast(apply(Op::add, {parent(lists, start), local(lists)}), cell_type(cells_->size));
  // Lists that take no part have no columns, but a back end may look where these begin.
  first_ = who ? apply(Op::where, {who, start, constant(0)}) : start;
}

ColumnRef Columns::row() const { return lift(row_, axis_, items_); }

NodeRef Columns::lists_of(const NodeRef& value, bool regular) const {
  NodeRef n = over_same_items(value, cells_, levels_.back());
  for (size_t k = levels_.size(); k-- > 0;) {
    const bool outermost = levels_[k]->parent->kind == SpaceKind::unit;
    n = list_node(levels_[k], n, outermost && !regular ? -1 : sizes_[k]);
  }
  return n;
}

std::optional<Matrices> Columns::as_matrices() const {
  const bool is_single = axis_->parent->kind == SpaceKind::unit;
  const bool is_axis_regular = is_single || axis_->kind == SpaceKind::fixed;
  if (!all_take_part_ || !is_axis_regular || !tells_indexes_ || !is_stored(items_)) return {};
  Matrices m{nullptr, 1, axis_->size, 1, 0};
  if (is_single)
    m.rows = stored_extent(axis_).size;
  else
    m.count = stored_extent(axis_->parent).size;
  for (const int64_t size : sizes_) {
    if (size < 0) return {};
    m.columns *= size;
  }
  return m;
}

Backend& Columns::backend() const {
  return graph::backend(
      some_device(list_node(items_, unknown_node())).value_or(surrounding_device()));
}

int64_t Columns::owners() const {
  const bool is_single = axis_->parent->kind == SpaceKind::unit || sizes_.size() > 1;
  return is_single ? 1 : stored_extent(axis_->parent).size;
}

std::optional<ListColumns> Columns::as_lists() const {
  if (!is_stored(items_)) return {};
  Backend& b = backend();
  if (!b.capabilities().moves_to_columns) return {};
  const auto from_0_to = [](int64_t n) {
    const int64_t offsets[]{0, n};
    return Buffer::copy_of(offsets, sizeof offsets);
  };
  ListColumns out;
  const SpaceRef& lists = items_->parent;
  const bool is_single = axis_->parent->kind == SpaceKind::unit || sizes_.size() > 1;
  out.owners = owners();
  out.lists = is_single ? from_0_to(stored_extent(lists).size) : b.offsets_of(axis_);
  out.columns = is_single ? from_0_to(cells_->size) : b.offsets_of(levels_[0]);
  out.items = b.offsets_of(items_);
  out.count = stored_extent(items_).size;
  if (sizes_.size() == 1) return out;
  const ColumnRef first = stored_over(lists, first_);
  if (first->kind != ColumnKind::load || first->dtype != DType::int64) return {};
  out.first = first->buffer.slice(8 * stored_first(lists));
  return out;
}

namespace {

/// The numbers of a stored column, transposed, over `to`; null where a back end does not.
ColumnRef transposed_column(const ColumnRef& c, const Matrices& shape, int64_t first,
                            const SpaceRef& to) {
  if (c->kind != ColumnKind::load) return {};
  Matrices m = shape;
  m.itemsize = itemsize(c->dtype);
  settle(c->buffer);
  m.items = c->buffer.data() + first * m.itemsize;
  const auto items = backend(some_device(leaf(c)).value_or(surrounding_device())).transposed(m);
  return items ? stored_column(*items, c->dtype, to) : ColumnRef();
}

}  // namespace

NodeRef transposed_items(const Node& n, const Matrices& shape, int64_t first, const SpaceRef& to) {
  if (n.kind != NodeKind::leaf && n.kind != NodeKind::option) return {};
  const ColumnRef c = transposed_column(n.column, shape, first, to);
  if (!c || n.kind == NodeKind::leaf) return c ? leaf(c, n.unit, n.parameters) : NodeRef();
  const NodeRef values = transposed_items(*n.contents[0], shape, first, to);
  return values ? option_node(c, values) : NodeRef();
}

namespace {

/// The columns of matrices; nothing of what is no number, or where a back end does not transpose.
std::optional<ColumnLists> transposed_columns(const Columns& columns, const NodeRef& value) {
  const auto m = columns.as_matrices();
  const Node& number = value->kind == NodeKind::option ? *value->contents[0] : *value;
  if (!m || number.kind != NodeKind::leaf || m->rows == 0 || m->columns == 0) return {};
  const StoredItems stored = stored_items(columns.items(), value);
  if (stored_extent(stored.space).size != m->count * m->rows * m->columns) return {};
  ColumnLists out;
  out.lists = stored_fixed(columns.cells(), m->rows);
  out.values = transposed_items(*stored.items, *m, stored_extent(stored.space).first, out.lists);
  if (!out.values) return {};
  out.row = local(out.lists);
  out.matrices = m;
  return out;
}

/// Items of transposed matrices over `items`, where they were.
NodeRef transposed_back(const ColumnLists& lists, const NodeRef& stored, const SpaceRef& items) {
  const Matrices& m = *lists.matrices;
  const SpaceRef joined = rows(stored_extent(lists.lists).size);
  const Matrices back{nullptr, m.count, m.columns, m.rows, 0};
  if (const NodeRef n = transposed_items(*stored, back, stored_extent(lists.lists).first, joined))
    return over_same_items(n, joined, items);
  const auto op = [](Op o, const ColumnRef& a, int64_t b) { return apply(o, {a, constant(b)}); };
  const ColumnRef p = apply(Op::subtract, {position(items), constant(stored_first(items))});
  const ColumnRef row = op(Op::floor_divide, p, m.columns);
  const ColumnRef column =
      apply(Op::add, {op(Op::multiply, op(Op::floor_divide, row, m.rows), m.columns),
                      op(Op::remainder, p, m.columns)});
  const ColumnRef place =
      apply(Op::add, {op(Op::multiply, column, m.rows), op(Op::remainder, row, m.rows)});
  return rebase_pick(over_same_items(stored, lists.lists, joined), items, joined, place);
}

}  // namespace

ColumnLists lists_of_columns(const Columns& columns, const NodeRef& value, const ColumnRef& who,
                             bool with_row) {
  if (!who) {
    if (auto transposed = transposed_columns(columns, value)) return *transposed;
  }
  if (auto moved = moved_columns(columns, value, who, with_row)) return *moved;
  const SpaceRef& items = columns.items();
  const SpaceRef& cells = columns.cells();
  const DType t = columns.column()->dtype;
  ColumnRef cell = columns.column();
  // Others come behind the last column.
  if (who) cell = apply(Op::where, {who, cell, constant(Scalar::of(cells->size, t))});
  std::vector<NodeRef> fields{value, leaf(cell)};
  if (with_row) fields.push_back(leaf(columns.row()));
  const StoredItems stored = stored_items(items, tuple_node(fields));
  ColumnLists out;
  out.all = rows(stored_extent(stored.space).size);
  const NodeRef n = over_same_items(stored.items, stored.space, out.all);
  const ColumnRef& key = n->contents[1]->column;
  out.order = barrier(Barrier::argsort, out.all, key);
  out.lists = lists_with_lengths(cells, histogram(out.all, key, {}, cells->size));
  const ColumnRef item = pick(out.lists, out.all, out.order, position(out.lists));
  out.values = rebase_pick(n->contents[0], out.lists, out.all, item);
  if (with_row) out.row = pick(out.lists, out.all, n->contents[2]->column, item);
  return out;
}

NodeRef back_to_items(const ColumnLists& lists, const NodeRef& stored, const SpaceRef& items,
                      const ColumnRef& who) {
  if (lists.matrices) return transposed_back(lists, stored, items);
  if (lists.moved) return moved_back(lists, stored, items);
  const SpaceRef joined = rows(stored_extent(lists.lists).size);
  const NodeRef result = over_same_items(stored, lists.lists, joined);
  const ColumnRef rank =
      lists.place ? lists.place : barrier(Barrier::inverse, lists.all, lists.order);
  const ColumnRef place = apply(Op::add, {position(items), constant(-stored_first(items))});
  return rebase_pick(result, items, joined, pick(items, lists.all, rank, place), who);
}

}  // namespace serrate::ops
