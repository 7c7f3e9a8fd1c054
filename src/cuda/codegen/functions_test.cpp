// The text of element-wise operations, conversions and constants for kernels.
#include "cuda/codegen/functions.h"

#include <array>
#include <cmath>
#include <vector>

#include "../../../tests/cpp/catch.h"
#include "core/types/reducer_info.h"
#include "cuda/codegen/prelude.h"

using namespace serrate;
using namespace serrate::cuda;

namespace {

std::string op_text(Op op, std::vector<DType> types) {
  const Text names[] = {"a", "b", "c"};
  return cuda::op_text(op, types, {names, types.size()}).str();
}
std::string cast_text(DType from, DType to) { return cuda::cast_text(from, to, "a").str(); }
std::string identity_text(Reducer r, DType t) {
  return literal(identity(r, is_time(t) ? DType::int64 : t)).str();
}
std::string prelude_text(const Text& text) {
  std::string out;
  append_prelude(out, text.uses().names());
  return out;
}

}  // namespace

TEST_CASE("cuda: operations are expressions where C++ has them") {
  using enum DType;
  CHECK(op_text(Op::add, {float64, float64}) == "(a + b)");
  CHECK(op_text(Op::less, {int8, int8}) == "(bool)(a < b)");
  CHECK(op_text(Op::add, {int8, int8}) == "sr::add(a, b)");
  CHECK(op_text(Op::add, {uint64, uint64}) == "(a + b)");
  CHECK(op_text(Op::add, {boolean, boolean}) == "(a || b)");
  CHECK(op_text(Op::bitwise_and, {int8, int8}) == "(signed char)(a & b)");
  CHECK(op_text(Op::bitwise_and, {int32, int32}) == "(a & b)");
  CHECK(op_text(Op::floor_divide, {float32, float32}) == "(sr::floor_divide(a, b))");
  CHECK(op_text(Op::power, {float32, float32}) == "pow(a, b)");
  CHECK(op_text(Op::power, {int32, int32}) == "(sr::power(a, b))");
  CHECK(op_text(Op::arcsin, {float32}) == "(asin(a))");
  CHECK(op_text(Op::logical_and, {float32, float32}) == "(bool)(((a != 0) & (b != 0)))");
  CHECK(op_text(Op::maximum, {float64, float64}) == "((((a > b) | (a != a)) ? a : b))");
  CHECK(op_text(Op::where, {boolean, int64, int64}) == "(a ? b : c)");
}

TEST_CASE("cuda: conversions") {
  using enum DType;
  CHECK(cast_text(int8, int8) == "a");
  CHECK(cast_text(datetime64, int64) == "a");
  CHECK(cast_text(int64, int8) == "(signed char)(a)");
  CHECK(cast_text(float64, uint8) == "sr::truncated<unsigned char>(a)");
  CHECK(cast_text(float64, boolean) == "(a != 0)");
}

TEST_CASE("cuda: constants keep their value and type") {
  using enum DType;
  CHECK(literal(Scalar::boolean(true)) == "true");
  CHECK(literal(Scalar::of(int64_t{5})) == "5ll");
  CHECK(literal(Scalar::of(INT64_MIN)) == "(-9223372036854775807ll - 1)");
  CHECK(literal(Scalar::of(int64_t{-5}, int8)) == "(signed char)(-5)");
  CHECK(literal(Scalar::of(int64_t{200}, uint8)) == "(unsigned char)200");
  CHECK(literal(Scalar::of(int64_t{7}, uint32)) == "7u");
  CHECK(literal(Scalar::of(0.1)) == "0.1");
  CHECK(literal(Scalar::of(1.0, float32)) == "1.0f");
  CHECK(literal(Scalar::of(-2.5, float32)) == "(-2.5f)");
  CHECK(std::stod(literal(Scalar::of(1e300)).str()) == 1e300);
  CHECK(literal(Scalar::of(-INFINITY)) == "(-sr::infinity<double>)");
  CHECK(literal(Scalar::of(1.5, float16)) == "half{0x3e00}");
  CHECK(literal(Scalar::of(1.5, complex64)) == "complex<float>{1.5f, 0.0f}");
  CHECK(identity_text(Reducer::sum, float32) == "0.0f");
  CHECK(identity_text(Reducer::prod, int64) == "1ll");
  CHECK(identity_text(Reducer::min, float64) == "sr::infinity<double>");
  CHECK(identity_text(Reducer::max, int32) == "(-2147483647 - 1)");
  CHECK(identity_text(Reducer::min, uint64) == "18446744073709551615ull");
  CHECK(identity_text(Reducer::max, datetime64) == "(-9223372036854775807ll - 1)");
  CHECK(identity_text(Reducer::min, float16) == "half{0x7c00}");
  CHECK(identity_text(Reducer::any, boolean) == "false");
  CHECK(identity_text(Reducer::all, boolean) == "true");
}

TEST_CASE("cuda: the prelude has what the text needs, and no more") {
  using enum DType;
  CHECK(prelude_text(
            cuda::op_text(Op::add, std::array{float64, float64}, std::array<Text, 2>{"x", "y"}))
            .empty());
  const std::string text =
      prelude_text(cuda::op_text(Op::lcm, std::array{int64, int64}, std::array<Text, 2>{"x", "y"}));
  for (const char* name : {" lcm(", " gcd(", " absolute(", " wide_uint;", " is_signed_type ="}) {
    INFO(name);
    CHECK(text.find(name) != text.npos);
  }
  CHECK(text.find(" floor_divide(") == text.npos);
  CHECK(text.find("complex") == text.npos);
}
