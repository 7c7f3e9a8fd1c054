// The order of evaluation of a program: see scheduler.h.
#include "cpu/program/scheduler.h"

#include <algorithm>
#include <limits>

#include "serrate/error.h"

namespace serrate::cpu {

Scheduler::Scheduler(const ProgramBuilder& builder, Isa isa)
    : builder_(builder), steps_(steps(isa)), states_(builder.nodes_.size()) {
  program_.block_ = steps_.items;
  program_.code_.reserve(3 * builder.nodes_.size() + 2);
  program_.entries_.reserve(2 * builder.nodes_.size() + builder.stores_.size());
  tasks_.reserve(16);
  free_.reserve(8);
}

Program Scheduler::schedule() {
  if (builder_.stores_.empty()) return std::move(program_);
  count_uses();
  make_entries();
  const Deciding deciding = find_what_decides(builder_);
  stores_opposite_ = deciding.stores_opposite;
  for (const Value v : deciding.values) state(v).decides = true;
  for (const auto& s : builder_.stores_) {
    push(Task::evaluate, s.value);
    while (!tasks_.empty()) {
      const Task t = tasks_.back();
      tasks_.pop_back();
      if (t.what == Task::evaluate) evaluate(t.value);
      if (t.what == Task::keep) keep(t.value);
      if (t.what == Task::stop) stop(t.value);
      if (t.what == Task::emit) emit(t.value);
    }
    // Outputs are the first entries, in the order of the stores.
    store(s.value, static_cast<int>(&s - builder_.stores_.data()));
  }
  instruction(steps_.moves().end, Variant::end, Op{}, DType{}, DType{}, 0, 0);
  program_.streaming_ = program_.code_;
  for (Instruction& i : program_.streaming_) {
    if (static_cast<Variant>(i.variant) == Variant::save && i.out < program_.outputs_)
      i.run = steps_.moves().stream[log2_size(i.type)];
  }

  int offset = 0;
  for (Entry& e : program_.entries_) {
    if (e.kind == Entry::fixed) continue;
    e.offset = offset;
    const int size = e.kind == Entry::scratch ? item_ : e.size;
    offset += (size * steps_.items + 63) / 64 * 64;
  }
  program_.working_ = offset;
  check(program_.entries_.size() <= std::numeric_limits<uint16_t>::max(),
        "program: {} places in memory are too many", program_.entries_.size());
  return std::move(program_);
}

void Scheduler::count_uses() {
  // From the stores down, so that values nobody stores cost nothing. Arguments have smaller
  // numbers.
  for (const auto& s : builder_.stores_) state(s.value).uses++;
  for (Value v = static_cast<Value>(builder_.nodes_.size()) - 1; v >= 0; v--) {
    const Node& n = node(v);
    if (state(v).uses == 0 || n.kind < Kind::cast) continue;
    for (int arg : n.args)
      if (arg >= 0) state(arg).uses++;
  }
}

bool Scheduler::is_and(const ProgramBuilder& b, Value v) {
  const auto type = [&](int i) { return b.type(b.nodes_[static_cast<size_t>(v)].args[i]); };
  const Node& n = b.nodes_[static_cast<size_t>(v)];
  return n.kind == Kind::op && (info(n.op).flags & kBoolAnd) != 0 && n.type == DType::boolean &&
         type(0) == DType::boolean && type(1) == DType::boolean;
}

Scheduler::Deciding Scheduler::find_what_decides(const ProgramBuilder& b) {
  Deciding found;
  if (b.stores_.size() != 1) return found;
  const auto node = [&](Value v) -> const Node& { return b.nodes_[static_cast<size_t>(v)]; };
  Value root = b.stores_[0].value;
  const Node& n = node(root);
  found.stores_opposite = n.kind == Kind::op && (info(n.op).flags & kBoolNot) != 0 &&
                          b.type(n.args[0]) == DType::boolean;
  if (found.stores_opposite) root = n.args[0];
  // Values that decide may be used again, but are each found once.
  std::vector<Value> todo{root};
  std::vector<bool> is_found(b.nodes_.size());
  while (!todo.empty()) {
    const Value v = todo.back();
    todo.pop_back();
    if (is_found[static_cast<size_t>(v)]) continue;
    is_found[static_cast<size_t>(v)] = true;
    found.values.push_back(v);
    if (is_and(b, v)) todo.insert(todo.end(), {node(v).args[0], node(v).args[1]});
  }
  return found;
}

int Scheduler::entry(Entry::Kind kind, int size, int slot) {
  program_.entries_.push_back({kind, static_cast<uint8_t>(size), slot, 0});
  return static_cast<int>(program_.entries_.size()) - 1;
}

void Scheduler::make_entries() {
  for (const auto& s : builder_.stores_) {
    const int e = entry(Entry::output, itemsize(node(s.value).type), s.slot);
    if (state(s.value).output < 0) state(s.value).output = e;
  }
  program_.outputs_ = static_cast<int>(program_.entries_.size());
  const Value count = static_cast<Value>(builder_.nodes_.size());
  for (Value v = 0; v < count; v++) {
    const Node& n = node(v);
    if (state(v).uses == 0) continue;
    item_ = std::max(item_, itemsize(n.type));
    if (n.kind == Kind::load) state(v).place = entry(Entry::input, itemsize(n.type), n.args[0]);
    if (n.kind == Kind::gather) {
      // Several gathers by one index share its entry.
      const int size = itemsize(static_cast<DType>(n.args[2]));
      int at = program_.outputs_;
      for (; at < std::ssize(program_.entries_); at++) {
        const Entry& e = program_.entries_[static_cast<size_t>(at)];
        if (e.kind == Entry::index && e.slot == n.args[1] && e.size == size) break;
      }
      state(v).splat =
          at < std::ssize(program_.entries_) ? at : entry(Entry::index, size, n.args[1]);
      const auto of = std::ranges::find(indexes_, at, &Index::entry);
      const int windowed = size == 4 && itemsize(n.type) >= 4 && !is_complex(n.type);
      if (of == indexes_.end())
        indexes_.push_back({at, windowed, -1});
      else
        of->gathers += windowed;
    }
  }
  program_.advancing_ = static_cast<int>(program_.entries_.size());
  program_.fetch_only([](int) { return true; });
  for (Value v = 0; v < count; v++) {
    const Node& n = node(v);
    if (state(v).uses == 0) continue;
    if (n.kind == Kind::scalar) state(v).place = entry(Entry::fixed, itemsize(n.type), n.args[0]);
  }
}

void Scheduler::evaluate(Value v) {
  if (accumulator_ == v || state(v).place >= 0) return;
  push(Task::emit, v);
  const Node& n = node(v);
  if (n.kind == Kind::cast) {
    push(Task::keep, n.args[0]);
    push(Task::evaluate, n.args[0]);
  } else if (n.kind == Kind::op) {
    evaluate_op(v);
  }
}

// Pushes what must happen before v: the last pushed happens first.
void Scheduler::evaluate_op(Value v) {
  const Node& n = node(v);
  const OpSteps s = steps_for(n);
  check<TypeError>(s.acc || s.acc_mem || s.loop, "{}: not computable for {}", info(n.op).name,
                   name(node(n.args[0]).type));
  const int arity = info(n.op).arity;
  if (s.acc) return push(Task::evaluate, n.args[0]);
  if (arity == 1) {
    push(Task::keep, n.args[0]);
    return push(Task::evaluate, n.args[0]);
  }
  int order[3] = {0, 1, 2};  // highest first
  for (int i = 1; i < arity; i++)
    for (int j = i; j > 0 && node(n.args[order[j]]).height > node(n.args[order[j - 1]]).height; j--)
      std::swap(order[j], order[j - 1]);
  for (int i = arity - 1; i >= 0; i--) {
    const Value arg = n.args[order[i]];
    const bool may_stay = s.acc_mem && i == arity - 1 && n.args[0] != n.args[1];
    if (state(arg).place >= 0) continue;
    // With the accumulator, the last one computed stays in it; so does the only one.
    const bool only = s.acc_mem && n.args[0] != n.args[1] && state(n.args[1 - order[i]]).place >= 0;
    if (i == 0 && state(arg).decides && is_and(builder_, v) &&
        state(n.args[1 - order[0]]).place < 0)
      push(Task::stop, arg);
    if (!may_stay && !only) push(Task::keep, arg);
    push(Task::evaluate, arg);
  }
}

// Makes sure that a value is in memory.
void Scheduler::keep(Value v) {
  if (state(v).place >= 0) return;
  state(v).place = scratch_for(v);
  const DType t = node(v).type;
  instruction(steps_.moves().save[log2_size(t)], Variant::save, Op{}, t, t, state(v).place, 0);
}

// Ends a block in which no item of v is true. What it has looked at so far are the first entries:
// those of inputs are in the order in which values were asked for.
void Scheduler::stop(Value v) {
  to_accumulator(v);
  if (program_.stopped_ < 0) program_.stopped_ = entry(Entry::scratch, 0, -1);
  int looked_at = program_.outputs_;
  for (const Instruction& i : program_.code_) {
    if (static_cast<Variant>(i.variant) == Variant::stop) continue;
    for (const int e : {int{i.a}, int{i.b}, int{i.c}})
      if (e < program_.advancing_) looked_at = std::max(looked_at, e + 1);
  }
  const DType t = DType::boolean;
  instruction(steps_.moves().stop, Variant::stop, Op{}, t, t, 0, program_.stopped_, looked_at,
              stores_opposite_);
}

int Scheduler::scratch_for(Value v) {
  (void)v;
  if (free_.empty()) return entry(Entry::scratch, 0, -1);
  const int e = free_.back();
  free_.pop_back();
  return e;
}

// One use of a value is over.
void Scheduler::use(Value v) {
  State& s = state(v);
  s.uses--;
  if (s.uses > 0 || s.place < 0) return;
  if (program_.entries_[static_cast<size_t>(s.place)].kind == Entry::scratch) {
    free_.push_back(s.place);
    s.place = -1;
  }
}

void Scheduler::instruction(Step run, Variant variant, Op op, DType type, DType to, int out, int a,
                            int b, int c) {
  program_.code_.push_back({run, static_cast<uint16_t>(out), static_cast<uint16_t>(a),
                            static_cast<uint16_t>(b), static_cast<uint16_t>(c), steps_.items, op,
                            type, to, static_cast<uint8_t>(variant)});
}

// The entry of a whole block of a value that is in memory: scalars are spread out once per run.
int Scheduler::block_of(Value v) {
  State& s = state(v);
  if (node(v).kind != Kind::scalar) return s.place;
  if (s.splat < 0) s.splat = entry(Entry::splat, itemsize(node(v).type), node(v).args[0]);
  return s.splat;
}

}  // namespace serrate::cpu
