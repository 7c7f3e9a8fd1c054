// What compute() leaves of lists that are chosen: where they begin and end, over items that are not
// copied before a second operation reads them.
#include "../../../tests/cpp/arrays.h"
#include "../../../tests/cpp/catch.h"
#include "graph/evaluate.h"
#include "graph/known.h"
#include "graph/materialise.h"
#include "serrate/array.h"
#include "serrate/io.h"
#include "serrate/json.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using testing::array;

const char* const kLists = "[[1, 2, 3], [], [4, 5], [6], [7, 8]]";

Array lists() { return array("5 * var * int64", kLists).evaluate(); }
Array mask() { return array("5 * bool", "[true, false, true, false, true]"); }

/// Of the numbers in the innermost lists.
const std::byte* memory_of(const Array& x) {
  graph::NodeRef n = x.node();
  while (!n->contents.empty()) n = n->contents[0];
  return n->column->buffer.data();
}

TEST_CASE("computed lists that are chosen point to items", "[views]") {
  const Array x = lists();
  const Array y = getitem(x, {mask()});
  CHECK_FALSE(is_computed(y));
  compute({y});
  CHECK(is_computed(y));
  CHECK_FALSE(graph::is_stored(*y.node()));
  CHECK(graph::is_view(*y.node()));
  CHECK(memory_of(y) == memory_of(x));
  compute({y});  // nothing is left to compute
  CHECK_FALSE(graph::is_stored(*y.node()));
  y.evaluate();
  CHECK(graph::is_stored(*y.node()));
  CHECK(memory_of(y) != memory_of(x));
  CHECK(to_json(y) == "[[1,2,3],[4,5],[7,8]]");
}

TEST_CASE("the second operation packs them", "[views]") {
  const Array x = lists();
  const Array y = getitem(x, {Slice{}, Slice{1}});
  compute({y});
  const Array once = sum(y, {.axis = 1});
  CHECK(memory_of(y) == memory_of(x));
  const Array twice = sum(y, {.axis = 1});
  CHECK(graph::is_stored(*y.node()));
  CHECK(to_json(once) == "[5,0,5,0,8]");
  CHECK(to_json(twice) == to_json(once));
  CHECK(to_json(y) == "[[2,3],[],[5],[],[8]]");
}

TEST_CASE("several arrays are computed together, each as it can be", "[views]") {
  const Array x = lists();
  const Array y = getitem(x, {mask()}), total = sum(y, {.axis = 1}), more = y + 1;
  compute({y, total, more});
  CHECK(graph::is_view(*y.node()));
  CHECK(graph::is_stored(*total.node()));
  CHECK(graph::is_stored(*more.node()));
  CHECK(to_json(more) == "[[2,3,4],[5,6],[8,9]]");
  CHECK(to_json(total) == "[6,9,15]");
}

TEST_CASE("slices with steps are known without a look", "[views]") {
  const Array x = lists();
  const Array y = getitem(x, {Slice{{}, {}, -2}});
  CHECK(is_computed(y));
  CHECK(to_json(y) == "[[7,8],[4,5],[1,2,3]]");
}

}  // namespace
}  // namespace serrate
