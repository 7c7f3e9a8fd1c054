// Units of datetime64 and timedelta64: "s", "10us".
#include "time_unit.h"

#include <charconv>
#include <cstdint>

namespace serrate::core {

std::optional<std::string> canonical_time_unit(std::string_view text) {
  while (!text.empty() && std::string_view(" \t\f\r\n").find(text[0]) != std::string::npos) {
    text.remove_prefix(1);
  }
  // NumPy keeps the multiplier in a C int; the largest is 2^31 - 1.
  int32_t count = 1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc::result_out_of_range || count < 0) return std::nullopt;
  text.remove_prefix(end - text.data());
  for (const std::string_view unit :
       {"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"}) {
    if (text == unit) return (count == 1 ? "" : std::to_string(count)) + std::string(unit);
  }
  return std::nullopt;
}

}  // namespace serrate::core
