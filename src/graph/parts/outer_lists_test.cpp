// Which trees have few outer lists to store, and that they mean the same over the stored ones.
#include "graph/parts/outer_lists.h"

#include "../../../tests/cpp/catch.h"
#include "graph/evaluate.h"

namespace serrate::graph {
namespace {

using Numbers = std::vector<int64_t>;

Buffer buffer_of(const Numbers& v) {
  return Buffer::copy_of(v.data(), static_cast<int64_t>(v.size() * 8));
}

constexpr int64_t kMuch = 1 << 20, kLittle = 1 << 10;  // bytes

/// Two rows of lists of lists, and these rows the other way round.
struct Lists {
  SpaceRef two = rows(2), reversed = rows(2);
  SpaceRef outer = stored_list(two, buffer_of({0, 3, 5}), DType::int64);
  SpaceRef inner = stored_list(outer, buffer_of({0, 2, 2, 5, 6, 9}), DType::int64);
  ColumnRef x = stored_column(buffer_of({5, 7, 6, 2, 1, 9, 8, 3, 4}), DType::int64, inner);

  NodeRef turned(const NodeRef& of_rows) const {
    const ColumnRef index = apply(Op::subtract, {constant(1), position(reversed)});
    return list_node(reversed, rebase_pick(of_rows, reversed, two, index));
  }
  NodeRef items() const { return list_node(outer, list_node(inner, leaf(x))); }
  NodeRef sums() const { return list_node(outer, leaf(reduce(Reducer::sum, inner, x))); }
};

std::optional<NodeRef> over_stored(const NodeRef& root, int64_t bytes) {
  const auto store = [](const SpaceRef& lists) {
    const NodeRef in_rows = list_node(lists->parent, list_node(lists, unknown_node()));
    return evaluate(in_rows)->contents[0]->space;
  };
  const auto rest = OuterLists(bytes, store)({root});
  return rest ? std::optional(rest->front()) : std::nullopt;
}

Numbers values(const NodeRef& root) {
  const NodeRef stored = evaluate(root);
  const Node* n = stored.get();
  SpaceRef s;
  for (; n->kind == NodeKind::list; n = n->contents[0].get()) s = n->space;
  const StoredExtent e = stored_extent(s);
  const auto* p = n->column->buffer.as<int64_t>() + e.first;
  return {p, p + e.size};
}

TEST_CASE("Few derived lists of lists are stored before what is in them") {
  const Lists l;
  for (const auto& [root, expected] :
       {std::pair{l.turned(l.items()), Numbers{9, 8, 3, 4, 5, 7, 6, 2, 1}},
        std::pair{l.turned(l.sums()), Numbers{9, 15, 12, 0, 9}}}) {
    CHECK(!is_stored(root->contents[0]->space));
    const auto rest = over_stored(root, kMuch);
    REQUIRE(rest);
    CHECK(is_stored((*rest)->contents[0]->space));
    CHECK(values(*rest) == expected);
    CHECK(values(root) == expected);
  }
}

TEST_CASE("Outer lists are left where they are stored, have no lists, or little inside") {
  const Lists l;
  CHECK(!over_stored(list_node(l.two, l.items()), kMuch));
  const ColumnRef index = apply(Op::multiply, {local(l.outer), constant(2)});
  CHECK(!over_stored(l.turned(list_node(l.outer, leaf(index))), kMuch));
  CHECK(!over_stored(l.turned(l.items()), kLittle));
}

}  // namespace
}  // namespace serrate::graph
