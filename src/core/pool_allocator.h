// Memory of freed objects of one type for std::allocate_shared: see Pooled in ref.h.
#pragma once

#include "core/ref.h"

namespace serrate {

template <class T>
struct PoolAllocator {
  using value_type = T;
  PoolAllocator() = default;
  template <class U>
  PoolAllocator(const PoolAllocator<U>&) {}
  T* allocate(size_t n) { return static_cast<T*>(Pooled<T>::operator new(n * sizeof(T))); }
  void deallocate(T* p, size_t) { Pooled<T>::operator delete(p); }
  bool operator==(const PoolAllocator&) const { return true; }
};

}  // namespace serrate
