// Units of times: all are whole multiples of a base, months and years apart from the rest.
#include "ops/tree/units.h"

#include <array>
#include <cstdlib>
#include <limits>
#include <memory>
#include <numeric>

#include "core/where.h"
#include "serrate/error.h"

namespace serrate::ops {

using namespace graph;

namespace {

struct Unit {
  bool months = false;  // counts months, not attoseconds
  __int128 length = 1;  // in months or attoseconds
};

Unit parse(std::string_view text) {
  size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') digits++;
  const int64_t n =
      digits ? std::strtoll(std::string(text.substr(0, digits)).c_str(), nullptr, 10) : 1;
  const std::string_view name = text.substr(digits);
  if (name == "M") return {true, n};
  if (name == "Y") return {true, 12 * n};
  constexpr __int128 second = 1'000'000'000'000'000'000;
  const std::array<std::pair<std::string_view, __int128>, 10> table{{{"as", 1},
                                                                     {"fs", 1'000},
                                                                     {"ps", 1'000'000},
                                                                     {"ns", 1'000'000'000},
                                                                     {"us", 1'000'000'000'000},
                                                                     {"ms", 1'000'000'000'000'000},
                                                                     {"s", second},
                                                                     {"m", 60 * second},
                                                                     {"h", 3600 * second},
                                                                     {"D", 86400 * second}}};
  for (const auto& [key, length] : table) {
    if (key == name) return {false, n * length};
  }
  check<TypeError>(name == "W", "unknown unit of time \"{}\"", text);
  return {false, n * 7 * 86400 * second};
}

__int128 gcd(__int128 a, __int128 b) { return b == 0 ? a : gcd(b, a % b); }

}  // namespace

TimeUnit common_unit(const TimeUnit& a, const TimeUnit& b) {
  const bool dates = a.is_date && b.is_date;
  if (a.text == b.text || b.text.empty()) return {a.text, dates};
  if (a.text.empty()) return b;
  const Unit x = parse(a.text), y = parse(b.text);
  if (x.months != y.months) {
    check<TypeError>(x.months ? a.is_date : b.is_date,
                     "times in units of \"{}\" and \"{}\" do not compare", a.text, b.text);
    return {x.months ? b.text : a.text, dates};
  }
  const __int128 length = gcd(x.length, y.length);
  if (length == x.length) return {a.text, dates};
  if (length == y.length) return {b.text, dates};
  for (std::string_view name :
       {"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"}) {
    const Unit u = parse(name);
    if (u.months != x.months || length % u.length != 0) continue;
    const __int128 n = length / u.length;
    return {(n == 1 ? "" : std::to_string(static_cast<int64_t>(n))) + std::string(name), dates};
  }
  return {a.text, dates};
}

namespace {

ColumnRef whole_quotient(const ColumnRef& c, int64_t n) {
  return apply(Op::floor_divide, {c, constant(n)});
}

/// Days before the first of a month; both from January 1970 on. The years of the sum begin with
/// March (H. Hinnant, "chrono-compatible low-level date algorithms").
ColumnRef days_of_months(const ColumnRef& months) {
  const auto plus = [](const ColumnRef& a, const ColumnRef& b) { return apply(Op::add, {a, b}); };
  const auto times = [](const ColumnRef& a, int64_t n) {
    return apply(Op::multiply, {a, constant(n)});
  };
  const ColumnRef from_march = plus(months, constant(12 * 1970 - 2));
  const ColumnRef year = whole_quotient(from_march, 12);
  const ColumnRef month = apply(Op::subtract, {from_march, times(year, 12)});
  const ColumnRef in_year = whole_quotient(plus(times(month, 153), constant(2)), 5);
  const ColumnRef leap_days =
      plus(apply(Op::subtract, {whole_quotient(year, 4), whole_quotient(year, 100)}),
           whole_quotient(year, 400));
  return plus(plus(plus(times(year, 365), leap_days), in_year), constant(-719468));
}

/// The month of a day, both from January 1970 on.
ColumnRef months_of_days(const ColumnRef& days) {
  const auto plus = [](const ColumnRef& a, const ColumnRef& b) { return apply(Op::add, {a, b}); };
  const auto minus = [](const ColumnRef& a, const ColumnRef& b) {
    return apply(Op::subtract, {a, b});
  };
  const auto times = [](const ColumnRef& a, int64_t n) {
    return apply(Op::multiply, {a, constant(n)});
  };
  const ColumnRef z = plus(days, constant(719468));
  const ColumnRef era = whole_quotient(z, 146097);
  const ColumnRef of_era = minus(z, times(era, 146097));
  const ColumnRef years = whole_quotient(
      minus(plus(minus(of_era, whole_quotient(of_era, 1460)), whole_quotient(of_era, 36524)),
            whole_quotient(of_era, 146096)),
      365);
  const ColumnRef of_year = minus(
      of_era, minus(plus(times(years, 365), whole_quotient(years, 4)), whole_quotient(years, 100)));
  const ColumnRef month = whole_quotient(plus(times(of_year, 5), constant(2)), 153);
  return plus(times(plus(years, times(era, 400)), 12), plus(month, constant(2 - 12 * 1970)));
}

ColumnRef unless_nat(const ColumnRef& number, const ColumnRef& value, DType t) {
  const ColumnRef nat = constant(std::numeric_limits<int64_t>::min());
  return cast(apply(Op::where, {apply(Op::equal, {number, nat}), nat, value}), t);
}

}  // namespace

ColumnRef convert_unit(const ColumnRef& c, std::string_view from, std::string_view to,
                       const std::optional<UnitOverflow>& overflow) {
  if (from == to || from.empty() || to.empty()) return c;
  const Unit x = parse(from), y = parse(to);
  if (x.months != y.months) {
    check<TypeError>(c->dtype == DType::datetime64, "a time in \"{}\" can't be converted to \"{}\"",
                     from, to);
    const std::string_view between = x.months ? "M" : "D", then = x.months ? "D" : "M";
    const ColumnRef whole = cast(convert_unit(c, from, between, overflow), DType::int64);
    const ColumnRef other = x.months ? days_of_months(whole) : months_of_days(whole);
    return convert_unit(unless_nat(whole, other, c->dtype), then, to, overflow);
  }
  const bool coarser = y.length > x.length;
  const __int128 factor = coarser ? y.length / x.length : x.length / y.length;
  check<OverflowError>(factor <= std::numeric_limits<int64_t>::max(),
                       "a time in \"{}\" does not fit a 64-bit number of \"{}\"", from, to);
  if (factor == 1) return c;
  const ColumnRef number = cast(c, DType::int64), by = constant(static_cast<int64_t>(factor));
  ColumnRef scaled = apply(coarser ? Op::floor_divide : Op::multiply, {number, by});
  if (!coarser && overflow) {
    const int64_t most = std::numeric_limits<int64_t>::max() / static_cast<int64_t>(factor);
    auto about = std::make_shared<CheckInfo>();
    about->family = CheckInfo::Family::overflow;
    about->text = fmt::format("a time in \"{}\" does not fit a 64-bit number of \"{}\"", from, to);
    about->where = current_where("units of time");
    const ColumnRef nat = constant(std::numeric_limits<int64_t>::min());
    const ColumnRef fits =
        apply(Op::logical_or,
              {apply(Op::equal, {number, nat}),
               apply(Op::logical_and, {apply(Op::less_equal, {number, constant(most)}),
                                       apply(Op::greater_equal, {number, constant(-most)})})});
    scaled = check_column(scaled, fits, overflow->counts, std::move(about));
  }
  return unless_nat(number, scaled, c->dtype);
}

}  // namespace serrate::ops
