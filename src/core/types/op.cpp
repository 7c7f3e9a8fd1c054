// NumPy 2's type resolution for the element-wise operations.
#include "serrate/op.h"

#include <algorithm>
#include <atomic>
#include <string>

#include "serrate/error.h"

namespace serrate {

namespace {

using enum DType;

// The order in which NumPy lists a ufunc's loops: the first that holds all arguments is taken.
constexpr DType kLadder[] = {boolean, int8,   uint8,   int16,   uint16,  int32,     uint32,
                             int64,   uint64, float16, float32, float64, complex64, complex128};

// numpy.can_cast(from, to, "safe") for numbers.
bool holds(DType to, DType from) {
  if (from == to || from == boolean) return true;
  if (to == boolean) return false;
  const int from_size = itemsize(from), to_size = itemsize(to);
  if (is_complex(from)) return is_complex(to) && to_size >= from_size;
  const int part = is_complex(to) ? to_size / 2 : to_size;
  if (is_floating(from)) return (is_floating(to) || is_complex(to)) && part >= from_size;
  if (is_floating(to) || is_complex(to)) return part > from_size || part == 8;
  if (is_signed_integer(from)) return is_signed_integer(to) && to_size >= from_size;
  return is_unsigned_integer(to) ? to_size >= from_size : to_size > from_size;
}

[[noreturn]] void refuse(const OpInfo& op, std::span<const DType> args) {
  std::string types;
  for (DType t : args) types += (types.empty() ? "" : ", ") + std::string(name(t));
  throw TypeError(fmt::format("{}: not defined for ({})", op.name, types));
}

OpTypes same_for_all(Op op, DType t) {
  OpTypes r{{boolean, boolean, boolean}, t};
  std::fill_n(r.compute, info(op).arity, t);
  r.result = result_type(op, {r.compute, info(op).arity});
  return r;
}

OpTypes resolve_numbers(Op op, std::span<const DType> args) {
  const OpInfo& row = info(op);
  const bool all_bool = std::ranges::all_of(args, [](DType t) { return t == boolean; });
  if (all_bool && (row.flags & kNumeric)) refuse(row, args);
  // NumPy divides integers in float64, whatever their size.
  if (op == Op::divide && std::ranges::all_of(args, [](DType t) { return t <= uint64; }))
    return same_for_all(op, float64);
  for (DType t : kLadder) {
    if (!accepts(op, t) || (op == Op::float_power && itemsize(t) < (is_complex(t) ? 16 : 8)))
      continue;
    if (std::ranges::all_of(args, [t](DType a) { return holds(t, a); })) return same_for_all(op, t);
  }
  refuse(row, args);
}

OpTypes resolve_times(Op op, std::span<const DType> args) {
  const OpInfo& row = info(op);
  DType x = args[0];
  if (args.size() == 1) {
    const bool changes =
        op == Op::negative || op == Op::positive || op == Op::absolute || op == Op::sign;
    if (!accepts(op, x) || (changes && x == datetime64)) refuse(row, args);
    return same_for_all(op, x);
  }
  DType y = args[1];
  const auto is_int = [](DType t) { return t <= uint64; };
  const auto give = [&](DType a, DType b) {
    const DType both[] = {a, b};
    return OpTypes{{a, b, boolean}, result_type(op, both)};
  };
  switch (op) {
    case Op::add:
    case Op::subtract:
      // Integers count the unit of the other argument.
      if (is_int(x)) x = timedelta64;
      if (is_int(y)) y = timedelta64;
      if (!is_time(x) || !is_time(y)) refuse(row, args);
      if (op == Op::add ? x == datetime64 && y == datetime64 : x == timedelta64 && y == datetime64)
        refuse(row, args);
      return give(x, y);
    case Op::multiply:
      if (x == timedelta64 && is_int(y)) return give(x, int64);
      if (x == timedelta64 && is_floating(y)) return give(x, float64);
      if (y == timedelta64 && is_int(x)) return give(int64, y);
      if (y == timedelta64 && is_floating(x)) return give(float64, y);
      refuse(row, args);
    case Op::divide:
    case Op::floor_divide:
      if (x != timedelta64) refuse(row, args);
      if (y == timedelta64) return give(x, y);
      if (is_integer(y)) return give(x, int64);
      if (is_floating(y)) return give(x, float64);
      refuse(row, args);
    case Op::remainder:
      if (x != timedelta64 || y != timedelta64) refuse(row, args);
      return give(x, y);
    default:
      // Comparisons and extremes.
      if (is_int(x) && x != uint64 && y == timedelta64) x = y;
      if (is_int(y) && y != uint64 && x == timedelta64) y = x;
      if (!accepts(op, x) || x != y) refuse(row, args);
      return give(x, y);
  }
}

}  // namespace

DType result_type(Op op, std::span<const DType> compute) {
  const DType t = compute[op == Op::where ? 1 : 0];
  if (info(op).result == ResultRule::boolean) return boolean;
  if (info(op).result == ResultRule::byte) return uint8;
  if (info(op).result == ResultRule::exponent) return int32;
  if (info(op).result == ResultRule::real && is_complex(t))
    return t == complex64 ? float32 : float64;
  if (compute.size() < 2 || op == Op::where || (!is_time(t) && !is_time(compute[1]))) return t;
  const DType u = compute[1];
  switch (op) {
    case Op::add:
      return t == datetime64 || u == datetime64 ? datetime64 : timedelta64;
    case Op::subtract:
      return t == datetime64 && u == timedelta64 ? datetime64 : timedelta64;
    case Op::divide:
      return u == timedelta64 ? float64 : timedelta64;
    case Op::floor_divide:
      return u == timedelta64 ? int64 : timedelta64;
    case Op::multiply:
      return timedelta64;
    default:
      return t;
  }
}

namespace {

OpTypes by_rules(Op op, std::span<const DType> args) {
  const OpInfo& row = info(op);
  check<TypeError>(args.size() == row.arity, "{}: expected {} arguments, got {}", row.name,
                   row.arity, args.size());
  if (op == Op::where) {
    if (is_time(args[0])) refuse(row, args);
    const DType t = is_time(args[1]) || is_time(args[2]) ? (args[1] == args[2] ? args[1] : boolean)
                                                         : promote(args[1], args[2]);
    if (t == boolean && args[1] != args[2]) refuse(row, args);
    return {{boolean, t, t}, t};
  }
  if (op == Op::ldexp) {
    if (args[1] >= uint64 || is_time(args[0])) refuse(row, args);
    OpTypes r = resolve_numbers(op, args.first(1));
    r.compute[1] = int32;
    return r;
  }
  // Of different types, NumPy takes the truth of each.
  const bool logical = op == Op::logical_and || op == Op::logical_or || op == Op::logical_xor;
  if (logical && args[0] != args[1]) return same_for_all(op, boolean);
  if (logical && is_time(args[0])) return same_for_all(op, boolean);
  return std::ranges::any_of(args, is_time) ? resolve_times(op, args) : resolve_numbers(op, args);
}

}  // namespace

OpTypes resolve(Op op, std::span<const DType> args) {
  if (args.empty() || args.size() > 2) return by_rules(op, args);
  // The four types of each answer in one word, 0 before it is asked for.
  static std::atomic<uint32_t> answers[kOpCount][kDTypeCount][kDTypeCount + 1];
  const size_t second = args.size() == 2 ? static_cast<size_t>(args[1]) : kDTypeCount;
  auto& answer = answers[static_cast<size_t>(op)][static_cast<size_t>(args[0])][second];
  const auto type = [](uint32_t word, int byte) {
    return static_cast<DType>((word >> (8 * byte) & 255U) - 1);
  };
  const auto word_of = [](DType t, int byte) {
    return (static_cast<uint32_t>(t) + 1) << (8 * byte);
  };
  if (const uint32_t known = answer.load(std::memory_order_relaxed))
    return {{type(known, 0), type(known, 1), type(known, 2)}, type(known, 3)};
  const OpTypes r = by_rules(op, args);
  answer.store(word_of(r.compute[0], 0) | word_of(r.compute[1], 1) | word_of(r.compute[2], 2) |
                   word_of(r.result, 3),
               std::memory_order_relaxed);
  return r;
}

}  // namespace serrate
