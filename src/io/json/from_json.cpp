// Documents of JSON: one, or many, whose lines the threads share.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/seams.h"
#include "cpu/machine/pool.h"
#include "io/json/target.h"
#include "serrate/error.h"

namespace serrate {
namespace io {

SpecialNumbers::SpecialNumbers(const JsonNumbers& o)
    : nan_(o.nan_string),
      posinf_(o.posinf_string),
      neginf_(o.neginf_string),
      any_(nan_ || posinf_ || neginf_) {}

bool SpecialNumbers::find(std::string_view s, double& out) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (nan_ && s == *nan_)
    out = std::numeric_limits<double>::quiet_NaN();
  else if (posinf_ && s == *posinf_)
    out = kInfinity;
  else if (neginf_ && s == *neginf_)
    out = -kInfinity;
  else
    return false;
  return true;
}

void fail_complex(const std::pair<std::string, std::string>& fields) {
  throw ValueError(fmt::format(
      "from_json: records with the fields '{}' and '{}' are complex numbers: both must be numbers "
      "wherever there is one of them",
      fields.first, fields.second));
}

namespace {

// A number at the end is read up to what is behind it.
bool readable(std::string_view text) {
  return text.empty() || std::string_view("]}\" \n\r\t").find(text.back()) != text.npos;
}

// Reads the documents of a text; `first` is where it begins in the whole.
void read_documents(std::string_view text, size_t first, bool single, Tokens& tokens,
                    JsonTarget& target) {
  std::string copy;
  if (!readable(text)) text = (copy = text) += '\n';
  try {
    JsonCursor c(text, tokens.find(text));
    if (single) {
      if (c.done()) throw JsonError{text.size(), "there is no value"};
      target.read(c);
      if (!c.done())
        c.fail(c.next(), "expected the end of the text (line_delimited=True reads many values)");
    }
    while (!c.done()) target.read(c);
  } catch (JsonError& e) {
    e.at += first;
    throw;
  }
}

[[noreturn]] void fail_json(std::string_view text, const JsonError& e) {
  const size_t at = std::min(e.at, text.size());
  const std::string_view before = text.substr(0, at);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  std::string shown;
  for (const char c : text.substr(at, 20)) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) break;
    shown += c;
  }
  throw ValueError(fmt::format("from_json: {} at byte {} (line {}, column {}){}", e.what, at, line,
                               at - begin + 1, shown.empty() ? "" : ": " + shown));
}

// Where the text is cut into parts: behind ends of lines.
std::vector<size_t> cuts(std::string_view text) {
  const auto part = static_cast<size_t>(seams().json_part);
  const auto threads = static_cast<size_t>(cpu::num_threads());
  // A few parts a thread: they are joined in the end.
  const size_t most = threads == 1 ? text.size() / part + 1 : 4 * threads;
  const size_t bytes = std::max(part, text.size() / most);
  std::vector<size_t> out = {0};
  while (text.size() - out.back() > bytes) {
    const size_t end = text.find('\n', out.back() + bytes - 1);
    if (end == text.npos || end + 1 == text.size()) break;
    out.push_back(end + 1);
  }
  out.push_back(text.size());
  return out;
}

// The lines of each part as documents of their own. False if that fails somewhere: documents may go
// over several lines, and errors are found again from the start.
bool read_in_parts(std::string_view text, const std::vector<size_t>& at, JsonTarget& target) {
  const auto parts = static_cast<int64_t>(at.size()) - 1;
  const auto threads = static_cast<size_t>(cpu::num_threads());
  std::vector<Tokens> tokens(threads);
  std::vector<std::unique_ptr<JsonTarget>> targets(static_cast<size_t>(parts));
  try {
    cpu::parallel_for(parts, [&](int64_t i, int worker) {
      const auto k = static_cast<size_t>(i);
      JsonTarget* into = &target;
      if (threads > 1) {
        targets[k] = target.fresh();
        into = targets[k].get();
      }
      read_documents(text.substr(at[k], at[k + 1] - at[k]), at[k], false,
                     tokens[static_cast<size_t>(worker)], *into);
    });
  } catch (const JsonError&) {
    return false;
  }
  if (threads > 1) target.append(targets);
  return true;
}

}  // namespace
}  // namespace io

Array from_json(std::string_view text, const FromJsonOptions& o) {
  const auto make = [&] {
    return o.schema.empty() ? io::discovering_target(o.numbers)
                            : io::schema_target(o.schema, o.numbers);
  };
  std::unique_ptr<io::JsonTarget> target = make();
  bool read = false;
  if (o.line_delimited) {
    if (const std::vector<size_t> at = io::cuts(text); at.size() > 2) {
      read = io::read_in_parts(text, at, *target);
      if (!read) target = make();
    }
  }
  try {
    io::Tokens tokens;
    if (!read) io::read_documents(text, 0, !o.line_delimited, tokens, *target);
  } catch (const io::JsonError& e) {
    io::fail_json(text, e);
  }
  return target->array(!o.line_delimited);
}

}  // namespace serrate
