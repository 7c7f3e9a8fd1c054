// Folds, merges and histograms against obvious loops, for every instruction set of this CPU.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <map>
#include <string>

#include "../../../tests/cpp/catch.h"
#include "cpu/lists/ragged.h"
#include "cpu/lists/ragged_testing.h"

namespace serrate::cpu {
namespace {

using namespace testing;

constexpr bool is_arg(Reducer r) { return r == Reducer::argmin || r == Reducer::argmax; }

template <class T>
struct IsComplex : std::false_type {};
template <class R>
struct IsComplex<std::complex<R>> : std::true_type {};
template <class T>
constexpr bool kIsComplex = IsComplex<T>::value;

// bool has no bytes of its own in kernels.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
template <class T>
using Total = std::conditional_t<
    kIsComplex<T> || std::is_floating_point_v<T>, T,
    std::conditional_t<std::is_same_v<T, bool> || std::is_signed_v<T>, int64_t, uint64_t>>;

template <class T>
Stored<T> draw(std::mt19937& random) {
  if constexpr (kIsComplex<T>) {
    using R = typename T::value_type;
    return T(static_cast<R>(static_cast<int>(random() % 7) - 3),
             static_cast<R>(static_cast<int>(random() % 5) - 2));
  } else if constexpr (std::is_floating_point_v<T>) {
    if (random() % 16 == 0) return std::numeric_limits<T>::quiet_NaN();
    if (random() % 32 == 0) return -std::numeric_limits<T>::infinity();
    return static_cast<T>(static_cast<int>(random() % 2001) - 1000) / 4;
  } else if constexpr (std::is_same_v<T, bool>) {
    return random() % 4 != 0;
  } else {
    if (random() % 16 == 0) return std::numeric_limits<T>::lowest();
    return static_cast<T>(random());
  }
}

// The meaning of a fold: items one after the other.
template <class T, class A>
void step(Reducer reducer, Stored<T> x, int64_t position, A& acc, int64_t& index) {
  // Each kind of accumulator is used with some reducers only.
  if constexpr (std::is_same_v<A, Stored<T>> && !kIsComplex<T>) {
    if (reducer == Reducer::min && x < acc) acc = x;
    if (reducer == Reducer::max && x > acc) acc = x;
    if (is_arg(reducer) && (index < 0 || (reducer == Reducer::argmin ? x < acc : x > acc))) {
      acc = x;
      index = position;
    }
  }
  if constexpr (std::is_same_v<A, Total<T>>) {
    // Integers wrap around.
    using W = std::conditional_t<std::is_integral_v<A>, uint64_t, A>;
    if (reducer == Reducer::sum) acc = static_cast<A>(static_cast<W>(acc) + static_cast<W>(x));
    if (reducer == Reducer::prod) acc = static_cast<A>(static_cast<W>(acc) * static_cast<W>(x));
  }
}

template <class A>
bool close(A a, A b) {
  if constexpr (kIsComplex<A>) {
    return close(a.real(), b.real()) && close(a.imag(), b.imag());
  } else if constexpr (std::is_floating_point_v<A>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (a == b) return true;
    return std::abs(a - b) <= 1e-3 * (1 + std::abs(a));
  } else {
    return a == b;
  }
}

template <class T, class A>
void check_fold(Reducer reducer, Isa isa, const std::vector<int>& lengths, Guarded<int32_t>& off,
                std::mt19937& random) {
  const RaggedKernels& k = ragged(isa);
  const DType type = dtype_of<T>::value;
  const size_t lists = lengths.size(), n = static_cast<size_t>(off[lists]);
  REQUIRE(can_fold(reducer, type));
  REQUIRE(itemsize(state_type(reducer, type)) == sizeof(A));
  const FoldFn fold = k.fold(reducer, type);
  REQUIRE(fold != nullptr);
  Guarded<Stored<T>> values(n);
  Guarded<uint8_t> valid(n);
  for (size_t i = 0; i < n; i++) {
    values[i] = draw<T>(random);
    // Products and complex sums of many items are compared where they are exact.
    if (reducer == Reducer::prod && !std::is_integral_v<T>) values[i] = random() % 2 ? T(1) : T(-1);
    if constexpr (std::is_floating_point_v<T>)
      if (reducer == Reducer::sum && random() % 50) values[i] = static_cast<T>(random() % 100) / 4;
    valid[i] = random() % 3 != 0;
  }
  for (bool masked : {false, true}) {
    std::vector<A> expected(lists);
    std::vector<int64_t> expected_index(lists, -1), index(lists, 0);
    Guarded<A> acc(lists);
    fill_identity(reducer, type, expected.data(), nullptr, static_cast<int64_t>(lists));
    fill_identity(reducer, type, acc.data(), index.data(), static_cast<int64_t>(lists));
    const int64_t first_index = 1000;
    for (size_t p = 0; p < lists; p++)
      for (int i = 0; i < lengths[p]; i++) {
        const size_t item = static_cast<size_t>(off[p] + i);
        if (masked && !valid[item]) continue;
        const auto x = values[item];
        const bool truth = x != Stored<T>(0);
        if (reducer == Reducer::any)
          expected[p] = expected[p] != A(0) || truth;
        else if (reducer == Reducer::all)
          expected[p] = expected[p] != A(0) && truth;
        else if (reducer == Reducer::count)
          expected[p] += A(1);
        else if (reducer == Reducer::count_nonzero)
          expected[p] += A(truth);
        else
          step<T, A>(reducer, x, i + (p == 0 ? first_index : 0), expected[p], expected_index[p]);
      }
    FoldArgs args;
    args.values = values.data();
    args.valid = masked ? valid.data() : nullptr;
    args.off = off.data();
    args.lists = static_cast<int64_t>(lists);
    args.acc = acc.data();
    args.index = index.data();
    args.first_index = first_index;
    fold(args);
    const auto same = [&](const A* got, const std::vector<int64_t>& got_index) {
      for (size_t p = 0; p < lists; p++) {
        if (is_arg(reducer) && got_index[p] != expected_index[p]) return false;
        if (is_arg(reducer) && got_index[p] < 0) continue;
        if (!close(got[p], expected[p])) return false;
      }
      return true;
    };
    INFO("masked " << masked);
    CHECK(same(acc.data(), index));
    if (lists == 0) continue;

    // The same in two chunks, cut at an item, once with the same accumulators, once with others
    // that are merged.
    const int32_t cut = static_cast<int32_t>(n / 3);
    size_t at = 0;
    while (at + 1 < lists && off[at + 1] < cut) at++;
    Guarded<int32_t> head(at + 2, kSlack), tail(lists - at + 1, kSlack);
    for (size_t p = 0; p <= at + 1; p++) head[p] = std::min(off[p], cut);
    for (size_t p = at; p <= lists; p++) tail[p - at] = std::max(off[p], cut) - cut;
    for (bool merged : {false, true}) {
      // A NaN in front of a later part is skipped, which the loop above doesn't know if there was
      // nothing before it.
      std::vector<A> one(lists), two(lists);
      std::vector<int64_t> one_index(lists), two_index(lists);
      fill_identity(reducer, type, one.data(), one_index.data(), static_cast<int64_t>(lists));
      fill_identity(reducer, type, two.data(), two_index.data(), static_cast<int64_t>(lists));
      FoldArgs first = args, second = args;
      first.off = head.data();
      first.lists = static_cast<int64_t>(at) + 1;
      first.acc = one.data();
      first.index = one_index.data();
      second.values = values.data() + cut;
      second.valid = masked ? valid.data() + cut : nullptr;
      second.off = tail.data();
      second.lists = static_cast<int64_t>(lists - at);
      second.acc = (merged ? two : one).data() + at;
      second.index = (merged ? two_index : one_index).data() + at;
      second.first_index = head[at + 1] - head[at] + (at == 0 ? first_index : 0);
      fold(first);
      second.first_started = merged && one_index[at] >= 0;
      fold(second);
      if (merged)
        k.merge(reducer, type, one.data(), one_index.data(), two.data(), two_index.data(),
                static_cast<int64_t>(lists));
      INFO("merged " << merged);
      CHECK(same(one.data(), one_index));
    }
  }
}

template <class T>
void check_type() {
  for (Isa isa : isas()) {
    std::mt19937 random(3);
    for (const auto& lengths : length_patterns(random)) {
      auto off = offsets_of(lengths);
      for (int r = 0; r < kReducerCount; r++) {
        const Reducer reducer = static_cast<Reducer>(r);
        INFO(name(isa) << ", " << name(dtype_of<T>::value) << ", reducer " << r << ", "
                       << lengths.size() << " lists, " << off[lengths.size()] << " items");
        if (reducer == Reducer::sum || reducer == Reducer::prod)
          check_fold<T, Total<T>>(reducer, isa, lengths, off, random);
        else if (reducer == Reducer::any || reducer == Reducer::all)
          check_fold<T, uint8_t>(reducer, isa, lengths, off, random);
        else if (reducer == Reducer::count || reducer == Reducer::count_nonzero)
          check_fold<T, int64_t>(reducer, isa, lengths, off, random);
        else if constexpr (!kIsComplex<T>)
          check_fold<T, Stored<T>>(reducer, isa, lengths, off, random);
      }
    }
  }
}

TEST_CASE("folds of bool") { check_type<bool>(); }
TEST_CASE("folds of small integers") {
  check_type<int8_t>();
  check_type<uint8_t>();
  check_type<int16_t>();
  check_type<uint16_t>();
}
TEST_CASE("folds of integers") {
  check_type<int32_t>();
  check_type<uint32_t>();
  check_type<int64_t>();
  check_type<uint64_t>();
}
TEST_CASE("folds of floating numbers") {
  check_type<float>();
  check_type<double>();
}
TEST_CASE("folds of complex numbers") {
  check_type<std::complex<float>>();
  check_type<std::complex<double>>();
  CHECK_FALSE(can_fold(Reducer::max, DType::complex64));
  CHECK_FALSE(can_fold(Reducer::sum, DType::float16));
}

TEST_CASE("floating sums are accurate, and the same bits for every instruction set") {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> uniform(0, 1);
  for (int n : {3, 9, 17, 100, 5000, 1000000}) {
    std::vector<float> values(static_cast<size_t>(n));
    double exact = 0;
    for (float& x : values) exact += static_cast<double>(x = uniform(random));
    std::map<float, int> results;
    for (Isa isa : isas()) {
      float acc = 0;
      const int32_t off[2 + 16] = {0, n};
      FoldArgs args;
      args.values = values.data();
      args.off = off;
      args.lists = 1;
      args.acc = &acc;
      ragged(isa).fold(Reducer::sum, DType::float32)(args);
      results[acc]++;
      CHECK(std::abs(static_cast<double>(acc) - exact) <= 3e-6 * exact);
    }
    CHECK(results.size() == 1);
  }
}

/// Folds of short lists have the same bits for every instruction set: also of -0.0, NaN,
/// infinities.
template <class T>
void check_short_lists(Reducer reducer, unsigned longest, unsigned seed) {
  constexpr size_t kLists = 500, kRoom = kLists + 64;
  std::mt19937 random(seed);
  std::vector<int32_t> off(kRoom);
  for (size_t p = 1; p <= kLists; p++)
    off[p] = off[p - 1] + static_cast<int32_t>(random() % (longest + 1));
  std::vector<T> values(static_cast<size_t>(off[kLists]) + 1);
  for (T& x : values) {
    x = static_cast<T>(static_cast<int>(random() % 2000) - 1000) / static_cast<T>(7);
    if constexpr (std::is_floating_point_v<T>) {
      const unsigned special = random() % 64;
      if (special < 4) x = T{0};
      if (special < 2) x = -x;
      if (special == 5) x = std::numeric_limits<T>::quiet_NaN();
      if (special == 6) x = -std::numeric_limits<T>::infinity();
    }
  }
  std::map<std::string, int> results;
  for (Isa isa : isas()) {
    std::vector<T> acc(kRoom);
    fill_identity(reducer, dtype_of<T>::value, acc.data(), nullptr, kLists);
    FoldArgs args;
    args.values = values.data();
    args.off = off.data();
    args.lists = static_cast<int64_t>(kLists);
    args.acc = acc.data();
    ragged(isa).fold(reducer, dtype_of<T>::value)(args);
    for (size_t p = 0; p < kLists; p++) {  // NaN has many bits
      if (acc[p] != acc[p]) acc[p] = std::numeric_limits<T>::quiet_NaN();
    }
    results[std::string(reinterpret_cast<const char*>(acc.data()), kLists * sizeof(T))]++;
  }
  CHECK(results.size() == 1);
}

TEST_CASE("folds of short lists are the same bits for every instruction set") {
  for (const Reducer reducer : {Reducer::sum, Reducer::prod, Reducer::min, Reducer::max}) {
    for (const unsigned longest : {0u, 1u, 4u, 8u, 9u, 12u, 40u, 600u}) {
      CAPTURE(static_cast<int>(reducer), longest);
      check_short_lists<float>(reducer, longest, longest + 1);
      check_short_lists<double>(reducer, longest, longest + 2);
      check_short_lists<int64_t>(reducer, longest, longest + 3);
      check_short_lists<uint64_t>(reducer, longest, longest + 4);
    }
  }
}

template <class Cell, class Sum>
void check_histogram(Isa isa, int64_t size, size_t n, int tables) {
  std::mt19937 random(11);
  Guarded<Cell> cells(n);
  Guarded<Sum> weights(n);
  const auto words = static_cast<size_t>(tables * (size + 1));
  for (size_t i = 0; i < n; i++) {
    cells[i] = static_cast<Cell>(static_cast<int64_t>(random()) % (size + 2)) - 1;
    weights[i] = static_cast<Sum>(random() % 8) / 4;
  }
  for (const bool weighted : {false, true}) {
    if (!weighted && std::is_floating_point_v<Sum>) continue;
    std::vector<Sum> out(words, 1), expected(words, 1);
    for (size_t i = 0; i < n; i++) {
      const bool inside = cells[i] >= 0 && cells[i] < size;
      const auto table = static_cast<int64_t>(i) % tables;
      expected[static_cast<size_t>(table * (size + 1) + (inside ? cells[i] : size))] +=
          weighted ? weights[i] : Sum{1};
    }
    HistogramArgs args;
    args.cells = cells.data();
    args.wide = sizeof(Cell) == 8;
    args.weights = weighted ? weights.data() : nullptr;
    args.dtype = dtype_of<Sum>::value;
    args.n = static_cast<int64_t>(n);
    args.size = size;
    args.tables = tables;
    args.out = out.data();
    ragged(isa).histogram(args);
    for (size_t i = static_cast<size_t>(size); i < words; i += static_cast<size_t>(size) + 1)
      out[i] = expected[i];  // which nobody reads
    CHECK(out == expected);
  }
}

TEST_CASE("histograms") {
  for (Isa isa : isas())
    for (int64_t size : {1, 7, 100, 5000})
      for (size_t n : {0, 1, 33, 1024, 3001})
        for (int tables : {1, 4}) {
          INFO(name(isa) << ", " << size << " cells, " << n << " items");
          check_histogram<int32_t, int64_t>(isa, size, n, tables);
          check_histogram<int64_t, int64_t>(isa, size, n, tables);
          check_histogram<int32_t, double>(isa, size, n, tables);
          check_histogram<int64_t, double>(isa, size, n, tables);
        }
}

}  // namespace
}  // namespace serrate::cpu
