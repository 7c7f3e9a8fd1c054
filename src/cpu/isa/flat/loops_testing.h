// What tests of inner loops share: programs of one operation, and results to compare.
#pragma once

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <tuple>

#include "cpu/lists/ragged_testing.h"
#include "cpu/program/program.h"

namespace serrate::cpu::testing {

inline constexpr std::array kTypes = {DType::boolean, DType::int8,    DType::int16,  DType::int32,
                                      DType::int64,   DType::uint8,   DType::uint16, DType::uint32,
                                      DType::uint64,  DType::float32, DType::float64};

/// An operation on slots 0 and 1, of which the second (1), the first (2) or none (0) is one item,
/// that of slot 2, stored in slot 3.
inline ProgramBuilder program_of(Op op, DType t, int operands, DType& result) {
  ProgramBuilder b;
  const int x = operands == 2 ? b.scalar(t, 2) : b.load(t, 0);
  std::array args = {x, x};
  if (info(op).arity == 2) args[1] = operands == 1 ? b.scalar(t, 2) : b.load(t, 1);
  const int v = b.op(op, t, std::span(args).first(static_cast<size_t>(info(op).arity)));
  result = b.type(v);
  b.store(v, 3);
  return b;
}

/// Which NaN, and of what sign, is nobody's promise.
template <class T>
void make_nans_equal(Guarded<uint8_t>& bytes) {
  T x = 0;
  for (size_t i = 0; i + sizeof x <= bytes.vector().size(); i += sizeof x) {
    std::memcpy(&x, bytes.data() + i, sizeof x);
    if (std::isnan(x)) x = std::numeric_limits<T>::quiet_NaN();
    std::memcpy(bytes.data() + i, &x, sizeof x);
  }
}

/// Of maths functions, whose steps are compiled into the loop.
inline void make_nans_equal(Guarded<uint8_t>& bytes, DType t) {
  if (t == DType::float32) make_nans_equal<float>(bytes);
  if (t == DType::float64) make_nans_equal<double>(bytes);
}

/// n items: small numbers, and what is special of floats and times.
inline Guarded<uint8_t> items(DType t, size_t n, std::mt19937& random) {
  const auto size = static_cast<size_t>(itemsize(t));
  Guarded<uint8_t> out(n * size);
  for (size_t i = 0; i < n; i++) {
    const int k = static_cast<int>(random() % 41) - 20;
    const auto put = [&](auto x) { std::memcpy(out.data() + i * size, &x, sizeof x); };
    const auto number = [&](auto zero) {
      using T = decltype(zero);
      using L = std::numeric_limits<T>;
      if (k == 20) return put(L::max());
      if constexpr (std::is_floating_point_v<T>) {
        if (k > 15) return put(k > 17 ? L::quiet_NaN() : L::infinity());
        if (k > 10) return put(-zero);
        return put(static_cast<T>(k) / 4);
      } else {
        return put(static_cast<T>(L::is_signed || k > 0 ? k : -k));
      }
    };
    if (t == DType::boolean) {
      put(static_cast<uint8_t>(k > 0));
    } else if (is_time(t)) {
      k < -15 ? put(std::numeric_limits<int64_t>::min()) : number(int64_t{});
    } else {
      [&]<class... T>(std::tuple<T...>) {
        ((dtype_of<T>::value == t ? number(T{}) : void()), ...);
      }(std::tuple<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, float,
                   double>());
    }
  }
  return out;
}

}  // namespace serrate::cpu::testing
