// Values at places, beside one value after the other; places of every type and instruction set.
#include "cpu/lists/flat/put.h"

#include <limits>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../../../../tests/cpp/catch.h"
#include "cpu/lists/flat/places.h"
#include "cpu/lists/ragged_testing.h"
#include "cpu/machine/isa.h"

namespace serrate::cpu {
namespace {

using namespace testing;

template <class I>
void check_places(Isa isa, DType t, int64_t size) {
  CAPTURE(name(isa), name(t), size);
  const bool is_signed = std::is_signed_v<I>;
  const auto fits = [](int64_t x) { return std::in_range<I>(x); };
  for (const int64_t n : {0, 1, 3, 16, 17, 63, 64, 65, 1000}) {
    std::vector<I> places(static_cast<size_t>(n), I{0});
    const LookAtPlaces look = look_at_places(isa);
    CHECK(look(t, places.data(), n, size) == (n > 0 && size == 0 ? kOutside : 0));
    if (n == 0 || size == 0) continue;
    for (const int64_t at : {int64_t{0}, n / 2, n - 1}) {
      I& place = places[static_cast<size_t>(at)];
      for (const int64_t p :
           {size - 1, size, int64_t{-1}, -size, -size - 1, std::numeric_limits<int64_t>::min(),
            std::numeric_limits<int64_t>::max()}) {
        if (!fits(p)) continue;
        place = static_cast<I>(p);
        const unsigned seen = look(t, places.data(), n, size);
        CHECK((seen & kOutside) == (p < -size || p >= size ? kOutside : 0));
        if (p >= -size) CHECK((seen & kBelow) == (is_signed && p < 0 ? kBelow : 0));
      }
      if (sizeof(I) == 8 && !is_signed) {
        place = std::numeric_limits<I>::max();
        CHECK((look(t, places.data(), n, size) & kOutside) != 0);
      }
      place = 0;
    }
  }
}

template <class T>
void check_put(DType t, std::optional<Op> op, bool is_one, bool below, int64_t count) {
  CAPTURE(name(t), is_one, below, count);
  constexpr int64_t kSize = 300;
  std::mt19937_64 random(7);
  std::vector<T> numbers(kSize), values(static_cast<size_t>(is_one ? 1 : count));
  for (auto* all : {&numbers, &values})
    for (T& x : *all) x = static_cast<T>(random() % 50);
  std::vector<int64_t> places(static_cast<size_t>(count));
  for (int64_t& p : places) p = static_cast<int64_t>(random() % kSize) - (below ? kSize : 0);
  std::vector<T> expected = numbers;
  for (size_t i = 0; i < places.size(); i++) {
    T& x = expected[static_cast<size_t>(places[i] < 0 ? places[i] + kSize : places[i])];
    const T v = values[is_one ? 0 : i];
    x = op ? static_cast<T>(x + v) : v;
  }
  PutArgs of{.type = t, .size = kSize, .places = places.data(), .count = count, .op = op};
  of.values = values.data();
  of.is_one = is_one;
  REQUIRE(put(of, [&] { return numbers.data(); }));
  CHECK(numbers == expected);
  if (count == 0) return;
  places.back() = kSize;
  CHECK(!put(of, [&]() -> void* { throw std::logic_error("written"); }));
}

}  // namespace

TEST_CASE("places inside and outside of an array") {
  for (const Isa isa : isas()) {
    for (const int64_t size : {0, 1, 100, 127, 128, 70'000}) {
      check_places<int8_t>(isa, DType::int8, size);
      check_places<int16_t>(isa, DType::int16, size);
      check_places<int32_t>(isa, DType::int32, size);
      check_places<int64_t>(isa, DType::int64, size);
      check_places<uint8_t>(isa, DType::uint8, size);
      check_places<uint16_t>(isa, DType::uint16, size);
      check_places<uint32_t>(isa, DType::uint32, size);
      check_places<uint64_t>(isa, DType::uint64, size);
    }
  }
}

TEST_CASE("values at places") {
  for (const std::optional<Op> op : {std::optional<Op>(), std::optional(Op::add)}) {
    for (const bool is_one : {false, true}) {
      for (const bool below : {false, true}) {
        for (const int64_t count : {0, 1, 7, 1000}) {
          check_put<int8_t>(DType::int8, op, is_one, below, count);
          check_put<int16_t>(DType::int16, op, is_one, below, count);
          check_put<uint32_t>(DType::uint32, op, is_one, below, count);
          check_put<float>(DType::float32, op, is_one, below, count);
          check_put<double>(DType::float64, op, is_one, below, count);
        }
      }
    }
  }
}

TEST_CASE("values from one place on") {
  const double values[] = {1, 2, 3};
  std::vector<double> numbers(10, 0.0);
  PutArgs of{.size = 10, .count = 3, .first = 8, .step = -4, .values = values};
  const auto memory = [&] { return numbers.data(); };
  REQUIRE(put(of, memory));
  CHECK(numbers == std::vector<double>{3, 0, 0, 0, 2, 0, 0, 0, 1, 0});
  of.step = 1;  // 8, 9, 10
  CHECK(!put(of, memory));
  of.first = 7;
  REQUIRE(put(of, memory));
  CHECK(numbers == std::vector<double>{3, 0, 0, 0, 2, 0, 0, 1, 2, 3});
  of.is_one = true;
  of.first = -1;
  CHECK(!put(of, memory));
  of.op = Op::power;  // has no loop
  of.first = 0;
  CHECK(!put(of, memory));
}

TEST_CASE("one value at a box of places") {
  const double seven = 7;
  std::vector<double> numbers(12, 0.0);
  const int64_t sizes[] = {2, 3}, strides[] = {4, -1};
  PutArgs of{
      .size = 12, .first = 6, .values = &seven, .is_one = true, .sizes = sizes, .strides = strides};
  const auto memory = [&] { return numbers.data(); };
  REQUIRE(put(of, memory));
  CHECK(numbers == std::vector<double>{0, 0, 0, 0, 7, 7, 7, 0, 7, 7, 7, 0});
  of.first = 8;
  CHECK(!put(of, memory));
  of.first = 1;
  CHECK(!put(of, memory));
  const int64_t none[] = {0, 3};
  of.sizes = none;
  CHECK(put(of, memory));
  of.is_one = false;
  CHECK(!put(of, memory));
}

}  // namespace serrate::cpu
