// Named example arrays for table-driven tests, and the rows of such tables.
#pragma once

#include <string>
#include <utility>

#include "arrays.h"
#include "serrate/error.h"

namespace serrate::testing {

/// One slice: the items as text, and "type | JSON" or the name of the exception.
struct Row {
  const char* array;
  const char* arguments;
  const char* expected;
};

// clang-format off
inline const char* const kExamples[][3] = {
    {"x", R"(3 * var * float64)", R"([[1.5,2.5,3.5],[],[4.5,5.5]])"},
    {"d", R"(3 * var * var * int64)", R"([[[1,2],[3]],[],[[4,5,6]]])"},
    {"s", R"(3 * string)", R"(["one","two",""])"},
    {"ss", R"(3 * var * string)", R"([["one","two"],[],["three"]])"},
    {"r", R"(2 * 3 * int64)", R"([[1,2,3],[4,5,6]])"},
    {"rr", R"(2 * 2 * 2 * int64)", R"([[[1,2],[3,4]],[[5,6],[7,8]]])"},
    {"o", R"(3 * option[var * int64])", R"([[1,2],null,[3]])"},
    {"oo", R"(3 * var * ?int64)", R"([[1,null],[],[3]])"},
    {"do", R"(3 * option[var * option[var * int64]])", R"([[[1,2],null],null,[[4,5,6]]])"},
    {"u", R"(3 * union[var * int64, string])", R"([[1,2],"hey",[3]])"},
    {"rec", R"(3 * {x: int64, y: var * int64})", R"([{"x":1,"y":[1,2]},{"x":2,"y":[]},{"x":3,"y":[4]}])"},
    {"pt", R"(3 * var * {a: int64, b: float64})", R"([[{"a":1,"b":1.5},{"a":2,"b":2.5}],[],[{"a":3,"b":3.5}]])"},
    {"rl", R"(2 * {x: var * int64, y: var * var * int64})", R"([{"x":[1,2],"y":[[1],[2,3]]},{"x":[3],"y":[[]]}])"},
    {"tu", R"(2 * (int64, float64))", R"([[1,2.5],[3,4.5]])"},
    {"ro", R"(3 * ?{x: var * int64})", R"([{"x":[1,2]},null,{"x":[3]}])"},
    {"ur", R"(3 * {x: union[float64, string], y: ?int64})", R"([{"x":1.0,"y":null},{"x":2.5,"y":1},{"x":"s","y":null}])"},
    {"y", R"(3 * var * string)", R"([["a","b"],[],["c"]])"},
    {"n", R"(4 * int64)", R"([1,2,3,4])"},
    {"dr", R"(2 * var * var * int64)", R"([[[1,2],[3,4]],[[1,2],[3,4]]])"},
    {"q", R"(2 * var * int64)", R"([[1,2],[3,4]])"},
    {"xo", R"(3 * option[var * option[var * int64]])", R"([[[1],null],null,[[2,3]]])"},
    {"ux", R"(2 * var * union[int64, {x: int64}])", R"([[1,2],[{"x":1}]])"},
    {"b", R"(2 * bool)", R"([true,false])"},
    {"f", R"(1 * float64)", R"([1.5])"},
    {"on", R"(2 * ?int64)", R"([null,3])"},
    {"w", R"(3 * var * int64)", R"([[1],[2,3],[]])"},
    {"e", R"(0 * unknown)", R"([])"},
    {"ee", R"(2 * var * unknown)", R"([[],[]])"},
    {"qo", R"(3 * option[var * int64])", R"([[1,2],null,[3,4]])"},
    {"ab", R"(2 * string)", R"(["ab","cd"])"},
    {"p2", R"(1 * var * int64)", R"([[1,2]])"},
    {"one", R"(int64)", R"(1)"},
    {"m", R"(3 * int64)", R"([1,2,3])"},
    {"oi", R"(3 * ?int64)", R"([1,null,2])"},
    {"on2", R"(1 * var * ?int64)", R"([[null,2]])"},
    {"uu", R"(3 * union[float64, string])", R"([1.0,2.5,"a"])"},
    {"nr", R"(2 * P[x: int64])", R"([{"x":1},{"x":2}])"},
};
// clang-format on

/// The example array of that name.
inline Array example(const std::string& name) {
  for (const auto& row : kExamples) {
    if (name == row[0]) return array(row[1], row[2]);
  }
  throw ValueError("no example array " + name);
}

/// show(f()), or the name of the exception.
template <class F>
std::string outcome(F&& f) {
  try {
    return show(f());
  } catch (const FieldError&) {
    return "FieldError";
  } catch (const AxisError&) {
    return "AxisError";
  } catch (const IndexError&) {
    return "IndexError";
  } catch (const ValueError&) {
    return "ValueError";
  } catch (const TypeError&) {
    return "TypeError";
  }
}

}  // namespace serrate::testing
