// Numbers of any type as unsigned integers in the same order.
#pragma once

#include <cstdint>

#include "serrate/dtype.h"

namespace serrate::cuda {

/// How items of a type become keys of 32 or 64 bits and back; a parameter of kernels.
struct KeyForm {
  uint64_t top = 0, all = 0;         // of the bits of an item: the highest one, all of them
  uint64_t sign = 0;                 // top of signed integers and times
  uint64_t infinity = 0, quiet = 0;  // floats: its bits, and those of NaN
  uint64_t flip = 0;                 // all: descending
  uint64_t step = 0;                 // ascending times: 1, so that NaT comes last
  int bytes = 0;
  bool floats = false;
  bool one_zero = false;  // -0.0 and 0.0 are equal; else each comes back as it was

  KeyForm(DType t, bool descending, bool zeros_are_equal)
      : bytes(static_cast<int>(itemsize(t))), floats(is_floating(t)), one_zero(zeros_are_equal) {
    const int bits = 8 * bytes;
    top = uint64_t{1} << (bits - 1);
    all = ~uint64_t{0} >> (64 - bits);
    if (is_signed_integer(t) || is_time(t)) sign = top;
    if (floats) {
      const int mantissa = t == DType::float16 ? 10 : t == DType::float32 ? 23 : 52;
      infinity = (top - 1) >> mantissa << mantissa;
      quiet = infinity | uint64_t{1} << (mantissa - 1);
    }
    if (descending) flip = all;
    if (is_time(t) && !descending) step = 1;
  }
};

#ifdef __CUDACC__

/// Item i of `in`.
template <class Key>
__device__ Key load_item(const KeyForm& form, const void* in, int64_t i) {
  if constexpr (sizeof(Key) == 8) {
    return static_cast<const Key*>(in)[i];
  } else {
    if (form.bytes == 4) return static_cast<const uint32_t*>(in)[i];
    if (form.bytes == 2) return static_cast<const uint16_t*>(in)[i];
    return static_cast<const uint8_t*>(in)[i];
  }
}

template <class Key>
__device__ void store_item(const KeyForm& form, void* out, int64_t i, Key v) {
  if constexpr (sizeof(Key) == 8) {
    static_cast<Key*>(out)[i] = v;
  } else {
    if (form.bytes == 4)
      static_cast<uint32_t*>(out)[i] = v;
    else if (form.bytes == 2)
      static_cast<uint16_t*>(out)[i] = static_cast<uint16_t>(v);
    else
      static_cast<uint8_t*>(out)[i] = static_cast<uint8_t>(v);
  }
}

/// The key of the bits of an item. NaN and NaT are the largest.
template <class Key>
__device__ Key to_key(const KeyForm& form, Key v) {
  const Key top = static_cast<Key>(form.top), all = static_cast<Key>(form.all);
  const Key flip = static_cast<Key>(form.flip);
  if (!form.floats)
    return (((v ^ static_cast<Key>(form.sign)) - static_cast<Key>(form.step)) & all) ^ flip;
  const Key size = v & ~top;
  if (size > static_cast<Key>(form.infinity)) return all;
  if (size == 0 && form.one_zero) v = 0;
  return ((v & top) != 0 ? ~v & all : v | top) ^ flip;
}

/// The item that has the key.
template <class Key>
__device__ Key of_key(const KeyForm& form, Key k) {
  const Key top = static_cast<Key>(form.top), all = static_cast<Key>(form.all);
  const Key flip = static_cast<Key>(form.flip);
  if (!form.floats)
    return (((k ^ flip) + static_cast<Key>(form.step)) & all) ^ static_cast<Key>(form.sign);
  if (k == all) return static_cast<Key>(form.quiet);
  k ^= flip;
  return (k & top) != 0 ? k ^ top : ~k & all;
}

#endif

}  // namespace serrate::cuda
