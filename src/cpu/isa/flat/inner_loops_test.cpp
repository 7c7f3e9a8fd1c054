// Inner loops against programs of the same operation, byte by byte: all operations, types and
// operands, sizes around a step of items, every instruction set of this CPU.
#include "cpu/program/inner_loops.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "../../../../tests/cpp/catch.h"
#include "cpu/isa/flat/loops_testing.h"
#include "cpu/lists/ragged_testing.h"

namespace serrate::cpu {
namespace {

using namespace testing;

constexpr std::array<size_t, 12> kSizes = {0, 1, 7, 15, 16, 17, 63, 64, 65, 128, 200, 1001};

/// Has this builder a loop, that gives what its program gives?
bool same_as_program(const std::function<ProgramBuilder()>& build, DType out_type, DType t, Isa isa,
                     std::mt19937& random) {
  const InnerLoops loop = InnerLoops::of(build(), isa);
  if (!loop) return false;
  const Program program = build().finish(isa);
  for (const size_t n : kSizes) {
    Guarded<uint8_t> x = items(t, n, random), y = items(t, n, random), one = items(t, 1, random);
    const size_t bytes = n * static_cast<size_t>(itemsize(out_type));
    Guarded<uint8_t> expected(bytes), got(bytes);
    std::array<void*, 4> slots = {x.data(), y.data(), one.data(), expected.data()};
    program.run(slots.data(), static_cast<int64_t>(n));
    slots[3] = got.data();
    loop.run(slots.data(), static_cast<int64_t>(n));
    INFO(n << " items");
    for (auto* r : {&got, &expected}) make_nans_equal(*r, out_type);
    CHECK(got.vector() == expected.vector());
    if (itemsize(out_type) != itemsize(t)) continue;
    slots[3] = x.data();  // in place
    loop.run(slots.data(), static_cast<int64_t>(n));
    make_nans_equal(x, out_type);
    CHECK(x.vector() == expected.vector());
  }
  return true;
}

TEST_CASE("single operations as one loop") {
  std::mt19937 random(7);
  for (const Isa isa : isas()) {
    std::set<std::pair<Op, DType>> found;
    for (int o = 0; o < kOpCount; o++) {
      const Op op = static_cast<Op>(o);
      if (op == Op::where || op == Op::ldexp) continue;
      for (const DType t : kTypes) {
        if (!accepts(op, t)) continue;
        for (const auto operands : {0, 1, 2}) {
          if (info(op).arity == 1 && operands > 0) continue;
          DType result{};
          const auto build = [&] { return program_of(op, t, operands, result); };
          build();
          INFO(name(isa) << " " << info(op).name << " of " << name(t) << ", " << operands);
          if (same_as_program(build, result, t, isa, random)) found.insert({op, t});
        }
      }
    }
    for (const DType t : kTypes)
      for (const Op op : {Op::equal, Op::less, Op::maximum}) CHECK(found.contains({op, t}));
    CHECK(found.contains({Op::sqrt, DType::float32}));
    CHECK(found.contains({Op::logical_not, DType::boolean}));
    for (const DType t : {DType::float32, DType::float64})
      for (const Op op : {Op::exp, Op::arctan2, Op::power}) CHECK(found.contains({op, t}));
  }
}

TEST_CASE("times as one loop") {
  std::mt19937 random(11);
  for (const Isa isa : isas()) {
    for (const DType t : {DType::datetime64, DType::timedelta64}) {
      for (int o = 0; o < kOpCount; o++) {
        const Op op = static_cast<Op>(o);
        if (steps_loop(isa, op, t, Operands::arrays) == nullptr) continue;
        for (const auto operands : {0, 1, 2}) {
          if (info(op).arity == 1 && operands > 0) continue;
          // Two dates have a difference, no sum.
          if (op == Op::add || op == Op::negative || op == Op::absolute)
            if (t == DType::datetime64) continue;
          DType result{};
          const auto build = [&] { return program_of(op, t, operands, result); };
          build();
          INFO(name(isa) << " " << info(op).name << " of " << name(t) << ", " << operands);
          CHECK(same_as_program(build, result, t, isa, random));
        }
      }
    }
  }
}

/// Of float16, all of whose numbers there are.
TEST_CASE("operations on halves as one loop") {
  constexpr size_t kAll = 65536;
  const DType t = DType::float16;
  const auto plain = [](std::vector<uint16_t> v) {
    for (auto& h : v)
      if ((h & 0x7fff) > 0x7c00) h = 0x7e00;  // the sign of a NaN is nobody's promise
    return v;
  };
  std::mt19937 random(11);
  Guarded<uint16_t> x(kAll), y(kAll);
  for (size_t i = 0; i < kAll; i++) x.data()[i] = static_cast<uint16_t>(i);
  for (size_t i = 0; i < kAll; i++) y.data()[i] = static_cast<uint16_t>(random());
  for (const Isa isa : isas()) {
    std::set<Op> found;
    for (int o = 0; o < kOpCount; o++) {
      const Op op = static_cast<Op>(o);
      const int arity = info(op).arity;
      if (op == Op::where || op == Op::ldexp || !accepts(op, t)) continue;
      for (const int operands : {0, 1, 2}) {
        if (arity == 1 && operands > 0) continue;
        DType result{};
        const auto build = [&] { return program_of(op, t, operands, result); };
        const InnerLoops loop = InnerLoops::of(build(), isa);
        if (!loop || itemsize(result) > 2) continue;
        found.insert(op);
        const Program program = build().finish(isa);
        for (uint16_t one : {0x8000, 0x0001, 0x4200, 0xfc00, 0x7e01}) {
          if (operands == 0 && one != 0x4200) continue;
          for (const size_t n : {kAll, size_t{0}, size_t{1}, size_t{31}, size_t{65}}) {
            Guarded<uint16_t> expected(n), got(n);
            std::array<void*, 4> slots = {x.data(), y.data(), &one, expected.data()};
            program.run(slots.data(), static_cast<int64_t>(n));
            slots[3] = got.data();
            loop.run(slots.data(), static_cast<int64_t>(n));
            INFO(name(isa) << " " << info(op).name << ", " << operands << ", " << n << " items");
            CHECK(plain(got.vector()) == plain(expected.vector()));
          }
        }
      }
    }
    if (isa == Isa::baseline) continue;
    for (const Op op : {Op::exp, Op::arctan2, Op::absolute, Op::add}) CHECK(found.contains(op));
  }
}

TEST_CASE("constants and copies as one loop") {
  std::mt19937 random(8);
  for (const Isa isa : isas()) {
    for (const DType t : kTypes) {
      for (const bool is_one : {false, true}) {
        INFO(name(isa) << " " << name(t) << (is_one ? ", a constant" : ", a copy"));
        const auto build = [&] {
          ProgramBuilder b;
          b.store(is_one ? b.scalar(t, 2) : b.load(t, 0), 3);
          return b;
        };
        CHECK(same_as_program(build, t, t, isa, random));
      }
    }
  }
}

TEST_CASE("conversions as one loop") {
  std::mt19937 random(9);
  for (const Isa isa : isas()) {
    for (const DType from : kTypes) {
      for (const DType to : kTypes) {
        if (from == to) continue;
        INFO(name(isa) << " " << name(from) << " to " << name(to));
        const auto build = [&] {
          ProgramBuilder b;
          b.store(b.cast(b.load(from, 0), to), 3);
          return b;
        };
        CHECK(same_as_program(build, to, from, isa, random));
      }
    }
  }
}

TEST_CASE("operations on converted items as one loop") {
  std::mt19937 random(10);
  // From less than a part to several.
  constexpr std::array<size_t, 7> kAround = {1, 511, 512, 513, 1024, 1100, 1537};
  for (const Isa isa : isas()) {
    for (const DType from : kTypes) {
      for (const DType t : {DType::int32, DType::int64, DType::float32, DType::float64}) {
        if (from == t) continue;
        for (const Op op : {Op::subtract, Op::less, Op::power, Op::floor_divide}) {
          for (const int operands : {0, 1, 2, 3}) {
            INFO(name(isa) << " " << info(op).name << " of " << name(from) << " as " << name(t)
                           << ", " << operands);
            DType result{};
            const auto build = [&] {
              ProgramBuilder b;
              const auto converted = [&](int slot) { return b.cast(b.load(from, slot), t); };
              const std::array args = {operands == 2 ? b.scalar(t, 2) : converted(0),
                                       operands == 1   ? b.scalar(t, 2)
                                       : operands == 3 ? b.load(t, 3)
                                                       : converted(1)};
              const int v = b.op(op, t, args);
              result = b.type(v);
              b.store(v, 4);
              return b;
            };
            build();
            const InnerLoops loop = InnerLoops::of(build(), isa);
            const bool cheap = op == Op::subtract || op == Op::less;
            CHECK((!cheap || bool(loop)));
            if (!loop) continue;
            const Program program = build().finish(isa);
            for (const size_t n : kAround) {
              Guarded<uint8_t> x = items(from, n, random), y = items(from, n, random),
                               one = items(t, 1, random), plain = items(t, n, random);
              const size_t bytes = n * static_cast<size_t>(itemsize(result));
              Guarded<uint8_t> expected(bytes), got(bytes);
              std::array<void*, 5> slots = {x.data(), y.data(), one.data(), plain.data(),
                                            expected.data()};
              program.run(slots.data(), static_cast<int64_t>(n));
              slots[4] = got.data();
              loop.run(slots.data(), static_cast<int64_t>(n));
              INFO(n << " items");
              CHECK(got.vector() == expected.vector());
            }
          }
        }
      }
    }
  }
}

/// All numbers of a type of 8 or 16 bits by all of 8 bits, and by those of 16 that are at an edge.
template <class T>
void check_by_every_number(Isa isa) {
  using L = std::numeric_limits<T>;
  constexpr DType t = dtype_of<T>::value;
  std::vector<T> values, numbers;
  for (int k = L::min(); k <= L::max(); k++) values.push_back(static_cast<T>(k));
  for (const T k : values) {
    const auto size = static_cast<unsigned>(k < 0 ? -k : k);
    if (sizeof(T) == 1 || size < 40 || size > L::max() - 60 || std::has_single_bit(size) ||
        std::has_single_bit(size + 1) || std::has_single_bit(size - 1) || size % 997 == 0)
      numbers.push_back(k);
  }
  constexpr int kBits = 8 * sizeof(T);
  const auto expected = [](Op op, int x, int y) -> std::optional<T> {
    const auto wrapped = [](int v) { return static_cast<T>(v); };
    const bool is_far = y < 0 || y >= kBits;
    if (op == Op::left_shift) return is_far ? T(0) : wrapped(static_cast<int>(unsigned(x) << y));
    if (op == Op::right_shift) return wrapped(is_far ? (x < 0 ? -1 : 0) : x >> y);
    if (op == Op::power)
      return y == 2 ? std::optional(wrapped(static_cast<int>(unsigned(x) * unsigned(x))))
                    : std::nullopt;
    if (y == 0) return T(0);
    const int rest = x % y, below = rest != 0 && (rest < 0) != (y < 0);
    return wrapped(op == Op::remainder ? rest + below * y : x / y - below);
  };
  for (const Op op :
       {Op::floor_divide, Op::remainder, Op::power, Op::left_shift, Op::right_shift}) {
    ProgramBuilder b;
    const std::array args = {b.load(t, 0), b.scalar(t, 1)};
    b.store(b.op(op, t, args), 2);
    const InnerLoops loop = InnerLoops::of(b, isa);
    REQUIRE(bool(loop));
    std::vector<T> out(values.size());
    bool equal = true;
    for (T by : numbers) {
      if (op == Op::power && by != 2) continue;
      std::array<void*, 3> slots = {values.data(), &by, out.data()};
      loop.run(slots.data(), static_cast<int64_t>(values.size()));
      for (size_t i = 0; i < values.size(); i++)
        equal = equal && out[i] == *expected(op, values[i], by);
    }
    INFO(name(isa) << " " << info(op).name << " of " << name(t));
    CHECK(equal);
  }
}

TEST_CASE("integers by every small number as one loop") {
  for (const Isa isa : isas()) {
    check_by_every_number<int8_t>(isa);
    check_by_every_number<uint8_t>(isa);
    check_by_every_number<int16_t>(isa);
    check_by_every_number<uint16_t>(isa);
  }
}

}  // namespace
}  // namespace serrate::cpu
