// Gathers of items of 8 bytes at places that run on, repeat, or do neither, block by block.
#include <array>
#include <random>
#include <vector>

#include "../../../tests/cpp/catch.h"
#include "cpu/program/program.h"

using namespace serrate;
using namespace serrate::cpu;

namespace {

enum class Places { run, same, with_gap, any };

/// Eight places at a time of one of the kinds, in a table that ends with the last of them.
template <class I>
std::vector<I> places(int64_t n, int64_t size, std::mt19937& random) {
  std::vector<I> out;
  while (std::ssize(out) < n) {
    const auto kind = static_cast<Places>(random() % 4);
    const int64_t first = static_cast<int64_t>(random() % static_cast<uint64_t>(size - 8));
    const bool at_end = random() % 2 == 0;
    for (int64_t k = 0; k < 8; k++) {
      const int64_t begin = at_end ? size - 8 : first;
      int64_t at = kind == Places::same ? begin + 7 : begin + k;
      if (kind == Places::with_gap && k == 3) at = begin + 4;
      if (kind == Places::any) at = static_cast<int64_t>(random() % static_cast<uint64_t>(size));
      out.push_back(static_cast<I>(at));
    }
  }
  out.resize(static_cast<size_t>(n));
  return out;
}

template <class I>
void check_gathers(DType index_type, Isa isa) {
  std::mt19937 random(4);
  for (const int64_t n : {1, 7, 8, 9, 63, 64, 65, 300, 5'000}) {
    std::vector<double> table(211);
    for (size_t i = 0; i < table.size(); i++) table[i] = static_cast<double>(i) / 2;
    const std::vector<I> index = places<I>(n, std::ssize(table), random);
    std::vector<double> out(static_cast<size_t>(n));
    ProgramBuilder b;
    b.store(
        b.op(Op::negative, DType::float64, std::array{b.gather(DType::float64, 0, 1, index_type)}),
        2);
    const Program p = std::move(b).finish(isa);
    void* slots[] = {table.data(), const_cast<I*>(index.data()), out.data()};
    p.run(slots, n);
    int64_t wrong = 0;
    for (size_t i = 0; i < out.size(); i++)
      wrong += out[i] != -table[static_cast<size_t>(index[i])];
    CAPTURE(name(isa), name(index_type), n);
    CHECK(wrong == 0);
  }
}

TEST_CASE("gathers of runs of places and of the same place") {
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (!isa_available(isa)) continue;
    check_gathers<int32_t>(DType::int32, isa);
    check_gathers<int64_t>(DType::int64, isa);
  }
}

}  // namespace
