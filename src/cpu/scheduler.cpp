// The order of evaluation of a program, and the step chosen for each value.
#include "cpu/scheduler.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "serrate/error.h"

namespace serrate::cpu {

namespace {

int log2_size(DType t) { return std::countr_zero(static_cast<unsigned>(itemsize(t))); }

// The steps of booleans are those of bytes that are 0 or 1; signed integers share the unsigned
// ones' where the bits of the results agree.
struct Row {
  Op op;
  DType type;
};
Row row(Op op, DType t) {
  if (t == DType::boolean) {
    switch (op) {
      case Op::add:
      case Op::logical_or:
      case Op::maximum:
      case Op::fmax:
        op = Op::bitwise_or;
        break;
      case Op::multiply:
      case Op::logical_and:
      case Op::minimum:
      case Op::fmin:
        op = Op::bitwise_and;
        break;
      case Op::logical_xor:
      case Op::not_equal:
        op = Op::bitwise_xor;
        break;
      case Op::isnan:
      case Op::isinf:
      case Op::isfinite:
      case Op::imag:
        return {op, t};
      default:
        break;
    }
    return {op, DType::uint8};
  }
  if (is_signed_integer(t) && (info(op).flags & kWraps)) {
    constexpr int to_unsigned = int(DType::uint8) - int(DType::int8);
    return {op, static_cast<DType>(int(t) + to_unsigned)};
  }
  return {op, t};
}

}  // namespace

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
  for (const auto& s : builder_.stores_) {
    push(Task::evaluate, s.value);
    while (!tasks_.empty()) {
      const Task t = tasks_.back();
      tasks_.pop_back();
      if (t.what == Task::evaluate) evaluate(t.value);
      if (t.what == Task::keep) keep(t.value);
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
  for (Value v = 0; v < count; v++) {
    const Node& n = node(v);
    if (state(v).uses == 0) continue;
    if (n.kind == Kind::scalar) state(v).place = entry(Entry::fixed, itemsize(n.type), n.args[0]);
  }
}

OpSteps Scheduler::steps_for(const Node& n) const {
  const DType t = node(n.args[n.op == Op::where ? 1 : 0]).type;
  if (n.op == Op::where) {
    const int size = log2_size(t);
    const Step s = size < 4 ? steps_.where(size) : generic_where(size);
    return {.loop = s};
  }
  if (is_time(t) || (info(n.op).arity == 2 && is_time(node(n.args[1]).type)))
    return {.loop = time_loop(n.op, t, info(n.op).arity == 2 ? node(n.args[1]).type : t)};
  if (is_complex(t)) return {.loop = complex_loop(n.op, t)};
  if (t == DType::float16) return {.loop = half_loop(n.op)};
  const Row r = row(n.op, t);
  OpSteps s = {};
  if (const OpSteps* rows = steps_.of_type(r.type)) s = rows[static_cast<int>(r.op)];
  if (!s.acc && !s.acc_mem && !s.loop) s.loop = generic_loop(r.op, r.type);
  return s;
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

void Scheduler::to_accumulator(Value v) {
  if (accumulator_ == v) return;
  const DType t = node(v).type;
  if (node(v).kind == Kind::scalar)
    instruction(steps_.moves().load_one[log2_size(t)], Variant::load_one, Op{}, t, t, 0,
                state(v).place);
  else
    instruction(steps_.moves().load[log2_size(t)], Variant::load, Op{}, t, t, 0, state(v).place);
  accumulator_ = v;
}

// v has just been computed into the accumulator.
void Scheduler::computed(Value v) {
  accumulator_ = v;
  if (state(v).uses > 1) keep(v);
}

void Scheduler::emit(Value v) {
  const Node& n = node(v);
  if (n.kind == Kind::gather || n.kind == Kind::iota) return emit_leaf(v);
  if (n.kind == Kind::cast) {
    DType from = node(n.args[0]).type, to = n.type;
    if (is_time(from)) from = DType::int64;
    if (is_time(to)) to = DType::int64;
    Step step = steps_.cast(from, to);
    if (!step) step = generic_cast(from, to);
    check<TypeError>(step, "cast: no conversion from {} to {}", name(from), name(to));
    return emit_loop(v, step);
  }
  const OpSteps s = steps_for(n);
  if (s.acc || s.acc_mem) return emit_acc(v, s);
  emit_loop(v, s.loop);
}

void Scheduler::emit_leaf(Value v) {
  const Node& n = node(v);
  const int size = log2_size(n.type);
  if (n.kind == Kind::iota) {
    program_.has_positions_ = true;
    const int from = entry(Entry::position, 8, n.args[0]);
    state(v).place = scratch_for(v);
    instruction(generic_iota(), Variant::iota, Op{}, n.type, n.type, state(v).place, from);
    accumulator_ = -1;
    return;
  }
  const int from = entry(Entry::fixed, itemsize(n.type), n.args[0]), index = state(v).splat;
  const bool wide = static_cast<DType>(n.args[2]) == DType::int64;
  const auto known = std::ranges::find_if(program_.sources_, [&](const Program::Source& s) {
    return program_.entries_[s.from].slot == n.args[0];
  });
  if (known == program_.sources_.end() && itemsize(n.type) <= 8)
    program_.sources_.push_back({static_cast<uint16_t>(from), static_cast<uint16_t>(index),
                                 static_cast<uint8_t>(itemsize(n.type)),
                                 static_cast<uint8_t>(wide ? 8 : 4)});
  const Variant variant = wide ? Variant::gather64 : Variant::gather32;
  if (is_complex(n.type)) {
    state(v).place = scratch_for(v);
    instruction(generic_gather(size, static_cast<DType>(n.args[2])), variant, Op{}, n.type, n.type,
                state(v).place, from, index);
    accumulator_ = -1;
    return;
  }
  if (const int w = window_of(index); w >= 0 && steps_.moves().gather_window[size]) {
    instruction(steps_.moves().gather_window[size], Variant::gather_window, Op{}, n.type, n.type, 0,
                from, index, w);
    return computed(v);
  }
  const auto* gathers = wide ? steps_.moves().gather64 : steps_.moves().gather32;
  instruction(gathers[size], variant, Op{}, n.type, n.type, 0, from, index);
  computed(v);
}

/// Where the windows of an index are, if looking at it once for several gathers is worth it.
int Scheduler::window_of(int index) {
  const auto of = std::ranges::find(indexes_, index, &Index::entry);
  if (!steps_.moves().window || of->gathers < 2) return -1;
  if (of->window < 0) {
    of->window = entry(Entry::scratch, 0, -1);
    instruction(steps_.moves().window, Variant::window, Op{}, DType::int32, DType::int32,
                of->window, 0, index);
    accumulator_ = -1;
  }
  return of->window;
}

void Scheduler::emit_loop(Value v, Step step) {
  const Node& n = node(v);
  int at[3] = {};
  for (int i = 0; i < 3; i++)
    if (n.args[i] >= 0) at[i] = block_of(n.args[i]);
  State& s = state(v);
  // Straight to the output if nothing else needs the value.
  const bool direct = s.uses == 1 && s.output >= 0;
  s.place = direct ? s.output : scratch_for(v);
  s.output_done = direct;
  const Variant variant = n.kind == Kind::cast ? Variant::cast : Variant::loop;
  instruction(step, variant, n.op, node(n.args[0]).type, n.type, s.place, at[0], at[1], at[2]);
  for (int arg : n.args)
    if (arg >= 0) use(arg);
  accumulator_ = -1;
}

void Scheduler::emit_acc(Value v, const OpSteps& s) {
  const Node& n = node(v);
  const Value x = n.args[0], y = n.args[1];
  const DType t = node(x).type;
  if (s.acc) {
    to_accumulator(x);
    instruction(s.acc, Variant::acc, n.op, t, n.type, 0, 0);
    use(x);
    return computed(v);
  }
  const bool x_is_one = node(x).kind == Kind::scalar, y_is_one = node(y).kind == Kind::scalar;
  // Which argument is in the accumulator: the one that is there, else not the scalar.
  bool x_in_acc = accumulator_ == x;
  if (!x_in_acc && accumulator_ != y) {
    x_in_acc = !x_is_one || y_is_one;
    to_accumulator(x_in_acc ? x : y);
  }
  const Value other = x_in_acc ? y : x;
  const Step one = x_in_acc ? s.acc_one : s.one_acc;
  if ((x_in_acc ? y_is_one : x_is_one) && one)
    instruction(one, x_in_acc ? Variant::acc_one : Variant::one_acc, n.op, t, n.type, 0, 0,
                state(other).place);
  else
    instruction(x_in_acc ? s.acc_mem : s.mem_acc, x_in_acc ? Variant::acc_mem : Variant::mem_acc,
                n.op, t, n.type, 0, 0, block_of(other));
  use(x);
  use(y);
  computed(v);
}

void Scheduler::store(Value v, int out) {
  State& s = state(v);
  const DType t = node(v).type;
  if (s.output_done && s.output == out) {
    // The loop that computed it wrote there.
  } else if (is_complex(t)) {
    instruction(generic_copy(log2_size(t)), Variant::copy, Op{}, t, t, out, block_of(v));
    accumulator_ = -1;
  } else {
    to_accumulator(v);
    instruction(steps_.moves().save[log2_size(t)], Variant::save, Op{}, t, t, out, 0);
  }
  use(v);
}

Program ProgramBuilder::finish(Isa isa) && {
  check(isa_available(isa), "finish: {} is not available on this CPU", cpu::name(isa));
  return Scheduler(*this, isa).schedule();
}

}  // namespace serrate::cpu
