// datetime64 and timedelta64 as NumPy writes them.
#include <fmt/format.h>

#include <array>
#include <cctype>
#include <limits>

#include "serrate/io.h"

namespace serrate {
namespace {

constexpr int64_t kNaT = std::numeric_limits<int64_t>::min();

// "15us" is 15 of the unit "us".
struct Unit {
  int64_t multiple = 1;
  std::string_view name;
  explicit Unit(std::string_view text) {
    size_t digits = 0;
    while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits]))) ++digits;
    if (digits) {
      multiple = 0;
      for (char c : text.substr(0, digits)) multiple = multiple * 10 + (c - '0');
    }
    name = text.substr(digits);
  }
  int64_t count(int64_t value) const {
    return static_cast<int64_t>(static_cast<uint64_t>(value) * static_cast<uint64_t>(multiple));
  }
};

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

// Year, month, day of a day number since 1970-01-01 in the proleptic Gregorian calendar: years are
// counted from March, so that the leap day is the last of its year; 400 years have 146097 days.
std::string date_text(int64_t days) {
  const int64_t era = floor_div(days, 146097);
  const int64_t z = days - era * 146097 + 719468;  // days since 0000-03-01 of that cycle
  const int64_t cycle = z / 146097;
  const int64_t day = z - cycle * 146097;
  const int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
  const int64_t day_of_year = day - (365 * year + year / 4 - year / 100);
  const int64_t m = (5 * day_of_year + 2) / 153;
  const int64_t month = m < 10 ? m + 3 : m - 9;
  const int64_t y = year + (cycle + era) * 400 + (month <= 2);
  return fmt::format("{:04d}-{:02d}-{:02d}", y, month, day_of_year - (153 * m + 2) / 5 + 1);
}

// Units of a part of a day: how many make a day's larger unit, and digits behind the seconds.
struct Fraction {
  std::string_view name;
  int digits;
};
constexpr std::array<Fraction, 7> kFractions{
    {{"s", 0}, {"ms", 3}, {"us", 6}, {"ns", 9}, {"ps", 12}, {"fs", 15}, {"as", 18}}};

constexpr std::array<std::array<std::string_view, 2>, 13> kNames{{{"Y", "years"},
                                                                  {"M", "months"},
                                                                  {"W", "weeks"},
                                                                  {"D", "days"},
                                                                  {"h", "hours"},
                                                                  {"m", "minutes"},
                                                                  {"s", "seconds"},
                                                                  {"ms", "milliseconds"},
                                                                  {"us", "microseconds"},
                                                                  {"ns", "nanoseconds"},
                                                                  {"ps", "picoseconds"},
                                                                  {"fs", "femtoseconds"},
                                                                  {"as", "attoseconds"}}};

}  // namespace

std::string datetime_text(int64_t value, std::string_view unit) {
  if (value == kNaT) return "NaT";
  const Unit u(unit);
  const int64_t n = u.count(value);
  if (u.name == "Y")  // as NumPy's, which wrap
    return fmt::format("{:04d}", static_cast<int64_t>(static_cast<uint64_t>(n) + 1970));
  if (u.name == "M")
    return fmt::format("{:04d}-{:02d}", 1970 + floor_div(n, 12), n - floor_div(n, 12) * 12 + 1);
  if (u.name == "W") return date_text(static_cast<int64_t>(static_cast<uint64_t>(n) * 7));
  if (u.name == "D") return date_text(n);
  if (u.name == "h") {
    const int64_t d = floor_div(n, 24);
    return fmt::format("{}T{:02d}", date_text(d), n - d * 24);
  }
  if (u.name == "m") {
    const int64_t d = floor_div(n, 1440), m = n - d * 1440;
    return fmt::format("{}T{:02d}:{:02d}", date_text(d), m / 60, m % 60);
  }
  for (const auto& f : kFractions) {
    if (u.name != f.name) continue;
    int64_t scale = 1;
    for (int i = 0; i < f.digits; ++i) scale *= 10;
    const int64_t seconds = floor_div(n, scale);
    const int64_t part = n - seconds * scale;
    const int64_t d = floor_div(seconds, 86400), s = seconds - d * 86400;
    std::string out =
        fmt::format("{}T{:02d}:{:02d}:{:02d}", date_text(d), s / 3600, s / 60 % 60, s % 60);
    if (f.digits) out += fmt::format(".{:0{}d}", part, f.digits);
    return out;
  }
  return fmt::format("{}", n);
}

std::string timedelta_text(int64_t value, std::string_view unit) {
  if (value == kNaT) return "NaT";
  const Unit u(unit);
  for (const auto& [name, words] : kNames) {
    if (u.name == name) return fmt::format("{} {}", u.count(value), words);
  }
  return fmt::format("{} generic time units", u.count(value));
}

}  // namespace serrate
