// The kernel table per instruction set, and what about folds needs no vectors: types and
// identities.
#include "cpu/ragged.h"

#include <algorithm>
#include <limits>

#include "cpu/isa_table.h"
#include "serrate/error.h"

namespace serrate::cpu {

// The entry points of src/cpu/isa, once per instruction set.
#define SERRATE_DECLARE(isa)                          \
  namespace isa {                                     \
  void add_offset_kernels(RaggedKernels& table);      \
  void add_expand_kernels(RaggedKernels& table);      \
  void add_combination_kernels(RaggedKernels& table); \
  void add_cartesian_kernels(RaggedKernels& table);   \
  void add_select_kernels(RaggedKernels& table);      \
  void add_fold_kernels(RaggedKernels& table);        \
  void add_histogram_kernels(RaggedKernels& table);   \
  void add_check_kernels(RaggedKernels& table);       \
  static RaggedKernels make_table() {                 \
    RaggedKernels table{};                            \
    add_offset_kernels(table);                        \
    add_expand_kernels(table);                        \
    add_combination_kernels(table);                   \
    add_cartesian_kernels(table);                     \
    add_select_kernels(table);                        \
    add_fold_kernels(table);                          \
    add_histogram_kernels(table);                     \
    add_check_kernels(table);                         \
    return table;                                     \
  }                                                   \
  }
SERRATE_EACH_ISA(SERRATE_DECLARE)
#undef SERRATE_DECLARE

const RaggedKernels& ragged(Isa isa) {
  check<ValueError>(isa_available(isa), "instruction set {} is not available on this CPU",
                    name(isa));
#define SERRATE_CASE(isa) SERRATE_RETURN_TABLE(isa, make_table)
  switch (isa) { SERRATE_EACH_ISA(SERRATE_CASE) }
#undef SERRATE_CASE
  throw ValueError("no such instruction set");
}

const RaggedKernels& ragged() {
  static const RaggedKernels& best = ragged(best_isa());
  return best;
}

DType accumulator_dtype(Reducer reducer, DType values) {
  switch (reducer) {
    case Reducer::sum:
    case Reducer::prod:
      if (values == DType::boolean || is_signed_integer(values)) return DType::int64;
      if (is_unsigned_integer(values)) return DType::uint64;
      return values;
    case Reducer::any:
    case Reducer::all:
      return DType::boolean;
    case Reducer::count:
    case Reducer::count_nonzero:
      return DType::int64;
    case Reducer::min:
    case Reducer::max:
    case Reducer::argmin:
    case Reducer::argmax:
      break;
  }
  return values;
}

bool can_fold(Reducer reducer, DType values) {
  if (reducer == Reducer::count) return true;
  if (values == DType::float16) return false;
  const bool ordered = reducer == Reducer::min || reducer == Reducer::max ||
                       reducer == Reducer::argmin || reducer == Reducer::argmax;
  return !(ordered && is_complex(values));
}

namespace {

template <class T>
void fill_as(Reducer reducer, void* acc, int64_t count) {
  using Limits = std::numeric_limits<T>;
  T value = 0;
  if (reducer == Reducer::prod || reducer == Reducer::all) value = 1;
  if (reducer == Reducer::min || reducer == Reducer::argmin)
    value = Limits::has_infinity ? Limits::infinity() : Limits::max();
  if (reducer == Reducer::max || reducer == Reducer::argmax)
    value = Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::lowest();
  std::fill_n(static_cast<T*>(acc), count, value);
}

}  // namespace

void fill_identity(Reducer reducer, DType values, void* acc, int64_t* index, int64_t count) {
  if (index) std::fill_n(index, count, int64_t{-1});
  switch (accumulator_dtype(reducer, values)) {
    case DType::boolean: {
      const bool one =
          reducer == Reducer::all || reducer == Reducer::min || reducer == Reducer::argmin;
      std::fill_n(static_cast<uint8_t*>(acc), count, static_cast<uint8_t>(one));
      return;
    }
    case DType::int8:
      return fill_as<int8_t>(reducer, acc, count);
    case DType::int16:
      return fill_as<int16_t>(reducer, acc, count);
    case DType::int32:
      return fill_as<int32_t>(reducer, acc, count);
    case DType::int64:
    case DType::datetime64:
    case DType::timedelta64:
      return fill_as<int64_t>(reducer, acc, count);
    case DType::uint8:
      return fill_as<uint8_t>(reducer, acc, count);
    case DType::uint16:
      return fill_as<uint16_t>(reducer, acc, count);
    case DType::uint32:
      return fill_as<uint32_t>(reducer, acc, count);
    case DType::uint64:
      return fill_as<uint64_t>(reducer, acc, count);
    case DType::float32:
      return fill_as<float>(reducer, acc, count);
    case DType::float64:
      return fill_as<double>(reducer, acc, count);
    case DType::complex64:
    case DType::complex128: {
      // Pairs (re, im): 0 or 1, and no imaginary part.
      const bool one = reducer == Reducer::prod;
      for (int64_t p = 0; p < count; p++) {
        if (values == DType::complex64) {
          static_cast<float*>(acc)[2 * p] = one;
          static_cast<float*>(acc)[2 * p + 1] = 0;
        } else {
          static_cast<double*>(acc)[2 * p] = one;
          static_cast<double*>(acc)[2 * p + 1] = 0;
        }
      }
      return;
    }
    case DType::float16:
      break;
  }
  throw TypeError("float16 is reduced as float32");
}

int64_t lists_within(IndexType type, const void* offsets, int64_t lists, int64_t items) {
  const auto search = [&](const auto* first) {
    const int64_t end = static_cast<int64_t>(first[0]) + items;
    const auto* found = std::upper_bound(
        first + 1, first + lists + 1, end,
        [](int64_t bound, auto offset) { return bound < static_cast<int64_t>(offset); });
    return static_cast<int64_t>(found - first) - 1;
  };
  switch (type) {
    case IndexType::i32:
      return search(static_cast<const int32_t*>(offsets));
    case IndexType::u32:
      return search(static_cast<const uint32_t*>(offsets));
    case IndexType::i64:
      break;
  }
  return search(static_cast<const int64_t*>(offsets));
}

}  // namespace serrate::cpu
