// isclose, nan_to_num, round, strings_astype, the nan reducers and statistics of pairs.
#include "../../../tests/cpp/arrays.h"
#include "../../../tests/cpp/catch.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using testing::array;
using testing::show;

TEST_CASE("isclose compares by a tolerance, NaN if asked for") {
  const Array a = array("2 * var * float64", "[[1,2],[3]]");
  const Array b = array("2 * var * float64", "[[1.000001,2.1],[3]]");
  CHECK(show(isclose(a, b)) == "2 * var * bool | [[true,false],[true]]");
  CHECK(show(isclose(a, b, {.atol = 1})) == "2 * var * bool | [[true,true],[true]]");
}

TEST_CASE("round goes to the even neighbour") {
  CHECK(show(round(array("3 * float64", "[0.5,1.5,2.25]"))) == "3 * float64 | [0.0,2.0,2.0]");
  CHECK(show(round(array("2 * float64", "[1.25,-1.75]"), 1)) == "2 * float64 | [1.2,-1.8]");
  CHECK(show(round(array("2 * int64", "[15,24]"), -1)) == "2 * int64 | [20,20]");
  CHECK(show(round(array("2 * ?float64", "[null,1.5]"))) == "2 * ?float64 | [null,2.0]");
}

TEST_CASE("strings_astype reads numbers and refuses the rest") {
  const Array words = array("2 * var * string", R"([["1"," 2 "],["-3"]])");
  CHECK(show(strings_astype(words, DType::int64)) == "2 * var * int64 | [[1,2],[-3]]");
  CHECK(show(strings_astype(array("2 * ?string", R"(["1.5",null])"), DType::float32)) ==
        "2 * ?float32 | [1.5,null]");
  CHECK_THROWS_AS(strings_astype(words, DType::uint8), ValueError);
  CHECK_THROWS_AS(strings_astype(array("1 * string", R"(["x"])"), DType::float64), ValueError);
}

TEST_CASE("moments, covariances and lines of lists") {
  const Array x = array("3 * var * float64", "[[0,1,2],[],[1,1]]");
  const Array y = array("3 * var * float64", "[[1,3,5],[],[2,4]]");
  const ReduceOptions rows{.axis = -1, .mask_identity = true};
  CHECK(show(moment(x, 2, {.axis = 0})) == "3 * float64 | [0.5,1.0,4.0]");
  CHECK(show(moment(array("1 * var * float64", "[[1,3]]"), 2, rows)) == "1 * ?float64 | [5.0]");
  CHECK(show(covar(x, x * Array(2.0), {.axis = 0})) == "3 * float64 | [0.5,0.0,0.0]");
  CHECK(show(corr(x, y, rows)).substr(0, 13) == "3 * ?float64 ");
  const Array fit = linear_fit(x, y, rows);
  CHECK(show(fit["slope"]).substr(0, 24) == "3 * ?float64 | [2.0,null");
  CHECK(show(fit["intercept"]).substr(0, 24) == "3 * ?float64 | [1.0,null");
}

TEST_CASE("softmax of large numbers does not overflow") {
  CHECK(show(softmax(array("2 * var * float64", "[[1000,1000],[]]"))) ==
        "2 * var * float64 | [[0.5,0.5],[]]");
}

TEST_CASE("nan_to_num fills by type") {
  const Array x = array("2 * float64", "[1,2]") / array("2 * float64", "[0,1]");
  const Array high(9.0);
  CHECK(show(nan_to_num(x, Array(0.0), &high)) == "2 * float64 | [9.0,2.0]");
  CHECK(show(nan_to_num(array("1 * int8", "[3]"))) == "1 * int8 | [3]");
}

}  // namespace
}  // namespace serrate
