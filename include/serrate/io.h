// Data in and out: Awkward's forms and buffers, NumPy's strided memory, and text.
#pragma once

#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serrate/ops.h"
#include "serrate/visit.h"

namespace serrate {

// -- buffers --------------------------------------------------------------------------------------
enum class ByteOrder : uint8_t { little, big };

/// Name of the buffer that holds `attribute` (data, offsets, starts, stops, index, mask, tags) of
/// the form node `form_key`.
using BufferKey =
    std::function<std::string(const std::string& form_key, const std::string& attribute)>;
/// Fills "{form_key}" and "{attribute}" into a pattern. ValueError if one is missing.
BufferKey buffer_key(std::string pattern = "{form_key}-{attribute}");
/// Gives the buffer of that name; may throw if there is none.
using Container = std::function<Buffer(const std::string& key)>;

/// An array over foreign buffers, described by an Awkward Form in JSON (all classes, verbose or
/// short: "int64"). Nothing is copied but what must be swapped (big-endian) or aligned. All of it
/// is checked here: ValueError names the form node or the buffer, what was needed and what found.
/// Where buffers are on the GPU the array is there, and its numbers are not copied.
Array from_buffers(std::string_view form_json, int64_t length, const Container& container,
                   const BufferKey& key = buffer_key(), ByteOrder byteorder = ByteOrder::little);

/// An array as Awkward's form, length and named buffers.
struct Buffers {
  std::string form_json;
  int64_t length = 0;
  std::vector<std::pair<std::string, Buffer>> buffers;
  std::vector<std::string> dtypes;  ///< of the numbers in each: "int64", "datetime64[us]"
};
struct ToBuffersOptions {
  BufferKey key = buffer_key();
  std::string form_key = "node{id}";  ///< "{id}" counts form nodes from the root down
  int64_t id_start = 0;
  ByteOrder byteorder = ByteOrder::little;
};
/// Evaluates x and gives its form and buffers, trimmed to what x uses; they are shared, not copied,
/// where that can be, and lie where x lies. TypeError for scalars.
Buffers to_buffers(const Array& x, const ToBuffersOptions& o = {});

/// N-d memory as nested regular lists, without a copy if items are aligned. `strides` are in bytes
/// and may be negative or zero; `offset` is the byte in `data` where item (0, 0, ...) starts. Empty
/// strides mean C order. ValueError if an item would lie outside `data`. A 0-d shape is a scalar.
Array from_strided(const Buffer& data, DType dtype, const std::vector<int64_t>& shape,
                   const std::vector<int64_t>& strides = {}, int64_t offset = 0,
                   const std::string& unit = {});

// -- values of C++ ------------------------------------------------------------------------------
/// A flat array of these numbers, copied: from_values<double>({1.5, 2.5}) is 2 * float64. With
/// unflatten it becomes lists.
template <class T>
Array from_values(std::span<const T> values) {
  return from_strided(Buffer::copy_of(values.data(), static_cast<int64_t>(values.size_bytes())),
                      dtype_of<T>::value, {static_cast<int64_t>(values.size())});
}
template <class T>
Array from_values(const std::vector<T>& values) {
  return from_values(std::span<const T>(values));
}
/// The numbers of a flat array, which is evaluated and, on a GPU, copied from there:
/// to_values<double>(x). TypeError unless x is a list of T without missing values; values_astype,
/// flatten and fill_none make one.
template <class T>
std::vector<T> to_values(const Array& x) {
  const ArrayView v = view(to_backend(x, Device::cpu));
  check<TypeError>(v.length >= 0 && v.item.kind == ViewKind::number &&
                       v.item.dtype == dtype_of<T>::value && v.item.unit.empty(),
                   "to_values: expected a list of {}, got {}", name(dtype_of<T>::value),
                   x.type().str());
  const T* first = static_cast<const T*>(v.item.data) + v.first;
  return std::vector<T>(first, first + v.length);
}

// -- text -----------------------------------------------------------------------------------------
/// Writes the text of value i of a view into `out` and returns true, or returns false to leave it
/// to the default. Asked for every value, record and list that is printed.
using FormatHook = std::function<bool(const View& v, int64_t i, std::string& out)>;

struct ShowOptions {
  int64_t limit_rows = 20;  ///< 1: all on one line
  int64_t limit_cols = 80;  ///< width in code points
  int precision = 3;        ///< digits of floating point numbers
  bool type = false;        ///< "type: ..." above
  FormatHook hook = {};
};
/// Values as Awkward's show() lays them out; evaluates only the rows that are printed.
///   [[1.1, 2.2, 3.3],
///    [],
///    [4.4, 5.5]]
std::string show(const Array& x, const ShowOptions& o = {});
/// One line: "[[1.1, 2.2, 3.3], [], [4.4, 5.5]]", cut at limit_cols as Awkward's str().
std::string str(const Array& x, int64_t limit_cols = 80);
/// "<Array [[1.1, 2.2, 3.3], [], [4.4, 5.5]] type='3 * var * float64'>", limited as in Awkward.
std::string repr(const Array& x, int64_t limit_cols = 80, const FormatHook& hook = {});
struct ReprOptions {
  std::string name;     ///< in place of Array or Record
  std::string type;     ///< in place of the type's text
  std::string between;  ///< values and type
  int64_t limit_cols = 80;
  FormatHook hook = {};
};
std::string repr(const Array& x, ReprOptions o);
std::ostream& operator<<(std::ostream& out, const Array& x);
std::ostream& operator<<(std::ostream& out, const Type& t);

/// All values as JSON (tuples as lists, missing as null, bytes as Latin-1 text, complex as
/// [re, im], times as ISO text), numbers with all digits; NaN and infinities unquoted.
std::string to_string(const Array& x);

/// The plan of evaluating these arrays together, drawn: passes over the data, loops, bytes. Nothing
/// is computed. For a GPU (where they are, or `on`, which needs none here) with its kernels' text.
///   1 pass over the data
///   for each of 3 rows
///     ...
std::string explain(const std::vector<Array>& arrays, std::optional<Device> on = {});

/// datetime64 as NumPy writes it: "2024-02-29T12:00". "NaT" for the missing time.
std::string datetime_text(int64_t value, std::string_view unit);
/// timedelta64 as NumPy writes it: "5 seconds".
std::string timedelta_text(int64_t value, std::string_view unit);
/// Python's repr of a str (UTF-8) and of a bytes object.
std::string python_repr(std::string_view utf8);
std::string python_bytes_repr(std::string_view bytes);

}  // namespace serrate
