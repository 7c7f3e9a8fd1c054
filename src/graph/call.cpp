// Calls of users' functions as columns.
#include "graph/ir.h"
#include "serrate/function.h"

namespace serrate::graph {

namespace {

ColumnRef made(Column* c, DType t, const SpaceRef& space) {
  c->dtype = t;
  c->space = space;
  add_parts(*c);
  return ColumnRef(c);
}

SpaceRef space_of(const std::vector<ColumnRef>& args, const ColumnRef& guard) {
  for (const ColumnRef& c : args) {
    if (c->space) return c->space;
  }
  return guard ? guard->space : SpaceRef();
}

/// Arguments from number i on.
ColumnRef operands_from(const std::vector<ColumnRef>& args, size_t i, const SpaceRef& space) {
  if (i >= args.size()) return {};
  auto* c = new Column;
  c->kind = ColumnKind::operands;
  c->args[0] = args[i];
  if (i + 1 < args.size()) c->args[1] = args[i + 1];
  c->args[2] = operands_from(args, i + 2, space);
  return made(c, DType::boolean, space);
}

}  // namespace

std::vector<ColumnRef> call(const FunctionRef& f, std::vector<ColumnRef> args, ColumnRef guard) {
  for (size_t i = 0; i < args.size(); i++) args[i] = cast(std::move(args[i]), f->arguments[i]);
  const SpaceRef space = space_of(args, guard);
  const ColumnRef operands = operands_from(args, 0, space);
  std::vector<ColumnRef> out;
  for (size_t k = 0; k < f->outputs().size(); k++) {
    auto* c = new Column;
    c->kind = ColumnKind::call;
    c->link = static_cast<int16_t>(k);
    c->function = f;
    c->args[0] = operands;
    c->args[1] = guard;
    out.push_back(made(c, f->outputs()[k], space));
  }
  return out;
}

std::vector<ColumnRef> call_arguments(const Column& call) {
  std::vector<ColumnRef> out;
  for (const Column* o = call.args[0].get(); o != nullptr; o = o->args[2].get()) {
    out.push_back(o->args[0]);
    if (o->args[1]) out.push_back(o->args[1]);
  }
  return out;
}

}  // namespace serrate::graph
