// Scratch memory of one thread: a stack of 64-byte aligned, padded buffers that is reused from run
// to run.
#pragma once

#include <cstddef>
#include <cstdint>

namespace serrate::cpu {

/// Bytes behind every scratch buffer that kernels may read, and may overwrite (see ragged.h).
inline constexpr size_t kScratchPadding = 256;

/// A bump allocator. Small functions are forced inline as kernel files of all instruction sets use
/// them. Memory is not zeroed, and stays with the arena until trim().
class Scratch {
 public:
  /// A place in the stack of allocations.
  struct Mark {
    size_t block = 0;
    size_t used = 0;
  };

  Scratch() = default;
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// `bytes` aligned to 64, with kScratchPadding bytes behind. Valid until released. Throws
  /// std::bad_alloc.
  void* bytes(size_t bytes);
  /// `count` elements of T, not initialised.
  template <class T>
  [[gnu::always_inline]] T* get(size_t count) {
    return static_cast<T*>(bytes(count * sizeof(T)));
  }

  [[gnu::always_inline]] Mark mark() const { return {block_, used_}; }
  /// Gives back everything allocated since `mark`.
  void release(Mark mark);
  /// Frees all memory; nothing may be in use.
  void trim();
  /// Bytes held from the system.
  size_t capacity() const;

 private:
  struct Block {
    char* data;
    size_t size;
  };
  Block* blocks_ = nullptr;
  size_t block_count_ = 0, block_room_ = 0;
  size_t block_ = 0;  // the block being filled
  size_t used_ = 0;   // bytes used of it
};

/// This thread's arena.
Scratch& thread_scratch();

/// Releases on destruction what was allocated since construction.
class ScratchScope {
 public:
  [[gnu::always_inline]] explicit ScratchScope(Scratch& scratch = thread_scratch())
      : scratch_(scratch), mark_(scratch.mark()) {}
  [[gnu::always_inline]] ~ScratchScope() { scratch_.release(mark_); }
  ScratchScope(const ScratchScope&) = delete;
  ScratchScope& operator=(const ScratchScope&) = delete;
  template <class T>
  [[gnu::always_inline]] T* get(size_t count) {
    return scratch_.get<T>(count);
  }

 private:
  Scratch& scratch_;
  Scratch::Mark mark_;
};

}  // namespace serrate::cpu
