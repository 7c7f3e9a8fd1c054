// Decoupled look-back (Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled
// Look-back, 2016): each block publishes the aggregate of its tile, looks back at the tiles before
// for what they published, and then publishes its inclusive prefix.
#pragma once

#include <cstdint>

namespace serrate::cuda {

/// Status and value of each tile: two words, each of a half of the value and the status. A word is
/// written and read at once, so no fence orders them: a reader waits until both have one status.
struct TileStates {
  unsigned long long* next;  // the tile that the next block takes
  volatile uint64_t* words;  // two a tile
};
/// Statuses: not published; the aggregate of the tile alone; of it and all tiles before.
inline constexpr unsigned kInvalid = 0, kAggregate = 1, kPrefix = 2;

template <class T>
union Halves {
  T value;
  unsigned half[2];
  __device__ Halves() : half{0, 0} {}
};

inline int64_t tile_state_bytes(int64_t tiles) { return 8 + 16 * tiles; }
inline TileStates tile_states_in(void* memory) {
  auto* const words = static_cast<uint64_t*>(memory);
  return {static_cast<unsigned long long*>(memory), words + 1};
}

/// Before the kernel that scans.
inline __device__ void reset_tile(const TileStates& t, int64_t tile) {
  if (tile == 0) *t.next = 0;
  t.words[2 * tile] = t.words[2 * tile + 1] = kInvalid;
}

/// The next tile: those before it are being done, or are done.
inline __device__ int64_t take_tile(const TileStates& t) {
  return static_cast<int64_t>(atomicAdd(t.next, 1ull));
}

template <class T>
__device__ void publish(const TileStates& t, int64_t tile, T value, unsigned status) {
  Halves<T> x;
  x.value = value;
  t.words[2 * tile] = uint64_t{x.half[0]} << 32 | status;
  t.words[2 * tile + 1] = uint64_t{x.half[1]} << 32 | status;
}

inline __device__ void pause() {
#if __CUDA_ARCH__ >= 700
  __nanosleep(32);
#endif
}

/// The status of a tile, once it is published, and its value.
template <class T>
__device__ unsigned wait_for(const TileStates& t, int64_t tile, T& value) {
  for (;;) {
    const uint64_t low = t.words[2 * tile], high = t.words[2 * tile + 1];
    const auto status = static_cast<unsigned>(low);
    if (status == kInvalid || status != static_cast<unsigned>(high)) {
      pause();
      continue;
    }
    Halves<T> x;
    x.half[0] = static_cast<unsigned>(low >> 32);
    x.half[1] = static_cast<unsigned>(high >> 32);
    value = x.value;
    return status;
  }
}

}  // namespace serrate::cuda
