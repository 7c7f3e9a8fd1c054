// JSON: what python/serrate/_files/json.py calls.
#include "serrate/json.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include "common/checked.h"
#include "common/context.h"
#include "common/operands.h"
#include "files/files.h"
#include "functions/bind.h"

namespace serrate::python {
namespace {

using Text = std::optional<std::string>;
using Fields = std::optional<std::pair<std::string, std::string>>;

Array from_json_python(nb::bytes text, Truth line_delimited, const std::string& schema,
                       const Text& nan, const Text& posinf, const Text& neginf,
                       const Fields& fields) {
  const FromJsonOptions o{line_delimited, schema, {nan, posinf, neginf, fields}};
  std::optional<Array> out;
  without_lock([&] { out = from_json(std::string_view(text.c_str(), text.size()), o); });
  return new_array(*std::move(out));
}

// The number at a position, as a function of users gets it.
nb::object number_at(const View& v, int64_t i) {
  const int size = itemsize(v.dtype);
  const Scalar s = read_scalar(v.dtype, static_cast<const char*>(v.data) + i * size);
  if (v.dtype == DType::complex64 || v.dtype == DType::complex128)
    return owned(PyComplex_FromDoubles(s.f, s.im));
  return numpy_scalar(s, v.unit);
}

nb::object to_json_python(nb::handle array, nb::handle write, const Text& delimiter,
                          std::optional<int64_t> indent, int64_t readability, const Text& nan,
                          const Text& posinf, const Text& neginf, const Fields& fields,
                          nb::handle bytes, nb::handle other) {
  check<ValueError>(indent.value_or(0) >= 0 && readability >= 0,
                    "to_json: numbers of spaces must not be negative");
  ToJsonOptions o{delimiter, indent, readability, {nan, posinf, neginf, fields}, {}, {}};
  if (!bytes.is_none())
    o.convert_bytes = [bytes](std::string_view s) {
      return nb::cast<std::string>(nb::object(bytes(nb::bytes(s.data(), s.size()))));
    };
  if (!other.is_none())
    o.convert_other = [other](const View& v, int64_t i) {
      return nb::cast<std::string>(nb::object(other(number_at(v, i))));
    };
  const Beside in_place(Device::cpu);
  const Array a = looked_at(as_array(array, "to_json"));
  evaluate(a);
  if (!write.is_none()) {
    to_json(
        a, [&](std::string_view s) { write(nb::str(s.data(), s.size())); }, o);
    return nb::none();
  }
  std::string text;
  const auto make = [&] { text = to_json(a, o); };
  if (o.convert_bytes || o.convert_other)
    make();
  else
    without_lock(make);
  return nb::str(text.data(), text.size());
}

}  // namespace

void bind_json(nb::module_& m) {
  def(m, "_from_json", &from_json_python, "text"_a, "line_delimited"_a, "schema"_a,
      "nan_string"_a.none(), "posinf_string"_a.none(), "neginf_string"_a.none(),
      "complex_record_fields"_a.none());
  m.def("_to_json", &to_json_python, "array"_a, "write"_a.none(), "delimiter"_a.none(),
        "num_indent_spaces"_a.none(), "num_readability_spaces"_a, "nan_string"_a.none(),
        "posinf_string"_a.none(), "neginf_string"_a.none(), "complex_record_fields"_a.none(),
        "convert_bytes"_a.none(), "convert_other"_a.none());
}

}  // namespace serrate::python
