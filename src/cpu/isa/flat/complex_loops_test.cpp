// Loops of complex numbers in registers against the one that computes one item after the other,
// byte by byte: programs and inner loops, every instruction set of this CPU.
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "../../../../tests/cpp/catch.h"
#include "cpu/isa/flat/loops_testing.h"
#include "cpu/lists/ragged_testing.h"
#include "cpu/program/inner_loops.h"
#include "cpu/program/kernels.h"

namespace serrate::cpu {
namespace {

using namespace testing;

template <class T>
using Numbers = Guarded<std::complex<T>>;

template <class T>
constexpr DType kType = sizeof(T) == 8 ? DType::complex128 : DType::complex64;

template <class T>
constexpr std::array kParts = {T(0),
                               -T(0),
                               T(1),
                               T(-1),
                               T(0.5),
                               T(-2.5),
                               T(3.3),
                               std::numeric_limits<T>::infinity(),
                               -std::numeric_limits<T>::infinity(),
                               std::numeric_limits<T>::quiet_NaN(),
                               std::numeric_limits<T>::max(),
                               std::numeric_limits<T>::denorm_min()};

/// What is special in either part, and what is not.
template <class T>
Numbers<T> numbers(size_t n, std::mt19937& random) {
  Numbers<T> out(n);
  const auto part = [&] {
    if (random() % 3 == 0) return T(int(random() % 2001) - 1000) / T(128.5);
    return kParts<T>[random() % kParts<T>.size()];
  };
  for (size_t i = 0; i < n; i++) out.data()[i] = {part(), part()};
  return out;
}

/// The table's expression for one item after the other.
void one_by_one(Op op, DType t, int64_t n, const void* x, const void* y, void* out) {
  using Run = void (*)(const Instruction*, char* const*);
  const Run end = [](const Instruction*, char* const*) {};
  std::array<Instruction, 2> code = {};
  code[0].run = complex_loop(op, t);
  code[0].a = 0, code[0].b = 1, code[0].out = 2;
  code[0].items = static_cast<int32_t>(n);
  code[1].run = reinterpret_cast<void (*)()>(end);
  std::array<char*, 3> mem = {static_cast<char*>(const_cast<void*>(x)),
                              static_cast<char*>(const_cast<void*>(y)), static_cast<char*>(out)};
  reinterpret_cast<Run>(code[0].run)(code.data(), mem.data());
}

/// A case of x and y; `is_loop` of the program is told.
template <class T>
bool agrees(Isa isa, Op op, int operands, Numbers<T>& x, Numbers<T>& y, std::complex<T> one) {
  DType result{};
  const DType t = kType<T>;
  const InnerLoops loop = InnerLoops::of(program_of(op, t, operands, result), isa);
  const Program program = program_of(op, t, operands, result).finish(isa);
  const size_t n = x.vector().size(), bytes = n * static_cast<size_t>(itemsize(result));
  Guarded<uint8_t> expected(bytes), got(bytes);
  const std::vector<std::complex<T>> ones(n, one);
  one_by_one(op, t, static_cast<int64_t>(n), operands == 2 ? ones.data() : x.data(),
             operands == 1 ? ones.data() : y.data(), expected.data());
  std::array<void*, 4> slots = {x.data(), y.data(), &one, got.data()};
  const auto count = static_cast<int64_t>(n);
  const bool is_boolean = result == DType::boolean;
  if (!is_boolean) make_nans_equal<T>(expected);
  const auto check = [&](Guarded<uint8_t>& r, const char* how) {
    if (!is_boolean) make_nans_equal<T>(r);
    INFO(how << ", " << n << " items");
    CHECK(r.vector() == expected.vector());
  };
  program.run(slots.data(), count);
  check(got, "a program");
  if (!loop) return false;
  std::memset(got.data(), 7, bytes);
  loop.run(slots.data(), count);
  check(got, "a loop");
  if (result != t) return true;
  Numbers<T> place(operands == 2 ? y.vector() : x.vector());
  slots[operands == 2 ? 1 : 0] = slots[3] = place.data();
  loop.run(slots.data(), count);
  std::memcpy(got.data(), place.data(), bytes);
  check(got, "in place");
  return true;
}

constexpr std::array<size_t, 14> kSizes = {0, 1, 3, 7, 8, 9, 16, 31, 63, 64, 65, 128, 1001, 2000};

template <class T>
std::set<Op> ops_with_loops(Isa isa, std::mt19937& random) {
  std::set<Op> found;
  for (int o = 0; o < kOpCount; o++) {
    const Op op = static_cast<Op>(o);
    if (op == Op::where || !(info(op).accepts & kAcceptsComplex) || info(op).cost >= 20) continue;
    for (const int operands : {0, 1, 2}) {
      if (info(op).arity == 1 && operands > 0) continue;
      INFO(name(isa) << " " << info(op).name << " of " << name(kType<T>) << ", " << operands);
      for (const size_t n : kSizes) {
        Numbers<T> x = numbers<T>(n, random), y = numbers<T>(n, random);
        const Numbers<T> one = numbers<T>(1, random);
        if (agrees<T>(isa, op, operands, x, y, one.vector()[0])) found.insert(op);
      }
    }
  }
  return found;
}

TEST_CASE("complex numbers in registers") {
  std::mt19937 random(11);
  for (const Isa isa : isas()) {
    const auto narrow = ops_with_loops<float>(isa, random);
    const auto wide = ops_with_loops<double>(isa, random);
    for (const Op op : {Op::add, Op::multiply, Op::divide, Op::square, Op::conjugate, Op::maximum,
                        Op::fmin, Op::less, Op::equal, Op::isnan, Op::logical_and, Op::rint,
                        Op::reciprocal, Op::real, Op::imag}) {
      CHECK(narrow.contains(op));
      CHECK(wide.contains(op));
    }
    CHECK(narrow.contains(Op::sign));
  }
}

TEMPLATE_TEST_CASE("complex numbers to the power of one number", "", float, double) {
  using C = std::complex<TestType>;
  std::mt19937 random(12);
  for (const Isa isa : isas()) {
    for (const C exponent : {C(0), C(1), C(2), C(3), C(4), C(7), C(64), C(99), C(-1), C(-3), C(-99),
                             C(100), C(0.5), C(2, 1), C(0, 1), C(1e30F)}) {
      for (const size_t n : {size_t{1}, size_t{65}, size_t{1001}}) {
        Numbers<TestType> x = numbers<TestType>(n, random), y = numbers<TestType>(n, random);
        INFO(name(isa) << " to the power " << exponent);
        CHECK(agrees<TestType>(isa, Op::power, 1, x, y, exponent));
      }
    }
  }
}

TEST_CASE("complex numbers in a program of several operations") {
  // (x * y - 3) / conj(x) and whether that is less than y: what single loops give, step by step.
  using C = std::complex<double>;
  const DType t = DType::complex128;
  std::mt19937 random(13);
  for (const Isa isa : isas()) {
    for (const size_t n : kSizes) {
      Numbers<double> x = numbers<double>(n, random), y = numbers<double>(n, random);
      C three = 3;
      ProgramBuilder b;
      const int vx = b.load(t, 0), vy = b.load(t, 1), one = b.scalar(t, 2);
      const auto of = [&](Op op, int v, int w) { return b.op(op, t, std::array{v, w}); };
      const int difference = of(Op::subtract, of(Op::multiply, vx, vy), one);
      const int quotient = of(Op::divide, difference, b.op(Op::conjugate, t, std::array{vx}));
      b.store(quotient, 3);
      b.store(of(Op::less, quotient, vy), 4);
      Guarded<uint8_t> got(n * sizeof(C)), less(n), expected(n * sizeof(C)), expected_less(n);
      std::array<void*, 5> slots = {x.data(), y.data(), &three, got.data(), less.data()};
      const auto count = static_cast<int64_t>(n);
      std::move(b).finish(isa).run(slots.data(), count);
      std::vector<C> a(n), c(n);
      const std::vector<C> threes(n, three);
      one_by_one(Op::multiply, t, count, x.data(), y.data(), a.data());
      one_by_one(Op::subtract, t, count, a.data(), threes.data(), a.data());
      one_by_one(Op::conjugate, t, count, x.data(), x.data(), c.data());
      one_by_one(Op::divide, t, count, a.data(), c.data(), expected.data());
      one_by_one(Op::less, t, count, expected.data(), y.data(), expected_less.data());
      make_nans_equal<double>(got);
      make_nans_equal<double>(expected);
      INFO(name(isa) << ", " << n << " items");
      CHECK(got.vector() == expected.vector());
      CHECK(less.vector() == expected_less.vector());
    }
  }
}

}  // namespace
}  // namespace serrate::cpu
