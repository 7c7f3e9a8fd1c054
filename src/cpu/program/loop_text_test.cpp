// What can be said as a loop in LLVM's text, and what that text reads, computes and writes. The
// loops themselves are compiled and run by tests of ak.apply.
#include "cpu/program/loop_text.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "../../../tests/cpp/catch.h"

using namespace serrate;
using namespace serrate::cpu;

namespace {

constexpr DType kBool = DType::boolean, kInt = DType::int32, kDouble = DType::float64;

int times(const std::string& text, std::string_view what) {
  int n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) n++;
  return n;
}

/// Whether op(x, x, ...) of a column of a type can be said.
bool can_say(Op op, DType type) {
  ProgramBuilder b;
  const int x = b.load(type, 0);
  const std::vector<int> args(static_cast<size_t>(info(op).arity), x);
  b.store(b.op(op, type, args), 1);
  return LoopText::can_say(b);
}

bool can_cast(DType from, DType to) {
  ProgramBuilder b;
  b.store(b.cast(b.load(from, 0), to), 1);
  return LoopText::can_say(b);
}

/// f(x, y) -> a double and a truth value.
FunctionRef function_of_two() {
  FunctionParts f;
  f.name = "f";
  f.arguments = {kDouble, kBool};
  f.results = {{kDouble, false, ""}, {kBool, false, ""}};
  f.shape = FunctionParts::Shape::tuple;
  f.block = [](const void*, int64_t, const void* const*, const uint8_t*, void* const*) {};
  f.item_name = "item_of_f";
  f.item_code = "define i32 @item_of_f(ptr %r, ptr %e, double %x, i8 %y) { ret i32 0 }\n";
  return std::make_shared<Function>(std::move(f));
}

}  // namespace

TEST_CASE("what has one result by IEEE 754 or two's complement can be said", "[loop_text]") {
  CHECK(can_say(Op::add, kDouble));
  CHECK(can_say(Op::multiply, DType::uint8));
  CHECK(can_say(Op::sqrt, DType::float32));
  CHECK(can_say(Op::less, DType::uint64));
  CHECK(can_say(Op::logical_and, kBool));
  CHECK(can_say(Op::isnan, kDouble));
  CHECK_FALSE(can_say(Op::sin, kDouble));        // our vectors' own
  CHECK_FALSE(can_say(Op::floor_divide, kInt));  // of 0
  CHECK_FALSE(can_say(Op::absolute, kInt));      // of the least
  CHECK_FALSE(can_say(Op::add, DType::complex128));
  CHECK_FALSE(can_say(Op::add, DType::float16));
  CHECK_FALSE(can_say(Op::negative, kBool));
}

TEST_CASE("numbers become integers by rules that LLVM has not", "[loop_text]") {
  CHECK(can_cast(kInt, kDouble));
  CHECK(can_cast(kBool, DType::int8));
  CHECK(can_cast(DType::int64, DType::uint8));
  CHECK(can_cast(kDouble, DType::float32));
  CHECK(can_cast(kDouble, kBool));
  CHECK_FALSE(can_cast(kDouble, DType::int64));
  CHECK_FALSE(can_cast(DType::complex64, kDouble));
}

TEST_CASE("items that are looked up cannot be said", "[loop_text]") {
  ProgramBuilder b;
  b.store(b.gather(kDouble, 0, 1, DType::int32), 2);
  CHECK_FALSE(LoopText::can_say(b));
}

TEST_CASE("columns are read once, scalars before the loop, and what is asked for is written",
          "[loop_text]") {
  ProgramBuilder squares, tests;  // slots 0, 1: columns; 2: a scalar; 3 to 5: results
  const int x = squares.load(kDouble, 0), y = squares.cast(squares.load(kInt, 1), kDouble);
  squares.store(
      squares.op(Op::add, kDouble, std::array{squares.op(Op::square, kDouble, std::array{x}), y}),
      3);
  const int sum = tests.load(kDouble, 3);
  tests.store(tests.op(Op::greater, kDouble, std::array{sum, tests.scalar(kDouble, 2)}), 4);
  tests.store(tests.op(Op::subtract, kDouble, std::array{sum, tests.load(kDouble, 0)}), 5);
  REQUIRE(LoopText::can_say(squares));
  REQUIRE(LoopText::can_say(tests));
  LoopText text;
  text.add(squares);
  text.add(tests);
  const auto [loop, slots] = std::move(text).finish([](int slot) { return slot >= 4; });
  CAPTURE(loop);
  CHECK(slots == std::vector{0, 1, 2, 4, 5});  // 3 stays in a register
  const size_t item = loop.find("\nitem:\n");
  REQUIRE(item != std::string::npos);
  const std::string entry = loop.substr(0, item), body = loop.substr(item);
  CHECK(times(entry, "load double") == 1);
  CHECK(times(body, "load double") == 1);
  CHECK(times(body, "load i32") == 1);
  CHECK(times(body, "sitofp i32") == 1);
  CHECK(times(body, "fmul double") == 1);
  CHECK(times(body, "fcmp ogt double") == 1);
  CHECK(times(body, "fsub double") == 1);
  CHECK(times(body, "store double") == 1);
  CHECK(times(body, "store i8") == 1);  // a truth value is a byte in memory
  CHECK(times(loop, "define void @serrate_loop(") == 1);
}

TEST_CASE("functions are called where their arguments are, and written down once", "[loop_text]") {
  const FunctionRef f = function_of_two();
  REQUIRE(LoopText::can_say(*f));
  LoopText text;  // slots 0: x, 1: y, 2 and 3: results, 4: where, 5 and 6: results of these
  text.add(*f, std::array{0, 1}, -1, std::array{2, 3});
  text.add(*f, std::array{2, 3}, 4, std::array{5, 6});
  const auto [loop, slots] = std::move(text).finish([](int slot) { return slot >= 5; });
  CAPTURE(loop);
  CHECK(slots == std::vector{0, 1, 4, 5, 6});
  CHECK(times(loop, "define i32 @item_of_f(") == 1);
  CHECK(times(loop, "call i32 @item_of_f(") == 2);
  CHECK(times(loop, "alloca { double, i8 }") == 2);
  CHECK(times(loop, "br i1 %v") == 1);
  CHECK(times(loop, "phi double [") == 1);
  CHECK(times(loop, "phi i8 [") == 1);
}

TEST_CASE("functions without a text are called block by block", "[loop_text]") {
  FunctionParts parts = *function_of_two();
  parts.item_code = "";
  CHECK_FALSE(LoopText::can_say(Function(std::move(parts))));
}
