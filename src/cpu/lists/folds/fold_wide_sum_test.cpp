// Sums of float32 as float64 have the bits of those that are converted before, for every
// instruction set, in lists of all lengths, end to end or apart, with items that take no part.
#include <cstring>
#include <random>
#include <vector>

#include "../../../../tests/cpp/catch.h"
#include "cpu/lists/ragged.h"
#include "cpu/lists/ragged_testing.h"

namespace serrate::cpu {
namespace {

using namespace testing;

struct Lists {
  std::vector<int> lengths;
  Guarded<int32_t> off;
  explicit Lists(std::mt19937& random, int count, int longest)
      : lengths(static_cast<size_t>(count)), off(static_cast<size_t>(count) + 1, kSlack) {
    for (int& n : lengths) n = static_cast<int>(random() % static_cast<unsigned>(longest + 1));
    off[0] = 0;
    for (size_t p = 0; p < lengths.size(); p++) off[p + 1] = off[p] + lengths[p];
  }
};

void check_sums(Isa isa, Lists lists, std::mt19937& random) {
  const auto n = static_cast<size_t>(lists.off[lists.lengths.size()]);
  Guarded<float> narrow(n);
  Guarded<uint8_t> valid(n);
  Guarded<int32_t> ends(lists.lengths.size(), kSlack);
  std::vector<double> wide(n + 8), room(n + 8);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (size_t i = 0; i < n; i++) {
    wide[i] = static_cast<double>(narrow[i] = uniform(random));
    valid[i] = random() % 3 != 0;
  }
  for (size_t p = 0; p < lists.lengths.size(); p++)
    ends[p] = lists.off[p + 1] - lists.lengths[p] / 3;
  for (const bool masked : {false, true})
    for (const bool apart : {false, true}) {
      FoldArgs args;
      args.off = lists.off.data();
      args.ends = apart ? ends.data() : nullptr;
      args.valid = masked ? valid.data() : nullptr;
      args.lists = static_cast<int64_t>(lists.lengths.size());
      const auto sums = [&](auto&& fold) {
        std::vector<double> acc(lists.lengths.size(), 0.5);
        args.acc = acc.data();
        fold();
        return acc;
      };
      const auto same = [](const std::vector<double>& a, const std::vector<double>& b) {
        return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
      };
      args.values = wide.data();
      const auto expected = sums([&] { ragged(isa).fold(Reducer::sum, DType::float64)(args); });
      args.values = narrow.data();
      CHECK(same(sums([&] { ragged(isa).wide_sum(args, nullptr); }), expected));
      CHECK(same(sums([&] { ragged(isa).wide_sum(args, room.data()); }), expected));
      if (isa == best_isa()) CHECK(same(sums([&] { fold_wide_sum(args); }), expected));
    }
}

}  // namespace

TEST_CASE("sums of float32 as float64: the bits of converted items") {
  std::mt19937 random(7);
  for (const Isa isa : isas())
    for (const int longest : {0, 1, 3, 7, 8, 9, 16, 17, 40, 300, 5000}) {
      INFO(name(isa) << ", up to " << longest);
      for (const int count : {0, 1, 2, 9, 100})
        check_sums(isa, Lists(random, count, longest), random);
    }
}

}  // namespace serrate::cpu
