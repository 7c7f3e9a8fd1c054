// Calls of functions of arrays that are kept as traces (graph/traces/trace.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "graph/evaluate.h"
#include "serrate/array.h"

namespace serrate::graph {
class Trace;
class TraceKey;
}  // namespace serrate::graph

namespace serrate::ops {

/// What a function gives, and what its caller knows of that besides.
struct Outcome {
  std::vector<Array> arrays;
  std::shared_ptr<const void> about;
};

/// The traces of one function.
class Traced {
 public:
  /// What the function gave for arguments of this structure, now for these, evaluated.
  std::optional<Outcome> again(const std::vector<Array>& arguments) const;
  int64_t size() const;

 private:
  friend class Tracing;
  struct Kept {
    std::shared_ptr<const graph::Trace> trace;
    std::shared_ptr<const void> about;
    bool has_assertions = false;
  };
  static constexpr size_t kMost = 16;

  std::optional<Kept> find(const graph::TraceKey& key) const;
  void keep(Kept k);

  mutable std::mutex mutex_;
  std::vector<Kept> kept_;  // the latest first
};

/// While it lives a function is called of which a trace is to be kept. The functions that it calls
/// are part of it.
class Tracing {
 public:
  Tracing(Traced& traced, const std::vector<Array>& arguments);
  ~Tracing();
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;
  /// Does one live, on this thread?
  static bool is_running();

  /// The function has returned this. Evaluates it, and keeps the trace if it did not look at
  /// values.
  void finish(const Outcome& made, bool may_keep = true);

 private:
  struct Before;
  Traced& traced_;
  std::unique_ptr<Before> before_;
  graph::Looks looks_;
};

}  // namespace serrate::ops
