// Fuzzer of from_arrow: bytes say what a producer's schema and array say, right or wrong, but for
// the sizes of buffers, which nobody can check. What is accepted must print and come back the same.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <vector>

#include "interop/arrow/schema.h"
#include "serrate/arrow.h"
#include "serrate/error.h"
#include "serrate/io.h"

namespace {

constexpr const char* kFormats[] = {
    "n",   "b",   "c",   "C",       "s",       "S",      "i",         "I",         "l",
    "L",   "e",   "f",   "g",       "u",       "U",      "z",         "Z",         "vu",
    "vz",  "w:3", "w:0", "+l",      "+L",      "+vl",    "+vL",       "+w:2",      "+w:0",
    "+s",  "+m",  "+r",  "+ud:0,1", "+us:5,7", "+ud:3",  "tdD",       "ttm",       "tsn:UTC",
    "tDs", "tiM", "tiD", "tin",     "d:5,2",   "d:30,2", "d:5,-2,32", "d:70,3,256"};
constexpr size_t kItems = 64;  // of each buffer, at least

class Producer {
 public:
  Producer(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  struct Field {
    ArrowSchema schema{};
    ArrowArray array{};
    std::vector<const void*> buffers;
    std::vector<ArrowSchema*> schemas;
    std::vector<ArrowArray*> arrays;
  };

  Field& field(int depth) {
    Field& f = fields_.emplace_back();
    std::string format = next() < 250 ? kFormats[next() % std::size(kFormats)] : text();
    // How long buffers are a producer alone knows: those here hold items of up to 32 bytes.
    if (format.starts_with("w:")) format.resize(std::min(format.size(), size_t{3}));
    const bool nested = format.starts_with("+");
    const std::string_view start = std::string_view(format).substr(0, 3);
    size_t children = !nested                                 ? 0
                      : start == "+r"                         ? 2
                      : start == "+us" || format == "+ud:0,1" ? 2
                      : format == "+s"                        ? next() % 4
                                                              : 1;
    if (odd()) children = next() % 4;
    if (depth > 6) children = 0;
    for (size_t i = 0; i < children; ++i) {
      Field& c = field(depth + 1);
      f.schemas.push_back(&c.schema);
      f.arrays.push_back(&c.array);
    }
    f.schema.format = keep(format);
    f.schema.name = keep(odd() ? text() : std::string(1, static_cast<char>('a' + next() % 3)));
    if (odd()) {
      metadata_.push_back(serrate::interop::arrow::write_metadata(
          {{"ARROW:extension:name", odd() ? text() : "awkward"},
           {odd() ? "ak:parameters" : "ARROW:extension:metadata", text()}}));
      f.schema.metadata = metadata_.back().data();
    }
    f.schema.flags = next() % 8;
    f.schema.n_children = static_cast<int64_t>(children);
    f.schema.children = f.schemas.data();
    f.schema.release = [](ArrowSchema* s) { s->release = nullptr; };
    const bool view = format.starts_with("v");
    size_t buffers = format == "n" || format == "+r"                      ? 0
                     : format == "+s" || start == "+w:" || start == "+us" ? 1
                     : view                                               ? 4
                     : format == "u" || format == "U" || format == "z" || format == "Z" ||
                             format.starts_with("+v")
                         ? 3
                         : 2;
    if (odd()) buffers = next() % 5;
    for (size_t i = 0; i < buffers; ++i)
      f.buffers.push_back(odd()                                     ? nullptr
                          : view && i + 1 == buffers && buffers > 2 ? sizes(buffers)
                                                                    : buffer(format, i));
    f.array.length = odd() ? static_cast<int8_t>(next()) % 16 : next() % 16;
    f.array.offset = odd() ? static_cast<int8_t>(next()) % 8 : 0;
    f.array.null_count = static_cast<int8_t>(next() % 3) - 1;
    f.array.n_buffers = static_cast<int64_t>(buffers);
    f.array.buffers = f.buffers.data();
    f.array.n_children = odd() ? next() % 4 : static_cast<int64_t>(children);
    if (f.array.n_children > static_cast<int64_t>(children)) f.array.n_children = -1;
    f.array.children = f.arrays.data();
    f.array.release = [](ArrowArray* a) { a->release = nullptr; };
    if (depth < 6 && !nested && next() % 8 == 0) {
      Field& d = field(depth + 1);
      f.schema.dictionary = &d.schema;
      f.array.dictionary = odd() ? nullptr : &d.array;
    }
    return f;
  }

 private:
  uint8_t next() { return at_ < size_ ? data_[at_++] : 0; }
  bool odd() { return next() > 240; }
  std::string text() {
    std::string t;
    for (size_t n = next() % 32; n > 0; --n) t += static_cast<char>(next());
    return t;
  }
  const char* keep(std::string t) { return texts_.emplace_back(std::move(t)).c_str(); }
  // Offsets and indexes are small numbers: one byte of input each. Those of texts are bytes of
  // data.
  const void* buffer(const std::string& format, size_t i) {
    auto& b = memory_.emplace_back(kItems * 32 / 8);
    auto* bytes = reinterpret_cast<uint8_t*>(b.data());
    const size_t at = next();
    const auto input = [&](size_t k) { return size_ == 0 ? uint8_t{0} : data_[(at + k) % size_]; };
    const bool wide = format == "U" || format == "Z" || format == "+L" || format == "+vL" ||
                      format == "l" || format == "L";
    const bool small =
        i > 0 && (format == "+l" || format == "+vl" || format == "+m" || format == "u" ||
                  format == "z" || format == "i" || format.starts_with("+ud"));
    int64_t sum = 0;
    for (size_t k = 0; k < kItems; ++k) {
      const bool sorted = next() != 255 && (format == "u" || format == "z" || format == "U" ||
                                            format == "Z" || format == "+l" || format == "+L");
      sum += input(k) % 3;
      const int64_t value = sorted ? sum : static_cast<int8_t>(input(k)) % 32;
      if (wide && i > 0) {
        std::memcpy(bytes + 8 * k, &value, 8);
      } else if (small) {
        const auto narrow = static_cast<int32_t>(value);
        std::memcpy(bytes + 4 * k, &narrow, 4);
      }
    }
    if (!(wide && i > 0) && !small)
      for (size_t k = 0; k < kItems * 32; ++k) bytes[k] = input(k);
    return b.data();
  }
  const void* sizes(size_t buffers) {
    return memory_.emplace_back(buffers, static_cast<int64_t>(kItems * 32)).data();
  }

  const uint8_t* data_;
  size_t size_, at_ = 0;
  std::deque<Field> fields_;
  std::deque<std::string> texts_, metadata_;
  std::deque<std::vector<int64_t>> memory_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Producer p(data, size);
  Producer::Field& f = p.field(0);
  serrate::Array x;
  try {
    x = serrate::from_arrow(&f.array, &f.schema);
  } catch (const std::exception&) {
    if (f.array.release != nullptr || f.schema.release != nullptr) std::abort();
    return 0;
  }
  const std::string text = serrate::to_string(x);
  serrate::show(x);
  if (x.is_scalar()) return 0;
  ArrowArray array{};
  ArrowSchema schema{};
  try {
    serrate::to_arrow(x, &array, &schema);
  } catch (const serrate::TypeError&) {
    return 0;  // Arrow has no such type
  }
  const serrate::Array y = serrate::from_arrow(&array, &schema);
  if (y.size() != x.size()) std::abort();
  return 0;
}
