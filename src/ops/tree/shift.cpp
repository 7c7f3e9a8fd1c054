// Rebase to other list bounds over the same domain.
#include "ops/tree/shift.h"

namespace serrate::ops {
namespace {

using namespace graph;

class ShiftRebase : public Rebase {
 public:
  using Rebase::Rebase;

 protected:
  ColumnRef wrap(const ColumnRef& c) override {
    switch (c->kind) {
      case ColumnKind::position:
        return position(to_);
      case ColumnKind::local: {
        if (from_->kind == SpaceKind::rows) return position(to_);
        ColumnRef start = lift(cast(from_->starts, DType::int64), from_->parent, to_);
        return apply(Op::subtract, {position(to_), std::move(start)});
      }
      case ColumnKind::parent:
        return lift(c->args[0], from_->parent, to_);
      case ColumnKind::histogram:  // a sink: its bins are picked from
        return pick(to_, from_, c, position(to_));
      case ColumnKind::barrier: {  // needs its whole lists
        if (from_->kind == SpaceKind::rows) return pick(to_, from_, c, position(to_));
        const ColumnRef start = lift(cast(from_->starts, DType::int64), from_->parent, to_);
        return pick(to_, from_, c, apply(Op::subtract, {position(to_), start}));
      }
      default:
        return rebuild(c);
    }
  }
};

}  // namespace

bool is_plain(const SpaceRef& s) {
  return s->kind == SpaceKind::rows || s->kind == SpaceKind::list || s->kind == SpaceKind::fixed;
}

NodeRef rebase_shift(const NodeRef& n, const SpaceRef& from, const SpaceRef& to) {
  return ShiftRebase(from, to)(n);
}

}  // namespace serrate::ops
