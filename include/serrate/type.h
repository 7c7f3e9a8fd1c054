// The type of an array: what its elements are, without lengths of lists or data. Immutable, cheap
// to copy.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serrate/dtype.h"

namespace serrate {

/// Named annotations of a type: key -> JSON text as Python's json.dumps writes it. Few, so a vector
/// in order of insertion.
using Parameters = std::vector<std::pair<std::string, std::string>>;

/// Size of a regular dimension or length of an array that is not known yet; printed "##".
inline constexpr int64_t kUnknownSize = -1;
/// Deepest nesting of a type; makers and parser throw ValueError beyond it, so that recursion is
/// always safe.
inline constexpr int kMaxTypeDepth = 256;

/// A type: `Type::list(Type::number(DType::int64)).str() == "var * int64"`. A default one is
/// `unknown`. Copies share one node; nothing changes after it is built.
class Type {
 public:
  enum class Kind : uint8_t {
    unknown,
    number,
    list,
    regular,
    option,
    record,
    union_,
    string,
    bytestring,
    array
  };

  Type();

  /// "int64", "float32", ... For times, a unit as NumPy writes it: "s", "10us", or "" (generic).
  static Type number(DType dtype, std::string_view unit = {});
  /// datetime("datetime64", "s") or datetime("timedelta64", "ms"). Throws ValueError for a bad name
  /// or unit.
  static Type datetime(std::string_view name, std::string_view unit);
  static Type unknown();
  /// "char" and "byte": uint8 with the parameter __array__, what strings and bytestrings are lists
  /// of.
  static Type character();
  static Type byte();
  /// "string" and "bytes"; with a size, "string[5]" and "bytes[5]": all of that many bytes.
  static Type string();
  static Type string(int64_t size);
  static Type bytestring();
  static Type bytestring(int64_t size);
  /// "var * T"
  static Type list(Type content);
  /// "size * T"
  static Type regular(Type content, int64_t size);
  /// "?T"; does not collapse (see unify and simplify_option).
  static Type option(Type content);
  /// "{x: T, y: U}". Throws ValueError when names repeat or do not match the contents in number.
  static Type record(std::vector<std::string> names, std::vector<Type> contents);
  /// "(T, U)"
  static Type tuple(std::vector<Type> contents);
  /// "union[T, U]"; does not merge its contents (see unify).
  static Type union_(std::vector<Type> contents);
  /// "length * T", the type of a whole array; may only be outermost.
  static Type array(int64_t length, Type content);

  Kind kind() const;
  bool is(Kind k) const { return kind() == k; }
  /// Element type; throws TypeError unless this is a number.
  DType dtype() const;
  /// Unit of a datetime64 or timedelta64; "" for all others.
  std::string_view unit() const;
  /// Size of a regular dimension, length of an array, bytes of a fixed string; -1 when unknown or
  /// variable.
  int64_t size() const;
  bool is_fixed_size() const;
  /// The i-th inner type; the only one of list, regular, option, array. Throws IndexError.
  const Type& content(size_t i = 0) const;
  std::span<const Type> contents() const;
  /// Field names; empty for tuples and all that is not a record.
  std::span<const std::string> fields() const;
  bool is_tuple() const;
  /// Position of a field ("0", "1", ... in tuples), or -1.
  int64_t field_index(std::string_view name) const;
  /// Levels of nesting, 1 for a number.
  int depth() const;
  /// Both kinds of text.
  bool is_string_like() const { return is(Kind::string) || is(Kind::bytestring); }
  /// list or regular, strings not counted.
  bool is_list_like() const { return is(Kind::list) || is(Kind::regular); }

  /// All parameters. A string's own __array__ is implied by its kind and not listed.
  const Parameters& parameters() const;
  /// JSON text of one parameter, "" if absent.
  std::string_view parameter(std::string_view key) const;
  /// Replaces all parameters; values are any JSON text (ValueError if not), null drops the key. A
  /// list of uint8 with
  /// __array__ "string" becomes a string.
  Type with_parameters(const Parameters& parameters) const;
  /// Sets one parameter and keeps the others.
  Type with_parameter(std::string_view key, std::string_view json) const;
  /// Name of a record type from __record__, "" if none.
  std::string record_name() const;
  bool is_categorical() const { return !parameter("__categorical__").empty(); }
  Type as_categorical(bool yes = true) const;

  /// One line, exactly as Awkward's str(array.type): "3 * var * {x: ?int64, y: string}".
  std::string str() const;
  /// Several lines with indented fields, as Awkward's type.show().
  std::string pretty() const;

  /// Same structure, field order and parameters throughout.
  bool operator==(const Type& other) const;

 private:
  struct Node;
  explicit Type(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  static Type make(Node node);
  std::shared_ptr<const Node> node_;
};

/// Awkward's equality of types: fields and union members in any order, unknown sizes equal all, and
/// of the parameters only
/// __array__, __list__, __record__ and __categorical__ count (unless all_parameters).
bool equivalent(const Type& a, const Type& b, bool all_parameters = false);

/// Reads what Type::str() and Awkward write: "3 * var * ?int64". A leading "3 *" makes an array if
/// `highlevel`, else a regular dimension. Throws ValueError with position and expectation.
Type parse_type(std::string_view text, bool highlevel = true);

/// option(T) without nested options and unions: "?union[int64, string]" becomes "union[?int64,
/// ?string]".
Type simplify_option(const Type& content, const Parameters& parameters = {});

/// Whether values of both fit one column without a union.
bool mergeable(const Type& a, const Type& b, bool mergebool = true);

/// The type that holds values of both, as ak.concatenate([a, b]): "int64" and "?float32" give
/// "?float64", "int64" and "string" give "union[int64, string]". Arrays add their lengths.
/// `mergebool` turns bool into numbers.
Type unify(const Type& a, const Type& b, bool mergebool = true);

/// `text` as a JSON string literal in ASCII: a"b gives "a\"b".
std::string json_quote(std::string_view text);

}  // namespace serrate
