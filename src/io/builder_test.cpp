// ArrayBuilder: the types are those of Awkward's ArrayBuilder.
#include "serrate/builder.h"

#include "../../tests/cpp/catch.h"
#include "serrate/error.h"
#include "serrate/io.h"
#include "serrate/type.h"

namespace serrate {
namespace {

std::string text(ArrayBuilder& b) {
  const Array x = b.snapshot();
  return x.type().str() + " " + to_string(x);
}

TEST_CASE("ArrayBuilder finds the type of numbers") {
  ArrayBuilder b;
  CHECK(text(b) == "0 * unknown []");
  b.null();
  CHECK(text(b) == "1 * ?unknown [null]");
  b.integer(1);
  CHECK(text(b) == "2 * ?int64 [null, 1]");
  b.real(2.5);
  CHECK(text(b) == "3 * ?float64 [null, 1.0, 2.5]");
  b.integer(3);
  b.complex({0, 1});
  CHECK(text(b) == "5 * ?complex128 [null, [1.0, 0.0], [2.5, 0.0], [3.0, 0.0], [0.0, 1.0]]");
  b.boolean(true);
  CHECK(b.type().str() == "6 * union[?complex128, ?bool]");
  b.clear();
  CHECK(b.size() == 0);
}

TEST_CASE("ArrayBuilder makes unions of what does not go together") {
  ArrayBuilder b;
  b.integer(1);
  b.string("a");
  b.real(2.5);
  CHECK(text(b) == R"(3 * union[float64, string] [1.0, "a", 2.5])");
  b.begin_list();
  b.integer(4);
  b.end_list();
  b.null();
  b.datetime(5, "s");
  b.datetime(5, "D");
  CHECK(text(b) ==
        R"(7 * union[?float64, ?string, option[var * int64], ?datetime64[s], ?datetime64[D]] )"
        R"([1.0, "a", 2.5, [4], null, "1970-01-01T00:00:05", "1970-01-06"])");
}

TEST_CASE("ArrayBuilder nests lists") {
  ArrayBuilder b;
  for (int i = 0; i < 100; ++i) {
    b.begin_list();
    for (int j = 0; j < i % 3; ++j) b.real(i + j / 2.0);
    b.end_list();
  }
  const Array x = b.snapshot();
  CHECK(x.type().str() == "100 * var * float64");
  CHECK(to_string(x).substr(0, 37) == "[[], [1.0], [2.0, 2.5], [], [4.0], [5");
  b.null();
  CHECK(b.type().str() == "101 * option[var * float64]");
  CHECK(x.size() == 100);  // a snapshot stays as it was

  ArrayBuilder open;
  open.begin_list();
  open.integer(1);
  CHECK(text(open) == "0 * var * int64 []");
}

TEST_CASE("ArrayBuilder fills records and tuples") {
  ArrayBuilder b;
  b.begin_record();
  b.field("x");
  b.integer(1);
  b.end_record();
  CHECK(text(b) == R"(1 * {x: int64} [{"x": 1}])");
  b.begin_record();
  b.field("y");
  b.string("a");
  b.field("x");
  b.real(2.5);
  b.end_record();
  CHECK(text(b) == R"(2 * {x: float64, y: ?string} [{"x": 1.0, "y": null}, {"x": 2.5, "y": "a"}])");
  b.begin_record("Named");
  b.end_record();
  CHECK(b.type().str() == "3 * union[{x: float64, y: ?string}, Named[]]");

  ArrayBuilder first_missing;
  first_missing.null();
  first_missing.begin_record();
  first_missing.field("x");
  first_missing.integer(1);
  first_missing.end_record();
  CHECK(text(first_missing) == R"(2 * ?{x: int64} [null, {"x": 1}])");

  ArrayBuilder t;
  t.begin_tuple(2);
  t.index(0);
  t.integer(1);
  t.end_tuple();
  CHECK(text(t) == "1 * (int64, ?unknown) [[1, null]]");
  t.begin_tuple(3);
  t.end_tuple();
  CHECK(t.type().str() == "2 * union[(int64, ?unknown), (?unknown, ?unknown, ?unknown)]");
}

TEST_CASE("ArrayBuilder keeps bytestrings apart only in unions") {
  ArrayBuilder b;
  b.bytestring("\xff");
  CHECK(b.type().str() == "1 * bytes");
  b.string("a");
  CHECK(b.type().str() == "2 * bytes");
  b.integer(1);
  b.string("a");
  CHECK(b.type().str() == "4 * union[bytes, int64, string]");
}

TEST_CASE("ArrayBuilder refuses calls that do not nest") {
  ArrayBuilder b;
  CHECK_THROWS_AS(b.end_list(), ValueError);
  CHECK_THROWS_AS(b.end_record(), ValueError);
  CHECK_THROWS_AS(b.field("x"), ValueError);
  b.begin_list();
  CHECK_THROWS_AS(b.end_tuple(), ValueError);
  b.begin_record();
  CHECK_THROWS_AS(b.integer(1), ValueError);
  CHECK_THROWS_AS(b.end_list(), ValueError);
  b.field("x");
  b.integer(1);
  b.integer(2);
  CHECK_THROWS_WITH(b.end_record(), Catch::Matchers::ContainsSubstring("filled twice"));
  ArrayBuilder t;
  t.begin_tuple(1);
  CHECK_THROWS_AS(t.index(1), ValueError);
  CHECK_THROWS_AS(t.begin_tuple(-1), ValueError);
}

}  // namespace
}  // namespace serrate
