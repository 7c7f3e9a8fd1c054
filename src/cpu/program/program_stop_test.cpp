// Programs that store a & b & c end a block in which no item of a is true.
#include <array>
#include <random>
#include <vector>

#include "../../../tests/cpp/catch.h"
#include "cpu/program/program.h"

using namespace serrate;
using namespace serrate::cpu;

namespace {

constexpr int64_t kSizes[] = {0, 1, 15, 16, 17, 63, 64, 65, 128, 300, 1000};
constexpr DType kBool = DType::boolean, kDouble = DType::float64;

/// Slots 0 to 2: columns; 3: indexes into the third; 4: the result; 5: zero; 6: another result.
struct Columns {
  std::vector<double> x[3];
  std::vector<int32_t> index;
  std::vector<char> out, more;
  double zero = 0;

  Columns(int64_t n, int every, std::mt19937& random) : index(n), out(n, 9), more(n, 9) {
    for (auto& column : x) {
      column.resize(static_cast<size_t>(n));
      // Positive ones are in some blocks, at their ends or in their midst, and not in others.
      for (double& value : column) value = random() % unsigned(every) == 0 ? 1 : -1;
    }
    for (auto& i : index) i = static_cast<int32_t>(random() % unsigned(n));
  }
  void run(const Program& p) {
    void* slots[] = {x[0].data(), x[1].data(), x[2].data(), index.data(),
                     out.data(),  &zero,       more.data()};
    p.run(slots, std::ssize(index));
  }
};

int positive(ProgramBuilder& b, int value) {
  return b.op(Op::greater, kDouble, std::array{value, b.scalar(kDouble, 5)});
}
int both(ProgramBuilder& b, int v, int w) { return b.op(Op::bitwise_and, kBool, std::array{v, w}); }

/// Three tests, the last one of items by index, joined from the left or from the right.
int three(ProgramBuilder& b, bool left) {
  const int p = positive(b, b.load(kDouble, 0)), q = positive(b, b.load(kDouble, 1));
  const int r = positive(b, b.gather(kDouble, 2, 3, DType::int32));
  return left ? both(b, both(b, p, q), r) : both(b, p, both(b, q, r));
}

template <class F>
void each_case(F f) {
  std::mt19937 random(7);
  for (Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512})
    for (int64_t n : kSizes)
      for (int every : {1, 2, 40, 400, 1 << 30})
        if (isa_available(isa)) f(isa, Columns(n, every, random));
}

bool stops(const Program& p) { return p.text().find("unless any") != std::string::npos; }

}  // namespace

TEST_CASE("blocks end where nothing can be true any more") {
  for (const bool left : {true, false})
    for (const bool opposite : {true, false})
      each_case([&](Isa isa, Columns c) {
        ProgramBuilder b;
        const int all = three(b, left);
        b.store(opposite ? b.op(Op::invert, kBool, std::array{all}) : all, 4);
        const Program p = std::move(b).finish(isa);
        CHECK(stops(p));
        c.run(p);
        for (size_t i = 0; i < c.index.size(); i++) {
          const bool is = c.x[0][i] > 0 && c.x[1][i] > 0 && c.x[2][size_t(c.index[i])] > 0;
          REQUIRE(c.out[i] == static_cast<char>(is != opposite));
        }
      });
}

TEST_CASE("a test that is asked for twice, and one inside of another operation") {
  each_case([](Isa isa, Columns c) {
    ProgramBuilder b;
    const int p = positive(b, b.load(kDouble, 0)), q = positive(b, b.load(kDouble, 1));
    const int differ = b.op(Op::bitwise_xor, kBool, std::array{p, q});
    b.store(both(b, both(b, p, both(b, q, p)), b.op(Op::bitwise_or, kBool, std::array{differ, q})),
            4);
    c.run(std::move(b).finish(isa));
    for (size_t i = 0; i < c.index.size(); i++)
      REQUIRE(c.out[i] == static_cast<char>(c.x[0][i] > 0 && c.x[1][i] > 0));
  });
}

TEST_CASE("blocks go on where more is stored, or where false decides nothing") {
  each_case([](Isa isa, Columns c) {
    ProgramBuilder two;
    const int all = three(two, true);
    two.store(all, 4);
    two.store(positive(two, two.load(kDouble, 1)), 6);
    const Program p = std::move(two).finish(isa);
    CHECK(!stops(p));
    c.run(p);
    for (size_t i = 0; i < c.index.size(); i++)
      REQUIRE(c.more[i] == static_cast<char>(c.x[1][i] > 0));

    ProgramBuilder either;
    const int q = positive(either, either.load(kDouble, 1));
    either.store(either.op(Op::bitwise_or, kBool, std::array{three(either, true), q}), 4);
    const Program o = std::move(either).finish(isa);
    CHECK(!stops(o));
    c.run(o);
    for (size_t i = 0; i < c.index.size(); i++)
      REQUIRE(c.out[i] == static_cast<char>(c.x[1][i] > 0));
  });
}
