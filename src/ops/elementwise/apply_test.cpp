// C++ functions as element-wise operations.
#include <cmath>
#include <stdexcept>
#include <tuple>

#include "../../../tests/cpp/arrays.h"
#include "../../../tests/cpp/catch.h"
#include "graph/evaluate.h"
#include "serrate/function.h"
#include "serrate/ops.h"

using namespace serrate;
using testing::array;
using testing::show;

namespace {

Array example() { return array("3 * var * float64", "[[1.0, 4.0], [], [9.0]]"); }

}  // namespace

TEST_CASE("apply: a lambda", "[apply]") {
  const double factor = 2;
  const Array y = serrate::apply([factor](double x) { return factor * std::sqrt(x); }, {example()});
  CHECK(show(y) == "3 * var * float64 | [[2.0,4.0],[],[6.0]]");
}

TEST_CASE("apply: several arguments and results", "[apply]") {
  const auto f = make_function("parts", [](double x, int64_t k, bool up) {
    return std::tuple(x + static_cast<double>(k), up);
  });
  const Array y = serrate::apply(f, {example(), Array(int64_t{3}), Array(true)});
  CHECK(y.type().str() == "3 * var * (float64, bool)");
  CHECK(show(sum(y["0"], {.axis = -1})) == "3 * float64 | [11.0,0.0,12.0]");
}

TEST_CASE("apply: what a lambda throws", "[apply]") {
  const Array y = serrate::apply(
      [](double x) {
        if (x > 5) throw std::domain_error("too large");
        return x;
      },
      {example()});
  CHECK_THROWS_AS(y.evaluate(), std::domain_error);
}

TEST_CASE("apply: the text of a function", "[apply]") {
  const auto f = make_function(
      "half", [](double x) { return x / 2; }, "__device__ double half(double x) { return x / 2; }");
  CHECK(f->cuda_text.find("double a0, double* o0") != std::string::npos);
  const Array y = serrate::apply(f, {example()});
  const auto plan = graph::explain({y.node()}, true, Device::cuda);
  CHECK(plan.text.find("::half(a0)") != std::string::npos);
  CHECK(show(y) == "3 * var * float64 | [[0.5,2.0],[],[4.5]]");
}

TEST_CASE("apply: refused", "[apply]") {
  const auto f = make_function("f", [](double x) { return x; });
  CHECK_THROWS_AS(serrate::apply(f, {example(), example()}), TypeError);
  CHECK_THROWS_AS(serrate::apply(f, {array("1 * string", "[\"a\"]")}), TypeError);
}
