// Bits of bytes against one bit after the other.
#include "core/pack_bits.h"

#include <vector>

#include "catch.h"

namespace serrate {
namespace {

TEST_CASE("pack_bits is one bit after the other") {
  for (int64_t n = 0; n < 300; ++n) {
    std::vector<uint8_t> bytes(static_cast<size_t>(n));
    std::vector<uint8_t> want(static_cast<size_t>(n + 7) / 8 + 1, 0xee), got = want;
    int64_t ones = 0;
    for (size_t i = 0; i + 1 < want.size(); ++i) want[i] = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = (i * 2654435761u >> 7) % 3 == 0;
      want[i / 8] = static_cast<uint8_t>(want[i / 8] | bytes[i] << (i % 8));
      ones += bytes[i];
    }
    CHECK(pack_bits(bytes.data(), n, got.data()) == ones);
    CHECK(got == want);  // and nothing behind them
  }
}

}  // namespace
}  // namespace serrate
