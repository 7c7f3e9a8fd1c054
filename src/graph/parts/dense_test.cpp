// Which expressions are of slices of dense arrays, and that they mean the same as flat ones.
#include "graph/parts/dense.h"

#include <algorithm>

#include "../../../tests/cpp/catch.h"
#include "core/seams.h"
#include "graph/evaluate.h"

namespace serrate::graph {
namespace {

using Numbers = std::vector<int64_t>;

Buffer buffer_of(const Numbers& v) { return Buffer::copy_of(v.data(), std::ssize(v) * 8); }

/// A matrix of 3 x 4 with the numbers from 0 on.
struct Matrix {
  Buffer memory;
  SpaceRef rows = graph::rows(3), items = stored_fixed(rows, 4);
  ColumnRef x;

  Matrix() {
    memory = buffer_of({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    x = stored_column(memory, DType::int64, items);
  }
  ColumnRef at(const ColumnRef& index) const { return load(memory, DType::int64, index); }
};

ColumnRef plus(const ColumnRef& a, const ColumnRef& b) { return apply(Op::add, {a, b}); }
ColumnRef times(const ColumnRef& a, int64_t n) { return apply(Op::multiply, {a, constant(n)}); }

NodeRef matrix_of(const SpaceRef& items, const ColumnRef& c) {
  return list_node(items->parent, list_node(items, leaf(c), items->size));
}

Numbers values(const NodeRef& root) {
  const NodeRef stored = evaluate(root);
  const Node* n = stored.get();
  SpaceRef s;
  for (; n->kind == NodeKind::list; n = n->contents[0].get()) s = n->space;
  const auto* p = n->column->buffer.as<int64_t>();
  return {p, p + stored_extent(s).size};
}

/// Those of a dense expression, by way of flat ones of so many rows.
Numbers dense_values(const NodeRef& root, int64_t rows) {
  const DenseExpression dense(root);
  REQUIRE(dense);
  Numbers all;
  for (int64_t first = 0; first < dense.rows(); first += rows) {
    const Numbers some = values(dense.flat(first, std::min(first + rows, dense.rows())));
    all.insert(all.end(), some.begin(), some.end());
  }
  CHECK(dense.bytes_of_row() * dense.rows() == std::ssize(all) * 8);
  CHECK(values(dense.of_items(buffer_of(all))) == all);
  return all;
}

Numbers dense_values(const NodeRef& root) {
  Numbers all = dense_values(root, 3);
  CHECK(dense_values(root, 1) == all);
  CHECK(dense_values(root, 2) == all);
  return all;
}

TEST_CASE("Slices of matrices become flat arrays") {
  const Matrix m;
  const SpaceRef behind = fixed(m.rows, plus(m.items->starts, constant(1)), 3);
  const ColumnRef part = load(m.memory, DType::int64, position(behind));
  const NodeRef twice = matrix_of(behind, times(part, 2));
  CHECK(dense_values(twice) == Numbers{2, 4, 6, 10, 12, 14, 18, 20, 22});
  CHECK(DenseExpression(twice).rows_of(72) == 3);
  CHECK(DenseExpression(twice).rows_of(71) == 2);
  CHECK(DenseExpression(twice).rows_of(1) == 1);
  CHECK(dense_values(matrix_of(behind, part)) == Numbers{1, 2, 3, 5, 6, 7, 9, 10, 11});

  const ColumnRef from_end = m.at(plus(parent(m.items, times(position(m.rows), 4)),
                                       plus(times(local(m.items), -1), constant(3))));
  const NodeRef sums = matrix_of(m.items, plus(m.x, from_end));
  CHECK(dense_values(sums) == Numbers{3, 3, 3, 3, 11, 11, 11, 11, 19, 19, 19, 19});
}

TEST_CASE("What is repeated in a matrix is copied, but not where a walk reads it as fast") {
  const Matrix m;
  const NodeRef few = matrix_of(m.items, plus(m.x, m.at(local(m.items))));
  CHECK(dense_values(few) == Numbers{0, 2, 4, 6, 4, 6, 8, 10, 8, 10, 12, 14});
  const SpaceRef rows = graph::rows(seams().flat / 4 + 1), items = stored_fixed(rows, 4);
  const ColumnRef x = stored_column(buffer_of(Numbers(4 * rows->size)), DType::int64, items);
  CHECK(!DenseExpression(matrix_of(items, plus(x, m.at(local(items))))));
}

TEST_CASE("What is repeated in lists of lists is copied") {
  const Matrix m;

  const SpaceRef two = stored_fixed(m.rows, 2), items = stored_fixed(two, 2);
  const ColumnRef box = load(m.memory, DType::int64, position(items));
  const auto of_box = [&](const ColumnRef& c) {
    return list_node(m.rows, list_node(two, list_node(items, leaf(c), 2), 2));
  };
  CHECK(dense_values(of_box(plus(box, m.at(local(items))))) ==
        Numbers{0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12});
  const ColumnRef of_rows = parent(items, parent(two, m.at(position(m.rows))));
  CHECK(dense_values(of_box(plus(box, of_rows))) ==
        Numbers{0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 12, 13});
  const ColumnRef of_lists = parent(items, m.at(position(two)));
  CHECK(dense_values(of_box(plus(box, of_lists))) ==
        Numbers{0, 1, 3, 4, 6, 7, 9, 10, 12, 13, 15, 16});
}

TEST_CASE("Items where an array says are read along one dimension") {
  const Matrix m;
  const SpaceRef three = fixed(m.rows, times(position(m.rows), 3), 3);
  const auto column_of = [&](const Numbers& places) {
    const ColumnRef place = load(buffer_of(places), DType::int64, local(three));
    return m.at(plus(parent(three, times(position(m.rows), 4)), place));
  };
  CHECK(dense_values(matrix_of(three, times(column_of({3, 0, 3}), 10))) ==
        Numbers{30, 0, 30, 70, 40, 70, 110, 80, 110});
  CHECK(DenseExpression(matrix_of(three, column_of({3, 0, 3}))).is_slice());
  CHECK(dense_values(matrix_of(three, column_of({3, 2, 1}))) ==
        Numbers{3, 2, 1, 7, 6, 5, 11, 10, 9});
  CHECK(
      !DenseExpression(matrix_of(three, column_of({3, 4, 0}))));  // beyond the end, in the last row
  CHECK(!DenseExpression(matrix_of(three, column_of({3, 2}))));   // of too few
  const SpaceRef one = fixed(m.rows, position(m.rows), 1);
  const ColumnRef single = m.at(plus(parent(one, times(position(m.rows), 4)),
                                     load(buffer_of({2}), DType::int64, local(one))));
  CHECK(dense_values(matrix_of(one, single)) == Numbers{2, 6, 10});
  // Rows, and both: the sum of what two arrays say.
  const auto row = [&](const Numbers& rows) {
    return times(load(buffer_of(rows), DType::int64, position(m.rows)), 4);
  };
  const ColumnRef rows = m.at(plus(parent(m.items, row({2, 0, 0})), local(m.items)));
  CHECK(dense_values(matrix_of(m.items, rows)) == Numbers{8, 9, 10, 11, 0, 1, 2, 3, 0, 1, 2, 3});
  const ColumnRef both = m.at(
      plus(parent(three, row({2, 0, 1})), load(buffer_of({1, 0, 1}), DType::int64, local(three))));
  CHECK(!DenseExpression(matrix_of(three, both)));
}

TEST_CASE("Long rows are read where they lie, and what is repeated in them as a number") {
  const int64_t n = 5000;
  Numbers numbers(static_cast<size_t>(3 * n));
  for (size_t i = 0; i < numbers.size(); i++) numbers[i] = static_cast<int64_t>(i * i % 1009);
  const Buffer memory = buffer_of(numbers);
  const SpaceRef rows = graph::rows(3), items = stored_fixed(rows, n);
  const SpaceRef behind = fixed(rows, plus(times(position(rows), n), constant(1)), n - 1);
  const ColumnRef part = load(memory, DType::int64, position(behind));
  const ColumnRef first = parent(behind, load(memory, DType::int64, times(position(rows), n)));
  const ColumnRef of_columns = load(memory, DType::int64, local(behind));
  const NodeRef root = matrix_of(behind, plus(times(part, 2), plus(first, of_columns)));
  CHECK(DenseExpression(root).rows_of(INT64_MAX) == 1);
  CHECK(DenseExpression(root).pieces() == 1);
  const Numbers found = dense_values(root, 1);
  int64_t wrong = 0;
  for (int64_t i = 0; i < 3; i++)
    for (int64_t j = 0; j < n - 1; j++)
      wrong += found[static_cast<size_t>(i * (n - 1) + j)] !=
               2 * numbers[static_cast<size_t>(i * n + j + 1)] +
                   numbers[static_cast<size_t>(i * n)] + numbers[static_cast<size_t>(j)];
  CHECK(wrong == 0);
  CHECK(values(root) == found);
}

TEST_CASE("Rows that are longer than one loop takes are cut") {
  const int64_t n = 150'000;
  const SpaceRef rows = graph::rows(2);
  Numbers numbers(static_cast<size_t>(2 * n));
  for (size_t i = 0; i < numbers.size(); i++) numbers[i] = static_cast<int64_t>(i * i % 1009);
  const SpaceRef behind = fixed(rows, plus(times(position(rows), n), constant(1)), n - 1);
  const NodeRef root =
      matrix_of(behind, times(load(buffer_of(numbers), DType::int64, position(behind)), 3));
  const DenseExpression dense(root);
  CHECK(dense.pieces() == (n - 1 + dense.items_of_piece() - 1) / dense.items_of_piece());
  Numbers expected, pieces;
  for (int64_t row = 0; row < 2; row++) {
    for (int64_t i = 1; i < n; i++)
      expected.push_back(3 * numbers[static_cast<size_t>(row * n + i)]);
    for (int64_t k = 0; k < dense.pieces(); k++) {
      const Numbers some = values(dense.flat(row, row + 1, k));
      pieces.insert(pieces.end(), some.begin(), some.end());
    }
  }
  CHECK(pieces == expected);
  CHECK(values(root) == expected);
  CHECK(values(root) == expected);  // by the plan that was kept
}

TEST_CASE("Others are no dense expressions") {
  const Matrix m;
  CHECK(!DenseExpression(matrix_of(m.items, m.x)));            // side by side
  CHECK(!DenseExpression(matrix_of(m.items, times(m.x, 2))));  // the same
  const ColumnRef shifted = m.at(plus(position(m.items), constant(1)));
  CHECK(!DenseExpression(matrix_of(m.items, shifted)));  // beyond the end
  const ColumnRef squared = m.at(apply(Op::multiply, {local(m.items), local(m.items)}));
  CHECK(!DenseExpression(matrix_of(m.items, squared)));
  const ColumnRef gathered = m.at(m.x);
  CHECK(!DenseExpression(matrix_of(m.items, gathered)));
  const SpaceRef lists = list(m.rows, constant(0), constant(2));
  CHECK(!DenseExpression(list_node(m.rows, list_node(lists, leaf(m.at(local(lists)))))));
  CHECK(!DenseExpression(leaf(constant(1))));
}

}  // namespace
}  // namespace serrate::graph
