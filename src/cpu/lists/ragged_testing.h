// Helpers of the kernel tests: buffers that end at a guard page, length patterns, the instruction
// sets of this CPU.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "cpu/lists/ragged.h"

namespace serrate::cpu::testing {

/// n elements, then `slack` bytes, then a page that must not be touched. An access behind the slack
/// ends the test run.
template <class T>
class Guarded {
 public:
  explicit Guarded(size_t n, size_t slack = 0) : n_(n) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t bytes = n * sizeof(T) + slack;
    const size_t room = (bytes + page - 1) / page * page;
    size_ = room + page;
    base_ = static_cast<char*>(
        mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base_ + room, page, PROT_NONE);
    // What is behind the data is not zero, so that a kernel that uses it is found out.
    std::memset(base_, 0x5a, room);
    data_ = reinterpret_cast<T*>(base_ + room - bytes);
  }
  explicit Guarded(const std::vector<T>& values, size_t slack = 0) : Guarded(values.size(), slack) {
    for (size_t i = 0; i < n_; i++) data_[i] = values[i];
  }
  Guarded(Guarded&& other) noexcept
      : base_(std::exchange(other.base_, nullptr)),
        data_(other.data_),
        n_(other.n_),
        size_(other.size_) {}
  ~Guarded() {
    if (base_) munmap(base_, size_);
  }
  T* data() { return data_; }
  T& operator[](size_t i) { return data_[i]; }
  size_t size() const { return n_; }
  std::vector<T> vector(size_t count) const { return std::vector<T>(data_, data_ + count); }
  std::vector<T> vector() const { return vector(n_); }

 private:
  char* base_;
  T* data_;
  size_t n_, size_;
};

/// What kernels may touch behind outputs and local offsets.
inline constexpr size_t kSlack = 64;

inline std::vector<Isa> isas() {
  std::vector<Isa> found;
  for (int i = 0; i < kIsaCount; i++)
    if (isa_available(static_cast<Isa>(i))) found.push_back(static_cast<Isa>(i));
  return found;
}

/// Local offsets of lists of these lengths.
inline Guarded<int32_t> offsets_of(const std::vector<int>& lengths) {
  Guarded<int32_t> off(lengths.size() + 1, kSlack);
  off[0] = 0;
  for (size_t p = 0; p < lengths.size(); p++) off[p + 1] = off[p] + lengths[p];
  return off;
}

/// Lengths of lists: none, empty ones, around vector and tile sizes, giants, mostly empty, random.
inline std::vector<std::vector<int>> length_patterns(std::mt19937& random, int longest = 20000) {
  std::vector<std::vector<int>> all = {{},
                                       {0},
                                       {1},
                                       std::vector<int>(100, 0),
                                       std::vector<int>(100, 1),
                                       {longest},
                                       {0, longest, 0, 1}};
  for (int n : {2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65}) {
    all.push_back({n});
    all.push_back(std::vector<int>(37, n));
  }
  const auto draw = [&](auto distribution, int lists) {
    std::vector<int> lengths(static_cast<size_t>(lists));
    for (int& n : lengths) n = static_cast<int>(distribution(random));
    all.push_back(lengths);
  };
  draw(std::poisson_distribution<int>(1.1), 3000);
  draw(std::poisson_distribution<int>(3), 1001);
  draw(std::poisson_distribution<int>(12), 300);
  draw(std::geometric_distribution<int>(0.02), 150);
  draw(std::bernoulli_distribution(0.03), 5000);
  all.push_back({3, 1, 4096, 0, 0, 4095, 1, 2048, 2049, 0, 7, 0});
  for (auto& lengths : all)
    for (int& n : lengths)
      if (n > longest) n = longest;
  return all;
}

}  // namespace serrate::cpu::testing
