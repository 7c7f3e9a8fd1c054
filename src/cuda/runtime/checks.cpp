// What checks found, and where it waits: see checks.h.
#include "cuda/runtime/checks.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <unordered_set>

#include "core/seams.h"
#include "cuda/device.h"
#include "cuda/kernels/generate.h"
#include "cuda/runtime/gpu_memory.h"
#include "cuda/runtime/in_ram.h"
#include "cuda/runtime/pinned.h"
#include "graph/backend.h"
#include "graph/evaluate.h"
#include "serrate/error.h"

namespace serrate::cuda {

/// As prelude/walk.h has it. All bits set: nothing failed.
struct Error {
  uint64_t first;  // row << 8 | is about lengths << 7 | number of the check
  uint64_t lock;
  int64_t index, size;
};

namespace {

constexpr uint64_t kNothing = ~uint64_t{0};

std::atomic<int64_t> alive{0};

ChecksList* checks_of(const Buffer& b) {
  if (alive.load(std::memory_order_relaxed) == 0 || b.device() != Device::cuda) return nullptr;
  auto* memory = std::get_deleter<GpuMemory>(b.owner());
  return memory == nullptr ? nullptr : &memory->checks;
}

/// The runs that hold what they evaluated.
struct Holders {
  std::mutex mutex;
  std::unordered_set<const Checks*> checks;
  std::atomic<uint64_t> launched{0};  // runs
};
// Never destroyed: arrays may end while static objects do.
Holders& holders() {
  static Holders& h = *new Holders;
  return h;
}

}  // namespace

Checks::Checks(const Kernels& k, std::span<const void* const> objects, const Evaluated& evaluated)
    : error_(static_cast<Error*>(pinned_slots().take())),
      holds_(!k.tells_error || evaluated.is_part) {
  alive++;
  for (const int c : k.checks)
    checks_.push_back(static_cast<const graph::Column*>(objects[static_cast<size_t>(c)])->check);
  for (const int s : k.aligned)
    aligned_.push_back(static_cast<const graph::Space*>(objects[static_cast<size_t>(s)])->where);
  if (!holds_) return;
  if (evaluated.later != nullptr)
    held_.later = *evaluated.later;
  else
    held_.roots = evaluated.roots;
  const std::lock_guard lock(holders().mutex);
  holders().checks.insert(this);
}

Checks::~Checks() {
  pass();
  pinned_slots().give_back(error_, passed_);
  alive--;
}

/// Nobody asks again: what was held goes.
void Checks::pass() const {
  if (!holds_) return;
  Held old;  // ends behind the lock
  const std::lock_guard lock(holders().mutex);
  if (holders().checks.erase(this) > 0) std::swap(old, held_);
}

void Checks::launched() const { launched_ = ++holders().launched; }

bool Checks::release_passed() {
  Holders& h = holders();
  const uint64_t last = h.launched;
  {
    const std::lock_guard lock(h.mutex);
    if (h.checks.empty()) return false;
  }
  wait_for_gpu();
  std::vector<Held> old;  // end behind the lock
  const std::lock_guard lock(h.mutex);
  std::erase_if(h.checks, [&](const Checks* c) {
    if (c->launched_ == 0 || c->launched_ > last) return false;
    if (std::atomic_ref(c->error_->first).load(std::memory_order_acquire) != kNothing) return false;
    c->passed_ = true;
    std::swap(old.emplace_back(), c->held_);
    return true;
  });
  return !old.empty();
}

void Checks::raise() const {
  if (passed_) return;
  raise_first();
  passed_ = true;
  pass();
}

void Checks::find_again() const {
  if (!holds_) return;
  Held held;
  {
    const std::lock_guard lock(holders().mutex);
    held = held_;
  }
  try {
    if (held.later) held.roots = held.later();
    if (!held.roots.empty()) evaluate_in_ram(held.roots);
  } catch (const std::bad_alloc&) {  // what the GPU has told must do
  }
}

void Checks::raise_first() const {
  const uint64_t first = std::atomic_ref(error_->first).load(std::memory_order_acquire);
  if (first == kNothing) return;
  find_again();
  const auto row = static_cast<int64_t>(first >> 8);
  const auto number = static_cast<size_t>(first & 127);
  if ((first & 128) == 0) graph::raise_check(*checks_[number], row, error_->index);
  graph::raise_unequal(aligned_[number], error_->index, error_->size, row);
}

void collect_checks(const Buffer& b, ChecksList& out) {
  const ChecksList* const checks = checks_of(b);
  if (checks == nullptr) return;
  for (const auto& c : *checks) {
    if (!c->passed() && std::find(out.begin(), out.end(), c) == out.end()) out.push_back(c);
  }
  // Long chains of expressions that nobody looks at.
  if (out.size() > static_cast<size_t>(seams().checks)) settle_checks(std::exchange(out, {}));
}

void attach_checks(const Buffer& b, const ChecksList& checks) {
  if (checks.empty()) return;
  if (auto* memory = std::get_deleter<GpuMemory>(b.owner())) memory->checks = checks;
}

void raise_checks(const Buffer& b) {
  const ChecksList* const checks = checks_of(b);
  if (checks == nullptr) return;
  for (const auto& c : *checks) c->raise();
}

void settle_checks(const ChecksList& checks) {
  if (checks.empty()) return;
  wait_for_gpu();
  for (const auto& c : checks) c->raise();
}

void settle_checks(const Buffer& b) {
  ChecksList checks;
  collect_checks(b, checks);
  settle_checks(checks);
}

namespace {

class PendingChecks : public graph::Pending {
 public:
  explicit PendingChecks(ChecksList checks) : checks_(std::move(checks)) {}

  bool passed() const override {
    return std::all_of(checks_.begin(), checks_.end(), [](const auto& c) { return c->passed(); });
  }
  void settle() const override { settle_checks(checks_); }
  bool is_part_of(const graph::Pending& other) const override {
    const auto* const those = dynamic_cast<const PendingChecks*>(&other);
    return those != nullptr && std::all_of(checks_.begin(), checks_.end(), [&](const auto& c) {
             return std::find(those->checks_.begin(), those->checks_.end(), c) !=
                    those->checks_.end();
           });
  }

 private:
  ChecksList checks_;
};

}  // namespace

std::shared_ptr<const graph::Pending> pending_checks(std::span<const Buffer> results) {
  ChecksList checks;
  for (const Buffer& b : results) collect_checks(b, checks);
  if (checks.empty()) return {};
  return std::make_shared<const PendingChecks>(std::move(checks));
}

}  // namespace serrate::cuda
