// One pass over the tokens of a JSON text.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/interrupt.h"
#include "io/json/numbers.h"
#include "io/json/tokens.h"
#include "serrate/type.h"

namespace serrate::io {

/// Behind the last byte of a text that may end in a number there must be one more: see `readable`.
class JsonCursor {
 public:
  JsonCursor(std::string_view text, std::span<const uint32_t> tokens)
      : text_(text.data()),
        end_(text.data() + text.size()),
        at_(tokens.data()),
        last_(tokens.data() + tokens.size()) {}

  bool done() const { return at_ == last_; }
  /// The token that comes next, passed.
  const char* next() {
    if (at_ == last_) [[unlikely]]
      fail(end_, "the text ends here");
    return text_ + *at_++;
  }
  /// The first byte of the token that comes next; 0 at the end.
  char peek() const { return at_ == last_ ? '\0' : text_[*at_]; }
  void skip() { ++at_; }

  JsonNumber number(const char* p) const {
    JsonNumber out;
    const NumberError error = read_number(p, end_, out);
    if (error != NumberError::none) [[unlikely]]
      fail_number(p, error);
    return out;
  }
  /// The string behind the quote at p[-1]: where it stands, or decoded in `scratch`.
  std::string_view string(const char* p, std::string& scratch) const {
    const char* q = find_special(p);
    if (*q == '"') [[likely]]
      return {p, static_cast<size_t>(q - p)};
    return decode(p, q, scratch);
  }
  /// Whether the string at p is `key`, which has neither quotes nor backslashes, up to its end.
  bool is_key(const char* p, const std::string& key) const {
    return static_cast<size_t>(end_ - p) > key.size() && p[key.size()] == '"' &&
           std::memcmp(p, key.data(), key.size()) == 0;
  }
  void literal(const char* p, std::string_view word) const {
    const bool same = static_cast<size_t>(end_ - p) >= word.size() &&
                      std::memcmp(p, word.data(), word.size()) == 0 &&
                      (p + word.size() == end_ || ends_scalar(p[word.size()]));
    if (!same) fail_value(p);
  }
  /// Behind an item: true if a comma follows, false if it is `close`.
  bool more(char close) {
    const char* p = next();
    if (*p == ',') return true;
    if (*p != close) fail(p, close == ']' ? "expected ',' or ']'" : "expected ',' or '}'");
    return false;
  }
  /// The quote of a key.
  const char* key() {
    const char* p = next();
    if (*p != '"') fail(p, "expected a name in double quotes");
    return p + 1;
  }
  void colon() {
    const char* p = next();
    if (*p != ':') fail(p, "expected ':'");
  }
  /// The value at p, of which nothing is kept.
  void pass(const char* p, std::string& scratch);

  /// While it lives, a list or record is open.
  class Level {
   public:
    Level(JsonCursor& c, const char* p) : cursor_(c) {
      c.interruptible_.step();
      if (++c.depth_ + 2 >= kMaxTypeDepth) c.fail(p, "too many levels of nesting");
    }
    ~Level() { --cursor_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    JsonCursor& cursor_;
  };

  [[noreturn]] void fail(const char* p, std::string what) const;
  [[noreturn]] void fail_value(const char* p) const;
  [[noreturn]] void fail_number(const char* p, NumberError error) const;

 private:
  // The first quote or backslash from p on; there is one.
  const char* find_special(const char* p) const;
  std::string_view decode(const char* p, const char* escape, std::string& scratch) const;

  const char* text_;
  const char* end_;
  const uint32_t* at_;
  const uint32_t* last_;
  int depth_ = 0;
  Interruptible& interruptible_ = Interruptible::of_thread();
};

}  // namespace serrate::io
