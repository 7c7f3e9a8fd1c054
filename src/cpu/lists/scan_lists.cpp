// Running sums, products, minima and maxima list by list.
//
// Four items wait for one addition of what came before them, not for four. Lists longer than
// `seams().scanned` are summed in chunks from nothing, to which what came before is added: the same
// for one thread as for many.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <vector>

#include "core/seams.h"
#include "core/types/reducer_info.h"
#include "cpu/lists/list_tasks.h"
#include "cpu/machine/scratch.h"
#include "serrate/error.h"

namespace serrate::cpu {
namespace {

#include "cpu/program/half.h"

// Lists of a task that are no longer than this on average are walked item by item.
constexpr int64_t kShort = 8;
constexpr int kParts = 8;

struct Add {
  static constexpr bool kInAnyOrder = true;
  template <class A>
  static A identity() {
    return A(0);
  }
  template <class A>
  static A apply(A a, A b) {
    return a + b;
  }
};
struct Multiply {
  static constexpr bool kInAnyOrder = false;  // 0 * (huge * huge) is not 0
  template <class A>
  static A identity() {
    return A(1);
  }
  template <class A>
  static A apply(A a, A b) {
    return a * b;
  }
  /// As `multiply` and NumPy do: std::complex makes infinities of some NaN (C11, G.5.1).
  template <class T>
  static std::complex<T> apply(std::complex<T> a, std::complex<T> b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
};
template <bool smaller>
struct Extreme {
  static constexpr bool kInAnyOrder = true;
  template <class A>
  static A identity() {
    using L = std::numeric_limits<A>;
    if constexpr (L::has_infinity) return smaller ? L::infinity() : -L::infinity();
    return smaller ? L::max() : L::lowest();
  }
  template <class A>
  static A apply(A a, A b) {
    const A x = (smaller ? b < a : a < b) ? b : a;
    if constexpr (std::is_floating_point_v<A>) return b != b ? b : x;
    return x;
  }
};
/// Times: once NaT, always NaT.
template <class Op>
struct OfTimes {
  static constexpr bool kInAnyOrder = true;
  template <class A>
  static A identity() {
    // NaT is the smallest integer.
    const A i = Op::template identity<A>();
    return i == std::numeric_limits<A>::min() ? i + 1 : i;
  }
  template <class A>
  static A apply(A a, A b) {
    constexpr A kNat = std::numeric_limits<A>::min();
    if (a == kNat || b == kNat) return kNat;
    if constexpr (std::is_same_v<Op, Add>) return A(uint64_t(a) + uint64_t(b));
    return Op::apply(a, b);
  }
};

/// Booleans: bytes that are 0 or 1, where nothing has come yet, too.
template <class Op>
struct OfBooleans : Op {
  template <class A>
  static A identity() {
    return A(Op::template identity<A>() != 0);
  }
};

/// float16 is added up as float32.
template <class To>
To load(Half h) {
  return To(to_float(h));
}
template <class To, class From>
To load(From x) {
  return To(x);
}
template <class To, class From>
To round_to(From x) {
  if constexpr (std::is_same_v<To, Half>) {
    return to_half(x);
  } else {
    return To(x);
  }
}

/// In: item type, A: what is computed with, Out: result type.
template <class Op, class In, class A, class Out>
class Scanner {
 public:
  Scanner(const void* in, const uint8_t* valid, const Lists& lists, void* out)
      : in_(static_cast<const In*>(in)),
        valid_(valid),
        lists_(lists),
        out_(static_cast<Out*>(out)) {}

  void run() {
    for_lists(
        lists_, [this](int64_t list) { giant(list); },
        [this](ListRange range) {
          const int64_t lists = range.end - range.begin;
          const int64_t n = lists_.offsets[range.end] - lists_.offsets[range.begin];
          if (n <= kShort * lists)
            return valid_ ? short_lists<true>(range) : short_lists<false>(range);
          for (int64_t l = range.begin; l < range.end; l++) {
            const int64_t begin = lists_.offsets[l], n = lists_.offsets[l + 1] - begin;
            n <= seams().scanned ? void(chunk(begin, n)) : chunks(begin, n);
          }
        });
  }

 private:
  static A identity() { return Op::template identity<A>(); }

  /// Parts of a list may be scanned by themselves: where a zero comes before one whose product is
  /// infinite, nothing is NaN.
  static constexpr bool has_parts() { return Op::kInAnyOrder || std::is_integral_v<A>; }
  /// Numbers that wrap around: any parts give the same bits, so one thread needs none.
  static constexpr bool is_exact() { return std::is_unsigned_v<A>; }

  A item(int64_t i) const { return valid_ && !valid_[i] ? identity() : load<A>(in_[i]); }

  /// A chunk from nothing; returns what all of it gives.
  A chunk(int64_t begin, int64_t n) {
    return valid_ ? scan<true>(begin, n) : scan<false>(begin, n);
  }

  template <bool masked>
  A scan(int64_t begin, int64_t n) {
    const auto get = [&](int64_t i) { return masked ? item(i) : load<A>(in_[i]); };
    if (n == 0) return identity();
    // Nothing but the items themselves: -0.0 stays -0.0.
    A acc = get(begin);
    out_[begin] = round_to<Out>(acc);
    int64_t i = begin + 1;
    const int64_t end = begin + n;
    for (; (Op::kInAnyOrder || is_exact()) && i + 4 <= end; i += 4) {
      const A a = get(i), b = Op::apply(a, get(i + 1)), c = get(i + 2);
      const A d = Op::apply(c, get(i + 3));
      out_[i] = round_to<Out>(Op::apply(acc, a));
      out_[i + 1] = round_to<Out>(Op::apply(acc, b));
      out_[i + 2] = round_to<Out>(Op::apply(acc, Op::apply(b, c)));
      acc = Op::apply(acc, Op::apply(b, d));
      out_[i + 3] = round_to<Out>(acc);
    }
    for (; i < end; i++) {
      acc = Op::apply(acc, get(i));
      out_[i] = round_to<Out>(acc);
    }
    return acc;
  }

  /// Item by item, as loops of a few items are mostly mispredicted ends.
  template <bool masked>
  void short_lists(ListRange range) {
    const int64_t begin = lists_.offsets[range.begin], n = lists_.offsets[range.end] - begin;
    if (n == 0) return;
    ScratchScope scope;
    auto* starts = scope.get<uint8_t>(static_cast<size_t>(n) + 1);
    memset(starts, 0, static_cast<size_t>(n));
    for (int64_t l = range.begin; l < range.end; l++) starts[lists_.offsets[l] - begin] = 1;
    // Parts of the lists side by side, as each item waits for the one before.
    A acc[kParts];
    int64_t at[kParts], ends[kParts], together = n;
    for (int p = 0; p < kParts; p++) {
      const auto cut = [&](int64_t k) {
        const int64_t* end = lists_.offsets + range.end;
        return *std::lower_bound(lists_.offsets + range.begin, end, begin + n * k / kParts);
      };
      acc[p] = identity();
      at[p] = cut(p);
      ends[p] = cut(p + 1);
      together = std::min(together, ends[p] - at[p]);
    }
    const auto step = [&](int p, int64_t i) {
      const A v = masked ? item(i) : load<A>(in_[i]);
      // Where lists begin is not to be guessed: a load instead of a branch.
      const A next[2] = {Op::apply(acc[p], v), v};
      acc[p] = next[starts[i - begin]];
      out_[i] = round_to<Out>(acc[p]);
    };
    for (int64_t k = 0; k < together; k++) {
#pragma GCC unroll 8
      for (int p = 0; p < kParts; p++) step(p, at[p] + k);
    }
    for (int p = 0; p < kParts; p++) {
      for (int64_t i = at[p] + together; i < ends[p]; i++) step(p, i);
    }
  }

  void add(A before, int64_t begin, int64_t n) {
    for (int64_t i = begin; i < begin + n; i++)
      out_[i] = round_to<Out>(Op::apply(before, load<A>(out_[i])));
  }

  /// A list by one thread.
  void chunks(int64_t begin, int64_t n) {
    if (!has_parts() || is_exact()) return void(chunk(begin, n));
    const int64_t most = seams().scanned;
    A before = chunk(begin, std::min(most, n));
    for (int64_t i = most; i < n; i += most) {
      const int64_t size = std::min(most, n - i);
      const A here = chunk(begin + i, size);
      add(before, begin + i, size);
      before = Op::apply(before, here);
    }
  }

  void giant(int64_t list) {
    const int64_t begin = lists_.offsets[list], n = lists_.offsets[list + 1] - begin;
    if (!has_parts() || num_threads() == 1) return chunks(begin, n);
    const int64_t most = seams().scanned, count = (n + most - 1) / most;
    const auto size = [n, most](int64_t k) { return std::min(most, n - k * most); };
    std::vector<A> before(static_cast<size_t>(count));
    parallel_for(count, [&](int64_t k, int) {
      before[static_cast<size_t>(k)] = chunk(begin + k * most, size(k));
    });
    A sum = before[0];
    for (size_t k = 1; k < before.size(); k++) {
      const A here = before[k];
      before[k] = sum;
      sum = Op::apply(sum, here);
    }
    parallel_for(count - 1, [&](int64_t k, int) {
      add(before[static_cast<size_t>(k) + 1], begin + (k + 1) * most, size(k + 1));
    });
  }

  const In* in_;
  const uint8_t* valid_;
  const Lists& lists_;
  Out* out_;
};

struct Arguments {
  const void* items;
  const uint8_t* valid;
  const Lists& lists;
  void* out;
};

template <class Op, class In, class A, class Out = A>
void scan(const Arguments& x) {
  Scanner<Op, In, A, Out>(x.items, x.valid, x.lists, x.out).run();
}

/// f of a number of the items' type; false for complex numbers and times.
template <class F>
bool of_real_type(DType t, F&& f) {
  switch (t) {
    case DType::boolean:
    case DType::uint8:
      return f(uint8_t{}), true;
    case DType::int8:
      return f(int8_t{}), true;
    case DType::int16:
      return f(int16_t{}), true;
    case DType::uint16:
      return f(uint16_t{}), true;
    case DType::int32:
      return f(int32_t{}), true;
    case DType::uint32:
      return f(uint32_t{}), true;
    case DType::int64:
      return f(int64_t{}), true;
    case DType::uint64:
      return f(uint64_t{}), true;
    case DType::float16:
      return f(Half{}), true;
    case DType::float32:
      return f(float{}), true;
    case DType::float64:
      return f(double{}), true;
    default:
      return false;
  }
}

template <class Op>
void sums(DType t, const Arguments& x) {
  const bool real = of_real_type(t, [&]<class T>(T) {
    if constexpr (std::is_same_v<T, Half>)
      scan<Op, Half, float, Half>(x);
    else if constexpr (std::is_floating_point_v<T>)
      scan<Op, T, T>(x);
    else
      scan<Op, T, uint64_t>(x);  // unsigned, so that overflow wraps around
  });
  if (real) return;
  if (t == DType::complex64) return scan<Op, std::complex<float>, std::complex<float>>(x);
  if (t == DType::complex128) return scan<Op, std::complex<double>, std::complex<double>>(x);
  if constexpr (std::is_same_v<Op, Add>) return scan<OfTimes<Add>, int64_t, int64_t>(x);
  throw TypeError("scan: times have no product");
}

template <class Op>
void extremes(DType t, const Arguments& x) {
  if (t == DType::boolean) return scan<OfBooleans<Op>, uint8_t, uint8_t>(x);
  const bool real = of_real_type(t, [&]<class T>(T) {
    if constexpr (std::is_same_v<T, Half>)
      scan<Op, Half, float, Half>(x);
    else
      scan<Op, T, T>(x);
  });
  if (real) return;
  check<TypeError>(is_time(t), "scan: complex numbers have no order");
  scan<OfTimes<Op>, int64_t, int64_t>(x);
}

}  // namespace

void scan_lists(Reducer r, DType t, const void* items, const uint8_t* valid, const Lists& lists,
                void* out) {
  const Arguments x{items, valid, lists, out};
  switch (r) {
    case Reducer::sum:
      return sums<Add>(t, x);
    case Reducer::prod:
      return sums<Multiply>(t, x);
    case Reducer::min:
      return extremes<Extreme<true>>(t, x);
    case Reducer::max:
      return extremes<Extreme<false>>(t, x);
    default:
      throw ValueError(fmt::format("scan: no running {}", info(r).name));
  }
}

}  // namespace serrate::cpu
