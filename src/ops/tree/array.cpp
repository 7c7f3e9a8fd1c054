// The handle users hold: a shared tree that is replaced by its stored form at the first look.
#include "serrate/array.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "core/lazy_text.h"
#include "core/pool_allocator.h"
#include "core/seams.h"
#include "core/spin_lock.h"
#include "core/types/load_scalar.h"
#include "core/waiting.h"
#include "core/where.h"
#include "graph/backend.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/evaluation/flat_plans.h"
#include "graph/evaluation/list_views.h"
#include "graph/evaluation/text_lists.h"
#include "graph/known.h"
#include "graph/materialise.h"
#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/tree/input.h"

namespace serrate {

using namespace graph;

namespace {

Scalar read_scalar(const Column& c) {
  if (c.kind == ColumnKind::constant) return c.scalar;
  const Buffer item = to_host(c.buffer.slice(0, itemsize(c.dtype)));
  return load_scalar(item.data(), c.dtype);
}

}  // namespace

struct Array::State {
  explicit State(NodeRef n) : node_(std::move(n)) {
    if (!Operation::is_running()) return;
    asserted_ = Operation::of_results();
    if (other_memory_in_use()) operands_at_ = Operation::device();
  }
  NodeRef node(Assertions* asserted = nullptr) {
    const std::lock_guard hold(swap_);
    if (asserted != nullptr) *asserted = asserted_;
    return node_;
  }
  /// Where its buffers are; if it has none, where those of what it was made of are.
  std::optional<Device> device(const NodeRef& n) const {
    if (!other_memory_in_use()) return {};
    const std::optional<Device> buffers = some_device(n);
    return buffers ? buffers : operands_at_;
  }
  /// The same value, computed, and what may still be found wrong about it.
  void set_node(NodeRef n, Assertions asserted, bool has_list_views = false) {
    reads_left_.store(has_list_views ? seams().views : kNoViews, std::memory_order_relaxed);
    const std::lock_guard hold(swap_);
    std::swap(node_, n);
    std::swap(asserted_, asserted);
  }

  /// An operation reads it: are there list views, as compute() left them, that it packs?
  bool has_views_to_pack() {
    if (reads_left_.load(std::memory_order_relaxed) == kNoViews) return false;
    const uint64_t now = Operation::number();  // it may read its operand more than once
    if (now == 0 || reader_.exchange(now, std::memory_order_relaxed) == now) return false;
    return reads_left_.fetch_sub(1, std::memory_order_relaxed) <= 0;
  }

  std::mutex mutex;                          // of whoever computes something
  std::atomic<std::thread::id> computing{};  // the thread that has it
  std::optional<int64_t> size;               // looked up before the whole was evaluated

 private:
  static constexpr int64_t kNoViews = -1;

  SpinLock swap_;
  NodeRef node_;
  Assertions asserted_;  // of what it was made of, too
  std::optional<Device> operands_at_;
  std::atomic<int64_t> reads_left_ = kNoViews;  // of list views, until an operation packs them
  std::atomic<uint64_t> reader_ = 0;            // the number of the last one
};

namespace {

/// What interrupts a thread (a handler of signals) cannot wait for what that thread does.
void check_interrupted(const std::atomic<std::thread::id>& computing) {
  check<ValueError>(computing.load(std::memory_order_relaxed) != std::this_thread::get_id(),
                    "evaluate: this thread was interrupted while it computes this array; look at "
                    "it when that is done");
}

/// Whoever computes a value, alone.
class Computing {
 public:
  Computing(std::mutex& m, std::atomic<std::thread::id>& thread) : thread_(thread) {
    check_interrupted(thread);
    lock_ = lock_patiently(m);
    // Relaxed: the lock orders what threads do, and each knows itself.
    thread_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  }
  ~Computing() { thread_.store(std::thread::id(), std::memory_order_relaxed); }
  Computing(const Computing&) = delete;
  Computing& operator=(const Computing&) = delete;

 private:
  std::atomic<std::thread::id>& thread_;
  std::unique_lock<std::mutex> lock_;
};

/// What a handle holds.
template <class State>
State& held(const std::shared_ptr<State>& state) {
  check<ValueError>(state != nullptr, "Array: it was moved from; assign another one to it first");
  return *state;
}

}  // namespace

Array::Array() : Array(list_node(rows(0), unknown_node())) {}
Array::Array(const Scalar& number, Weak) : Array(leaf(constant(number, true))) {}
Array::Array(std::string_view text) : Array(text_node(text, TextKind::string)) {}
Array::Array(Ref<graph::Node> node)
    : state_(std::allocate_shared<State>(PoolAllocator<State>(), node->kind == NodeKind::leaf
                                                                     ? std::move(node)
                                                                     : with_own_types(node))) {
  // SERRATE_EAGER=1: every operation at once, so that an error comes from the line that made it.
  static const bool eager = [] {
    const char* e = std::getenv("SERRATE_EAGER");
    return e != nullptr && std::string_view(e) == "1";
  }();
  if (eager) evaluate();
}
Array::~Array() = default;

NodeRef Array::node() const {
  State& state = held(state_);
  const std::thread::id thread = state.computing.load(std::memory_order_relaxed);
  if (thread != std::thread::id() && thread != std::this_thread::get_id())
    lock_patiently(state.mutex);  // so that it is not computed again
  if (!Operation::is_running()) return state.node();
  if (state.has_views_to_pack())  // before it has read anything of it
    materialise(*this, current_where("packed") + ": its lists are views, and are read again");
  Assertions asserted;
  NodeRef n = state.node(&asserted);
  if (asserted) Operation::add_operand(asserted);
  if (other_memory_in_use() && !Operation::device()) Operation::add_device(state.device(n));
  return n;
}

Type Array::type() const {
  const NodeRef n = node();
  if (!ops::is_list(*n)) return type_of(*n);
  return Type::array(size(), type_of(*n->contents[0]));
}

bool Array::is_scalar() const { return !ops::is_list(*node()); }

int64_t Array::size() const {
  const NodeRef n = node();
  check<TypeError>(ops::is_list(*n), "size: expected an array, got a single {}", type_text(*n));
  const ColumnRef c = count(n->space);
  if (c->kind == ColumnKind::constant) return c->scalar.i;
  State& state = held(state_);
  const Computing alone(state.mutex, state.computing);
  if (!state.size) {
    // Only the number of items is computed, not the items.
    const Surrounding here(state.device(n));
    state.size = length_of(n->space);
  }
  return *state.size;
}

std::vector<std::string> Array::fields() const { return ops::field_names(*node()); }

Array Array::operator[](std::string_view field) const {
  const Operation operation;
  return Array(ops::get_field(unit(), node(), std::string(field)));
}

Device Array::device() const { return held(state_).device(node()).value_or(Device::cpu); }

namespace {

/// What is computed of an array: all of it, or where its lists begin and end, if their items are
/// all stored.
class Computed {
 public:
  Computed(NodeRef whole, const Assertions& asserted, std::optional<Device> at, bool as_view)
      : whole_(std::move(whole)), tree_(whole_) {
    // What a GPU finds out later may be that these places are none.
    if (!as_view || (asserted && !is_host(at.value_or(surrounding_device())))) return;
    if (NodeRef places = without_items(whole_)) {
      tree_ = std::move(places);
      has_list_views_ = true;
    }
  }
  const NodeRef& tree() const { return tree_; }
  bool has_list_views() const { return has_list_views_; }
  NodeRef result(NodeRef stored) const {
    return has_list_views_ ? with_items(whole_, stored) : stored;
  }

 private:
  NodeRef whole_, tree_;
  bool has_list_views_ = false;
};

}  // namespace

const Array& Array::evaluate() const { return evaluate(nullptr, false); }

const Array& Array::evaluate(const std::string* why, bool as_view) const {
  note_look_at_values();
  State& state = held(state_);
  const Computing alone(state.mutex, state.computing);
  Assertions asserted;
  const NodeRef n = state.node(&asserted);
  if (!asserted && (is_stored(*n) || (as_view && is_view(*n)))) return *this;
  const std::optional<Device> at = state.device(n);
  const Surrounding here(at);
  const Computed one(n, asserted, at, as_view);
  NodeRef stored = one.result(graph::evaluate({one.tree()}, asserted).front());
  asserted = asserted_of_results(asserted, stored);
  state.set_node(why != nullptr ? noted(stored, *n, *why) : std::move(stored), std::move(asserted),
                 one.has_list_views());
  return *this;
}

void materialise(const Array& x, std::string why) { x.evaluate(&why, false); }

bool evaluate_shortly(const Array& x) {
  note_look_at_values();
  Array::State& state = held(x.state_);
  const Computing alone(state.mutex, state.computing);
  Assertions asserted;
  const NodeRef n = state.node(&asserted);
  if (asserted) return false;
  if (is_stored(*n)) return true;
  NodeRef stored = FlatExpression(n).evaluate(true);
  if (!stored) return false;
  state.set_node(std::move(stored), {});
  return true;
}

Scalar Array::item_scalar() const {
  NodeRef n = evaluate().node();
  if (n->kind == NodeKind::option && n->contents[0]->kind == NodeKind::leaf) {
    check<ValueError>(read_scalar(*n->column).i != 0, "item: the value is missing (None)");
    n = n->contents[0];
  }
  check<TypeError>(n->kind == NodeKind::leaf, "item: expected a single number, got {}",
                   lazily([&] { return type().str(); }));
  if (n->column->dtype == DType::float16)
    n = graph::evaluate(leaf(cast(n->column, DType::float32)));
  return read_scalar(*n->column);
}

double Array::item_as_double() const {
  const Scalar s = item_scalar();
  check<TypeError>(!is_complex(s.dtype), "item: a complex number has no single real value");
  if (is_floating(s.dtype)) return s.f;
  return is_unsigned_integer(s.dtype) ? static_cast<double>(s.u) : static_cast<double>(s.i);
}

int64_t Array::item_as_integer() const {
  const Scalar s = item_scalar();
  return is_floating(s.dtype) || is_complex(s.dtype) ? static_cast<int64_t>(item_as_double()) : s.i;
}

bool is_computed(const Array& x) {
  note_look_at_values();
  Assertions asserted;
  const NodeRef n = held(x.state_).node(&asserted);
  return !asserted && (is_stored(*n) || is_view(*n));
}

void Array::evaluate_all(const std::vector<Array>& arrays, bool as_views) {
  const auto together = [&](const std::vector<Array>& some) {
    std::vector<NodeRef> roots;
    std::vector<Computed> computed;
    Assertions all;
    for (const Array& a : some) {
      Array::State& state = held(a.state_);
      check_interrupted(state.computing);
      NodeRef n = a.node();
      Assertions asserted;
      state.node(&asserted);
      all = joined(all, asserted);
      roots.push_back(computed.emplace_back(n, asserted, state.device(n), as_views).tree());
    }
    const Surrounding here(some.empty() ? std::nullopt : some[0].state_->device(roots[0]));
    const std::vector<NodeRef> stored = graph::evaluate(roots, all);
    for (size_t i = 0; i < some.size(); i++) {
      Array::State& state = *some[i].state_;
      NodeRef result = computed[i].result(stored[i]);
      const Computing alone(state.mutex, state.computing);
      Assertions asserted = asserted_of_results(all, result);
      state.set_node(std::move(result), std::move(asserted), computed[i].has_list_views());
    }
  };
  if (!other_memory_in_use()) return together(arrays);
  std::map<Device, std::vector<Array>> by_device;
  for (const Array& a : arrays) by_device[a.device()].push_back(a);
  for (const auto& [device, some] : by_device) together(some);
}

void compute(const std::vector<Array>& arrays) {
  std::vector<Array> rest;
  std::ranges::remove_copy_if(arrays, std::back_inserter(rest), is_computed);
  if (rest.size() == 1) {
    rest[0].evaluate(nullptr, true);
  } else if (!rest.empty()) {
    Array::evaluate_all(rest, true);
  }
}

void evaluate_together(const std::vector<Array>& arrays) { Array::evaluate_all(arrays, false); }

}  // namespace serrate
