// Intrusive shared pointer for the small immutable nodes of the graph: one allocation a node, no control block.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace serrate {

/// Base of everything held by Ref.
struct Counted {
  mutable std::atomic<int32_t> refs{0};
  Counted() = default;
  Counted(const Counted&) {}
  Counted& operator=(const Counted&) { return *this; }
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
