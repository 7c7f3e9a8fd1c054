// Fuzzer of JSON: any bytes are an array or a ValueError; what was read comes back the same from
// its text; tokens found at once are those found byte by byte, and so are errors.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "io/json/target.h"
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

// Of control characters no text may have simdjson takes some for commas and colons: the reader
// refuses them.
bool has_controls(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
  });
}

// What is wrong with a text, by tokens found one way or the other.
std::string error_in(std::string_view text, bool plainly) {
  serrate::io::Tokens tokens;
  try {
    std::vector<uint32_t> plain;
    if (plainly) plain = serrate::io::find_tokens_plainly(text);
    const auto found = plainly ? std::span<const uint32_t>(plain) : tokens.find(text);
    if (!plainly && !has_controls(text) &&
        !std::ranges::equal(found, serrate::io::find_tokens_plainly(text)))
      std::abort();
    serrate::io::JsonCursor c(text, found);
    const auto target = serrate::io::discovering_target({});
    while (!c.done()) target->read(c);
  } catch (const serrate::io::JsonError& e) {
    return e.what + " at " + std::to_string(e.at);
  } catch (const serrate::ValueError& e) {
    return e.what();
  }
  return {};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Memory that ends where the text does.
  const std::string copy(reinterpret_cast<const char*>(data), size);
  const std::string line = copy + "\n";  // a number at its end is read up to what is behind it
  if (error_in(line, false) != error_in(line, true)) std::abort();
  round_trip(copy, {});
  round_trip(copy, {.line_delimited = true});
  round_trip(copy, {.schema = kSchema});
  round_trip(copy, {.line_delimited = true, .schema = kSchema});
  return 0;
}
