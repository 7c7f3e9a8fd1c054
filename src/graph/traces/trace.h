// What a function of arrays wrote down, to be run again on others. See docs/internals.md,
// "Compiled functions".
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "graph/evaluation/plan_cache.h"
#include "graph/parts/substitution.h"
#include "graph/signature.h"

namespace serrate::graph {

class Backend;

/// All of some arrays that what is made of them may depend on without a look at their values: the
/// structure of their trees, lengths along axis 0, which lists were found equal.
class TraceKey {
 public:
  explicit TraceKey(const std::vector<NodeRef>& arguments);
  /// False for arguments that traces are not made of.
  bool is_complete() const { return is_complete_; }
  const std::vector<NodeRef>& arguments() const { return arguments_; }
  const Signature& signature() const { return *signature_; }
  /// First positions and numbers of items of all spaces.
  std::vector<int64_t> sizes() const;

 private:
  const std::vector<NodeRef>& arguments_;
  std::optional<Signature> signature_;
  bool is_complete_ = false;
};

/// An expression with nothing in the place of its arguments' memory. Each run puts that there, for
/// as long as it lasts.
class Trace : public std::enable_shared_from_this<Trace> {
 public:
  /// Was it written from such arguments?
  bool fits(const TraceKey& key) const;
  /// The stored results; nothing where the data are not as they were, and while another thread
  /// runs it.
  std::optional<std::vector<NodeRef>> run(const TraceKey& key) const;

 private:
  friend class TraceMaker;
  /// A load of the expression from the memory of an argument's.
  struct Load {
    Column* column;
    int argument;
    bool is_slice = false;
    int64_t offset = 0, bytes = -1;  // of a slice; -1: all that follow
    Buffer from(const Signature& arguments) const;
  };
  /// Stored lists of the expression.
  struct Lists {
    Space* space;
    int argument = -1;  // whose they are
  };
  class Filled;

  /// What stands for the arguments becomes these.
  Substitution given(const Signature& arguments) const;

  std::vector<uint64_t> words_;
  std::vector<NodeRef> like_;                  // the arguments' names and parameters
  std::optional<std::vector<int64_t>> sizes_;  // of the arguments, if they count
  std::vector<NodeRef> roots_;
  std::optional<Signature> signature_;  // of the roots
  std::shared_ptr<const KeptPlan> plan_;
  Backend* backend_ = nullptr;
  std::vector<Load> loads_;
  std::vector<Lists> lists_;
  // What stands for objects of the arguments.
  std::vector<std::pair<int, ColumnRef>> columns_;
  std::vector<std::pair<int, SpaceRef>> spaces_;
  std::vector<std::pair<const Space*, uint64_t>> facts_;  // of spaces that are no argument's
  bool holds_ = false;                                    // runs may hold what was evaluated
  mutable std::mutex running_;
};

/// The trace of what was written from arguments and has been evaluated since; null where it cannot
/// be run again. `sizes`: the arguments', if they were looked at.
std::shared_ptr<const Trace> trace_of(const TraceKey& key, const std::vector<NodeRef>& written,
                                      std::optional<std::vector<int64_t>> sizes);

}  // namespace serrate::graph
