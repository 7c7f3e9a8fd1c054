// Tokens of JSON by simdjson, and byte by byte: see tokens.h.
#include "io/json/tokens.h"

#if defined(SERRATE_SIMDJSON)
#include <simdjson.h>
#endif

#include <new>

#include "serrate/error.h"

namespace serrate::io {
namespace {

constexpr size_t kMostBytes = 0xffffffff;

bool is_blank(unsigned char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool is_structural(unsigned char c) {
  return c == '[' || c == ']' || c == '{' || c == '}' || c == ':' || c == ',';
}

// Bytes of the UTF-8 sequence at p, 0 if there is none (RFC 3629).
size_t utf8_sequence(const unsigned char* p, size_t room) {
  const unsigned char c = p[0];
  const auto follows = [&](size_t i, unsigned char lo = 0x80, unsigned char hi = 0xbf) {
    return i < room && p[i] >= lo && p[i] <= hi;
  };
  if (c < 0x80) return 1;
  if (c >= 0xc2 && c <= 0xdf) return follows(1) ? 2 : 0;
  if ((c & 0xf0) == 0xe0) {
    const bool second = follows(1, c == 0xe0 ? 0xa0 : 0x80, c == 0xed ? 0x9f : 0xbf);
    return second && follows(2) ? 3 : 0;
  }
  if (c >= 0xf0 && c <= 0xf4) {
    const bool second = follows(1, c == 0xf0 ? 0x90 : 0x80, c == 0xf4 ? 0x8f : 0xbf);
    return second && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::vector<uint32_t> find_tokens_plainly(std::string_view text) {
  check<ValueError>(text.size() < kMostBytes,
                    "from_json: a document of {} bytes: 4 GiB are the most; line_delimited=True "
                    "reads any number of smaller ones",
                    text.size());
  const auto* p = reinterpret_cast<const unsigned char*>(text.data());
  std::vector<uint32_t> out;
  bool in_string = false, in_scalar = false;
  size_t begin = 0;
  for (size_t i = 0; i < text.size();) {
    const size_t n = utf8_sequence(p + i, text.size() - i);
    if (n == 0) throw JsonError{i, "bytes that are no UTF-8"};
    const unsigned char c = p[i];
    if (in_string) {
      if (c < 0x20) throw JsonError{i, "a control character inside of a string"};
      if (c == '\\' && i + 1 < text.size() && p[i + 1] < 0x80 && p[i + 1] >= 0x20) {
        ++i;  // whatever it is does not end the string
      } else if (c == '"') {
        in_string = false;
        in_scalar = false;
      }
    } else if (c == '"') {
      if (!in_scalar) out.push_back(static_cast<uint32_t>(i));
      in_string = true;
      begin = i;
    } else if (is_structural(c)) {
      out.push_back(static_cast<uint32_t>(i));
      in_scalar = false;
    } else if (is_blank(c)) {
      in_scalar = false;
    } else {
      if (!in_scalar) out.push_back(static_cast<uint32_t>(i));
      in_scalar = true;
      // No JSON, but simdjson opens no string there either.
      if (c == '\\' && i + 1 < text.size() && (p[i + 1] == '"' || p[i + 1] == '\\')) ++i;
    }
    i += n;
  }
  if (in_string) throw JsonError{begin, "a string that does not end"};
  return out;
}

#if defined(SERRATE_SIMDJSON)
struct Tokens::Parser {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> stages;
  std::vector<uint32_t> plain;
};

std::span<const uint32_t> Tokens::find(std::string_view text) {
  using simdjson::error_code;
  auto& stages = parser_->stages;
  if (text.size() >= kMostBytes) find_tokens_plainly(text);
  // Of an empty text simdjson says that it is empty.
  if (text.empty()) return {};
  error_code error = error_code::SUCCESS;
  if (!stages) {
    // The depth is for its second stage, which is not used.
    error = simdjson::get_active_implementation()->create_dom_parser_implementation(text.size(), 1,
                                                                                    stages);
  } else if (stages->capacity() < text.size()) {
    error = stages->set_capacity(text.size());
  }
  if (error == error_code::MEMALLOC) throw std::bad_alloc();
  if (error == error_code::SUCCESS)
    error = stages->stage1(reinterpret_cast<const uint8_t*>(text.data()), text.size(),
                           simdjson::stage1_mode::regular);
  if (error == error_code::SUCCESS)
    return {stages->structural_indexes.get(), stages->n_structural_indexes};
  // Where is it? (Or it is only empty.)
  parser_->plain = find_tokens_plainly(text);
  return parser_->plain;
}
#else
struct Tokens::Parser {
  std::vector<uint32_t> plain;
};

std::span<const uint32_t> Tokens::find(std::string_view text) {
  parser_->plain = find_tokens_plainly(text);
  return parser_->plain;
}
#endif

Tokens::Tokens() : parser_(std::make_unique<Parser>()) {}
Tokens::~Tokens() = default;

}  // namespace serrate::io
