// Fuzzer of JSON: any bytes are an array or a ValueError; what was read comes back the same from
// its text; tokens found at once are those found byte by byte.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "io/json/tokens.h"
#include "serrate/error.h"
#include "serrate/json.h"
#include "serrate/type.h"

namespace {

constexpr const char* kSchema =
    R"({"type": "array", "items": {"type": ["object", "null"], "properties": {
      "x": {"type": ["number", "null"]}, "s": {"type": ["string", "null"], "enum": ["a", "b"]},
      "l": {"type": ["array", "null"], "items": {"type": "integer"}}}}})";

void round_trip(std::string_view text, const serrate::FromJsonOptions& o) {
  std::string written;
  try {
    written = to_json(serrate::from_json(text, o));
  } catch (const serrate::ValueError&) {
    return;
  }
  serrate::FromJsonOptions again;
  if (to_json(serrate::from_json(written, again)) != written) std::abort();
}

void compare_tokens(std::string_view text) {
  serrate::io::Tokens tokens;
  try {
    const auto plain = serrate::io::find_tokens_plainly(text);
    const auto found = tokens.find(text);
    if (!std::equal(found.begin(), found.end(), plain.begin(), plain.end())) std::abort();
  } catch (const serrate::io::JsonError&) {
    try {
      tokens.find(text);
    } catch (const serrate::io::JsonError&) {
      return;
    }
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Memory that ends where the text does.
  const std::string copy(reinterpret_cast<const char*>(data), size);
  compare_tokens(copy);
  round_trip(copy, {});
  round_trip(copy, {.line_delimited = true});
  round_trip(copy, {.schema = kSchema});
  round_trip(copy, {.line_delimited = true, .schema = kSchema});
  return 0;
}
