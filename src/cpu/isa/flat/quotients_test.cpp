// Quotients of integers and what they leave over, against those of the processor's instructions:
// all types, every instruction set of this CPU, numbers of all sizes and next to products.
#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "../../../../tests/cpp/catch.h"
#include "cpu/isa/flat/loops_testing.h"
#include "cpu/program/inner_loop.h"

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

/// Of integers that are wide enough for each type.
template <class T>
T expected(Op op, T x, T y) {
  __extension__ using Wide = __int128;
  if (y == 0) return 0;
  Wide q = Wide{x} / Wide{y}, rest = Wide{x} - q * y;
  if (op != Op::fmod && rest != 0 && (rest < 0) != (y < 0)) q--, rest += y;
  return static_cast<T>(op == Op::floor_divide ? q : rest);
}

/// As a loop of flat arrays and as a program; by instructions of `isa`.
template <class T>
void check(Op op, DType t, int operands, std::vector<T> x, std::vector<T> y, Isa isa) {
  std::vector<T> want(x.size()), got(x.size());
  for (size_t i = 0; i < x.size(); i++)
    want[i] = expected(op, operands == 2 ? y[1] : x[i], operands == 1 ? y[1] : y[i]);
  DType result{};
  const InnerLoop loop = InnerLoop::of(program_of(op, t, operands, result), isa);
  REQUIRE(loop);
  std::array<void*, 4> slots = {x.data(), y.data(), &y[1], got.data()};
  const auto n = static_cast<int64_t>(x.size());
  loop.run(slots.data(), n);
  CHECK(got == want);
  std::ranges::fill(got, T{77});
  program_of(op, t, operands, result).finish(isa).run(slots.data(), n);
  CHECK(got == want);
}

template <class T>
void check_type(DType t) {
  std::mt19937_64 random(7);
  for (const Isa isa : isas()) {
    for (const size_t n : {3, 63, 64, 65, 5000}) {
      for (const bool large : {false, true}) {
        std::vector<T> x(n), y(n);
        make_pairs(x, y, large, random);
        for (const Op op : {Op::floor_divide, Op::remainder, Op::fmod}) {
          for (const int operands : {0, 1, 2}) {
            INFO(name(isa) << " " << info(op).name << " of " << name(t) << ", " << n << ", "
                           << operands);
            check(op, t, operands, x, y, isa);
          }
        }
      }
    }
  }
}

TEST_CASE("quotients of integers by others") {
  check_type<int8_t>(DType::int8);
  check_type<uint8_t>(DType::uint8);
  check_type<int16_t>(DType::int16);
  check_type<uint16_t>(DType::uint16);
  check_type<int32_t>(DType::int32);
  check_type<uint32_t>(DType::uint32);
  check_type<int64_t>(DType::int64);
  check_type<uint64_t>(DType::uint64);
}

}  // namespace
}  // namespace serrate::cpu
