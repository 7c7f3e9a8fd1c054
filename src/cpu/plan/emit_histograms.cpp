// The sinks of a plan: histograms, and folds along the outer axis, whose cells are places in lists.
#include "cpu/plan/emit.h"

namespace serrate::cpu {

bool Emitter::is_place(const ColumnRef& cell, int f, ColumnRef& who) const {
  const Column* c = cell.get();
  if (c->kind == ColumnKind::op && c->op == Op::where && c->args[2]->kind == ColumnKind::constant &&
      c->args[2]->scalar.i == -1) {
    who = c->args[0];
    c = c->args[1].get();
  }
  if (c->kind == ColumnKind::cast) c = c->args[0].get();
  return c->kind == ColumnKind::local && c->link < 0 && graph::same(c->space, frame(f).space);
}

void Emitter::emit_histogram(int output) {
  const auto& out = nest_.outputs()[static_cast<size_t>(output)];
  HistogramSink h;
  h.output = output;
  const ColumnRef& cell = out.column->args[0];
  ColumnRef weight = out.column->args[1], who;
  h.dtype = out.column->dtype;
  h.size = out.column->space->size;
  h.reducer = out.column->reducer;
  h.tables = h.size <= 512 && h.reducer == Reducer::sum ? 4 : 1;
  h.cell_dtype = cell->dtype;
  if (is_place(cell, out.frame, who)) {
    h.cell = -1;
    cpu(out.frame).needs_offsets = true;
    cpu(out.frame).needs_local = true;
    if (who) {
      const bool counts = !weight;
      if (counts) weight = graph::constant(Scalar::of(int64_t{1}));
      weight =
          graph::apply(Op::where, {who, weight, graph::constant(identity(h.reducer, h.dtype))});
      keep_.push_back(weight);
      // No tree has these: plans hold their values.
      const auto own = [&](const ColumnRef& c) {
        add(c, out.frame, 0, 0, constant_slot(c->scalar), true);
      };
      own(weight->args[2]);
      if (counts) own(weight->args[1]);
    }
  } else {
    h.cell = vector_of(get(cell, out.frame));
  }
  h.weight_dtype = h.dtype;
  // What folds of columns widen themselves.
  if (h.cell < 0 && weight && weight->kind == ColumnKind::cast &&
      weight->args[0]->dtype == DType::float32 && h.dtype == DType::float64) {
    weight = weight->args[0];
    h.weight_dtype = DType::float32;
  }
  h.weight = weight ? vector_of(get(weight, out.frame)) : -1;
  plan_.histograms.push_back(h);
  ends_[static_cast<size_t>(out.frame)].push_back(
      {BlockOp::histogram, static_cast<int>(plan_.histograms.size()) - 1, 0});
}

}  // namespace serrate::cpu
