// Lists that do not lie end to end: where they are, folds over them with what is between, copies;
// against the same lists packed, for every instruction set of this CPU.
#include <algorithm>
#include <complex>

#include "../../../tests/cpp/catch.h"
#include "cpu/lists/ragged_testing.h"

namespace serrate::cpu {
namespace {

using namespace testing;

constexpr int64_t kNowhere = 1'000'000'000'000;  // where lists without items may begin

struct Pairs {
  std::vector<int64_t> starts, stops;
  int64_t room;  // items of the domain
  int64_t lists() const { return static_cast<int64_t>(starts.size()); }
};

/// Lists of these lengths in ascending order, up to `most` items between two of them.
Pairs apart(std::mt19937& random, const std::vector<int>& lengths, unsigned most) {
  Pairs out;
  int64_t at = 7;
  for (const int n : lengths) {
    out.starts.push_back(at);
    out.stops.push_back(at += n);
    at += random() % (most + 1);
  }
  out.room = at;
  return out;
}

/// Those without items that others need not be around: they may say anything.
void mislead(Pairs& x) {
  const auto is_empty = [&](size_t p) { return x.starts[p] == x.stops[p]; };
  const size_t n = x.starts.size();
  for (size_t p = 0; p < n && is_empty(p); p++) x.starts[p] = x.stops[p] = p % 2 ? 0 : kNowhere;
  for (size_t p = n; p-- > 0 && is_empty(p);) x.starts[p] = x.stops[p] = p % 2 ? 0 : kNowhere;
}

TEST_CASE("spans of lists") {
  for (const Isa isa : isas()) {
    std::mt19937 random(3);
    const RaggedKernels& k = ragged(isa);
    for (const auto& lengths : length_patterns(random)) {
      for (const unsigned most : {0u, 1u, 9u}) {
        INFO(name(isa) << ", " << lengths.size() << " lists, gaps of up to " << most);
        Pairs x = apart(random, lengths, most);
        const Pairs plain = x;
        mislead(x);
        const Spans s = k.spans(x.starts.data(), x.stops.data(), x.lists());
        int64_t first = 0, last = 0, items = 0;
        for (size_t p = 0; p < lengths.size(); p++) {
          if (lengths[p] == 0) continue;
          if (items == 0) first = plain.starts[p];
          last = plain.stops[p];
          items += lengths[p];
        }
        CHECK(s.ascend);
        CHECK(s.items == items);
        CHECK(s.first == first);
        CHECK(s.last == last);
        Guarded<int32_t> off(lengths.size() + 1), ends(lengths.size());
        k.local_spans(x.starts.data(), x.stops.data(), x.lists(), s.first, s.last, off.data(),
                      ends.data());
        CHECK(off[lengths.size()] == last - first);
        bool right = true;
        for (size_t p = 0; p < lengths.size(); p++) {
          right &= ends[p] - off[p] == lengths[p] && ends[p] <= off[p + 1] && off[p] >= 0;
          right &= lengths[p] == 0 || off[p] == plain.starts[p] - first;
        }
        CHECK(right);
      }
    }
  }
}

TEST_CASE("lists that do not ascend") {
  for (const Isa isa : isas()) {
    const auto look = [&](std::vector<int64_t> starts, std::vector<int64_t> stops) {
      return ragged(isa).spans(starts.data(), stops.data(), static_cast<int64_t>(starts.size()));
    };
    CHECK_FALSE(look({kNowhere, 8, 0, 3}, {kNowhere, 9, 0, 7}).ascend);
    CHECK_FALSE(look({2, 3}, {4, 5}).ascend);  // they share an item
    CHECK_FALSE(look({2, kNowhere, 5}, {4, kNowhere, 6}).ascend);
    CHECK_FALSE(look({2, 2}, {4, 4}).ascend);  // the same twice
    CHECK(look({2, 4, 4}, {4, 4, 5}).ascend);
    for (const size_t at : {1, 127, 128, 129, 255, 256, 299}) {  // wherever it is
      std::vector<int64_t> starts(300), stops(300);
      for (size_t p = 0; p < 300; p++) stops[p] = (starts[p] = 2 * static_cast<int64_t>(p)) + 1;
      starts[at] -= 2;
      CHECK_FALSE(look(starts, stops).ascend);
    }
  }
}

template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

/// Folds over the lists with what is between them, whose items would be seen in each result.
template <class T>
void check_folds(Isa isa, const std::vector<int>& lengths, unsigned most, std::mt19937& random) {
  constexpr DType type = dtype_of<T>::value;
  const Pairs x = apart(random, lengths, most);
  const auto lists = lengths.size();
  const int64_t base = lists > 0 ? x.starts[0] : 0;
  Guarded<int32_t> off(lists + 1, kSlack), ends(lists, kSlack), packed = offsets_of(lengths);
  Guarded<Stored<T>> values(static_cast<size_t>(lists > 0 ? x.room - base : 0));
  Guarded<uint8_t> valid(values.size());
  const auto items = static_cast<size_t>(packed[lists]);
  Guarded<Stored<T>> alone(items);
  Guarded<uint8_t> alone_valid(items);
  const auto made = [](int x) {
    return static_cast<Stored<T>>(std::is_same_v<T, bool> ? x & 1 : x);
  };
  for (size_t i = 0; i < values.size(); i++) {
    values[i] = made(random() % 2 ? 0 : 3);
    valid[i] = 1;
  }
  off[lists] = static_cast<int32_t>(values.size());
  for (size_t p = 0; p < lists; p++) {
    off[p] = static_cast<int32_t>(x.starts[p] - base);
    ends[p] = static_cast<int32_t>(x.stops[p] - base);
    for (int i = 0; i < lengths[p]; i++) {
      const auto from = static_cast<size_t>(off[p] + i);
      const auto to = static_cast<size_t>(packed[p] + i);
      // Sums and products of these are exact, in any order.
      constexpr int kOf[] = {0, 1, 1, 1, 1, 1, 1, 2};
      alone[to] = values[from] = made(kOf[random() % 8]);
      alone_valid[to] = valid[from] = random() % 3 != 0;
    }
  }
  for (int r = 0; r < kReducerCount; r++) {
    const auto reducer = static_cast<Reducer>(r);
    const bool counts = type == DType::boolean || reducer == Reducer::any ||
                        reducer == Reducer::all || reducer == Reducer::count_nonzero ||
                        reducer == Reducer::count;
    if (counts || !can_fold(reducer, type)) continue;
    const bool finds = reducer == Reducer::argmin || reducer == Reducer::argmax;
    const auto size = static_cast<size_t>(itemsize(state_type(reducer, type)));
    for (const bool masked : {false, true}) {
      INFO(name(isa) << ", " << name(type) << ", reducer " << r << ", " << lists
                     << " lists, gaps of up to " << most << ", masked " << masked);
      const auto fold = [&](Guarded<Stored<T>>& from, Guarded<uint8_t>& mask, const int32_t* o,
                            const int32_t* e, std::vector<int64_t>& index) {
        Guarded<uint8_t> acc(lists * size);
        FoldArgs args;
        fill_identity(reducer, type, acc.data(), finds ? index.data() : nullptr,
                      static_cast<int64_t>(lists));
        args.values = from.data();
        args.valid = masked ? mask.data() : nullptr;
        args.off = o;
        args.ends = e;
        args.lists = static_cast<int64_t>(lists);
        args.acc = acc.data();
        args.index = index.data();
        args.first_index = 5;
        ragged(isa).fold(reducer, type)(args);
        for (size_t p = 0; finds && p < lists; p++)  // nothing else is said then
          if (index[p] < 0) std::fill_n(acc.data() + p * size, size, uint8_t{0});
        return acc.vector();
      };
      std::vector<int64_t> index(lists, -1), expected_index(lists, -1);
      const auto got = fold(values, valid, off.data(), ends.data(), index);
      const auto expected = fold(alone, alone_valid, packed.data(), nullptr, expected_index);
      CHECK(got == expected);
      CHECK(index == expected_index);
    }
  }
}

template <class T>
void check_type() {
  for (const Isa isa : isas()) {
    std::mt19937 random(5);
    for (const auto& lengths : length_patterns(random, 300))
      for (const unsigned most : {0u, 1u, 5u, 100u}) check_folds<T>(isa, lengths, most, random);
  }
}

TEST_CASE("folds over lists with items between them") {
  check_type<bool>();
  check_type<int8_t>();
  check_type<uint16_t>();
  check_type<int32_t>();
  check_type<uint64_t>();
  check_type<float>();
  check_type<double>();
  check_type<std::complex<float>>();
  check_type<std::complex<double>>();
}

TEST_CASE("a list of many tiles behind and before items of nobody") {
  for (const Isa isa : isas()) {
    std::mt19937 random(6);
    for (const unsigned most : {0u, 3u, 5000u}) {
      check_folds<uint8_t>(isa, {20'000, 3, 9000, 0, 1}, most, random);
      check_folds<int64_t>(isa, {3, 20'000, 0, 9000}, most, random);
    }
  }
}

TEST_CASE("copies of lists that lie anywhere") {
  for (const Isa isa : isas()) {
    std::mt19937 random(7);
    const RaggedKernels& k = ragged(isa);
    for (const auto& lengths : length_patterns(random, 300)) {
      Pairs x = apart(random, lengths, 3);
      // In any order, the first without its beginning.
      std::vector<size_t> order(lengths.size());
      for (size_t p = 0; p < order.size(); p++) order[p] = p;
      std::shuffle(order.begin(), order.end(), random);
      std::vector<int64_t> starts;
      std::vector<int> counts;
      int64_t last = 0;
      for (const size_t p : order) {
        starts.push_back(lengths[p] > 0 ? x.starts[p] : kNowhere);
        counts.push_back(lengths[p]);
        if (lengths[p] > 0) last = std::max(last, x.stops[p]);
      }
      const int start = !counts.empty() && counts[0] > 1 ? counts[0] / 2 : 0;
      if (start > 0) counts[0] -= start;
      Guarded<int32_t> off = offsets_of(counts);
      for (const size_t size : {1, 2, 4, 8, 16}) {
        INFO(name(isa) << ", " << lengths.size() << " lists of items of " << size << " bytes");
        Guarded<uint8_t> values(static_cast<size_t>(last) * size);
        for (size_t i = 0; i < values.size(); i++) values[i] = static_cast<uint8_t>(random());
        Guarded<uint8_t> out(static_cast<size_t>(off[counts.size()]) * size, kSlack);
        std::vector<uint8_t> expected;
        for (size_t p = 0; p < counts.size(); p++) {
          if (counts[p] == 0) continue;
          const uint8_t* const from =
              values.data() + static_cast<size_t>(starts[p] + (p == 0 ? start : 0)) * size;
          expected.insert(expected.end(), from, from + static_cast<size_t>(counts[p]) * size);
        }
        k.copy_lists(static_cast<int>(size), values.data(), last, starts.data(), off.data(),
                     static_cast<int64_t>(counts.size()), start, out.data());
        CHECK(out.vector() == expected);
      }
    }
  }
}

}  // namespace
}  // namespace serrate::cpu
