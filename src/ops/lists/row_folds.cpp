// What is asked of columns as folds of a back end: see row_folds.h.
#include "ops/lists/row_folds.h"

#include <algorithm>

#include "core/types/reducer_info.h"

namespace serrate::ops {

using namespace graph;

namespace {

/// Is it something else as the widest of its kind?
bool is_widened(const Column& c) {
  if (c.kind != ColumnKind::cast) return false;
  return c.dtype == (is_complex(c.args[0]->dtype) ? DType::complex128 : DType::float64);
}

/// Extremes pass over NaN by themselves, their positions do not.
bool finds_but_nan(Reducer r) { return info(r).is_extreme() && !info(r).has_index(); }

}  // namespace

ColumnRef RowFolds::made(ColumnFold fold, const ColumnRef& load, const ColumnRef& take_part) {
  if (load->kind != ColumnKind::load) return {};
  if (take_part && !is_all_but_nan(*take_part, *load)) return {};
  fold.dtype = load->dtype;
  fold.but_nan = take_part && !finds_but_nan(fold.reducer);
  const auto known = std::ranges::find_if(
      made_, [&](const Made& m) { return m.fold == fold && same(m.load, load); });
  if (known != made_.end()) return known->result;
  made_.push_back({fold, load, columns_.folded(fold, load)});
  return made_.back().result;
}

ColumnRef RowFolds::reduce(Reducer r, const ColumnRef& value, const ColumnRef& take_part) {
  const bool is_test = r == Reducer::any || r == Reducer::all || r == Reducer::count_nonzero;
  if (!value || (take_part && is_test)) return {};
  const bool is_wide = is_widened(*value);
  if (is_wide && r != Reducer::sum) return {};
  return made({.reducer = r, .wide = is_wide}, is_wide ? value->args[0] : value, take_part);
}

ColumnRef RowFolds::but_nan(Reducer r, const ColumnRef& take_part) {
  const auto is = [](const ColumnRef& c, Op op) {
    return c && c->kind == ColumnKind::op && c->op == op;
  };
  if (!is(take_part, Op::logical_not) || !is(take_part->args[0], Op::isnan)) return {};
  const ColumnRef& key = take_part->args[0]->args[0];
  return made({.reducer = r}, key->kind == ColumnKind::cast ? key->args[0] : key, take_part);
}

ColumnRef RowFolds::count(const ColumnRef& take_part) {
  if (take_part) return but_nan(Reducer::count, take_part);
  if (!counts_) counts_ = columns_.counts();
  return counts_;
}

ColumnRef RowFolds::any(const ColumnRef& take_part) { return but_nan(Reducer::any, take_part); }

ColumnRef RowFolds::squares(const ColumnRef& value, const ColumnRef& take_part) {
  const bool is_wide = is_widened(*value);
  return made({.squares = true}, is_wide ? value->args[0] : value, take_part);
}

}  // namespace serrate::ops
