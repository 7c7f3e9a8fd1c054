// Large blocks of CPU memory, kept for the next array: fresh pages from the system cost more than
// most computations.
#pragma once

#include <cstddef>
#include <cstdint>

namespace serrate {

/// At least `bytes` bytes, aligned to 64. Throws std::bad_alloc.
void* acquire_memory(size_t bytes);
/// The same of memory that is going to be written to as a whole: no more than the machine has, with
/// its swap space. Systems may promise more, and end the process that takes it. `bytes` becomes
/// what is to be given back.
void* acquire_to_fill(size_t& bytes);
/// While it lives memory that this thread fills may be a block that is held for reuse and half as
/// large again: of work on some parts after others, whose sizes differ.
class PartByPart {
 public:
  PartByPart();
  ~PartByPart();
  PartByPart(const PartByPart&) = delete;
  PartByPart& operator=(const PartByPart&) = delete;

 private:
  bool before_;
};
/// The same for memory that may have to grow: from 4 MiB on the largest block that is held for
/// reuse, so that little has to be moved; where it is `known` about how much there will be, the
/// smallest that holds it. `bytes` becomes the bytes there are.
void* acquire_growing(size_t& bytes, bool known = false);
/// Memory for `more` bytes that begins with the `bytes` that p has, whose place it takes. `more`
/// becomes the bytes there are.
void* extend_memory(void* p, size_t bytes, size_t& more);
/// Gives back what acquire_memory(bytes) returned.
void release_memory(void* p, size_t bytes) noexcept;
/// Zeros of which few are written: only those pages, small ones, take memory, and nothing is kept.
/// Throws std::bad_alloc.
void* acquire_sparse(size_t bytes);
void release_sparse(void* p, size_t bytes) noexcept;
/// Bytes held for reuse. SERRATE_CACHE_BYTES bounds them (default 1 GiB; 0 keeps nothing).
size_t cached_memory();
/// Returns all memory held for reuse to the system.
void trim_memory() noexcept;

}  // namespace serrate
