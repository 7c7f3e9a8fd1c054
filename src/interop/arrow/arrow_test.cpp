// Arrow's C interfaces: round trips, what is shared, and producers that lie. Each one counts what
// it releases.
#include "serrate/arrow.h"

#include <atomic>
#include <cstring>
#include <deque>
#include <thread>

#include "../../../tests/cpp/catch.h"
#include "interop/arrow/schema.h"
#include "serrate/error.h"
#include "serrate/io.h"

namespace serrate {
namespace {

using Catch::Matchers::ContainsSubstring;

std::atomic<int> released{0};

// A producer whose structures say whatever a test wants.
struct Field {
  ArrowSchema schema{};
  ArrowArray array{};
  std::vector<const void*> buffers;
  std::vector<Field*> fields;
  std::vector<ArrowSchema*> schemas;
  std::vector<ArrowArray*> arrays;
};

struct Producer {
  std::deque<Field> fields;
  std::deque<std::vector<int64_t>> words;
  std::deque<std::string> texts;

  Field& field(const char* format, int64_t n, std::vector<const void*> buffers,
               std::vector<Field*> children = {}, int64_t nulls = 0) {
    Field& f = fields.emplace_back();
    f.buffers = std::move(buffers);
    f.fields = std::move(children);
    for (Field* c : f.fields) {
      f.schemas.push_back(&c->schema);
      f.arrays.push_back(&c->array);
    }
    f.schema.format = format;
    f.schema.name = "";
    f.schema.n_children = static_cast<int64_t>(f.fields.size());
    f.schema.children = f.schemas.data();
    f.schema.release = [](ArrowSchema* s) { s->release = nullptr; };
    f.array.length = n;
    f.array.null_count = nulls;
    f.array.n_buffers = static_cast<int64_t>(f.buffers.size());
    f.array.buffers = f.buffers.data();
    f.array.n_children = f.schema.n_children;
    f.array.children = f.arrays.data();
    f.array.release = [](ArrowArray* a) {
      ++released;
      a->release = nullptr;
    };
    return f;
  }
};

// The test's own memory outlives the arrays, so only the root's release counts.
Array taken(Field& f, const FromArrowOptions& o = {}) {
  const int before = released;
  try {
    Array x = from_arrow(&f.array, &f.schema, o);
    REQUIRE(f.array.release == nullptr);
    REQUIRE(released == before);
    return x;
  } catch (const std::exception&) {
    REQUIRE(released == before + 1);  // at once
    REQUIRE(f.schema.release == nullptr);
    throw;
  }
}
std::string refused(Field& f) {
  try {
    taken(f);
  } catch (const ValueError& e) {
    return e.what();
  }
  return "";
}

const int32_t kOffsets[] = {0, 2, 2, 3};
const int64_t kNumbers[] = {10, 20, 30, 40};
const uint8_t kBits[] = {0b10101101};

TEST_CASE("arrow: numbers, bits and lists are read where they are") {
  Producer p;
  Field& items = p.field("l", 3, {nullptr, kNumbers});
  Field& lists = p.field("+l", 3, {kBits, kOffsets}, {&items}, -1);
  const int before = released;
  {
    const Array x = taken(lists);
    CHECK(x.type().str() == "3 * option[var * int64]");
    CHECK(to_string(x) == "[[10, 20], null, [30]]");
    const ArrayView v = view(x);
    CHECK(v.item.contents[0].contents[0].data == kNumbers);
    CHECK(v.item.contents[0].offsets == kOffsets);
  }
  CHECK(released == before + 1);
}

TEST_CASE("arrow: offsets of arrays at any bit") {
  for (int64_t offset = 0; offset < 6; ++offset) {
    Producer p;
    Field& f = p.field("b", 8 - offset, {nullptr, kBits});
    f.array.offset = offset;
    std::string want = "[";
    for (int64_t i = offset; i < 8; ++i)
      want += std::string(i > offset ? ", " : "") + (kBits[0] >> i & 1 ? "true" : "false");
    CHECK(to_string(taken(f)) == want + "]");
  }
}

TEST_CASE("arrow: out and in again") {
  const Array numbers = from_values<double>({1.5, 2.5, 3.5});
  const Array lists = unflatten(numbers, from_values<int>({2, 0, 1}));
  for (const Array& x : {numbers, lists, zip({{"a", lists}, {"b", numbers}}),
                         mask(numbers, numbers > 2.0), Array(lists != lists)}) {
    ArrowArray array{};
    ArrowSchema schema{};
    to_arrow(x, &array, &schema);
    const Array y = from_arrow(&array, &schema);
    CHECK(y.type().str() == x.type().str());
    CHECK(to_string(y) == to_string(x));
    ArrowArrayStream stream{};
    to_arrow(x, &stream);
    CHECK(to_string(from_arrow(&stream)) == to_string(x));
    ArrowDeviceArrayStream device{};
    to_arrow(x, &device);
    CHECK(device.device_type == ARROW_DEVICE_CPU);
    CHECK(to_string(from_arrow(&device)) == to_string(x));
  }
  ArrowArray array{};
  ArrowSchema schema{};
  to_arrow(lists, &array, &schema);
  CHECK(array.children[0]->buffers[1] == view(numbers).item.data);
  // Children can be moved out.
  ArrowArray child = *array.children[0];
  array.children[0]->release = nullptr;
  array.release(&array);
  CHECK(array.release == nullptr);
  CHECK(static_cast<const double*>(child.buffers[1])[2] == 3.5);
  child.release(&child);
  schema.release(&schema);
}

TEST_CASE("arrow: producers that lie are refused, and released once") {
  Producer p;
  const auto numbers = [&](int64_t n = 3) -> Field& {
    return p.field("l", n, {nullptr, kNumbers});
  };
  const auto lists = [&](const int32_t* offsets, int64_t n = 3, int64_t items = 3) -> Field& {
    return p.field("+l", n, {nullptr, offsets}, {&numbers(items)});
  };
  const auto wrong = [&](auto change) {
    Field& f = lists(kOffsets);
    change(f);
    return refused(f);
  };
  CHECK_THAT(wrong([](Field& f) { f.array.n_buffers = 1; }), ContainsSubstring("1 buffers"));
  CHECK_THAT(wrong([](Field& f) { f.array.n_buffers = -1; }), ContainsSubstring("buffers"));
  CHECK_THAT(wrong([](Field& f) { f.array.buffers = nullptr; }), ContainsSubstring("buffers"));
  CHECK_THAT(wrong([](Field& f) { f.buffers[1] = nullptr; }), ContainsSubstring("null"));
  CHECK_THAT(wrong([](Field& f) { f.array.n_children = 0; }), ContainsSubstring("children"));
  CHECK_THAT(wrong([](Field& f) { f.array.children = nullptr; }), ContainsSubstring("children"));
  CHECK_THAT(wrong([](Field& f) { f.arrays[0] = nullptr; }), ContainsSubstring("null"));
  CHECK_THAT(wrong([](Field& f) { f.schema.n_children = -5; }), ContainsSubstring("children"));
  CHECK_THAT(wrong([](Field& f) { f.schema.children = nullptr; }), ContainsSubstring("children"));
  CHECK_THAT(wrong([](Field& f) { f.schemas[0] = nullptr; }), ContainsSubstring("null"));
  CHECK_THAT(wrong([](Field& f) { f.array.length = -1; }), ContainsSubstring("length -1"));
  CHECK_THAT(wrong([](Field& f) { f.array.offset = -1; }), ContainsSubstring("offset -1"));
  CHECK_THAT(wrong([](Field& f) { f.array.length = INT64_MAX; }), ContainsSubstring("length"));
  CHECK_THAT(wrong([](Field& f) { f.array.null_count = 2; }), ContainsSubstring("2 missing"));
  CHECK_THAT(wrong([](Field& f) { f.fields[0]->array.length = 2; }), ContainsSubstring("end at 3"));
  CHECK_THAT(wrong([](Field& f) { f.fields[0]->array.release = nullptr; }),
             ContainsSubstring("released"));
  CHECK_THAT(wrong([](Field& f) { f.fields[0]->schema.release = nullptr; }),
             ContainsSubstring("released"));
  CHECK_THAT(wrong([](Field& f) { f.schema.format = nullptr; }), ContainsSubstring("format"));
  CHECK_THAT(wrong([](Field& f) { f.array.dictionary = &f.array; }),
             ContainsSubstring("dictionary"));
  CHECK_THAT(wrong([](Field& f) { f.schema.dictionary = &f.fields[0]->schema; }),
             ContainsSubstring("dictionary"));
  const int32_t decreasing[] = {0, 2, 1, 3}, negative[] = {-1, 0, 1, 2},
                huge[] = {0, 1, 2, 1 << 30};
  CHECK_THAT(refused(lists(decreasing)), ContainsSubstring("decrease at 1"));
  CHECK_THAT(refused(lists(negative)), ContainsSubstring("start at -1"));
  CHECK_THAT(refused(lists(huge)), ContainsSubstring("there are 3 items"));
  for (const char* format : {"",         "x",        "+",    "+w:", "+w:-1",   "+w:99999999999",
                             "+w:3x",    "w:",       "d:",   "d:1", "d:0,0",   "d:50,2",
                             "d:5,2,48", "ts",       "tsq:", "ts:", "+ud:1,1", "+ud:300",
                             "+us:-1",   "+ud:,",    "+r",   "+m",  "tdx",     "+l ",
                             "v",        "\xff\xfe", "%s%n"}) {
    Field& f = p.field(format, 0, {nullptr, kNumbers});
    INFO(format);
    CHECK_FALSE(refused(f).empty());
  }
  // Categories, unions and runs that point elsewhere.
  const int8_t index[] = {0, 5, 1}, codes[] = {0, 1, 9};
  Field& values = numbers(2);
  Field& dictionary = p.field("c", 3, {nullptr, index});
  dictionary.schema.dictionary = &values.schema;
  dictionary.array.dictionary = &values.array;
  CHECK_THAT(refused(dictionary), ContainsSubstring("index 5"));
  CHECK_THAT(refused(p.field("+us:0,1", 3, {codes}, {&numbers(), &numbers()})),
             ContainsSubstring("type code 9"));
  const int8_t two[] = {0, 1, 1};
  const int32_t places[] = {0, 1, 7};
  CHECK_THAT(refused(p.field("+ud:0,1", 3, {two, places}, {&numbers(), &numbers()})),
             ContainsSubstring("item 7"));
  const int32_t ends[] = {2, 1}, short_ends[] = {1, 2};
  const auto runs = [&](const int32_t* e) -> Field& {
    return p.field("+r", 3, {}, {&p.field("i", 2, {nullptr, e}), &numbers()});
  };
  CHECK_THAT(refused(runs(ends)), ContainsSubstring("run 1"));
  CHECK_THAT(refused(runs(short_ends)), ContainsSubstring("end at 2"));
  const int32_t views[] = {13, 0, 0, 0, 13, 0, 0, 5};
  const int64_t short_size[] = {13}, negative_size[] = {-13};
  const auto texts = [&](const int64_t* size) -> Field& {
    return p.field("vu", 2, {nullptr, views, kNumbers, size});
  };
  CHECK_THAT(refused(texts(short_size)), ContainsSubstring("text 1"));
  CHECK_THAT(refused(texts(negative_size)), ContainsSubstring("-13 bytes"));
  const int32_t starts[] = {0, 2, 1}, sizes[] = {1, 2, 1};
  CHECK_THAT(refused(p.field("+vl", 3, {nullptr, starts, sizes}, {&numbers()})),
             ContainsSubstring("2 items from 2"));
}

TEST_CASE("arrow: unions with a validity of format 0.17, which is null") {
  Producer p;
  const int8_t codes[] = {1, 0, 1};
  const int32_t places[] = {0, 2, 1};
  const auto numbers = [&]() -> Field& { return p.field("l", 3, {nullptr, kNumbers}); };
  const auto listed = [](Field& f) { return to_string(taken(f)); };
  const std::string dense =
      listed(p.field("+ud:0,1", 3, {codes, places}, {&numbers(), &numbers()}));
  CHECK(listed(p.field("+ud:0,1", 3, {nullptr, codes, places}, {&numbers(), &numbers()})) == dense);
  const std::string sparse = listed(p.field("+us:0,1", 3, {codes}, {&numbers(), &numbers()}));
  CHECK(listed(p.field("+us:0,1", 3, {nullptr, codes}, {&numbers(), &numbers()})) == sparse);
  CHECK_THAT(refused(p.field("+us:0,1", 3, {codes, codes}, {&numbers(), &numbers()})),
             ContainsSubstring("2 buffers"));
}

TEST_CASE("arrow: nested too deep") {
  Producer p;
  Field* f = &p.field("l", 0, {nullptr, nullptr});
  for (int i = 0; i < 10000; ++i) f = &p.field("+l", 0, {nullptr, kOffsets}, {f});
  CHECK_THAT(refused(*f), ContainsSubstring("nested too deep"));
}

TEST_CASE("arrow: released structures and streams are refused") {
  ArrowArray array{};
  ArrowSchema schema{};
  CHECK_THROWS_AS(from_arrow(&array, &schema), ValueError);
  ArrowArrayStream stream{};
  CHECK_THROWS_AS(from_arrow(&stream), ValueError);
  Producer p;
  Field& f = p.field("l", 3, {nullptr, kNumbers});
  ArrowDeviceArray elsewhere{};
  elsewhere.array = f.array;
  elsewhere.device_type = ARROW_DEVICE_METAL;
  const int before = released;
  CHECK_THROWS_AS(from_arrow(&elsewhere, &f.schema), ValueError);
  CHECK(released == before + 1);
}

TEST_CASE("arrow: a stream that fails says why, and what came before is released") {
  static int left = 0;
  static Producer* producer = nullptr;
  Producer p;
  producer = &p;
  const auto stream = [] {
    ArrowArrayStream s{};
    s.get_schema = [](ArrowArrayStream*, ArrowSchema* out) {
      *out = producer->field("l", 0, {nullptr, nullptr}).schema;
      return 0;
    };
    s.get_next = [](ArrowArrayStream*, ArrowArray* out) {
      if (left < 0) return 5;
      *out = {};
      if (left-- > 0) *out = producer->field("l", 2, {nullptr, kNumbers}).array;
      return 0;
    };
    s.get_last_error = [](ArrowArrayStream*) { return "the disk is gone"; };
    s.release = [](ArrowArrayStream* a) { a->release = nullptr; };
    return s;
  };
  int before = released;
  left = 3;
  ArrowArrayStream s = stream();
  CHECK(to_string(from_arrow(&s)) == "[10, 20, 10, 20, 10, 20]");
  CHECK(released == before + 3);
  left = 0;
  s = stream();
  CHECK(from_arrow(&s).type().str() == "0 * int64");
  left = -1;
  s = stream();
  CHECK_THROWS_WITH(from_arrow(&s), ContainsSubstring("the disk is gone"));
  CHECK(s.release == nullptr);
}

TEST_CASE("arrow: the last array to go releases, in any thread") {
  Producer p;
  const int before = released;
  std::vector<std::thread> threads;
  std::atomic<bool> right{true};
  {
    Array x = taken(p.field("l", 4, {nullptr, kNumbers}));
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([x, i, &right] {
        const Array part = getitem(x, {Slice{.start = i}});
        for (int k = 0; k < 100; ++k) right = right && sum(part + k).item<int64_t>() > 0;
      });
  }
  for (auto& t : threads) t.join();
  CHECK(right);
  CHECK(released == before + 1);
  Array part;
  {
    const Array x = taken(p.field("l", 4, {nullptr, kNumbers}));
    part = getitem(x, {Slice{.start = 2}});
  }
  CHECK(released == before + 1);
  CHECK(to_string(part) == "[30, 40]");
  part = Array(1);
  CHECK(released == before + 2);
}

TEST_CASE("arrow: metadata") {
  using namespace interop::arrow;
  const Metadata m{{"a", "b"}, {"", std::string("\0\xff", 2)}};
  CHECK(read_metadata(write_metadata(m).data()) == m);
  CHECK(bytes_of_json(bytes_to_json(std::string("\0\xff\x80 a\"", 6))) ==
        std::string("\0\xff\x80 a\"", 6));
  std::string bad = write_metadata(m);
  const int32_t negative = -3;
  std::memcpy(bad.data(), &negative, 4);
  CHECK_THROWS_AS(read_metadata(bad.data()), ValueError);
}

}  // namespace
}  // namespace serrate
