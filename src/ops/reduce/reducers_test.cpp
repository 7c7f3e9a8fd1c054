// Reducers and statistics on any axis; values and types are those of Awkward Array 2.14.
#include "../../../tests/cpp/arrays.h"
#include "../../../tests/cpp/catch.h"
#include "serrate/ops.h"

using namespace serrate;
using testing::array;
using testing::show;

namespace {
const Array X = array("5 * option[var * ?int64]", R"([[1, 2], [], [3, null], null, [5]])");
const Array L = array("3 * var * float64", R"([[1.0, 2.0], [], [3.0]])");
const Array L3 = array("3 * var * var * int64", R"([[[1, 2], []], [], [[3], [4, 5]]])");
const Array reg = array("2 * 3 * int64", R"([[0, 1, 2], [3, 4, 5]])");
const Array reg3 =
    array("2 * 3 * 2 * int64", R"([[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]])");
const Array flat = array("3 * int64", R"([1, 2, 3])");
const Array holes = array("3 * ?int64", R"([1, null, 3])");
const Array empty = array("1 * var * unknown", R"([[]])");
const Array small = array("1 * 2 * bool", R"([[true, false]])");
const Array i8 = array("1 * 2 * int8", R"([[1, -3]])");
const Array u8 = array("1 * 2 * uint8", R"([[1, 3]])");
const Array f32 = array("1 * 2 * float32", R"([[1.0, 3.0]])");
const Array mixed = array("4 * option[var * option[var * ?int64]]",
                          R"([[[1, null], null], [], null, [[3], [4, 5]]])");
const Array allnone = array("2 * var * ?unknown", R"([[null], [null]])");
const Array flat5 = array("5 * int64", "[1,2,3,4,5]");
}  // namespace

TEST_CASE("the innermost axis", "[reducers]") {
  CHECK(show(sum(X, {.axis = -1})) == R"(5 * ?int64 | [3,0,3,null,5])");
  CHECK(show(prod(X, {.axis = -1})) == R"(5 * ?int64 | [2,1,3,null,5])");
  CHECK(show(min(X, {.axis = -1})) == R"(5 * ?int64 | [1,null,3,null,5])");
  CHECK(show(max(X, {.axis = -1})) == R"(5 * ?int64 | [2,null,3,null,5])");
  CHECK(show(any(X, {.axis = -1})) == R"(5 * ?bool | [true,false,true,null,true])");
  CHECK(show(all(X, {.axis = -1})) == R"(5 * ?bool | [true,true,true,null,true])");
  CHECK(show(count(X, {.axis = -1})) == R"(5 * ?int64 | [2,0,1,null,1])");
  CHECK(show(count_nonzero(X, {.axis = -1})) == R"(5 * ?int64 | [2,0,1,null,1])");
  CHECK(show(argmin(X, {.axis = -1})) == R"(5 * ?int64 | [0,null,0,null,0])");
  CHECK(show(argmax(X, {.axis = -1})) == R"(5 * ?int64 | [1,null,0,null,0])");
  CHECK(show(sum(L, {.axis = -1})) == R"(3 * float64 | [3.0,0.0,3.0])");
  CHECK(show(prod(L, {.axis = -1})) == R"(3 * float64 | [2.0,1.0,3.0])");
  CHECK(show(min(L, {.axis = -1})) == R"(3 * ?float64 | [1.0,null,3.0])");
  CHECK(show(max(L, {.axis = -1})) == R"(3 * ?float64 | [2.0,null,3.0])");
  CHECK(show(any(L, {.axis = -1})) == R"(3 * bool | [true,false,true])");
  CHECK(show(all(L, {.axis = -1})) == R"(3 * bool | [true,true,true])");
  CHECK(show(count(L, {.axis = -1})) == R"(3 * int64 | [2,0,1])");
  CHECK(show(count_nonzero(L, {.axis = -1})) == R"(3 * int64 | [2,0,1])");
  CHECK(show(argmin(L, {.axis = -1})) == R"(3 * ?int64 | [0,null,0])");
  CHECK(show(argmax(L, {.axis = -1})) == R"(3 * ?int64 | [1,null,0])");
  CHECK(show(sum(reg, {.axis = -1})) == R"(2 * int64 | [3,12])");
  CHECK(show(prod(reg, {.axis = -1})) == R"(2 * int64 | [0,60])");
  CHECK(show(min(reg, {.axis = -1})) == R"(2 * ?int64 | [0,3])");
  CHECK(show(max(reg, {.axis = -1})) == R"(2 * ?int64 | [2,5])");
  CHECK(show(any(reg, {.axis = -1})) == R"(2 * bool | [true,true])");
  CHECK(show(all(reg, {.axis = -1})) == R"(2 * bool | [false,true])");
  CHECK(show(count(reg, {.axis = -1})) == R"(2 * int64 | [3,3])");
  CHECK(show(count_nonzero(reg, {.axis = -1})) == R"(2 * int64 | [2,3])");
  CHECK(show(argmin(reg, {.axis = -1})) == R"(2 * ?int64 | [0,0])");
  CHECK(show(argmax(reg, {.axis = -1})) == R"(2 * ?int64 | [2,2])");
  CHECK(show(sum(flat, {.axis = -1})) == R"(int64 | 6)");
  CHECK(show(prod(flat, {.axis = -1})) == R"(int64 | 6)");
  CHECK(show(min(flat, {.axis = -1})) == R"(?int64 | 1)");
  CHECK(show(max(flat, {.axis = -1})) == R"(?int64 | 3)");
  CHECK(show(any(flat, {.axis = -1})) == R"(bool | true)");
  CHECK(show(all(flat, {.axis = -1})) == R"(bool | true)");
  CHECK(show(count(flat, {.axis = -1})) == R"(int64 | 3)");
  CHECK(show(count_nonzero(flat, {.axis = -1})) == R"(int64 | 3)");
  CHECK(show(argmin(flat, {.axis = -1})) == R"(?int64 | 0)");
  CHECK(show(argmax(flat, {.axis = -1})) == R"(?int64 | 2)");
}

TEST_CASE("everything", "[reducers]") {
  CHECK(show(sum(X)) == R"(int64 | 11)");
  CHECK(show(prod(X)) == R"(int64 | 30)");
  CHECK(show(min(X)) == R"(?int64 | 1)");
  CHECK(show(max(X)) == R"(?int64 | 5)");
  CHECK(show(any(X)) == R"(bool | true)");
  CHECK(show(all(X)) == R"(bool | true)");
  CHECK(show(count(X)) == R"(int64 | 4)");
  CHECK(show(count_nonzero(X)) == R"(int64 | 4)");
  CHECK(show(argmin(X)) == R"(?int64 | 0)");
  CHECK(show(argmax(X)) == R"(?int64 | 4)");
  CHECK(show(sum(L3)) == R"(int64 | 15)");
  CHECK(show(prod(L3)) == R"(int64 | 120)");
  CHECK(show(min(L3)) == R"(?int64 | 1)");
  CHECK(show(max(L3)) == R"(?int64 | 5)");
  CHECK(show(any(L3)) == R"(bool | true)");
  CHECK(show(all(L3)) == R"(bool | true)");
  CHECK(show(count(L3)) == R"(int64 | 5)");
  CHECK(show(count_nonzero(L3)) == R"(int64 | 5)");
  CHECK(show(argmin(L3)) == R"(?int64 | 0)");
  CHECK(show(argmax(L3)) == R"(?int64 | 4)");
  CHECK(show(sum(holes)) == R"(int64 | 4)");
  CHECK(show(prod(holes)) == R"(int64 | 3)");
  CHECK(show(min(holes)) == R"(?int64 | 1)");
  CHECK(show(max(holes)) == R"(?int64 | 3)");
  CHECK(show(any(holes)) == R"(bool | true)");
  CHECK(show(all(holes)) == R"(bool | true)");
  CHECK(show(count(holes)) == R"(int64 | 2)");
  CHECK(show(count_nonzero(holes)) == R"(int64 | 2)");
  CHECK(show(argmin(holes)) == R"(?int64 | 0)");
  CHECK(show(argmax(holes)) == R"(?int64 | 2)");
  CHECK(show(sum(mixed)) == R"(int64 | 13)");
  CHECK(show(prod(mixed)) == R"(int64 | 60)");
  CHECK(show(min(mixed)) == R"(?int64 | 1)");
  CHECK(show(max(mixed)) == R"(?int64 | 5)");
  CHECK(show(any(mixed)) == R"(bool | true)");
  CHECK(show(all(mixed)) == R"(bool | true)");
  CHECK(show(count(mixed)) == R"(int64 | 4)");
  CHECK(show(count_nonzero(mixed)) == R"(int64 | 4)");
  CHECK(show(argmin(mixed)) == R"(?int64 | 0)");
  CHECK(show(argmax(mixed)) == R"(?int64 | 4)");
}

TEST_CASE("an outer axis goes column by column", "[reducers]") {
  CHECK(show(sum(L, {.axis = 0})) == R"(2 * float64 | [4.0,2.0])");
  CHECK(show(max(L, {.axis = 0})) == R"(2 * ?float64 | [3.0,2.0])");
  CHECK(show(argmax(L, {.axis = 0})) == R"(2 * ?int64 | [2,0])");
  CHECK(show(count(L, {.axis = 0})) == R"(2 * int64 | [2,1])");
  CHECK(show(sum(X, {.axis = 0})) == R"(2 * int64 | [9,2])");
  CHECK(show(max(X, {.axis = 0})) == R"(2 * ?int64 | [5,2])");
  CHECK(show(count(X, {.axis = 0})) == R"(2 * int64 | [3,1])");
  CHECK(show(sum(L3, {.axis = 0})) == R"(2 * var * int64 | [[4,2],[4,5]])");
  CHECK(show(max(L3, {.axis = 0})) == R"(2 * var * ?int64 | [[3,2],[4,5]])");
  CHECK(show(count(L3, {.axis = 0})) == R"(2 * var * int64 | [[2,1],[1,1]])");
  CHECK(show(sum(L3, {.axis = 1})) == R"(3 * var * int64 | [[1,2],[],[7,5]])");
  CHECK(show(max(L3, {.axis = 1})) == R"(3 * var * ?int64 | [[1,2],[],[4,5]])");
  CHECK(show(argmax(L3, {.axis = 1})) == R"(3 * var * ?int64 | [[0,0],[],[1,1]])");
  CHECK(show(count(L3, {.axis = 1})) == R"(3 * var * int64 | [[1,1],[],[2,1]])");
  CHECK(show(sum(L3, {.axis = -2})) == R"(3 * var * int64 | [[1,2],[],[7,5]])");
  CHECK(show(max(L3, {.axis = -2})) == R"(3 * var * ?int64 | [[1,2],[],[4,5]])");
  CHECK(show(argmax(L3, {.axis = -2})) == R"(3 * var * ?int64 | [[0,0],[],[1,1]])");
  CHECK(show(count(L3, {.axis = -2})) == R"(3 * var * int64 | [[1,1],[],[2,1]])");
  CHECK(show(sum(reg, {.axis = 0})) == R"(3 * int64 | [3,5,7])");
  CHECK(show(max(reg, {.axis = 0})) == R"(3 * ?int64 | [3,4,5])");
  CHECK(show(argmax(reg, {.axis = 0})) == R"(3 * ?int64 | [1,1,1])");
  CHECK(show(count(reg, {.axis = 0})) == R"(3 * int64 | [2,2,2])");
  CHECK(show(sum(reg3, {.axis = 0})) == R"(3 * 2 * int64 | [[6,8],[10,12],[14,16]])");
  CHECK(show(max(reg3, {.axis = 0})) == R"(3 * 2 * ?int64 | [[6,7],[8,9],[10,11]])");
  CHECK(show(argmax(reg3, {.axis = 0})) == R"(3 * 2 * ?int64 | [[1,1],[1,1],[1,1]])");
  CHECK(show(count(reg3, {.axis = 0})) == R"(3 * 2 * int64 | [[2,2],[2,2],[2,2]])");
  CHECK(show(sum(reg3, {.axis = 1})) == R"(2 * 2 * int64 | [[6,9],[24,27]])");
  CHECK(show(max(reg3, {.axis = 1})) == R"(2 * 2 * ?int64 | [[4,5],[10,11]])");
  CHECK(show(argmax(reg3, {.axis = 1})) == R"(2 * 2 * ?int64 | [[2,2],[2,2]])");
  CHECK(show(count(reg3, {.axis = 1})) == R"(2 * 2 * int64 | [[3,3],[3,3]])");
  CHECK(show(sum(mixed, {.axis = 0})) == R"(2 * var * int64 | [[4,0],[4,5]])");
  CHECK(show(max(mixed, {.axis = 0})) == R"(2 * var * ?int64 | [[3,null],[4,5]])");
  CHECK(show(count(mixed, {.axis = 0})) == R"(2 * var * int64 | [[2,0],[1,1]])");
  CHECK(show(sum(mixed, {.axis = 1})) == R"(4 * option[var * int64] | [[1,0],[],null,[7,5]])");
  CHECK(show(max(mixed, {.axis = 1})) == R"(4 * option[var * ?int64] | [[1,null],[],null,[4,5]])");
  CHECK(show(argmax(mixed, {.axis = 1})) ==
        R"(4 * option[var * ?int64] | [[0,null],[],null,[1,1]])");
  CHECK(show(count(mixed, {.axis = 1})) == R"(4 * option[var * int64] | [[1,0],[],null,[2,1]])");
}

TEST_CASE("keepdims", "[reducers]") {
  CHECK(show(sum(L, {.axis = -1, .keepdims = true})) == R"(3 * 1 * float64 | [[3.0],[0.0],[3.0]])");
  CHECK(show(max(L, {.axis = -1, .keepdims = true})) ==
        R"(3 * 1 * ?float64 | [[2.0],[null],[3.0]])");
  CHECK(show(sum(X, {.axis = 1, .keepdims = true})) ==
        R"(5 * option[1 * int64] | [[3],[0],[3],null,[5]])");
  CHECK(show(max(X, {.axis = 1, .keepdims = true})) ==
        R"(5 * option[1 * ?int64] | [[2],[null],[3],null,[5]])");
  CHECK(show(sum(L3, {.axis = 1, .keepdims = true})) ==
        R"(3 * 1 * var * int64 | [[[1,2]],[[]],[[7,5]]])");
  CHECK(show(max(L3, {.axis = 1, .keepdims = true})) ==
        R"(3 * 1 * var * ?int64 | [[[1,2]],[[]],[[4,5]]])");
  CHECK(show(sum(L3, {.axis = -1, .keepdims = true})) ==
        R"(3 * var * 1 * int64 | [[[3],[0]],[],[[3],[9]]])");
  CHECK(show(max(L3, {.axis = -1, .keepdims = true})) ==
        R"(3 * var * 1 * ?int64 | [[[2],[null]],[],[[3],[5]]])");
  CHECK(show(sum(reg, {.axis = 1, .keepdims = true})) == R"(2 * 1 * int64 | [[3],[12]])");
  CHECK(show(max(reg, {.axis = 1, .keepdims = true})) == R"(2 * 1 * ?int64 | [[2],[5]])");
  CHECK(show(sum(reg, {.axis = 0, .keepdims = true})) == R"(1 * 3 * int64 | [[3,5,7]])");
  CHECK(show(max(reg, {.axis = 0, .keepdims = true})) == R"(1 * 3 * ?int64 | [[3,4,5]])");
  CHECK(show(sum(flat, {.axis = 0, .keepdims = true})) == R"(1 * int64 | [6])");
  CHECK(show(max(flat, {.axis = 0, .keepdims = true})) == R"(1 * ?int64 | [3])");
  CHECK(show(sum(L, {.axis = 0, .keepdims = true})) == R"(1 * var * float64 | [[4.0,2.0]])");
  CHECK(show(max(L, {.axis = 0, .keepdims = true})) == R"(1 * var * ?float64 | [[3.0,2.0]])");
  CHECK(show(sum(X, {.axis = none, .keepdims = true})) == R"(1 * 1 * int64 | [[11]])");
  CHECK(show(max(X, {.axis = none, .keepdims = true})) == R"(1 * 1 * ?int64 | [[5]])");
  CHECK(show(sum(L3, {.axis = none, .keepdims = true})) == R"(1 * 1 * 1 * int64 | [[[15]]])");
  CHECK(show(max(L3, {.axis = none, .keepdims = true})) == R"(1 * 1 * 1 * ?int64 | [[[5]]])");
  CHECK(show(sum(reg3, {.axis = 1, .keepdims = true})) ==
        R"(2 * 1 * 2 * int64 | [[[6,9]],[[24,27]]])");
  CHECK(show(max(reg3, {.axis = 1, .keepdims = true})) ==
        R"(2 * 1 * 2 * ?int64 | [[[4,5]],[[10,11]]])");
}

TEST_CASE("empty lists", "[reducers]") {
  CHECK(show(sum(empty, {.axis = -1})) == R"(1 * float64 | [0.0])");
  CHECK(show(prod(empty, {.axis = -1})) == R"(1 * float64 | [1.0])");
  CHECK(show(min(empty, {.axis = -1})) == R"(1 * ?float64 | [null])");
  CHECK(show(max(empty, {.axis = -1})) == R"(1 * ?float64 | [null])");
  CHECK(show(any(empty, {.axis = -1})) == R"(1 * bool | [false])");
  CHECK(show(all(empty, {.axis = -1})) == R"(1 * bool | [true])");
  CHECK(show(count(empty, {.axis = -1})) == R"(1 * int64 | [0])");
  CHECK(show(count_nonzero(empty, {.axis = -1})) == R"(1 * int64 | [0])");
  CHECK(show(argmin(empty, {.axis = -1})) == R"(1 * ?int64 | [null])");
  CHECK(show(argmax(empty, {.axis = -1})) == R"(1 * ?int64 | [null])");
  CHECK(show(max(X, {.axis = -1, .mask_identity = false})) ==
        R"(5 * ?int64 | [2,-9223372036854775808,3,null,5])");
  CHECK(show(min(X, {.axis = -1, .mask_identity = false})) ==
        R"(5 * ?int64 | [1,9223372036854775807,3,null,5])");
  CHECK(show(argmax(X, {.axis = -1, .mask_identity = false})) == R"(5 * ?int64 | [1,-1,0,null,0])");
  CHECK(show(sum(X, {.axis = -1, .mask_identity = true})) == R"(5 * ?int64 | [3,null,3,null,5])");
  CHECK(show(max(empty)).ends_with("| null"));
  CHECK(show(max(empty, {.axis = none, .mask_identity = false})) == R"(float64 | "-inf")");
  CHECK(show(max(X, {.axis = -1, .initial = Scalar::of(int64_t{2})})) ==
        R"(5 * ?int64 | [2,null,3,null,5])");
  CHECK(show(max(X, {.axis = -1, .mask_identity = false, .initial = Scalar::of(int64_t{2})})) ==
        R"(5 * ?int64 | [2,2,3,null,5])");
  CHECK(show(min(X, {.axis = none, .initial = Scalar::of(int64_t{-2})})) == R"(?int64 | -2)");
  CHECK(show(sum(allnone, {.axis = -1})) == R"(2 * float64 | [0.0,0.0])");
  CHECK(show(max(allnone, {.axis = -1})) == R"(2 * ?float64 | [null,null])");
}

TEST_CASE("types of results", "[reducers]") {
  CHECK(show(sum(small, {.axis = -1})) == R"(1 * int64 | [1])");
  CHECK(show(prod(small, {.axis = -1})) == R"(1 * int64 | [0])");
  CHECK(show(min(small, {.axis = -1})) == R"(1 * ?bool | [false])");
  CHECK(show(any(small, {.axis = -1})) == R"(1 * bool | [true])");
  CHECK(show(mean(small, {.axis = -1})) == R"(1 * float64 | [0.5])");
  CHECK(show(sum(i8, {.axis = -1})) == R"(1 * int64 | [-2])");
  CHECK(show(prod(i8, {.axis = -1})) == R"(1 * int64 | [-3])");
  CHECK(show(min(i8, {.axis = -1})) == R"(1 * ?int8 | [-3])");
  CHECK(show(any(i8, {.axis = -1})) == R"(1 * bool | [true])");
  CHECK(show(mean(i8, {.axis = -1})) == R"(1 * float64 | [-1.0])");
  CHECK(show(sum(u8, {.axis = -1})) == R"(1 * uint64 | [4])");
  CHECK(show(prod(u8, {.axis = -1})) == R"(1 * uint64 | [3])");
  CHECK(show(min(u8, {.axis = -1})) == R"(1 * ?uint8 | [1])");
  CHECK(show(any(u8, {.axis = -1})) == R"(1 * bool | [true])");
  CHECK(show(mean(u8, {.axis = -1})) == R"(1 * float64 | [2.0])");
  CHECK(show(sum(f32, {.axis = -1})) == R"(1 * float32 | [4.0])");
  CHECK(show(prod(f32, {.axis = -1})) == R"(1 * float32 | [3.0])");
  CHECK(show(min(f32, {.axis = -1})) == R"(1 * ?float32 | [1.0])");
  CHECK(show(any(f32, {.axis = -1})) == R"(1 * bool | [true])");
  CHECK(show(mean(f32, {.axis = -1})) == R"(1 * float64 | [2.0])");
}

TEST_CASE("mean, var, std, ptp", "[reducers]") {
  CHECK(show(mean(L, {.axis = -1})) == R"(3 * float64 | [1.5,"nan",3.0])");
  CHECK(show(var(L, {.axis = -1})) == R"(3 * float64 | [0.25,"nan",0.0])");
  CHECK(show(serrate::std(L, {.axis = -1})) == R"(3 * float64 | [0.5,"nan",0.0])");
  CHECK(show(ptp(L, {.axis = -1})) == R"(3 * ?float64 | [1.0,null,0.0])");
  CHECK(show(mean(X, {.axis = -1})) == R"(5 * ?float64 | [1.5,"nan",3.0,null,5.0])");
  CHECK(show(var(X, {.axis = -1})) == R"(5 * ?float64 | [0.25,"nan",0.0,null,0.0])");
  CHECK(show(serrate::std(X, {.axis = -1})) == R"(5 * ?float64 | [0.5,"nan",0.0,null,0.0])");
  CHECK(show(ptp(X, {.axis = -1})) == R"(5 * ?int64 | [1,null,0,null,0])");
  CHECK(show(mean(L, {.axis = none})) == R"(float64 | 2.0)");
  CHECK(show(var(L, {.axis = none})) == R"(float64 | 0.6666666666666666)");
  CHECK(show(serrate::std(L, {.axis = none})) == R"(float64 | 0.816496580927726)");
  CHECK(show(ptp(L, {.axis = none})) == R"(?float64 | 2.0)");
  CHECK(show(mean(X, {.axis = none})) == R"(float64 | 2.75)");
  CHECK(show(var(X, {.axis = none})) == R"(float64 | 2.1875)");
  CHECK(show(serrate::std(X, {.axis = none})) == R"(float64 | 1.479019945774904)");
  CHECK(show(ptp(X, {.axis = none})) == R"(?int64 | 4)");
  CHECK(show(mean(L3, {.axis = -1})) == R"(3 * var * float64 | [[1.5,"nan"],[],[3.0,4.5]])");
  CHECK(show(var(L3, {.axis = -1})) == R"(3 * var * float64 | [[0.25,"nan"],[],[0.0,0.25]])");
  CHECK(show(serrate::std(L3, {.axis = -1})) ==
        R"(3 * var * float64 | [[0.5,"nan"],[],[0.0,0.5]])");
  CHECK(show(ptp(L3, {.axis = -1})) == R"(3 * var * ?int64 | [[1,null],[],[0,1]])");
  CHECK(show(mean(reg, {.axis = 0})) == R"(3 * float64 | [1.5,2.5,3.5])");
  CHECK(show(var(reg, {.axis = 0})) == R"(3 * float64 | [2.25,2.25,2.25])");
  CHECK(show(serrate::std(reg, {.axis = 0})) == R"(3 * float64 | [1.5,1.5,1.5])");
  CHECK(show(ptp(reg, {.axis = 0})) == R"(3 * ?int64 | [3,3,3])");
  CHECK(show(mean(reg, {.axis = 1})) == R"(2 * float64 | [1.0,4.0])");
  CHECK(show(var(reg, {.axis = 1})) == R"(2 * float64 | [0.6666666666666666,0.6666666666666666])");
  CHECK(show(serrate::std(reg, {.axis = 1})) ==
        R"(2 * float64 | [0.816496580927726,0.816496580927726])");
  CHECK(show(ptp(reg, {.axis = 1})) == R"(2 * ?int64 | [2,2])");
  CHECK(show(mean(flat, {.axis = 0})) == R"(float64 | 2.0)");
  CHECK(show(var(flat, {.axis = 0})) == R"(float64 | 0.6666666666666666)");
  CHECK(show(serrate::std(flat, {.axis = 0})) == R"(float64 | 0.816496580927726)");
  CHECK(show(ptp(flat, {.axis = 0})) == R"(?int64 | 2)");
  CHECK(show(mean(f32, {.axis = -1})) == R"(1 * float64 | [2.0])");
  CHECK(show(var(f32, {.axis = -1})) == R"(1 * float64 | [1.0])");
  CHECK(show(serrate::std(f32, {.axis = -1})) == R"(1 * float64 | [1.0])");
  CHECK(show(ptp(f32, {.axis = -1})) == R"(1 * ?float32 | [2.0])");
  CHECK(show(mean(L, {.axis = -1, .keepdims = true})) ==
        R"(3 * 1 * float64 | [[1.5],["nan"],[3.0]])");
  CHECK(show(serrate::std(X, {.axis = -1, .mask_identity = true})) ==
        R"(5 * ?float64 | [0.5,null,0.0,null,0.0])");
  CHECK(show(ptp(X, {.axis = -1, .mask_identity = false})) == R"(5 * ?int64 | [1,0,0,null,0])");
  CHECK(show(mean(L, {.axis = none, .keepdims = true})) == R"(1 * 1 * float64 | [[2.0]])");
}

TEST_CASE("weights and degrees of freedom", "[reducers]") {
  CHECK(show(mean(L, {.axis = -1}, &L)) == R"(3 * float64 | [1.6666666666666667,"nan",3.0])");
  CHECK(show(mean(X, {.axis = -1}, &flat5)) == R"(5 * ?float64 | [1.5,"nan",3.0,null,5.0])");
  CHECK(show(var(L, {.axis = -1}, 0, &L)) == R"(3 * float64 | [0.2222222222222222,"nan",0.0])");
  CHECK(show(var(L, {.axis = -1}, 1)) == R"(3 * float64 | [0.5,"nan","nan"])");
  CHECK(show(serrate::std(L, {}, 1)) == R"(float64 | 1.0)");
  CHECK(show(serrate::std(L, {}, 0, &L)) == R"(float64 | 0.7453559924999298)");
}

TEST_CASE("argmax of an outer axis is the position in that list", "[reducers]") {
  // Awkward counts only the lists that are present and long enough.
  CHECK(show(argmax(X, {.axis = 0})) == "2 * ?int64 | [4,0]");
  CHECK(show(argmax(L3, {.axis = 0})) == "2 * var * ?int64 | [[2,0],[2,2]]");
}

TEST_CASE("what cannot be reduced", "[reducers]") {
  CHECK_THROWS_AS(sum(flat, {.axis = 1}), AxisError);
  CHECK_THROWS_AS(sum(L, {.axis = -3}), AxisError);
  CHECK_THROWS_AS(sum(array("1 * {x: int64}", R"([{"x": 1}])"), {.axis = 0}), TypeError);
  CHECK_THROWS_AS(sum(array("2 * union[int64, string]", R"([1, "a"])")), ValueError);
  CHECK_THROWS_AS(sum(array("1 * string", R"(["a"])")), TypeError);
  CHECK_THROWS_AS(sum(Array(1)), TypeError);
  CHECK_THROWS_AS(ptp(small), TypeError);
  const Array time = array("2 * datetime64[s]", "[1, 2]");
  CHECK_THROWS_AS(sum(time), ValueError);
  CHECK_THROWS_AS(mean(time), ValueError);
  CHECK(show(max(time, {.axis = 0})) == "?datetime64[s] | 2");
  CHECK(show(ptp(time)) == "?timedelta64[s] | 1");
}

TEST_CASE("reducers of strings and unions") {
  const Array words = array("3 * var * ?string", R"([["b","a",null],[],["","c"]])");
  CHECK(show(min(words, {.axis = -1})) == R"(3 * ?string | ["a",null,""])");
  CHECK(show(argmax(words, {.axis = -1})) == "3 * ?int64 | [0,null,1]");
  CHECK(show(all(words, {.axis = -1})) == "3 * bool | [true,true,false]");
  CHECK(show(count(words, {.axis = 0})) == "3 * int64 | [2,2,0]");
  const Array mixed = array("3 * union[int64, string]", R"([3, "a", 1])");
  CHECK(show(count(mixed)) == "int64 | 3");
  CHECK(show(argmin(mixed)) == "?int64 | 2");
}
