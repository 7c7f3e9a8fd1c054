// Arrow's types, as a schema of its C interface says them.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serrate/arrow.h"
#include "serrate/dtype.h"
#include "serrate/type.h"

namespace serrate::interop::arrow {

enum class Kind : uint8_t {
  null,
  boolean,
  number,    // of dtype; times have a unit; stored as `stored` where that differs
  decimal,   // of `width` bytes
  interval,  // of days and milliseconds, or months, days and nanoseconds
  text,      // offsets of `width` bytes into bytes
  text_view,
  fixed_bytes,  // of `width` bytes
  list,         // offsets of `width` bytes
  list_view,
  fixed_list,  // of `width` items
  record,
  dense_union,
  sparse_union,
  run_ends
};

/// Key and value of each pair of the metadata, which may hold any bytes.
using Metadata = std::vector<std::pair<std::string, std::string>>;

struct Field {
  Kind kind = Kind::null;
  std::string where;  // path from the root, for messages
  std::string name;
  std::string format;
  DType dtype = DType::int64;
  DType stored = DType::int64;  // number: the type in memory
  std::string unit, zone;       // times
  int64_t width = 0;
  int levels = 1;  // of fields inside one another
  int precision = 0, scale = 0;
  bool is_utf8 = false;  // text
  bool is_map = false, keys_sorted = false;
  bool nullable = false;
  bool ordered = false;         // dictionary
  std::vector<int> type_codes;  // unions
  Metadata metadata;
  std::vector<Field> children;
  std::vector<Field> dictionary;  // one: the values, and this is the index

  /// A value of the metadata, or "".
  std::string_view meta(std::string_view key) const;
  std::string_view extension() const { return meta("ARROW:extension:name"); }
  /// "utf8 at [0].x", for messages.
  std::string describe() const;
};

/// Reads a schema. ValueError says what of it makes no sense.
Field read_schema(const ArrowSchema& s);

/// The pairs of a metadata block; null has none. ValueError for numbers that make no sense.
Metadata read_metadata(const char* block);
std::string write_metadata(const Metadata& m);

/// Any bytes as a JSON string of code points below 256, and back.
std::string bytes_to_json(std::string_view bytes);
std::string bytes_of_json(std::string_view json);

}  // namespace serrate::interop::arrow

/// In messages: described only if there is one.
template <>
struct fmt::formatter<serrate::interop::arrow::Field> : fmt::formatter<std::string> {
  template <class Context>
  auto format(const serrate::interop::arrow::Field& f, Context& context) const {
    return fmt::formatter<std::string>::format(f.describe(), context);
  }
};
