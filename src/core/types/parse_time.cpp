// Text as datetime64 and timedelta64: see parse_time.h.
#include "core/types/parse_time.h"

#include <cctype>
#include <charconv>
#include <ctime>
#include <limits>

#include "serrate/error.h"

namespace serrate::core {
namespace {

constexpr int64_t kNaT = std::numeric_limits<int64_t>::min();
constexpr int64_t kMostYears = 25'000'000'000'000'000;  // whose days fit

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

bool is_leap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

// Days from 1970-01-01 in the proleptic Gregorian calendar: years begin in March, so that the leap
// day is the last of its year; 400 years have 146097 days.
int64_t days_of(int64_t year, int64_t month, int64_t day) {
  const int64_t y = year - (month <= 2);
  const int64_t era = floor_div(y, 400), of_era = y - era * 400;
  const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

struct Month {
  int64_t year, month;
};
Month month_of(int64_t days) {
  const int64_t z = days + 719468, era = floor_div(z, 146097), day = z - era * 146097;
  const int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
  const int64_t m = (5 * (day - (365 * year + year / 4 - year / 100)) + 2) / 153;
  const int64_t month = m < 10 ? m + 3 : m - 9;
  return {year + era * 400 + (month <= 2), month};
}

bool is_nat(std::string_view s) {
  return s.empty() || (s.size() == 3 && std::tolower(static_cast<unsigned char>(s[0])) == 'n' &&
                       std::tolower(static_cast<unsigned char>(s[1])) == 'a' &&
                       std::tolower(static_cast<unsigned char>(s[2])) == 't');
}

ParsedTime clock(bool whole_day) {
  const std::time_t now = std::time(nullptr);
  ParsedTime t{false, floor_div(now, 86400), now - floor_div(now, 86400) * 86400, 0, 5};
  if (whole_day) {
    std::tm local{};
    localtime_r(&now, &local);
    t = {false, days_of(local.tm_year + 1900, local.tm_mon + 1, local.tm_mday), 0, 0, 2};
  }
  return t;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  ParsedTime run() {
    while (!done() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    const std::string_view word = text_.substr(at_);
    if (is_nat(word)) return {};
    if (word == "now" || word == "today") return clock(word == "today");
    ParsedTime t;
    t.is_nat = false;
    const int64_t year = this->year();
    int64_t month = 1, day = 1;
    if (take('-')) {
      t.unit = 1;
      month = two_digits(1, 12, "month");
      if (take('-')) {
        t.unit = 2;
        constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
        day = two_digits(1, kDays[month - 1] + (month == 2 && is_leap(year)), "day");
        if (!done()) time(t);
      }
    }
    if (!done()) wrong();
    const int64_t minutes = zone_;
    t.days = days_of(year, month, day);
    t.seconds -= minutes * 60;
    const int64_t carry = floor_div(t.seconds, 86400);
    t.days += carry;
    t.seconds -= carry * 86400;
    return t;
  }

 private:
  bool done() const { return at_ == text_.size(); }
  bool take(char c) {
    if (done() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool is_digit() const { return !done() && std::isdigit(static_cast<unsigned char>(text_[at_])); }
  [[noreturn]] void wrong() const {
    throw ValueError(
        fmt::format("'{}' is no datetime64: character {} was not expected", text_, at_));
  }

  int64_t year() {
    const bool negative = take('-');
    if (!negative) take('+');
    if (!is_digit()) wrong();
    int64_t y = 0;
    for (; is_digit(); ++at_) {
      y = 10 * y + (text_[at_] - '0');
      check<ValueError>(y <= kMostYears, "'{}' is no datetime64: the year is out of range", text_);
    }
    return negative ? -y : y;
  }

  int64_t two_digits(int64_t low, int64_t high, const char* what) {
    int64_t v = 0;
    for (int i = 0; i < 2; ++i, ++at_) {
      if (!is_digit()) wrong();
      v = 10 * v + (text_[at_] - '0');
    }
    check<ValueError>(low <= v && v <= high, "'{}' is no datetime64: the {} is out of range", text_,
                      what);
    return v;
  }

  void time(ParsedTime& t) {
    if (!take('T') && !take(' ')) wrong();
    t.unit = 3;
    t.seconds = 3600 * two_digits(0, 23, "hour");
    if (take(':')) {
      t.unit = 4;
      t.seconds += 60 * two_digits(0, 59, "minute");
      if (take(':')) {
        t.unit = 5;
        t.seconds += two_digits(0, 59, "second");
        if (take('.')) fraction(t);
      }
    }
    zone();
    while (!done() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  void fraction(ParsedTime& t) {
    int digits = 0;
    for (; is_digit() && digits < 18; ++at_, ++digits)
      t.attoseconds = 10 * t.attoseconds + (text_[at_] - '0');
    while (is_digit()) ++at_;
    t.unit = 6 + (digits > 0 ? (digits - 1) / 3 : 0);
    for (; digits < 18; ++digits) t.attoseconds *= 10;
  }

  void zone() {
    if (take('Z') || done()) return;
    const bool west = take('-');
    if (!west && !take('+')) return;
    zone_ = 60 * two_digits(0, 23, "hour of the time zone");
    if (take(':') || is_digit()) zone_ += two_digits(0, 59, "minute of the time zone");
    if (west) zone_ = -zone_;
  }

  std::string_view text_;
  size_t at_ = 0;
  int64_t zone_ = 0;  // minutes that local time is ahead
};

}  // namespace

ParsedTime parse_datetime(std::string_view text) { return Reader(text).run(); }

int64_t datetime_in(const ParsedTime& t, std::string_view unit) {
  if (t.is_nat) return kNaT;
  int64_t multiple = 1;
  const auto [end, error] = std::from_chars(unit.data(), unit.data() + unit.size(), multiple);
  const std::string_view name = unit.substr(static_cast<size_t>(end - unit.data()));
  __int128 count = 0;
  if (name == "Y" || name == "M") {
    const Month m = month_of(t.days);
    count = name == "Y" ? __int128{m.year} - 1970 : __int128{m.year - 1970} * 12 + m.month - 1;
  } else if (name == "W") {
    count = floor_div(t.days, 7);
  } else if (name == "D") {
    count = t.days;
  } else if (name == "h") {
    count = __int128{t.days} * 24 + t.seconds / 3600;
  } else if (name == "m") {
    count = __int128{t.days} * 1440 + t.seconds / 60;
  } else {
    count = __int128{t.days} * 86400 + t.seconds;
    int64_t rest = 1'000'000'000'000'000'000, scale = 1;
    for (int u = 5; u < 12 && kTimeUnits[u] != name; ++u) rest /= 1000, scale *= 1000;
    count = count * scale + t.attoseconds / rest;
  }
  __int128 out = count / multiple - (count % multiple < 0);
  check<ValueError>(out > kNaT && out <= std::numeric_limits<int64_t>::max(),
                    "it has no room in datetime64[{}]", unit);
  return static_cast<int64_t>(out);
}

int64_t parse_timedelta(std::string_view text) {
  std::string_view s = text;
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s[0]))) s.remove_prefix(1);
  if (is_nat(s)) return kNaT;
  if (s[0] == '+') s.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  check<ValueError>(error == std::errc() && end == s.data() + s.size(),
                    "'{}' is no timedelta64: expected a number of units", text);
  return value;
}

}  // namespace serrate::core
