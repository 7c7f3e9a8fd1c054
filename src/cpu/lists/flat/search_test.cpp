// Places in sorted arrays beside std::lower_bound, of every type and size around the blocks.
#include "cpu/lists/flat/search.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>

#include "catch.h"

namespace serrate::cpu {
namespace {

template <class T>
constexpr bool kIsComplex = !std::is_arithmetic_v<T>;
template <class T>
constexpr bool kIsUnsigned = std::is_unsigned_v<T>;

template <class T>
std::vector<T> numbers(int64_t n, std::mt19937_64& random) {
  std::vector<T> out(static_cast<size_t>(n));
  for (T& x : out)
    x = static_cast<T>(static_cast<int64_t>(random() % 250) - (kIsUnsigned<T> ? 0 : 125));
  if constexpr (kIsComplex<T>) {
    using R = typename T::value_type;
    const auto part = [&] {
      return random() % 30 == 0 ? std::numeric_limits<R>::quiet_NaN()
                                : static_cast<R>(static_cast<int64_t>(random() % 9) - 4);
    };
    for (T& x : out) {
      const R re = part();
      x = {re, part()};
    }
  }
  if constexpr (std::is_floating_point_v<T>) {
    for (T& x : out) x = random() % 20 == 0 ? std::numeric_limits<T>::quiet_NaN() : x / 2;
  }
  return out;
}

template <class S, class I>
void check_search(DType sorted_type, DType item_type) {
  using Real = std::conditional_t<std::is_floating_point_v<S> || std::is_floating_point_v<I>,
                                  double, int64_t>;
  using Common = std::conditional_t<kIsComplex<S> || kIsComplex<I>, std::complex<double>, Real>;
  const auto before = [](Common a, Common b) {
    if constexpr (kIsComplex<Common>)
      return a == a &&
             (b != b || a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag()));
    else if constexpr (std::is_floating_point_v<Common>)
      return a < b || (std::isnan(b) && !std::isnan(a));
    else
      return a < b;
  };
  std::mt19937_64 random(7);
  for (const int64_t size : {0, 1, 2, 3, 63, 64, 1000}) {
    std::vector<S> sorted = numbers<S>(size, random);
    std::sort(sorted.begin(), sorted.end(),
              [&](S a, S b) { return before(static_cast<Common>(a), static_cast<Common>(b)); });
    for (const int64_t count : {1, 15, 16, 17, 1023, 1024, 20'000}) {
      const std::vector<I> items = numbers<I>(count, random);
      for (const bool right : {false, true}) {
        CAPTURE(name(sorted_type), name(item_type), size, count, right);
        std::vector<int64_t> got(items.size());
        search({sorted_type, sorted.data(), size, item_type, items.data(), count, right},
               got.data());
        for (size_t i = 0; i < items.size(); i++) {
          const auto key = static_cast<Common>(items[i]);
          const auto at =
              right ? std::upper_bound(
                          sorted.begin(), sorted.end(), key,
                          [&](Common k, S v) { return before(k, static_cast<Common>(v)); })
                    : std::lower_bound(sorted.begin(), sorted.end(), key, [&](S v, Common k) {
                        return before(static_cast<Common>(v), k);
                      });
          REQUIRE(got[i] == at - sorted.begin());
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("places in sorted arrays") {
  check_search<double, double>(DType::float64, DType::float64);
  check_search<float, float>(DType::float32, DType::float32);
  check_search<double, int64_t>(DType::float64, DType::int64);
  check_search<int64_t, double>(DType::int64, DType::float64);
  check_search<int16_t, int8_t>(DType::int16, DType::int8);
  check_search<uint8_t, int32_t>(DType::uint8, DType::int32);
  check_search<double, int16_t>(DType::float64, DType::int16);
  check_search<uint64_t, uint64_t>(DType::uint64, DType::uint64);
  check_search<uint64_t, uint8_t>(DType::uint64, DType::uint8);
  check_search<int32_t, uint16_t>(DType::int32, DType::uint16);
  using C8 = std::complex<float>;
  using C16 = std::complex<double>;
  check_search<C8, C8>(DType::complex64, DType::complex64);
  check_search<C16, C16>(DType::complex128, DType::complex128);
  check_search<C8, C16>(DType::complex64, DType::complex128);
  check_search<C16, C8>(DType::complex128, DType::complex64);
  check_search<double, C16>(DType::float64, DType::complex128);
  check_search<float, C8>(DType::float32, DType::complex64);
  check_search<int16_t, C8>(DType::int16, DType::complex64);
  check_search<C8, float>(DType::complex64, DType::float32);
  check_search<C8, double>(DType::complex64, DType::float64);
  CHECK(!searches(DType::int64, DType::uint64));
  CHECK(!searches(DType::float16, DType::float64));
  CHECK(!searches(DType::complex64, DType::int32));
  CHECK(searches(DType::boolean, DType::boolean));
}

}  // namespace serrate::cpu
