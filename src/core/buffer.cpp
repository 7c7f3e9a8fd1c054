// Aligned CPU memory for buffers.
#include "serrate/buffer.h"

#include <cstring>

#include "core/memory.h"

namespace serrate {

Buffer Buffer::allocate(int64_t bytes, void** writable) {
  const auto allocated = [](Buffer b) {
    b.allocated_ = true;
    return b;
  };
  // Rounded up so that a vector store may finish its last lane inside the allocation.
  size_t size = (static_cast<size_t>(bytes) + 127) / 64 * 64;
  if (size <= 4096) {  // one allocation, its counter included
    std::shared_ptr<std::byte[]> p = std::make_shared_for_overwrite<std::byte[]>(size);
    *writable = p.get();
    return allocated(Buffer(*writable, bytes, std::shared_ptr<const void>(std::move(p))));
  }
  void* p = acquire_to_fill(size);
  *writable = p;
  return allocated(Buffer(p, bytes, std::shared_ptr<const void>(p, [size](const void* q) {
                            release_memory(const_cast<void*>(q), size);
                          })));
}

Buffer Buffer::copy_of(const void* data, int64_t bytes) {
  void* p = nullptr;
  Buffer b = allocate(bytes, &p);
  if (bytes > 0) std::memcpy(p, data, static_cast<size_t>(bytes));
  return b;
}

}  // namespace serrate
