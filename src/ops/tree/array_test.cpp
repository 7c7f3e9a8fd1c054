// Handles that were moved from, and memory that is not there, are errors.
#include "serrate/array.h"

#include <utility>

#include "catch.h"
#include "core/interrupt.h"
#include "graph/ir.h"
#include "serrate/builder.h"
#include "serrate/io.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

TEST_CASE("an Array that was moved from says so", "[array]") {
  Array x = from_values<int64_t>({1, 2, 3});
  Array y = std::move(x);
  CHECK(y.size() == 3);
  // NOLINTBEGIN(bugprone-use-after-move)
  CHECK_THROWS_AS(x.size(), ValueError);
  CHECK_THROWS_AS(x.type(), ValueError);
  CHECK_THROWS_AS(x.is_scalar(), ValueError);
  CHECK_THROWS_AS(x.fields(), ValueError);
  CHECK_THROWS_AS(x["a"], ValueError);
  CHECK_THROWS_AS(x.device(), ValueError);
  CHECK_THROWS_AS(x.evaluate(), ValueError);
  CHECK_THROWS_AS(x.item<double>(), ValueError);
  CHECK_THROWS_AS(x.node(), ValueError);
  CHECK_THROWS_AS(sum(x), ValueError);
  CHECK_THROWS_AS(add(x, y), ValueError);
  CHECK_THROWS_AS(compute({y, x}), ValueError);
  CHECK_THROWS_AS(explain({x}), ValueError);
  CHECK_THROWS_AS(repr(x), ValueError);
  CHECK_THROWS_AS(to_buffers(x), ValueError);
  const Array copy = x;
  CHECK_THROWS_AS(copy.size(), ValueError);
  x = y;
  CHECK(x.size() == 3);
  // NOLINTEND(bugprone-use-after-move)
}

TEST_CASE("a Type that was moved from says so", "[array]") {
  Type t = Type::list(Type::string());
  const Type u = std::move(t);
  // NOLINTBEGIN(bugprone-use-after-move)
  CHECK_THROWS_AS(t.kind(), ValueError);
  CHECK_THROWS_AS(t.str(), ValueError);
  CHECK_THROWS_AS(t == u, ValueError);
  CHECK_THROWS_AS(Type::list(t), ValueError);
  t = u;
  CHECK(t.str() == "var * string");
  // NOLINTEND(bugprone-use-after-move)
}

TEST_CASE("a builder that was moved from is empty", "[array]") {
  ArrayBuilder a;
  a.integer(1);
  ArrayBuilder b = std::move(a);
  // NOLINTBEGIN(bugprone-use-after-move)
  CHECK(a.size() == 0);
  CHECK(b.size() == 1);
  CHECK_THROWS_AS(a.end_list(), ValueError);
  CHECK_THROWS_AS(a.end_record(), ValueError);
  CHECK_THROWS_AS(a.field("x"), ValueError);
  a.begin_list();
  a.real(2.5);
  a.end_list();
  CHECK(to_string(a.snapshot()) == "[[2.5]]");
  b = std::move(a);
  CHECK(to_string(b.snapshot()) == "[[2.5]]");
  CHECK(a.snapshot().type().str() == "0 * unknown");
  a.null();
  a.clear();
  CHECK(a.size() == 0);
  ArrayBuilder& same = b;
  b = std::move(same);
  CHECK(b.size() == 1);
  // NOLINTEND(bugprone-use-after-move)
}

TEST_CASE("a builder refuses what no array can be", "[array]") {
  ArrayBuilder b;
  CHECK_THROWS_AS(b.begin_tuple(int64_t{1} << 31), ValueError);
  CHECK_THROWS_AS(b.begin_tuple(-1), ValueError);
  REQUIRE_THROWS_AS(
      [&] {
        for (int i = 0; i < 20'000; ++i) b.begin_list();
      }(),
      ValueError);
  CHECK(b.snapshot().size() == 0);
}

TEST_CASE("memory at no address is refused", "[array]") {
  const Buffer none(nullptr, 80, nullptr);
  CHECK_THROWS_AS(from_strided(none, DType::float64, {10}), ValueError);
  CHECK(from_strided(none, DType::float64, {0}).size() == 0);
  const auto container = [&](const std::string&) { return none; };
  const char* form = R"({"class": "NumpyArray", "primitive": "int64", "form_key": "a"})";
  CHECK_THROWS_AS(from_buffers(form, 10, container), ValueError);
  CHECK(from_buffers(form, 0, container).size() == 0);
}

const Array* looked_at = nullptr;
std::string said;
void look() {
  try {
    looked_at->evaluate();
  } catch (const ValueError& e) {
    said = e.what();
  }
}

TEST_CASE("what interrupts a thread cannot wait for it", "[interrupt]") {
  const std::vector<double> numbers(800);
  const Array list = from_strided(Buffer::copy_of(numbers.data(), 6400), DType::float64, {1, 800});
  const Array x = num(combinations(list, 3));
  looked_at = &x;
  set_interrupt_hook(look);
  for (int i = 0; i < 100 && said.empty(); ++i) num(combinations(list, 3)).evaluate();
  said.clear();
  x.evaluate();
  set_interrupt_hook(nullptr);
  // Nobody waited for ever; whoever looked was told why not.
  CHECK((said.empty() || said.find("interrupted") != std::string::npos));
  CHECK(x.size() == 1);
}

}  // namespace
}  // namespace serrate
