// Loops whose steps copy what they are about: no expression gets large, and each is right.
#include "graph/materialise.h"

#include <functional>
#include <unordered_set>

#include "../../../tests/cpp/arrays.h"
#include "../../../tests/cpp/catch.h"
#include "graph/below.h"
#include "graph/evaluate.h"
#include "reference/evaluate.h"
#include "serrate/io.h"
#include "serrate/ops.h"

namespace serrate::graph {
namespace {

using testing::array;
using testing::show;

/// Spaces and columns of an expression.
class Size {
 public:
  explicit Size(const Array& x) { walk(*x.node()); }
  size_t operator()() const { return seen_.size(); }

 private:
  void walk(const Node& n) {
    if (n.column) walk(n.column);
    if (n.space) walk(n.space);
    for (const NodeRef& c : n.contents) walk(*c);
  }
  template <class SpaceOrColumn>
  void walk(const Ref<SpaceOrColumn>& x) {
    if (seen_.insert(x.get()).second) each_below(*x, [&](const auto& below) { walk(below); });
  }
  std::unordered_set<const void*> seen_;
};

using Step = std::function<Array(const Array&)>;

Array slice(const Array& x, std::optional<int64_t> first, std::optional<int64_t> end,
            int64_t step = 1) {
  return getitem(x, {Slice{first, end, step}});
}
Array inner(const Array& x, std::optional<int64_t> first, std::optional<int64_t> end,
            int64_t step = 1) {
  return getitem(x, {Slice{}, Slice{first, end, step}});
}

/// The largest expression of some steps.
size_t largest(Array a, const Step& step, int steps = 64) {
  size_t most = 0;
  for (int i = 0; i < steps; i++) {
    a = step(a);
    most = std::max(most, Size(a)());
  }
  a.evaluate();
  return most;
}

Array flat() {
  std::string text;
  for (int i = 0; i < 100; i++) text += (i ? "," : "[") + std::to_string(i * 37 % 101);
  return array("100 * float64", text + "]");
}
Array lists() { return array("4 * var * float64", "[[3,1,2],[],[5],[9,8,7,6]]"); }

}  // namespace

TEST_CASE("no step of a loop makes an expression larger than a few times what is written") {
  const Array order = argsort(flat());
  const std::vector<std::pair<Array, Step>> loops = {
      {flat(), [](const Array& a) { return (slice(a, 1, {}) + slice(a, {}, -1)) / 2; }},
      {flat(), [&](const Array& a) { return (a + getitem(a, {order})) / 2; }},
      {flat(), [](const Array& a) { return a + slice(a, {}, {}, -1); }},
      {flat(), [](const Array& a) { return getitem(a, {a > -2}) + getitem(a, {a > -1}); }},
      {flat(), [](const Array& a) { return where(a > 0, getitem(a, {a >= 0}), a); }},
      {flat(), [](const Array& a) { return (sort(a) + a) / 2; }},
      {flat(), [](const Array& a) { return a + getitem(a, {argsort(a)}); }},
      {flat(), [](const Array& a) { return a - mean(a); }},
      {lists(),
       [](const Array& a) {
         return inner(concatenate({a, a}, 1), 1, 3);
       }},
      {lists(), [](const Array& a) { return a + inner(a, {}, {}, -1); }},
      {lists(), [](const Array& a) { return getitem(a, {a > -2}) + getitem(a, {a > -1}); }},
      {lists(), [](const Array& a) { return (sort(a) + a) / 2; }},
      {lists(), [](const Array& a) { return slice(a, {}, {}, -1) + slice(a, {}, {}, -1) / 2; }},
      {lists(), [](const Array& a) { return fill_none(pad_none(inner(a, 1, {}), 3), Array(0.5)); }},
  };
  for (size_t i = 0; i < loops.size(); i++) {
    INFO("loop " << i);
    CHECK(largest(loops[i].first, loops[i].second) < 1000);
  }
}

TEST_CASE("what is written in a loop is what it gives") {
  Array a = flat();
  std::vector<double> expected;
  for (int i = 0; i < 100; i++) expected.push_back(i * 37 % 101);
  for (int k = 0; k < 64; k++) {
    a = (slice(a, 1, {}) + slice(a, {}, -1)) / 2;
    std::vector<double> next;
    for (size_t i = 0; i + 1 < expected.size(); i++)
      next.push_back((expected[i + 1] + expected[i]) / 2);
    expected = next;
  }
  REQUIRE(a.size() == static_cast<int64_t>(expected.size()));
  for (int64_t i = 0; i < a.size(); i++)
    CHECK(getitem(a, {i}).item<double>() == expected[static_cast<size_t>(i)]);
}

TEST_CASE("copies of the same column are told from different columns") {
  Array x = flat();
  Array y = x;
  for (int i = 0; i < 60; i++) y = sqrt(y * y + x);
  CHECK_FALSE(reason_to_store(*y.node()));
  const Array z = slice(y, {}, {}, 2);  // one copy of each
  CHECK_FALSE(reason_to_store(*z.node()));
  CHECK_FALSE(reason_to_store(*(z * z + z).node()));
  const Array both = slice(z, 1, {}) + slice(z, {}, -1);
  const auto why = reason_to_store(*both.node());
  REQUIRE(why);
  CHECK(why->find("at other positions") != std::string::npos);
  CHECK(serrate::explain({slice(both, 1, {})}, {}).find("materialised") != std::string::npos);
  CHECK(is_stored(*both.node()));  // in the handle, for all who hold it
}

TEST_CASE("shared subexpressions are walked once") {
  Array y = array("3 * float64", "[0.5, 1, 0.25]");
  for (int i = 0; i < 200; i++) y = y * y;
  CHECK(Size(y)() < 210);
  CHECK(serrate::explain({y}, {}).size() < 1000);
  Array fewer = array("2 * int64", "[0, 1]");
  for (int i = 0; i < 62; i++) fewer = fewer + fewer;
  const Array slowly(reference_evaluate(fewer.node()));
  CHECK(max(slowly).item<int64_t>() == int64_t{1} << 62);
}

}  // namespace serrate::graph
