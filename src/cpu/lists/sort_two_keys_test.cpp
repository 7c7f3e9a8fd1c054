// Keys of complex numbers, and lists of them in order, against std::stable_sort.
#include "cpu/lists/sort_two_keys.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <numeric>
#include <random>
#include <vector>

#include "../../../tests/cpp/catch.h"
#include "cpu/lists/select_lists.h"
#include "cpu/lists/sort_kernels.h"

namespace serrate::cpu {
namespace {

/// As numpy.sort has them: which parts are NaN, the real part, the imaginary one; downwards the
/// kinds stay as they are.
template <class R>
bool comes_before(const std::complex<R>& a, const std::complex<R>& b, bool descending) {
  const auto keys = [&](const std::complex<R>& z) {
    const auto part = [&](R x) { return std::isnan(x) ? R(0) : descending ? -x : x; };
    return std::array<R, 3>{R(2 * std::isnan(z.real()) + std::isnan(z.imag())), part(z.real()),
                            part(z.imag())};
  };
  return keys(a) < keys(b);
}

template <class R>
std::vector<std::complex<R>> numbers(int64_t n, bool few) {
  constexpr double kSpecial[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 1e-42, -1e-310};
  std::mt19937_64 g(5);
  const auto part = [&] {
    if (g() % 8 == 0) return static_cast<R>(kSpecial[g() % 7]);
    if (few) return static_cast<R>(g() % 3);
    return static_cast<R>(std::normal_distribution<double>()(g));
  };
  std::vector<std::complex<R>> x(static_cast<size_t>(n));
  for (auto& z : x) {
    const R re = part();
    z = {re, part()};
  }
  return x;
}

template <class R>
int sign(const std::complex<R>& a, const std::complex<R>& b, bool descending) {
  return comes_before(b, a, descending) - comes_before(a, b, descending);
}

template <class R>
bool same(const std::complex<R>& a, const std::complex<R>& b) {
  const auto part = [](R x, R y) {
    return (std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y));
  };
  return part(a.real(), b.real()) && part(a.imag(), b.imag());
}

template <class R>
constexpr DType kType = sizeof(R) == 4 ? DType::complex64 : DType::complex128;

template <class R>
void check_keys(const SortKernels& kernels) {
  constexpr int64_t kItems = 203;
  const auto x = numbers<R>(kItems, true);
  std::vector<int64_t> first(x.size()), second(x.size());
  for (const bool descending : {false, true}) {
    kernels.to_keys(kType<R>, x.data(), kItems, descending, first.data());
    if (has_two_keys(kType<R>)) kernels.second_keys(x.data(), kItems, descending, second.data());
    size_t wrong = 0;
    for (size_t i = 0; i < x.size(); i++) {
      for (size_t k = 0; k < x.size(); k++) {
        const std::pair a{first[i], second[i]}, b{first[k], second[k]};
        wrong += sign(x[i], x[k], descending) != (a > b) - (a < b);
      }
    }
    CHECK(wrong == 0);
  }
}

template <class R>
void check_lists(bool few) {
  std::vector<int64_t> ends{0};
  for (const int64_t n : {0, 1, 2, 3, 15, 16, 17, 31, 511, 512, 513, 5000, 0, 140'000, 7})
    ends.push_back(ends.back() + n);
  const auto x = numbers<R>(ends.back(), few);
  const Lists lists{ends.data(), static_cast<int64_t>(ends.size()) - 1};
  std::mt19937 g(7);
  std::vector<uint8_t> some(x.size());
  for (auto& v : some) v = g() % 4 != 0;
  for (const bool descending : {false, true}) {
    for (const bool all : {true, false}) {
      const uint8_t* valid = all ? nullptr : some.data();
      std::vector<int64_t> want(x.size()), order(x.size()), leading(x.size());
      for (size_t l = 0; l + 1 < ends.size(); l++) {
        const auto first = static_cast<size_t>(ends[l]);
        const auto begin = want.begin() + ends[l], end = want.begin() + ends[l + 1];
        std::iota(begin, end, 0);
        std::stable_sort(begin, end, [&](int64_t i, int64_t k) {
          const size_t a = first + static_cast<size_t>(i), b = first + static_cast<size_t>(k);
          if (valid && valid[a] != valid[b]) return valid[a] > valid[b];
          return (!valid || valid[a]) && comes_before(x[a], x[b], descending);
        });
      }
      argsort_lists(kType<R>, x.data(), valid, lists, descending, order.data());
      CHECK(order == want);
      std::vector<std::complex<R>> sorted(x.size());
      sort_lists(kType<R>, x.data(), valid, lists, descending, sorted.data());
      constexpr int64_t kFirst = 40;
      REQUIRE(select_lists(kType<R>, x.data(), valid, lists, descending, {.first = kFirst}, nullptr,
                           leading.data()));
      size_t wrong = 0;
      for (size_t l = 0; l + 1 < ends.size(); l++) {
        for (int64_t i = ends[l]; i < ends[l + 1]; i++) {
          const auto k = static_cast<size_t>(i);
          wrong += !same(sorted[k], x[static_cast<size_t>(ends[l] + want[k])]);
          if (i < ends[l] + kFirst) wrong += leading[k] != want[k];
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("keys of complex numbers are in order as these are, for every instruction set") {
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (!isa_available(isa)) continue;
    check_keys<float>(sort_kernels(isa));
    check_keys<double>(sort_kernels(isa));
  }
}

TEST_CASE("complex64 is made of keys again") {
  const auto x = numbers<float>(1'000, false);
  const auto n = static_cast<int64_t>(x.size());
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (!isa_available(isa)) continue;
    for (const bool descending : {false, true}) {
      std::vector<std::complex<float>> keys = x;  // in place
      const bool kept =
          sort_kernels(isa).to_keys(DType::complex64, x.data(), n, descending, keys.data());
      CHECK(!kept);  // a negative zero became a positive one
      sort_kernels(isa).from_keys(DType::complex64, keys.data(), n, descending, keys.data());
      size_t wrong = 0;
      for (size_t i = 0; i < x.size(); i++) wrong += !same(keys[i], x[i] + std::complex<float>());
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("lists of complex numbers are sorted and selected") {
  for (const bool few : {false, true}) {
    check_lists<float>(few);
    check_lists<double>(few);
  }
}

}  // namespace
}  // namespace serrate::cpu
