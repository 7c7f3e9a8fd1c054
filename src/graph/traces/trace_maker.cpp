// Makes traces of expressions: see trace.h.
#include <algorithm>

#include "graph/backend.h"
#include "graph/evaluation/run_kept.h"
#include "graph/parts/substitution.h"
#include "graph/store.h"
#include "graph/traces/trace.h"

namespace serrate::graph {

class TraceMaker {
 public:
  TraceMaker(const TraceKey& key, const std::vector<NodeRef>& written)
      : key_(key), written_(written), signature_(written) {}

  std::shared_ptr<const Trace> made(std::optional<std::vector<int64_t>> sizes) {
    if (!signature_.is_complete() || signature_.device() != key_.signature().device()) return {};
    trace_->backend_ = &backend_of(written_, signature_);
    if (!trace_->backend_->capabilities().runs_from_objects || !is_known()) return {};
    copy_arguments();
    if (!copy_slices()) return {};
    for (const NodeRef& n : written_) trace_->roots_.push_back(copies_(n));
    Signature& own = trace_->signature_.emplace(trace_->roots_);
    backend_of(trace_->roots_, own);
    if (!std::ranges::equal(own.words(), signature_.words())) return {};
    keep_used(own);
    trace_->words_.assign(key_.signature().words().begin(), key_.signature().words().end());
    for (const NodeRef& n : key_.arguments()) trace_->like_.push_back(names_of(*n));
    trace_->sizes_ = std::move(sizes);
    return trace_;
  }

 private:
  using Load = Trace::Load;

  /// Is there a plan that can be run again on other objects?
  bool is_known() {
    trace_->plan_ = find_plan(signature_);
    const auto& plan = trace_->plan_;
    const bool in_steps = plan && plan->in_steps;
    if (!plan || (in_steps && !plan->in_steps->steps && !plan->in_steps->by_rows)) return false;
    const bool may_hold = in_steps || std::ranges::any_of(plan->parts, [](const auto& part) {
                            return part.executable->holds_trees();
                          });
    trace_->holds_ = may_hold && trace_->backend_->capabilities().raises_late;
    bool known = true;
    signature_.each_object([&](int, const Space* s, const Column* c) {
      // Groups have columns that no signature has; errors of functions have values.
      known &= s == nullptr ? !c->check || !c->check->replay : !s->grouping;
    });
    return known;
  }

  void copy_arguments() {
    key_.signature().each_object([&](int n, const Space* s, const Column* c) {
      if (s != nullptr) {
        Space* const copy = copies_.copy(SpaceRef(s));
        trace_->spaces_.emplace_back(n, copy);
        if (s->kind == SpaceKind::list) trace_->lists_.push_back({copy, n});
        return;
      }
      Column* const copy = copies_.copy(ColumnRef(c));
      trace_->columns_.emplace_back(n, copy);
      if (c->kind == ColumnKind::load) trace_->loads_.push_back({copy, n});
    });
  }

  /// Loads of the expression's own from arguments' memory, and lists between them.
  bool copy_slices() {
    bool known = true;
    signature_.each_object([&](int, const Space* s, const Column* c) {
      if (key_.signature().find(s == nullptr ? static_cast<const void*>(c) : s) >= 0) return;
      if (s == nullptr) {
        if (c->kind == ColumnKind::load) known &= copy_slice(*c);
        return;
      }
      if (!is_plain_list(*s)) return;
      const SpaceRef now = copies_(SpaceRef(s));
      if (now.get() != s) trace_->lists_.push_back({const_cast<Space*>(now.get())});
    });
    return known;
  }

  bool copy_slice(const Column& c) {
    const Buffer& b = c.buffer;
    if (!b.owner()) return true;
    int owner = -1;
    bool is_arguments = false;
    key_.signature().each_object([&](int n, const Space*, const Column* argument) {
      if (argument == nullptr || argument->buffer.owner() != b.owner()) return;
      is_arguments = true;
      const Buffer& memory = argument->buffer;
      const bool is_inside =
          memory.data() <= b.data() && b.data() + b.bytes() <= memory.data() + memory.bytes();
      if (owner < 0 && is_inside) owner = n;
    });
    // Memory of what the function has besides its arguments; not theirs seen otherwise.
    if (owner < 0) return !is_arguments;
    const Buffer& memory =
        static_cast<const Column*>(key_.signature().objects()[static_cast<size_t>(owner)])->buffer;
    const int64_t offset = b.data() - memory.data();
    const bool is_rest = offset + b.bytes() == memory.bytes();
    trace_->loads_.push_back(
        {copies_.copy(ColumnRef(&c)), owner, true, offset, is_rest ? -1 : b.bytes()});
    return true;
  }

  /// What the expression has of its arguments; the facts of its other spaces. Nothing of the
  /// arguments' memory stays.
  void keep_used(const Signature& own) {
    const auto unused = [&](const void* p) { return own.find(p) < 0; };
    std::erase_if(trace_->loads_, [&](const Load& l) { return unused(l.column); });
    std::erase_if(trace_->lists_, [&](const auto& l) { return unused(l.space); });
    std::erase_if(trace_->columns_, [&](const auto& c) { return unused(c.second.get()); });
    std::erase_if(trace_->spaces_, [&](const auto& s) { return unused(s.second.get()); });
    for (const Load& l : trace_->loads_) l.column->buffer = Buffer();
    for (const auto& fact : trace_->backend_->facts_in(own)) {
      const bool is_argument = std::ranges::any_of(
          trace_->spaces_, [&](const auto& s) { return s.second.get() == fact.first; });
      if (!is_argument) trace_->facts_.push_back(fact);
    }
  }

  /// A tree without columns and spaces.
  static NodeRef names_of(const Node& n) {
    auto* made = new Node(n);
    const NodeRef result(made);
    made->column = {};
    made->space = {};
    for (NodeRef& c : made->contents) c = names_of(*c);
    return result;
  }

  const TraceKey& key_;
  const std::vector<NodeRef>& written_;
  Signature signature_;
  Substitution copies_;
  std::shared_ptr<Trace> trace_ = std::make_shared<Trace>();
};

std::shared_ptr<const Trace> trace_of(const TraceKey& key, const std::vector<NodeRef>& written,
                                      std::optional<std::vector<int64_t>> sizes) {
  return TraceMaker(key, written).made(std::move(sizes));
}

}  // namespace serrate::graph
