// What is over lists as the same over other lists that have the same positions.
#include "graph/ir.h"

namespace serrate::graph {
namespace {

class EqualRebase : public Rebase {
 public:
  EqualRebase(const SpaceRef& from, const SpaceRef& to) : Rebase(from, to) { keeps_order_ = true; }

 protected:
  ColumnRef wrap(const ColumnRef& c) override { return rebuild(c); }
};

}  // namespace

NodeRef rebase_equal(const NodeRef& n, const SpaceRef& from, const SpaceRef& to) {
  return same(from, to) ? n : EqualRebase(from, to)(n);
}

}  // namespace serrate::graph
