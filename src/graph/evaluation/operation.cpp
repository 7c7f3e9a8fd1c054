// What is asserted of arrays: see operation.h.
#include "graph/operation.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <unordered_set>

#include "graph/backend.h"
#include "graph/below.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/known.h"
#include "graph/pointer_flags.h"
#include "graph/store.h"
#include "serrate/error.h"

namespace serrate::graph {
namespace {

using Shared = std::shared_ptr<const Assertion>;

// Nothing that would have to be destroyed at a thread's end.
constinit thread_local Operation* running = nullptr;
constinit thread_local uint64_t operations = 0;

Shared assertion(ColumnRef check, SpaceRef aligned,
                 std::shared_ptr<const Pending> pending = nullptr) {
  auto made = std::make_shared<Assertion>();
  made->check = std::move(check);
  made->aligned = std::move(aligned);
  made->pending = std::move(pending);
  return made;
}

const void* what(const Assertion& a) {
  return a.check ? static_cast<const void*>(a.check.get()) : a.aligned.get();
}

/// All spaces and columns that the stored forms of trees are computed from.
class Parts {
 public:
  explicit Parts(const std::vector<NodeRef>& roots) {
    Store store;
    for (const NodeRef& r : roots) store.add(r);
    store.each_output([&](const ColumnRef& c, const SpaceRef& s) {
      add(c);
      add(s);
    });
  }
  bool have(const Assertion& a) const { return seen_.find(what(a)).has_value(); }

 private:
  template <class Ref>
  void add(const Ref& x) {
    if (seen_.find(x.get())) return;
    seen_.set(x.get(), true);
    each_below(*x, [&](const auto& below) { add(below); });
  }
  PointerFlags seen_;
};

bool holds(const Shared& a) {
  if (a->holds.load(std::memory_order_relaxed)) return true;
  if (!a->pending || !a->pending->passed()) return false;
  a->holds.store(true, std::memory_order_relaxed);
  return true;
}

/// What runs may still find wrong about the buffers of stored trees.
std::shared_ptr<const Pending> pending_of(const std::vector<NodeRef>& stored) {
  if (!other_memory_in_use()) return {};
  std::map<Device, std::vector<Buffer>> buffers;
  for (const NodeRef& n : stored) {
    each_buffer(n, [&](const Buffer& b) { buffers[b.device()].push_back(b); });
  }
  for (const auto& [device, some] : buffers) {
    if (auto found = backend(device).pending(some)) return found;  // all are on one device
  }
  return {};
}

/// A single value that is known once the assertion holds wherever it is made.
NodeRef tree_of(const Assertion& a) {
  const ColumnRef& c = a.check;
  ColumnRef value =
      c ? apply(Op::not_equal, {c, c}) : apply(Op::less, {local(a.aligned), constant(0)});
  SpaceRef s = c ? c->space : a.aligned;
  for (; s && s->kind != SpaceKind::unit; s = s->parent) value = reduce(Reducer::any, s, value);
  return leaf(value);
}

}  // namespace

Operation::Operation(Reads what) : is_outermost_(running == nullptr) {
  if (!is_outermost_) return;
  running = this;
  if (what == Reads::items) number_ = ++operations;
}

Operation::~Operation() {
  if (is_outermost_) running = nullptr;
}

bool Operation::is_running() { return running != nullptr; }

uint64_t Operation::number() { return running != nullptr ? running->number_ : 0; }

void Operation::add_operand(const Assertions& of_it) {
  running->operands_ = joined(running->operands_, of_it);
}

Assertions Operation::of_results() {
  Operation& o = *running;
  if (!o.made_.empty()) {
    o.operands_ = joined(o.operands_, std::make_shared<const std::vector<Shared>>(o.made_));
    o.made_.clear();
  }
  return o.operands_;
}

void Operation::add_device(std::optional<Device> of_it) {
  if (!running->device_) running->device_ = of_it;
}

std::optional<Device> Operation::device() { return is_running() ? running->device_ : std::nullopt; }

void Operation::set_device(Device d) { running->device_ = d; }

void Operation::note(const ColumnRef& check) {
  if (is_running()) running->made_.push_back(assertion(check, {}));
}

void Operation::note(const SpaceRef& aligned) {
  if (is_running()) running->made_.push_back(assertion({}, aligned));
}

Assertions joined(const Assertions& a, const Assertions& b) {
  if (!b || a == b) return a;
  if (!a) return b;
  std::vector<Shared> all;
  std::unordered_set<const Assertion*> known;
  for (const Assertions& some : {a, b}) {
    for (const Shared& x : *some) {
      if (!holds(x) && known.insert(x.get()).second) all.push_back(x);
    }
  }
  if (all.empty()) return {};
  if (all.size() == a->size() && all == *a) return a;
  return std::make_shared<const std::vector<Shared>>(std::move(all));
}

namespace {

/// Raises for the first that does not hold.
void look_at(const std::vector<Shared>& all) {
  std::vector<NodeRef> trees;
  for (const Shared& a : all) trees.push_back(tree_of(*a));
  try {
    for (const NodeRef& n : evaluate(trees)) look(n->column);
  } catch (const std::logic_error&) {
    for (size_t i = 0; i < trees.size() && trees.size() > 1; i++) look(trees[i]->column);
    throw;
  }
  for (const Shared& a : all) a->holds.store(true, std::memory_order_relaxed);
}

/// Raises what was written before the error that was found, if it is of another class: that one
/// names the row of what was asked for.
template <class Found>
void look_unless(const std::vector<Shared>& all) {
  try {
    look_at(all);
  } catch (const Found&) {
  }
}

/// Results that are read from the same runs carry what these find; else somebody must wait now.
void settle_unless_carried(const std::vector<Shared>& pending, const std::vector<NodeRef>& stored) {
  if (pending.empty()) return;
  const std::shared_ptr<const Pending> carried = pending_of(stored);
  for (const Shared& a : pending) {
    if (!carried || !a->pending->is_part_of(*carried)) a->pending->settle();
  }
}

}  // namespace

bool are_made_of(const std::vector<NodeRef>& roots, const Assertions& asserted) {
  if (!asserted) return true;
  const Parts parts(roots);
  return std::ranges::all_of(
      *asserted, [&](const Shared& a) { return holds(a) || a->pending || parts.have(*a); });
}

std::vector<NodeRef> evaluate(const std::vector<NodeRef>& roots, const Assertions& asserted) {
  if (!asserted) return evaluate(roots);
  const Parts parts(roots);
  std::vector<Shared> inside, others, pending;
  for (const Shared& a : *asserted) {
    if (!holds(a)) (a->pending ? pending : parts.have(*a) ? inside : others).push_back(a);
  }
  try {
    if (!others.empty()) look_at(others);
    std::vector<NodeRef> stored = evaluate(roots);
    const Device there = buffers_device(stored).value_or(Device::cpu);
    if (!backend(there).capabilities().raises_late) {
      for (const Shared& a : inside) a->holds.store(true, std::memory_order_relaxed);
    }
    settle_unless_carried(pending, stored);
    return stored;
  } catch (const ValueError&) {
    settle_unless_carried(pending, {});
    if (inside.size() > 1) look_unless<ValueError>(inside);
    throw;
  } catch (const IndexError&) {
    settle_unless_carried(pending, {});
    if (inside.size() > 1) look_unless<IndexError>(inside);
    throw;
  }
}

Assertions asserted_of_results(const Assertions& before, const NodeRef& stored) {
  return before ? pending_assertions({stored}) : Assertions();
}

Assertions pending_assertions(const std::vector<NodeRef>& stored) {
  auto pending = pending_of(stored);
  if (!pending) return {};
  return std::make_shared<const std::vector<Shared>>(
      std::vector<Shared>{assertion({}, {}, std::move(pending))});
}

bool is_evaluated(const Array& a) {
  note_look_at_values();
  const Operation reading(Operation::Reads::structure);
  return is_stored(*a.node()) && !Operation::of_results();
}

std::optional<Device> place_of(const Array& a) {
  if (!other_memory_in_use()) return {};
  const Operation reading(Operation::Reads::structure);
  a.node();
  return Operation::device();
}

NodeRef with_own_types(const NodeRef& n) {
  if (!facts_of_tree(*n).has_weak_numbers) return n;
  if (n->kind == NodeKind::leaf) {
    Scalar value = n->column->scalar;
    if (!is_complex(value.dtype)) value.im = 0;  // the mark of a large integer of Python
    return leaf(constant(value), n->unit, n->parameters);
  }
  return with_contents(n, [&](size_t i) { return with_own_types(n->contents[i]); });
}

}  // namespace serrate::graph
