// From lists to items: values repeated per item, indexes within lists, positions.
// Short lists cost one store each: a vector is written whole, what is too much is overwritten by
// the next list.
#include "cpu/isa/ragged_parts.h"

namespace serrate::cpu::SERRATE_ISA {
namespace {

struct Bytes16 {
  uint64_t a, b;
};

template <class T>
void expand_as(const T* values, const int32_t* off, int64_t lists, T* out) {
  constexpr int lanes = kNative / sizeof(T);
  // Stores every list gets, so that few lists of 8-byte values need the loop.
  constexpr int first = sizeof(T) == 8 ? 64 / kNative : 1;
  int32_t begin = 0;
  for (int64_t p = 0; p < lists; p++) {
    const int32_t end = off[p + 1];
    if constexpr (sizeof(T) == 16) {
      const T v = values[p];
      for (int i = 0; i < 4; i++) store(out + begin + i, v);
      for (int64_t k = begin + int64_t{4}; k < end; k++) out[k] = v;
    } else {
      using V = Vec<T, kNative>;
      const V v = V{} + values[p];
      for (int i = 0; i < first; i++) store(out + begin + i * lanes, v);
      for (int64_t k = begin + int64_t{first * lanes}; k < end; k += lanes) store(out + k, v);
    }
    begin = end;
  }
}

void expand(int itemsize, const void* values, const int32_t* off, int64_t lists, void* out) {
  const auto as = [&](auto t) {
    using T = decltype(t);
    expand_as(static_cast<const T*>(values), off, lists, static_cast<T*>(out));
  };
  switch (itemsize) {
    case 1:
      return as(uint8_t{});
    case 2:
      return as(uint16_t{});
    case 4:
      return as(uint32_t{});
    case 8:
      return as(uint64_t{});
    default:
      return as(Bytes16{});
  }
}

void parents(const int32_t* off, int64_t lists, int32_t first, int32_t* out) {
  int32_t begin = 0;
  Int32s v = Int32s{} + first;
  for (int64_t p = 0; p < lists; p++) {
    const int32_t end = off[p + 1];
    store(out + begin, v);
    for (int64_t k = begin + int64_t{kWide32}; k < end; k += kWide32) store(out + k, v);
    v += 1;
    begin = end;
  }
}

inline constexpr Iota<int32_t, 16> kRamp32;
inline constexpr Iota<int64_t, 8> kRamp64;

// out[k] = first(p) + k - off[p], for lists [from, lists).
template <class T, class First>
[[gnu::always_inline]] inline void ramps(const int32_t* off, int64_t from, int64_t lists, T* out,
                                         First first) {
  constexpr int lanes = kNative / sizeof(T);
  using V = Vec<T, kNative>;
  const void* table = kRamp64.value;
  if constexpr (sizeof(T) == 4) table = kRamp32.value;
  const V ramp = load<V>(table);
  int32_t begin = off[from];
  for (int64_t p = from; p < lists; p++) {
    const int32_t end = off[p + 1];
    V v = ramp + first(p);
    store(out + begin, v);
    for (int64_t k = begin + int64_t{lanes}; k < end; k += lanes) {
      v += static_cast<T>(lanes);
      store(out + k, v);
    }
    begin = end;
  }
}

template <class T>
[[gnu::always_inline]] inline void indexes(const int32_t* off, int64_t lists, T start, T* out) {
  if (lists == 0) return;
  ramps(off, 0, 1, out, [=](int64_t) { return start; });
  ramps(off, 1, lists, out, [](int64_t) { return T{0}; });
}

void local_index(const int32_t* off, int64_t lists, int64_t start, int64_t* out) {
  indexes(off, lists, start, out);
}
void local_index32(const int32_t* off, int64_t lists, int32_t start, int32_t* out) {
  indexes(off, lists, start, out);
}

template <class T>
[[gnu::always_inline]] inline void positions_as(IndexType type, const void* starts,
                                                const int32_t* off, int64_t lists, int64_t start,
                                                int64_t base, T* out) {
  if (lists == 0) return;
  with_index_type(type, [&](auto t) {
    const auto* at = static_cast<const decltype(t)*>(starts);
    ramps(off, 0, 1, out,
          [=](int64_t) { return static_cast<T>(static_cast<int64_t>(at[0]) + start - base); });
    ramps(off, 1, lists, out,
          [=](int64_t p) { return static_cast<T>(static_cast<int64_t>(at[p]) - base); });
  });
}

void positions(IndexType type, const void* starts, const int32_t* off, int64_t lists, int64_t start,
               int64_t base, int64_t* out) {
  positions_as(type, starts, off, lists, start, base, out);
}
void positions32(IndexType type, const void* starts, const int32_t* off, int64_t lists,
                 int64_t start, int64_t base, int32_t* out) {
  positions_as(type, starts, off, lists, start, base, out);
}

}  // namespace

void add_expand_kernels(RaggedKernels& table) {
  table.expand = expand;
  table.parents = parents;
  table.local_index = local_index;
  table.local_index32 = local_index32;
  table.positions = positions;
  table.positions32 = positions32;
}

}  // namespace serrate::cpu::SERRATE_ISA
