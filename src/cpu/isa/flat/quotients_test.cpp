// Quotients of integers and what they leave over, against those of integers of 128 bits, powers
// against products, common divisors against the standard library's: all types, every instruction
// set of this CPU, numbers of all sizes and next to products.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
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

template <class T>
T common(Op op, T x, T y) {
  const auto size = [](T v) {
    return v < 0 ? -static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
  };
  const uint64_t divisor = std::gcd(size(x), size(y));
  if (op == Op::gcd) return static_cast<T>(divisor);
  return static_cast<T>(size(x) / std::max<uint64_t>(divisor, 1) * size(y));
}

/// Of integers that are wide enough for each type.
template <class T>
T expected(Op op, T x, T y) {
  if (op == Op::power) return power(x, y);
  if (op == Op::gcd || op == Op::lcm) return common(op, x, y);
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

// Blocks of either side of what float64 holds, and next to products, where quotients are nearest to
// what they are not.
TEMPLATE_TEST_CASE("quotients of short and long integers of 64 bits", "", int64_t, uint64_t) {
  using U = uint64_t;
  std::mt19937_64 random(19);
  const auto size = [&](int bits) {
    return U{random()} >> (64 - bits) >> (random() % static_cast<unsigned>(bits));
  };
  const auto with_sign = [&](U u) {
    return static_cast<TestType>(std::is_signed_v<TestType> && random() % 2 == 0 ? U{0} - u : u);
  };
  for (const Isa isa : isas()) {
    for (const int bits : {20, 49, 50, 51, 52, 53}) {
      for (const size_t n : {1, 31, 32, 33, 64, 5000}) {
        std::vector<TestType> x(n + 1), y(n + 1);
        for (size_t i = 0; i <= n; i++) {
          const U by = random() % 9 == 0 ? random() % 3 : size(bits);
          const U times = (U{1} << bits) / std::max(by, U{1});
          x[i] = with_sign(random() % 2 == 0 ? size(bits) : by * times - random() % 3);
          y[i] = with_sign(by);
        }
        for (const U end : {(U{1} << bits) - 1, U{1} << bits, (U{1} << bits) + 1}) {
          const size_t at = random() % n;
          (random() % 2 == 0 ? x : y)[at] = with_sign(end);
          for (const Op op : {Op::floor_divide, Op::remainder, Op::fmod})
            for (const int operands : {0, 1, 2}) check(op, operands, x, y, isa);
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("greatest common divisors and least common multiples", "", int8_t, uint8_t,
                   int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t) {
  using U = std::make_unsigned_t<TestType>;
  constexpr int kBits = 8 * sizeof(TestType);
  std::mt19937_64 random(13);
  const auto check_both = [](const auto& x, const auto& y, Isa isa) {
    for (const Op op : {Op::gcd, Op::lcm})
      for (const int operands : {0, 1, 2}) check(op, operands, x, y, isa);
  };
  for (const Isa isa : isas()) {
    for (const size_t n : {3, 63, 64, 65, 5000}) {
      std::vector<TestType> x(n), y(n);
      for (const bool large : {false, true}) {
        make_pairs(x, y, large, random);
        check_both(x, y, isa);
      }
      // Multiples of something, of either side of what floats hold.
      for (const int bits : {kBits / 2, std::min(kBits, 51), std::min(kBits, 52), kBits}) {
        for (size_t i = 0; i < n; i++) {
          const U some = static_cast<U>(random() >> (64 - bits) >> (random() % 8));
          const U times = static_cast<U>(random() % 9 + 1);
          x[i] = static_cast<TestType>(some / times * (random() % times + 1));
          y[i] = static_cast<TestType>(some / times * (random() % times + 1));
        }
        check_both(x, y, isa);
      }
      // Neighbours of Fibonacci's numbers take most steps.
      U a = 1, b = 1;
      for (size_t i = 0; i < n; i++) {
        x[i] = static_cast<TestType>(b), y[i] = static_cast<TestType>(a);
        a = std::exchange(b, static_cast<U>(a + b));
      }
      check_both(x, y, isa);
    }
  }
}

/// Of |x|, as NumPy counts.
TEMPLATE_TEST_CASE("bits that are set", "", int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t,
                   int64_t, uint64_t) {
  using U = std::make_unsigned_t<TestType>;
  constexpr DType t = dtype_of<TestType>::value;
  std::mt19937_64 random(17);
  for (const Isa isa : isas()) {
    for (const size_t n : {3, 31, 32, 33, 63, 64, 65, 5000}) {
      std::vector<TestType> x(n);
      std::vector<uint8_t> want(n), got(n);
      for (size_t i = 0; i < n; i++) {
        x[i] = static_cast<TestType>(random() >> (random() % 64));
        if (i % 8 == 0) x[i] = static_cast<TestType>(U{1} << (i / 8 % (8 * sizeof(TestType))));
        if (i == 1) x[i] = static_cast<TestType>(-1);
        const U size =
            x[i] < 0 ? static_cast<U>(U{0} - static_cast<U>(x[i])) : static_cast<U>(x[i]);
        want[i] = static_cast<uint8_t>(std::popcount(size));
      }
      INFO(name(isa) << " of " << name(t) << ", " << n);
      DType result{};
      std::array<void*, 4> slots = {x.data(), nullptr, nullptr, got.data()};
      const InnerLoops loop = InnerLoops::of(program_of(Op::bitwise_count, t, 0, result), isa);
      REQUIRE(loop);
      loop.run(slots.data(), static_cast<int64_t>(n));
      CHECK(got == want);
      std::ranges::fill(got, uint8_t{77});
      program_of(Op::bitwise_count, t, 0, result)
          .finish(isa)
          .run(slots.data(), static_cast<int64_t>(n));
      CHECK(got == want);
    }
  }
}

}  // namespace
}  // namespace serrate::cpu
