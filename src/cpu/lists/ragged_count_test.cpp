// Counts of short lists that are made several lists at a time, around the limits of such a group
// and of a tile: counting folds and the offsets of filtered lists, against obvious loops.
#include <algorithm>

#include "../../../tests/cpp/catch.h"
#include "cpu/lists/ragged_testing.h"

namespace serrate::cpu {
namespace {

using namespace testing;
using Lengths = std::vector<int>;

Lengths joined(Lengths a, const Lengths& b, int times = 1) {
  for (int i = 0; i < times; i++) a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Groups of 4 or 8 lists with about 64 items together, with other ones before and after.
std::vector<Lengths> around_a_group() {
  std::vector<Lengths> all;
  for (const int lists : {4, 8})
    for (const int items : {63, 64, 65, 128}) {
      Lengths first(static_cast<size_t>(lists), 0), last = first, even = first;
      first.front() = last.back() = items;
      for (int i = 0; i < items; i++) even[static_cast<size_t>(i % lists)]++;
      for (const auto& group : {first, last, even}) {
        all.push_back(group);
        all.push_back(joined({}, group, 30));
        all.push_back(joined(joined({2, 0, 1}, group, 9), {0, 0, 5}));
      }
      all.push_back(joined(joined(first, even), last, 7));
    }
  for (const int one : {64, 65, 100, 5000})
    for (size_t at = 0; at < 9; at++) {
      Lengths group(9, 2);
      group[at] = one;
      all.push_back(joined({}, group, 5));
    }
  return all;
}

/// Short lists where a tile of 4096 items ends: in a list, with one, with empty ones.
std::vector<Lengths> around_a_tile() {
  std::vector<Lengths> all;
  for (int shift = -20; shift <= 20; shift++) {
    all.push_back(joined({4096 + shift}, Lengths(40, 3)));
    all.push_back(joined(joined(Lengths(511, 8), {8 + std::max(shift, -8)}), {0, 1, 4, 0, 9}, 6));
    all.push_back(joined(joined({}, {4, 0, 0, 5, 1, 2, 0, 3}, 272), Lengths{20 + shift}, 40));
  }
  for (const int shift : {-1, 0, 1}) {
    all.push_back({4096 + shift});
    all.push_back(joined({4096 + shift}, Lengths(9, 0)));
    all.push_back(joined({1, 4095 + shift, 4096}, Lengths(17, 0)));
  }
  return all;
}

std::vector<Lengths> around_the_end() {
  std::vector<Lengths> all;
  for (size_t lists = 0; lists < 35; lists++) {
    all.push_back(Lengths(lists, 0));
    all.push_back(Lengths(lists, 5));
    all.push_back(joined(Lengths(16, 3), Lengths(lists, 0)));
    all.push_back(joined(Lengths(lists, 0), {4, 1}));
  }
  for (const size_t lists : {63u, 64u, 65u, 500u}) all.push_back(Lengths(lists, 0));
  // A hundred thousand lists, skewed: most are short, some very long, some in empty regions.
  std::mt19937 random(17);
  Lengths skewed(100000);
  for (size_t p = 0; p < skewed.size(); p++) {
    const unsigned kind = random() % 1000;
    skewed[p] = static_cast<int>(kind == 0   ? random() % 3000
                                 : kind < 50 ? random() % 90
                                             : random() % 5);
    if (p % 5000 < 500) skewed[p] = 0;
  }
  all.push_back(skewed);
  return all;
}

std::vector<Lengths> patterns() {
  std::vector<Lengths> all = around_a_group();
  for (auto more : {around_a_tile(), around_the_end()})
    for (auto& lengths : more) all.push_back(std::move(lengths));
  return all;
}

/// Ones among the items of each list.
std::vector<int64_t> counts_of(const Lengths& lengths, const std::vector<uint8_t>& ones) {
  std::vector<int64_t> counts;
  size_t k = 0;
  for (const int n : lengths) {
    int64_t count = 0;
    for (int i = 0; i < n; i++) count += ones[k++];
    counts.push_back(count);
  }
  return counts;
}

template <class A>
std::vector<A> folded(Isa isa, Reducer reducer, DType type, const void* values,
                      const uint8_t* valid, Guarded<int32_t>& off, A identity) {
  const size_t lists = off.size() - 1;
  Guarded<A> acc(std::vector<A>(lists, identity));
  FoldArgs args;
  args.values = values;
  args.valid = valid;
  args.off = off.data();
  args.lists = static_cast<int64_t>(lists);
  args.acc = acc.data();
  ragged(isa).fold(reducer, type)(args);
  return acc.vector();
}

template <class T>
void check_counts(Isa isa, DType type, const Lengths& lengths, unsigned percent) {
  Guarded<int32_t> off = offsets_of(lengths);
  const auto n = static_cast<size_t>(off[lengths.size()]);
  std::mt19937 random(percent + static_cast<unsigned>(n));
  Guarded<T> values(n);
  Guarded<uint8_t> valid(n);
  for (size_t k = 0; k < n; k++) {
    // Any byte but 0 is true, also one whose lowest bit is 0.
    const int some = type == DType::boolean ? 1 : 2 << random() % 6;
    values[k] = static_cast<T>(random() % 100 < percent ? some : 0);
    valid[k] = random() % 4 != 0;
  }
  for (const bool masked : {false, true}) {
    std::vector<uint8_t> ones(n), zeros(n), there(n);
    for (size_t k = 0; k < n; k++) {
      there[k] = !masked || valid[k];
      ones[k] = there[k] && values[k] != T(0);
      zeros[k] = there[k] && values[k] == T(0);
    }
    const auto counts = counts_of(lengths, ones), no_counts = counts_of(lengths, zeros);
    std::vector<uint8_t> any, all;
    for (const int64_t count : counts) any.push_back(count != 0);
    for (const int64_t count : no_counts) all.push_back(count == 0);
    const uint8_t* const mask = masked ? valid.data() : nullptr;
    const auto fold = [&](Reducer reducer, auto identity) {
      return folded(isa, reducer, type, values.data(), mask, off, identity);
    };
    CHECK(fold(Reducer::count_nonzero, int64_t{0}) == counts);
    CHECK(fold(Reducer::count, int64_t{0}) == counts_of(lengths, there));
    CHECK(fold(Reducer::any, uint8_t{0}) == any);
    CHECK(fold(Reducer::all, uint8_t{1}) == all);
    // What accumulators hold already is kept.
    CHECK(fold(Reducer::any, uint8_t{1}) == std::vector<uint8_t>(lengths.size(), 1));
    CHECK(fold(Reducer::all, uint8_t{0}) == std::vector<uint8_t>(lengths.size(), 0));
  }
}

TEST_CASE("counting folds of several lists at a time") {
  for (const Isa isa : isas())
    for (const auto& lengths : patterns())
      for (const unsigned percent : {0u, 50u, 95u, 100u}) {
        INFO(name(isa) << ", " << lengths.size() << " lists, " << percent << " %");
        check_counts<uint8_t>(isa, DType::boolean, lengths, percent);
        check_counts<int8_t>(isa, DType::int8, lengths, percent);
        check_counts<float>(isa, DType::float32, lengths, percent);
      }
}

TEST_CASE("offsets of several filtered lists at a time") {
  for (const Isa isa : isas())
    for (const auto& lengths : patterns())
      for (const unsigned percent : {0u, 50u, 100u}) {
        INFO(name(isa) << ", " << lengths.size() << " lists, " << percent << " %");
        Guarded<int32_t> off = offsets_of(lengths);
        std::vector<uint8_t> ones(static_cast<size_t>(off[lengths.size()]));
        std::mt19937 random(percent);
        for (auto& one : ones) one = random() % 100 < percent;
        std::vector<int32_t> expected{0};
        for (const int64_t count : counts_of(lengths, ones))
          expected.push_back(expected.back() + static_cast<int32_t>(count));
        Guarded<uint8_t> mask(ones);
        Guarded<int32_t> out(expected.size(), kSlack);
        const auto lists = static_cast<int64_t>(lengths.size());
        ragged(isa).select_offsets(mask.data(), off.data(), lists, out.data());
        CHECK(out.vector() == expected);
        ragged(isa).select_offsets(mask.data(), off.data(), lists, off.data());
        CHECK(off.vector() == expected);
      }
}

}  // namespace
}  // namespace serrate::cpu
