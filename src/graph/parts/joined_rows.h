// Stored forms of parts of rows, joined to those of all rows.
#pragma once

#include <cstddef>
#include <vector>

#include "graph/store.h"

namespace serrate::graph {

/// Memory in the host's that parts are copied to, one behind the other.
class Joined {
 public:
  Joined() = default;
  Joined(Joined&& o) noexcept { std::swap(p_, o.p_), swap_numbers(o); }
  Joined(const Joined&) = delete;
  ~Joined();
  /// Room for so many bytes behind `before` that nobody writes; it grows if there are more.
  void make_room(int64_t before, int64_t bytes);
  bool has_room() const { return p_ != nullptr; }
  /// So many bytes more: which of all is the first of these.
  int64_t add(int64_t bytes);
  std::byte* at(int64_t byte) const { return p_ + before_ + byte; }
  int64_t bytes() const { return bytes_; }
  /// All that was added, where it is.
  Buffer take();

 private:
  void swap_numbers(Joined& o);
  std::byte* p_ = nullptr;
  size_t room_ = 0;  // bytes at p_
  int64_t before_ = 0, bytes_ = 0;
};

/// The outputs of trees, as their parts come, in order.
class JoinedRows {
 public:
  JoinedRows(const std::vector<NodeRef>& roots, int64_t rows);
  /// Makes room for a part. False where it is not stored as all rows would be.
  bool add(const std::vector<NodeRef>& stored, int64_t rows);
  /// Parts of outputs that wait to be copied: any may be, by any thread, until clear().
  size_t waiting() const { return copies_.size(); }
  void copy(size_t i);
  void clear() { copies_.clear(); }
  std::vector<NodeRef> results();

 private:
  struct Output {
    int64_t before = 0, known = -1;  // bytes; -1: not known before
    int item = 1;
    bool added = false, offsets_added = false;  // of the part at hand
    Joined values, offsets;
    int64_t total = 0;  // items of lists
  };
  struct Copy {
    size_t output = 0;
    int64_t at = 0, bytes = 0;  // in the output
    Buffer values;              // or offsets:
    SpaceRef lists;
    int64_t total = 0;  // items before
  };
  bool add(const StorePlan& p, const Node& n, const SpaceRef& s);
  bool add_column(int output, const Column& c, const SpaceRef& s);
  bool add_offsets(int output, const SpaceRef& s);
  int64_t expected(int64_t bytes) const;

  const std::vector<NodeRef>& roots_;
  Store store_;
  std::vector<Output> outputs_;
  std::vector<Copy> copies_;
  int64_t rows_ = 0, part_ = 0;
};

}  // namespace serrate::graph
