// JSON in and out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "serrate/array.h"
#include "serrate/visit.h"

namespace serrate {

/// Texts that stand for numbers which JSON has not, and the two fields of a complex number.
struct JsonNumbers {
  std::optional<std::string> nan_string = {}, posinf_string = {}, neginf_string = {};
  std::optional<std::pair<std::string, std::string>> complex_record_fields = {};
};

struct FromJsonOptions {
  bool line_delimited = false;  ///< many documents, a row each, whatever blanks are between them
  std::string schema = {};      ///< a JSONSchema as JSON; empty: types are found while reading
  JsonNumbers numbers = {};
};
/// The array, record or value of a JSON document, or the rows of many:
///   from_json("[[1, 2.5], [], null]")                               3 * option[var * float64]
///   from_json("{\"x\": 1}\n{\"x\": 2}", {.line_delimited = true})   2 * {x: int64}
/// Types are those of ArrayBuilder; integers that int64 does not hold become float64. Documents
/// that fill lines are read by all threads. ValueError with the byte, line and column of what is no
/// JSON, does not fit the schema, or is a field that a record has twice; TypeError for a schema
/// that is none.
Array from_json(std::string_view text, const FromJsonOptions& o = {});

struct ToJsonOptions {
  /// Behind each row; without it the array is one document.
  std::optional<std::string> line_delimiter = {};
  std::optional<int64_t> num_indent_spaces = {};  ///< items on lines of their own
  int64_t num_readability_spaces = 0;             ///< behind commas and colons
  JsonNumbers numbers = {};
  /// Gives the JSON of bytes, and of times and complex numbers; without it those are a TypeError.
  std::function<std::string(std::string_view bytes)> convert_bytes = {};
  std::function<std::string(const View& v, int64_t i)> convert_other = {};
};
/// The array as JSON, in ASCII: floats with the fewest digits that give the same number again,
/// missing values as null, tuples as objects with the keys "0", "1" ... ValueError for NaN and
/// infinities that no text is given for.
///   to_json(x)   [[1.0,2.5],[],null]
std::string to_json(const Array& x, const ToJsonOptions& o = {});
/// The same in pieces: `write` gets about a megabyte at a time.
void to_json(const Array& x, const std::function<void(std::string_view)>& write,
             const ToJsonOptions& o = {});

}  // namespace serrate
