// Families of particles: children and distinct ancestors by the positions of parents.
#include "graph/type_text.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "serrate/vectors.h"

namespace serrate::vectors {
namespace {

void check_lists(const Array& x, const char* function) {
  const auto levels = ops::levels(*ops::input(x));
  check<TypeError>(levels.min == 2 && levels.max == 2,
                   "{}: expected lists of positions, one of each item, got {}", function,
                   graph::type_text(*ops::input(x)));
}

/// Positions of parents; of a missing one none.
Array known(const Array& index, const char* function) {
  check_lists(index, function);
  return fill_none(index, -1, none);
}

}  // namespace

Array children_index(const Array& index) {
  const Array parents = known(index, "children_index");
  const Array both = cartesian({local_index(parents, 1), parents}, {.nested = {0}});
  return getitem(local_index(both["1"], 2), {both["0"] == both["1"]});
}

Array distinct_parent_index(const Array& index, const Array& ids) {
  constexpr const char* kName = "distinct_parent_index";
  const Array parents = known(index, kName);
  check_lists(ids, kName);
  const Array place = local_index(parents, 1);
  const Array has = (parents >= 0) & (parents < num(parents, 1));
  const Array parent = where(has, parents, place);
  // Where a chain of one name goes on, the next of it; then twice as far, until none goes on.
  const Array next = where(getitem(ids, {parent}) == ids, parent, place).evaluate();
  const auto differ = [](const Array& a, const Array& b) {
    return any(a != b, {.axis = none}).item<int64_t>() != 0;
  };
  Array chain = next, further = getitem(chain, {chain}).evaluate();
  // No list is longer than this many steps.
  for (int twice = 0; twice < 62 && differ(further, chain); ++twice) {
    chain = further;
    further = getitem(chain, {chain}).evaluate();
  }
  // An end has no next one, but in a circle.
  const bool circles = differ(getitem(next, {chain}), chain) ||
                       any(has & (parents == place), {.axis = none}).item<int64_t>() != 0;
  check<ValueError>(!circles, "{}: an item is its own ancestor", kName);
  return getitem(where(has, parents, -1), {chain});
}

}  // namespace serrate::vectors
