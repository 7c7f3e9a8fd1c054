// Folds behind a filter without what the filter leaves: items that it drops become the identity.
//
// sum(z[z > 1]) needs no positions of what is left, no values at them and no offsets of their
// lists: in the frame of the lists themselves, where(z > 1, z, 0) is folded.
#include <algorithm>
#include <tuple>

#include "core/types/reducer_info.h"
#include "cpu/plan/emit.h"

namespace serrate::cpu {

namespace {

/// Cheap enough to be computed of what the filter drops too.
constexpr int kCheap = 20;

/// A column behind a filter as the base has it for all its items, or null.
class OverBase {
 public:
  ColumnRef operator()(const ColumnRef& c) {
    if (c->kind == ColumnKind::constant) return c;
    if (c->kind == ColumnKind::at) return c->args[0];
    if (const ColumnRef* known = known_.find(c.get())) return *known;
    return known_.set(c.get(), made(*c));
  }

 private:
  ColumnRef made(const Column& c) {
    if (c.kind == ColumnKind::cast) {
      const ColumnRef x = (*this)(c.args[0]);
      return x ? graph::cast(x, c.dtype) : x;
    }
    if (c.kind != ColumnKind::op || info(c.op).cost >= kCheap) return {};
    std::vector<ColumnRef> args;
    for (int i = 0; i < c.arity(); i++) {
      args.push_back((*this)(c.args[i]));
      if (!args.back()) return {};
    }
    return graph::apply(c.op, std::move(args));
  }

  PointerMap<ColumnRef> known_;
};

}  // namespace

ColumnRef Emitter::over_base(const ColumnRef& c) { return OverBase()(c); }

bool Emitter::is_dissolved(int f) const {
  const Frame& fr = frame(f);
  if (fr.space->kind != SpaceKind::select || fr.whole || !fr.children.empty() ||
      !fr.filters.empty() || !fr.stores.empty() || !fr.histograms.empty())
    return false;
  for (const Frame& other : nest_.frames())
    if (std::ranges::find(other.bases, f) != other.bases.end()) return false;
  return std::ranges::all_of(fr.folds, [](const graph::Fold& fold) {
    const Column& c = *fold.column;
    if (info(c.reducer).has_index() || c.args[1]) return false;
    if (!c.args[0]) return true;
    const DType t = c.args[0]->dtype;
    const bool real =
        t == DType::boolean || is_integer(t) || t == DType::float32 || t == DType::float64;
    return real && over_base(c.args[0]);
  });
}

int Emitter::kept_values(const Accum& a, const ColumnRef& value, int predicate) {
  const int e = get(value, a.from);
  const Entry x = entries_[static_cast<size_t>(e)], p = entries_[static_cast<size_t>(predicate)];
  const bool later = std::tie(p.time, p.stage) > std::tie(x.time, x.stage);
  const int s = segment(a.from, later ? p.time : x.time, later ? p.stage : x.stage);
  const int chosen = in_segment(predicate, s), v = in_segment(e, s);
  std::byte nothing[16] = {};
  store_scalar(identity(a.reducer, a.dtype), nothing);
  const int other = constant_slot(a.dtype, nothing);
  ProgramBuilder& b = segments_[static_cast<size_t>(s)].builder;
  const int choice[] = {chosen, v, b.scalar(a.dtype, other)};
  const int out = slot(Slot::vector, a.dtype, a.from);
  b.store(b.op(Op::where, a.dtype, choice), out);
  return out;
}

}  // namespace serrate::cpu
