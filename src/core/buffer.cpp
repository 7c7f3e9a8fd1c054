// Aligned CPU memory for buffers.
#include "serrate/buffer.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace serrate {

Buffer Buffer::allocate(int64_t bytes, void** writable) {
  // Rounded up so that a vector store may finish its last lane inside the allocation.
  const size_t size = (static_cast<size_t>(bytes) + 127) / 64 * 64;
  void* p = std::aligned_alloc(64, size);
  if (p == nullptr) throw std::bad_alloc();
  *writable = p;
  return Buffer(p, bytes, std::shared_ptr<const void>(p, [](const void* q) { std::free(const_cast<void*>(q)); }));
}

Buffer Buffer::copy_of(const void* data, int64_t bytes) {
  void* p = nullptr;
  Buffer b = allocate(bytes, &p);
  if (bytes > 0) std::memcpy(p, data, static_cast<size_t>(bytes));
  return b;
}

}  // namespace serrate
