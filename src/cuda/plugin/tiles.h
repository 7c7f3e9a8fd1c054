// What blocks tell those behind them of their tiles, in a kernel where each looks back for what is
// before its own.
#pragma once

#include <cstdint>

namespace serrate::cuda {

/// What blocks tell each other of their tiles: a number that says how much is known, with each half
/// of a value. Each of the two words is written and read at once, so nobody need wait for the order
/// of writes.
struct Said {
  unsigned long long* taken;  // tiles that somebody has begun
  volatile uint64_t* words;   // two a tile
};
inline constexpr unsigned kNothing = 0, kOwn = 1,
                          kWhole = 2;  // of the tile; of those before it, too

template <class T>
union Halves {
  T value;
  unsigned half[2];
  __device__ Halves() : half{0, 0} {}
};

inline int64_t said_bytes(int64_t tiles) { return 8 + 16 * tiles; }
inline Said said_in(void* memory) {
  auto* const words = static_cast<uint64_t*>(memory);
  return {static_cast<unsigned long long*>(memory), words + 1};
}

/// Before anybody says anything of a tile.
inline __device__ void begin_saying(const Said& t, int64_t tile) {
  if (tile == 0) *t.taken = 0;
  t.words[2 * tile] = t.words[2 * tile + 1] = kNothing;
}

/// The next tile: those before it are being done, or are done.
inline __device__ int64_t take_tile(const Said& t) {
  return static_cast<int64_t>(atomicAdd(t.taken, 1ull));
}

template <class T>
__device__ void say(const Said& t, int64_t tile, T value, unsigned known) {
  Halves<T> x;
  x.value = value;
  t.words[2 * tile] = uint64_t{x.half[0]} << 32 | known;
  t.words[2 * tile + 1] = uint64_t{x.half[1]} << 32 | known;
}

inline __device__ void pause() {
#if __CUDA_ARCH__ >= 700
  __nanosleep(32);
#endif
}

/// Waits until something is known.
template <class T>
__device__ unsigned heard(const Said& t, int64_t tile, T& value) {
  for (;;) {
    const uint64_t low = t.words[2 * tile], high = t.words[2 * tile + 1];
    const auto known = static_cast<unsigned>(low);
    if (known == kNothing || known != static_cast<unsigned>(high)) {
      pause();
      continue;
    }
    Halves<T> x;
    x.half[0] = static_cast<unsigned>(low >> 32);
    x.half[1] = static_cast<unsigned>(high >> 32);
    value = x.value;
    return known;
  }
}

}  // namespace serrate::cuda
