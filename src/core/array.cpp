// The handle users hold: a shared tree that is replaced by its stored form at the first look.
#include "serrate/array.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>

#include "core/load_scalar.h"
#include "core/pool_allocator.h"
#include "core/spin_lock.h"
#include "core/waiting.h"
#include "cuda/device.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/materialise.h"
#include "graph/text_lists.h"
#include "graph/type_text.h"
#include "ops/input.h"

namespace serrate {

using namespace graph;

namespace {

Scalar read_scalar(const Column& c) {
  if (c.kind == ColumnKind::constant) return c.scalar;
  const Buffer item = cuda::to_host(c.buffer.slice(0, itemsize(c.dtype)));
  return load_scalar(item.data(), c.dtype);
}

}  // namespace

struct Array::State {
  explicit State(NodeRef n) : node_(std::move(n)) {}
  NodeRef node() {
    const std::lock_guard hold(swap_);
    return node_;
  }
  void set_node(NodeRef n) {
    const std::lock_guard hold(swap_);
    std::swap(node_, n);
  }

  std::mutex mutex;  // of whoever computes something
  std::atomic<bool> is_evaluated_now{false};
  std::optional<int64_t> size;  // looked up before the whole was evaluated

 private:
  SpinLock swap_;
  NodeRef node_;
};

Array::Array() : Array(list_node(rows(0), unknown_node())) {}
Array::Array(const Scalar& number, Weak) : Array(leaf(constant(number, true))) {}
Array::Array(std::string_view text) : Array(text_node(text, TextKind::string)) {}
Array::Array(Ref<graph::Node> node)
    : state_(std::allocate_shared<State>(PoolAllocator<State>(), std::move(node))) {
  // SERRATE_EAGER=1: every operation at once, so that an error comes from the line that made it.
  static const bool eager = [] {
    const char* e = std::getenv("SERRATE_EAGER");
    return e != nullptr && std::string_view(e) == "1";
  }();
  if (eager) evaluate();
}
Array::~Array() = default;

NodeRef Array::node() const {
  if (state_->is_evaluated_now.load(std::memory_order_relaxed))
    lock_patiently(state_->mutex);  // so that it is not computed again
  return state_->node();
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
  const auto lock = lock_patiently(state_->mutex);
  if (!state_->size) {
    // Only the number of items is computed, not the items.
    const NodeRef stored = graph::evaluate(leaf(c));
    state_->size = read_scalar(*stored->column).i;
  }
  return *state_->size;
}

std::vector<std::string> Array::fields() const { return ops::field_names(*node()); }

Array Array::operator[](std::string_view field) const {
  return Array(ops::get_field(unit(), node(), std::string(field)));
}

Device Array::device() const {
  return cuda::gpu_in_use() ? some_device(node()).value_or(Device::cpu) : Device::cpu;
}

const Array& Array::evaluate() const { return evaluate(nullptr); }

const Array& Array::evaluate(const std::string* why) const {
  const auto lock = lock_patiently(state_->mutex);
  const NodeRef n = state_->node();
  if (is_stored(*n)) return *this;
  struct Now {
    std::atomic<bool>& flag;
    explicit Now(std::atomic<bool>& f) : flag(f) { flag = true; }
    ~Now() { flag = false; }
  } const now(state_->is_evaluated_now);
  NodeRef stored = graph::evaluate(n);
  state_->set_node(why != nullptr ? noted(stored, *n, *why) : std::move(stored));
  return *this;
}

void materialise(const Array& x, std::string why) { x.evaluate(&why); }

Scalar Array::item_scalar() const {
  NodeRef n = evaluate().node();
  if (n->kind == NodeKind::option && n->contents[0]->kind == NodeKind::leaf) {
    check<ValueError>(read_scalar(*n->column).i != 0, "item: the value is missing (None)");
    n = n->contents[0];
  }
  check<TypeError>(n->kind == NodeKind::leaf, "item: expected a single number, got {}",
                   type().str());
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

void compute(const std::vector<Array>& arrays) {
  std::vector<NodeRef> roots;
  for (const auto& a : arrays) roots.push_back(a.node());
  const std::vector<NodeRef> stored = graph::evaluate(roots);
  for (size_t i = 0; i < arrays.size(); i++) {
    Array::State& state = *arrays[i].state_;
    const auto lock = lock_patiently(state.mutex);
    state.set_node(stored[i]);
  }
}

}  // namespace serrate
