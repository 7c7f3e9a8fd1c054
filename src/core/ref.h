// Intrusive shared pointer for the small immutable nodes of the graph: one allocation a node, no
// control block.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace serrate {

/// Base of everything held by Ref.
struct Counted {
  mutable std::atomic<int32_t> refs{0};
  Counted() = default;
  Counted(const Counted&) {}
  Counted& operator=(const Counted&) { return *this; }
};

/// Memory of freed objects of one type, kept by each thread for the next ones: an expression makes
/// and drops dozens. A thread's last blocks are never returned, so that objects may be freed at any
/// time of its end.
template <class T>
struct Pooled {
  static void* operator new(size_t size) {
#ifndef __SANITIZE_ADDRESS__  // must see every use after the end
    Kept& k = kept_;          // looked up once
    if (size == sizeof(T) && k.first != nullptr) {
      k.count--;
      return std::exchange(k.first, k.first->next);
    }
#endif
    return ::operator new(size);
  }
  static void operator delete(void* p) {
#ifndef __SANITIZE_ADDRESS__
    Kept& k = kept_;
    if (k.count < 256) {
      k.count++;
      k.first = new (p) Free{k.first};
      return;
    }
#endif
    ::operator delete(p);
  }

 private:
  struct Free {
    Free* next;
  };
  struct Kept {
    Free* first = nullptr;
    int count = 0;
  };
  static inline thread_local Kept kept_;
};

template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  Ref(const T* p) : p_(p) { add(); }
  Ref(const Ref& o) : p_(o.p_) { add(); }
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  Ref& operator=(Ref o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~Ref() {
    if (p_ && p_->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) delete p_;
  }
  const T* get() const { return p_; }
  const T* operator->() const { return p_; }
  const T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  bool operator==(const Ref& o) const { return p_ == o.p_; }

 private:
  void add() {
    if (p_) p_->refs.fetch_add(1, std::memory_order_relaxed);
  }
  const T* p_ = nullptr;
};

}  // namespace serrate
