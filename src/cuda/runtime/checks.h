// Checks that kernels make: what they find waits until somebody looks.
//
// A kernel that finds something wrong leaves it in pinned host memory. Results carry the checks of
// the run that made them, and those of what it read, so that whoever looks at them gets the
// exception, and nobody waits for the GPU before.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graph/backend.h"
#include "graph/ir.h"
#include "serrate/buffer.h"

namespace serrate::cuda {

struct Kernels;

/// What kernels run for: whether they are all that is run for these trees.
struct Evaluated {
  const std::vector<graph::NodeRef>& roots;
  bool is_part = false;
  const graph::LaterTrees* later = nullptr;  // in place of the roots, if not null
};

/// The checks of one run. Where its kernels cannot tell what the CPU finds first, as they make
/// several checks, are a part, or do not know the rows of the result (of filtered arrays, say), it
/// holds what was evaluated until it has passed. If it fails, that is evaluated again in RAM, for
/// the very error.
class Checks {
 public:
  Checks(const Kernels& k, std::span<const void* const> objects, const Evaluated& evaluated);
  ~Checks();
  Checks(const Checks&) = delete;
  Checks& operator=(const Checks&) = delete;
  /// The kernels' argument.
  void* error() const { return error_; }
  /// Throws what failed, if anything did. The GPU must have done the run.
  void raise() const;
  /// The same where kernels of the run are still to come: nothing has passed yet.
  void raise_first() const;
  bool passed() const { return passed_; }
  /// All kernels of the run have been given to the GPU.
  void launched() const;
  /// Gives up what runs hold that have passed: waits for the GPU if there are any that may have.
  /// False if nothing was given up.
  static bool release_passed();

 private:
  void pass() const;
  void find_again() const;

  struct Error* error_;
  const bool holds_;
  std::vector<std::shared_ptr<const graph::CheckInfo>> checks_;
  std::vector<std::string> aligned_;  // where lists must be of one length
  mutable std::atomic<bool> passed_{false};
  mutable std::atomic<uint64_t> launched_{0};  // number among all runs; 0: not yet
  struct Held {
    std::vector<graph::NodeRef> roots;
    graph::LaterTrees later;  // makes them
  };
  mutable Held held_;  // guarded by a mutex of all
};
using ChecksList = std::vector<std::shared_ptr<const Checks>>;

/// Adds what is not yet known to be right about this memory.
void collect_checks(const Buffer& b, ChecksList& out);
/// For memory that nobody else has seen yet.
void attach_checks(const Buffer& b, const ChecksList& checks);
/// Throws if the memory is not what was asked for. The GPU must have done what it was given.
void raise_checks(const Buffer& b);
/// The same, and waits for the GPU if that is not known yet.
void settle_checks(const Buffer& b);
void settle_checks(const ChecksList& checks);
/// All that is not yet known to be right about them; null: nothing.
std::shared_ptr<const graph::Pending> pending_checks(std::span<const Buffer> results);

}  // namespace serrate::cuda
