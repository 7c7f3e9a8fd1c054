// Calls that are kept as traces: see traced.h.
#include "ops/tree/traced.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "graph/evaluate.h"
#include "graph/evaluation/plan_cache.h"
#include "graph/materialise.h"
#include "graph/operation.h"
#include "graph/traces/trace.h"
#include "serrate/compile.h"

namespace serrate {
namespace ops {

using namespace graph;

namespace {

std::vector<NodeRef> trees_of(const std::vector<Array>& arrays) {
  std::vector<NodeRef> out;
  out.reserve(arrays.size());
  for (const Array& a : arrays) out.push_back(a.node());
  return out;
}

std::vector<NodeRef> stored_trees_of(const std::vector<Array>& arrays) {
  std::vector<NodeRef> trees = trees_of(arrays);
  if (std::ranges::all_of(trees, [](const NodeRef& n) { return is_stored(*n); })) return trees;
  evaluate_together(arrays);
  return trees_of(arrays);
}

Assertions asserted_of(const std::vector<Array>& arrays) {
  const Operation reading(Operation::Reads::structure);
  for (const Array& a : arrays) a.node();
  return Operation::of_results();
}

/// Handles of what a trace gave for these arguments; what is asserted of those is of these.
std::vector<Array> handles(std::vector<NodeRef> stored, const std::vector<Array>& arguments,
                           bool has_assertions) {
  const Operation operation;
  for (const Array& a : arguments) a.node();
  if (has_assertions) Operation::add_operand(pending_assertions(stored));
  return {std::make_move_iterator(stored.begin()), std::make_move_iterator(stored.end())};
}

}  // namespace

std::optional<Traced::Kept> Traced::find(const TraceKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(kept_, [&](const Kept& k) { return k.trace->fits(key); });
  return found == kept_.end() ? std::nullopt : std::optional(*found);
}

int64_t Traced::size() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(kept_.size());
}

void Traced::keep(Kept k) {
  std::vector<Kept> old;  // ends behind the lock
  const std::lock_guard lock(mutex_);
  if (kept_.size() >= kMost) {
    old.push_back(std::move(kept_.back()));
    kept_.pop_back();
  }
  kept_.insert(kept_.begin(), std::move(k));
}

std::optional<Outcome> Traced::again(const std::vector<Array>& arguments) const {
  if (size() == 0) return {};
  const std::vector<NodeRef> trees = stored_trees_of(arguments);
  const TraceKey key(trees);
  const std::optional<Kept> known = key.is_complete() ? find(key) : std::nullopt;
  if (!known) return {};
  try {
    auto stored = known->trace->run(key);
    if (!stored) return {};
    return Outcome{handles(std::move(*stored), arguments, known->has_assertions), known->about};
  } catch (const std::logic_error&) {  // the function itself says where
    return {};
  }
}

struct Tracing::Before {
  explicit Before(const std::vector<Array>& arguments)
      : trees(stored_trees_of(arguments)), key(trees) {}
  const std::vector<NodeRef> trees;
  const TraceKey key;
};

Tracing::Tracing(Traced& traced, const std::vector<Array>& arguments)
    : traced_(traced), before_(std::make_unique<Before>(arguments)) {
  looks_of_thread = &looks_;
}

Tracing::~Tracing() { looks_of_thread = nullptr; }

bool Tracing::is_running() { return looks_of_thread != nullptr; }

void Tracing::finish(const Outcome& made, bool may_keep) {
  looks_of_thread = nullptr;
  const std::vector<NodeRef> written = trees_of(made.arrays);
  const Assertions asserted = asserted_of(made.arrays);
  if (!written.empty()) {
    const graph::WithPlans kept;
    evaluate_together(made.arrays);
  }
  const TraceKey& key = before_->key;
  if (!may_keep || written.empty() || !key.is_complete() || looks_.at_values) return;
  // Of lists between others' offsets they are values.
  const auto is_argument = [&](const Space* s) { return key.signature().find(s) >= 0; };
  if (!std::ranges::all_of(looks_.lists, is_argument)) return;
  if (traced_.find(key) || !are_made_of(written, asserted)) return;
  std::optional<std::vector<int64_t>> sizes;
  if (!looks_.lists.empty()) sizes = key.sizes();
  if (auto trace = trace_of(key, written, std::move(sizes)))
    traced_.keep({std::move(trace), made.about, bool(asserted)});
}

}  // namespace ops

struct Compiled::State {
  Function f;
  ops::Traced traced;
};

Compiled::Compiled(Function f) : state_(std::make_shared<State>()) { state_->f = std::move(f); }

std::vector<Array> Compiled::operator()(const std::vector<Array>& arguments) const {
  if (ops::Tracing::is_running()) return state_->f(arguments);
  if (auto known = state_->traced.again(arguments)) return std::move(known->arrays);
  ops::Tracing tracing(state_->traced, arguments);
  ops::Outcome made{state_->f(arguments), {}};
  tracing.finish(made);
  return std::move(made.arrays);
}

int64_t Compiled::kept() const { return state_->traced.size(); }

}  // namespace serrate
