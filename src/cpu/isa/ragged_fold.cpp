// The choice of folds, folds of complex numbers, and merging accumulators of parts of lists.
#include "cpu/isa/ragged_lanes.h"

namespace serrate::cpu::SERRATE_ISA {
namespace {

template <class R>
struct Complex {
  R re, im;
};

template <bool product, class R>
[[gnu::always_inline]] inline Complex<R> step(Complex<R> x, Complex<R> a) {
  if constexpr (product)
    return {a.re * x.re - a.im * x.im, a.re * x.im + a.im * x.re};
  else
    return {a.re + x.re, a.im + x.im};
}

// Item k of a list's part goes to lane k % 8 in blocks of 16384, as for real numbers.
template <bool product, class R>
void fold_complex_as(const FoldArgs& args) {
  constexpr int kLanes = 8;
  constexpr int64_t kBlock = 16384;
  constexpr Complex<R> identity = {product ? R(1) : R(0), R(0)};
  const auto* values = static_cast<const Complex<R>*>(args.values);
  auto* acc = static_cast<Complex<R>*>(args.acc);
  const int32_t* const ends = ends_of(args);
  const auto item = [&](int64_t k) { return args.valid && !args.valid[k] ? identity : values[k]; };
  for (int64_t p = 0; p < args.lists; p++) {
    const int64_t last = ends[p];
    int64_t k = args.off[p];
    Complex<R> sum = acc[p];
    while (last - k > kLanes) {
      const int64_t end = least(last, k + kBlock);
      Complex<R> lanes[kLanes];
      for (auto& lane : lanes) lane = identity;
      for (; k + kLanes <= end; k += kLanes)
        for (int i = 0; i < kLanes; i++) lanes[i] = step<product>(item(k + i), lanes[i]);
      for (int half = kLanes / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++) lanes[i] = step<product>(lanes[i + half], lanes[i]);
      sum = step<product>(lanes[0], sum);
    }
    for (; k < last; k++) sum = step<product>(item(k), sum);
    acc[p] = sum;
  }
}

FoldFn fold(Reducer reducer, DType values) {
  if (!can_fold(reducer, values)) return nullptr;
  switch (info(reducer).item) {
    case ReducerInfo::Item::value:
      return is_complex(values) ? fold_complex(reducer, values) : fold_arithmetic(reducer, values);
    case ReducerInfo::Item::index:
      return fold_argument(reducer, values);
    default:
      return fold_count(reducer, values);
  }
}

template <class Op, class A>
void merge_step(void* acc, const void* later, int64_t count) {
  A* a = static_cast<A*>(acc);
  const A* b = static_cast<const A*>(later);
  for (int64_t p = 0; p < count; p++) a[p] = Op::step(b[p], a[p]);
}

template <class Op, class A>
void merge_argument(void* acc, int64_t* index, const void* later, const int64_t* later_index,
                    int64_t count) {
  A* a = static_cast<A*>(acc);
  const A* b = static_cast<const A*>(later);
  for (int64_t p = 0; p < count; p++) {
    const bool better = __is_same(Op, Min) ? b[p] < a[p] : b[p] > a[p];
    if (later_index[p] < 0 || !(index[p] < 0 || better)) continue;
    a[p] = b[p];
    index[p] = later_index[p];
  }
}

template <Reducer r, class A>
void merge_as(void* acc, int64_t* index, const void* later, const int64_t* later_index,
              int64_t count) {
  if constexpr (info(r).has_index())
    return merge_argument<StepOf<without_index(r)>, A>(acc, index, later, later_index, count);
  else if constexpr (info(r).item != ReducerInfo::Item::value)
    return merge_step<Sum, A>(acc, later, count);
  else if constexpr (std::is_integral_v<A> || (info(info(r).join).accepts & kAcceptsFloating))
    return merge_step<StepOf<r>, A>(acc, later, count);
}

template <class R>
void merge_complex(Reducer reducer, void* acc, const void* later, int64_t count) {
  auto* a = static_cast<Complex<R>*>(acc);
  const auto* b = static_cast<const Complex<R>*>(later);
  for (int64_t p = 0; p < count; p++)
    a[p] = reducer == Reducer::prod ? step<true>(b[p], a[p]) : step<false>(b[p], a[p]);
}

void merge(Reducer reducer, DType values, void* acc, int64_t* index, const void* later,
           const int64_t* later_index, int64_t count) {
  const auto as = [&](auto t) {
    switch (reducer) {
#define SERRATE_REDUCER(name, ...) \
  case Reducer::name:              \
    return merge_as<Reducer::name, decltype(t)>(acc, index, later, later_index, count);
#include "core/types/reducers.def"
    }
  };
  switch (state_type(reducer, values)) {
    case DType::boolean:
      // any is the larger, all the smaller of two bytes.
      if (reducer == Reducer::any) return merge_step<Max, uint8_t>(acc, later, count);
      if (reducer == Reducer::all) return merge_step<Min, uint8_t>(acc, later, count);
      return as(uint8_t{});
    case DType::int8:
      return as(int8_t{});
    case DType::int16:
      return as(int16_t{});
    case DType::int32:
      return as(int32_t{});
    case DType::int64:
    case DType::datetime64:
    case DType::timedelta64:
      return as(int64_t{});
    case DType::uint8:
      return as(uint8_t{});
    case DType::uint16:
      return as(uint16_t{});
    case DType::uint32:
      return as(uint32_t{});
    case DType::uint64:
      return as(uint64_t{});
    case DType::float32:
      return as(float{});
    case DType::float64:
      return as(double{});
    case DType::complex64:
      return merge_complex<float>(reducer, acc, later, count);
    case DType::complex128:
      return merge_complex<double>(reducer, acc, later, count);
    case DType::float16:
      break;
  }
}

}  // namespace

FoldFn fold_complex(Reducer reducer, DType values) {
  const bool product = reducer == Reducer::prod;
  if (values == DType::complex64)
    return product ? fold_complex_as<true, float> : fold_complex_as<false, float>;
  return product ? fold_complex_as<true, double> : fold_complex_as<false, double>;
}

void add_fold_kernels(RaggedKernels& table) {
  table.fold = fold;
  table.wide_sum = wide_sum;
  table.merge = merge;
}

}  // namespace serrate::cpu::SERRATE_ISA
