// The type rule against NumPy's own answers.
#include "serrate/op.h"

#include <array>
#include <sstream>
#include <string>

#include "../../../tests/cpp/catch.h"
#include "serrate/error.h"

using namespace serrate;

namespace {

struct Expected {
  const char* ops;
  const char* types;
};
constexpr Expected kExpected[] = {
#include "op_test_data.inc"
};

constexpr std::string_view kOrder = "?bhilBHILefdFDMm";  // NumPy's letters in DType's order

DType from_letter(char c) { return static_cast<DType>(kOrder.find(c)); }
char letter(DType t) { return kOrder[static_cast<size_t>(t)]; }

Op op_named(std::string_view name) {
  for (int i = 0; i < kOpCount; i++)
    if (kOps.rows[i].name == name) return static_cast<Op>(i);
  throw ValueError("no such operation");
}

std::string resolved(Op op, std::span<const DType> args) {
  try {
    const OpTypes r = resolve(op, args);
    std::string s;
    for (size_t i = 0; i < args.size(); i++) s += letter(r.compute[i]);
    return s + letter(r.result);
  } catch (const TypeError&) {
    return std::string(args.size() + 1, '-');
  }
}

}  // namespace

TEST_CASE("resolve agrees with NumPy") {
  int rows = 0;
  for (const Expected& e : kExpected) {
    std::istringstream names(e.ops);
    for (std::string name; names >> name; rows++) {
      const Op op = op_named(name);
      std::istringstream words(e.types);
      for (char a : kOrder)
        for (char b : info(op).arity == 2 ? kOrder : kOrder.substr(0, 1)) {
          std::string expected;
          words >> expected;
          const std::array args{from_letter(a), from_letter(b)};
          INFO(name << " of " << a << " and " << b);
          CHECK(resolved(op, std::span(args).first(info(op).arity)) == expected);
        }
    }
  }
  // All but where, real, imag, angle, and the results of frexp and modf, which are not ufuncs.
  CHECK(rows == kOpCount - 8);
}

TEST_CASE("resolve of what NumPy has no ufunc for") {
  using enum DType;
  CHECK(resolve(Op::where, std::array{boolean, int32, float32}) ==
        OpTypes{{boolean, float64, float64}, float64});
  CHECK(resolve(Op::where, std::array{boolean, datetime64, datetime64}).result == datetime64);
  CHECK_THROWS_AS(resolve(Op::where, std::array{boolean, datetime64, int64}), TypeError);
  CHECK(resolve(Op::real, std::array{complex64}).result == float32);
  CHECK(resolve(Op::imag, std::array{int16}).result == int16);
  CHECK(resolve(Op::angle, std::array{complex128}).result == float64);
  CHECK(resolve(Op::frexp_mantissa, std::array{int8}).result == float16);
  CHECK(resolve(Op::frexp_exponent, std::array{float32}).result == int32);
  CHECK(resolve(Op::modf_integer, std::array{int64}).result == float64);
  CHECK(resolve(Op::modf_fraction, std::array{boolean}).result == float16);
  CHECK_THROWS_AS(resolve(Op::add, std::array{int8}), TypeError);
}

TEST_CASE("rows of the table") {
  static_assert(info(Op::add).arity == 2 && info(Op::add).numpy_name == "add");
  static_assert(info(Op::hypot).expression == "hypot(x, y)");
  for (const OpInfo& row : kOps.rows) {
    CHECK(!row.doc.empty());
    CHECK(row.accepts != 0);
    CHECK(row.cost > 0);
  }
}
