// What the ragged kernel files share: their entry points, vectors as the compiler knows them,
// unaligned access.
#pragma once

#include <cstdint>
#include <cstring>

#include "cpu/lists/ragged.h"

#ifndef SERRATE_ISA
#error "compile with -DSERRATE_ISA=baseline, avx2 or avx512"
#endif

// Vectors are passed to inlined functions only, so their calling convention doesn't matter.
#pragma GCC diagnostic ignored "-Wpsabi"

// Everything here has a copy per instruction set. Don't call inline functions of the standard
// library in these files: the linker keeps one copy of them, which could be the one compiled for
// AVX-512.
namespace serrate::cpu::SERRATE_ISA {

// Each file sets its entries of the table.
void add_offset_kernels(RaggedKernels& table);
void add_expand_kernels(RaggedKernels& table);
void add_copy_kernels(RaggedKernels& table);
void add_combination_kernels(RaggedKernels& table);
void add_cartesian_kernels(RaggedKernels& table);
void add_select_kernels(RaggedKernels& table);
void add_fold_kernels(RaggedKernels& table);
void add_histogram_kernels(RaggedKernels& table);
void add_check_kernels(RaggedKernels& table);

// fold's kernels, or null when there is none for the type.
FoldFn fold_arithmetic(Reducer reducer, DType values);
void wide_sum(const FoldArgs& args, double* room);
FoldFn fold_complex(Reducer reducer, DType values);
FoldFn fold_count(Reducer reducer, DType values);
FoldFn fold_argument(Reducer reducer, DType values);

inline constexpr int64_t kMaxInt32 = 2147483647, kMaxInt64 = 9223372036854775807;

template <class T, int bytes>
using Vec __attribute__((vector_size(bytes))) = T;

template <class T>
[[gnu::always_inline]] inline T load(const void* p) {
  T value;
  __builtin_memcpy(&value, p, sizeof(T));
  return value;
}
template <class T>
[[gnu::always_inline]] inline void store(void* p, const T& value) {
  __builtin_memcpy(p, &value, sizeof(T));
}

template <class T>
[[gnu::always_inline]] constexpr T least(T a, T b) {
  return b < a ? b : a;
}
template <class T>
[[gnu::always_inline]] constexpr T most(T a, T b) {
  return a < b ? b : a;
}

// Asks for what stands `ahead` bytes behind [from, to). The processor sees by itself that memory is
// read in order, but too late where few bytes are taken at a time and much is done with them.
template <int ahead = 4096>
[[gnu::always_inline]] inline void fetch_ahead(const void* from, const void* to) {
  const char* p = static_cast<const char*>(from) + ahead;
  const char* const end = static_cast<const char*>(to) + ahead;
  __builtin_prefetch(p);
  __builtin_prefetch(p + 64);
  __builtin_prefetch(p + 128);
  __builtin_prefetch(p + 192);
  for (p += 256; p < end; p += 64) __builtin_prefetch(p);
}

// The same behind a fold's values, if they have to come from memory.
template <int ahead = 4096, class V>
[[gnu::always_inline]] inline void fetch_values(const FoldArgs& args, const V* from, const V* to) {
  if (!args.scratch) fetch_ahead<ahead>(from, to);
}

// Where a fold's lists end.
[[gnu::always_inline]] inline const int32_t* ends_of(const FoldArgs& args) {
  return args.ends ? args.ends : args.off + 1;
}

// {0, 1, 2, ...}
template <class T, int lanes>
struct Iota {
  alignas(64) T value[lanes];
  constexpr Iota() : value() {
    for (int i = 0; i < lanes; i++) value[i] = static_cast<T>(i);
  }
};

// Bytes of the machine's vectors. Wider ones go through memory in GCC 12, which costs 20 ns.
#if defined(__AVX512F__)
inline constexpr int kNative = 64;
#elif defined(__AVX2__)
inline constexpr int kNative = 32;
#else
inline constexpr int kNative = 16;
#endif

// The vectors that positions are written with.
inline constexpr int kWide32 = kNative / 4;
inline constexpr Iota<int32_t, kWide32> kIota32;
using Int32s = Vec<int32_t, kNative>;

// Writes n values, and up to one vector behind them.
[[gnu::always_inline]] inline void write_same(int32_t* out, int32_t value, int64_t n) {
  const Int32s v = Int32s{} + value;
  int64_t k = 0;
  do store(out + k, v);
  while ((k += kWide32) < n);
}
[[gnu::always_inline]] inline void write_ramp(int32_t* out, int32_t first, int64_t n) {
  Int32s v = load<Int32s>(kIota32.value) + first;
  int64_t k = 0;
  do {
    store(out + k, v);
    v += kWide32;
  } while ((k += kWide32) < n);
}

// Calls f with a value of the C++ type of an IndexType.
template <class F>
[[gnu::always_inline]] inline auto with_index_type(IndexType type, F&& f) {
  switch (type) {
    case IndexType::i32:
      return f(int32_t{});
    case IndexType::u32:
      return f(uint32_t{});
    case IndexType::i64:
      break;
  }
  return f(int64_t{});
}

}  // namespace serrate::cpu::SERRATE_ISA
