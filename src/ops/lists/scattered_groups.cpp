// Groups that are folded without being brought together: see scattered_groups.h.
#include "ops/lists/scattered_groups.h"

namespace serrate::ops {
namespace {

using namespace graph;

/// Columns over groups' items, which are picked from an array, as columns over the array.
class FromGroups : public Rebase {
 public:
  FromGroups(const SpaceRef& lists, const Grouping& of) : Rebase(lists, of.items), of_(of) {}

  bool has_failed() const { return has_failed_; }

 protected:
  ColumnRef wrap(const ColumnRef& c) override {
    switch (c->kind) {
      case ColumnKind::op:
      case ColumnKind::cast:
      case ColumnKind::load:
        return rebuild(c);
      case ColumnKind::parent:
        return pick(to_, from_->parent, c->args[0], number());
      case ColumnKind::pick:
        return picked(c);
      default:
        return failed(c);
    }
  }

 private:
  ColumnRef picked(const ColumnRef& c) {
    if (is_place(*c)) return index();
    if (c->over == of_.items && is_place(*c->args[1]) && !c->args[2]) return c->args[0];
    if (c->over->parent->kind != SpaceKind::unit) return failed(c);
    return pick(to_, c->over, c->args[0], (*this)(c->args[1]), (*this)(c->args[2]));
  }

  /// Where in the array an item of the groups stands.
  bool is_place(const Column& c) const {
    return c.kind == ColumnKind::pick && c.over == of_.items && c.args[0] == of_.order &&
           c.args[1]->kind == ColumnKind::position && c.args[1]->space == from_ && !c.args[2];
  }
  ColumnRef index() const { return to_->kind == SpaceKind::rows ? position(to_) : local(to_); }
  ColumnRef number() const { return cast(of_.number, DType::int64); }

  ColumnRef failed(const ColumnRef& c) {
    has_failed_ = true;
    return constant(Scalar::of(int64_t{0}, c->dtype));
  }

  const Grouping& of_;
  bool has_failed_ = false;
};

/// Leaves, or records of them, of which each is over the lists, or the same for all.
bool is_simple(const Node& n) {
  if (n.kind != NodeKind::record) return n.kind == NodeKind::leaf;
  return std::ranges::all_of(n.contents, [](const NodeRef& c) { return is_simple(*c); });
}

}  // namespace

std::optional<ScatteredGroups> scattered_groups(const SpaceRef& lists, const NodeRef& value,
                                                const ColumnRef& take_part) {
  if (!is_simple(*value)) return {};
  FromGroups from(lists, *lists->grouping);
  const NodeRef v = from(value);
  const ColumnRef who = from(take_part);
  if (from.has_failed()) return {};
  return ScatteredGroups{FoldedLists(lists, *lists->grouping), v, who};
}

}  // namespace serrate::ops
