// Compiled functions: what is kept holds nothing of the arguments.
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "catch.h"
#include "graph/evaluate.h"
#include "serrate/compile.h"
#include "serrate/io.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

/// Numbers from `first` on whose memory has an owner of the test's.
struct Owned {
  std::vector<double> numbers;
  std::shared_ptr<int> owner = std::make_shared<int>(0);
  explicit Owned(double first, size_t n = 5) : numbers(n) {
    std::iota(numbers.begin(), numbers.end(), first);
  }
  Array array() const {
    const auto n = static_cast<int64_t>(numbers.size());
    const graph::SpaceRef s = graph::rows(n);
    const Buffer b(numbers.data(), 8 * n, owner);
    return Array(graph::list_node(s, graph::leaf(graph::stored_column(b, DType::float64, s))));
  }
};

double last(const Array& x) { return getitem(x, {-1}).item<double>(); }

TEST_CASE("compiled functions are called once") {
  int calls = 0;
  const Compiled f = compile([&](const std::vector<Array>& a) {
    calls++;
    return std::vector{a[0] * 2 + a[1], getitem(a[0], {Slice{1, 4}})};
  });
  const Owned one(1), two(10);
  CHECK(last(f({one.array(), two.array()})[0]) == 5 * 2 + 14);
  const std::vector<Array> again = f({two.array(), one.array()});
  CHECK(last(again[0]) == 14 * 2 + 5);
  CHECK(last(again[1]) == 13);
  CHECK(graph::is_stored(*again[0].node()));
  CHECK(calls == 1);
  CHECK(f.kept() == 1);
  // The same array twice is another structure, and so are other lengths.
  CHECK(last(f({one.array(), one.array()})[0]) == 15);
  CHECK(last(f({Owned(1, 7).array(), Owned(1, 7).array()})[0]) == 21);
  CHECK(calls == 3);
}

TEST_CASE("compiled functions hold no memory of their arguments") {
  const Compiled f = compile([](const std::vector<Array>& a) {
    return std::vector{a[0] + 1, sort(getitem(a[0], {Slice{2, 5}}))};
  });
  for (double first : {1.0, 20.0, 40.0}) {
    const Owned x(first);
    CHECK(last(f({x.array()})[0]) == first + 5);
    CHECK(x.owner.use_count() == 1);
  }
  CHECK(f.kept() == 1);
}

TEST_CASE("what runs without a plan is kept of compiled functions") {
  int calls = 0;
  const Compiled f = compile([&](const std::vector<Array>& a) {
    calls++;
    return std::vector{sort(a[0])};
  });
  for (double first : {1.0, 20.0, 40.0})
    CHECK(last(f({Owned(first).array()})[0]) == last(sort(Owned(first).array())));
  CHECK(f.kept() == 1);
  CHECK(calls == 1);
}

TEST_CASE("results of compiled functions that are arguments share their memory") {
  const Compiled f = compile([](const std::vector<Array>& a) { return a; });
  for (double first : {1.0, 2.0}) {
    const Owned x(first);
    const std::vector<Array> got = f({x.array()});
    CHECK(x.owner.use_count() > 1);
    CHECK(last(got[0]) == first + 4);
  }
}

TEST_CASE("what compiled functions throw is theirs") {
  int calls = 0;
  const Compiled f = compile([&](const std::vector<Array>& a) {
    calls++;
    return std::vector{a[0] + a[1]};
  });
  const Owned five(1), four(1, 4);
  f({five.array(), five.array()});
  CHECK_THROWS_AS(f({five.array(), four.array()}), ValueError);
  CHECK(last(f({five.array(), Owned(2).array()})[0]) == 11);
  CHECK(calls == 3);
}

}  // namespace
}  // namespace serrate
