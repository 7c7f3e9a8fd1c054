// Items at places of every type, below 0 and beyond the end.
#include "cpu/lists/flat/take.h"

#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "catch.h"
#include "serrate/dtype.h"

namespace serrate::cpu {
namespace {

template <class I>
void check_take(DType t, int itemsize, int64_t size, int64_t count) {
  CAPTURE(name(t), itemsize, size, count);
  std::mt19937_64 random(static_cast<uint64_t>(size + count));
  std::vector<std::byte> items(static_cast<size_t>(size * itemsize));
  for (std::byte& b : items) b = static_cast<std::byte>(random());
  const int64_t most = std::min<int64_t>(
      size, static_cast<int64_t>(std::min<uint64_t>(INT64_MAX, std::numeric_limits<I>::max())));
  std::vector<I> index(static_cast<size_t>(count));
  for (I& x : index) {
    x = static_cast<I>(random() % static_cast<uint64_t>(most));
    if (std::is_signed_v<I> && random() % 2) x = static_cast<I>(-1 - x);
  }
  std::vector<std::byte> out(static_cast<size_t>(count * itemsize));
  const TakeArgs of{items.data(), size, itemsize, t, index.data(), count};
  REQUIRE(take(of, out.data()));
  for (int64_t i = 0; i < count; i++) {
    const auto at = static_cast<int64_t>(index[static_cast<size_t>(i)]);
    REQUIRE(std::memcmp(out.data() + i * itemsize,
                        items.data() + (at < 0 ? at + size : at) * itemsize,
                        static_cast<size_t>(itemsize)) == 0);
  }
  for (const I bad : {static_cast<I>(size), std::numeric_limits<I>::max(),
                      static_cast<I>(-size - 1), std::numeric_limits<I>::min()}) {
    if (std::cmp_less(bad, size) &&
        (std::cmp_greater_equal(bad, 0) || std::cmp_greater_equal(bad, -size)))
      continue;
    index[static_cast<size_t>(count / 2)] = bad;
    REQUIRE(!take(of, out.data()));
  }
}

}  // namespace

TEST_CASE("items at places") {
  for (const int itemsize : {1, 2, 4, 8, 16}) {
    for (const int64_t size : {1, 2, 100, 70'000}) {
      for (const int64_t count : {1, 511, 512, 513, 200'000}) {
        check_take<int8_t>(DType::int8, itemsize, size, count);
        check_take<int16_t>(DType::int16, itemsize, size, count);
        check_take<int32_t>(DType::int32, itemsize, size, count);
        check_take<int64_t>(DType::int64, itemsize, size, count);
        check_take<uint8_t>(DType::uint8, itemsize, size, count);
        check_take<uint16_t>(DType::uint16, itemsize, size, count);
        check_take<uint32_t>(DType::uint32, itemsize, size, count);
        check_take<uint64_t>(DType::uint64, itemsize, size, count);
      }
    }
    const int64_t none = 0;
    std::byte out[16];
    CHECK(take({nullptr, 0, itemsize, DType::int64, &none, 0}, out));
    CHECK(!take({nullptr, 0, itemsize, DType::int64, &none, 1}, out));
  }
}

}  // namespace serrate::cpu
