// Where the tokens of a JSON text are.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace serrate::io {

/// What is wrong with a text, and at which of its bytes.
struct JsonError {
  size_t at;
  std::string what;
};

/// Finds brackets, braces, colons, commas, and where strings, numbers and literals begin: a bit for
/// each byte, many bytes at once (stage 1 of Langdale, Lemire 2019). Here it is simdjson's, where
/// that is installed.
class Tokens {
 public:
  Tokens();
  ~Tokens();
  Tokens(const Tokens&) = delete;
  Tokens& operator=(const Tokens&) = delete;
  /// Their positions, until the next call. JsonError at the first byte that is no UTF-8 or is a
  /// control character inside of a string, or at a string that does not end. ValueError for 4 GiB
  /// or more.
  std::span<const uint32_t> find(std::string_view text);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

/// The same, byte by byte: where there is no simdjson, and to find out where the error is.
std::vector<uint32_t> find_tokens_plainly(std::string_view text);

}  // namespace serrate::io
