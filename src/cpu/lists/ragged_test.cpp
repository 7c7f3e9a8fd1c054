// Ragged kernels against obvious loops, for every instruction set of this CPU: offsets, items,
// tuples, selection, checks.
#include "cpu/lists/ragged.h"

#include <algorithm>

#include "../../../tests/cpp/catch.h"
#include "cpu/lists/ragged_testing.h"

namespace serrate::cpu {
namespace {

using namespace testing;

template <class T>
constexpr IndexType index_type() {
  return sizeof(T) == 8 ? IndexType::i64 : (T(-1) < T(0) ? IndexType::i32 : IndexType::u32);
}

// body(kernels, lengths, off) for every instruction set and pattern.
template <class F>
void for_all(F body, int longest = 20000) {
  for (Isa isa : isas()) {
    std::mt19937 random(7);
    for (const auto& lengths : length_patterns(random, longest)) {
      auto off = offsets_of(lengths);
      INFO(name(isa) << ", " << lengths.size() << " lists, " << off[lengths.size()] << " items");
      body(ragged(isa), lengths, off, random);
    }
  }
}

template <class T>
void check_offsets() {
  for_all([](const RaggedKernels& k, const std::vector<int>& lengths, Guarded<int32_t>& off,
             auto& random) {
    const size_t lists = lengths.size();
    const int64_t n = off[lists];
    Guarded<T> physical(lists + 1), starts(lists), stops(lists);
    Guarded<uint8_t> valid(lists);
    for (size_t p = 0; p <= lists; p++) physical[p] = static_cast<T>(off[p] + 100);
    for (size_t p = 0; p < lists; p++) {
      starts[p] = static_cast<T>(random() % 1000);
      stops[p] = static_cast<T>(starts[p] + static_cast<T>(lengths[p]));
      valid[p] = random() % 3 != 0;
    }
    for (const auto& part :
         {std::pair<int64_t, int64_t>{0, 2147483647}, {0, n / 2}, {n / 3, n / 2}}) {
      const int64_t skip = part.first, limit = part.second;
      Guarded<int32_t> out(lists + 1, kSlack);
      const auto expected = [&](auto length) {
        std::vector<int32_t> e{
            static_cast<int32_t>(std::clamp<int64_t>(0, skip, skip + limit) - skip)};
        int64_t sum = 0;
        for (size_t p = 0; p < lists; p++) {
          sum += length(p);
          e.push_back(static_cast<int32_t>(std::clamp<int64_t>(sum, skip, skip + limit) - skip));
        }
        return std::pair(e, sum);
      };
      auto [e, total] = expected([&](size_t p) { return lengths[p]; });
      CHECK(k.local_offsets(index_type<T>(), physical.data(), static_cast<int64_t>(lists), skip,
                            limit, out.data()) == total);
      CHECK(out.vector() == e);
      CHECK(k.local_offsets_pairs(index_type<T>(), starts.data(), stops.data(), nullptr,
                                  static_cast<int64_t>(lists), skip, limit, out.data()) == total);
      CHECK(out.vector() == e);
      auto [m, masked] = expected([&](size_t p) { return valid[p] ? lengths[p] : 0; });
      CHECK(k.local_offsets_pairs(index_type<T>(), starts.data(), stops.data(), valid.data(),
                                  static_cast<int64_t>(lists), skip, limit, out.data()) == masked);
      CHECK(out.vector() == m);
    }
    // Positions within a content.
    Guarded<int64_t> at(static_cast<size_t>(n), kSlack);
    Guarded<int32_t> at32(static_cast<size_t>(n), kSlack);
    k.positions(index_type<T>(), starts.data(), off.data(), static_cast<int64_t>(lists), 5, 17,
                at.data());
    k.positions32(index_type<T>(), starts.data(), off.data(), static_cast<int64_t>(lists), 5, 17,
                  at32.data());
    bool same = true;
    for (size_t p = 0; p < lists; p++)
      for (int i = 0; i < lengths[p]; i++) {
        const int64_t e = static_cast<int64_t>(starts[p]) + i - 17 + (p == 0 ? 5 : 0);
        const size_t item = static_cast<size_t>(off[p] + i);
        same &= at[item] == e && at32[item] == e;
      }
    CHECK(same);
    for (int64_t items : {int64_t{0}, int64_t{1}, n / 2, n}) {
      const int64_t found =
          lists_within(index_type<T>(), physical.data(), static_cast<int64_t>(lists), items);
      CHECK(off[static_cast<size_t>(found)] <= items);
      if (found < static_cast<int64_t>(lists)) CHECK(off[static_cast<size_t>(found) + 1] > items);
    }
  });
}

TEST_CASE("local offsets and positions from physical offsets") {
  check_offsets<int32_t>();
  check_offsets<int64_t>();
  check_offsets<uint32_t>();
}

TEST_CASE("a list above 2^31 items is cut to a window") {
  for (Isa isa : isas()) {
    const int64_t offsets[] = {0, 5'000'000'000, 5'000'000'003};
    int32_t off[3 + 16];
    CHECK(ragged(isa).local_offsets(IndexType::i64, offsets, 2, 0, 2147483647, off) ==
          5'000'000'003);
    CHECK(off[1] == 2147483647);
    CHECK(ragged(isa).local_offsets(IndexType::i64, offsets, 2, 4'999'999'990, 12, off) ==
          5'000'000'003);
    CHECK(std::vector<int32_t>(off, off + 3) == std::vector<int32_t>{0, 10, 12});
    CHECK(ragged(isa).local_offsets_pairs(IndexType::i64, offsets, offsets + 1, nullptr, 2,
                                          4'999'999'990, 12, off) == 5'000'000'003);
    CHECK(std::vector<int32_t>(off, off + 3) == std::vector<int32_t>{0, 10, 12});
  }
}

TEST_CASE("expand, parents, lengths and local indexes") {
  for_all([](const RaggedKernels& k, const std::vector<int>& lengths, Guarded<int32_t>& off,
             auto& random) {
    const int64_t lists = static_cast<int64_t>(lengths.size());
    const size_t n = static_cast<size_t>(off[lengths.size()]);
    for (size_t size : {1, 2, 4, 8, 16}) {
      Guarded<uint8_t> values(lengths.size() * size), out(n * size, kSlack);
      for (size_t i = 0; i < values.size(); i++) values[i] = static_cast<uint8_t>(random());
      k.expand(static_cast<int>(size), values.data(), off.data(), lists, out.data());
      bool same = true;
      for (size_t p = 0; p < lengths.size(); p++)
        for (int i = off[p]; i < off[p + 1]; i++)
          same &= std::memcmp(&values.data()[p * size], out.data() + static_cast<size_t>(i) * size,
                              size) == 0;
      CHECK(same);
    }
    Guarded<int32_t> parent(n, kSlack), index32(n, kSlack);
    Guarded<int64_t> index(n, kSlack), length(lengths.size(), kSlack);
    k.parents(off.data(), lists, 1000, parent.data());
    k.local_index(off.data(), lists, 77, index.data());
    k.local_index32(off.data(), lists, 77, index32.data());
    k.lengths(off.data(), lists, length.data());
    bool same = true;
    for (size_t p = 0; p < lengths.size(); p++) {
      same &= length[p] == lengths[p];
      for (int i = 0; i < lengths[p]; i++) {
        const size_t item = static_cast<size_t>(off[p] + i);
        const int e = i + (p == 0 ? 77 : 0);
        same &=
            parent[item] == static_cast<int>(p) + 1000 && index[item] == e && index32[item] == e;
      }
    }
    CHECK(same);
  });
}

// All tuples of all lists by recursion, as rows of (list, positions...).
using Rows = std::vector<std::vector<int>>;
template <class Next>
void recurse(std::vector<int>& row, int depth, Next next, Rows& rows) {
  if (depth == 0) {
    rows.push_back(row);
    return;
  }
  for (auto [first, last] = next(row); first < last; first++) {
    row.push_back(first);
    recurse(row, depth - 1, next, rows);
    row.pop_back();
  }
}

// Runs a producer to its end in calls of at most `cap`, and compares with `rows`.
template <class Produce>
void check_producer(int k, int64_t lists, int64_t cap, const Rows& rows, Produce produce) {
  std::vector<Guarded<int32_t>> out;
  std::vector<int32_t*> pointers;
  for (int d = 0; d < k; d++) out.emplace_back(static_cast<size_t>(cap), kSlack);
  for (auto& o : out) pointers.push_back(o.data());
  Guarded<int32_t> off(static_cast<size_t>(lists) + 1, kSlack);
  TupleCursor cursor;
  size_t row = 0;
  bool same = true;
  int64_t covered = 0;
  while (cursor.list < lists) {
    const TupleCursor before = cursor;
    const TupleChunk chunk = produce(cursor, cap, pointers.data(), off.data());
    same &= chunk.first == before.list && chunk.tuples <= cap && off[0] == 0;
    same &= off[static_cast<size_t>(chunk.last - chunk.first)] == chunk.tuples;
    if (cursor.list == before.list && cursor.rank <= before.rank) FAIL("no progress");
    covered = chunk.last;
    for (int64_t p = chunk.first; p < chunk.last; p++)
      for (int t = off[static_cast<size_t>(p - chunk.first)];
           t < off[static_cast<size_t>(p - chunk.first) + 1]; t++) {
        if (row == rows.size()) FAIL("more tuples than expected");
        same &= rows[row][0] == p;
        for (int d = 0; d < k; d++)
          same &= out[static_cast<size_t>(d)][static_cast<size_t>(t)] ==
                  rows[row][static_cast<size_t>(d) + 1];
        row++;
      }
    if (!same) break;
  }
  CHECK(same);
  CHECK(row == rows.size());
  CHECK(covered == lists);
}

TEST_CASE("combinations") {
  for_all(
      [](const RaggedKernels& kernels, const std::vector<int>& lengths, Guarded<int32_t>& off,
         auto&) {
        const int64_t lists = static_cast<int64_t>(lengths.size());
        for (int k : {1, 2, 3, 4})
          for (bool replacement : {false, true}) {
            if (k == 4 && lists > 40) continue;
            Rows rows;
            std::vector<int64_t> expected;
            for (size_t p = 0; p < lengths.size(); p++) {
              const size_t before = rows.size();
              std::vector<int> row{static_cast<int>(p)};
              recurse(
                  row, k,
                  [&](const std::vector<int>& r) {
                    const int first = r.size() == 1 ? off[p] : r.back() + (replacement ? 0 : 1);
                    return std::pair<int, int>(first, off[p + 1]);
                  },
                  rows);
              expected.push_back(static_cast<int64_t>(rows.size() - before));
            }
            Guarded<int64_t> counts(lengths.size(), kSlack);
            CHECK(kernels.count_combinations(k, replacement, off.data(), lists, counts.data()) ==
                  static_cast<int64_t>(rows.size()));
            CHECK(counts.vector() == expected);
            for (int64_t cap : {1, 10, 64, 1000, 1000000}) {
              if (cap * 20000 < static_cast<int64_t>(rows.size())) continue;
              check_producer(k, lists, cap, rows,
                             [&](TupleCursor& cursor, int64_t c, int32_t** out, int32_t* o) {
                               return kernels.combinations(k, replacement, off.data(), lists,
                                                           cursor, c, out, o);
                             });
            }
          }
      },
      34);
}

TEST_CASE("pairs of one long list, and numbers of tuples that don't fit") {
  for (Isa isa : isas()) {
    auto off = offsets_of({700, 0, 2});
    Rows rows;
    for (int i = 0; i < 700; i++)
      for (int j = i + 1; j < 700; j++) rows.push_back({0, i, j});
    rows.push_back({2, 700, 701});
    check_producer(2, 3, 999, rows,
                   [&](TupleCursor& cursor, int64_t cap, int32_t** out, int32_t* o) {
                     return ragged(isa).combinations(2, false, off.data(), 3, cursor, cap, out, o);
                   });
    auto large = offsets_of({2000000000});
    CHECK(ragged(isa).count_combinations(2, false, large.data(), 1, nullptr) ==
          1999999999000000000);
    CHECK(ragged(isa).count_combinations(5, false, large.data(), 1, nullptr) == INT64_MAX);
    auto middle = offsets_of({67, 67});
    CHECK(ragged(isa).count_combinations(33, false, middle.data(), 1, nullptr) == INT64_MAX);
    CHECK(ragged(isa).count_combinations(65, false, middle.data(), 2, nullptr) == 2 * 67 * 66 / 2);
    const int32_t* bases[] = {large.data(), large.data(), large.data()};
    CHECK(ragged(isa).count_cartesian(3, bases, 1, nullptr) == INT64_MAX);
  }
}

TEST_CASE("cartesian") {
  for_all(
      [](const RaggedKernels& kernels, const std::vector<int>& lengths, Guarded<int32_t>& off,
         auto& random) {
        const int64_t lists = static_cast<int64_t>(lengths.size());
        std::vector<int> others = lengths, thirds = lengths;
        std::shuffle(others.begin(), others.end(), random);
        for (int& n : thirds) n = static_cast<int>(random() % 4);
        auto off2 = offsets_of(others), off3 = offsets_of(thirds);
        const int32_t* offs[] = {off.data(), off2.data(), off3.data()};
        for (int m : {1, 2, 3}) {
          Rows rows;
          std::vector<int64_t> expected;
          for (size_t p = 0; p < lengths.size(); p++) {
            const size_t before = rows.size();
            std::vector<int> row{static_cast<int>(p)};
            recurse(
                row, m,
                [&](const std::vector<int>& r) {
                  return std::pair<int, int>(offs[r.size() - 1][p], offs[r.size() - 1][p + 1]);
                },
                rows);
            expected.push_back(static_cast<int64_t>(rows.size() - before));
          }
          Guarded<int64_t> counts(lengths.size(), kSlack);
          CHECK(kernels.count_cartesian(m, offs, lists, counts.data()) ==
                static_cast<int64_t>(rows.size()));
          CHECK(counts.vector() == expected);
          for (int64_t cap : {1, 10, 64, 1000, 1000000}) {
            if (cap * 20000 < static_cast<int64_t>(rows.size())) continue;
            check_producer(m, lists, cap, rows,
                           [&](TupleCursor& cursor, int64_t c, int32_t** out, int32_t* o) {
                             return kernels.cartesian(m, offs, lists, cursor, c, out, o);
                           });
          }
        }
      },
      40);
}

TEST_CASE("select, compress and take") {
  for_all([](const RaggedKernels& k, const std::vector<int>& lengths, Guarded<int32_t>& off,
             auto& random) {
    const int64_t lists = static_cast<int64_t>(lengths.size());
    const size_t n = static_cast<size_t>(off[lengths.size()]);
    for (unsigned percent : {0, 5, 50, 100}) {
      Guarded<uint8_t> mask(n);
      std::vector<int32_t> chosen, offsets(1, 0);
      std::vector<int32_t> ones(n + 1, 0);
      for (size_t i = 0; i < n; i++) {
        mask[i] = random() % 100 < percent;
        ones[i + 1] = ones[i] + mask[i];
        if (mask[i]) chosen.push_back(static_cast<int32_t>(i));
      }
      for (size_t p = 0; p < lengths.size(); p++)
        offsets.push_back(ones[static_cast<size_t>(off[p + 1])]);
      Guarded<int32_t> out(n, kSlack), out_off(off.vector(), kSlack);
      REQUIRE(k.count_ones(mask.data(), static_cast<int64_t>(n)) ==
              static_cast<int64_t>(chosen.size()));
      REQUIRE(k.select(mask.data(), static_cast<int64_t>(n), out.data()) ==
              static_cast<int64_t>(chosen.size()));
      CHECK(out.vector(chosen.size()) == chosen);
      k.select_offsets(mask.data(), out_off.data(), lists, out_off.data());
      CHECK(out_off.vector() == offsets);
      for (size_t size : {1, 2, 4, 8, 16}) {
        Guarded<uint8_t> values(n * size), packed(chosen.size() * size, kSlack),
            taken(chosen.size() * size, kSlack);
        for (size_t i = 0; i < values.size(); i++) values[i] = static_cast<uint8_t>(random());
        std::vector<uint8_t> expected;
        for (int32_t i : chosen)
          for (size_t b = 0; b < size; b++)
            expected.push_back(values[static_cast<size_t>(i) * size + b]);
        const int itemsize = static_cast<int>(size);
        k.compress(itemsize, values.data(), mask.data(), static_cast<int64_t>(n), packed.data());
        CHECK(packed.vector(expected.size()) == expected);
        Guarded<int32_t> index(chosen, kSlack);
        Guarded<int64_t> index64(std::vector<int64_t>(chosen.begin(), chosen.end()), kSlack);
        k.take(itemsize, values.data(), index.data(), static_cast<int64_t>(chosen.size()),
               taken.data());
        CHECK(taken.vector() == expected);
        k.take64(itemsize, values.data(), index64.data(), static_cast<int64_t>(chosen.size()),
                 taken.data());
        CHECK(taken.vector() == expected);
        Guarded<uint8_t> in_place(values.vector(), kSlack);
        CHECK(k.compress(itemsize, in_place.data(), mask.data(), static_cast<int64_t>(n),
                         in_place.data()) == static_cast<int64_t>(chosen.size()));
        CHECK(in_place.vector(expected.size()) == expected);
      }
    }
  });
}

template <class T>
void check_checks() {
  for (Isa isa : isas()) {
    const RaggedKernels& k = ragged(isa);
    const IndexType type = index_type<T>();
    for (size_t n : {1, 2, 31, 1024, 1025, 5000}) {
      Guarded<T> offsets(n + 1), same(n + 1);
      for (size_t p = 0; p <= n; p++) offsets[p] = same[p] = static_cast<T>(3 + 2 * p);
      const int64_t lists = static_cast<int64_t>(n), end = 3 + 2 * lists;
      CHECK(k.validate_offsets(type, offsets.data(), lists, end) == -1);
      CHECK(k.validate_offsets(type, offsets.data(), lists, int64_t{1} << 40) == -1);
      CHECK(k.validate_offsets(type, offsets.data(), lists, end - 1) == lists);
      CHECK(k.validate_offsets(type, offsets.data(), lists, -1) == 0);
      CHECK(k.validate_pairs(type, offsets.data(), offsets.data() + 1, lists, end) == -1);
      CHECK(k.validate_pairs(type, offsets.data(), offsets.data() + 1, lists, end - 1) ==
            lists - 1);
      CHECK(k.validate_pairs(type, offsets.data(), offsets.data(), lists, 0) == -1);
      CHECK(k.validate_index(type, offsets.data(), lists, 3, end) == -1);
      CHECK(k.validate_index(type, offsets.data(), lists, -5, int64_t{1} << 40) == -1);
      CHECK(k.validate_index(type, offsets.data(), lists, 4, end) == 0);
      CHECK(k.validate_index(type, offsets.data(), lists, 3, end - 2) == lists - 1);
      CHECK(k.validate_index(type, offsets.data(), lists, 3, 3) == 0);
      CHECK(k.validate_index(type, offsets.data(), lists, -9, -3) == 0);
      CHECK(k.offsets_equal(type, offsets.data(), type, same.data(), lists) == -1);
      for (size_t bad : {size_t{1}, n / 2 + 1, n}) {
        const T good = offsets[bad];
        offsets[bad] = 1;
        CHECK(k.validate_offsets(type, offsets.data(), lists, end) == static_cast<int64_t>(bad));
        CHECK(k.validate_pairs(type, offsets.data(), offsets.data() + 1, lists, end) ==
              static_cast<int64_t>(bad) - 1);
        CHECK(k.offsets_equal(type, offsets.data(), type, same.data(), lists) ==
              static_cast<int64_t>(bad) - 1);
        offsets[bad] = static_cast<T>(-1);
        if (T(-1) < T(0) || bad != n)
          CHECK(k.validate_offsets(type, offsets.data(), lists, end) == static_cast<int64_t>(bad));
        CHECK(k.validate_index(type, offsets.data(), lists + 1, 0, end + 1) ==
              static_cast<int64_t>(bad));
        offsets[bad] = good;
      }
    }
  }
}

TEST_CASE("checks of offsets and indexes") {
  check_checks<int32_t>();
  check_checks<int64_t>();
  check_checks<uint32_t>();
  for (Isa isa : isas()) {
    const int64_t a[] = {10, 12, 15};
    const uint32_t b[] = {0, 2, 5}, c[] = {0, 2, 6};
    const int32_t d[] = {0, 2, 5}, e[] = {0, 2, 6};
    CHECK(ragged(isa).offsets_equal(IndexType::i64, a, IndexType::u32, b, 2) == -1);
    CHECK(ragged(isa).offsets_equal(IndexType::i64, a, IndexType::u32, c, 2) == 1);
    CHECK(ragged(isa).lengths_equal(d, d, 2) == -1);
    CHECK(ragged(isa).lengths_equal(d, e, 2) == 1);
  }
}

}  // namespace
}  // namespace serrate::cpu
