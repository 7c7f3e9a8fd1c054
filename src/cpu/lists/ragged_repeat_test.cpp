// Lists that are looked at again, against obvious loops, for every instruction set of this CPU.
#include "../../../tests/cpp/catch.h"
#include "cpu/lists/ragged_testing.h"

namespace serrate::cpu {
namespace {

using namespace testing;

/// What repeat_offsets says of lists of `repeated` lengths, each looked at by so many items.
struct Copies {
  Guarded<int32_t> begins, off;
  int64_t total;
};

Copies copies_of(const RaggedKernels& k, const std::vector<int>& lengths,
                 const std::vector<int>& times) {
  Guarded<int32_t> owners = offsets_of(times), repeated = offsets_of(lengths);
  const auto items = static_cast<size_t>(owners[times.size()]);
  Copies out{Guarded<int32_t>(items, kSlack), Guarded<int32_t>(items + 1, kSlack), 0};
  out.total = k.repeat_offsets(owners.data(), repeated.data(), static_cast<int64_t>(times.size()),
                               out.begins.data(), out.off.data());
  return out;
}

TEST_CASE("lists that are repeated") {
  for (const Isa isa : isas()) {
    std::mt19937 random(3);
    const RaggedKernels& k = ragged(isa);
    for (const auto& lengths : length_patterns(random, 300)) {
      INFO(name(isa) << ", " << lengths.size() << " lists");
      std::vector<int> times(lengths.size());
      for (int& n : times) n = static_cast<int>(random() % 20 == 0 ? random() % 40 : random() % 4);
      Copies made = copies_of(k, lengths, times);
      std::vector<int32_t> begins, off{0};
      int32_t begin = 0;
      for (size_t p = 0; p < lengths.size(); p++) {
        begins.insert(begins.end(), static_cast<size_t>(times[p]), begin);
        for (int i = 0; i < times[p]; i++) off.push_back(off.back() + lengths[p]);
        begin += lengths[p];
      }
      CHECK(made.begins.vector() == begins);
      CHECK(made.off.vector() == off);
      CHECK(made.total == off.back());
      for (const size_t size : {1, 2, 4, 8, 16}) {
        Guarded<uint8_t> values(static_cast<size_t>(begin) * size);
        Guarded<uint8_t> out(static_cast<size_t>(off.back()) * size, kSlack);
        for (size_t i = 0; i < values.size(); i++) values[i] = static_cast<uint8_t>(random());
        std::vector<uint8_t> expected;
        for (size_t p = 0; p < begins.size(); p++) {
          const uint8_t* const from = values.data() + static_cast<size_t>(begins[p]) * size;
          expected.insert(expected.end(), from,
                          from + static_cast<size_t>(off[p + 1] - off[p]) * size);
        }
        k.repeat(static_cast<int>(size), values.data(), begin, made.begins.data(), made.off.data(),
                 static_cast<int64_t>(begins.size()), 0, out.data());
        CHECK(out.vector() == expected);
      }
    }
  }
}

TEST_CASE("a repeated list that goes on in the next chunk") {
  for (const Isa isa : isas()) {
    Guarded<int64_t> values(std::vector<int64_t>{10, 11, 12, 13, 14});
    const int32_t begins[] = {0, 3};
    Guarded<int32_t> off = offsets_of({2, 2});
    Guarded<int64_t> out(4, kSlack);
    ragged(isa).repeat(8, values.data(), 5, begins, off.data(), 2, 1, out.data());
    CHECK(out.vector() == std::vector<int64_t>{11, 12, 13, 14});
  }
}

TEST_CASE("more copies than offsets can tell") {
  for (const Isa isa : isas()) {
    const std::vector<int> lengths(3, 1 << 20), times(3, 1 << 11);
    CHECK(copies_of(ragged(isa), lengths, times).total == 3 * (int64_t{1} << 31));
  }
}

}  // namespace
}  // namespace serrate::cpu
