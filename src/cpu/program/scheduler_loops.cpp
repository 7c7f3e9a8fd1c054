// Programs as inner loops: which loop each value is, in which order, and where the results are.
#include <algorithm>
#include <utility>

#include "cpu/program/inner_loops.h"
#include "cpu/program/scheduler.h"

namespace serrate::cpu {

/// Depth first, as the Scheduler: the argument that needs more places first.
class LoopScheduler {
 public:
  LoopScheduler(const ProgramBuilder& builder, Isa isa)
      : builder_(builder), isa_(isa), states_(builder.nodes_.size()) {
    made_.isa_ = &steps(isa);
    const Scheduler::Deciding d = Scheduler::find_what_decides(builder);
    made_.stopped_ = d.stores_opposite;
    for (const Value v : d.values) state(v).decides = true;
  }

  /// False if it can't be done.
  bool schedule() {
    if (builder_.stores_.size() == 1 && is_leaf(builder_.stores_[0].value)) {
      const auto [v, slot] = builder_.stores_[0];
      made_.kind_ = node(v).kind == Kind::scalar ? InnerLoops::fill : InnerLoops::copy;
      entry_of(v);
      entry(Entry::output, itemsize(node(v).type), slot);
      return true;
    }
    for (const auto& [v, slot] : builder_.stores_) {
      if (is_leaf(v) || state(v).entry >= 0) return false;
      state(v).entry = entry(Entry::output, itemsize(node(v).type), slot);
      if (!find_loops(v)) return false;
    }
    for (const auto& s : builder_.stores_)
      if (!emit(s.value)) return false;
    if (made_.loops_.empty()) return false;
    if (made_.loops_.size() > 1) made_.part_ = InnerLoops::kPartBytes / (item_ * made_.isa_->items);
    made_.kind_ = InnerLoops::loops;
    return true;
  }
  InnerLoops take() { return std::move(made_); }

 private:
  using Value = ProgramBuilder::Value;
  using Node = ProgramBuilder::Node;
  using Kind = ProgramBuilder::Kind;
  using Entry = InnerLoops::Entry;

  /// A value's loop, of one operand twice if it has one.
  struct Computed {
    StepsLoop run = nullptr;
    Value x = -1, y = -1;
  };
  struct State {
    Computed by;
    int uses = 0;
    int entry = -1;
    bool is_found = false, is_done = false;
    bool decides = false, is_looked_at = false;
  };

  const Node& node(Value v) const { return builder_.nodes_[static_cast<size_t>(v)]; }
  State& state(Value v) { return states_[static_cast<size_t>(v)]; }
  bool is_leaf(Value v) const { return node(v).kind == Kind::load || node(v).kind == Kind::scalar; }
  static DType number(DType t) { return is_time(t) ? DType::int64 : t; }

  /// The loop of a value, if there is one.
  Computed loop_of(Value v) const {
    const Node& n = node(v);
    if (n.kind == Kind::cast && n.type == DType::float16)
      if (const Computed half = half_of(n.args[0]); half.run != nullptr) return half;
    if (n.kind == Kind::cast && node(n.args[0]).kind != Kind::scalar)
      return {cast_loop(isa_, number(node(n.args[0]).type), number(n.type)), n.args[0], n.args[0]};
    if (n.kind != Kind::op || n.op == Op::where) return {};
    const Value x = n.args[0], y = n.args[info(n.op).arity - 1];
    const DType t = node(x).type, second = node(y).type;
    if (t == DType::float16 || second == DType::float16 || is_time(t) != is_time(second)) return {};
    const auto [op, type] = Scheduler::row(n.op, t);
    // Of two complex numbers with a NaN it is seen which is returned.
    const bool swaps = !is_complex(type) && (info(op).flags & kCommutative);
    return of_operands(op, type, x, y, swaps);
  }

  /// Of float16 an operation on float32 stands between conversions, which are parts of the loop.
  Computed half_of(Value v) const {
    const Node& n = node(v);
    if (n.kind != Kind::op || n.op == Op::where) return {};
    const auto half = [&](Value a) {
      const Node& c = node(a);
      return c.kind == Kind::cast ? c.args[0] : a;
    };
    const Value x = half(n.args[0]), y = half(n.args[info(n.op).arity - 1]);
    if (node(x).type != DType::float16 || node(y).type != DType::float16) return {};
    // Their steps keep the order, which tells one zero from another.
    return of_operands(n.op, DType::float16, x, y, false);
  }

  Computed of_operands(Op op, DType type, Value x, Value y, bool swaps) const {
    const bool x_is_one = node(x).kind == Kind::scalar, y_is_one = node(y).kind == Kind::scalar;
    if (x_is_one && y_is_one) return {};
    if (x_is_one && swaps) return {steps_loop(isa_, op, type, Operands::second_is_one), y, x};
    const Operands which = y_is_one   ? Operands::second_is_one
                           : x_is_one ? Operands::first_is_one
                                      : Operands::arrays;
    return {steps_loop(isa_, op, type, which), x, y};
  }

  /// Of v and all that it is made of; false where one has none. Counts uses.
  bool find_loops(Value root) {
    std::vector<Value> todo{root};
    while (!todo.empty()) {
      const Value v = todo.back();
      todo.pop_back();
      if (is_leaf(v) || state(v).is_found) continue;
      const Computed by = loop_of(v);
      if (by.run == nullptr) return false;
      state(v).by = by;
      state(v).is_found = true;
      for (const Value x : {by.x, by.y}) state(x).uses++;
      todo.insert(todo.end(), {by.x, by.y});
    }
    return true;
  }

  /// False if there are too many results or operands. An expression may be deeper than a thread's
  /// stack.
  bool emit(Value root) {
    std::vector<Value> todo{root};
    while (!todo.empty()) {
      const Value v = todo.back();
      State& s = state(v);
      const auto is_ready = [&](Value x) { return is_leaf(x) || state(x).is_done; };
      if (s.is_done) {
        todo.pop_back();
        continue;
      }
      Value first = s.by.x, second = s.by.y;
      if (node(second).height > node(first).height) std::swap(first, second);
      if (!is_ready(first) || !is_ready(second)) {
        const bool decides = is_ready(first) && state(first).decides;
        if (decides && Scheduler::is_and(builder_, v)) stop(first);
        todo.push_back(is_ready(first) ? second : first);
        continue;
      }
      todo.pop_back();
      compute(v);
      if (bytes_ > InnerLoops::kMostBytes || places_ > InnerLoops::kMostScratch ||
          made_.entries_.size() > InnerLoops::kMostEntries)
        return false;
    }
    return true;
  }

  /// Steps in which no item of v is true end here.
  void stop(Value v) {
    if (node(v).kind == Kind::scalar || std::exchange(state(v).is_looked_at, true)) return;
    made_.stops_.push_back(
        {static_cast<uint8_t>(made_.loops_.size()), static_cast<uint8_t>(entry_of(v))});
  }

  void compute(Value v) {
    State& s = state(v);
    const int x = entry_of(s.by.x), y = entry_of(s.by.y);
    item_ = std::max(item_, itemsize(node(v).type));
    if (s.entry < 0) s.entry = scratch_for(itemsize(node(v).type));
    s.is_done = true;
    made_.loops_.push_back({s.by.run, static_cast<uint8_t>(x), static_cast<uint8_t>(y),
                            static_cast<uint8_t>(s.entry)});
    for (const Value used : {s.by.x, s.by.y}) {
      const int at = state(used).entry;
      if (--state(used).uses == 0 && is_scratch(at)) free_.push_back(at);
    }
  }

  /// Not an operand's place, and one of items of the same size, which all steps have in the same
  /// place.
  int scratch_for(int size) {
    bytes_ += size;
    const auto found = std::ranges::find_if(
        free_, [&](int at) { return made_.entries_[static_cast<size_t>(at)].size == size; });
    if (found == free_.end()) return entry(Entry::scratch, size, places_++);
    const int at = *found;
    free_.erase(found);
    return at;
  }

  bool is_scratch(int at) const {
    return made_.entries_[static_cast<size_t>(at)].kind == Entry::scratch;
  }

  int entry(Entry::Kind kind, int size, int slot) {
    made_.entries_.push_back({kind, static_cast<uint8_t>(size), slot});
    return static_cast<int>(made_.entries_.size()) - 1;
  }
  int entry_of(Value v) {
    const Node& n = node(v);
    if (state(v).entry < 0)
      state(v).entry =
          entry(n.kind == Kind::scalar ? Entry::one : Entry::input, itemsize(n.type), n.args[0]);
    return state(v).entry;
  }

  const ProgramBuilder& builder_;
  const Isa isa_;
  InnerLoops made_;
  std::vector<State> states_;
  std::vector<int> free_;  // entries of places
  int places_ = 0;
  int bytes_ = 0;  // of the intermediate results of an item
  int item_ = 1;   // bytes of the largest result
};

InnerLoops InnerLoops::of(const ProgramBuilder& builder, Isa isa) {
  LoopScheduler scheduler(builder, isa);
  return scheduler.schedule() ? scheduler.take() : InnerLoops();
}

}  // namespace serrate::cpu
