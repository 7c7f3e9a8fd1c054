// Units of times: all are whole multiples of a base, months and years apart from the rest.
#include "ops/units.h"

#include <array>
#include <cstdlib>
#include <limits>
#include <numeric>

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

std::string common_unit(std::string_view a, std::string_view b) {
  if (a == b || b.empty()) return std::string(a);
  if (a.empty()) return std::string(b);
  const Unit x = parse(a), y = parse(b);
  check<TypeError>(x.months == y.months, "times in units of \"{}\" and \"{}\" do not compare", a,
                   b);
  const __int128 length = gcd(x.length, y.length);
  if (length == x.length) return std::string(a);
  if (length == y.length) return std::string(b);
  for (std::string_view name :
       {"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"}) {
    const Unit u = parse(name);
    if (u.months != x.months || length % u.length != 0) continue;
    const __int128 n = length / u.length;
    return (n == 1 ? "" : std::to_string(static_cast<int64_t>(n))) + std::string(name);
  }
  return std::string(a);
}

ColumnRef convert_unit(const ColumnRef& c, std::string_view from, std::string_view to) {
  if (from == to || from.empty()) return c;
  const Unit x = parse(from), y = to.empty() ? x : parse(to);
  check<TypeError>(x.months == y.months, "a time in \"{}\" can't be converted to \"{}\"", from, to);
  const bool coarser = y.length > x.length;
  const __int128 factor = coarser ? y.length / x.length : x.length / y.length;
  check<ValueError>(factor <= std::numeric_limits<int64_t>::max(),
                    "a time in \"{}\" does not fit a 64-bit number of \"{}\"", from, to);
  const ColumnRef number = cast(c, DType::int64);
  const ColumnRef nat = constant(std::numeric_limits<int64_t>::min());
  const ColumnRef scaled = apply(coarser ? Op::floor_divide : Op::multiply,
                                 {number, constant(static_cast<int64_t>(factor))});
  return cast(apply(Op::where, {apply(Op::equal, {number, nat}), nat, scaled}), c->dtype);
}

}  // namespace serrate::ops
