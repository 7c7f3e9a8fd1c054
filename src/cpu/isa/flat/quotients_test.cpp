// Quotients of integers and what they leave over, against those of integers of 128 bits, and powers
// against products: all types, every instruction set of this CPU, numbers of all sizes and next to
// products.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "../../../../tests/cpp/catch.h"
#include "cpu/isa/flat/loops_testing.h"
#include "cpu/program/inner_loops.h"
#include "serrate/dtype.h"

namespace serrate::cpu {
namespace {

using namespace testing;

/// Pairs of which every size of either comes, 0 and both ends, and x next to a product of y.
template <class T>
void make_pairs(std::vector<T>& x, std::vector<T>& y, bool large, std::mt19937_64& random) {
  using U = std::make_unsigned_t<T>;
  constexpr int kBits = 8 * sizeof(T);
  const auto number = [&](int bits) {
    const auto shift = random() % static_cast<unsigned>(bits) + static_cast<unsigned>(64 - bits);
    const U size = static_cast<U>(random() >> shift);
    if (random() % 16 == 0) return static_cast<T>(random() % 3 - 1);
    return static_cast<T>(std::is_unsigned_v<T> || random() % 2 == 0 ? size : U(U{0} - size));
  };
  for (size_t i = 0; i < x.size(); i++) {
    x[i] = number(kBits);
    y[i] = number(large ? kBits : std::min(kBits, 61));
    if (random() % 3 == 0)
      x[i] = static_cast<T>(U(y[i]) * uint64_t{U(random())} + random() % 3 - 1);
  }
  x[0] = std::numeric_limits<T>::min(), y[0] = static_cast<T>(-1);
  x[1] = std::numeric_limits<T>::max(), y[1] = 1;
  x[2] = std::numeric_limits<T>::min(), y[2] = 0;
  if (!large) y[0] = static_cast<T>(3);
  if (!large) y[1] = number(std::min(kBits, 61));
}

/// By the exponent's decimal digits, the first ones first.
template <class T>
T power(T x, T y) {
  if (y < 0) return static_cast<T>(x == 1 ? 1 : x != static_cast<T>(-1) ? 0 : y % 2 == 0 ? 1 : -1);
  const auto times = [](uint64_t base, int n) {
    uint64_t r = 1;
    for (; n > 0; n--) r *= base;
    return r;
  };
  uint64_t r = 1;
  for (const char digit : std::to_string(static_cast<uint64_t>(y)))
    r = times(r, 10) * times(static_cast<uint64_t>(x), digit - '0');
  return static_cast<T>(r);
}

/// Of integers that are wide enough for each type.
template <class T>
T expected(Op op, T x, T y) {
  if (op == Op::power) return power(x, y);
  __extension__ using Wide = __int128;
  if (y == 0) return 0;
  Wide q = Wide{x} / Wide{y}, rest = Wide{x} - q * y;
  if (op != Op::fmod && rest != 0 && (rest < 0) != (y < 0)) q--, rest += y;
  return static_cast<T>(op == Op::floor_divide ? q : rest);
}

/// As a loop of flat arrays and as a program; by instructions of `isa`. The one operand is y[1].
template <class T>
void check(Op op, int operands, std::vector<T> x, std::vector<T> y, Isa isa) {
  constexpr DType t = dtype_of<T>::value;
  INFO(name(isa) << " " << info(op).name << " of " << name(t) << ", " << x.size() << ", "
                 << operands << ", " << +y[1]);
  std::vector<T> want(x.size()), got(x.size());
  for (size_t i = 0; i < x.size(); i++)
    want[i] = expected(op, operands == 2 ? y[1] : x[i], operands == 1 ? y[1] : y[i]);
  DType result{};
  const InnerLoops loop = InnerLoops::of(program_of(op, t, operands, result), isa);
  REQUIRE(loop);
  std::array<void*, 4> slots = {x.data(), y.data(), &y[1], got.data()};
  const auto n = static_cast<int64_t>(x.size());
  loop.run(slots.data(), n);
  CHECK(got == want);
  std::ranges::fill(got, T{77});
  program_of(op, t, operands, result).finish(isa).run(slots.data(), n);
  CHECK(got == want);
}

constexpr std::array kOps = {Op::floor_divide, Op::remainder, Op::fmod, Op::power};

TEMPLATE_TEST_CASE("quotients and powers of integers by others", "", int8_t, uint8_t, int16_t,
                   uint16_t, int32_t, uint32_t, int64_t, uint64_t) {
  std::mt19937_64 random(7);
  for (const Isa isa : isas()) {
    for (const size_t n : {3, 63, 64, 65, 5000}) {
      for (const bool large : {false, true}) {
        std::vector<TestType> x(n), y(n);
        make_pairs(x, y, large, random);
        for (const Op op : kOps) {
          for (const int operands : {0, 1, 2}) check(op, operands, x, y, isa);
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("quotients and powers of integers by one number of any size", "", int8_t,
                   uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t) {
  using U = std::make_unsigned_t<TestType>;
  std::mt19937_64 random(11);
  for (const Isa isa : isas()) {
    for (int bit = 0; bit < int{8 * sizeof(TestType)}; bit++) {
      for (const int beside : {-1, 0, 1}) {
        std::vector<TestType> x(200), y(200);
        make_pairs(x, y, true, random);
        const U one = static_cast<U>((U{1} << bit) + static_cast<U>(beside));
        for (const U divisor : {one, static_cast<U>(U{0} - one)}) {
          y[1] = static_cast<TestType>(divisor);
          // Next to its products.
          for (size_t i = 3; i < x.size(); i += 2)
            x[i] = static_cast<TestType>(divisor * uint64_t{random()} + random() % 3 - 1);
          for (const Op op : kOps) check(op, 1, x, y, isa);
        }
      }
    }
  }
}

}  // namespace
}  // namespace serrate::cpu
