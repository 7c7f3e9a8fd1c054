// What spaces, columns and trees are made of, one step down: for passes over whole expressions.
#pragma once

#include <utility>

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

/// A copy of s whose parts will be others: what is known of the lists is not known of it.
inline Space* copy_to_rebuild(const Space& s) {
  auto* r = new Space(s);
  r->origin = {};
  r->lists = {};
  r->extent = {};
  r->grouping = {};
  return r;
}

/// n with f(i) in place of content i; n itself where all stay the same.
template <class F>
NodeRef with_contents(const NodeRef& n, F&& f) {
  Node* out = nullptr;
  NodeRef result = n;
  for (size_t i = 0; i < n->contents.size(); i++) {
    NodeRef content = f(i);
    if (content == n->contents[i]) continue;
    if (out == nullptr) result = out = new Node(*n);
    out->contents[i] = std::move(content);
  }
  return result;
}

}  // namespace serrate::graph
