// Offsets of lists from their lengths: see offsets.h.
#include "cuda/runtime/offsets.h"

#include <atomic>
#include <utility>

#include "core/types/load_scalar.h"
#include "core/waiting.h"
#include "cuda/runtime/checks.h"
#include "cuda/runtime/gpu_memory.h"
#include "cuda/runtime/pinned.h"
#include "cuda/runtime/shown.h"

namespace serrate::cuda {
namespace {

Lengths* pinned_lengths() { return static_cast<Lengths*>(pinned_slots().take()); }

/// Behind the others.
const uint64_t& number_of_lists(const Lengths* seen) {
  return *reinterpret_cast<const uint64_t*>(seen + 1);
}

}  // namespace

ListLengths::~ListLengths() {
  if (seen_ == nullptr) return;
  const bool is_there = seen_->total != -1 && seen_->longest != -1 &&
                        (lists_ >= 0 || number_of_lists(seen_) != kNotThere);
  pinned_slots().give_back(seen_, is_there);
}

int64_t ListLengths::lists() const {
  if (std::atomic_ref(lists_).load(std::memory_order_acquire) < 0) look();
  return lists_;
}

Lengths ListLengths::look() const {
  const auto hold = lock_patiently(mutex_);
  if (seen_ == nullptr) return known_;
  if (lists_ != 0) {
    await(reinterpret_cast<const uint64_t&>(seen_->total));
    await(reinterpret_cast<const uint64_t&>(seen_->longest));
    known_ = *seen_;
  }
  if (lists_ < 0) {
    await(number_of_lists(seen_));
    const auto lists = static_cast<int64_t>(number_of_lists(seen_));
    std::atomic_ref(lists_).store(lists, std::memory_order_release);
  }
  pinned_slots().give_back(std::exchange(seen_, nullptr), true);
  return known_;
}

std::shared_ptr<const ListLengths> lengths_in(const Buffer& offsets) {
  const auto* const memory = std::get_deleter<GpuMemory>(offsets.owner());
  return memory == nullptr ? nullptr : memory->lengths;
}

void attach_lengths(const Buffer& offsets, std::shared_ptr<const ListLengths> lengths) {
  auto* const memory = std::get_deleter<GpuMemory>(offsets.owner());
  if (memory != nullptr) memory->lengths = std::move(lengths);
}

Offsets::Offsets(const int64_t* counts, int64_t n) : seen_(pinned_lengths()) {
  lengths_ = std::make_shared<const ListLengths>(n, seen_);
  void* p = nullptr;
  buffer_ = allocate(8 * (n + 1), &p);
  gpu().offsets(counts, n, static_cast<int64_t*>(p), seen_);
  attach_lengths(buffer_, lengths_);
}

Offsets::Offsets(int64_t n) : Offsets(n, n) {}

Offsets::Offsets(int64_t room, int64_t lists) : seen_(lists != 0 ? pinned_lengths() : nullptr) {
  lengths_ = std::make_shared<const ListLengths>(lists, seen_);
  void* p = nullptr;
  buffer_ = allocate(8 * (room + 2), &p).slice(0, 8 * (room + 1));
  attach_lengths(buffer_, lengths_);
}

graph::KnownOffsets offsets_of(const Buffer& counts, int64_t n) {
  const Offsets offsets(counts.as<int64_t>(), n);
  ChecksList checks;
  collect_checks(counts, checks);
  if (checks.empty()) return offsets.unseen();
  settle_checks(checks);
  return offsets.known();
}

std::pair<int64_t, int64_t> two_integers(DType t, const Buffer& a, const Buffer& b) {
  auto* const slot = static_cast<std::byte*>(pinned_slots().take());
  gpu().copy(slot, a.data(), a.bytes());
  gpu().copy(slot + 8, b.data(), b.bytes());
  wait_for_gpu();
  const std::pair out{load_scalar(slot, t).i, load_scalar(slot + 8, t).i};
  pinned_slots().give_back(slot, true);
  raise_checks(a);
  raise_checks(b);
  return out;
}

}  // namespace serrate::cuda
