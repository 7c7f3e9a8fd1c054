// What an argmin or argmax picks from lists that are nowhere stored is a part of its fold.
#include <string>
#include <vector>

#include "../../../tests/cpp/catch.h"
#include "cuda/kernels/generate.h"
#include "graph/evaluate.h"
#include "graph/evaluation/picks.h"
#include "graph/extremes.h"
#include "graph/store.h"

using namespace serrate;
using namespace serrate::cuda;
using namespace serrate::graph;

namespace {

/// Pairs of items of three lists: keys and the argmin among them.
struct Pairs {
  Pairs() {
    const std::vector<int64_t> offsets{0, 3, 3, 7};
    const std::vector<double> numbers(7);
    const SpaceRef items = stored_list(owners, Buffer::copy_of(offsets.data(), 32), DType::int64);
    x = stored_column(Buffer::copy_of(numbers.data(), 56), DType::float64, items);
    pairs = combinations_space(items, 2, false);
    key = apply(Op::add, {at(pairs, 0, x), at(pairs, 1, x)});
    best = reduce(Reducer::argmin, pairs, key);
    some = apply(Op::greater, {count(pairs), constant(0)});
  }
  ColumnRef picked(const ColumnRef& c) const { return pick(owners, pairs, c, best, some); }
  /// Stored for each list of pairs.
  NewKernels kernels(const std::vector<ColumnRef>& columns, bool carries = true) const {
    Store store;
    for (const ColumnRef& c : columns) store.add(list_node(owners, leaf(c)));
    Nest nest(false, carries);
    store.demand(nest);
    nest.finish();
    return generate(nest);
  }

  SpaceRef owners = rows(3), pairs;
  ColumnRef x, key, best, some;
};

size_t times(const std::string& text, const std::string& what) {
  size_t n = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) n++;
  return n;
}

}  // namespace

TEST_CASE("cuda: a fold carries what is picked at its index, and stores nothing else") {
  const Pairs p;
  const NewKernels made = p.kernels({p.picked(apply(Op::multiply, {at(p.pairs, 0, p.x), p.key}))});
  CHECK(times(made.kernels.text, "__global__") == 1);
  CHECK(made.kernels.places.size() == 1);
  CHECK(made.kernels.walks.size() == 1);
  CHECK(times(made.kernels.text, "[&]() -> double") == 0);  // nobody counts to an item
  const NewKernels counting =
      p.kernels({p.picked(apply(Op::multiply, {at(p.pairs, 0, p.x), p.key}))}, false);
  CHECK(times(counting.kernels.text, "[&]() -> double") == 1);
}

TEST_CASE("cuda: picks at one index share a fold, and equal ones a variable") {
  const Pairs p;
  const auto sum = [&] { return apply(Op::add, {at(p.pairs, 0, p.x), p.key}); };
  const auto one = p.kernels({p.picked(sum())}).kernels.text;
  CHECK(p.kernels({p.picked(sum()), p.picked(sum())}).kernels.text.find("i0_1") ==
        std::string::npos);
  const auto two = p.kernels({p.picked(sum()), p.picked(at(p.pairs, 1, p.x))}).kernels.text;
  CHECK(times(one, "double i0_0") == 1);
  CHECK(times(two, "double i0_1") == 1);
  CHECK(times(two, "long long i0 = -1") == times(one, "long long i0 = -1"));
}

TEST_CASE("graph: which picks a fold can carry") {
  const Pairs p;
  const ColumnRef carried = p.picked(at(p.pairs, 0, p.x));
  CHECK(extreme_carrying(*carried) == p.best.get());
  CHECK(!long_pick(*carried).over);
  const SpaceRef below = list(p.owners, constant(0), constant(2));
  const ColumnRef deeper =
      pick(below, p.pairs, p.key, parent(below, p.best), parent(below, p.some));
  CHECK(extreme_carrying(*deeper) == p.best.get());
  const auto is_found_again = [&](const ColumnRef& value, const ColumnRef& index,
                                  const ColumnRef& guard) {
    return extreme_carrying(*pick(p.owners, p.pairs, value, index, guard)) == nullptr;
  };
  CHECK(is_found_again(p.key, p.best, {}));           // there may be none
  CHECK(is_found_again(p.key, constant(0), p.some));  // another item
  const SpaceRef also = combinations_space(p.pairs->bases[0], 2, true);
  const ColumnRef others = reduce(Reducer::argmin, also, at(also, 0, p.x));
  CHECK(is_found_again(p.key, others, p.some));  // of other lists
  const ColumnRef mean = parent(p.pairs, reduce(Reducer::sum, p.pairs, p.key));
  CHECK(is_found_again(apply(Op::subtract, {p.key, mean}), p.best, p.some));  // a later walk
}
