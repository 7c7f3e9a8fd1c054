// Strided copies against the obvious loop, for every instruction set of this CPU and sizes around
// its vectors.
#include "cpu/lists/flat/strided.h"

#include "../../../../tests/cpp/catch.h"
#include "cpu/lists/ragged_testing.h"

namespace serrate::cpu {
namespace {

using namespace testing;

TEST_CASE("items that are equally far apart") {
  for (const Isa isa : isas()) {
    for (const size_t size : {1, 2, 4, 8, 16}) {
      for (const int64_t n : {0, 1, 2, 3, 7, 8, 15, 16, 17, 63, 64, 65, 127, 129, 1000}) {
        for (const int64_t step : {-5, -2, -1, 0, 1, 2, 3, 4, 5}) {
          INFO(name(isa) << ", " << n << " items of " << size << " bytes, step " << step);
          const int64_t reach = n == 0 ? 0 : (n - 1) * std::abs(step) + 1;
          Guarded<uint8_t> from(static_cast<size_t>(reach) * size);
          for (size_t i = 0; i < from.size(); i++) from[i] = static_cast<uint8_t>(i * 31 + i / 256);
          const uint8_t* const first =
              from.data() + (step < 0 && n > 0 ? static_cast<size_t>(reach - 1) * size : 0);
          std::vector<uint8_t> expected;
          for (int64_t i = 0; i < n; i++) {
            const uint8_t* const p = first + i * step * static_cast<int64_t>(size);
            expected.insert(expected.end(), p, p + size);
          }
          Guarded<uint8_t> out(static_cast<size_t>(n) * size);
          copy_strided(isa)(static_cast<int>(size), first, step, n, out.data());
          CHECK(out.vector() == expected);
        }
      }
    }
  }
}

}  // namespace
}  // namespace serrate::cpu
