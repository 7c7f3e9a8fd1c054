// Inner loops one after the other against programs of the same expression, byte by byte: random
// expressions of all types, sizes around steps and parts, every instruction set of this CPU.
#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "../../../../tests/cpp/catch.h"
#include "cpu/isa/flat/loops_testing.h"
#include "cpu/program/inner_loops.h"

namespace serrate::cpu {
namespace {

using namespace testing;

// A step has 16, 32 or 64 items; a part has 4096 bytes of the largest ones.
constexpr std::array<size_t, 17> kSizes = {1,   15,  16,   31,   33,   63,   64,   65,  511,
                                           512, 513, 1023, 1025, 2049, 4095, 4097, 9000};

/// Slots 0 to 2: columns of the type; 3: one item; from 4 on: results.
struct Expression {
  DType type;
  int operations, stores;
  unsigned seed;

  ProgramBuilder build(std::vector<DType>& results) const {
    std::mt19937 random(seed);
    ProgramBuilder b;
    std::vector<int> values, computed;
    for (const int slot : {0, 1, 2}) values.push_back(b.load(type, slot));
    const auto any = [&](const auto& of) { return of[random() % of.size()]; };
    constexpr std::array kOps = {Op::add,        Op::subtract, Op::multiply,    Op::maximum,
                                 Op::less,       Op::equal,    Op::bitwise_and, Op::bitwise_or,
                                 Op::logical_or, Op::absolute, Op::logical_not, Op::floor_divide,
                                 Op::sqrt,       Op::negative};
    for (int tries = 0; std::ssize(computed) < operations && tries < 1000; tries++) {
      const int x = any(values);
      const DType t = b.type(x);
      if (random() % 6 == 0) {
        const int v = b.cast(x, random() % 12 == 0 ? DType::float16 : any(kTypes));
        if (v != x) computed.push_back(v), values.push_back(v);
        continue;
      }
      const Op op = any(kOps);
      // The larger of two zeros is either.
      if (!accepts(op, t) || (op == Op::maximum && is_floating(t))) continue;
      std::array args = {x, x};
      if (info(op).arity == 2) {
        std::vector<int> same;
        for (const int v : values)
          if (b.type(v) == t) same.push_back(v);
        const bool one = t == type && random() % 3 == 0;
        args[random() % 2] = one ? b.scalar(type, 3) : any(same);
      }
      const int v = b.op(op, t, std::span(args).first(info(op).arity));
      computed.push_back(v), values.push_back(v);
    }
    results.clear();
    for (int s = 0; s < stores; s++) {
      const int v = s == 0 ? computed.back() : any(computed);
      b.store(v, 4 + s);
      results.push_back(b.type(v));
    }
    return b;
  }
};

/// The results of n items, as bytes.
template <class P>
std::vector<std::vector<uint8_t>> results_of(const P& program, std::array<void*, 8> slots,
                                             const std::vector<DType>& types, size_t n) {
  std::vector<Guarded<uint8_t>> out;
  for (const DType t : types) out.emplace_back(n * static_cast<size_t>(itemsize(t)));
  for (size_t i = 0; i < out.size(); i++) slots[4 + i] = out[i].data();
  program.run(slots.data(), static_cast<int64_t>(n));
  std::vector<std::vector<uint8_t>> all;
  for (size_t i = 0; i < out.size(); i++) {
    make_nans_equal(out[i], types[i]);
    all.push_back(out[i].vector());
  }
  return all;
}

/// Have they loops? Every third size is tried.
bool check(const Expression& e, Isa isa, std::mt19937& random) {
  std::vector<DType> types;
  const InnerLoops loops = InnerLoops::of(e.build(types), isa);
  if (!loops) return false;
  const Program program = e.build(types).finish(isa);
  for (size_t i = e.seed % 3; i < kSizes.size(); i += 3) {
    const size_t n = kSizes[i];
    std::vector<Guarded<uint8_t>> in;
    for (int k = 0; k < 4; k++) in.push_back(items(e.type, k < 3 ? n : 1, random));
    std::array<void*, 8> slots = {in[0].data(), in[1].data(), in[2].data(), in[3].data()};
    INFO(name(isa) << " " << name(e.type) << ", seed " << e.seed << ", " << n << " items");
    const auto expected = results_of(program, slots, types, n);
    REQUIRE(results_of(loops, slots, types, n) == expected);
    // In place, where one value is stored.
    if (e.stores != 1 || itemsize(types[0]) != itemsize(e.type)) continue;
    slots[4] = slots[0];
    loops.run(slots.data(), static_cast<int64_t>(n));
    make_nans_equal(in[0], types[0]);
    REQUIRE(in[0].vector() == expected[0]);
  }
  return true;
}

TEST_CASE("random expressions as inner loops") {
  std::mt19937 random(3);
  for (const Isa isa : isas())
    for (const DType t : kTypes) {
      int found = 0;
      for (unsigned seed = 0; seed < 56; seed++) {
        const Expression e{t, 1 + static_cast<int>(seed % 7), 1 + static_cast<int>(seed % 4 == 3),
                           seed};
        found += check(e, isa, random);
      }
      INFO(name(isa) << " " << name(t));
      CHECK(found >= 10);
    }
}

/// a & b & ..., of numbers above a bound that one in `every` is, in runs.
TEST_CASE("inner loops end where nothing can be true any more") {
  constexpr DType t = DType::float32, boolean = DType::boolean;
  std::mt19937 random(4);
  const auto values = [&](size_t n, unsigned every) {
    Guarded<float> v(n);
    const size_t run = 1 + random() % 200;
    for (size_t i = 0; i < n; i++) v[i] = (i / run) % 2 == 0 && random() % every == 0 ? 1.F : -1.F;
    return v;
  };
  for (const Isa isa : isas())
    for (const unsigned every : {1U, 3U, 50U, 1U << 30})
      for (const bool opposite : {false, true})
        for (const bool column : {false, true})
          for (const bool left : {false, true}) {
            ProgramBuilder b;
            const auto above = [&](int slot) {
              return b.op(Op::greater, t, std::array{b.load(t, slot), b.scalar(t, 3)});
            };
            const auto both = [&](int x, int y) {
              return b.op(Op::bitwise_and, boolean, std::array{x, y});
            };
            const int x = column ? b.load(boolean, 5) : above(0), y = above(1), z = above(2);
            const int shared = b.op(Op::bitwise_or, boolean, std::array{y, x});
            const int all = left ? both(both(x, y), both(shared, z)) : both(x, both(y, z));
            b.store(opposite ? b.op(Op::logical_not, boolean, std::array{all}) : all, 4);
            const InnerLoops loops = InnerLoops::of(b, isa);
            REQUIRE(bool(loops));
            for (const size_t n : kSizes) {
              auto p = values(n, every), q = values(n, every), r = values(n, 1);
              Guarded<uint8_t> flags(n), out(n);
              for (size_t i = 0; i < n; i++) flags[i] = p[i] > 0;
              float bound = 0;
              void* slots[] = {p.data(), q.data(), r.data(), &bound, out.data(), flags.data()};
              loops.run(slots, static_cast<int64_t>(n));
              for (size_t i = 0; i < n; i++)
                REQUIRE(out[i] == uint8_t{(p[i] > 0 && q[i] > 0 && r[i] > 0) != opposite});
            }
          }
}

/// x * x * ... of this many intermediate results.
InnerLoops product(DType t, int results) {
  ProgramBuilder b;
  int v = b.load(t, 0);
  for (int i = 0; i <= results; i++) v = b.op(Op::multiply, t, std::array{v, b.scalar(t, 1)});
  b.store(v, 2);
  return InnerLoops::of(b);
}

TEST_CASE("which programs are inner loops") {
  CHECK(product(DType::float64, 4));
  CHECK(!product(DType::float64, 5));
  CHECK(product(DType::int16, 16));
  CHECK(!product(DType::int16, 17));
  CHECK(!InnerLoops::of(ProgramBuilder()));
  constexpr DType t = DType::float64;
  ProgramBuilder leaves;
  leaves.store(leaves.load(t, 0), 2);
  leaves.store(leaves.load(t, 1), 3);
  CHECK(!InnerLoops::of(leaves));
  ProgramBuilder twice;
  const int sum = twice.op(Op::add, t, std::array{twice.load(t, 0), twice.load(t, 1)});
  twice.store(sum, 2);
  twice.store(sum, 3);
  CHECK(!InnerLoops::of(twice));
  ProgramBuilder gathered;
  const int there = gathered.gather(t, 0, 1, DType::int32);
  gathered.store(gathered.op(Op::negative, t, std::array{there}), 2);
  CHECK(!InnerLoops::of(gathered));
  // Nothing reads 64 bytes of a boolean that is one item.
  ProgramBuilder one;
  const int more = one.op(Op::less, t, std::array{one.load(t, 0), one.load(t, 1)});
  one.store(
      one.op(Op::bitwise_and, DType::boolean, std::array{one.scalar(DType::boolean, 2), more}), 3);
  const InnerLoops loops = InnerLoops::of(one);
  REQUIRE(bool(loops));
  const std::vector<double> x(70, 1.0), y(70, 2.0);
  Guarded<uint8_t> truth(1), out(70);
  truth[0] = 1;
  void* slots[] = {const_cast<double*>(x.data()), const_cast<double*>(y.data()), truth.data(),
                   out.data()};
  loops.run(slots, 70);
  CHECK(out.vector() == std::vector<uint8_t>(70, 1));
}

TEST_CASE("halves one after the other as inner loops") {
  std::mt19937 random(5);
  for (const Isa isa : isas()) {
    if (isa == Isa::baseline) continue;
    constexpr DType t = DType::float16;
    const auto build = [&] {
      ProgramBuilder b;
      const int x = b.load(t, 0), y = b.load(t, 1), two = b.scalar(t, 2);
      const int sum = b.op(Op::add, t, std::array{b.op(Op::multiply, t, std::array{x, two}), y});
      b.store(b.op(Op::subtract, t, std::array{two, b.op(Op::exp, t, std::array{sum})}), 3);
      return b;
    };
    const InnerLoops loops = InnerLoops::of(build(), isa);
    REQUIRE(bool(loops));
    const Program program = build().finish(isa);
    for (const size_t n : kSizes) {
      Guarded<uint16_t> x(n), y(n), expected(n), got(n);
      // Up to 4: of NaN nobody promises a sign.
      for (auto* v : {&x, &y})
        for (size_t i = 0; i < n; i++)
          (*v)[i] = static_cast<uint16_t>(random() % 0x4400 | (random() % 2) << 15);
      uint16_t two = 0x4000;
      void* slots[] = {x.data(), y.data(), &two, expected.data()};
      program.run(slots, static_cast<int64_t>(n));
      slots[3] = got.data();
      loops.run(slots, static_cast<int64_t>(n));
      REQUIRE(got.vector() == expected.vector());
    }
  }
}

}  // namespace
}  // namespace serrate::cpu
