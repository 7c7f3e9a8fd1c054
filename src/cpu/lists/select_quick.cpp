// Quickselect whose first pass moves keys of the items to the two ends of the result, around a
// pivot of a sample (Floyd, Rivest 1975) that leaves the place asked for just below itself: what is
// left on the other side of the next pivot is little, and the only memory that is needed.
#include "cpu/lists/select_quick.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/seams.h"
#include "cpu/lists/sort_kernels.h"
#include "cpu/machine/scratch.h"

namespace serrate::cpu {
namespace {

constexpr int64_t kBlock = 1024;

template <class K>
class Partition {
 public:
  Partition(DType t, const std::byte* items, int64_t n, bool descending, K* out)
      : type_(t), items_(items), n_(n), descending_(descending), out_(out) {}

  bool run(int64_t k) {
    ScratchScope scope;
    K* room = scope.get<K>(static_cast<size_t>(n_));  // pages that nobody touches take no memory
    K *low = out_, *high = out_ + n_;
    if (!split(pivot(k, room), &low, &high)) return false;
    const int64_t below = low - out_;
    const bool found = k < below ? kernels_.select(out_, below, k, room)
                                 : kernels_.select(low, n_ - below, k - below, room);
    if (!found) std::nth_element(out_, out_ + k, out_ + n_);
    if (!are_keys()) from_keys_of<K>()(type_, out_, n_, descending_, out_);
    return true;
  }

 private:
  /// Items that are their own keys.
  bool are_keys() const {
    constexpr DType kSame = sizeof(K) == 8   ? DType::int64
                            : sizeof(K) == 4 ? DType::int32
                                             : DType::int16;
    return type_ == kSame && !descending_;
  }

  /// One that is above the key at place k by two standard deviations of a sample's places.
  K pivot(int64_t k, K* room) const {
    const int64_t size = std::clamp<int64_t>(n_ / 64, 128, 4096);
    K* sample = room;
    const int64_t ends[2] = {0, size};
    const K* items = reinterpret_cast<const K*>(items_);
    for (int64_t i = 0; i < size; i++) sample[i] = items[(2 * i + 1) * n_ / (2 * size)];
    to_keys_of<K>()(type_, sample, size, descending_, sample);
    kernels_.sort(sample, room + size, ends, nullptr, 1, 0);
    const double part = static_cast<double>(k) / static_cast<double>(n_);
    const double place = part * static_cast<double>(size) +
                         2 * std::sqrt(static_cast<double>(size) * part * (1 - part)) + 1;
    return sample[std::min(static_cast<int64_t>(place), size - 1)];
  }

  bool split(K pivot, K** low, K** high) const {
    if (are_keys()) {
      kernels_.split(reinterpret_cast<const K*>(items_), n_, pivot, low, high);
      return true;
    }
    K keys[kBlock];
    for (int64_t i = 0; i < n_; i += kBlock) {
      const int64_t n = std::min(kBlock, n_ - i);
      if (!to_keys_of<K>()(type_, items_ + i * int64_t{sizeof(K)}, n, descending_, keys))
        return false;
      kernels_.split(keys, n, pivot, low, high);
    }
    return true;
  }

  DType type_;
  const std::byte* items_;
  int64_t n_;
  bool descending_;
  K* out_;
  const SortItems<K>& kernels_ = sort_kernels_of<K>();
};

template <class K>
bool partitioned(DType t, const void* items, int64_t n, bool descending, int64_t k, void* out) {
  if (sort_kernels_of<K>().select == nullptr) return false;
  return Partition<K>(t, static_cast<const std::byte*>(items), n, descending, static_cast<K*>(out))
      .run(k);
}

}  // namespace

bool partition_quickly(DType t, const void* items, int64_t n, bool descending, int64_t k,
                       void* out) {
  switch (itemsize(t)) {
    case 2:
      return partitioned<int16_t>(t, items, n, descending, k, out);
    case 4:
      return partitioned<int32_t>(t, items, n, descending, k, out);
    case 8:
      return partitioned<int64_t>(t, items, n, descending, k, out);
    default:
      return false;
  }
}

}  // namespace serrate::cpu
