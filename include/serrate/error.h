// The exception families. Python sees TypeError, ValueError, OverflowError and IndexError; the type
// is API, the text is for people.
#pragma once

#include <fmt/format.h>

#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace serrate {

/// What was asked does not make sense for these types (unknown dtype, record where a number is
/// needed, ...).
struct TypeError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};
/// The types fit, the values don't (list lengths that differ, offsets that decrease, a bad type
/// string, ...).
struct ValueError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};
/// A number that its type cannot hold: a Python integer, a time in a finer unit.
struct OverflowError : ValueError {
  using ValueError::ValueError;
};
/// A position, an axis or a field that does not exist.
struct IndexError : std::out_of_range {
  using std::out_of_range::out_of_range;
};
/// axis= out of range: an IndexError and, in Python, also a ValueError (as
/// numpy.exceptions.AxisError).
struct AxisError : IndexError {
  using IndexError::IndexError;
};
/// A field name that no record here has.
struct FieldError : IndexError {
  using IndexError::IndexError;
};

/// Memory that a device does not have.
class MemoryError : public std::bad_alloc {
 public:
  explicit MemoryError(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// check<ValueError>(ok, "op: expected {}, got {}", a, b): throws E with the formatted text unless
/// ok.
template <class E = ValueError, class... Args>
inline void check(bool ok, fmt::format_string<Args...> text, Args&&... args) {
  if (!ok) [[unlikely]]
    throw E(fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace serrate
