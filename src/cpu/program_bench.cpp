// Programs against the loop a C++ programmer would write: quadratic formula, dielectron mass, tiny inputs, building.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "cpu/program.h"

namespace serrate::cpu {
namespace {

constexpr int64_t kPiece = 4096;  // items of one run, as the pool calls it

template <class T>
std::vector<T> uniform(int64_t n, double low, double high) {
  std::mt19937_64 bits(1);
  std::uniform_real_distribution<double> d(low, high);
  std::vector<T> v(static_cast<size_t>(n));
  for (T& x : v) x = static_cast<T>(d(bits));
  return v;
}

// (-b + sqrt(b * b - 4 a c)) / (2 a)
template <class T>
Program quadratic(Isa isa = best_isa()) {
  const DType t = dtype_of<T>::value;
  ProgramBuilder b;
  const auto op = [&](Op o, auto... v) { return b.op(o, t, std::array{v...}); };
  const int a = b.load(t, 0), bb = b.load(t, 1), c = b.load(t, 2);
  const int two = b.scalar(t, 4), four = b.scalar(t, 5);
  const int disc =
      op(Op::subtract, op(Op::multiply, bb, bb), op(Op::multiply, op(Op::multiply, four, a), c));
  b.store(op(Op::divide, op(Op::add, op(Op::negative, bb), op(Op::sqrt, disc)),
             op(Op::multiply, two, a)),
          3);
  return std::move(b).finish(isa);
}

template <class T>
struct Quadratic {
  std::vector<T> a, b, c, out;
  T two = 2, four = 4;
  explicit Quadratic(int64_t n)
      : a(uniform<T>(n, 1, 2)), b(uniform<T>(n, 10, 20)), c(uniform<T>(n, .1, .2)), out(a.size()) {}
  std::array<void*, 6> slots(size_t at) {
    return {&a[at], &b[at], &c[at], &out[at], &two, &four};
  }
};

template <class T>
void quadratic_program(benchmark::State& state) {
  Quadratic<T> data(state.range(0));
  const Isa isa = static_cast<Isa>(state.range(1));
  if (!isa_available(isa)) return state.SkipWithError("not available");
  const Program p = quadratic<T>(isa);
  for (auto _ : state)
    for (int64_t at = 0; at < state.range(0); at += kPiece)
      p.run(data.slots(static_cast<size_t>(at)).data(), std::min(kPiece, state.range(0) - at));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

template <class T>
__attribute__((noinline, optimize("O3"), target_clones("default", "arch=haswell", "arch=skylake-avx512")))
void quadratic_fused(size_t n, const T* a, const T* b, const T* c, T* out) {
  for (size_t i = 0; i < n; i++)
    out[i] = (-b[i] + std::sqrt(b[i] * b[i] - 4 * a[i] * c[i])) / (2 * a[i]);
}
template <class T>
void quadratic_loop(benchmark::State& state) {
  Quadratic<T> d(state.range(0));
  for (auto _ : state) {
    quadratic_fused(d.a.size(), d.a.data(), d.b.data(), d.c.data(), d.out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

}  // namespace
}  // namespace serrate::cpu

BENCHMARK_MAIN();
