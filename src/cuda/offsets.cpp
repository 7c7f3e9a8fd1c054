// Offsets of lists from their lengths: see offsets.h.
#include "cuda/offsets.h"

#include <utility>

#include "core/load_scalar.h"
#include "cuda/checks.h"
#include "cuda/pinned.h"

namespace serrate::cuda {

Offsets::Offsets(const int64_t* counts, int64_t n)
    : seen_(static_cast<Lengths*>(pinned_slots().take())) {
  void* p = nullptr;
  buffer_ = allocate(8 * (n + 1), &p);
  gpu().offsets(counts, n, static_cast<int64_t*>(p), seen_);
}

Offsets::Offsets(int64_t n) : seen_(static_cast<Lengths*>(pinned_slots().take())) {
  void* p = nullptr;
  buffer_ = allocate(8 * (n + 2), &p);
}

void Offsets::look_behind(int64_t n) { gpu().copy(seen_, buffer_.data() + 8 * n, sizeof *seen_); }

Offsets::Offsets(Offsets&& o) noexcept
    : buffer_(std::move(o.buffer_)), seen_(std::exchange(o.seen_, nullptr)) {}

Offsets::~Offsets() {
  if (seen_ != nullptr) pinned_slots().give_back(seen_, is_done_);
}

graph::KnownOffsets offsets_of(const Buffer& counts, int64_t n) {
  Offsets offsets(counts.as<int64_t>(), n);
  wait_for_gpu();
  raise_checks(counts);
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
