// Vectors whose memory, where it is large, is kept for the next one: see memory.h.
#pragma once

#include <cstddef>
#include <vector>

#include "core/memory.h"

namespace serrate {

template <class T>
struct KeptAllocator {
  using value_type = T;
  KeptAllocator() = default;
  template <class U>
  KeptAllocator(const KeptAllocator<U>&) {}
  T* allocate(size_t n) { return static_cast<T*>(acquire_memory(n * sizeof(T))); }
  void deallocate(T* p, size_t n) { release_memory(p, n * sizeof(T)); }
  bool operator==(const KeptAllocator&) const { return true; }
};

template <class T>
using KeptVector = std::vector<T, KeptAllocator<T>>;

}  // namespace serrate
