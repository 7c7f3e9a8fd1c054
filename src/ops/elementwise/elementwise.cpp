// Element-wise functions of broadcast arrays, and constants in the shape of an array.
#include "ops/elementwise/elementwise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "core/where.h"
#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/tree/broadcast.h"
#include "ops/tree/compare.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "ops/tree/merge.h"
#include "ops/tree/strings.h"
#include "ops/tree/units.h"
#include "serrate/ops.h"

namespace serrate {

graph::ColumnRef ops::large_integer(double value) {
  Scalar s = Scalar::of(value);
  s.im = 1;
  return graph::constant(s, true);
}

namespace {

using namespace graph;
using namespace ops;

bool fits(const Scalar& value, DType t) {
  if (!is_integer(t) || !is_integer(value.dtype)) return true;
  const int bits = 8 * itemsize(t);
  if (value.dtype == DType::uint64 && value.i < 0) return t == DType::uint64;  // 2^63 and more
  if (is_unsigned_integer(t)) return value.i >= 0 && (bits == 64 || value.i < (int64_t{1} << bits));
  return bits == 64 ||
         (value.i >= -(int64_t{1} << (bits - 1)) && value.i < (int64_t{1} << (bits - 1)));
}

/// Marked by its imaginary part.
bool is_large(const Scalar& value) { return value.dtype == DType::float64 && value.im != 0; }

/// Python's integer k of the arguments, larger than any type of integers.
ColumnRef settled_large(Op op, size_t k, double value, DType t) {
  if (is_floating(t) || is_complex(t)) return constant(Scalar::of(value), true);
  if ((info(op).flags & kCompares) && is_integer(t))
    return constant(Scalar::of(std::copysign(std::numeric_limits<double>::infinity(), value)));
  if (info(op).arity == 2 && !is_time(t)) {
    const std::array both{t, t};
    const DType computed = resolve(op, both).compute[k];
    if (is_floating(computed)) return constant(Scalar::of(value).as(computed));
  }
  throw OverflowError(
      fmt::format("{}: Python integer {} out of bounds for {}", info(op).name, value, name(t)));
}

/// Python's integer k of the arguments, whose other one is of type t. It takes that type and must
/// fit it, but comparisons widen instead, and some operations compute with floating-point numbers.
ColumnRef settled(Op op, size_t k, const Scalar& value, DType t) {
  const bool large = value.dtype == DType::uint64;  // 2^63 and more
  const bool compares = info(op).flags & kCompares;
  if (is_time(t) || (compares && !is_floating(t) && !is_complex(t) && !fits(value, t)))
    return constant(value);
  if (is_floating(t) || is_complex(t))
    return large ? constant(value.as(DType::float64), true) : constant(value, true);
  if (fits(value, t) && !(large && t == DType::boolean)) return constant(value, !large);
  if (info(op).arity == 2) {
    const std::array both{t, t};
    const DType computed = resolve(op, both).compute[k];
    if (is_floating(computed) || is_complex(computed)) return constant(value.as(computed));
  }
  throw OverflowError(fmt::format("{}: Python integer {} out of bounds for {}", info(op).name,
                                  large ? std::to_string(value.u) : std::to_string(value.i),
                                  name(t)));
}

bool is_logical(Op op) {
  return op == Op::logical_and || op == Op::logical_or || op == Op::logical_xor;
}

void settle_weak(Op op, std::span<ColumnRef> args) {
  const bool logical = is_logical(op);
  for (size_t k = 0; k < args.size(); k++) {
    const ColumnRef& a = args[k];
    if (!a->weak || a->kind != ColumnKind::constant) continue;
    const bool large = is_large(a->scalar);
    if (!large && !is_integer(a->dtype)) {
      // Beside times a number keeps its own type.
      if (std::ranges::any_of(args, [](const auto& b) { return !b->weak && is_time(b->dtype); }))
        args[k] = constant(a->scalar);
      continue;
    }
    if (logical) {  // any integer is true or false
      args[k] = constant(Scalar::boolean(a->scalar.i != 0));
      continue;
    }
    for (const auto& b : args) {
      if (b->weak) continue;
      args[k] =
          large ? settled_large(op, k, a->scalar.f, b->dtype) : settled(op, k, a->scalar, b->dtype);
      break;
    }
  }
}

/// Python's 0.5 as an exponent is NumPy's square root: NaN of -inf, and -0.0 of -0.0, which pow has
/// not.
bool is_square_root(Op op, std::span<const ColumnRef> args) {
  if (op != Op::power) return false;
  const Column& y = *args[1];
  return y.weak && y.kind == ColumnKind::constant && y.dtype == DType::float64 &&
         y.scalar.f == 0.5 && y.scalar.im == 0 && is_floating(args[0]->dtype) && !args[0]->weak;
}

/// NumPy refuses integers to negative powers.
ColumnRef check_exponent(const ColumnRef& c, const ColumnRef& counts) {
  if (c->kind != ColumnKind::op || c->op != Op::power || !is_signed_integer(c->dtype)) return c;
  const ColumnRef& exponent = c->args[1];
  auto about = std::make_shared<CheckInfo>();
  about->text = "integers to negative integer powers are not allowed; make one of them floating";
  about->where = current_where("power");
  if (exponent->kind == ColumnKind::constant) {
    check<ValueError>(exponent->scalar.i >= 0, "{}: {}", about->where, about->text);
    return c;
  }
  const ColumnRef ok = apply(Op::greater_equal, {exponent, constant(0)});
  return check_column(c, ok, counts, std::move(about));
}

/// Units of time made the same; where a number gets too large for the finer one is an error.
std::string unify_units(std::span<ColumnRef> args, std::span<const Node* const> nodes,
                        const ColumnRef& counts) {
  TimeUnit common;
  for (const Node* n : nodes) {
    const DType t = n->column->dtype;
    if (is_time(t)) common = common_unit(common, {n->unit, t == DType::datetime64});
  }
  for (size_t i = 0; i < args.size(); i++) {
    if (is_time(args[i]->dtype))
      args[i] = convert_unit(args[i], nodes[i]->unit, common.text, UnitOverflow{counts});
  }
  return common.text;
}

/// `counts`: where the results are looked at, or null.
NodeRef apply_leaves(Op op, std::span<const Node* const> nodes, const ColumnRef& counts) {
  Operands operands{ColumnRef()};  // of one to three
  operands.size = nodes.size();
  const std::span args(operands.columns, operands.size);
  std::string unit;
  std::optional<Parameters> parameters;
  for (size_t i = 0; i < nodes.size(); i++) {
    const Node* const n = nodes[i];
    args[i] = n->column;
    if (is_weak_scalar(*n)) continue;
    if (!parameters) {
      parameters = n->parameters;
    } else {
      std::erase_if(*parameters, [&](const auto& p) {
        return std::find(n->parameters.begin(), n->parameters.end(), p) == n->parameters.end();
      });
    }
  }
  if (!is_logical(op)) unit = unify_units(args, nodes, counts);
  settle_weak(op, args);
  if (op == Op::ldexp && is_integer(args[1]->dtype) && args[1]->dtype != DType::int32) {
    // What is out of range for a C int is out of range for all results.
    constexpr int64_t most = 1 << 30;
    if (args[1]->dtype == DType::int64 || args[1]->dtype == DType::uint32)
      args[1] = apply(
          Op::maximum,
          {apply(Op::minimum, {cast(args[1], DType::int64), constant(most)}), constant(-most)});
  }
  if (is_square_root(op, args)) op = Op::sqrt, operands.size = 1;
  const ColumnRef c = check_exponent(graph::apply(op, std::move(operands)), counts);
  return leaf(c, is_time(c->dtype) ? unit : "", parameters.value_or(Parameters{}));
}

/// The operands of an operation at one level of their trees.
class LevelOperands {
 public:
  explicit LevelOperands(const std::vector<NodeRef>& nodes) {
    for (const auto& n : nodes) push_back(n.get());
  }
  LevelOperands() = default;
  void push_back(const Node* n) { of_[size_++] = n; }
  operator std::span<const Node* const>() const { return {of_.data(), size_}; }

 private:
  std::array<const Node*, 3> of_{};
  size_t size_ = 0;
};

/// Lists of the same spaces down to numbers, and Python's numbers: nothing has to be broadcast. The
/// usual case, done quickly; null for all others.
NodeRef apply_plain(Op op, std::span<const Node* const> nodes, bool outermost = true) {
  const Node* lists = nullptr;
  for (const Node* n : nodes) {
    if (is_weak_scalar(*n)) continue;
    if (n->kind != NodeKind::list) {
      if (n->kind != NodeKind::leaf || lists != nullptr) return {};
      continue;
    }
    const bool alike = lists == nullptr || (n->size == lists->size && same(n->space, lists->space));
    if (!n->parameters.empty() || !alike) return {};
    lists = n;
  }
  if (lists == nullptr) return outermost ? NodeRef() : apply_leaves(op, nodes, {});
  LevelOperands items;
  for (const Node* n : nodes) {
    if (n->kind != NodeKind::list && !is_weak_scalar(*n)) return {};
    items.push_back(n->kind == NodeKind::list ? n->contents[0].get() : n);
  }
  NodeRef inner = apply_plain(op, items, false);
  return inner ? list_node(lists->space, std::move(inner), outermost ? -1 : lists->size) : inner;
}

bool is_maybe_categorical(const Node& n) {
  return n.kind == NodeKind::categorical ||
         (n.kind == NodeKind::option && n.contents[0]->kind == NodeKind::categorical);
}

bool has_name(const Node& n) {
  return std::any_of(n.parameters.begin(), n.parameters.end(), [](const auto& p) {
    return p.first == "__record__" || p.first == "__list__";
  });
}

/// What overloads would go by: names of types, else the types.
std::string names_of(const std::vector<NodeRef>& nodes) {
  std::string out;
  for (const auto& n : nodes) {
    const auto name = std::find_if(n->parameters.begin(), n->parameters.end(),
                                   [](const auto& p) { return p.first == "__record__"; });
    const bool named = name != n->parameters.end();
    if (!out.empty()) out += ", ";
    out += named ? name->second.substr(1, name->second.size() - 2) : type_of(*n).str();
  }
  return out;
}

}  // namespace

NodeRef ops::elementwise_over(const SpaceRef& at, Op op, const std::vector<NodeRef>& nodes) {
  const OpInfo& row = info(op);
  if (at->kind == SpaceKind::unit) {
    if (NodeRef plain = apply_plain(op, LevelOperands(nodes))) return plain;
  }
  BroadcastOptions options;
  options.where = row.name;
  // Functions that are no ufuncs pass records, named ones too.
  options.allow_records = op == Op::real || op == Op::imag || op == Op::angle;
  ColumnRef counts;
  options.guard = &counts;
  const bool text = std::any_of(nodes.begin(), nodes.end(),
                                [](const NodeRef& x) { return is_string(*x); });  // one, of Python
  auto at_leaves = [&](const SpaceRef& space,
                       const std::vector<NodeRef>& n) -> std::optional<NodeRef> {
    auto all = [&](auto&& f) { return std::all_of(n.begin(), n.end(), f); };
    if (all([](const NodeRef& x) { return x->kind == NodeKind::leaf; }))
      return apply_leaves(op, LevelOperands(n), counts);
    if ((op == Op::real || op == Op::imag) && n[0]->kind == NodeKind::unknown) return n[0];
    if (all([](const NodeRef& x) { return is_string(*x) || is_weak_scalar(*x); })) {
      check<TypeError>(
          (op == Op::equal || op == Op::not_equal) &&
              all([](const NodeRef& x) { return is_string(*x); }),
          "{} is not implemented for string types; strings compare with == and !=", row.name);
      const ColumnRef c = strings_equal(space, *n[0], *n[1]);
      return leaf(op == Op::equal ? c : apply(Op::logical_not, {c}));
    }
    // As in Awkward, missing ones of two categoricals are equal.
    if ((op == Op::equal || op == Op::not_equal) &&
        (all([](const NodeRef& x) { return x->kind == NodeKind::record; }) ||
         all([](const NodeRef& x) { return is_maybe_categorical(*x); }))) {
      const ColumnRef c = values_equal(space, n[0], n[1]);
      return leaf(op == Op::equal ? c : apply(Op::logical_not, {c}));
    }
    check<TypeError>(
        options.allow_records ||
            !std::any_of(n.begin(), n.end(), [](const NodeRef& x) { return has_name(*x); }) ||
            !all([&](const NodeRef& x) {
              return has_name(*x) || is_weak_scalar(*x) || (text && is_string(*x));
            }),
        "{}: no overloads for custom types: {}", row.name, names_of(n));
    return std::nullopt;
  };
  return broadcast_apply(at, nodes, options, at_leaves);
}

Array elementwise(Op op, const std::vector<Array>& args) {
  const graph::Operation operation;
  const OpInfo& row = info(op);
  check<TypeError>(args.size() == row.arity, "{}: expected {} arguments, got {}", row.name,
                   row.arity, args.size());
  return Array(elementwise_over(unit(), op, inputs(args)));
}

}  // namespace serrate
