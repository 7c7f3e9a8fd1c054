// A number in something shared that never changes otherwise: found out later, and the same for all.
#pragma once

#include <atomic>

namespace serrate {

template <class T>
class Relaxed {
 public:
  Relaxed() = default;
  Relaxed(const Relaxed& o) : value_(o.get()) {}
  Relaxed& operator=(const Relaxed& o) {
    set(o.get());
    return *this;
  }
  T get() const { return value_.load(std::memory_order_relaxed); }
  void set(T v) const { value_.store(v, std::memory_order_relaxed); }

 private:
  mutable std::atomic<T> value_{};
};

/// The same of one object alone: copies, which may be changed before anybody sees them, have none.
template <class T>
class RelaxedOwn : public Relaxed<T> {
 public:
  RelaxedOwn() = default;
  RelaxedOwn(const RelaxedOwn&) : Relaxed<T>() {}
  RelaxedOwn& operator=(const RelaxedOwn&) {
    this->set(T{});
    return *this;
  }
};

}  // namespace serrate
