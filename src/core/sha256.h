// SHA-256 (FIPS 180-4), for names and checksums of cached files.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace serrate {

using Digest = std::array<uint8_t, 32>;

Digest sha256(std::string_view bytes);
/// 64 lower-case hexadecimal digits.
std::string hex(const Digest& d);

}  // namespace serrate
