// Rebase to other list bounds over the same domain.
#include "ops/tree/shift.h"

namespace serrate::ops {
namespace {

using namespace graph;

class ShiftRebase : public Rebase {
 public:
  ShiftRebase(const SpaceRef& from, const SpaceRef& to, int64_t ahead)
      : Rebase(from, to), ahead_(ahead) {}

 protected:
  ColumnRef wrap(const ColumnRef& c) override {
    switch (c->kind) {
      case ColumnKind::position:
        return place();
      case ColumnKind::local:
        return index();
      case ColumnKind::parent:
        return lift(c->args[0], from_->parent, to_);
      case ColumnKind::histogram:  // a sink: its bins are picked from
      case ColumnKind::barrier:    // needs its whole lists
        return pick(to_, from_, c, index());
      default:
        return rebuild(c);
    }
  }

 private:
  /// In the lists of `from`.
  ColumnRef index() const {
    if (from_->kind == SpaceKind::rows) return place();
    const ColumnRef start = lift(cast(from_->starts, DType::int64), from_->parent, to_);
    return apply(Op::subtract, {place(), start});
  }
  /// In the domain.
  ColumnRef place() const {
    return ahead_ == 0 ? position(to_) : apply(Op::add, {position(to_), constant(ahead_)});
  }

  int64_t ahead_;
};

}  // namespace

bool is_plain(const SpaceRef& s) {
  return s->kind == SpaceKind::rows || s->kind == SpaceKind::list || s->kind == SpaceKind::fixed;
}

NodeRef rebase_shift(const NodeRef& n, const SpaceRef& from, const SpaceRef& to, int64_t ahead) {
  return ShiftRebase(from, to, ahead)(n);
}

}  // namespace serrate::ops
