// Histograms of several axes, and sets of lists, from C++.
#include "serrate/histogram.h"

#include "../../../tests/cpp/arrays.h"
#include "../../../tests/cpp/catch.h"
#include "serrate/ops.h"

using namespace serrate;
using testing::array;
using testing::show;

namespace {

const Array x = array("3 * var * float64", "[[0.5,1.5],[],[1.6,-1,7]]");
const Array words = array("3 * string", R"(["a","b","a"])");

TEST_CASE("axes number their bins as boost-histogram does", "[histogram]") {
  CHECK(show(histogram({x}, {HistogramAxis::variable({0, 1, 2})})) == "4 * int64 | [1,1,2,1]");
  CHECK(show(histogram({x}, {HistogramAxis::integer(0, 2)})) == "4 * int64 | [1,1,2,1]");
  CHECK(show(histogram({x}, {HistogramAxis::regular(2, 0, 2).without_flow()})) ==
        "2 * int64 | [1,2]");
  CHECK(show(histogram({words}, {HistogramAxis::category(std::vector<std::string>{"b"})})) ==
        "2 * int64 | [1,2]");
  const Array n = array("4 * int64", "[5,2,5,1]");
  CHECK(show(histogram({n}, {HistogramAxis::category(std::vector<int64_t>{5, 1})})) ==
        "3 * int64 | [2,1,1]");
  HistogramAxis turning = HistogramAxis::regular(2, 0, 1);
  turning.circular = true;
  turning.underflow = false;
  CHECK(show(histogram({x}, {turning})) == "3 * int64 | [2,3,0]");
}

TEST_CASE("values and weights of several axes are broadcast", "[histogram]") {
  const std::vector<HistogramAxis> axes{
      HistogramAxis::regular(2, 0, 2).without_flow(),
      HistogramAxis::category(std::vector<std::string>{"a"}).without_flow()};
  CHECK(show(histogram({x, words}, axes)) == "2 * 1 * int64 | [[1],[2]]");
  const Array w = array("3 * float64", "[0.5,1,2]");
  CHECK(show(histogram({x, words}, axes, {.weight = &w})) == "2 * 1 * float64 | [[0.5],[2.5]]");
  CHECK(show(histogram({x, words}, axes, {.weight = &w, .squares = true})) ==
        "2 * 1 * float64 | [[0.25],[4.25]]");
}

TEST_CASE("what is no axis, and what it does not take", "[histogram]") {
  CHECK_THROWS_AS(histogram({x}, {HistogramAxis::variable({1, 0})}), ValueError);
  CHECK_THROWS_AS(histogram({x}, {HistogramAxis::integer(2, 2)}), ValueError);
  CHECK_THROWS_AS(histogram({words}, {HistogramAxis::integer(0, 2)}), TypeError);
  CHECK_THROWS_AS(histogram({x, x}, {HistogramAxis::integer(0, 2)}), ValueError);
}

TEST_CASE("sets, groups and places in lists", "[sets]") {
  const Array v = array("3 * var * int64", "[[3,1,3],[],[2]]");
  CHECK(show(isin(v, array("2 * int64", "[1,2]"))) ==
        "3 * var * bool | [[false,true,false],[],[true]]");
  CHECK(show(searchsorted(array("3 * int64", "[1,2,3]"), v, true)) ==
        "3 * var * int64 | [[3,1,3],[],[2]]");
  CHECK(show(topk(v, 1)) == "3 * var * int64 | [[3],[],[2]]");
  CHECK(show(argtopk(v, 1, {.ascending = true})) == "3 * var * int64 | [[1],[],[0]]");
  const Grouped g = group_by(v, words);
  CHECK(show(g.keys) == R"(2 * string | ["a","b"])");
  CHECK(show(g.values) == "2 * var * var * int64 | [[[3,1,3],[2]],[[]]]");
  CHECK(show(value_counts(v)["count"]) == "3 * var * int64 | [[1,2],[],[1]]");
  CHECK(show(run_lengths(v)) == "3 * var * int64 | [[1,1,1],[],[1]]");
  const Array r = array("2 * {a: int64, b: string}", R"([{"a":2,"b":"x"},{"a":1,"b":"y"}])");
  CHECK(show(argsort_by(r, {"a"})) == "2 * int64 | [1,0]");
  CHECK(show(sort_by(r, {"b", "a"}, {.ascending = false})["a"]) == "2 * int64 | [1,2]");
}

}  // namespace
