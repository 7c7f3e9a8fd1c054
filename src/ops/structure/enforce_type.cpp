// enforce_type: an array as a type that it can be converted to.
#include <algorithm>

#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/lists/flatten.h"
#include "ops/tree/categories.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "ops/tree/merge.h"
#include "serrate/error.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;
using Kind = Type::Kind;

ColumnRef truth(bool v) { return constant(Scalar::boolean(v)); }

/// Any value of a type, for where nobody looks, beside the array `like`.
NodeRef filler(const SpaceRef& space, const Type& t, const NodeRef& like) {
  std::vector<NodeRef> contents;
  switch (t.kind()) {
    case Kind::unknown:
      return unknown_node();
    case Kind::number:
      return leaf(constant(Scalar::of(int64_t{0}).as(t.dtype())), std::string(t.unit()),
                  t.parameters());
    case Kind::string:
    case Kind::bytestring: {
      const NodeRef s = constant_string(space, "", like);
      if (t.is(Kind::string)) return s;
      const NodeRef bytes = leaf(s->contents[0]->column, {}, {{"__array__", "\"byte\""}});
      return list_node(s->space, bytes, -1, {{"__array__", "\"bytestring\""}});
    }
    case Kind::list:
    case Kind::regular: {
      const int64_t size = t.is(Kind::list) ? 0 : t.size();
      const SpaceRef items = fresh_lists(space, size);
      return list_node(items, filler(items, t.content(), like), t.is(Kind::list) ? -1 : size,
                       t.parameters());
    }
    case Kind::option:
      return option_node(truth(false), filler(space, t.content(), like));
    default:
      break;
  }
  for (const Type& c : t.contents()) contents.push_back(filler(space, c, like));
  if (t.is(Kind::union_))
    return union_node(constant(Scalar::of(int64_t{0}, DType::int8)), contents, t.parameters());
  return t.is_tuple()
             ? tuple_node(contents, t.parameters())
             : record_node({t.fields().begin(), t.fields().end()}, contents, t.parameters());
}

bool marked(const Type& t) {
  return t.is_categorical() || (t.is(Kind::option) && t.content().is_categorical());
}

/// Is there a number that must become one of another type, or an option that must go?
bool casts(const Node& n, const Type& t) {
  if (t.is(Kind::option))
    return casts(n.kind == NodeKind::option ? *n.contents[0] : n, t.content());
  if (n.kind == NodeKind::option) return true;
  if (n.kind == NodeKind::leaf) return !t.is(Kind::number) || t.dtype() != n.column->dtype;
  if (t.is_string_like()) return n.contents[0]->column->dtype != DType::uint8;
  for (size_t i = 0; i < std::min(n.contents.size(), t.contents().size()); i++) {
    if (casts(*n.contents[i], t.content(i))) return true;
  }
  return false;
}

bool has_type(const Node& n, const Type& t) { return equivalent(type_of(n), t); }

bool enforceable(const Node& n, const Type& t);

/// The member of `t` that each member of a union becomes, or -1. Members find their type; one that
/// does not takes the one that is left.
std::vector<int64_t> targets(const Node& n, const Type& t) {
  const size_t have = n.contents.size(), want = t.contents().size();
  std::vector<int64_t> target(have, -1);
  std::vector<bool> taken(want, false);
  for (size_t k = 0; k < have; k++) {
    for (size_t j = 0; j < want && target[k] < 0; j++) {
      if (taken[j] || !has_type(*n.contents[k], t.content(j))) continue;
      target[k] = static_cast<int64_t>(j);
      taken[j] = true;
    }
  }
  const auto lost = std::count(target.begin(), target.end(), -1);
  if (have == want && lost == 1) {
    const auto k = std::find(target.begin(), target.end(), -1) - target.begin();
    const auto j = std::find(taken.begin(), taken.end(), false) - taken.begin();
    if (enforceable(*n.contents[static_cast<size_t>(k)], t.content(static_cast<size_t>(j))))
      target[static_cast<size_t>(k)] = j;
  }
  return target;
}

/// Whether the types allow it (the data may not).
bool enforceable(const Node& n, const Type& t) {
  if (n.kind == NodeKind::unknown) return true;
  if (t.is(Kind::unknown)) return false;
  if (n.kind == NodeKind::option)
    return enforceable(*n.contents[0], t.is(Kind::option) ? t.content() : t);
  if (t.is(Kind::option)) return t.content().is(Kind::unknown) || enforceable(n, t.content());
  if (t.is(Kind::union_) && n.kind == NodeKind::union_) {
    const std::vector<int64_t> target = targets(n, t);
    return n.contents.size() > t.contents().size() ||
           std::find(target.begin(), target.end(), -1) == target.end();
  }
  if (t.is(Kind::union_) && n.kind != NodeKind::categorical)
    return std::ranges::any_of(t.contents(), [&](const Type& c) { return has_type(n, c); });
  switch (n.kind) {
    case NodeKind::leaf:
      return t.is(Kind::number);
    case NodeKind::categorical:
      return enforceable(*n.contents[0], t);
    case NodeKind::list:
      if (is_string(n) && has_type(n, t)) return true;
      if (t.is_string_like()) return enforceable(*n.contents[0], Type::byte());
      return (t.is(Kind::list) && enforceable(*n.contents[0], t.content())) ||
             (t.is(Kind::regular) && (n.size < 0 || n.size == t.size()) &&
              enforceable(*n.contents[0], t.content()));
    case NodeKind::record: {
      if (!t.is(Kind::record) || t.is_tuple() != n.is_tuple) return false;
      for (size_t i = 0; i < t.contents().size(); i++) {
        const int64_t at = n.is_tuple ? (i < n.contents.size() ? static_cast<int64_t>(i) : -1)
                                      : field_index(n, t.fields()[i]);
        const Type& c = t.content(i);
        if (at < 0 ? !c.is(Kind::option) : !enforceable(*n.contents[static_cast<size_t>(at)], c))
          return false;
      }
      return true;
    }
    default:
      return std::all_of(n.contents.begin(), n.contents.end(),
                         [&](const NodeRef& c) { return enforceable(*c, t); });
  }
}

class Enforcer {
 public:
  explicit Enforcer(NodeRef like) : like_(std::move(like)) {}
  /// `guard`: where it is false nobody looks (null: everywhere somebody does).
  NodeRef operator()(const SpaceRef& space, const NodeRef& n, const Type& t,
                     const ColumnRef& guard) {
    if (n->kind == NodeKind::unknown) return filler(space, t, like_);
    if (t.is(Kind::option) && t.content().is(Kind::unknown))  // nothing is left of what there was
      return option_node(truth(false), unknown_node());
    if (n->kind == NodeKind::option) return option(space, n, t, guard);
    if (n->kind == NodeKind::categorical) return categorical(space, n, t, guard);
    check<TypeError>(!t.is(Kind::unknown), "enforce_type: {} can't be made unknown", type_text(*n));
    if (t.is(Kind::option)) return option_node(truth(true), (*this)(space, n, t.content(), guard));
    if (n->kind == NodeKind::union_) return from_union(space, n, t, guard);
    if (t.is(Kind::union_)) {
      for (size_t i = 0; i < t.contents().size(); i++) {
        if (has_type(*n, t.content(i)))
          return member_of(space, t, i, (*this)(space, n, t.content(i), guard));
      }
      refuse(*n, t);
    }
    switch (n->kind) {
      case NodeKind::leaf:
        if (!t.is(Kind::number)) refuse(*n, t);
        return leaf(cast(n->column, t.dtype()), std::string(t.unit()), t.parameters());
      case NodeKind::list:
        return lists(space, n, t, guard);
      default:
        return records(space, *n, t, guard);
    }
  }

 private:
  [[noreturn]] static void refuse(const Node& n, const Type& t) {
    throw TypeError(
        fmt::format("enforce_type: {} can't be converted to {}", type_of(n).str(), t.str()));
  }

  /// Do all positions that somebody looks at hold it? Looks at the data.
  static bool everywhere(const SpaceRef& space, const ColumnRef& c, const ColumnRef& guard) {
    const ColumnRef ok = guard ? apply(Op::where, {guard, c, truth(true)}) : c;
    return all(Array(list_of(space, leaf(ok)))).item_scalar().i != 0;
  }

  NodeRef option(const SpaceRef& space, const NodeRef& n, const Type& t, const ColumnRef& guard) {
    const ColumnRef here = both(guard, n->column);
    if (t.is(Kind::option)) {
      const NodeRef c = marked(t) ? n->contents[0] : project_categorical(space, n->contents[0]);
      return option_node(n->column, (*this)(space, c, t.content(), here));
    }
    check<ValueError>(everywhere(space, n->column, guard),
                      "enforce_type: {} has missing values; {} can't", type_of(*n).str(), t.str());
    return (*this)(space, n->contents[0], t, guard);
  }

  /// Of other categories, where the type says so or no number changes; else its values.
  NodeRef categorical(const SpaceRef& space, const NodeRef& n, const Type& t,
                      const ColumnRef& guard) {
    if (t.is(Kind::union_) || (!marked(t) && casts(*n->contents[0], t)))
      return (*this)(space, project_categorical(space, n), t, guard);
    if (t.is(Kind::option))
      return option_node(truth(true),
                         (*this)(space, n, t.content().as_categorical(marked(t)), guard));
    return with_categories(space, n, (*this)(n->space, n->contents[0], t, {}));
  }

  NodeRef member_of(const SpaceRef& space, const Type& t, size_t i, NodeRef n) {
    std::vector<NodeRef> contents{std::move(n)};
    for (size_t j = 0; j < t.contents().size(); j++) {
      if (j != i) contents.push_back(filler(space, t.content(j), like_));
    }
    return union_node(constant(Scalar::of(int64_t{0}, DType::int8)), contents, t.parameters());
  }

  NodeRef from_union(const SpaceRef& space, const NodeRef& n, const Type& t,
                     const ColumnRef& guard) {
    const auto size = n->contents.size();
    if (t.is(Kind::union_)) return union_to_union(space, *n, t, guard);
    if (enforceable(*n, t)) {
      std::vector<NodeRef> contents;
      for (size_t k = 0; k < size; k++)
        contents.push_back((*this)(space, n->contents[k], t, both(guard, is_member(*n, k))));
      return simplified_union(space, n->column, contents, false);
    }
    for (size_t k = 0; k < size; k++) {
      if (!has_type(*n->contents[k], t)) continue;
      check<ValueError>(everywhere(space, is_member(*n, k), guard),
                        "enforce_type: {} has values that are not {}", type_text(*n), t.str());
      return (*this)(space, n->contents[k], t, guard);
    }
    refuse(*n, t);
  }

  NodeRef union_to_union(const SpaceRef& space, const Node& n, const Type& t,
                         const ColumnRef& guard) {
    const size_t have = n.contents.size(), want = t.contents().size();
    const std::vector<int64_t> target = targets(n, t);
    std::vector<NodeRef> contents(want);
    ColumnRef tag = constant(Scalar::of(int64_t{0}, DType::int8));
    for (size_t k = 0; k < have; k++) {
      const ColumnRef here = is_member(n, k);
      if (target[k] < 0) {
        if (have <= want) refuse(n, t);
        check<ValueError>(everywhere(space, apply(Op::logical_not, {here}), guard),
                          "enforce_type: {} has values that are not {}", type_text(n), t.str());
        continue;
      }
      const auto j = static_cast<size_t>(target[k]);
      contents[j] = (*this)(space, n.contents[k], t.content(j), both(guard, here));
      tag = apply(Op::where, {here, constant(Scalar::of(target[k], DType::int8)), tag});
    }
    for (size_t j = 0; j < want; j++) {
      if (!contents[j]) contents[j] = filler(space, t.content(j), like_);
    }
    return union_node(tag, contents, t.parameters());
  }

  NodeRef lists(const SpaceRef& space, const NodeRef& n, const Type& t, const ColumnRef& guard) {
    if (is_string(*n) && has_type(*n, t)) return n;
    if (t.is_string_like()) {
      // Numbers are the codes of characters.
      const bool utf8 = t.is(Kind::string);
      const NodeRef codes =
          (*this)(n->space, n->contents[0], utf8 ? Type::character() : Type::byte(),
                  guard ? lift(guard, space, n->space) : guard);
      return list_node(n->space, codes, -1,
                       {{"__array__", utf8 ? "\"string\"" : "\"bytestring\""}});
    }
    if (!t.is_list_like()) refuse(*n, t);
    NodeRef l = n;
    const bool fixed_size = t.is(Kind::regular);
    if (fixed_size) {
      l = regular_list(space, n, guard);
      const bool empty = l->size == 0;  // of no lists at all, any size is true
      check<ValueError>(l->size == t.size() || (empty && none(space, guard)),
                        "enforce_type: lists have {} items, not the {} of {}", l->size, t.size(),
                        t.str());
      if (l->size != t.size()) return filler(space, t, like_);
    }
    const ColumnRef below = guard ? lift(guard, space, l->space) : guard;
    return list_node(l->space, (*this)(l->space, l->contents[0], t.content(), below),
                     fixed_size ? t.size() : -1, t.parameters());
  }

  static bool none(const SpaceRef& space, const ColumnRef& guard) {
    return everywhere(space, truth(false), guard);
  }

  NodeRef records(const SpaceRef& space, const Node& n, const Type& t, const ColumnRef& guard) {
    if (!t.is(Kind::record)) refuse(n, t);
    check<ValueError>(t.is_tuple() == n.is_tuple,
                      "enforce_type: records and tuples can't be converted to each other");
    std::vector<std::string> names;
    std::vector<NodeRef> contents, added;
    std::vector<std::string> new_names;
    for (size_t i = 0; i < t.contents().size(); i++) {
      const Type& c = t.content(i);
      const int64_t at = n.is_tuple ? (i < n.contents.size() ? static_cast<int64_t>(i) : -1)
                                    : field_index(n, t.fields()[i]);
      if (at >= 0) {
        contents.push_back((*this)(space, n.contents[static_cast<size_t>(at)], c, guard));
        if (!n.is_tuple) names.push_back(t.fields()[i]);
        continue;
      }
      check<TypeError>(c.is(Kind::option), "enforce_type: a new field must be an option, got {}",
                       c.str());
      added.push_back(filler(space, c, like_));
      if (!n.is_tuple) new_names.push_back(t.fields()[i]);
    }
    contents.insert(contents.end(), added.begin(), added.end());
    names.insert(names.end(), new_names.begin(), new_names.end());
    return n.is_tuple ? tuple_node(contents, t.parameters())
                      : record_node(names, contents, t.parameters());
  }

  NodeRef like_;
};

}  // namespace

Array enforce_type(const Array& x, const Type& type) {
  const graph::Operation operation;
  check<TypeError>(!type.is(Kind::array),
                   "enforce_type: expected the type of the items, got that of an array, {}",
                   type.str());
  const NodeRef n = input(x);
  if (!is_list(*n)) return Array(Enforcer(n)(unit(), n, type, {}));
  return Array(
      list_node(n->space, Enforcer(n)(n->space, n->contents[0], type, {}), n->size, n->parameters));
}

}  // namespace serrate
