// A vector of plain values whose first N need no allocation.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <type_traits>

namespace serrate {

template <class T, size_t N>
class InlineVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  InlineVector() {}  // NOLINT: what is not used is not written
  InlineVector(const InlineVector&) = delete;
  InlineVector& operator=(const InlineVector&) = delete;

  void push_back(const T& v) {
    if (size_ == room_) grow();
    data_[size_++] = v;
  }
  size_t size() const { return size_; }
  const T* data() const { return data_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  const T& operator[](size_t i) const { return data_[i]; }

 private:
  void grow() {
    auto more = std::make_unique_for_overwrite<T[]>(2 * room_);
    std::copy_n(data_, size_, more.get());
    many_ = std::move(more);
    data_ = many_.get();
    room_ *= 2;
  }

  std::array<T, N> few_;
  std::unique_ptr<T[]> many_;
  T* data_ = few_.data();
  size_t size_ = 0, room_ = N;
};

}  // namespace serrate
