// Spaces and reductions as kernels see them: see ranked.h.
#include "cuda/schedule/ranked.h"

#include <algorithm>
#include <cmath>

#include "cuda/schedule/facts.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

using namespace graph;

bool is_plain(const Space& s) {
  return s.kind == SpaceKind::rows || s.kind == SpaceKind::list || s.kind == SpaceKind::fixed;
}

bool is_ranked(const Space& s) {
  if (is_plain(s)) return true;
  const bool tuples =
      s.kind == SpaceKind::cartesian || s.kind == SpaceKind::aligned ||
      (s.kind == SpaceKind::combinations && (s.k == 2 || s.k == 3) && !s.replacement);
  return tuples && std::all_of(s.bases.begin(), s.bases.end(),
                               [](const SpaceRef& b) { return is_plain(*b); });
}

bool counts_in_int(const Space& s, int lists) {
  if (is_plain(s)) {
    const double n = facts_of(SpaceRef(&s)).longest;
    return s.kind == SpaceKind::list && n >= 0 && n * lists < 1e9;
  }
  double tuples = lists;
  for (const SpaceRef& b : s.bases) {
    const double n = facts_of(b).longest;
    if (b->kind != SpaceKind::list || n < 0) return false;
    tuples *= s.kind == SpaceKind::combinations ? std::pow(n, s.k) : n;
  }
  return !s.bases.empty() && tuples < 1e9;
}

bool is_in_int(const SpaceRef& s) { return is_stored(s) && facts_of(s).fits_int; }

bool is_count_of_ranked(const Column& c) {
  return c.reducer == Reducer::count && !c.args[1] && is_ranked(*c.over) &&
         c.over->kind != SpaceKind::aligned;
}

double average_items(const SpaceRef& s) {
  switch (s->kind) {
    case SpaceKind::fixed:
      return static_cast<double>(s->size);
    case SpaceKind::list: {
      const double known = facts_of(s).average;
      return is_stored(s) || known > 0 ? known : 4;
    }
    case SpaceKind::combinations: {
      const double n = average_items(s->bases[0]);
      const double tuples = s->k == 1 ? n : s->k == 2 ? n * n / 2 : n * n * n / 6;
      return std::max(1.0, tuples);
    }
    case SpaceKind::cartesian: {
      double n = 1;
      for (const auto& b : s->bases) n *= average_items(b);
      return n;
    }
    case SpaceKind::flat:
      return average_items(s->bases[0]) * average_items(s->bases[0]->parent);
    default:
      return s->bases.empty() ? 1 : average_items(s->bases[0]);
  }
}

double average_turns(const SpaceRef& s) {
  if (is_ranked(*s) || s->bases.empty() || s->kind == SpaceKind::aligned) return average_items(s);
  return average_turns(s->kind == SpaceKind::flat ? s->bases[0]->parent : s->bases[0]);
}

DType accumulator_type(const Column& c) {
  const DType t = has_index(c) ? c.args[0]->dtype : c.dtype;
  if (is_time(t)) return DType::int64;  // NaT is the lowest
  const bool adds = c.reducer == Reducer::sum || c.reducer == Reducer::prod;
  return adds && t == DType::float16 ? DType::float32 : t;
}

bool has_index(const Column& c) {
  return c.reducer == Reducer::argmin || c.reducer == Reducer::argmax;
}

namespace {
/// Of floating-point items, of which some may not take part.
bool may_begin_with_nan(const Column& c) {
  return has_index(c) && (is_floating(c.args[0]->dtype) || is_complex(c.args[0]->dtype)) &&
         c.args[1];
}
}  // namespace

bool keeps_first(const Nest& nest, const Column& c) {
  return may_begin_with_nan(c) && nest.carried(c).empty();
}

bool order_matters(const Nest& nest, const Column& c) {
  // What a NaN in front carries along is known where that is.
  return may_begin_with_nan(c) && !nest.carried(c).empty();
}

}  // namespace serrate::cuda
