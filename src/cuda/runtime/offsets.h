// Offsets of lists from their lengths, on the GPU.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "cuda/device.h"
#include "graph/store.h"

namespace serrate::cuda {

/// Numbers of the lists whose offsets, from 0 on, begin some memory: known, or on their way.
class ListLengths {
 public:
  ListLengths(int64_t lists, Lengths known) : lists_(lists), known_(known) {}
  /// `seen`: one of pinned_slots(), which the GPU has been told to write; if the number of lists is
  /// -1, it writes that, too, behind the others.
  ListLengths(int64_t lists, Lengths* seen) : lists_(lists), seen_(seen) {}
  ~ListLengths();
  ListLengths(const ListLengths&) = delete;
  ListLengths& operator=(const ListLengths&) = delete;
  int64_t lists() const;
  /// Waits for them.
  Lengths look() const;

 private:
  mutable int64_t lists_;
  mutable std::mutex mutex_;
  mutable Lengths known_;
  mutable Lengths* seen_ = nullptr;
};

/// Of the lists whose offsets begin this memory; null: nobody has said.
std::shared_ptr<const ListLengths> lengths_in(const Buffer& offsets);
/// Says so, of memory that nobody else has seen yet.
void attach_lengths(const Buffer& offsets, std::shared_ptr<const ListLengths> lengths);

/// The host waits only if something may be wrong about the counts; else total and longest list are
/// -1, and come with the offsets.
graph::KnownOffsets offsets_of(const Buffer& counts, int64_t n);

/// Two numbers of type int32, uint32 or int64, looked at together.
std::pair<int64_t, int64_t> two_integers(DType t, const Buffer& a, const Buffer& b);

/// Offsets in the making, with the numbers that the host may need to go on.
class Offsets {
 public:
  Offsets(const int64_t* counts, int64_t n);
  /// Room for those of n lists, which somebody else makes, and for the longest length behind them.
  /// Their numbers go to seen(), which is null where there are none: nobody would wait for them.
  explicit Offsets(int64_t n);
  /// The same of at most so many lists.
  static Offsets of_at_most(int64_t n) { return Offsets(n, -1); }
  const Lengths* seen() const { return seen_; }
  const Buffer& buffer() const { return buffer_; }
  /// Waits until the GPU has made them.
  graph::KnownOffsets known() const {
    const Lengths l = lengths_->look();
    return {buffer_, l.total, l.longest};
  }
  /// Without their numbers.
  graph::KnownOffsets unseen() const { return {buffer_, -1, -1}; }

 private:
  Offsets(int64_t room, int64_t lists);
  Lengths* seen_;
  Buffer buffer_;
  std::shared_ptr<const ListLengths> lengths_;
};

}  // namespace serrate::cuda
