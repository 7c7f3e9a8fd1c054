// Units of datetime64 and timedelta64: "s", "10us".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace serrate::core {

/// The unit as NumPy writes it ("1s" is "s", "007s" is "7s"), or nothing if it is none.
std::optional<std::string> canonical_time_unit(std::string_view text);

}  // namespace serrate::core
