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

void check_repeat(const RaggedKernels& k, const std::vector<int>& lengths,
                  const std::vector<int>& times, std::mt19937& random) {
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
      expected.insert(expected.end(), from, from + static_cast<size_t>(off[p + 1] - off[p]) * size);
    }
    k.repeat(static_cast<int>(size), values.data(), begin, made.begins.data(), made.off.data(),
             static_cast<int64_t>(begins.size()), 0, out.data());
    CHECK(out.vector() == expected);
  }
}

TEST_CASE("lists that are repeated") {
  for (const Isa isa : isas()) {
    std::mt19937 random(3);
    for (const auto& lengths : length_patterns(random, 300)) {
      INFO(name(isa) << ", " << lengths.size() << " lists");
      std::vector<int> times(lengths.size());
      for (int& n : times) n = static_cast<int>(random() % 20 == 0 ? random() % 40 : random() % 4);
      check_repeat(ragged(isa), lengths, times, random);
    }
  }
}

// Eight of them have 15, 16 or 17 items together, or begin so far apart, and few others have any.
TEST_CASE("several short lists that are repeated together") {
  for (const Isa isa : isas())
    for (const int items : {0, 1, 8, 15, 16, 17, 40})
      for (size_t at = 0; at < 20; at++)
        for (const int shape : {0, 1, 2, 3}) {
          std::mt19937 random(static_cast<unsigned>(at) + 1);
          std::vector<int> lengths(90, 0), times(90, 1);
          for (size_t p = 60; p < 90; p++) lengths[p] = static_cast<int>(random() % 2);
          lengths[at] = shape == 1 ? items / 4 : items;
          if (shape == 0) times[at + 3] = 0;
          if (shape == 1) times[at] = 4;
          if (shape == 2) times[at] = 0;  // what is skipped is between others
          if (shape == 3) lengths[at] /= 2, lengths[at + 4] = items - lengths[at];
          INFO(name(isa) << ", " << items << " items at " << at << ", shape " << shape);
          check_repeat(ragged(isa), lengths, times, random);
        }
}

TEST_CASE("a hundred thousand skewed lists that are repeated, or have one value each") {
  for (const Isa isa : isas()) {
    std::mt19937 random(5);
    std::vector<int> lengths(100000), times(lengths.size());
    for (int& n : lengths) n = static_cast<int>(random() % 500 ? random() % 3 : random() % 100);
    for (int& n : times) n = static_cast<int>(random() % 500 ? random() % 4 : random() % 30);
    check_repeat(ragged(isa), lengths, times, random);
  }
}

template <class T>
void check_expand(Isa isa, const std::vector<int>& lengths) {
  Guarded<int32_t> off = offsets_of(lengths);
  Guarded<T> values(lengths.size()), out(static_cast<size_t>(off[lengths.size()]), kSlack);
  std::vector<T> expected;
  for (size_t p = 0; p < lengths.size(); p++) {
    values[p] = static_cast<T>(p * 37 + 1);
    expected.insert(expected.end(), static_cast<size_t>(lengths[p]), values[p]);
  }
  ragged(isa).expand(sizeof(T), values.data(), off.data(), static_cast<int64_t>(lengths.size()),
                     out.data());
  CHECK(out.vector() == expected);
}

TEST_CASE("values of several short lists at a time") {
  for (const Isa isa : isas()) {
    const auto check = [&](const std::vector<int>& lengths) {
      INFO(name(isa) << ", " << lengths.size() << " lists");
      check_expand<uint8_t>(isa, lengths);
      check_expand<uint16_t>(isa, lengths);
      check_expand<uint32_t>(isa, lengths);
      check_expand<uint64_t>(isa, lengths);
    };
    for (size_t lists = 0; lists < 34; lists++)
      for (const int each : {0, 1, 2, 3}) check(std::vector<int>(lists, each));
    for (const int items : {7, 8, 9, 15, 16, 17, 18, 100})
      for (size_t at = 0; at < 24; at++) {
        std::vector<int> lengths(24, 0);
        lengths[at] = items;
        check(lengths);
        lengths[at] = items / 2;
        lengths[23 - at] += items - items / 2;
        check(lengths);
        lengths.resize(300, 0);  // among so many empty ones all are short
        check(lengths);
      }
    std::mt19937 random(9);
    std::vector<int> skewed(100000);
    for (const unsigned longest : {1, 2, 3}) {
      for (int& n : skewed)
        n = static_cast<int>(random() % 500 ? random() % (longest + 1) : random() % 100);
      check(skewed);
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
