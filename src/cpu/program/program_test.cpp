// Programs: every operation and type against a plain reference, for every instruction set this CPU
// has.
#include "cpu/program/program.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "../../../tests/cpp/catch.h"
#include "cpu/program/program_test_reference.h"
#include "serrate/error.h"

using namespace serrate;
using namespace serrate::cpu;

namespace {

std::vector<Isa> isas() {
  std::vector<Isa> found;
  for (Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512})
    if (isa_available(isa)) found.push_back(isa);
  return found;
}

// One operation on T, run over all pairs of the edge values, compared item by item.
template <class T>
void check_op(Op op, Isa isa) {
  const DType t = dtype_of<T>::value;
  const int arity = info(op).arity;
  const std::vector<T> edge = edges<T>();
  using Stored =
      std::conditional_t<std::is_same_v<T, bool>, char, T>;  // vector<bool> has no data()
  std::vector<Stored> x, y;
  for (T a : edge)
    for (T b : edge) {
      x.push_back(a);
      y.push_back(b);
    }
  ProgramBuilder b;
  std::array args{b.load(t, 0), b.load(t, 1)};
  const int v = b.op(op, t, std::span(args).first(static_cast<size_t>(arity)));
  const DType result = b.type(v);
  b.store(v, 2);
  const Program p = std::move(b).finish(isa);
  std::vector<char> out(x.size() * static_cast<size_t>(itemsize(result)));
  void* slots[] = {x.data(), y.data(), out.data()};
  p.run(slots, std::ssize(x));
  for (size_t i = 0; i < x.size(); i++) {
    const auto expected = reference<T>(op, T(x[i]), T(y[i]));
    INFO(info(op).name << " " << name(t) << " " << cpu::name(isa) << " of " << +x[i] << ", "
                       << +y[i]);
    if (result == DType::boolean) {
      CHECK(out[i] == static_cast<char>(expected != 0));
    } else if (info(op).result == ResultRule::byte) {
      CHECK(out[i] == static_cast<char>(expected));
    } else if (info(op).result == ResultRule::exponent) {
      int32_t got = 0;
      std::memcpy(&got, &out[i * sizeof(got)], sizeof(got));
      CHECK(got == static_cast<int32_t>(expected));
    } else {
      T got;
      std::memcpy(&got, &out[i * sizeof(T)], sizeof(T));
      INFO("got " << +got << " expected " << +static_cast<double>(expected));
      CHECK(agrees<T>(got, expected, tolerance<T>(op, T(x[i]), T(y[i]), expected)));
    }
  }
}

template <class T>
void check_all() {
  const uint8_t kind = std::is_floating_point_v<T> ? kAcceptsFloating
                       : std::is_same_v<T, bool>   ? kAcceptsBool
                                                   : kAcceptsInteger;
  for (Isa isa : isas())
    for (int o = 0; o < kOpCount; o++) {
      const Op op = static_cast<Op>(o);
      if (!(info(op).accepts & kind) || op == Op::where || op == Op::ldexp) continue;
      check_op<T>(op, isa);
    }
}

}  // namespace

TEST_CASE("bool") { check_all<bool>(); }
TEST_CASE("int8") { check_all<int8_t>(); }
TEST_CASE("int16") { check_all<int16_t>(); }
TEST_CASE("int32") { check_all<int32_t>(); }
TEST_CASE("int64") { check_all<int64_t>(); }
TEST_CASE("uint8") { check_all<uint8_t>(); }
TEST_CASE("uint16") { check_all<uint16_t>(); }
TEST_CASE("uint32") { check_all<uint32_t>(); }
TEST_CASE("uint64") { check_all<uint64_t>(); }
TEST_CASE("float32") { check_all<float>(); }
TEST_CASE("float64") { check_all<double>(); }

namespace {

// n items that end where a page begins that can't be touched.
template <class T>
class Guarded {
 public:
  explicit Guarded(int64_t n) : page_(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
    size_ = (static_cast<size_t>(n) * sizeof(T) + page_ - 1) / page_ * page_ + page_;
    base_ = static_cast<char*>(
        mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base_ + size_ - page_, page_, PROT_NONE);
    data_ = reinterpret_cast<T*>(base_ + size_ - page_) - n;
  }
  ~Guarded() { munmap(base_, size_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  T* data() { return data_; }
  T& operator[](int64_t i) { return data_[i]; }

 private:
  size_t page_, size_;
  char* base_;
  T* data_;
};

constexpr int64_t kSizes[] = {0, 1, 11, 31, 32, 33, 63, 64, 65, 127, 129, 1000};

}  // namespace

TEST_CASE("nothing is read or written past n items") {
  for (Isa isa : isas())
    for (int64_t n : kSizes) {
      INFO(cpu::name(isa) << " " << n);
      Guarded<double> x(n), out(n);
      Guarded<float> f(n);
      Guarded<int8_t> bytes(n);
      Guarded<int32_t> index(n);
      Guarded<bool> less(n);
      Guarded<double> table(7);
      for (int i = 0; i < 7; i++) table[i] = 10 * i;
      for (int64_t i = 0; i < n; i++) {
        x[i] = static_cast<double>(i), f[i] = 0.5f, bytes[i] = static_cast<int8_t>(i);
        index[i] = static_cast<int32_t>((i * 5 + 6) % 7);
      }
      double three = 3;
      int64_t from = 100;
      ProgramBuilder b;
      const auto op = [&](Op o, auto... v) { return b.op(o, DType::float64, std::array{v...}); };
      const int vx = b.load(DType::float64, 0),
                vf = b.cast(b.load(DType::float32, 1), DType::float64),
                vb = b.cast(b.load(DType::int8, 2), DType::float64),
                vg = b.gather(DType::float64, 3, 4, DType::int32), s = b.scalar(DType::float64, 5),
                vi = b.cast(b.iota(6), DType::float64);
      const int sum = op(Op::add, op(Op::add, op(Op::multiply, vx, s), op(Op::multiply, vf, vb)),
                         op(Op::add, vg, vi));
      b.store(sum, 7);
      b.store(op(Op::less, sum, vi), 8);
      const Program p = std::move(b).finish(isa);
      void* slots[] = {x.data(), f.data(), bytes.data(), table.data(), index.data(),
                       &three,   &from,    out.data(),   less.data()};
      p.run(slots, n);
      for (int64_t i = 0; i < n; i++) {
        const double expected = 3 * x[i] + 0.5 * bytes[i] + table[index[i]] + double(100 + i);
        REQUIRE(out[i] == expected);
        REQUIRE(less[i] == (expected < double(100 + i)));
      }
    }
}

TEST_CASE("random expressions agree with evaluation one operation at a time") {
  std::mt19937 random(7);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  constexpr Op kBinary[] = {Op::add,     Op::subtract, Op::multiply, Op::maximum,
                            Op::minimum, Op::fmod,     Op::copysign};
  constexpr Op kUnary[] = {Op::negative, Op::absolute, Op::floor, Op::square, Op::sign, Op::trunc};
  constexpr int kInputs = 4, n = 133;
  std::array<std::array<float, n>, kInputs> in;
  for (auto& a : in)
    for (float& x : a) x = static_cast<float>(pick(2000) - 1000) / 64;
  float one = 1.5f;
  for (Isa isa : isas())
    for (int round = 0; round < 400; round++) {
      ProgramBuilder b;
      std::vector<int> values;
      std::vector<std::array<float, n>> expected;
      const auto same = [&](Op o, float x, float y) {
        return static_cast<float>(reference<float>(o, x, y));
      };
      for (int i = 0; i < kInputs; i++) {
        values.push_back(b.load(DType::float32, i));
        expected.push_back(in[static_cast<size_t>(i)]);
      }
      values.push_back(b.scalar(DType::float32, kInputs));
      expected.emplace_back().fill(one);
      for (int k = 0, count = 1 + pick(30); k < count; k++) {
        const auto x = static_cast<size_t>(pick(static_cast<int>(values.size())));
        const auto y = static_cast<size_t>(pick(static_cast<int>(values.size())));
        std::array<float, n> r;
        if (pick(3) == 0) {
          const Op o = kUnary[pick(6)];
          values.push_back(b.op(o, DType::float32, std::array{values[x]}));
          for (size_t i = 0; i < n; i++) r[i] = same(o, expected[x][i], 0);
        } else {
          const Op o = kBinary[pick(7)];
          values.push_back(b.op(o, DType::float32, std::array{values[x], values[y]}));
          for (size_t i = 0; i < n; i++) r[i] = same(o, expected[x][i], expected[y][i]);
        }
        expected.push_back(r);
      }
      const int stores = 1 + pick(3);
      struct alignas(64) Aligned : std::array<float, n> {};
      std::array<Aligned, 3> out;
      std::array<size_t, 3> stored{};
      for (int i = 0; i < stores; i++) {
        stored[static_cast<size_t>(i)] =
            i == 0 ? values.size() - 1 : static_cast<size_t>(pick(static_cast<int>(values.size())));
        b.store(values[stored[static_cast<size_t>(i)]], kInputs + 1 + i);
      }
      const Program p = std::move(b).finish(isa);
      void* slots[] = {in[0].data(), in[1].data(),  in[2].data(),  in[3].data(),
                       &one,         out[0].data(), out[1].data(), out[2].data()};
      p.run(slots, n, round % 2 == 1 ? Outputs::streamed : Outputs::memory);
      INFO(p.text());
      for (int s = 0; s < stores; s++)
        for (size_t i = 0; i < n; i++) {
          const float e = expected[stored[static_cast<size_t>(s)]][i],
                      g = out[static_cast<size_t>(s)][i];
          REQUIRE((g == e || (std::isnan(g) && std::isnan(e))));
        }
    }
}

TEST_CASE("several gathers by one index, close together and far apart") {
  std::mt19937 random(9);
  for (Isa isa : isas())
    for (int64_t n : kSizes)
      for (int span : {1, 2, 15, 16, 17, 31, 32, 33, 500}) {
        INFO(cpu::name(isa) << " " << n << " " << span);
        // The table ends with the last item that is asked for.
        const int64_t size = n / 3 + span;
        Guarded<float> x(size), y(size);
        Guarded<double> z(size), w(size);
        Guarded<int32_t> index(n);
        for (int64_t i = 0; i < size; i++) {
          x[i] = static_cast<float>(i), y[i] = static_cast<float>(2 * i);
          z[i] = static_cast<double>(3 * i), w[i] = static_cast<double>(4 * i);
        }
        for (int64_t i = 0; i < n; i++)
          index[i] = static_cast<int32_t>(i / 3 + static_cast<int>(random() % unsigned(span)));
        Guarded<float> narrow(n);
        Guarded<double> wide(n);
        ProgramBuilder b;
        const auto at = [&](DType t, int slot) { return b.gather(t, slot, 4, DType::int32); };
        b.store(
            b.op(Op::add, DType::float32, std::array{at(DType::float32, 0), at(DType::float32, 1)}),
            5);
        b.store(b.op(Op::subtract, DType::float64,
                     std::array{at(DType::float64, 3), at(DType::float64, 2)}),
                6);
        const Program p = std::move(b).finish(isa);
        void* slots[] = {x.data(),     y.data(),      z.data(),   w.data(),
                         index.data(), narrow.data(), wide.data()};
        p.run(slots, n);
        for (int64_t i = 0; i < n; i++) {
          REQUIRE(narrow[i] == 3 * static_cast<float>(index[i]));
          REQUIRE(wide[i] == static_cast<double>(index[i]));
        }
      }
}

TEST_CASE("what is computed alike is computed once") {
  ProgramBuilder b;
  std::vector<int> values, again;
  for (std::vector<int>* made : {&values, &again}) {
    for (int i = 0; i < 300; i++) {
      const int x = b.load(DType::int64, i % 2), y = b.scalar(DType::int64, 2 + i);
      const int sum = b.op(Op::add, DType::int64, std::array{x, y});
      made->push_back(b.op(Op::less, DType::int64, std::array{sum, y}));
      made->push_back(b.op(Op::less, DType::int64, std::array{y, sum}));
      made->push_back(b.cast(sum, DType::float32));
      made->push_back(b.cast(sum, DType::float64));
    }
  }
  CHECK(values == again);
  std::ranges::sort(again);
  CHECK(std::unique(again.begin(), again.end()) == again.end());
}

TEST_CASE("an output may be the input of a program with one store") {
  for (Isa isa : isas()) {
    std::vector<float> x(100);
    for (size_t i = 0; i < x.size(); i++) x[i] = static_cast<float>(i);
    ProgramBuilder b;
    const int v = b.load(DType::float32, 0);
    b.store(b.op(Op::add, DType::float32,
                 std::array{b.op(Op::square, DType::float32, std::array{v}), v}),
            0);
    const Program p = std::move(b).finish(isa);
    void* slots[] = {x.data()};
    p.run(slots, 100);
    CHECK(x[99] == 99 * 99 + 99);
    CHECK(x[3] == 12);
  }
}

TEST_CASE("a program without stores is empty; wrong arguments are errors") {
  ProgramBuilder b;
  const int x = b.load(DType::float64, 0);
  CHECK_THROWS_AS(b.op(Op::add, DType::float64, std::array{x}), TypeError);
  CHECK_THROWS_AS(b.op(Op::sqrt, DType::float32, std::array{x}), TypeError);
  CHECK_THROWS_AS(b.gather(DType::float64, 0, 1, DType::int16), TypeError);
  CHECK(std::move(b).finish().empty());
}
