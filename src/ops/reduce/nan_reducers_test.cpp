// Reducers and statistics that pass NaN over.
#include <cmath>

#include "../../../tests/cpp/arrays.h"
#include "../../../tests/cpp/catch.h"
#include "serrate/io.h"
#include "serrate/ops.h"

using namespace serrate;

TEST_CASE("reducers and statistics of what is not NaN", "[reducers]") {
  const double nan = std::nan("");
  const Array x =
      unflatten(from_values<double>({3, nan, 1, nan, 2}), from_values<int>({3, 1, 0, 1}));
  CHECK(testing::show(nansum(x, {.axis = -1})) == "4 * float64 | [4.0,0.0,0.0,2.0]");
  CHECK(testing::show(nanprod(x, {.axis = -1})) == "4 * float64 | [3.0,1.0,1.0,2.0]");
  CHECK(testing::show(nanmin(x, {.axis = -1})) == "4 * ?float64 | [1.0,null,null,2.0]");
  CHECK(testing::show(nanmax(x)) == "?float64 | 3.0");
  CHECK(testing::show(nanargmin(x, {.axis = -1})) == "4 * ?int64 | [2,null,null,0]");
  CHECK(testing::show(nanargmax(x, {.axis = -1})) == "4 * ?int64 | [0,null,null,0]");
  CHECK(testing::show(nanmean(x, {.axis = -1})) == "4 * ?float64 | [2.0,null,null,2.0]");
  CHECK(testing::show(nanvar(x, {.axis = -1})) == "4 * ?float64 | [1.0,null,null,0.0]");
  CHECK(testing::show(nanstd(x, {.axis = -1})) == "4 * ?float64 | [1.0,null,null,0.0]");
  CHECK(testing::show(nanmedian(x, {.axis = -1})) == "4 * ?float64 | [2.0,null,null,2.0]");
  CHECK(testing::show(nanquantile(x, 0.25, {.axis = -1})) == "4 * ?float64 | [1.5,null,null,2.0]");
  const Array weight = unflatten(from_values<double>({1, 1, 3, 1, nan}), num(x));
  CHECK(testing::show(nanmean(x, {.axis = -1}, &weight)) == "4 * ?float64 | [1.5,null,null,null]");
  CHECK(testing::show(median(from_values<int>({3, 1, 2}))) == "float64 | 2.0");
}
