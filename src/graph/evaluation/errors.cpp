// What is thrown where data are not as an expression asks.
#include <string>
#include <string_view>

#include "graph/backend.h"
#include "graph/evaluate.h"
#include "serrate/error.h"

namespace serrate::graph {

void raise_unequal(const std::string& where, int64_t a, int64_t b, int64_t position) {
  if (where.starts_with("getitem"))
    throw IndexError(fmt::format("{}: a list of {} items slices one of {} at position {}", where, b,
                                 a, position));
  throw ValueError(fmt::format("{}: cannot broadcast nested list: lengths {} and {} at position {}",
                               where, a, b, position));
}

void raise_check(const CheckInfo& info, int64_t row, int64_t index) {
  std::string text = info.where + ": " + info.text;
  auto put = [&](std::string_view key, int64_t value, const char* more = "") {
    const size_t at = text.find(key);
    if (at != std::string::npos) text.replace(at, key.size(), std::to_string(value) + more);
  };
  // The length of its list was added to a negative one.
  put("{index}", index, index < 0 ? " (from the front)" : "");
  put("{position}", row);
  info.raise(text);
}

}  // namespace serrate::graph
