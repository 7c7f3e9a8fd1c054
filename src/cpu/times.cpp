// Operations on datetime64 and timedelta64: int64 whose lowest value is NaT, which spreads as NaN
// does.
#define SERRATE_ISA times
#include <cmath>

#include "cpu/isa/vec_math.h"

namespace serrate::cpu {

namespace {

using namespace times;  // NOLINT

constexpr int64_t kNat = INT64_MIN;
constexpr double kNan = __builtin_nan("");

int64_t wrap(wide_uint x) { return static_cast<int64_t>(x); }

// NumPy leaves what does not fit to C's conversion, which x86 answers with NaT.
int64_t from_double(double x) { return x >= -0x1p63 && x < 0x1p63 ? int64_t(x) : kNat; }

struct Add {
  static int64_t of(int64_t x, int64_t y) {
    return x == kNat || y == kNat ? kNat : wrap(wide_uint(x) + wide_uint(y));
  }
};
struct Subtract {
  static int64_t of(int64_t x, int64_t y) {
    return x == kNat || y == kNat ? kNat : wrap(wide_uint(x) - wide_uint(y));
  }
};
struct Scale {
  static int64_t of(int64_t x, int64_t y) {
    return x == kNat ? kNat : wrap(wide_uint(x) * wide_uint(y));
  }
  static int64_t of(int64_t x, double y) { return x == kNat ? kNat : from_double(double(x) * y); }
};
struct ScaleReversed {
  static int64_t of(int64_t x, int64_t y) {
    return y == kNat ? kNat : wrap(wide_uint(x) * wide_uint(y));
  }
  static int64_t of(double x, int64_t y) { return y == kNat ? kNat : from_double(x * double(y)); }
};
// Towards zero, whether the quotient is asked for or its floor: as NumPy.
struct Shrink {
  static int64_t of(int64_t x, int64_t y) {
    return x == kNat || y == 0 ? kNat : y == -1 ? wrap(0 - wide_uint(x)) : x / y;
  }
  static int64_t of(int64_t x, double y) { return x == kNat ? kNat : from_double(double(x) / y); }
};
struct Ratio {
  static double of(int64_t x, int64_t y) {
    return x == kNat || y == kNat ? kNan : double(x) / double(y);
  }
};
struct FloorRatio {
  static int64_t of(int64_t x, int64_t y) {
    return x == kNat || y == kNat ? 0 : floor_divide(x, y);
  }
};
struct Remainder {
  static int64_t of(int64_t x, int64_t y) {
    return x == kNat || y == kNat || y == 0 ? kNat : remainder(x, y);
  }
};
struct Maximum {
  static int64_t of(int64_t x, int64_t y) { return x == kNat || y == kNat ? kNat : x > y ? x : y; }
};
struct Minimum {
  static int64_t of(int64_t x, int64_t y) { return x < y ? x : y; }  // NaT is the lowest
};
struct Fmax {
  static int64_t of(int64_t x, int64_t y) { return x > y ? x : y; }
};
struct Fmin {
  static int64_t of(int64_t x, int64_t y) { return y == kNat || (x != kNat && x < y) ? x : y; }
};
#define COMPARE(name, expression)                               \
  struct name {                                                 \
    static bool of(int64_t x, int64_t y) { return expression; } \
  };
COMPARE(Equal, x == y && x != kNat)
COMPARE(NotEqual, x != y || x == kNat)
COMPARE(Less, x < y && x != kNat)
COMPARE(LessEqual, x <= y && x != kNat)
COMPARE(Greater, x > y && y != kNat)
COMPARE(GreaterEqual, x >= y && y != kNat)
#undef COMPARE
struct Negative {
  static int64_t of(int64_t x) { return wrap(0 - wide_uint(x)); }  // of NaT: NaT
};
struct Absolute {
  static int64_t of(int64_t x) { return absolute(x); }
};
struct Sign {
  static int64_t of(int64_t x) { return x == kNat ? kNat : sign(x); }
};
struct IsNat {
  static bool of(int64_t x) { return x == kNat; }
};
struct IsFinite {
  static bool of(int64_t x) { return x != kNat; }
};
struct IsInfinite {
  static bool of(int64_t) { return false; }
};

template <class F, class X, class Y>
void binary(const Instruction* ip, char* const* mem) {
  const X* x = reinterpret_cast<const X*>(mem[ip->a]);
  const Y* y = reinterpret_cast<const Y*>(mem[ip->b]);
  auto* out = reinterpret_cast<decltype(F::of(X(), Y()))*>(mem[ip->out]);
  for (int i = 0; i < ip->items; i++) out[i] = F::of(x[i], y[i]);
  return next_loop(ip, mem);
}
template <class F>
void unary(const Instruction* ip, char* const* mem) {
  const int64_t* x = reinterpret_cast<const int64_t*>(mem[ip->a]);
  auto* out = reinterpret_cast<decltype(F::of(int64_t()))*>(mem[ip->out]);
  for (int i = 0; i < ip->items; i++) out[i] = F::of(x[i]);
  return next_loop(ip, mem);
}
template <class F>
Step times_step() {
  return as_step(&binary<F, int64_t, int64_t>);
}

}  // namespace

Step time_loop(Op op, DType first, DType second) {
  const bool by_float = second == DType::float64;
  const bool both = is_time(first) && is_time(second);
  switch (op) {
    case Op::add:
      return times_step<Add>();
    case Op::subtract:
      return times_step<Subtract>();
    case Op::multiply:
      if (!is_time(first))
        return first == DType::float64 ? as_step(&binary<ScaleReversed, double, int64_t>)
                                       : times_step<ScaleReversed>();
      return by_float ? as_step(&binary<Scale, int64_t, double>) : times_step<Scale>();
    case Op::divide:
    case Op::floor_divide:
      if (both) return op == Op::divide ? times_step<Ratio>() : times_step<FloorRatio>();
      return by_float ? as_step(&binary<Shrink, int64_t, double>) : times_step<Shrink>();
    case Op::remainder:
      return times_step<Remainder>();
    case Op::maximum:
      return times_step<Maximum>();
    case Op::minimum:
      return times_step<Minimum>();
    case Op::fmax:
      return times_step<Fmax>();
    case Op::fmin:
      return times_step<Fmin>();
    case Op::equal:
      return times_step<Equal>();
    case Op::not_equal:
      return times_step<NotEqual>();
    case Op::less:
      return times_step<Less>();
    case Op::less_equal:
      return times_step<LessEqual>();
    case Op::greater:
      return times_step<Greater>();
    case Op::greater_equal:
      return times_step<GreaterEqual>();
    case Op::negative:
      return as_step(&unary<Negative>);
    case Op::absolute:
      return as_step(&unary<Absolute>);
    case Op::sign:
      return as_step(&unary<Sign>);
    case Op::isnat:
    case Op::isnan:
      return as_step(&unary<IsNat>);
    case Op::isfinite:
      return as_step(&unary<IsFinite>);
    case Op::isinf:
      return as_step(&unary<IsInfinite>);
    default:
      return nullptr;
  }
}

}  // namespace serrate::cpu
