// Copies of memory of others: strided, large, and those of offsets that come again.
#include "interop/snapshot.h"

#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "catch.h"
#include "cpu/machine/pool.h"

namespace serrate::interop {
namespace {

std::vector<uint16_t> counted(size_t n) {
  std::vector<uint16_t> v(n);
  std::iota(v.begin(), v.end(), uint16_t{0});
  return v;
}

// One item after the other.
std::vector<uint16_t> plainly(const uint16_t* first, const std::vector<int64_t>& shape,
                              const std::vector<int64_t>& strides) {
  std::vector<uint16_t> out;
  std::vector<int64_t> at(shape.size(), 0);
  int64_t total = 1;
  for (const int64_t n : shape) total *= n;
  for (int64_t i = 0; i < total; ++i) {
    int64_t offset = 0;
    for (size_t d = 0; d < shape.size(); ++d) offset += at[d] * strides[d];
    out.push_back(first[offset / 2]);
    for (size_t d = shape.size(); d-- > 0 && ++at[d] == shape[d];) at[d] = 0;
  }
  return out;
}

TEST_CASE("strided memory is packed in C order, whatever its strides") {
  const std::vector<uint16_t> v = counted(1 << 20);
  const uint16_t* const middle = v.data() + v.size() / 2;
  const std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>> cases{
      {{}, {}},
      {{0, 3}, {2, 2}},
      {{5}, {6}},
      {{3, 4}, {-8, 2}},
      {{130, 150}, {2, 300}},
      {{150, 2000}, {4, 302}},
      {{70, 3, 65}, {2, 9000, 140}},
      {{2, 70, 1, 3}, {-6, 20, 12, 2000}},
      {{200'000}, {4}},
      {{3, 70'000}, {-2, 6}},
      {{70'000, 3}, {6, -2}}};
  for (const auto& [shape, strides] : cases) {
    const Buffer b =
        packed(reinterpret_cast<const std::byte*>(middle), shape, strides, sizeof(uint16_t));
    const std::vector<uint16_t> expected = plainly(middle, shape, strides);
    REQUIRE(b.bytes() == static_cast<int64_t>(2 * expected.size()));
    CHECK(std::equal(expected.begin(), expected.end(), b.as<uint16_t>()));
  }
}

TEST_CASE("snapshots of any size hold the same bytes") {
  const std::vector<uint16_t> v = counted(20 << 20);
  for (const int64_t bytes : {0, 1, 4095, (2 << 20) - 1, (2 << 20) + 3, 40 << 20}) {
    const Buffer b = snapshot(Buffer(v.data(), bytes, nullptr));
    REQUIRE(b.bytes() == bytes);
    CHECK(std::memcmp(b.data(), v.data(), static_cast<size_t>(bytes)) == 0);
  }
}

TEST_CASE("what may change is copied, offsets even where numbers are shared") {
  auto v = std::make_shared<std::vector<uint16_t>>(counted(8));
  const Buffer plain(v->data(), 16, v);
  CHECK(borrowed(plain) == Borrowed::no);
  CHECK(lasting(plain, false).same_memory(plain));
  const Buffer shared(v->data(), 16, borrowed(v, Borrowed::indexes));
  CHECK(borrowed(shared) == Borrowed::indexes);
  CHECK(lasting(shared, true).same_memory(shared));
  const Buffer once = lasting(shared, false), again = lasting(shared, false);
  CHECK_FALSE(once.same_memory(shared));
  CHECK(again.same_memory(once));
  (*v)[3] = 77;
  const Buffer changed = lasting(shared, false);
  CHECK_FALSE(changed.same_memory(once));
  CHECK(once.as<uint16_t>()[3] == 3);
  CHECK(changed.as<uint16_t>()[3] == 77);
  const Buffer all(v->data(), 16, borrowed(v, Borrowed::all));
  CHECK_FALSE(lasting(all, true).same_memory(all));
}

}  // namespace
}  // namespace serrate::interop
