// What a kernel's text finds when it is compiled for the emulated GPU: CUDA's names as host C++.
//
// The machine that runs the kernel gives each thread of a block a stack of its own and switches
// between them where they wait for each other.
//
// It includes no header of the system: they would take most of a kernel's time to compile.
#pragma once

#include "machine.h"
#include "maths.h"

#define __device__
#define __global__
#define __shared__ static
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)

namespace emulated {

static Machine* machine;

inline unsigned lane_of_thread() {
  const Index &t = machine->thread, &n = machine->block_size;
  return (t.x + n.x * (t.y + n.y * t.z)) & 31u;
}

template <class T>
T from_lane(unsigned mask, T x, unsigned lane) {
  static_assert(sizeof(T) <= 16);
  const unsigned self = lane_of_thread();
  __builtin_memcpy(machine->left(*machine, mask, self), &x, sizeof x);
  machine->wait_warp(*machine, mask);
  __builtin_memcpy(&x, machine->left(*machine, mask, lane), sizeof x);
  machine->wait_warp(*machine, mask);
  return x;
}

}  // namespace emulated

#define threadIdx (emulated::machine->thread)
#define blockIdx (emulated::machine->block)
#define blockDim (emulated::machine->block_size)
#define gridDim (emulated::machine->blocks)

inline void __syncthreads() { emulated::machine->wait_block(*emulated::machine); }
inline void __threadfence() {}
inline void __threadfence_system() {}
inline void __syncwarp(unsigned mask = ~0u) {
  emulated::machine->wait_warp(*emulated::machine, mask);
}

template <class T>
T __shfl_sync(unsigned mask, T x, int lane, int width = 32) {
  const unsigned self = emulated::lane_of_thread(), w = static_cast<unsigned>(width);
  return emulated::from_lane(mask, x, (self & ~(w - 1)) + (static_cast<unsigned>(lane) & (w - 1)));
}
template <class T>
T __shfl_up_sync(unsigned mask, T x, unsigned by) {
  const unsigned self = emulated::lane_of_thread();
  return emulated::from_lane(mask, x, self >= by ? self - by : self);
}
template <class T>
T __shfl_down_sync(unsigned mask, T x, unsigned by) {
  const unsigned self = emulated::lane_of_thread();
  return emulated::from_lane(mask, x, self + by < 32 ? self + by : self);
}

template <class T>
T __shfl_xor_sync(unsigned mask, T x, int with, int width = 32) {
  const unsigned w = static_cast<unsigned>(width), self = emulated::lane_of_thread();
  return emulated::from_lane(mask, x,
                             (self & ~(w - 1)) + ((self ^ static_cast<unsigned>(with)) & (w - 1)));
}
inline unsigned __ballot_sync(unsigned mask, int x) {
  unsigned all = 0;
  for (int lane = 0; lane < 32; lane++) {
    const int theirs = __shfl_sync(mask, x != 0 ? 1 : 0, lane);
    if ((mask >> lane & 1u) != 0 && theirs == 1) all |= 1u << lane;
  }
  return all;
}
inline bool __any_sync(unsigned mask, int x) { return __ballot_sync(mask, x) != 0; }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned by) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both << (by < 32 ? by : 32) >> 32);
}
/// Threads take turns: each is alone where it asks.
inline unsigned __activemask() { return 1u << emulated::lane_of_thread(); }
inline int __ffs(int x) { return __builtin_ffs(x); }

template <class T>
T __ldg(const T* p) {
  return *p;
}
template <class T, class U>
T atomicAdd(T* p, U x) {
  const T before = *p;
  *p = static_cast<T>(before + static_cast<T>(x));
  return before;
}
template <class T>
T atomicOr(T* p, T x) {
  const T before = *p;
  *p = before | x;
  return before;
}
template <class T, class U>
T atomicMax(T* p, U x) {
  const T before = *p;
  if (before < static_cast<T>(x)) *p = static_cast<T>(x);
  return before;
}
template <class T>
T atomicExch(T* p, T x) {
  const T before = *p;
  *p = x;
  return before;
}
template <class T>
T atomicCAS(T* p, T expected, T x) {
  const T before = *p;
  if (before == expected) *p = x;
  return before;
}
template <class T>
T atomicMin(T* p, T x) {
  const T before = *p;
  if (x < before) *p = x;
  return before;
}
inline double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
inline long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }

inline int min(int a, int b) { return b < a ? b : a; }
inline int max(int a, int b) { return a < b ? b : a; }
inline unsigned min(unsigned a, unsigned b) { return b < a ? b : a; }
inline unsigned max(unsigned a, unsigned b) { return a < b ? b : a; }
inline long long min(long long a, long long b) { return b < a ? b : a; }
inline long long max(long long a, long long b) { return a < b ? b : a; }

extern "C" void emulated_bind(emulated::Machine* m) { emulated::machine = m; }
