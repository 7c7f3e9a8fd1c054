// Element-wise functions of broadcast arrays, and constants in the shape of an array.
#include <algorithm>
#include <limits>

#include "graph/type_text.h"
#include "ops/broadcast.h"
#include "ops/compare.h"
#include "ops/input.h"
#include "ops/merge.h"
#include "ops/strings.h"
#include "ops/units.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

bool fits(const Scalar& value, DType t) {
  if (!is_integer(t) || value.dtype != DType::int64) return true;
  const int bits = 8 * itemsize(t);
  if (is_unsigned_integer(t)) return value.i >= 0 && (bits == 64 || value.i < (int64_t{1} << bits));
  return bits == 64 ||
         (value.i >= -(int64_t{1} << (bits - 1)) && value.i < (int64_t{1} << (bits - 1)));
}

/// Python's integers take the type of the array, but must fit it. Comparisons widen instead.
void settle_weak(Op op, std::vector<ColumnRef>& args) {
  for (auto& a : args) {
    if (!a->weak || a->kind != ColumnKind::constant) continue;
    for (const auto& b : args) {
      if (b->weak) continue;
      if (is_time(b->dtype)) {
        a = constant(a->scalar);
        break;
      }
      if (fits(a->scalar, b->dtype)) continue;
      check<ValueError>(info(op).flags & kCompares, "{}: the integer {} does not fit {}",
                        info(op).name, a->scalar.i, name(b->dtype));
      a = constant(a->scalar);
      break;
    }
  }
}

NodeRef apply_leaves(Op op, const std::vector<NodeRef>& nodes) {
  std::vector<ColumnRef> args;
  std::string unit;
  std::optional<Parameters> parameters;
  int times = 0;
  for (const auto& n : nodes) {
    args.push_back(n->column);
    if (is_time(n->column->dtype)) {
      unit = times++ ? common_unit(unit, n->unit) : n->unit;
    }
    if (is_weak_scalar(*n)) continue;
    if (!parameters) {
      parameters = n->parameters;
    } else {
      std::erase_if(*parameters, [&](const auto& p) {
        return std::find(n->parameters.begin(), n->parameters.end(), p) == n->parameters.end();
      });
    }
  }
  for (size_t i = 0; i < args.size(); i++) {
    if (times && is_time(args[i]->dtype)) args[i] = convert_unit(args[i], nodes[i]->unit, unit);
  }
  settle_weak(op, args);
  const ColumnRef c = apply(op, std::move(args));
  return leaf(c, is_time(c->dtype) ? unit : "", parameters.value_or(Parameters{}));
}

/// Lists of the same spaces down to numbers, and Python's numbers: nothing has to be broadcast. The
/// usual case, done quickly; null for all others.
NodeRef apply_plain(Op op, std::vector<NodeRef> nodes, bool outermost = true) {
  const auto is_number = [](const Node& n) { return n.kind == NodeKind::leaf; };
  const Node* lists = nullptr;
  for (const auto& n : nodes) {
    if (is_weak_scalar(*n)) continue;
    if (n->kind != NodeKind::list) {
      if (!is_number(*n) || lists != nullptr) return {};
      continue;
    }
    const bool alike = lists == nullptr || (n->space == lists->space && n->size == lists->size);
    if (!n->parameters.empty() || !alike) return {};
    lists = n.get();
  }
  if (lists == nullptr) {
    return outermost ? NodeRef() : apply_leaves(op, nodes);
  }
  const SpaceRef space = lists->space;
  const int64_t size = outermost ? -1 : lists->size;
  for (auto& n : nodes) {
    if (n->kind == NodeKind::list)
      n = NodeRef(n->contents[0]);
    else if (!is_weak_scalar(*n))
      return {};
  }
  const NodeRef inner = apply_plain(op, std::move(nodes), false);
  return inner ? list_node(space, inner, size) : inner;
}

bool has_name(const Node& n) {
  return std::any_of(n.parameters.begin(), n.parameters.end(), [](const auto& p) {
    return p.first == "__record__" || p.first == "__list__";
  });
}

}  // namespace

Array elementwise(Op op, const std::vector<Array>& args) {
  const OpInfo& row = info(op);
  check<TypeError>(args.size() == row.arity, "{}: expected {} arguments, got {}", row.name,
                   row.arity, args.size());
  const std::vector<NodeRef> nodes = inputs(args);
  if (const NodeRef plain = apply_plain(op, nodes)) return Array(plain);
  BroadcastOptions options;
  options.where = row.name;
  auto at_leaves = [&](const SpaceRef& space,
                       const std::vector<NodeRef>& n) -> std::optional<NodeRef> {
    auto all = [&](auto&& f) { return std::all_of(n.begin(), n.end(), f); };
    if (all([](const NodeRef& x) { return x->kind == NodeKind::leaf; })) return apply_leaves(op, n);
    if (all([](const NodeRef& x) { return is_string(*x) || is_weak_scalar(*x); })) {
      check<TypeError>(
          (op == Op::equal || op == Op::not_equal) &&
              all([](const NodeRef& x) { return is_string(*x); }),
          "{}: not implemented for string types; strings compare with == and !=", row.name);
      const ColumnRef c = strings_equal(space, *n[0], *n[1]);
      return leaf(op == Op::equal ? c : apply(Op::logical_not, {c}));
    }
    if ((op == Op::equal || op == Op::not_equal) &&
        all([](const NodeRef& x) { return x->kind == NodeKind::record; })) {
      const ColumnRef c = values_equal(space, n[0], n[1]);
      return leaf(op == Op::equal ? c : apply(Op::logical_not, {c}));
    }
    check<TypeError>(!all([](const NodeRef& x) { return has_name(*x) || is_weak_scalar(*x); }),
                     "{}: no overload for the named type {}", row.name, type_text(*n[0]));
    return std::nullopt;
  };
  return Array(broadcast_apply(unit(), nodes, options, at_leaves));
}

}  // namespace serrate
