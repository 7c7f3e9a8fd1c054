// The steps that are chosen for each value of a program: see scheduler.h.
#include <algorithm>

#include "cpu/program/scheduler.h"
#include "serrate/error.h"

namespace serrate::cpu {

Scheduler::Row Scheduler::row(Op op, DType t) {
  if (t == DType::boolean) {
    const uint16_t flags = info(op).flags;
    if (flags & kBoolOr) op = Op::bitwise_or;
    if (flags & kBoolAnd) op = Op::bitwise_and;
    if (flags & kBoolXor) op = Op::bitwise_xor;
    if (flags & kBoolNot) op = Op::logical_not;
    if (info(op).integers == Way::none) return {op, t};
    return {op, DType::uint8};
  }
  if (is_signed_integer(t) && (info(op).flags & kWraps)) {
    constexpr int to_unsigned = int(DType::uint8) - int(DType::int8);
    return {op, static_cast<DType>(int(t) + to_unsigned)};
  }
  return {op, t};
}

OpSteps Scheduler::steps_for(const Node& n) const {
  const DType t = node(n.args[n.op == Op::where ? 1 : 0]).type;
  if (n.op == Op::where) {
    const int size = log2_size(t);
    const Step s = size < 4 ? steps_.where(size) : generic_where(size);
    return {.loop = s};
  }
  const DType second = info(n.op).arity == 2 ? node(n.args[1]).type : t;
  const bool has_times = is_time(t) || is_time(second);
  if (t == DType::float16 && !has_times) return {.loop = half_loop(n.op)};
  const Row r = row(n.op, t);
  OpSteps s = {};
  // Not of times and numbers together.
  if (const OpSteps* rows = steps_.of_type(r.type); rows && is_time(t) == is_time(second))
    s = rows[static_cast<int>(r.op)];
  if (s.acc || s.acc_mem || s.loop) return s;
  s.loop = has_times       ? time_loop(n.op, t, second)
           : is_complex(t) ? complex_loop(r.op, t)
                           : generic_loop(r.op, r.type);
  return s;
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
    const Step step = steps_.cast(from, to);
    check<TypeError>(step, "cast: no conversion from {} to {}", name(from), name(to));
    return emit_loop(v, step, Variant::cast);
  }
  if ((n.op == Op::real || n.op == Op::imag) && is_complex(node(n.args[0]).type))
    return emit_part(v);
  const OpSteps s = steps_for(n);
  if (s.acc || s.acc_mem) return emit_acc(v, s);
  if (s.loop_one && node(n.args[1]).kind == Kind::scalar)
    return emit_loop(v, s.loop_one, Variant::loop_one);
  emit_loop(v, s.loop);
}

void Scheduler::emit_leaf(Value v) {
  const Node& n = node(v);
  const int size = log2_size(n.type);
  if (n.kind == Kind::iota) {
    program_.has_positions_ = true;
    const int from = entry(Entry::position, 8, n.args[0]);
    instruction(steps_.moves().iota, Variant::iota, Op{}, n.type, n.type, 0, from);
    return computed(v);
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

void Scheduler::emit_loop(Value v, Step step, Variant variant) {
  const Node& n = node(v);
  int at[3] = {};
  for (int i = 0; i < 3; i++) {
    const bool one = i == 1 && variant == Variant::loop_one;
    if (n.args[i] >= 0) at[i] = one ? state(n.args[i]).place : block_of(n.args[i]);
  }
  State& s = state(v);
  // Straight to the output if nothing else needs the value.
  const bool direct = s.uses == 1 && s.output >= 0;
  s.place = direct ? s.output : scratch_for(v);
  s.output_done = direct;
  instruction(step, variant, n.op, node(n.args[0]).type, n.type, s.place, at[0], at[1], at[2]);
  for (int arg : n.args)
    if (arg >= 0) use(arg);
  accumulator_ = -1;
}

/// A part of complex numbers, which are in memory always.
void Scheduler::emit_part(Value v) {
  const Node& n = node(v);
  const auto& parts = steps_.moves().part[n.op == Op::imag];
  instruction(parts[n.type == DType::float64], Variant::part, n.op, n.type, n.type, 0,
              block_of(n.args[0]));
  use(n.args[0]);
  computed(v);
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
