// Catch2, whichever of its two generations is installed (Debian 12 has 2.13, Ubuntu 24.04 has 3),
// spelt as in 3.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>

namespace Catch::Matchers {
/// CHECK_THROWS_WITH(f(), ContainsSubstring("expected list"))
inline auto ContainsSubstring(const std::string& part) { return Contains(part); }
}  // namespace Catch::Matchers
#endif
