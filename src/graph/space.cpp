// Making and comparing spaces, the index domains of columns.
#include <algorithm>

#include "core/where.h"
#include "graph/evaluate.h"
#include "graph/ir.h"
#include "graph/limits.h"
#include "graph/operation.h"
#include "serrate/error.h"

namespace serrate::graph {
namespace {

SpaceRef make(SpaceKind kind, const SpaceRef& parent, auto&& fill) {
  auto* s = new Space;
  s->kind = kind;
  s->parent = parent;
  s->depth = parent ? parent->depth + 1 : 0;
  fill(*s);
  add_parts(*s);
  return s;
}

}  // namespace

void add_parts(Space& s) {
  check<ValueError>(s.depth <= kMaxTypeDepth, "arrays may be {} levels deep at most",
                    kMaxTypeDepth);
  s.walks = s.parent ? s.parent->walks : 0;
  s.reduces = s.parent && s.parent->reduces;
  s.copied.set(0);
  for (const ColumnRef* c : {&s.starts, &s.stops, &s.predicate})
    if (*c) add_below(s, **c);
  for (const SpaceRef& b : s.bases) add_below(s, *b);
  if (s.kind == SpaceKind::flat) add_below(s, *s.bases[0]->parent);
  if (!s.bases.empty()) add_walk(s, kWalkInside);
}

const SpaceRef& unit() {
  static const SpaceRef& u = *new SpaceRef(make(SpaceKind::unit, {}, [](Space&) {}));
  return u;
}

SpaceRef rows(int64_t n) {
  check<ValueError>(n >= 0, "rows: length must not be negative, got {}", n);
  check<ValueError>(n <= kMaxItems, "an array of {} items is too long: at most {}", n, kMaxItems);
  return make(SpaceKind::rows, unit(), [&](Space& s) { s.size = n; });
}

SpaceRef list(const SpaceRef& parent, ColumnRef starts, ColumnRef stops, bool contiguous) {
  return make(SpaceKind::list, parent, [&](Space& s) {
    s.starts = std::move(starts);
    s.stops = std::move(stops);
    s.contiguous = contiguous;
  });
}

SpaceRef fixed(const SpaceRef& parent, ColumnRef starts, int64_t size, bool contiguous) {
  check<ValueError>(size >= 0, "regular list: size must not be negative, got {}", size);
  int64_t items = items_of(1, size);
  for (const Space* s = parent.get(); s->kind == SpaceKind::fixed || s->kind == SpaceKind::rows;
       s = s->parent.get())
    items = items_of(s->size, items);
  return make(SpaceKind::fixed, parent, [&](Space& s) {
    s.starts = std::move(starts);
    s.size = size;
    s.contiguous = contiguous;
  });
}

SpaceRef select(const SpaceRef& base, ColumnRef predicate) {
  return make(SpaceKind::select, base->parent, [&](Space& s) {
    s.predicate = cast(std::move(predicate), DType::boolean);
    s.bases = {base};
  });
}

SpaceRef flat(const SpaceRef& base) {
  check<AxisError>(base->depth >= 2, "flatten: there is no outer list to join axis 0 to");
  return make(SpaceKind::flat, base->parent->parent, [&](Space& s) { s.bases = {base}; });
}

SpaceRef combinations_space(const SpaceRef& base, int k, bool replacement) {
  check<ValueError>(k >= 1, "combinations: n must be at least 1, got {}", k);
  return make(SpaceKind::combinations, base->parent, [&](Space& s) {
    s.k = k;
    s.replacement = replacement;
    s.bases = {base};
  });
}

SpaceRef cartesian_space(std::vector<SpaceRef> bases) {
  check<ValueError>(!bases.empty(), "cartesian: at least one array is needed");
  const SpaceRef parent = bases[0]->parent;
  return make(SpaceKind::cartesian, parent, [&](Space& s) {
    s.k = static_cast<int>(bases.size());
    s.bases = std::move(bases);
  });
}

SpaceRef align(const std::vector<SpaceRef>& spaces, std::string where) {
  std::vector<SpaceRef> distinct;
  for (const auto& s : spaces) {
    if (std::none_of(distinct.begin(), distinct.end(),
                     [&](const SpaceRef& d) { return same(d, s); }))
      distinct.push_back(s);
  }
  if (distinct.size() == 1) return distinct[0];
  // A space that another one already is aligned to adds nothing.
  for (const auto& s : distinct) {
    if (s->kind != SpaceKind::aligned) continue;
    if (std::all_of(distinct.begin(), distinct.end(), [&](const SpaceRef& d) {
          return d == s || std::any_of(s->bases.begin(), s->bases.end(),
                                       [&](const SpaceRef& b) { return same(b, d); });
        }))
      return s;
  }
  const SpaceRef parent = distinct[0]->parent;
  SpaceRef made = make(SpaceKind::aligned, parent, [&](Space& s) {
    s.bases = std::move(distinct);
    s.where = current_where(std::move(where));
  });
  Operation::note(made);
  return made;
}

bool is_under(const SpaceRef& a, const SpaceRef& b) {
  const Space* s = a.get();
  while (s && s->depth > b->depth) s = s->parent.get();
  return s == b.get() || (s && s->depth == b->depth && same(SpaceRef(s), b));
}

}  // namespace serrate::graph
