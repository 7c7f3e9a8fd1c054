// Text as datetime64 and timedelta64, as NumPy reads it.
#pragma once

#include <cstdint>
#include <string_view>

namespace serrate::core {

/// Day and time of a text, and the unit that says all of it.
struct ParsedTime {
  bool is_nat = true;
  int64_t days = 0;         // since 1970-01-01
  int64_t seconds = 0;      // of the day
  int64_t attoseconds = 0;  // of the second
  int unit = 0;             // index into kTimeUnits
};
inline constexpr std::string_view kTimeUnits[] = {"Y",  "M",  "D",  "h",  "m",  "s",
                                                  "ms", "us", "ns", "ps", "fs", "as"};

/// ISO 8601 as NumPy reads it: "2020", "2020-02-29T12:30:15.25+01:00", "NaT", "", "now", "today".
/// ValueError says what is wrong, and where.
ParsedTime parse_datetime(std::string_view text);
/// In this unit ("s", "25us"), rounded down. ValueError if it has no room.
int64_t datetime_in(const ParsedTime& t, std::string_view unit);
/// A number of units, "NaT" or "".
int64_t parse_timedelta(std::string_view text);

}  // namespace serrate::core
