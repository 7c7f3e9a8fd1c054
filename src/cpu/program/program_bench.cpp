// Programs against the loop a C++ programmer would write: quadratic formula, dielectron mass, tiny
// inputs, building.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "cpu/program/program.h"

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
  std::array<void*, 6> slots(size_t at) { return {&a[at], &b[at], &c[at], &out[at], &two, &four}; }
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
void quadratic_loop(benchmark::State& state) {
  Quadratic<T> d(state.range(0));
  const size_t n = d.a.size();
  for (auto _ : state) {
    for (size_t i = 0; i < n; i++)
      d.out[i] = (-d.b[i] + std::sqrt(d.b[i] * d.b[i] - 4 * d.a[i] * d.c[i])) / (2 * d.a[i]);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

// sqrt(2 pt1 pt2 (cosh(eta1 - eta2) - cos(phi1 - phi2))) of pairs given by two indexes
struct Electrons {
  std::vector<float> pt, eta, phi, out;
  std::vector<int32_t> first, second;
  float two = 2;
  explicit Electrons(int64_t n)
      : pt(uniform<float>(n, 10, 50)),
        eta(uniform<float>(n, -2, 2)),
        phi(uniform<float>(n, -3, 3)),
        out(pt.size()),
        first(pt.size()),
        second(pt.size()) {
    for (size_t i = 0; i < pt.size(); i++) {
      first[i] = static_cast<int32_t>(i / 2);
      second[i] = static_cast<int32_t>(std::min(i / 2 + 1, pt.size() - 1));
    }
  }
};

void dielectron_program(benchmark::State& state) {
  Electrons e(state.range(0));
  const DType t = DType::float32;
  ProgramBuilder b;
  const auto op = [&](Op o, auto... v) { return b.op(o, t, std::array{v...}); };
  const auto first = [&](int slot) { return b.gather(t, slot, 3, DType::int32); };
  const auto second = [&](int slot) { return b.gather(t, slot, 4, DType::int32); };
  const int angles = op(Op::subtract, op(Op::cosh, op(Op::subtract, first(1), second(1))),
                        op(Op::cos, op(Op::subtract, first(2), second(2))));
  const int momenta = op(Op::multiply, op(Op::multiply, b.scalar(t, 6), first(0)), second(0));
  b.store(op(Op::sqrt, op(Op::multiply, momenta, angles)), 5);
  const Program p = std::move(b).finish();
  for (auto _ : state)
    for (int64_t at = 0; at < state.range(0); at += kPiece) {
      void* slots[] = {e.pt.data(),          e.eta.data(),      e.phi.data(), e.first.data() + at,
                       e.second.data() + at, e.out.data() + at, &e.two};
      p.run(slots, std::min(kPiece, state.range(0) - at));
    }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void dielectron_loop(benchmark::State& state) {
  Electrons e(state.range(0));
  for (auto _ : state) {
    for (size_t k = 0; k < e.out.size(); k++) {
      const auto i = static_cast<size_t>(e.first[k]), j = static_cast<size_t>(e.second[k]);
      e.out[k] = std::sqrt(2 * e.pt[i] * e.pt[j] *
                           (std::cosh(e.eta[i] - e.eta[j]) - std::cos(e.phi[i] - e.phi[j])));
    }
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

// Building and scheduling: less than the evaluation of a few hundred items.
void build(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(quadratic<double>());
}

#define SIZES Arg(11)->Arg(4096)->Arg(1000000)->Arg(10000000)
BENCHMARK(quadratic_loop<double>)->SIZES;
BENCHMARK(quadratic_program<double>)->ArgsProduct({{11, 4096, 1000000, 10000000}, {0, 1, 2}});
BENCHMARK(quadratic_loop<float>)->SIZES;
BENCHMARK(quadratic_program<float>)->ArgsProduct({{11, 4096, 1000000, 10000000}, {0, 1, 2}});
BENCHMARK(dielectron_loop)->SIZES;
BENCHMARK(dielectron_program)->SIZES;
BENCHMARK(build);

}  // namespace
}  // namespace serrate::cpu

BENCHMARK_MAIN();
