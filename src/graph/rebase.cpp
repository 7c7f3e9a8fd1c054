// Seeing a value tree from another space: gather, repeat, filter and slice are all this one
// rewrite.
#include <algorithm>
#include <optional>
#include <utility>

#include "graph/below.h"
#include "graph/ir.h"
#include "graph/known.h"
#include "graph/materialise.h"
#include "serrate/error.h"

namespace serrate::graph {
namespace {

/// Are lists of a space, rebuilt under a guard, empty where there is no item?
bool is_empty_elsewhere(const Space& s) {
  const auto is = [](const SpaceRef& b) { return is_empty_elsewhere(*b); };
  switch (s.kind) {
    case SpaceKind::list:
    case SpaceKind::select:  // see make_empty()
      return true;
    case SpaceKind::flat:
      return is(s.bases[0]->parent);
    default:
      return std::ranges::any_of(s.bases, is);
  }
}

/// A guard over `to` as position s sees it; null where nothing needs one.
ColumnRef guard_at(const ColumnRef& guard, const SpaceRef& to, const SpaceRef& s) {
  if (!guard) return {};
  // Below lists that are empty there is nothing to guard.
  for (SpaceRef p = s; p != to; p = p->parent) {
    if (!p || is_empty_elsewhere(*p)) return {};
  }
  return lift(guard, to, s);
}

/// The guard of an index over s: where there is no item, it is that of another list.
ColumnRef guard_of_index(const ColumnRef& guard, const SpaceRef& to, const SpaceRef& s,
                         ColumnRef own) {
  const ColumnRef here = guard_at(guard, to, s);
  return !here ? own : own ? apply(Op::logical_and, {here, std::move(own)}) : here;
}

/// Where there is no item, regular lists have their size: nothing is left of them there, and
/// nothing is aligned to them.
void make_empty(Space& s, const ColumnRef& guard) {
  if (s.kind == SpaceKind::select && !is_empty_elsewhere(*s.bases[0]))
    s.predicate = apply(Op::logical_and, {s.predicate, parent(s.bases[0], guard)});
  if (s.kind != SpaceKind::aligned || !is_empty_elsewhere(s)) return;
  for (SpaceRef& b : s.bases) {
    if (!is_empty_elsewhere(*b)) b = select(b, parent(b, guard));
  }
}

/// Regular lists have their size where there is no item, too. Those that are counted there, as of
/// what a filter leaves, are picked from instead.
void keep_size(Node& n, const ColumnRef& guard) {
  const auto is_fixed = [](const SpaceRef& s) {
    return s->kind == SpaceKind::fixed || s->kind == SpaceKind::rows;
  };
  const bool is_aligned = n.space->kind == SpaceKind::aligned;
  if (is_fixed(n.space) || (is_aligned && std::ranges::all_of(n.space->bases, is_fixed))) return;
  const SpaceRef& owners = n.space->parent;
  const SpaceRef child = fixed(owners, constant(0), n.size);
  n.contents[0] =
      rebase_pick(n.contents[0], child, n.space, local(child), lift(guard, owners, child));
  n.space = child;
}

/// What the owners of joined lists have, as the joined items see it: lists of theirs are each
/// item's own.
class OwnersRebase : public Rebase {
 public:
  OwnersRebase(const SpaceRef& base, const SpaceRef& joined)
      : Rebase(base->parent, joined), base_(base) {}

 protected:
  ColumnRef wrap(const ColumnRef& c) override { return at(to_, 0, parent(base_, c)); }

 private:
  SpaceRef base_;
};

/// Columns become at(derived, link, c); one-to-one kinds keep what is known about lists below.
class AtRebase : public Rebase {
 public:
  AtRebase(const SpaceRef& base, const SpaceRef& derived, int link)
      : Rebase(base, derived), link_(link) {
    keeps_order_ = derived->kind == SpaceKind::flat || derived->kind == SpaceKind::aligned;
  }

 protected:
  ColumnRef wrap(const ColumnRef& c) override { return at(to_, link_, c); }

  /// A flat space has not the owners that its base had: what is below looks into their lists as
  /// into the items' own.
  ColumnRef replacement(const ColumnRef& c) override {
    if (to_->kind != SpaceKind::flat || c->kind != ColumnKind::pick) return {};
    if (c->over->depth != from_->depth || c->space->depth <= from_->depth ||
        !is_under(c->space, from_))
      return {};
    if (!owners_) owners_.emplace(from_, to_);
    return pick((*this)(c->space), (*owners_)(c->over), (*owners_)(c->args[0]), (*this)(c->args[1]),
                (*this)(c->args[2]));
  }

 private:
  int link_;
  std::optional<OwnersRebase> owners_;
};

/// Does each position of `from` own one of `to`, which stands where it does?
bool is_one_each(const SpaceRef& from, const SpaceRef& to) {
  if (from->kind == SpaceKind::unit) return to->kind == SpaceKind::rows && to->size == 1;
  return to->kind == SpaceKind::fixed && to->size == 1 && to->contiguous &&
         same(to->parent, from) && to->starts->kind == ColumnKind::position;
}

/// Repeated for every position under it. Where there is one of each, loads stay loads, and lists
/// below stay as they are.
class LiftRebase : public Rebase {
 public:
  LiftRebase(const SpaceRef& from, const SpaceRef& to) : Rebase(from, to) {
    keeps_order_ = is_one_each(from, to);
    same_places_ = keeps_order_ && from->kind != SpaceKind::unit;
    repeats_ = true;
  }

 protected:
  ColumnRef wrap(const ColumnRef& c) override {
    if (!same_places_) return lift(c, from_, to_);
    if (c->kind == ColumnKind::position) return position(to_);
    // Items of stored columns, and where regular lists begin.
    const bool is_load = c->kind == ColumnKind::load;
    const bool is_product = c->kind == ColumnKind::op && c->op == Op::multiply &&
                            c->args[1]->kind == ColumnKind::constant;
    const bool is_stored = (is_load || is_product) && c->args[0]->kind == ColumnKind::position;
    return is_stored ? rebuild(c) : lift(c, from_, to_);
  }

 private:
  bool same_places_ = false;
};

/// The item at an index of each list. Where the list is a plain one, columns are re-expressed at
/// the position itself, so that only the picked items are ever computed; lists of derived spaces
/// stay `pick`.
class PickRebase : public Rebase {
 public:
  PickRebase(const SpaceRef& space, const SpaceRef& over, ColumnRef index, ColumnRef guard)
      : Rebase(over, space), index_(std::move(index)) {
    guard_ = std::move(guard);
    plain_ = over->kind == SpaceKind::rows || over->kind == SpaceKind::list ||
             over->kind == SpaceKind::fixed;
    if (guard_ && guard_->kind == ColumnKind::constant && guard_->scalar.i) guard_ = {};
    // A slice of rows: the same lists below, shifted.
    keeps_order_ = over->kind == SpaceKind::rows && space->kind == SpaceKind::rows && !guard_ &&
                   (index_->kind == ColumnKind::position ||
                    (index_->kind == ColumnKind::op && index_->op == Op::add &&
                     index_->args[0]->kind == ColumnKind::position &&
                     index_->args[1]->kind == ColumnKind::constant));
    local_ = guard_ ? apply(Op::where, {guard_, index_, constant(0)}) : index_;
    if (plain_) {
      position_ = local_;
      if (over->kind != SpaceKind::rows) {
        // There is an item, or the guard does not hold.
        const ColumnRef start = cast(start_unless_empty(*over), DType::int64);
        position_ = is_same_index() ? position(space)
                                    : apply(Op::add, {lift(start, over->parent, space), index_});
        if (guard_) position_ = apply(Op::where, {guard_, position_, constant(0)});
      }
    }
  }

 protected:
  ColumnRef wrap(const ColumnRef& c) override {
    if (!plain_) return is_told_by_index(*c) ? by_index(c) : pick_derived(c);
    switch (c->kind) {
      case ColumnKind::position:
        return position_;
      case ColumnKind::local:
        return local_;
      case ColumnKind::parent:
        return lift(c->args[0], from_->parent, to_);
      case ColumnKind::histogram:  // a sink: its bins are picked from
      case ColumnKind::barrier:    // needs its whole lists
        return pick_derived(c);
      default:
        return rebuild(c);
    }
  }

  /// What looks into the whole list that is picked from goes on looking there.
  ColumnRef replacement(const ColumnRef& c) override {
    if (c->kind != ColumnKind::pick || !plain_ || !is_from(c->over)) return {};
    if (!is_from(c->space) && !is_under(c->space, from_)) return {};
    const SpaceRef space = (*this)(c->space);
    return pick(space, from_, c->args[0], (*this)(c->args[1]),
                guard_of_index(guard_, to_, space, (*this)(c->args[2])));
  }

 private:
  /// Is item i of a list picked for item i of one that begins there?
  bool is_same_index() const {
    return index_->kind == ColumnKind::local && index_->link < 0 && index_->space == to_ &&
           to_->kind == SpaceKind::list && from_->kind == SpaceKind::list &&
           to_->parent == from_->parent && same(to_->starts, from_->starts);
  }
  bool is_from(const SpaceRef& s) const {
    return s == from_ || (s->depth == from_->depth && same(s, from_));
  }
  /// Is it known from an item's list and its index there, as what a barrier left is? Nobody need
  /// look for the item then.
  static bool is_told_by_index(const Column& c) {
    constexpr int kDeepest = 8;
    if (c.height > kDeepest) return false;
    const auto is = [](const ColumnRef& a) { return is_told_by_index(*a); };
    switch (c.kind) {
      case ColumnKind::constant:
      case ColumnKind::parent:
        return true;
      case ColumnKind::local:
        return c.link < 0;
      case ColumnKind::load:
      case ColumnKind::cast:
        return is(c.args[0]);
      case ColumnKind::op:
        return c.op == Op::add && is(c.args[0]) && is(c.args[1]);
      default:
        return false;
    }
  }
  ColumnRef by_index(const ColumnRef& c) {
    if (c->kind == ColumnKind::parent) return lift(c->args[0], from_->parent, to_);
    return c->kind == ColumnKind::local ? local_ : rebuild(c);
  }
  ColumnRef pick_derived(const ColumnRef& c) {
    auto* p = new Column;
    p->kind = ColumnKind::pick;
    p->dtype = c->dtype;
    p->space = to_;
    p->over = from_;
    p->args[0] = c;
    p->args[1] = index_;
    p->args[2] = guard_;
    add_parts(*p);
    return p;
  }
  ColumnRef index_, local_, position_;
  bool plain_ = false;
};

}  // namespace

/// Whether what is rebuilt is computed at other positions, beside what it was rebuilt of. A gather
/// may be over the very space that it gathers from; what replaces columns is about whole trees.
static bool is_elsewhere(const SpaceRef& from, const SpaceRef& to) {
  return from != to || from->kind != SpaceKind::unit;
}

SpaceRef Rebase::operator()(const SpaceRef& s) {
  if (s == from_) return to_;
  if (!s || s->depth < from_->depth) return s;
  if (const SpaceRef* known = spaces_.find(s.get())) return *known;
  if (s->depth == from_->depth) return spaces_.set(s.get(), same(s, from_) ? to_ : s);
  if (!is_under(s, from_) || untouched(s.get())) return spaces_.set(s.get(), s);
  Space* const r = copy_to_rebuild(*s);
  SpaceRef result = r;
  r->parent = (*this)(s->parent);
  for (auto& b : r->bases) b = (*this)(b);
  if (!r->bases.empty())
    r->parent = r->kind == SpaceKind::flat ? r->bases[0]->parent->parent : r->bases[0]->parent;
  r->depth = r->parent->depth + 1;
  if (r->kind == SpaceKind::rows && r->parent->kind != SpaceKind::unit) {
    // A whole array repeated for every position of a deeper space: lists that all begin at 0; the
    // list of a single one is stored as it is.
    r->kind = SpaceKind::fixed;
    r->contiguous = keeps_order_;
    r->starts =
        keeps_order_ ? apply(Op::multiply, {position(r->parent), constant(s->size)}) : constant(0);
    add_parts(*r);
    note_copy(*s, *r);
    return spaces_.set(s.get(), std::move(result));
  }
  if (s->starts) r->starts = (*this)(s->starts);
  if (s->stops) r->stops = (*this)(s->stops);
  if (r->kind == SpaceKind::list) {
    r->starts = guarded(r->starts, r->parent);
    r->stops = guarded(r->stops, r->parent);
  }
  if (s->predicate) r->predicate = (*this)(s->predicate);
  if (const ColumnRef guard = guard_at(guard_, to_, r->parent)) make_empty(*r, guard);
  if (!keeps_order_) {
    // Whose lists they are is the same, unless the owners of those are what is seen from elsewhere.
    const bool own = s->depth == from_->depth + 1;
    r->repeats_contiguous = own && (s->repeats_contiguous || (repeats_ && s->contiguous));
    r->contiguous = false;
  }
  if (r->kind == SpaceKind::fixed && r->contiguous) {
    // Stored regular lists begin at position * size; those behind a shift don't.
    const Column& c = *r->starts;
    const bool is_product =
        c.kind == ColumnKind::op && c.op == Op::multiply && c.args[0]->kind == ColumnKind::position;
    r->contiguous = is_product || (r->size == 1 && c.kind == ColumnKind::position);
  }
  add_parts(*r);
  if (is_elsewhere(from_, to_)) note_copy(*s, *r);
  return spaces_.set(s.get(), std::move(result));
}

/// Why a column was stored is told of all that load it.
static ColumnRef noted_load(ColumnRef to, const Column& from) {
  if (!from.check) return to;
  auto* noted = new Column(*to);
  noted->check = from.check;
  return noted;
}

/// Where there is no item, what is checked, or given to a function, is that of another list.
static void guard_check(Column& c, const ColumnRef& guard) {
  if (!guard) return;
  ColumnRef& looked_at = c.args[c.kind == ColumnKind::check ? 2 : 1];
  looked_at = looked_at ? apply(Op::logical_and, {guard, looked_at}) : guard;
}

ColumnRef Rebase::guarded(ColumnRef c, const SpaceRef& s) const {
  const ColumnRef guard = guard_at(guard_, to_, s);
  if (!guard) return c;
  const ColumnRef nothing = constant(Scalar::of(int64_t{0}, c->dtype));
  return apply(Op::where, {guard, std::move(c), nothing});
}

ColumnRef Rebase::operator()(const ColumnRef& c) {
  if (!c || c->kind == ColumnKind::constant) return c;
  if (const ColumnRef* known = columns_.find(c.get())) return *known;
  if (ColumnRef r = replacement(c)) {
    if (is_elsewhere(from_, to_)) note_copy(*c, *r);
    return columns_.set(c.get(), std::move(r));
  }
  const SpaceRef& s = c->space;
  if (!s || s->depth < from_->depth) return c;  // without a space: constants only
  const bool at_from = s == from_ || (s->depth == from_->depth && same(s, from_));
  if (!at_from && (s->depth == from_->depth || !is_under(s, from_))) return c;
  if (untouched(c.get())) return c;
  ColumnRef r = at_from ? wrap(c) : rebuild(c);
  if (is_elsewhere(from_, to_)) note_copy(*c, *r);
  return columns_.set(c.get(), std::move(r));
}

ColumnRef Rebase::rebuild(const ColumnRef& c) {
  switch (c->kind) {
    case ColumnKind::load: {
      ColumnRef index = (*this)(c->args[0]);
      // What index is loaded where there is no item is for another list.
      const ColumnKind kind = c->args[0]->kind;
      if (kind != ColumnKind::position && kind != ColumnKind::constant)
        index = guarded(std::move(index), (*this)(c->space));
      return noted_load(load(c->buffer, c->dtype, std::move(index)), *c);
    }
    case ColumnKind::position: {
      const SpaceRef to = (*this)(c->space);
      return guarded(position(to), to);
    }
    case ColumnKind::local:
      return local((*this)(c->space), c->link);
    case ColumnKind::parent:
      return parent((*this)(c->space), (*this)(c->args[0]));
    case ColumnKind::at: {
      const SpaceRef to = (*this)(c->space);
      ColumnRef base = (*this)(c->args[0]);
      if (to->kind == SpaceKind::aligned && base->space) {
        const SpaceRef& own = to->bases[static_cast<size_t>(c->link)];  // see make_empty()
        if (own->kind == SpaceKind::select && same(own->bases[0], base->space))
          base = at(own, 0, std::move(base));
      }
      return at(to, c->link, std::move(base));
    }
    case ColumnKind::pick:
      return rebuild_pick(c);
    case ColumnKind::histogram:
      // There is one, whoever looks at its cells.
      if (from_ != to_) {
        const SpaceRef to = (*this)(c->space);
        return pick(to, c->space, c, local(to));
      }
      [[fallthrough]];
    default: {
      auto* r = new Column(*c);
      ColumnRef result = r;
      r->origin = {};
      if (c->over) r->over = (*this)(c->over);
      r->space = (*this)(c->space);
      for (auto& a : r->args) {
        if (a) a = (*this)(a);
      }
      if (c->kind == ColumnKind::check || c->kind == ColumnKind::call)
        guard_check(*r, guard_at(guard_, to_, r->space));
      add_parts(*r);
      return result;
    }
  }
}

ColumnRef Rebase::rebuild_pick(const ColumnRef& c) {
  const SpaceRef space = (*this)(c->space);
  const ColumnRef guard = guard_of_index(guard_, to_, space, (*this)(c->args[2]));
  // From the very lists that are seen otherwise: what they hold is the same, only who asks differs.
  const bool whole =
      c->over->depth == from_->depth && same(c->over, from_) && from_->kind != SpaceKind::unit;
  return pick(space, whole ? c->over : (*this)(c->over), whole ? c->args[0] : (*this)(c->args[0]),
              (*this)(c->args[1]), guard);
}

NodeRef Rebase::operator()(const NodeRef& n) {
  if (n->kind == NodeKind::unknown) return n;
  auto* r = new Node(*n);
  NodeRef result = r;
  if (n->column) {
    r->column = (*this)(n->column);
    // Which member or category an item is must be one that there is, even where no item is.
    const bool chooses = n->kind == NodeKind::union_ || n->kind == NodeKind::categorical;
    if (chooses && r->column != n->column) r->column = guarded(r->column, r->column->space);
  }
  if (n->kind == NodeKind::categorical)
    return result;  // the distinct values are the same for everybody
  if (n->space) r->space = (*this)(n->space);
  for (auto& child : r->contents) child = (*this)(child);
  if (n->kind == NodeKind::list && n->size >= 0) {
    if (const ColumnRef guard = guard_at(guard_, to_, r->space->parent)) keep_size(*r, guard);
  }
  return result;
}

ColumnRef pick(const SpaceRef& space, const SpaceRef& over, ColumnRef c, ColumnRef index,
               ColumnRef guard) {
  if (c->kind == ColumnKind::constant) return c;
  return PickRebase(space, over, std::move(index), std::move(guard))(c);
}

NodeRef rebase_at(const NodeRef& n, const SpaceRef& base, const SpaceRef& derived, int link) {
  if (base == derived || same(base, derived)) return n;
  if (derived->kind == SpaceKind::aligned) {
    // align() leaves out repeated spaces: find the link of this one.
    link = -1;
    for (size_t i = 0; i < derived->bases.size(); i++) {
      if (same(derived->bases[i], base)) link = static_cast<int>(i);
    }
    if (link < 0) {
      check<ValueError>(same(base, derived), "align: a space that takes no part");
      return n;
    }
  }
  return AtRebase(base, derived, link)(n);
}

NodeRef rebase_pick(const NodeRef& n, const SpaceRef& space, const SpaceRef& over, ColumnRef index,
                    ColumnRef guard) {
  return PickRebase(space, over, std::move(index), std::move(guard))(n);
}

NodeRef rebase_lift(const NodeRef& n, const SpaceRef& from, const SpaceRef& to) {
  if (same(from, to)) return n;
  return LiftRebase(from, to)(n);
}

}  // namespace serrate::graph
