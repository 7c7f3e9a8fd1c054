// A vector that is nearly always of one item, which then needs no memory of its own.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

namespace serrate {

template <class T>
class OneOrMore {
 public:
  OneOrMore() = default;
  OneOrMore(std::vector<T> all) {
    if (all.size() == 1) {
      one_ = std::move(all[0]);
      is_one_ = true;
    } else {
      all_ = std::move(all);
    }
  }
  OneOrMore(std::initializer_list<T> all) : OneOrMore(std::vector<T>(all)) {}
  explicit OneOrMore(T one) : one_(std::move(one)), is_one_(true) {}
  operator std::vector<T>() const { return {begin(), end()}; }

  size_t size() const { return is_one_ ? 1 : all_.size(); }
  bool empty() const { return size() == 0; }
  const T* begin() const { return is_one_ ? &one_ : all_.data(); }
  const T* end() const { return begin() + size(); }
  T* begin() { return is_one_ ? &one_ : all_.data(); }
  T* end() { return begin() + size(); }
  const T* data() const { return begin(); }
  const T& operator[](size_t i) const { return begin()[i]; }
  T& operator[](size_t i) { return begin()[i]; }
  const T& back() const { return end()[-1]; }

  /// In place of nothing.
  void set(T one) {
    one_ = std::move(one);
    is_one_ = true;
  }
  void push_back(T x) {
    if (empty()) {
      one_ = std::move(x);
      is_one_ = true;
      return;
    }
    if (is_one_) {
      all_.push_back(std::exchange(one_, T()));
      is_one_ = false;
    }
    all_.push_back(std::move(x));
  }

 private:
  T one_{};
  bool is_one_ = false;
  std::vector<T> all_;  // unless there is one
};

}  // namespace serrate
