// Growing JSON text: numbers and strings as Python's json.dumps writes them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace serrate::io {

/// Python's repr of a finite number: the fewest digits that give it again. At most 32 bytes.
char* write_double(char* out, double x);
char* write_integer(char* out, int64_t x);
char* write_integer(char* out, uint64_t x);

class JsonText {
 public:
  /// Room for n more bytes, from there on; `end` says how far it was filled.
  char* room(size_t n) {
    if (text_.size() - size_ < n) text_.resize(2 * (text_.size() + n));
    return text_.data() + size_;
  }
  void end(const char* p) { size_ = static_cast<size_t>(p - text_.data()); }
  void append(std::string_view s) {
    std::memcpy(room(s.size()), s.data(), s.size());
    size_ += s.size();
  }
  /// UTF-8 in quotes, in ASCII. Bytes that are no UTF-8 become lone surrogates, as in Python's
  /// "surrogateescape".
  void quote(std::string_view s);

  size_t size() const { return size_; }
  std::string_view view() const { return {text_.data(), size_}; }
  void clear() { size_ = 0; }
  std::string take() {
    text_.resize(size_);
    return std::move(text_);
  }

 private:
  std::string text_;
  size_t size_ = 0;
};

}  // namespace serrate::io
