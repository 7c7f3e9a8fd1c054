// The text for CUDA, compiled by the host, gives what the CPU's programs give.
#include "cuda/codegen/functions_host.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "../../../tests/cpp/catch.h"
#include "cpu/program/program.h"
#include "cpu/program/program_test_reference.h"
#include "graph/ir.h"

using namespace serrate;
using namespace serrate::cuda;

namespace {

using Bytes = std::vector<char>;

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes out(values.size() * sizeof(T));
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}

template <class T>
Bytes complex_edges() {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<std::complex<T>> all;
  const T parts[] = {0, T(-0.0), 1, -1, T(0.5), T(-2.5), T(1e-3), T(3.3), 30, inf, -inf, nan};
  for (T re : parts)
    for (T im : parts) all.emplace_back(re, im);
  // Where one part or its exponential leaves the range, and where parts differ in size.
  using L = std::numeric_limits<T>;
  const T overflow = std::log(L::max());
  for (std::complex<T> x : {std::complex<T>(L::max(), L::max() / 2),
                            {L::max() / 8, T(1)},
                            {L::min(), L::denorm_min()},
                            {overflow + T(0.3), T(1.2)},
                            {-overflow - T(0.3), T(1.2)},
                            {T(0.7), overflow + T(0.3)},
                            {25, T(1.3)},
                            {T(-25), T(1.3)},
                            {T(1), L::epsilon() / 64},
                            {T(0.6), T(0.8)},
                            {T(1e12), T(-3e11)},
                            {T(-2e-12), T(4e-13)}})
    all.push_back(x);
  return bytes_of(all);
}

// Values of a type where something may go wrong.
Bytes edge_values(DType t) {
  switch (t) {
    case DType::boolean:
      return bytes_of(std::vector<char>{0, 1});
    case DType::int8:
      return bytes_of(cpu::edges<int8_t>());
    case DType::int16:
      return bytes_of(cpu::edges<int16_t>());
    case DType::int32:
      return bytes_of(cpu::edges<int32_t>());
    case DType::uint8:
      return bytes_of(cpu::edges<uint8_t>());
    case DType::uint16:
      return bytes_of(cpu::edges<uint16_t>());
    case DType::uint32:
      return bytes_of(cpu::edges<uint32_t>());
    case DType::uint64:
      return bytes_of(cpu::edges<uint64_t>());
    case DType::float16:
      return bytes_of(std::vector<uint16_t>{0,      0x8000, 0x3c00, 0xbc00, 0x3800, 0xc100, 0x4d00,
                                            0x7bff, 0xfbff, 1,      0x8001, 0x3ff,  0x400,  0x7c00,
                                            0xfc00, 0x7e00, 0x2e66, 0x5640, 0x3c01, 0x3bff});
    case DType::float32: {
      auto v = cpu::edges<float>();
      for (float x : {127.9f, -129.0f, 65535.5f, 2147483648.0f, -2147483904.0f, 4294967296.0f,
                      9.3e18f, 1.9e19f, 2049.0f, 65520.0f, 1e-7f, -3e9f})
        v.push_back(x);
      return bytes_of(v);
    }
    case DType::float64: {
      auto v = cpu::edges<double>();
      for (double x :
           {127.9, -128.9, 65535.5, 2147483647.5, -2147483648.5, 4294967296.0, 9.3e18, 1.9e19,
            1 + 0x1p-11 + 0x1p-40, 65519.999, 65520.0, 0x1p-25, -0x1.00001p-25, -3e9})
        v.push_back(x);
      return bytes_of(v);
    }
    case DType::complex64:
      return complex_edges<float>();
    case DType::complex128:
      return complex_edges<double>();
    default:
      return bytes_of(cpu::edges<int64_t>());  // the lowest is NaT
  }
}

// All combinations of the arguments' edge values.
struct Arguments {
  std::vector<Bytes> values;
  int64_t count = 1;
};
Arguments combinations(std::span<const DType> types) {
  Arguments a;
  std::vector<Bytes> edges;
  for (DType t : types) {
    edges.push_back(edge_values(t));
    a.count *= std::ssize(edges.back()) / itemsize(t);
  }
  for (DType t : types) a.values.emplace_back(static_cast<size_t>(a.count * itemsize(t)));
  for (int64_t i = 0; i < a.count; i++) {
    int64_t rest = i;
    for (size_t k = 0; k < types.size(); k++) {
      const int size = itemsize(types[k]);
      const int64_t n = std::ssize(edges[k]) / size;
      const char* p = edges[k].data() + rest % n * size;
      std::memcpy(a.values[k].data() + i * size, p, static_cast<size_t>(size));
      rest /= n;
    }
  }
  return a;
}

template <class Value>
Bytes run_program(const Arguments& a, std::span<const DType> types, DType result, Value value) {
  cpu::ProgramBuilder b;
  std::vector<int> loads;
  std::vector<void*> slots;
  for (size_t k = 0; k < types.size(); k++) {
    loads.push_back(b.load(types[k], static_cast<int>(k)));
    slots.push_back(const_cast<char*>(a.values[k].data()));
  }
  b.store(value(b, loads), static_cast<int>(types.size()));
  Bytes out(static_cast<size_t>(a.count * itemsize(result)));
  slots.push_back(out.data());
  std::move(b).finish().run(slots.data(), a.count);
  return out;
}

Bytes run_host(HostFunction f, const Arguments& a, DType result) {
  std::vector<const void*> in;
  for (const auto& v : a.values) in.push_back(v.data());
  Bytes out(static_cast<size_t>(a.count * itemsize(result)));
  f(in.data(), out.data(), a.count);
  return out;
}

template <class T>
T value_at(const Bytes& b, int64_t i) {
  T v;
  std::memcpy(&v, b.data() + static_cast<size_t>(i) * sizeof(T), sizeof(T));
  return v;
}

// Both NaN, or as near as `ulp` units in the last place of the larger of `size` and the values.
template <class T>
bool near(T x, T y, double ulp, T size = 0) {
  if (x != x || y != y) return x != x && y != y;
  if (x == y) return ulp > 0 || std::signbit(x) == std::signbit(y);
  // The CPU's pow overflows a little early.
  const T least = T(0.999) * std::numeric_limits<T>::max();
  if (std::isinf(x) || std::isinf(y))
    return ulp > 0 && std::fabs(x) > least && std::fabs(y) > least && (x > 0) == (y > 0);
  size = std::max({std::fabs(x), std::fabs(y), size, std::numeric_limits<T>::min()});
  return std::fabs(x - y) <= static_cast<T>(ulp) * std::numeric_limits<T>::epsilon() * size;
}

float half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 31) return fraction ? NAN : bits & 0x8000 ? -INFINITY : INFINITY;
  const float size = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                   : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  return bits & 0x8000 ? -size : size;
}

template <class T>
bool complex_near(std::complex<T> x, std::complex<T> y, double ulp) {
  T size = 0;
  if (ulp > 0)
    for (T v : {x.real(), x.imag(), y.real(), y.imag()})
      if (std::isfinite(v)) size = std::max(size, std::fabs(v));
  return near(x.real(), y.real(), ulp, size) && near(x.imag(), y.imag(), ulp, size);
}

bool same(DType t, const Bytes& x, const Bytes& y, int64_t i, double ulp) {
  switch (t) {
    case DType::float16:
      return near(half_value(value_at<uint16_t>(x, i)), half_value(value_at<uint16_t>(y, i)),
                  ulp > 0 ? 8192 : 0);  // a float32's few units may cross a boundary
    case DType::float32:
      return near(value_at<float>(x, i), value_at<float>(y, i), ulp);
    case DType::float64:
      return near(value_at<double>(x, i), value_at<double>(y, i), ulp);
    case DType::complex64:
      return complex_near(value_at<std::complex<float>>(x, i), value_at<std::complex<float>>(y, i),
                          ulp);
    case DType::complex128:
      return complex_near(value_at<std::complex<double>>(x, i),
                          value_at<std::complex<double>>(y, i), ulp);
    default: {
      const auto size = static_cast<size_t>(itemsize(t)), at = static_cast<size_t>(i) * size;
      return std::memcmp(x.data() + at, y.data() + at, size) == 0;
    }
  }
}

std::string hex(const Bytes& b, DType t, int64_t i) {
  std::string out = "0x";
  for (int k = itemsize(t); k-- > 0;)
    out += fmt::format("{:02x}", static_cast<uint8_t>(b[static_cast<size_t>(i * itemsize(t) + k)]));
  return out;
}

template <class Case>
void check_same(const Case& what, std::span<const DType> types, DType result, const Arguments& a,
                const Bytes& expected, const Bytes& got, double ulp) {
  int wrong = 0;
  std::string first;
  for (int64_t i = 0; i < a.count; i++) {
    if (same(result, expected, got, i, ulp)) continue;
    if (wrong++ > 4) continue;
    for (size_t k = 0; k < types.size(); k++)
      first += fmt::format("{} {} ", name(types[k]), hex(a.values[k], types[k], i));
    first += fmt::format("expected {} got {}\n", hex(expected, result, i), hex(got, result, i));
  }
  INFO(what << ": " << first);
  CHECK(wrong == 0);
}

// Functions that are not rounded exactly, or not by the same steps.
double allowed_ulp(const OpCase& c) {
  const bool extreme = c.op == Op::maximum || c.op == Op::minimum || c.op == Op::fmax ||
                       c.op == Op::fmin;  // of two zeros either
  if (extreme) return 0.1;
  if (is_complex(c.types[0])) {
    if (c.op == Op::power || c.op == Op::float_power) return 5000;  // exp of a rounded exponent
    return info(c.op).cost >= 6 || c.op == Op::sqrt ? 16 : 0;
  }
  return info(c.op).cost >= 20 ? 8 : 0;
}

}  // namespace

TEST_CASE("cuda: operations as text give the CPU's results") {
  REQUIRE(host_ops().size() == op_cases().size());
  for (const auto& h : host_ops()) {
    const std::span types(h.op.types.data(), info(h.op.op).arity);
    const Arguments a = combinations(types);
    const Bytes expected =
        run_program(a, types, h.op.result, [&](cpu::ProgramBuilder& b, const std::vector<int>& v) {
          return b.op(h.op.op, types[h.op.op == Op::where ? 1 : 0], v);
        });
    const Bytes got = run_host(h.run, a, h.op.result);
    check_same(info(h.op.op).name, types, h.op.result, a, expected, got, allowed_ulp(h.op));
  }
}

TEST_CASE("cuda: conversions as text give the CPU's results") {
  REQUIRE(host_casts().size() == cast_cases().size());
  for (const auto& h : host_casts()) {
    const DType types[] = {h.cast.from};
    const Arguments a = combinations(types);
    const Bytes expected = run_program(
        a, types, h.cast.to,
        [&](cpu::ProgramBuilder& b, const std::vector<int>& v) { return b.cast(v[0], h.cast.to); });
    check_same(name(h.cast.to), types, h.cast.to, a, expected, run_host(h.run, a, h.cast.to), 0);
  }
}

// sr_min and sr_max take what fmin and fmax do; times fold as int64.
TEST_CASE("cuda: reducers' steps as text give the CPU's results") {
  REQUIRE(host_reducers().size() == 2 * kDTypeCount);
  for (const auto& h : host_reducers()) {
    const DType t = is_time(h.type) ? DType::int64 : h.type, types[] = {t, t};
    const Arguments a = combinations(types);
    const Op op = h.reducer == Reducer::min ? Op::fmin : Op::fmax;
    const Bytes expected = run_program(
        a, types, t,
        [&](cpu::ProgramBuilder& b, const std::vector<int>& v) { return b.op(op, t, v); });
    check_same(info(op).name, types, t, a, expected, run_host(h.run, a, t), 0.1);
  }
}
