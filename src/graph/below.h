// What spaces and columns are made of, one step down: for passes over whole expressions.
#pragma once

#include "graph/ir.h"

namespace serrate::graph {

/// Calls f with the spaces and columns that c names: where it is, what it is over, its arguments.
template <class F>
void each_below(const Column& c, F&& f) {
  if (c.space) f(c.space);
  if (c.over) f(c.over);
  for (const ColumnRef& a : c.args) {
    if (a) f(a);
  }
}

/// The same of a space: its parent, its columns, its bases.
template <class F>
void each_below(const Space& s, F&& f) {
  if (s.parent) f(s.parent);
  for (const ColumnRef* c : {&s.starts, &s.stops, &s.predicate}) {
    if (*c) f(*c);
  }
  for (const SpaceRef& b : s.bases) f(b);
}

}  // namespace serrate::graph
