// JSON values of type parameters, kept as text in the form of Python's json.dumps.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace serrate::core {

/// Reads the JSON value at text[pos], moves pos behind it and returns it as json.dumps writes it:
/// ASCII, ", " and ": " between members, keys in their order, the last of equal keys. Throws
/// ValueError with the position.
std::string read_json(std::string_view text, size_t& pos);

/// The members of the JSON object at text[pos], values as read_json gives them.
std::vector<std::pair<std::string, std::string>> read_json_object(std::string_view text,
                                                                  size_t& pos);

/// The string literal at text[pos], decoded to UTF-8.
std::string read_json_string(std::string_view text, size_t& pos);

/// read_json of a whole text; nothing may follow.
std::string canonical_json(std::string_view text);

/// The decoded string if `json` is a string literal.
std::optional<std::string> json_string(std::string_view json);

/// Moves pos over blanks.
void skip_blanks(std::string_view text, size_t& pos);

/// Throws "type string: expected WHAT at position P, got ...".
[[noreturn]] void fail_expected(std::string_view text, size_t pos, std::string_view what);

}  // namespace serrate::core
