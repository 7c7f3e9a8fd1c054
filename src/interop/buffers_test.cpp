// from_buffers, to_buffers, from_strided. Forms, values and types are what Awkward Array 2.14
// gives.
#include <complex>
#include <cstring>
#include <map>

#include "../../tests/cpp/catch.h"
#include "serrate/error.h"
#include "serrate/io.h"
#include "serrate/type.h"

namespace serrate {
namespace {

using Catch::Matchers::ContainsSubstring;

template <class T>
Buffer of(std::vector<T> items) {
  return Buffer::copy_of(items.data(), static_cast<int64_t>(items.size() * sizeof(T)));
}
using Named = std::map<std::string, Buffer>;

Array read(const std::string& form, int64_t length, const Named& buffers,
           ByteOrder order = ByteOrder::little) {
  return from_buffers(
      form, length,
      [&](const std::string& key) {
        const auto it = buffers.find(key);
        check<ValueError>(it != buffers.end(), "no buffer {}", key);
        return it->second;
      },
      buffer_key(), order);
}

std::string numpy(const std::string& primitive, const std::string& key,
                  const std::string& more = "") {
  return R"({"class": "NumpyArray", "primitive": ")" + primitive + R"(", "form_key": ")" + key +
         "\"" + more + "}";
}

// Out and in again: same values, same type.
void check_round_trip(const Array& x) {
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    ToBuffersOptions o;
    o.byteorder = order;
    const Buffers b = to_buffers(x, o);
    const Array y = read(b.form_json, b.length, Named(b.buffers.begin(), b.buffers.end()), order);
    CHECK(to_string(y) == to_string(x));
    CHECK(y.type().str() == x.type().str());
  }
}

const Buffer numbers = of<double>({0, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5});

TEST_CASE("from_buffers wraps numbers without a copy") {
  const Array x = read(numpy("float64", "n"), 10, {{"n-data", numbers}});
  CHECK(x.type().str() == "10 * float64");
  CHECK(view(x).item.data == numbers.data());
  CHECK(to_buffers(x).buffers[0].second.same_memory(numbers));
  check_round_trip(x);
}

TEST_CASE("from_buffers knows all primitives") {
  const auto text = [](const char* primitive, const Buffer& b, int64_t n) {
    const Array x = read(numpy(primitive, "n"), n, {{"n-data", b}});
    check_round_trip(x);
    return x.type().str() + " " + to_string(x);
  };
  CHECK(text("bool", of<uint8_t>({0, 1, 7}), 3) == "3 * bool [false, true, true]");
  CHECK(text("int8", of<int8_t>({-1, 2}), 2) == "2 * int8 [-1, 2]");
  CHECK(text("uint64", of<uint64_t>({~0ull}), 1) == "1 * uint64 [18446744073709551615]");
  CHECK(text("float16", of<uint16_t>({0x3c00, 0xc000}), 2) == "2 * float16 [1.0, -2.0]");
  CHECK(text("complex64", of<std::complex<float>>({{1, -2}}), 1) == "1 * complex64 [[1.0, -2.0]]");
  CHECK(text("complex128", of<std::complex<double>>({{1, 2}}), 1) == "1 * complex128 [[1.0, 2.0]]");
  CHECK(text("datetime64[15us]", of<int64_t>({5}), 1) ==
        "1 * datetime64[15us] [\"1970-01-01T00:00:00.000075\"]");
  CHECK(text("timedelta64[s]", of<int64_t>({7}), 1) == "1 * timedelta64[s] [\"7 seconds\"]");
}

TEST_CASE("from_buffers reads inner shapes as regular lists") {
  const Array x =
      read(numpy("float64", "n", R"(, "inner_shape": [2, 2])"), 2, {{"n-data", numbers}});
  CHECK(x.type().str() == "2 * 2 * 2 * float64");
  CHECK(to_string(x) == "[[[0.0, 1.5], [2.5, 3.5]], [[4.5, 5.5], [6.5, 7.5]]]");
  check_round_trip(x);
}

TEST_CASE("from_buffers reads lists of every kind") {
  const std::string inner = numpy("float64", "n");
  const auto lists = [&](const char* type, const Buffer& offsets) {
    return read(
        fmt::format(
            R"({{"class": "ListOffsetArray", "offsets": "{}", "form_key": "l", "content": {}}})",
            type, inner),
        3, {{"l-offsets", offsets}, {"n-data", numbers}});
  };
  for (const Array& x :
       {lists("i32", of<int32_t>({3, 5, 5, 6})), lists("u32", of<uint32_t>({3, 5, 5, 6})),
        lists("i64", of<int64_t>({3, 5, 5, 6}))}) {
    CHECK(x.type().str() == "3 * var * float64");
    CHECK(to_string(x) == "[[3.5, 4.5], [], [5.5]]");
    CHECK(to_buffers(x).buffers[1].second.bytes() == 24);  // trimmed
    check_round_trip(x);
  }
  const Array old =
      read(R"({"class": "ListOffsetArray64", "form_key": "l", "content": )" + inner + "}", 1,
           {{"l-offsets", of<int64_t>({0, 2})}, {"n-data", numbers}});
  CHECK(to_string(old) == "[[0.0, 1.5]]");

  // The second list starts beyond everything, but is empty.
  const Array views = read(
      R"({"class": "ListArray", "starts": "i64", "stops": "i64", "form_key": "l", "content": )" +
          inner + "}",
      3,
      {{"l-starts", of<int64_t>({5, 90, 0})},
       {"l-stops", of<int64_t>({7, 90, 3})},
       {"n-data", numbers}});
  CHECK(to_string(views) == "[[5.5, 6.5], [], [0.0, 1.5, 2.5]]");
  check_round_trip(views);

  const Array regular = read(R"({"class": "RegularArray", "size": 3, "content": )" + inner + "}", 2,
                             {{"n-data", numbers}});
  CHECK(regular.type().str() == "2 * 3 * float64");
  check_round_trip(regular);
  const Array nothing =
      read(R"({"class": "RegularArray", "size": 0, "content": {"class": "EmptyArray"}})", 2, {});
  CHECK(nothing.type().str() == "2 * 0 * unknown");
  CHECK(to_string(nothing) == "[[], []]");
  check_round_trip(nothing);
}

TEST_CASE("a view of lists of lists keeps its lists together") {
  const std::string inner =
      R"({"class": "ListOffsetArray", "offsets": "i64", "form_key": "m", "content": )" +
      numpy("float64", "n") + "}";
  const Array x = read(
      R"({"class": "ListArray", "starts": "i64", "stops": "i64", "form_key": "l", "content": )" +
          inner + "}",
      2,
      {{"l-starts", of<int64_t>({2, 0})},
       {"l-stops", of<int64_t>({4, 1})},
       {"m-offsets", of<int64_t>({1, 2, 2, 4, 7})},
       {"n-data", numbers}});
  CHECK(to_string(x) == "[[[2.5, 3.5], [4.5, 5.5, 6.5]], [[1.5]]]");
  check_round_trip(x);
}

TEST_CASE("from_buffers reads text") {
  const std::string form = R"({"class": "ListOffsetArray", "offsets": "i32", "form_key": "s",
      "parameters": {"__array__": "string"}, "content": {"class": "NumpyArray", "primitive": "uint8",
      "parameters": {"__array__": "char"}, "form_key": "c"}})";
  const Named b{{"s-offsets", of<int32_t>({0, 2, 2, 3})}, {"c-data", of<char>({'h', 'i', '!'})}};
  const Array x = read(form, 3, b);
  CHECK(x.type().str() == "3 * string");
  CHECK(to_string(x) == R"(["hi", "", "!"])");
  check_round_trip(x);
  CHECK_THROWS_WITH(read(R"({"class": "ListOffsetArray", "offsets": "i64", "form_key": "s",
      "parameters": {"__array__": "string"}, "content": "int64"})",
                         0, {}),
                    ContainsSubstring("is text") && ContainsSubstring("NumpyArray of uint8"));
}

TEST_CASE("from_buffers reads records and tuples") {
  const std::string n = numpy("float64", "n");
  const Array x =
      read(R"({"class": "RecordArray", "fields": ["x", "y"], "contents": [)" + n + ", " + n +
               R"(], "parameters": {"__record__": "Point", "about": {"a": [1, null]}}})",
           2, {{"n-data", numbers}});
  CHECK(x.type().str() ==
        R"(2 * Point[x: float64, y: float64, parameters={"about": {"a": [1, null]}}])");
  CHECK(to_string(x) == R"([{"x": 0.0, "y": 0.0}, {"x": 1.5, "y": 1.5}])");
  check_round_trip(x);
  const Array t =
      read(R"({"class": "RecordArray", "contents": [)" + n + "]}", 1, {{"n-data", numbers}});
  CHECK(t.type().str() == "1 * (float64)");
  check_round_trip(t);
  const Array none = read(R"({"class": "RecordArray", "fields": [], "contents": []})", 2, {});
  CHECK(none.type().str() == "2 * {}");
  check_round_trip(none);
  const Array old =
      read(R"({"class": "RecordArray", "contents": {"x": )" + n + "}}", 1, {{"n-data", numbers}});
  CHECK(old.type().str() == "1 * {x: float64}");
}

TEST_CASE("from_buffers reads options of every kind") {
  const std::string n = numpy("float64", "n");
  const auto option = [&](const std::string& members, const std::string& attribute, const Buffer& b,
                          int64_t length) {
    const Array x = read("{" + members + R"(, "form_key": "o", "content": )" + n + "}", length,
                         {{"o-" + attribute, b}, {"n-data", numbers}});
    CHECK(x.type().str() == fmt::format("{} * ?float64", length));
    check_round_trip(x);
    return to_string(x);
  };
  CHECK(option(R"("class": "ByteMaskedArray", "mask": "i8", "valid_when": true)", "mask",
               of<int8_t>({1, 0, 1}), 3) == "[0.0, null, 2.5]");
  CHECK(option(R"("class": "ByteMaskedArray", "mask": "i8", "valid_when": false)", "mask",
               of<int8_t>({1, 0, 9}), 3) == "[null, 1.5, null]");
  CHECK(option(R"("class": "BitMaskedArray", "mask": "u8", "valid_when": true, "lsb_order": true)",
               "mask", of<uint8_t>({0b101, 0b10}),
               10) == "[0.0, null, 2.5, null, null, null, null, null, null, 9.5]");
  CHECK(
      option(R"("class": "BitMaskedArray", "mask": "u8", "valid_when": false, "lsb_order": false)",
             "mask", of<uint8_t>({0b01011111}), 3) == "[0.0, null, 2.5]");
  CHECK(option(R"("class": "IndexedOptionArray", "index": "i32")", "index",
               of<int32_t>({3, -1, 1, 1}), 4) == "[3.5, null, 1.5, 1.5]");
  CHECK(option(R"("class": "IndexedOptionArray", "index": "i64")", "index", of<int64_t>({-1, 1, 2}),
               3) == "[null, 1.5, 2.5]");
  CHECK(option(R"("class": "UnmaskedArray")", "none", {}, 2) == "[0.0, 1.5]");
  const Array missing = read(R"({"class": "IndexedOptionArray", "index": "i64", "form_key": "o",
      "content": {"class": "EmptyArray"}})",
                             2, {{"o-index", of<int64_t>({-1, -1})}});
  CHECK(missing.type().str() == "2 * ?unknown");
  CHECK(to_string(missing) == "[null, null]");
  check_round_trip(missing);
}

TEST_CASE("from_buffers reads indexes, categories and unions") {
  const std::string n = numpy("float64", "n");
  const auto indexed = [&](const char* parameters) {
    return read(R"({"class": "IndexedArray", "index": "u32", "form_key": "i", "parameters": )" +
                    std::string(parameters) + R"(, "content": )" + n + "}",
                3, {{"i-index", of<uint32_t>({3, 1, 1})}, {"n-data", numbers}});
  };
  CHECK(to_string(indexed("{}")) == "[3.5, 1.5, 1.5]");
  CHECK(indexed("{}").type().str() == "3 * float64");
  const Array c = indexed(R"({"__array__": "categorical"})");
  CHECK(c.type().str() == "3 * categorical[type=float64]");
  CHECK(to_string(c) == "[3.5, 1.5, 1.5]");
  check_round_trip(c);

  const std::string text = R"({"class": "ListOffsetArray", "offsets": "i64", "form_key": "s",
      "parameters": {"__array__": "string"}, "content": {"class": "NumpyArray", "primitive": "uint8",
      "parameters": {"__array__": "char"}, "form_key": "c"}})";
  const Named b{{"u-tags", of<int8_t>({0, 1, 0, 1})},
                {"u-index", of<int64_t>({3, 0, 1, 2})},
                {"n-data", numbers},
                {"s-offsets", of<int64_t>({0, 1, 2, 3})},
                {"c-data", of<char>({'a', 'b', 'c'})}};
  const Array u = read(
      R"({"class": "UnionArray", "tags": "i8", "index": "i64", "form_key": "u", "contents": [)" +
          n + ", " + text + "]}",
      4, b);
  CHECK(u.type().str() == "4 * union[float64, string]");
  CHECK(to_string(u) == R"([3.5, "a", 1.5, "c"])");
  check_round_trip(u);

  const Array oc = read(R"({"class": "IndexedOptionArray", "index": "i64", "form_key": "u",
      "parameters": {"__array__": "categorical"}, "content": )" +
                            text + "}",
                        3,
                        {{"u-index", of<int64_t>({2, -1, 0})},
                         {"s-offsets", of<int64_t>({0, 1, 2, 3})},
                         {"c-data", of<char>({'a', 'b', 'c'})}});
  CHECK(oc.type().str() == "3 * ?categorical[type=string]");
  CHECK(to_string(oc) == R"(["c", null, "a"])");
  check_round_trip(oc);
}

TEST_CASE("from_buffers takes short forms, other byte orders and bytes that are not aligned") {
  CHECK(to_string(read("\"int8\"", 2, {{"None-data", of<int8_t>({1, 2})}})) == "[1, 2]");
  CHECK(to_string(read("int8", 2, {{"None-data", of<int8_t>({1, 2})}})) == "[1, 2]");
  const Array big = read(numpy("int32", "n"), 2,
                         {{"n-data", of<uint8_t>({0, 0, 0, 1, 0, 0, 1, 0})}}, ByteOrder::big);
  CHECK(to_string(big) == "[1, 256]");
  // One byte off: copied to where it can be loaded.
  const Buffer odd = of<uint8_t>({9, 1, 0, 0, 0}).slice(1);
  CHECK(to_string(read(numpy("int32", "n"), 1, {{"n-data", odd}})) == "[1]");
}

TEST_CASE("from_buffers says what is wrong with buffers") {
  const std::string lists =
      R"({"class": "ListOffsetArray", "offsets": "i64", "form_key": "l", "content": )" +
      numpy("float64", "n") + "}";
  const auto offsets = [&](std::vector<int64_t> o) {
    return [=] { return read(lists, 2, {{"l-offsets", of(o)}, {"n-data", numbers}}); };
  };
  CHECK_THROWS_AS(offsets({0, 1})(), ValueError);
  CHECK_THROWS_WITH(offsets({0, 1})(), ContainsSubstring("\"l-offsets\"") &&
                                           ContainsSubstring("need 24 bytes, found 16"));
  CHECK_THROWS_WITH(offsets({0, 3, 2})(), ContainsSubstring("decrease at 1: 3, 2"));
  CHECK_THROWS_WITH(offsets({-1, 3, 4})(), ContainsSubstring("start at -1"));
  CHECK_THROWS_WITH(offsets({0, 3, 11})(), ContainsSubstring("\"n-data\"") &&
                                               ContainsSubstring("need 88 bytes, found 80"));

  const std::string n = numpy("float64", "n");
  const auto views = [&](std::vector<int64_t> starts, std::vector<int64_t> stops) {
    return read(
        R"({"class": "ListArray", "starts": "i64", "stops": "i64", "form_key": "l", "content": )" +
            n + "}",
        1, {{"l-starts", of(starts)}, {"l-stops", of(stops)}, {"n-data", numbers}});
  };
  CHECK_THROWS_WITH(views({3}, {2}),
                    ContainsSubstring("list 0") && ContainsSubstring("starts at 3 and stops at 2"));
  CHECK_THROWS_WITH(views({-1}, {2}), ContainsSubstring("starts at -1"));
  CHECK_THROWS_WITH(views({1}, {20}), ContainsSubstring("too short"));
  const auto indexed = [&](std::vector<int64_t> index) {
    return read(
        R"({"class": "IndexedArray", "index": "i64", "form_key": "i", "content": )" + n + "}", 1,
        {{"i-index", of(index)}, {"n-data", numbers}});
  };
  CHECK_THROWS_WITH(indexed({-1}), ContainsSubstring("index 0") && ContainsSubstring("is -1"));
  CHECK_THROWS_WITH(indexed({10}), ContainsSubstring("too short"));
  CHECK_THROWS_AS(indexed({INT64_MAX}), ValueError);
  const auto unions = [&](int8_t tag, int64_t index) {
    return read(
        R"({"class": "UnionArray", "tags": "i8", "index": "i64", "form_key": "u", "contents": [)" +
            n + ", " + n + "]}",
        1, {{"u-tags", of<int8_t>({tag})}, {"u-index", of<int64_t>({index})}, {"n-data", numbers}});
  };
  CHECK_THROWS_WITH(unions(2, 0),
                    ContainsSubstring("tag 0") && ContainsSubstring("is 2, there are 2 contents"));
  CHECK_THROWS_WITH(unions(-1, 0), ContainsSubstring("is -1"));
  CHECK_THROWS_WITH(unions(1, 10), ContainsSubstring("too short"));
  CHECK_THROWS_WITH(unions(1, -3), ContainsSubstring("is -3"));
  CHECK_THROWS_WITH(read(n, -1, {}), ContainsSubstring("expected a length, got -1"));
  CHECK_THROWS_WITH(read(R"({"class": "EmptyArray"})", 1, {}), ContainsSubstring("has no values"));
}

TEST_CASE("from_buffers says what is wrong with a form") {
  const auto refuse = [](const std::string& form) { read(form, 0, {}); };
  CHECK_THROWS_AS(refuse("{"), ValueError);
  CHECK_THROWS_WITH(refuse("[]"), ContainsSubstring("expected an object"));
  CHECK_THROWS_WITH(refuse("{}"), ContainsSubstring("at form lacks \"class\""));
  CHECK_THROWS_WITH(refuse(R"({"class": "ListOfArray"})"),
                    ContainsSubstring("unknown class \"ListOfArray\" at form"));
  CHECK_THROWS_WITH(
      refuse(R"({"class": "RegularArray", "size": 1, "content": {"class": "NumpyArray"}})"),
      ContainsSubstring("NumpyArray at form.content lacks \"primitive\""));
  CHECK_THROWS_WITH(refuse(R"({"class": "NumpyArray", "primitive": "float128"})"),
                    ContainsSubstring("unknown primitive \"float128\""));
  CHECK_THROWS_WITH(refuse(R"({"class": "RegularArray", "size": -1, "content": "int64"})"),
                    ContainsSubstring("must be a size"));
  CHECK_THROWS_WITH(
      refuse(R"({"class": "IndexedOptionArray", "index": "u32", "content": "int64"})"),
      ContainsSubstring("can't be \"u32\""));
  CHECK_THROWS_WITH(refuse(R"({"class": "RecordArray", "fields": ["x"], "contents": []})"),
                    ContainsSubstring("1 fields and 0 contents"));
  std::string deep = "\"int64\"";
  for (int i = 0; i < 300; ++i)
    deep = R"({"class": "RegularArray", "size": 1, "content": )" + deep + "}";
  CHECK_THROWS_WITH(refuse(deep), ContainsSubstring("levels deep"));
  CHECK_THROWS_AS(refuse(std::string(100000, '[')), ValueError);
  CHECK_THROWS_WITH(buffer_key("{form_key}"), ContainsSubstring("{attribute}"));
}

TEST_CASE("to_buffers numbers forms from the root down and refuses scalars") {
  const Array x =
      read(R"({"class": "RegularArray", "size": 2, "content": )" + numpy("float64", "n") + "}", 2,
           {{"n-data", numbers}});
  ToBuffersOptions o;
  o.form_key = "part{id}";
  o.id_start = 5;
  o.key = buffer_key("{attribute}/{form_key}");
  const Buffers b = to_buffers(x, o);
  CHECK(
      b.form_json ==
      R"({"class": "RegularArray", "size": 2, "content": {"class": "NumpyArray", "primitive": "float64", )"
      R"("inner_shape": [], "parameters": {}, "form_key": "part6"}, "parameters": {}, "form_key": "part5"})");
  CHECK(b.buffers[0].first == "data/part6");
  CHECK_THROWS_AS(to_buffers(Array(1.5)), TypeError);
}

TEST_CASE("from_strided reads any memory of numbers") {
  std::vector<int32_t> items(24);
  for (int i = 0; i < 24; ++i) items[static_cast<size_t>(i)] = i;
  const Buffer b = of(items);
  const Array x = from_strided(b, DType::int32, {2, 3, 4});
  CHECK(x.type().str() == "2 * 3 * 4 * int32");
  CHECK(to_string(x) ==
        "[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], "
        "[[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]");
  CHECK(to_string(from_strided(b, DType::int32, {3, 2}, {4, 12})) == "[[0, 3], [1, 4], [2, 5]]");
  CHECK(to_string(from_strided(b, DType::int32, {3}, {-8}, 16)) == "[4, 2, 0]");
  CHECK(to_string(from_strided(b, DType::int32, {2, 2}, {0, 4}, 4)) == "[[1, 2], [1, 2]]");
  CHECK(to_string(from_strided(b, DType::int32, {2}, {6}, 0)) == "[0, 131072]");  // not aligned
  CHECK(to_string(from_strided(b, DType::int32, {}, {}, 8)) == "2");
  CHECK(from_strided(b, DType::int32, {2, 0}).type().str() == "2 * 0 * int32");
  CHECK(to_string(from_strided(b, DType::int32, {2, 0})) == "[[], []]");
  CHECK(from_strided({}, DType::datetime64, {0}, {}, 0, "ms").type().str() == "0 * datetime64[ms]");
  CHECK_THROWS_WITH(from_strided(b, DType::int32, {25}), ContainsSubstring("the memory has 96"));
  CHECK_THROWS_AS(from_strided(b, DType::int32, {2}, {-4}), ValueError);
  CHECK_THROWS_AS(from_strided(b, DType::int32, {-1}), ValueError);
}

}  // namespace
}  // namespace serrate
