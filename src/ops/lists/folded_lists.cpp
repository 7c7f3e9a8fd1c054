// Reducers of the lists that a fold is about: as lists, or as cells that items are summed in. See
// fold.h.
#include "core/types/reducer_info.h"
#include "graph/scatter.h"
#include "ops/lists/fold.h"
#include "ops/lists/row_folds.h"
#include "ops/tree/levels.h"
#include "serrate/error.h"

namespace serrate::ops {

using namespace graph;

ColumnRef FoldedLists::count(const ColumnRef& take_part) const {
  if (size_ && !take_part) return size_;
  if (const ColumnRef n = rows_ ? rows_->count(take_part) : ColumnRef()) return n;
  if (cells_) return by_cells(Reducer::count, {}, take_part);
  return take_part ? graph::reduce(Reducer::sum, over_, take_part) : graph::count(over_);
}

ColumnRef FoldedLists::squares(const ColumnRef& value, const ColumnRef& take_part) const {
  return rows_ ? rows_->squares(value, take_part) : ColumnRef();
}

ColumnRef FoldedLists::of_items(const ColumnRef& result) const {
  if (!cells_) return parent(over_, result);
  if (result->kind == ColumnKind::constant) return result;
  return pick(over_, cells_, result, cast(cell_, DType::int64), who_);
}

ColumnRef FoldedLists::row() const { return row_ ? row_ : local(over_); }

ColumnRef FoldedLists::row_at(const ColumnRef& index, const ColumnRef& some) const {
  return row_ ? pick(over_->parent, over_, row_, index, some) : index;
}

ColumnRef FoldedLists::reduce(Reducer r, const ColumnRef& value, const ColumnRef& take_part) const {
  if (rows_) {
    if (ColumnRef result = rows_->reduce(r, value, take_part)) return result;
    ColumnRef some = r == Reducer::any && !take_part ? rows_->any(value) : ColumnRef();
    if (some) return some;
  }
  // Of booleans these are tests, which may end before the last item.
  if (value->dtype == DType::boolean && r == Reducer::max) r = Reducer::any;
  if (value->dtype == DType::boolean && r == Reducer::min) r = Reducer::all;
  if (value->dtype == DType::boolean && r == Reducer::prod)
    return cast(reduce(Reducer::all, value, take_part), result_type(r, value->dtype));
  if (cells_) return by_cells(r, value, take_part);
  if (info(r).is_extreme() && is_complex(value->dtype)) return of_complex(r, value, take_part);
  const ColumnRef found = graph::reduce(r, over_, value, take_part);
  if (!row_ || !info(r).has_index()) return found;
  return row_at(found, apply(Op::greater, {count(take_part), constant(0)}));
}

/// The real parts decide, then the imaginary ones; the first item if there are only NaN.
ColumnRef FoldedLists::of_complex(Reducer r, const ColumnRef& value,
                                  const ColumnRef& take_part) const {
  const bool least = info(r).is_least();
  const auto is_best = [&](Op part, const ColumnRef& who) {
    const ColumnRef c = apply(part, {value});
    const ColumnRef best = graph::reduce(least ? Reducer::min : Reducer::max, over_, c, who);
    return apply(Op::equal, {c, of_items(best)});
  };
  const ColumnRef real = is_best(Op::real, take_part);
  const ColumnRef both_parts =
      apply(Op::logical_and, {real, is_best(Op::imag, both(take_part, real))});
  const ColumnRef first = graph::reduce(Reducer::argmax, over_, both_parts, take_part);
  const ColumnRef some = apply(Op::greater, {count(take_part), constant(0)});
  if (info(r).has_index()) return row_at(first, some);
  return pick(over_->parent, over_, value, first, some);
}

ColumnRef FoldedLists::by_cells(Reducer r, const ColumnRef& value,
                                const ColumnRef& take_part) const {
  const ColumnRef zero = constant(0);
  const ColumnRef truth = value ? cast(value, DType::boolean) : value;
  const auto sum = [&](const ColumnRef& weight, const ColumnRef& who) {
    const ColumnRef nowhere = constant(Scalar::of(int64_t{-1}, cell_->dtype));
    const ColumnRef cell = who ? apply(Op::where, {who, cell_, nowhere}) : cell_;
    return histogram(over_, cell, weight, cells_->size);
  };
  switch (r) {
    case Reducer::count:
      return sum({}, take_part);
    case Reducer::count_nonzero:
      return sum({}, both(take_part, truth));
    case Reducer::any:
      return apply(Op::greater, {sum({}, both(take_part, truth)), zero});
    case Reducer::all:
      return apply(Op::equal, {sum({}, both(take_part, apply(Op::logical_not, {truth}))), zero});
    case Reducer::sum:
      return cast(sum(value, take_part), result_type(r, value->dtype));
    case Reducer::min:
    case Reducer::max: {
      const ColumnRef nowhere = constant(Scalar::of(int64_t{-1}, cell_->dtype));
      const ColumnRef cell = take_part ? apply(Op::where, {take_part, cell_, nowhere}) : cell_;
      const DType wide = is_floating(value->dtype) ? DType::float64 : DType::int64;
      return cast(scatter(r, over_, cell, cast(value, wide), cells_->size), value->dtype);
    }
    case Reducer::argmin:
    case Reducer::argmax:
      return position_of(r, value, take_part);
    default:
      throw ValueError("this reducer needs the items of a list next to each other");
  }
}

/// The first row that has the extreme, or the first row of all if its item is NaN.
ColumnRef FoldedLists::position_of(Reducer r, const ColumnRef& value,
                                   const ColumnRef& take_part) const {
  const ColumnRef best = by_cells(without_index(r), value, take_part);
  const auto first_of = [&](const ColumnRef& who) {
    return by_cells(Reducer::min, row_, both(take_part, who));
  };
  const ColumnRef found = first_of(apply(Op::equal, {value, of_items(best)}));
  if (!is_floating(value->dtype)) return found;
  const ColumnRef first = first_of({}), first_nan = first_of(apply(Op::isnan, {value}));
  return apply(Op::where, {apply(Op::equal, {first, first_nan}), first, found});
}

}  // namespace serrate::ops
