// The device's sorts of lists: which lists are sorted how. See sort_lists.h.
#include <bit>
#include <stdexcept>
#include <utility>

#include "cuda/plugin/gpu.h"
#include "cuda/plugin/primitives.h"
#include "cuda/plugin/sort_lists.h"
#include "serrate/error.h"

namespace serrate::cuda {
namespace {

/// Two arrays of n items that a sort swaps.
template <class T>
class Room {
 public:
  Room(Gpu& g, int64_t n)
      : a_(g, n * int64_t{sizeof(T)}),
        b_(g, n * int64_t{sizeof(T)}),
        buffers{a_.template as<T>(), b_.template as<T>()} {}

 private:
  Temporary a_, b_;

 public:
  Buffers<T> buffers;
};

/// Sorts what find_long_lists found: all items by their keys, then, stably, by their lists.
class LongSort {
 public:
  LongSort(Gpu& g, const SortedLists& lists, const LongList* longs, LongLists found, cudaStream_t s)
      : gpu_(g),
        lists_(lists),
        longs_(longs),
        count_(static_cast<int64_t>(found & ((1u << kLongListsShift) - 1))),
        n_(static_cast<int64_t>(found >> kLongListsShift)),
        stream_(s) {
    if (n_ > UINT32_MAX)
      throw std::runtime_error(
          fmt::format("cuda: sorting: {} items in long lists, at most {}", n_, UINT32_MAX));
  }

  void run(bool order, void* out) {
    if (lists_.form.bytes <= 4)
      order ? positions<uint32_t>(out) : items<uint32_t>(out);
    else
      order ? positions<uint64_t>(out) : items<uint64_t>(out);
  }

 private:
  template <class Key>
  void items(void* out) {
    Room<Key> keys(gpu_, n_);
    if (count_ == 1) {
      gather(keys, nullptr, false);
      run_cub(gpu_, "sorting", [&](void* t, size_t& bytes) {
        return sort_keys(t, bytes, keys.buffers, size(), bits(), stream_);
      });
    } else {
      Room<uint32_t> which(gpu_, n_);
      gather(keys, which.buffers.now, false);
      sort_by(keys, which, bits());
      sort_by(which, keys, list_bits());
    }
    require(scatter_keys(lists_, longs_, count_, n_, keys.buffers.now, out, stream_), "sorting");
  }

  template <class Key>
  void positions(void* out) {
    Room<uint32_t> at(gpu_, n_);
    {
      Room<Key> keys(gpu_, n_);
      gather(keys, at.buffers.now, true);
      sort_by(keys, at, bits());
    }
    if (count_ > 1) {
      Room<uint32_t> which(gpu_, n_);
      require(lists_of_positions(longs_, count_, n_, at.buffers.now, which.buffers.now, stream_),
              "sorting");
      sort_by(which, at, list_bits());
    }
    require(
        scatter_positions(longs_, count_, n_, at.buffers.now, static_cast<int64_t*>(out), stream_),
        "sorting");
  }

  template <class Key>
  void gather(const Room<Key>& keys, uint32_t* values, bool positions) {
    require(
        gather_long_lists(lists_, longs_, count_, n_, positions, keys.buffers.now, values, stream_),
        "sorting");
  }
  template <class K, class V>
  void sort_by(Room<K>& keys, Room<V>& values, int bits) {
    run_cub(gpu_, "sorting", [&](void* t, size_t& bytes) {
      return sort_pairs(t, bytes, keys.buffers, values.buffers, size(), bits, stream_);
    });
  }
  uint32_t size() const { return static_cast<uint32_t>(n_); }
  int bits() const { return 8 * lists_.form.bytes; }
  int list_bits() const { return std::bit_width(static_cast<uint64_t>(count_ - 1)); }

  Gpu& gpu_;
  const SortedLists& lists_;
  const LongList* longs_;
  int64_t count_, n_;
  cudaStream_t stream_;
};

}  // namespace

void Gpu::sort(const ListsToSort& l, bool order, void* out) {
  if (l.n == 0) return;
  const Submission s(*this);
  const SortedLists lists{KeyForm(l.dtype, l.descending, order), l.items, l.offsets, l.lists, l.n};
  const int64_t most = l.longest < 0 ? l.n : l.longest;
  if (most <= kSortedInBlock)
    return require(sort_short_lists(lists, order, out, s.stream()), "sorting");
  const Temporary longs(*this, most_long_lists(l.n) * int64_t{sizeof(LongList)});
  const Temporary found(*this, sizeof(LongLists));
  require(cudaMemsetAsync(found.get(), 0, sizeof(LongLists), s.stream()), "sorting");
  require(find_long_lists(lists, longs.as<LongList>(), found.as<LongLists>(), s.stream()),
          "sorting");
  require(sort_short_lists(lists, order, out, s.stream()), "sorting");
  LongLists seen = 0;
  download(&seen, found.get(), sizeof seen);
  if (seen != 0) LongSort(*this, lists, longs.as<LongList>(), seen, s.stream()).run(order, out);
}

}  // namespace serrate::cuda
