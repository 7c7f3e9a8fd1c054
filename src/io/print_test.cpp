// Printed arrays, compared with what Awkward Array 2.14 prints for the same values.
#include <nlohmann/json.hpp>
#include <sstream>

#include "../../tests/cpp/catch.h"
#include "graph/evaluate.h"
#include "serrate/builder.h"
#include "serrate/io.h"

namespace serrate {
namespace {

using Json = nlohmann::ordered_json;

void fill(ArrayBuilder& b, const Json& v) {
  if (v.is_null()) {
    b.null();
  } else if (v.is_number_integer()) {
    b.integer(v.get<int64_t>());
  } else if (v.is_number()) {
    b.real(v.get<double>());
  } else if (v.is_string()) {
    b.string(v.get<std::string>());
  } else if (v.is_array()) {
    b.begin_list();
    for (const auto& x : v) fill(b, x);
    b.end_list();
  } else if (v.contains("__tuple__")) {
    const Json& slots = v["__tuple__"];
    b.begin_tuple(static_cast<int64_t>(slots.size()));
    for (size_t i = 0; i < slots.size(); ++i) {
      b.index(static_cast<int64_t>(i));
      fill(b, slots[i]);
    }
    b.end_tuple();
  } else {
    b.begin_record();
    for (const auto& [key, x] : v.items()) {
      b.field(key);
      fill(b, x);
    }
    b.end_record();
  }
}

Array from_json(const std::string& text) {
  ArrayBuilder b;
  for (const auto& x : Json::parse(text)) fill(b, x);
  return b.snapshot();
}

struct Case {
  const char* name;
  const char* json;
  struct {
    const char *repr, *str, *narrow, *show;
  } expected;
};

const Case cases[] =
    {
        {"lists of numbers",
         R"_([[1.1, 2.2, 3.3], [], [4.4, 5.5]])_",
         {R"_(<Array [[1.1, 2.2, 3.3], [], [4.4, 5.5]] type='3 * var * float64'>)_",
          R"_([[1.1, 2.2, 3.3], [], [4.4, 5.5]])_",
          R"_(type: 3 * var * float64
[[1.1, 2.2, 3.3],
 [],
 [4.4, 5.5]])_",
          R"_([[1.1, 2.2, 3.3],
 [],
 [4.4, 5.5]])_"}},
        {"words",
         R"_(["word0", "word1", "word2", "word3", "word4", "word5", "word6", "word7", "word8", "word9", "word10", "word11", "word12", "word13", "word14", "word15", "word16", "word17", "word18", "word19", "word20", "word21", "word22", "word23", "word24", "word25", "word26", "word27", "word28", "word29", "word30", "word31", "word32", "word33", "word34", "word35", "word36", "word37", "word38", "word39", "word40", "word41", "word42", "word43", "word44", "word45", "word46", "word47", "word48", "word49"])_",
         {R"_(<Array ['word0', 'word1', 'word2', ..., 'word48', 'word49'] type='50 * string'>)_",
          R"_(['word0', 'word1', 'word2', 'word3', ..., 'word47', 'word48', 'word49'])_",
          R"_(type: 50 * string
['word0',
 'word1',
 'word2',
 ...,
 'word49'])_",
          R"_(['word0',
 'word1',
 'word2',
 'word3',
 'word4',
 'word5',
 'word6',
 'word7',
 'word8',
 'word9',
 ...,
 'word41',
 'word42',
 'word43',
 'word44',
 'word45',
 'word46',
 'word47',
 'word48',
 'word49'])_"}},
        {"records",
         R"_([{"a name": 0, "b": [0, 0, 0, 0, 0], "c": {"d": ""}}, {"a name": 1, "b": [1, 1, 1, 1, 1], "c": {"d": "x"}}, {"a name": 2, "b": [2, 2, 2, 2, 2], "c": {"d": "xx"}}, {"a name": 3, "b": [3, 3, 3, 3, 3], "c": {"d": "xxx"}}, {"a name": 4, "b": [4, 4, 4, 4, 4], "c": {"d": "xxxx"}}, {"a name": 5, "b": [5, 5, 5, 5, 5], "c": {"d": "xxxxx"}}, {"a name": 6, "b": [6, 6, 6, 6, 6], "c": {"d": "xxxxxx"}}, {"a name": 7, "b": [7, 7, 7, 7, 7], "c": {"d": "xxxxxxx"}}, {"a name": 8, "b": [8, 8, 8, 8, 8], "c": {"d": "xxxxxxxx"}}, {"a name": 9, "b": [9, 9, 9, 9, 9], "c": {"d": "xxxxxxxxx"}}, {"a name": 10, "b": [10, 10, 10, 10, 10], "c": {"d": "xxxxxxxxxx"}}, {"a name": 11, "b": [11, 11, 11, 11, 11], "c": {"d": "xxxxxxxxxxx"}}, {"a name": 12, "b": [12, 12, 12, 12, 12], "c": {"d": "xxxxxxxxxxxx"}}, {"a name": 13, "b": [13, 13, 13, 13, 13], "c": {"d": "xxxxxxxxxxxxx"}}, {"a name": 14, "b": [14, 14, 14, 14, 14], "c": {"d": "xxxxxxxxxxxxxx"}}, {"a name": 15, "b": [15, 15, 15, 15, 15], "c": {"d": "xxxxxxxxxxxxxxx"}}, {"a name": 16, "b": [16, 16, 16, 16, 16], "c": {"d": "xxxxxxxxxxxxxxxx"}}, {"a name": 17, "b": [17, 17, 17, 17, 17], "c": {"d": "xxxxxxxxxxxxxxxxx"}}, {"a name": 18, "b": [18, 18, 18, 18, 18], "c": {"d": "xxxxxxxxxxxxxxxxxx"}}, {"a name": 19, "b": [19, 19, 19, 19, 19], "c": {"d": "xxxxxxxxxxxxxxxxxxx"}}, {"a name": 20, "b": [20, 20, 20, 20, 20], "c": {"d": "xxxxxxxxxxxxxxxxxxxx"}}, {"a name": 21, "b": [21, 21, 21, 21, 21], "c": {"d": "xxxxxxxxxxxxxxxxxxxxx"}}, {"a name": 22, "b": [22, 22, 22, 22, 22], "c": {"d": "xxxxxxxxxxxxxxxxxxxxxx"}}, {"a name": 23, "b": [23, 23, 23, 23, 23], "c": {"d": "xxxxxxxxxxxxxxxxxxxxxxx"}}, {"a name": 24, "b": [24, 24, 24, 24, 24], "c": {"d": "xxxxxxxxxxxxxxxxxxxxxxxx"}}])_",
         {R"_(<Array [{'a name': 0, b: [...], ...}, ...] type='25 * {"a name": int64, b: ...'>)_",
          R"_([{'a name': 0, b: [0, 0, 0, 0, 0], c: {d: ''}}, {...}, ..., {'a name': 24, ...}])_",
          R"_(type: 25 * {
    "a name": int64,
   ...
[{'a name': 0, b: [0, ...], ...},
 {'a name': 1, b: [1, ...], ...},
 {'a name': 2, b: [2, ...], ...},
 ...,
 {'a name': 24, b: [...], c: ..., ...}])_",
          R"_([{'a name': 0, b: [0, 0, 0, 0, 0], c: {d: ''}},
 {'a name': 1, b: [1, 1, 1, 1, 1], c: {d: 'x'}},
 {'a name': 2, b: [2, 2, 2, 2, 2], c: {d: 'xx'}},
 {'a name': 3, b: [3, 3, 3, 3, 3], c: {d: 'xxx'}},
 {'a name': 4, b: [4, 4, 4, 4, 4], c: {d: 'xxxx'}},
 {'a name': 5, b: [5, 5, 5, 5, 5], c: {d: 'xxxxx'}},
 {'a name': 6, b: [6, 6, 6, 6, 6], c: {d: 'xxxxxx'}},
 {'a name': 7, b: [7, 7, 7, 7, 7], c: {d: ..., ...}},
 {'a name': 8, b: [8, 8, 8, 8, 8], c: {d: ..., ...}},
 {'a name': 9, b: [9, 9, 9, 9, 9], c: {d: ..., ...}},
 ...,
 {'a name': 16, b: [16, 16, 16, 16, 16], c: {d: ..., ...}},
 {'a name': 17, b: [17, 17, 17, 17, 17], c: {d: ..., ...}},
 {'a name': 18, b: [18, 18, 18, 18, 18], c: {d: ..., ...}},
 {'a name': 19, b: [19, 19, 19, 19, 19], c: {d: ..., ...}},
 {'a name': 20, b: [20, 20, 20, 20, 20], c: {d: ..., ...}},
 {'a name': 21, b: [21, 21, 21, 21, 21], c: {d: ..., ...}},
 {'a name': 22, b: [22, 22, 22, 22, 22], c: {d: ..., ...}},
 {'a name': 23, b: [23, 23, 23, 23, 23], c: {d: ..., ...}},
 {'a name': 24, b: [24, 24, 24, 24, 24], c: {d: ..., ...}}])_"}},
        {"tuples",
         R"_([{"__tuple__": [0, 0.0]}, {"__tuple__": [1, 0.5]}, {"__tuple__": [2, 1.0]}, {"__tuple__": [3, 1.5]}, {"__tuple__": [4, 2.0]}])_",
         {R"_(<Array [(0, 0), (1, 0.5), ..., (3, ...), (4, 2)] type='5 * (int64, float64)'>)_",
          R"_([(0, 0), (1, 0.5), (2, 1), (3, 1.5), (4, 2)])_",
          R"_(type: 5 * (
    int64,
    float64
)
[(0, 0),
 (1, 0.5),
 (2, 1),
 (3, 1.5),
 (4, 2)])_",
          R"_([(0, 0),
 (1, 0.5),
 (2, 1),
 (3, 1.5),
 (4, 2)])_"}},
        {"missing",
         R"_([1, null, 3])_",
         {R"_(<Array [1, None, 3] type='3 * ?int64'>)_", R"_([1, None, 3])_",
          R"_(type: 3 * ?int64
[1,
 None,
 3])_",
          R"_([1,
 None,
 3])_"}},
        {"union",
         R"_([1, "a", 2.5, null, [1, 2]])_",
         {R"_(<Array [1, 'a', 2.5, None, [1, 2]] type='5 * union[?float64, ?string, optio...'>)_",
          R"_([1, 'a', 2.5, None, [1, 2]])_",
          R"_(type: 5 * union[
    ?float64,
    ?s...
[1,
 'a',
 2.5,
 None,
 [1, 2]])_",
          R"_([1,
 'a',
 2.5,
 None,
 [1, 2]])_"}},
        {"long",
         R"_([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99])_",
         {R"_(<Array [0, 1, 2, 3, 4, 5, 6, ..., 94, 95, 96, 97, 98, 99] type='100 * int64'>)_",
          R"_([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ..., 90, 91, 92, 93, 94, 95, 96, 97, 98, 99])_",
          R"_(type: 100 * int64
[0,
 1,
 2,
 ...,
 99])_",
          R"_([0,
 1,
 2,
 3,
 4,
 5,
 6,
 7,
 8,
 9,
 ...,
 91,
 92,
 93,
 94,
 95,
 96,
 97,
 98,
 99])_"}},
        {"deep",
         R"_([[[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]], [[1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1]], [[2, 2, 2], [2, 2, 2], [2, 2, 2], [2, 2, 2]], [[3, 3, 3], [3, 3, 3], [3, 3, 3], [3, 3, 3]], [[4, 4, 4], [4, 4, 4], [4, 4, 4], [4, 4, 4]], [[5, 5, 5], [5, 5, 5], [5, 5, 5], [5, 5, 5]], [[6, 6, 6], [6, 6, 6], [6, 6, 6], [6, 6, 6]], [[7, 7, 7], [7, 7, 7], [7, 7, 7], [7, 7, 7]], [[8, 8, 8], [8, 8, 8], [8, 8, 8], [8, 8, 8]], [[9, 9, 9], [9, 9, 9], [9, 9, 9], [9, 9, 9]], [[10, 10, 10], [10, 10, 10], [10, 10, 10], [10, 10, 10]], [[11, 11, 11], [11, 11, 11], [11, 11, 11], [11, 11, 11]]])_",
         {R"_(<Array [[[0, 0, 0], [...], ..., [0, 0, 0]], ...] type='12 * var * var * int64'>)_",
          R"_([[[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]], ..., [[11, 11, 11], ..., [...]]])_",
          R"_(type: 12 * var * var * int64
[[[0, 0, 0], [0, ...], ..., [0, 0, 0]],
 [[1, 1, 1], [1, ...], ..., [1, 1, 1]],
 [[2, 2, 2], [2, ...], ..., [2, 2, 2]],
 ...,
 [[11, 11, 11], ..., [11, 11, 11]]])_",
          R"_([[[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]],
 [[1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1]],
 [[2, 2, 2], [2, 2, 2], [2, 2, 2], [2, 2, 2]],
 [[3, 3, 3], [3, 3, 3], [3, 3, 3], [3, 3, 3]],
 [[4, 4, 4], [4, 4, 4], [4, 4, 4], [4, 4, 4]],
 [[5, 5, 5], [5, 5, 5], [5, 5, 5], [5, 5, 5]],
 [[6, 6, 6], [6, 6, 6], [6, 6, 6], [6, 6, 6]],
 [[7, 7, 7], [7, 7, 7], [7, 7, 7], [7, 7, 7]],
 [[8, 8, 8], [8, 8, 8], [8, 8, 8], [8, 8, 8]],
 [[9, 9, 9], [9, 9, 9], [9, 9, 9], [9, 9, 9]],
 [[10, 10, 10], [10, 10, 10], [10, 10, 10], [10, 10, 10]],
 [[11, 11, 11], [11, 11, 11], [11, 11, 11], [11, 11, 11]]])_"}},
        {"wide",
         R"_([{"x0": 0, "x1": 1, "x2": 2, "x3": 3, "x4": 4, "x5": 5, "x6": 6, "x7": 7, "x8": 8, "x9": 9, "x10": 10, "x11": 11, "x12": 12, "x13": 13, "x14": 14, "x15": 15, "x16": 16, "x17": 17, "x18": 18, "x19": 19, "x20": 20, "x21": 21, "x22": 22, "x23": 23, "x24": 24, "x25": 25, "x26": 26, "x27": 27, "x28": 28, "x29": 29, "x30": 30, "x31": 31, "x32": 32, "x33": 33, "x34": 34, "x35": 35, "x36": 36, "x37": 37, "x38": 38, "x39": 39}, {"x0": 0, "x1": 1, "x2": 2, "x3": 3, "x4": 4, "x5": 5, "x6": 6, "x7": 7, "x8": 8, "x9": 9, "x10": 10, "x11": 11, "x12": 12, "x13": 13, "x14": 14, "x15": 15, "x16": 16, "x17": 17, "x18": 18, "x19": 19, "x20": 20, "x21": 21, "x22": 22, "x23": 23, "x24": 24, "x25": 25, "x26": 26, "x27": 27, "x28": 28, "x29": 29, "x30": 30, "x31": 31, "x32": 32, "x33": 33, "x34": 34, "x35": 35, "x36": 36, "x37": 37, "x38": 38, "x39": 39}, {"x0": 0, "x1": 1, "x2": 2, "x3": 3, "x4": 4, "x5": 5, "x6": 6, "x7": 7, "x8": 8, "x9": 9, "x10": 10, "x11": 11, "x12": 12, "x13": 13, "x14": 14, "x15": 15, "x16": 16, "x17": 17, "x18": 18, "x19": 19, "x20": 20, "x21": 21, "x22": 22, "x23": 23, "x24": 24, "x25": 25, "x26": 26, "x27": 27, "x28": 28, "x29": 29, "x30": 30, "x31": 31, "x32": 32, "x33": 33, "x34": 34, "x35": 35, "x36": 36, "x37": 37, "x38": 38, "x39": 39}])_",
         {R"_(<Array [{x0: 0, x1: 1, x2: 2, ...}, ..., {...}] type='3 * {x0: int64, x1: i...'>)_",
          R"_([{x0: 0, x1: 1, x2: 2, x3: 3, x4: 4, x5: 5, x6: 6, x7: 7, x8: 8, ...}, ...])_",
          R"_(type: 3 * {
    x0: int64,
    x1: in...
[{x0: 0, x1: 1, x2: 2, x3: 3, ...},
 {x0: 0, x1: 1, x2: 2, x3: 3, ...},
 {x0: 0, x1: 1, x2: 2, x3: 3, ...}])_",
          R"_([{x0: 0, x1: 1, x2: 2, x3: 3, x4: 4, x5: 5, x6: 6, x7: 7, x8: 8, x9: 9, ...},
 {x0: 0, x1: 1, x2: 2, x3: 3, x4: 4, x5: 5, x6: 6, x7: 7, x8: 8, x9: 9, ...},
 {x0: 0, x1: 1, x2: 2, x3: 3, x4: 4, x5: 5, x6: 6, x7: 7, x8: 8, x9: 9, ...}])_"}},
        {"empty",
         R"_([])_",
         {R"_(<Array [] type='0 * unknown'>)_", R"_([])_",
          R"_(type: 0 * unknown
)_",
          R"_()_"}},
        {"long word",
         R"_(["xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"])_",
         {R"_(<Array ['xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'] type='...'>)_",
          R"_(['xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'])_",
          R"_(type: 1 * string
['xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'])_",
          R"_(['xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'])_"}},
};

TEST_CASE("arrays print as in Awkward") {
  for (const Case& c : cases) {
    INFO(c.name);
    const Array x = from_json(c.json);
    CHECK(repr(x) == c.expected.repr);
    CHECK(str(x) == c.expected.str);
    ShowOptions narrow;
    narrow.limit_rows = 5;
    narrow.limit_cols = 40;
    narrow.type = true;
    CHECK(show(x, narrow) == c.expected.narrow);
    CHECK(show(x) == c.expected.show);
    std::ostringstream out;
    out << x;
    CHECK(out.str() == c.expected.show);
  }
}

TEST_CASE("special numbers print as in Python") {
  const double inf = std::numeric_limits<double>::infinity();
  const double items[] = {std::nan(""), inf, -inf, -0.0, 1e-10, 123456789., 100};
  const Buffer b = Buffer::copy_of(items, sizeof items);
  CHECK(str(from_strided(b, DType::float64, {7})) == "[nan, inf, -inf, -0, 1e-10, 1.23e+08, 100]");
  ShowOptions precise;
  precise.precision = 6;
  precise.limit_rows = 1;
  CHECK(show(from_strided(b, DType::float64, {2}, {}, 32), precise) == "[1e-10, 1.23457e+08]");
  const uint16_t halves[] = {double_to_half(65504), double_to_half(1.1),  double_to_half(6e-8),
                             double_to_half(0.1),   double_to_half(1000), double_to_half(123.4)};
  CHECK(str(from_strided(Buffer::copy_of(halves, sizeof halves), DType::float16, {6})) ==
        "[6.55e+04, 1.1, 6e-08, 0.1, 1e+03, 123.4]");
  const double complex[] = {1, -2.25, 0, 3};
  CHECK(str(from_strided(Buffer::copy_of(complex, sizeof complex), DType::complex128, {2})) ==
        "[1+-2.25j, 0+3j]");
}

TEST_CASE("times print as in NumPy") {
  CHECK(datetime_text(-12345, "Y") == "-10375");
  CHECK(datetime_text(-12345, "M") == "0941-04");
  CHECK(datetime_text(-12345, "W") == "1733-05-28");
  CHECK(datetime_text(-12345, "D") == "1936-03-15");
  CHECK(datetime_text(-12345, "h") == "1968-08-04T15");
  CHECK(datetime_text(-12345, "m") == "1969-12-23T10:15");
  CHECK(datetime_text(-12345, "s") == "1969-12-31T20:34:15");
  CHECK(datetime_text(-12345, "ns") == "1969-12-31T23:59:59.999987655");
  CHECK(datetime_text(-12345, "as") == "1969-12-31T23:59:59.999999999999987655");
  CHECK(datetime_text(5, "15us") == "1970-01-01T00:00:00.000075");
  CHECK(datetime_text(int64_t{1} << 62, "s") == "146138514283-06-19T07:45:04");
  CHECK(datetime_text(int64_t{1} << 62, "D") == "12626367463885247-04-15");
  CHECK(datetime_text(INT64_MIN, "s") == "NaT");
  CHECK(timedelta_text(3, "10us") == "30 microseconds");
  CHECK(timedelta_text(5, "") == "5 generic time units");
  CHECK(timedelta_text(INT64_MIN, "D") == "NaT");
}

TEST_CASE("strings are quoted as in Python") {
  CHECK(python_repr("it's") == "\"it's\"");
  CHECK(python_repr("'\"") == "'\\'\"'");
  CHECK(python_repr("a\n\t\\\x7f") == "'a\\n\\t\\\\\\x7f'");
  CHECK(python_repr("\xc3\xa9 \xc2\xa0 \xe2\x80\x8b") == "'\xc3\xa9 \\xa0 \\u200b'");
  CHECK(python_repr("\xff") == "'\\udcff'");
  CHECK(python_bytes_repr(std::string_view("a\0'\xff", 4)) == "b\"a\\x00'\\xff\"");
}

TEST_CASE("a hook may write values its own way") {
  const Array x = from_json("[[1, 2], [3]]");
  ShowOptions o;
  o.limit_rows = 1;
  o.hook = [](const View& v, int64_t i, std::string& out) {
    if (v.kind != ViewKind::number) return false;
    out = "<" + std::to_string(v.number<int64_t>(i)) + ">";
    return true;
  };
  CHECK(show(x, o) == "[[<1>, <2>], [<3>]]");
}

TEST_CASE("only the printed rows of an unevaluated array are computed") {
  // The rows in the middle would fail.
  const graph::SpaceRef rows = graph::rows(1000);
  const graph::ColumnRef p = graph::position(rows);
  auto info = std::make_shared<graph::CheckInfo>();
  info->text = "a row in the middle";
  const graph::ColumnRef ok =
      graph::apply(Op::logical_or, {graph::apply(Op::less, {p, graph::constant(100)}),
                                    graph::apply(Op::greater, {p, graph::constant(900)})});
  const Array x(graph::list_node(
      rows, graph::leaf(graph::check_column(graph::apply(Op::multiply, {p, graph::constant(2)}), ok,
                                            {}, info))));
  CHECK(str(x, 30) == "[0, 2, 4, ..., 1996, 1998]");
  CHECK_THROWS(to_string(x));
}

TEST_CASE("scalars and records print on their own") {
  CHECK(str(Array(1.5)) == "1.5");
  const graph::NodeRef x = graph::leaf(graph::constant(Scalar::of(1.5)));
  const Array record(graph::record_node({"x", "two words"}, {x, x}));
  CHECK(str(record) == "{x: 1.5, 'two words': 1.5}");
  CHECK(show(record) == "{x: 1.5,\n 'two words': 1.5}");
  CHECK(repr(record) ==
        "<Record {x: 1.5, 'two words': 1.5} type='{x: float64, \"two words\": float64}'>");
  CHECK(to_string(record) == R"({"x": 1.5, "two words": 1.5})");
}

}  // namespace
}  // namespace serrate
