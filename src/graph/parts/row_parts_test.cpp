// Which trees may be evaluated some rows at a time, and that parts mean the same.
#include "graph/parts/row_parts.h"

#include "../../../tests/cpp/catch.h"
#include "graph/evaluate.h"

namespace serrate::graph {
namespace {

using Numbers = std::vector<int64_t>;

Buffer buffer_of(const Numbers& v) {
  return Buffer::copy_of(v.data(), static_cast<int64_t>(v.size() * 8));
}

struct Lists {
  SpaceRef rows = graph::rows(4);
  SpaceRef items = stored_list(rows, buffer_of({0, 3, 3, 5, 7}), DType::int64);
  ColumnRef x = stored_column(buffer_of({5, 7, 6, 2, 1, 9, 8}), DType::int64, items);
  ColumnRef y = stored_column(buffer_of({10, 20, 30, 40}), DType::int64, rows);
  ColumnRef sorted = barrier(Barrier::sort, items, x);

  NodeRef of_items(const ColumnRef& c) const { return list_node(rows, list_node(items, leaf(c))); }
  NodeRef of_rows(const ColumnRef& c) const { return list_node(rows, leaf(c)); }
};

bool are_worth_it(const NodeRef& n) {
  const std::vector<NodeRef> roots{n};
  return RowParts(roots).are_worth_it();
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

TEST_CASE("rows that depend on themselves alone, where a sort is no result", "[row_parts]") {
  const Lists l;
  const ColumnRef twice = apply(Op::add, {l.sorted, l.sorted});
  CHECK(are_worth_it(l.of_items(twice)));
  CHECK(are_worth_it(l.of_rows(reduce(Reducer::sum, l.items, l.sorted))));
  CHECK(are_worth_it(l.of_items(apply(Op::add, {l.sorted, parent(l.items, l.y)}))));
  CHECK(are_worth_it(l.of_items(apply(Op::add, {l.sorted, position(l.items)}))));

  CHECK_FALSE(are_worth_it(l.of_items(l.sorted)));  // nothing is stored but the result
  CHECK_FALSE(are_worth_it(l.of_items(apply(Op::add, {l.x, l.x}))));
  CHECK_FALSE(are_worth_it(l.of_rows(barrier(Barrier::argsort, l.rows, l.y))));
  const ColumnRef total = reduce(Reducer::sum, l.rows, l.y);
  CHECK_FALSE(are_worth_it(l.of_items(apply(Op::add, {l.sorted, lift(total, unit(), l.items)}))));
}

TEST_CASE("parts of rows", "[row_parts]") {
  const Lists l;
  const ColumnRef sum = apply(Op::add, {l.sorted, parent(l.items, l.y)});
  const std::vector<NodeRef> roots{l.of_items(sum)};
  CHECK(values(roots[0]) == Numbers{15, 16, 17, 31, 32, 48, 49});
  const RowParts parts(roots);
  CHECK(parts.rows() == 4);
  CHECK(parts.items() == 7);
  const RowParts::Part part = parts.part(1, 3);
  CHECK(part.rows == 2);
  CHECK(part.items == 2);
  CHECK(values(part.trees[0]) == Numbers{31, 32});
  CHECK(values(parts.part(3, 4).trees[0]) == Numbers{48, 49});
  CHECK(values(parts.part(0, 1).trees[0]) == Numbers{15, 16, 17});
}

TEST_CASE("parts of rows that tell where they and their items stand", "[row_parts]") {
  const Lists l;
  const auto of_row = [&](const ColumnRef& c) { return parent(l.items, c); };
  const ColumnRef found = load(l.y->buffer, DType::int64, position(l.rows));
  ColumnRef sum = apply(Op::add, {l.sorted, position(l.items)});
  for (const ColumnRef& c : {of_row(position(l.rows)), of_row(found)})
    sum = apply(Op::add, {sum, c});
  const std::vector<NodeRef> roots{l.of_items(sum)};
  const Numbers all = values(roots[0]);
  CHECK(all == Numbers{15, 17, 19, 36, 38, 56, 58});
  const RowParts parts(roots);
  CHECK(parts.are_worth_it());
  CHECK(values(parts.part(0, 1).trees[0]) == Numbers{15, 17, 19});
  CHECK(values(parts.part(1, 4).trees[0]) == Numbers{36, 38, 56, 58});
  CHECK(values(parts.part(3, 4).trees[0]) == Numbers{56, 58});
}

}  // namespace
}  // namespace serrate::graph
