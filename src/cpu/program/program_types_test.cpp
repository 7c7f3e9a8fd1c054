// Programs on the types without registers of their own (float16, complex, times), and conversions.
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>

#include "../../../tests/cpp/catch.h"
#include "cpu/program/program.h"
#include "cpu/program/program_test_reference.h"

using namespace serrate;
using namespace serrate::cpu;

namespace {

// One operation on columns of whatever types, with whatever result.
template <class Out, class X, class Y = X>
std::vector<Out> apply(Isa isa, Op op, DType tx, std::vector<X> x, DType ty = {},
                       std::vector<Y> y = {}) {
  ProgramBuilder b;
  std::array args{b.load(tx, 0), info(op).arity == 2 ? b.load(ty, 1) : 0};
  const int v = b.op(op, tx, std::span(args).first(info(op).arity));
  REQUIRE(itemsize(b.type(v)) == sizeof(Out));
  b.store(v, 2);
  std::vector<Out> out(x.size());
  void* slots[] = {x.data(), y.data(), out.data()};
  std::move(b).finish(isa).run(slots, std::ssize(x));
  return out;
}

template <class To, class From>
std::vector<To> convert(Isa isa, DType from, DType to, std::vector<From> x) {
  ProgramBuilder b;
  b.store(b.cast(b.load(from, 0), to), 1);
  std::vector<To> out(x.size());
  void* slots[] = {x.data(), out.data()};
  std::move(b).finish(isa).run(slots, std::ssize(x));
  return out;
}

template <class F>
void each_isa(F f) {
  for (Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512})
    if (isa_available(isa)) f(isa);
}

template <class To, class From>
void check_casts(Isa isa) {
  const std::vector<From> x = edges<From>();
  const auto got = convert<To>(isa, dtype_of<From>::value, dtype_of<To>::value, x);
  for (size_t i = 0; i < x.size(); i++) {
    if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
      using L = std::numeric_limits<To>;
      const long double t = std::trunc(static_cast<long double>(x[i]));
      if (std::isnan(x[i]) || t < L::min() || t > L::max()) continue;  // C++ leaves it open
    }
    const To expected = static_cast<To>(x[i]);
    INFO(cpu::name(isa) << " " << name(dtype_of<From>::value) << " to " << name(dtype_of<To>::value)
                        << " of " << +x[i]);
    CHECK((got[i] == expected || (got[i] != got[i] && expected != expected)));
  }
}
template <class From>
void check_casts_from(Isa isa) {
  check_casts<int8_t, From>(isa), check_casts<int16_t, From>(isa), check_casts<int32_t, From>(isa);
  check_casts<int64_t, From>(isa), check_casts<uint8_t, From>(isa),
      check_casts<uint16_t, From>(isa);
  check_casts<uint32_t, From>(isa), check_casts<uint64_t, From>(isa), check_casts<float, From>(isa);
  check_casts<double, From>(isa);
}

}  // namespace

TEST_CASE("conversions between real types") {
  each_isa([](Isa isa) {
    check_casts_from<int8_t>(isa), check_casts_from<int16_t>(isa), check_casts_from<int32_t>(isa);
    check_casts_from<int64_t>(isa), check_casts_from<uint8_t>(isa), check_casts_from<uint16_t>(isa);
    check_casts_from<uint32_t>(isa), check_casts_from<uint64_t>(isa);
    check_casts_from<float>(isa), check_casts_from<double>(isa);
    CHECK(convert<char>(isa, DType::float64, DType::boolean,
                        std::vector<double>{0, -0.0, 0.5, NAN}) == std::vector<char>{0, 0, 1, 1});
  });
}

TEST_CASE("float16 conversions round once, to nearest, ties to even") {
  std::vector<uint16_t> all(65536);
  for (size_t i = 0; i < all.size(); i++) all[i] = static_cast<uint16_t>(i);
  each_isa([&](Isa isa) {
    const auto wide = convert<float>(isa, DType::float16, DType::float32, all);
    const auto back = convert<uint16_t>(isa, DType::float32, DType::float16, wide);
    for (size_t i = 0; i < all.size(); i++) {
      const int exponent = (all[i] >> 10) & 31, fraction = all[i] & 1023;
      if (exponent == 31 && fraction != 0) {
        REQUIRE(std::isnan(wide[i]));
        continue;
      }
      const double size = exponent == 31  ? HUGE_VAL
                          : exponent == 0 ? std::ldexp(fraction, -24)
                                          : std::ldexp(1024 + fraction, exponent - 25);
      REQUIRE(std::fabs(wide[i]) == size);
      REQUIRE(back[i] == all[i]);
    }
    // 1 + 2^-11 is halfway between two numbers; a little more, lost in float32, decides.
    const std::vector<double> x{
        1 + 0x1p-11, 1 + 0x1p-11 + 0x1p-40, 1 + 3 * 0x1p-11, 65519, 65520, 1e300,
        -0x1p-25,    -0x1.00001p-25,        0x1p-24};
    CHECK(convert<uint16_t>(isa, DType::float64, DType::float16, x) ==
          std::vector<uint16_t>{0x3c00, 0x3c01, 0x3c02, 0x7bff, 0x7c00, 0x7c00, 0x8000, 0x8001, 1});
    using V = std::vector<uint16_t>;
    CHECK(apply<uint16_t>(isa, Op::add, DType::float16, V{0x3c00, 0x7bff}, DType::float16,
                          V{0x3c00, 0x7bff}) == V{0x4000, 0x7c00});
    CHECK(apply<uint16_t>(isa, Op::spacing, DType::float16, V{0x3c00, 0x7bff, 0x7c00}) ==
          V{0x1400, 0x7c00, 0x7e00});
    CHECK(apply<uint16_t>(isa, Op::nextafter, DType::float16, V{0x3c00, 0, 0x3c00}, DType::float16,
                          V{0, 0xbc00, 0x4000}) == V{0x3bff, 0x8001, 0x3c01});
  });
}

TEST_CASE("complex") {
  using C = std::complex<double>;
  using V = std::vector<C>;
  const V x{{1, 2}, {0, 0}, {-3, 0.5}}, y{{3, -1}, {1, 1}, {-3, 0.25}};
  const DType t = DType::complex128;
  each_isa([&](Isa isa) {
    CHECK(apply<C>(isa, Op::multiply, t, x, t, y) == V{{5, 5}, {0, 0}, {8.875, -2.25}});
    CHECK(apply<C>(isa, Op::square, t, x) == V{{-3, 4}, {0, 0}, {8.75, -3}});
    CHECK(apply<C>(isa, Op::conjugate, t, x)[0] == C(1, -2));
    CHECK(apply<double>(isa, Op::imag, t, x) == std::vector<double>{2, 0, 0.5});
    CHECK(apply<char>(isa, Op::less, t, x, t, y) == std::vector<char>{1, 1, 0});
    CHECK(apply<double>(isa, Op::absolute, t, V{{3, 4}}) == std::vector<double>{5});
    CHECK(convert<double>(isa, t, DType::float64, x) == std::vector<double>{1, 0, -3});
    CHECK(convert<C>(isa, DType::int8, t, std::vector<int8_t>{-5}) == V{{-5, 0}});
    // Gathered, and in one expression with a scalar.
    ProgramBuilder b;
    const int g = b.gather(t, 0, 1, DType::int64), s = b.scalar(t, 2);
    b.store(b.op(Op::add, t, std::array{b.op(Op::divide, t, std::array{g, s}), g}), 3);
    V out(3), in = x;
    std::vector<int64_t> index{2, 0, 0};
    C two{2, 0};
    void* slots[] = {in.data(), index.data(), &two, out.data()};
    std::move(b).finish(isa).run(slots, 3);
    CHECK(out == V{{-4.5, 0.75}, {1.5, 3}, {1.5, 3}});
  });
}

TEMPLATE_TEST_CASE("parts of complex numbers", "", float, double) {
  using T = TestType;
  using C = std::complex<T>;
  const bool wide = sizeof(T) == 8;
  const DType t = wide ? DType::complex128 : DType::complex64;
  const DType part = wide ? DType::float64 : DType::float32;
  each_isa([&](Isa isa) {
    for (const int n : {1, 15, 16, 17, 63, 64, 65, 200}) {
      std::vector<C> x;
      std::vector<int32_t> index;
      for (int i = 0; i < n; i++) {
        x.emplace_back(T(i) - T(7.5), T(1000 - i));
        index.push_back(n - 1 - i);
      }
      const C three{3, 4};
      // Of what is loaded, gathered, computed and of a scalar; one part is used twice.
      ProgramBuilder b;
      const int z = b.load(t, 0), g = b.gather(t, 0, 1, DType::int32), one = b.scalar(t, 2);
      const auto of = [&](Op op, int v) { return b.op(op, t, std::array{v}); };
      const auto both = [&](Op op, int v, int w) { return b.op(op, part, std::array{v, w}); };
      const int im = of(Op::imag, z), sum = b.op(Op::add, t, std::array{z, g});
      b.store(both(Op::subtract, of(Op::real, z), im), 3);
      b.store(both(Op::add, both(Op::multiply, of(Op::imag, g), im), of(Op::imag, one)), 4);
      b.store(both(Op::add, of(Op::real, sum), of(Op::imag, sum)), 5);
      b.store(im, 6);
      std::vector<T> out[4];
      for (auto& o : out) o.resize(static_cast<size_t>(n) + 1, T(-1));
      C scalar = three;
      void* slots[] = {x.data(),      index.data(),  &scalar,      out[0].data(),
                       out[1].data(), out[2].data(), out[3].data()};
      std::move(b).finish(isa).run(slots, n);
      for (size_t i = 0; i < x.size(); i++) {
        const C a = x[i], c = x[static_cast<size_t>(index[i])];
        REQUIRE(out[0][i] == a.real() - a.imag());
        REQUIRE(out[1][i] == c.imag() * a.imag() + 4);
        REQUIRE(out[2][i] == (a + c).real() + (a + c).imag());
        REQUIRE(out[3][i] == a.imag());
      }
      for (const auto& o : out) REQUIRE(o.back() == -1);
    }
  });
}

TEST_CASE("times: NaT spreads and compares as NaN does") {
  using V = std::vector<int64_t>;
  using B = std::vector<char>;
  constexpr int64_t nat = INT64_MIN;
  const DType d = DType::datetime64, t = DType::timedelta64;
  each_isa([&](Isa isa) {
    CHECK(apply<int64_t>(isa, Op::add, d, V{10, nat, 5}, t, V{1, 1, nat}) == V{11, nat, nat});
    CHECK(apply<int64_t>(isa, Op::subtract, d, V{10, nat, 5}, d, V{1, 1, nat}) == V{9, nat, nat});
    CHECK(apply<char>(isa, Op::less, d, V{1, nat, 5}, d, V{2, 1, nat}) == B{1, 0, 0});
    CHECK(apply<char>(isa, Op::greater_equal, t, V{2, nat, 5}, t, V{2, nat, nat}) == B{1, 0, 0});
    CHECK(apply<char>(isa, Op::not_equal, t, V{2, nat}, t, V{2, nat}) == B{0, 1});
    CHECK(apply<int64_t>(isa, Op::minimum, d, V{1, nat, 5}, d, V{2, 1, nat}) == V{1, nat, nat});
    CHECK(apply<int64_t>(isa, Op::fmin, d, V{1, nat, 5}, d, V{2, 1, nat}) == V{1, 1, 5});
    CHECK(apply<char>(isa, Op::isnat, d, V{1, nat}) == B{0, 1});
    CHECK(apply<double>(isa, Op::divide, t, V{7}, t, V{2}) == std::vector<double>{3.5});
    CHECK(apply<int64_t>(isa, Op::floor_divide, t, V{-7}, t, V{2}) == V{-4});
    CHECK(apply<int64_t>(isa, Op::divide, t, V{-7, nat, 4}, DType::int64, V{2, 2, 0}) ==
          V{-3, nat, nat});
    CHECK(apply<int64_t>(isa, Op::remainder, t, V{-7, 7}, t, V{2, 0}) == V{1, nat});
    CHECK(apply<int64_t>(isa, Op::multiply, t, V{-7, nat}, DType::float64,
                         std::vector<double>{1.5, 2}) == V{-10, nat});
  });
}

TEST_CASE("times: every comparison and choice, beside arrays and single ones") {
  constexpr int64_t nat = INT64_MIN;
  std::vector<int64_t> x, y;
  for (const int64_t a : {nat, nat + 1, int64_t{-1}, int64_t{0}, int64_t{1}, INT64_MAX})
    for (const int64_t b : {nat, nat + 1, int64_t{-1}, int64_t{0}, int64_t{1}, INT64_MAX})
      x.push_back(a), y.push_back(b);
  const auto expected = [](Op op, int64_t a, int64_t b) -> int64_t {
    const bool both = a != nat && b != nat;
    switch (op) {
      case Op::equal:
        return both && a == b;
      case Op::not_equal:
        return !both || a != b;
      case Op::less:
        return both && a < b;
      case Op::less_equal:
        return both && a <= b;
      case Op::greater:
        return both && a > b;
      case Op::greater_equal:
        return both && a >= b;
      case Op::maximum:
        return both ? std::max(a, b) : nat;
      case Op::minimum:
        return both ? std::min(a, b) : nat;
      case Op::fmax:
        return both ? std::max(a, b) : a == nat ? b : a;
      case Op::fmin:
        return both ? std::min(a, b) : a == nat ? b : a;
      default: {
        const auto wrapped = static_cast<uint64_t>(a) - static_cast<uint64_t>(b);
        return both ? static_cast<int64_t>(wrapped) : nat;
      }
    }
  };
  each_isa([&](Isa isa) {
    for (const Op op :
         {Op::equal, Op::not_equal, Op::less, Op::less_equal, Op::greater, Op::greater_equal,
          Op::maximum, Op::minimum, Op::fmax, Op::fmin, Op::subtract}) {
      const DType t = DType::timedelta64;
      const bool truths = info(op).result == ResultRule::boolean;
      for (const int one : {-1, 0, 1}) {
        for (size_t k = 0; k < (one < 0 ? 1 : x.size()); k++) {
          // With an operation before, so that it is a step of a longer program.
          ProgramBuilder b;
          const int minus = b.op(Op::negative, t, std::array{b.load(t, 0)});
          const int first = one == 0 ? b.scalar(t, 3) : b.op(Op::negative, t, std::array{minus});
          const int second = one == 1 ? b.scalar(t, 3) : b.load(t, 1);
          b.store(b.op(op, t, std::array{first, second}), 2);
          std::vector<int64_t> wide(x.size());
          std::vector<char> narrow(x.size());
          int64_t single = one == 0 ? x[k] : y[k];
          void* slots[] = {x.data(), y.data(), truths ? (void*)narrow.data() : wide.data(),
                           &single};
          std::move(b).finish(isa).run(slots, std::ssize(x));
          for (size_t i = 0; i < x.size(); i++) {
            const int64_t a = one == 0 ? single : x[i], c = one == 1 ? single : y[i];
            INFO(cpu::name(isa) << " " << info(op).name << " of " << a << " and " << c);
            CHECK((truths ? int64_t{narrow[i]} : wide[i]) == expected(op, a, c));
          }
        }
      }
    }
  });
}

TEST_CASE("where and ldexp") {
  each_isa([](Isa isa) {
    ProgramBuilder b;
    const int x = b.load(DType::float64, 0), y = b.load(DType::float64, 1);
    const int less = b.op(Op::less, DType::float64, std::array{x, y});
    b.store(b.op(Op::where, DType::float64, std::array{less, x, y}), 2);
    b.store(b.op(Op::ldexp, DType::float64, std::array{x, b.cast(less, DType::int32)}), 3);
    std::vector<double> vx{1, 5, -3}, vy{2, 4, -2}, least(3), scaled(3);
    void* slots[] = {vx.data(), vy.data(), least.data(), scaled.data()};
    std::move(b).finish(isa).run(slots, 3);
    CHECK(least == std::vector<double>{1, 4, -3});
    CHECK(scaled == std::vector<double>{2, 5, -6});
  });
}

// A program whose second operand is one number, and one that reads that number at each item.
template <class T>
void check_by_one(Isa isa, Op op, T y) {
  std::vector<T> x = edges<T>();
  for (T k : {T(2), T(3), T(-1), T(-2)})
    for (T near : {T(-1), T(0), T(1)}) x.push_back(T(uint64_t(k) * uint64_t(y) + uint64_t(near)));
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; i++) x.push_back(T(random() >> (random() % (8 * sizeof(T)))));
  const std::vector<T> many(x.size(), y);
  const auto want = apply<T>(isa, op, dtype_of<T>::value, x, dtype_of<T>::value, many);
  ProgramBuilder b;
  const std::array args{b.load(dtype_of<T>::value, 0), b.scalar(dtype_of<T>::value, 1)};
  b.store(b.op(op, dtype_of<T>::value, args), 2);
  std::vector<T> got(x.size());
  void* slots[] = {x.data(), &y, got.data()};
  std::move(b).finish(isa).run(slots, std::ssize(x));
  for (size_t i = 0; i < x.size(); i++) {
    INFO(cpu::name(isa) << " " << info(op).name << " of " << +x[i] << " and " << +y);
    CHECK(got[i] == want[i]);
  }
}

template <class... T>
void check_integers_by_one(Isa isa) {
  const auto of = [&]<class U>(U) {
    for (U y : edges<U>()) {
      for (Op op : {Op::floor_divide, Op::remainder}) check_by_one<U>(isa, op, y);
      if (y >= 0) check_by_one<U>(isa, Op::power, y);
    }
    for (int bits = 2; bits < int{8 * sizeof(U)}; bits++)
      for (U near : {U(-1), U(0), U(1)})
        for (Op op : {Op::floor_divide, Op::remainder}) {
          const U y = U((U(1) << (bits - 1)) + near);
          check_by_one<U>(isa, op, y);
          if (std::is_signed_v<U>) check_by_one<U>(isa, op, U(-uint64_t(y)));
        }
  };
  (of(T{}), ...);
}

TEST_CASE("integers by one number") {
  each_isa(&check_integers_by_one<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                                  uint64_t>);
}

template <class T>
void check_powers_of_floats(Isa isa) {
  std::vector<T> x = edges<T>();
  std::mt19937_64 random(2);
  for (int i = 0; i < 500; i++)
    x.push_back(std::ldexp(T(random() % 1000003) - 500000, int(random() % 240) - 120));
  for (T y : {T(2), T(3), T(0.5), T(1), T(0), T(-1), T(-2), T(2.5)}) {
    ProgramBuilder b;
    const std::array args{b.load(dtype_of<T>::value, 0), b.scalar(dtype_of<T>::value, 1)};
    b.store(b.op(Op::power, dtype_of<T>::value, args), 2);
    std::vector<T> got(x.size());
    void* slots[] = {x.data(), &y, got.data()};
    std::move(b).finish(isa).run(slots, std::ssize(x));
    for (size_t i = 0; i < x.size(); i++) {
      const T want = T(std::pow(static_cast<long double>(x[i]), static_cast<long double>(y)));
      INFO(cpu::name(isa) << " " << x[i] << " to the power " << y << " is " << want << ", not "
                          << got[i]);
      if (std::isnan(want)) {
        CHECK(std::isnan(got[i]));
      } else {
        CHECK(std::signbit(got[i]) == std::signbit(want));
        CHECK((got[i] == want || std::nextafter(got[i], want) == want));
      }
    }
  }
}

TEST_CASE("floats to the power of one number") {
  each_isa(&check_powers_of_floats<float>);
  each_isa(&check_powers_of_floats<double>);
}
