// Functions of users as steps between the programs of a plan.
#include <algorithm>

#include "cpu/plan/emit.h"
#include "serrate/error.h"
#include "serrate/function.h"

namespace serrate::cpu {

int Emitter::get_call(const ColumnRef& c, int f) {
  const auto output = static_cast<size_t>(c->link);
  for (const MadeCall& m : made_calls_) {
    if (m.frame != f || m.column->function != c->function ||
        !graph::same(m.column->args[0], c->args[0]) || !graph::same(m.column->args[1], c->args[1]))
      continue;
    return add(c, f, m.time, m.stage, plan_.calls[static_cast<size_t>(m.number)].outputs[output]);
  }
  const MadeCall made = make_call(c, f);
  made_calls_.push_back(made);
  return add(c, f, made.time, made.stage,
             plan_.calls[static_cast<size_t>(made.number)].outputs[output]);
}

MadeCall Emitter::make_call(const ColumnRef& c, int f) {
  const Function& function = *c->function;
  check<TypeError>(function.block != nullptr, "{}: has no code for CPUs", function.name);
  std::vector<int> args;
  for (const ColumnRef& a : graph::call_arguments(*c)) args.push_back(get(a, f));
  if (c->args[1]) args.push_back(get(c->args[1], f));
  std::pair<uint8_t, uint8_t> known{0, 0};
  for (const int a : args) known = std::max(known, known_at({a}));
  Call call{c->function, {}, -1, {}};
  for (const int a : args) call.inputs.push_back(vector_in(a, f));
  if (c->args[1]) {
    call.where = call.inputs.back();
    call.inputs.pop_back();
  }
  for (const DType t : function.outputs()) call.outputs.push_back(slot(Slot::vector, t, f));
  const int number = static_cast<int>(plan_.calls.size());
  plan_.calls.push_back(std::move(call));
  const auto next = static_cast<uint8_t>(known.second + 1);
  block_ops_[f].push_back({known.first, next, 0, {BlockOp::call, number}});
  return {c, f, number, known.first, next};
}

int Emitter::vector_in(int e, int f) {
  const Entry x = entries_[static_cast<size_t>(e)];
  if (!x.scalar) return slot_of(e);
  const int out = slot(Slot::vector, x.dtype, f);
  const int s = segment(f, x.time, x.stage);
  ProgramBuilder& b = segments_[static_cast<size_t>(s)].builder;
  b.store(b.scalar(x.dtype, x.slot), out);
  return out;
}

}  // namespace serrate::cpu
