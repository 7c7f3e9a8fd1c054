// Columns that were not read: which of them expressions need, and that nothing reads one.
#include "graph/absent.h"

#include "../../tests/cpp/catch.h"
#include "graph/evaluate.h"
#include "serrate/error.h"

namespace serrate::graph {
namespace {

/// Records of x and lists of y over n rows, stored.
NodeRef example() {
  const SpaceRef r = rows(0);
  const Buffer none = Buffer::copy_of("", 0);
  const SpaceRef items = stored_list(r, Buffer::copy_of("\0\0\0\0\0\0\0", 8), DType::int64);
  return record_node({"x", "y"},
                     {leaf(stored_column(none, DType::float64, r)),
                      list_node(items, leaf(stored_column(none, DType::int64, items)))});
}

}  // namespace

TEST_CASE("absent columns are found by what is made of them", "[absent]") {
  const SpaceRef r = rows(3);
  const NodeRef record = absent_node(*example(), r, "0", Device::cpu);
  const NodeRef x = record->contents[0], y = record->contents[1];
  using Paths = std::vector<std::string>;
  CHECK(absent_paths({list_node(r, leaf(apply(Op::add, {x->column, constant(1)})))}) ==
        Paths{"0\nx"});
  CHECK(absent_paths({list_node(r, leaf(count(y->space)))}) == Paths{"*0\ny"});
  const NodeRef sums = leaf(reduce(Reducer::sum, y->space, y->contents[0]->column));
  CHECK(absent_paths({list_node(r, sums)}).size() == 2);
  CHECK(absent_paths({list_node(r, leaf(constant(1)))}).empty());
}

TEST_CASE("nobody reads an absent column", "[absent]") {
  const SpaceRef r = rows(3);
  const NodeRef record = absent_node(*example(), r, "0", Device::cpu);
  CHECK_THROWS_AS(evaluate(list_node(r, record->contents[0])), ValueError);
  CHECK_THROWS_AS(evaluate(list_node(r, leaf(count(record->contents[1]->space)))), ValueError);
}

TEST_CASE("lists of the same lengths are those of the first field, or of one that was read",
          "[absent]") {
  using Paths = std::vector<std::string>;
  const NodeRef one = example();
  const NodeRef like =
      record_node({"x", "y", "z"}, {one->contents[0], one->contents[1], one->contents[1]});
  const EqualLists equal = {{"y", "z"}};
  const SpaceRef r = rows(3);
  const NodeRef absent = absent_node(*like, r, "0", Device::cpu, equal);
  CHECK(same(absent->contents[1]->space, absent->contents[2]->space));
  CHECK(absent_paths({list_node(r, leaf(count(absent->contents[2]->space)))}) == Paths{"*0\ny"});
  CHECK(!same(absent_node(*like, r, "0", Device::cpu)->contents[1]->space,
              absent->contents[1]->space));

  const int64_t offsets[] = {0, 2, 3, 3};
  const SpaceRef items = stored_list(r, Buffer::copy_of(offsets, 32), DType::int64);
  const int64_t values[] = {1, 2, 3};
  const NodeRef z =
      list_node(items, leaf(stored_column(Buffer::copy_of(values, 24), DType::int64, items)));
  const NodeRef whole = with_absent(record_node({"z"}, {z}), *like, r, "0", Device::cpu, equal);
  CHECK(same(whole->contents[1]->space, items));
  CHECK(absent_paths({list_node(r, whole->contents[1])}) == Paths{"0\ny"});
  CHECK(type_of(*whole) == type_of(*like));
}

TEST_CASE("fields that were not read are added to those that were", "[absent]") {
  const SpaceRef r = rows(2);
  const double values[] = {1.5, 2.5};
  const NodeRef x = leaf(stored_column(Buffer::copy_of(values, 16), DType::float64, r));
  const NodeRef whole = with_absent(record_node({"x"}, {x}), *example(), r, "0", Device::cpu);
  CHECK(whole->contents[0] == x);
  CHECK(absent_paths({list_node(r, whole)}).size() == 2);
  CHECK(type_of(*whole) == type_of(*example()));
}

}  // namespace serrate::graph
