// Operations whose result needs no data: see known.h.
#include "graph/known.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "graph/evaluate.h"
#include "graph/materialise.h"

namespace serrate::graph {

namespace {

bool is_constant(const Column& c) { return c.kind == ColumnKind::constant; }

}  // namespace

// 1 > 0 stays a comparison where it stands alone: whether an option may have
// missing items does not depend on the lengths of lists.
bool is_true(const Column& c) {
  if (is_constant(c)) return c.scalar.i != 0;
  return c.kind == ColumnKind::op && c.op == Op::greater && is_constant(*c.args[0]) &&
         is_constant(*c.args[1]) && c.args[0]->dtype == DType::int64 &&
         c.args[0]->scalar.i > c.args[1]->scalar.i;
}

ColumnRef known_condition(Op op, const ColumnRef* args, size_t n) {
  if (op == Op::logical_and && n == 2 && args[0]->dtype == DType::boolean) {
    if (is_true(*args[0]) || same(args[0], args[1])) return args[1];
    if (is_true(*args[1])) return args[0];
  }
  // min(k, n) > 0 where n > 0, as of what slices leave.
  if (op == Op::greater && n == 2 && is_constant(*args[1]) && args[0]->dtype == DType::int64 &&
      args[0]->kind == ColumnKind::op && args[0]->op == Op::minimum &&
      is_constant(*args[0]->args[0]) && args[0]->args[0]->scalar.i > args[1]->scalar.i)
    return apply(op, {args[0]->args[1], args[1]});
  // What is not chosen may have something to check, unless it is a constant. Of two constants the
  // choice stays: it may be a tag, and types do not depend on what is there.
  const bool chooses = op == Op::where && !is_constant(*args[1]) && is_constant(*args[2]);
  return chooses && is_true(*args[0]) ? args[1] : ColumnRef();
}

namespace {

/// n >= least, where that is what a condition says of integers.
struct AtLeast {
  const ColumnRef* n = nullptr;
  int64_t least = 0;
};
AtLeast at_least(const Column& c) {
  const bool compares = c.kind == ColumnKind::op && c.arity() == 2;
  if (!compares || c.args[0]->dtype != DType::int64 || !is_constant(*c.args[1])) return {};
  const int64_t bound = c.args[1]->scalar.i;
  if (c.op == Op::greater_equal) return {&c.args[0], bound};
  const bool is_greater = c.op == Op::greater && bound < std::numeric_limits<int64_t>::max();
  return is_greater ? AtLeast{&c.args[0], bound + 1} : AtLeast();
}

template <class SameNumber>
bool implies(const ColumnRef& a, const ColumnRef& b, const SameNumber& same_number) {
  if (a->kind == ColumnKind::op && a->op == Op::logical_and && a->args[0]->dtype == a->dtype &&
      a->args[1]->dtype == a->dtype)
    return implies(a->args[0], b, same_number) || implies(a->args[1], b, same_number);
  const AtLeast known = at_least(*a), asked = at_least(*b);
  return known.n && asked.n && known.least >= asked.least && same_number(*known.n, *asked.n);
}

/// Is c, over `kept`, the column `of` of the space that was filtered?
bool is_kept(const SpaceRef& kept, const ColumnRef& of, const ColumnRef& c) {
  if (c->kind == ColumnKind::at) return c->space == kept && same(c->args[0], of);
  if (c->kind == ColumnKind::constant) return same(c, of);
  const bool derives = c->kind == ColumnKind::op || c->kind == ColumnKind::cast;
  if (!derives || c->kind != of->kind || c->op != of->op || c->dtype != of->dtype) return false;
  for (int i = 0; i < 3; i++) {
    if (bool(c->args[i]) != bool(of->args[i])) return false;
    if (c->args[i] && !is_kept(kept, of->args[i], c->args[i])) return false;
  }
  return true;
}

}  // namespace

bool implies(const ColumnRef& a, const ColumnRef& b) {
  return implies(a, b, [](const ColumnRef& x, const ColumnRef& y) { return same(x, y); });
}

bool holds_after_filter(const SpaceRef& space, const ColumnRef& c) {
  if (space->kind != SpaceKind::select) return false;
  return implies(space->predicate, c, [&](const ColumnRef& of, const ColumnRef& kept) {
    return is_kept(space, of, kept);
  });
}

namespace {

/// Numbers as they were before casts between floating types, which keep NaN and make none.
const Column& before_casts(const Column& c) {
  const bool is_cast = c.kind == ColumnKind::cast && is_floating(c.dtype);
  return is_cast && is_floating(c.args[0]->dtype) ? before_casts(*c.args[0]) : c;
}

}  // namespace

bool is_all_but_nan(const Column& take_part, const Column& key) {
  const auto is = [](const Column& c, Op op) { return c.kind == ColumnKind::op && c.op == op; };
  const Column& k = before_casts(key);
  if (!is_floating(k.dtype)) return false;
  if (take_part.kind == ColumnKind::at)
    return k.kind == ColumnKind::at && k.link == take_part.link && same(k.space, take_part.space) &&
           is_all_but_nan(*take_part.args[0], *k.args[0]);
  if (!is(take_part, Op::logical_not) || !is(*take_part.args[0], Op::isnan)) return false;
  return same(ColumnRef(&before_casts(*take_part.args[0]->args[0])), ColumnRef(&k));
}

namespace {

/// The sum of min(begin + k, ..), or of max(end - k, ..), else null.
const Column* cut_at(Op op, const ColumnRef& c, const ColumnRef& other_end) {
  if (c->kind != ColumnKind::op || c->op != op || c->dtype != DType::int64) return nullptr;
  const Column& sum = *c->args[0];
  const bool adds = sum.kind == ColumnKind::op && sum.op == Op::add && is_constant(*sum.args[1]);
  return adds && same(sum.args[0], other_end) ? &sum : nullptr;
}

}  // namespace

ColumnRef length_of_slice(const ColumnRef& starts, const ColumnRef& stops) {
  const bool adds = stops->kind == ColumnKind::op && stops->op == Op::add;
  if (adds && stops->dtype == DType::int64 && same(stops->args[0], starts)) return stops->args[1];
  // Of the very constants that are there: kept plans know no others, but for small ones.
  if (const Column* sum = cut_at(Op::minimum, stops, starts); sum && sum->args[1]->scalar.i >= 0)
    return apply(Op::minimum, {sum->args[1], apply(Op::subtract, {stops->args[1], starts})});
  const Column* sum = cut_at(Op::maximum, starts, stops);
  if (!sum || sum->args[1]->scalar.i > 0) return {};
  const ColumnRef& begin = starts->args[1];
  if (sum->args[1]->scalar.i == -1)
    return apply(Op::minimum, {constant(1), apply(Op::subtract, {stops, begin})});
  const ColumnRef length = apply(Op::subtract, {begin, stops});
  return apply(Op::negative, {apply(Op::maximum, {sum->args[1], length})});
}

ColumnRef start_unless_empty(const Space& lists) {
  const bool has_stops = lists.kind == SpaceKind::list;
  const Column* sum = has_stops ? cut_at(Op::maximum, lists.starts, lists.stops) : nullptr;
  return sum && sum->args[1]->scalar.i == -1 ? lists.starts->args[0] : lists.starts;
}

bool is_line(const ColumnRef& c) {
  if (c->dtype != DType::int64) return false;
  if (c->kind == ColumnKind::position) return true;
  if (c->kind != ColumnKind::op) return false;
  const bool is_sum = c->op == Op::add || c->op == Op::multiply;
  if (!is_sum && c->op != Op::subtract) return false;
  const ColumnRef &a = c->args[0], &b = c->args[1];
  return (is_constant(*b) && is_line(a)) || (is_constant(*a) && is_line(b));
}

Line combined(Op op, const Line& a, const Line& b) {
  if (op == Op::multiply) {
    const auto& [line, factor] = a.step == 0 ? std::pair(b, a.first) : std::pair(a, b.first);
    return {Line{0, factor}.at(line.first), Line{0, factor}.at(line.step)};
  }
  const int64_t sign = op == Op::add ? 1 : -1;
  return {Line{a.first, b.first}.at(sign), Line{a.step, b.step}.at(sign)};
}

Line line_of(const Column& c) {
  if (is_constant(c)) return {c.scalar.i, 0};
  if (c.kind == ColumnKind::position) return {0, 1};
  return combined(c.op, line_of(*c.args[0]), line_of(*c.args[1]));
}

/// Is it loaded from items of memory that are known without a look at any?
static bool is_load_at_line(const ColumnRef& c) {
  return c->kind == ColumnKind::load && is_line(c->args[0]);
}

static bool has_lists_at_lines(const Space& s) {
  if (s.kind == SpaceKind::fixed) return is_line(s.starts);
  return s.kind == SpaceKind::list && is_load_at_line(s.starts) && is_load_at_line(s.stops);
}

bool has_items_at_lines(const Node& n) {
  if (n.column && !is_load_at_line(n.column) && !is_unmasked(n)) return false;
  switch (n.kind) {
    case NodeKind::leaf:
    case NodeKind::option:
    case NodeKind::record:
    case NodeKind::union_:
      break;
    case NodeKind::list:
      if (!has_lists_at_lines(*n.space)) return false;
      break;
    default:
      return false;
  }
  return std::ranges::all_of(n.contents, [](const NodeRef& c) { return has_items_at_lines(*c); });
}

bool is_view(const Node& n) {
  return n.kind == NodeKind::list && n.space->kind == SpaceKind::rows &&
         has_items_at_lines(*n.contents[0]);
}

std::optional<bool> test_of_integers(Op op, DType t) {
  if (is_time(t) && op == Op::isinf) return false;
  if (!is_integer(t) && t != DType::boolean) return {};
  if (op == Op::isfinite) return true;
  return op == Op::isnan || op == Op::isinf ? std::optional(false) : std::nullopt;
}

namespace {

// As bits of Node::facts, in which 0 says that nobody has asked.
constexpr uint32_t kKnown = 1, kWeak = 2, kParameters = 4, kModest = 8, kRegular = 16;
constexpr int kDepth = 8, kMostDepth = 255;

uint32_t found(const Node& n);

uint32_t bits(const Node& n) {
  const uint32_t known = n.facts.get();
  return known != 0 ? known : found(n);
}

uint32_t found(const Node& n) {
  uint32_t any = 0, all = kModest, lists = kRegular;
  for (const NodeRef& c : n.contents) {
    const uint32_t below = bits(*c);
    any |= below;
    all &= below;
  }
  if (n.kind == NodeKind::leaf && n.column->weak && n.column->kind == ColumnKind::constant)
    any |= kWeak;
  if (!n.parameters.empty()) any |= kParameters;
  if (!is_modest_itself(n)) all = 0;
  if (n.kind == NodeKind::option) {
    lists = bits(*n.contents[0]);
  } else if (n.kind == NodeKind::list && is_string(n)) {
    lists = 0;
  } else if (n.kind == NodeKind::list) {
    const uint32_t below = bits(*n.contents[0]);
    const int depth = std::min<int>(static_cast<int>(below >> kDepth) + 1, kMostDepth);
    lists = (n.size >= 0 ? below & kRegular : 0) | static_cast<uint32_t>(depth) << kDepth;
  }
  const uint32_t facts = kKnown | (any & (kWeak | kParameters)) | (all & kModest) |
                         (lists & (kRegular | ~0u << kDepth));
  n.facts.set(facts);
  return facts;
}

}  // namespace

TreeFacts facts_of_tree(const Node& n) {
  const uint32_t b = bits(n);
  return {(b & kWeak) != 0, (b & kParameters) != 0, (b & kModest) != 0, (b & kRegular) != 0,
          static_cast<int>(b >> kDepth)};
}

}  // namespace serrate::graph
