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
  LongSort(Gpu& g, SortedLists lists, const LongList* longs, LongLists found, cudaStream_t s)
      : gpu_(g),
        lists_(lists),
        minus_zero_(g, sizeof(int)),
        longs_(longs),
        count_(static_cast<int64_t>(found & ((1u << kLongListsShift) - 1))),
        n_(static_cast<int64_t>(found >> kLongListsShift)),
        stream_(s) {
    lists_.form.one_zero = true;
    if (n_ > UINT32_MAX)
      throw std::runtime_error(
          fmt::format("cuda: sorting: {} items in long lists, at most {}", n_, UINT32_MAX));
  }

  void run(bool order, void* out) {
    if (lists_.form.bytes <= 4)
      order ? positions<uint32_t>(out, false) : items<uint32_t>(out);
    else
      order ? positions<uint64_t>(out, false) : items<uint64_t>(out);
  }

 private:
  template <class Key>
  void items(void* out) {
    Room<Key> keys(gpu_, n_);
    if (count_ == 1) {
      gather(keys, nullptr, false);
      if (has_minus_zero()) return positions<Key>(out, true);
      run_cub(gpu_, "sorting", [&](void* t, size_t& bytes) {
        return sort_keys(t, bytes, keys.buffers, size(), bits(), stream_);
      });
    } else {
      Room<uint32_t> which(gpu_, n_);
      gather(keys, which.buffers.now, false);
      if (has_minus_zero()) return positions<Key>(out, true);
      sort_by(keys, which, bits());
      sort_by(which, keys, list_bits());
    }
    require(scatter_keys(lists_, longs_, count_, n_, keys.buffers.now, out, stream_), "sorting");
  }

  /// Indexes in the lists, or the items found by them.
  template <class Key>
  void positions(void* out, bool items) {
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
    require(items ? scatter_items(lists_, longs_, count_, n_, at.buffers.now, out, stream_)
                  : scatter_positions(longs_, count_, n_, at.buffers.now,
                                      static_cast<int64_t*>(out), stream_),
            "sorting");
  }

  /// Keys do not tell zeros apart, so that they stay in order; items are then found by positions.
  bool has_minus_zero() {
    if (!lists_.form.floats) return false;
    int found = 0;
    gpu_.download(&found, minus_zero_.get(), sizeof found);
    return found != 0;
  }

  template <class Key>
  void gather(const Room<Key>& keys, uint32_t* values, bool positions) {
    gpu_.fill(minus_zero_.get(), 0, sizeof(int));
    require(gather_long_lists(lists_, longs_, count_, n_, positions, keys.buffers.now, values,
                              minus_zero_.as<int>(), stream_),
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
  SortedLists lists_;
  Temporary minus_zero_;
  const LongList* longs_;
  int64_t count_, n_;
  cudaStream_t stream_;
};

/// Ascending lists of such a number and such lengths are sorted as they are: one by all blocks,
/// many by a block each. Others have keys of ours.
bool is_sorted_as_it_is(const ListsToSort& l) {
  constexpr int64_t kFewLists = 128, kUneven = 4;
  if (l.descending || !sorts_items(l.dtype)) return false;
  if (l.lists == 1) return l.n > kSortedInBlock && l.n <= UINT32_MAX;
  return l.lists >= kFewLists && l.n <= INT32_MAX && l.longest > kSortedInBlock &&
         l.longest <= kUneven * (l.n / l.lists);
}

/// False where a NaN would come first.
bool sort_as_it_is(Gpu& g, const ListsToSort& l, const SortedLists& lists, void* out,
                   cudaStream_t s) {
  if (lists.form.floats) {
    const Temporary found(g, sizeof(int));
    require(cudaMemsetAsync(found.get(), 0, sizeof(int), s), "sorting");
    require(find_negative_nan(lists, found.as<int>(), s), "sorting");
    int seen = 0;
    g.download(&seen, found.get(), sizeof seen);
    if (seen != 0) return false;
  }
  run_cub(g, "sorting", [&](void* t, size_t& bytes) { return sort_items(t, bytes, l, out, s); });
  return true;
}

}  // namespace

void Gpu::sort(const ListsToSort& l, bool order, void* out) {
  if (l.n == 0) return;
  const Submission s(*this);
  const SortedLists lists{KeyForm(l.dtype, l.descending, order), l.items, l.offsets, l.lists, l.n};
  if (!order && is_sorted_as_it_is(l) && sort_as_it_is(*this, l, lists, out, s.stream())) return;
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
