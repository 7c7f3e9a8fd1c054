// One run of kept kernels.
#pragma once

#include <bit>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/device.h"
#include "cuda/runtime/checks.h"
#include "cuda/runtime/offsets.h"
#include "cuda/runtime/run.h"
#include "cuda/runtime/shown.h"
#include "cuda/runtime/values.h"

namespace serrate::cuda {

/// Is this where what a walk appends is written?
inline bool is_for(const Place& p, const Append& x) {
  return p.frame == x.frame && !p.is_known && !p.is_offsets;
}
/// Bytes that what a walk appends may take, or -1: the host must wait for what it does take.
int64_t room_ahead(const Kernels& k, const Walk& w, std::span<const void* const> objects);

class Run {
 public:
  Run(const Kernels& kernels, std::span<const void* const> objects, const Evaluated& evaluated);
  std::vector<graph::Written> run();

 private:
  const graph::Column& column(int object) const {
    return *static_cast<const graph::Column*>(objects_[static_cast<size_t>(object)]);
  }
  bool shows_at_end() const;
  void outputs();
  void make_output(size_t i, int64_t size);
  void* temporary(int64_t bytes);
  void fill_words(std::byte* to, uint64_t word, int64_t n);
  void walk(const Walk& w);
  void launch(const std::string& name, int64_t blocks, int threads);

  // -- items of unknown number: run_appends.cpp
  /// Room for what few items leave, and the blocks that write it.
  int64_t alone(const Walk& w, int64_t items);
  /// Items per block, where each block's begin, and their number, which must be known to make room.
  void count(const Walk& w, int64_t items, int64_t blocks);
  void balance(const Walk& w);
  /// Lists that begin at the sums of where others do: nothing is counted.
  void balance_sums(const Walk& w);
  graph::SpaceRef lists_of(const Walk& w) const;
  void begin_at_zero(const Offsets& o);
  graph::KnownOffsets& lengths_of(const Append& x);
  void make_outputs(const Append& x, int64_t size);
  /// Room for as many items as there may be, so that nobody need wait for their number: false where
  /// the host must wait all the same.
  bool make_room_ahead(const Walk& w);
  /// Tells the kernels where offsets go, and their numbers.
  void tell_place(const Offsets& o, std::string_view begins, std::string_view seen);

  void set(std::string_view field, uint64_t bits) { words_[Arguments::index(field)] = bits; }
  void set(std::string_view field, const void* p) { set(field, std::bit_cast<uint64_t>(p)); }
  void* address(std::string_view field) const {
    return std::bit_cast<void*>(words_[Arguments::index(field)]);
  }

  const Kernels& k_;
  const std::span<const void* const> objects_;
  const Evaluated& evaluated_;
  GpuDevice& gpu_;
  std::vector<uint64_t> words_;
  std::vector<graph::Written> written_;
  std::vector<Buffer> keep_;
  std::shared_ptr<const Checks> own_checks_;
  std::shared_ptr<const ShownValues> shown_;
  ChecksList checks_;  // these, and those of what is read
};

}  // namespace serrate::cuda
