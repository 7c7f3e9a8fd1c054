// Functions on records.
#include <algorithm>

#include "common/context.h"
#include "common/operands.h"
#include "functions/bind.h"

namespace serrate::python {
bool holds_tuples(const Type& t) {
  if (t.is(Type::Kind::record)) return t.is_tuple();
  if (t.is_string_like() || t.contents().empty()) return false;
  return std::all_of(t.contents().begin(), t.contents().end(), holds_tuples);
}

Array field_value(nb::handle o) {
  return o.is_none() ? *scalar_from(o) : as_array(o, "with_field");
}

namespace {

using Fields = std::vector<std::pair<std::string, Array>>;

bool is_mapping(nb::handle arrays) {
  return PyDict_Check(arrays.ptr()) ||
         (PyMapping_Check(arrays.ptr()) && has(arrays, "items") && !array_in(arrays));
}

Fields as_fields(nb::handle mapping, const char* op) {
  const Beside beside(mapping);
  Fields fields;
  const auto add = [&](const nb::object& key, const nb::object& value) {
    fields.emplace_back(field_name(key, op), as_array(value, op));
  };
  if (PyDict_CheckExact(mapping.ptr())) {
    fields.reserve(static_cast<size_t>(PyDict_Size(mapping.ptr())));
    for (auto [key, value] : nb::borrow<nb::dict>(mapping)) add(nb::borrow(key), nb::borrow(value));
    return fields;
  }
  for (nb::handle pair : nb::iter(nb::object(mapping.attr("items")())))
    add(nb::object(pair[nb::int_(0)]), nb::object(pair[nb::int_(1)]));
  return fields;
}

nb::object zip_python(nb::handle arrays, std::optional<int> depth_limit, nb::handle parameters,
                      std::optional<std::string> with_name, Truth right_broadcast,
                      Truth optiontype) {
  const ZipOptions o{.depth_limit = depth_limit,
                     .with_name = with_name.value_or(""),
                     .right_broadcast = right_broadcast,
                     .optiontype_outside_record = optiontype,
                     .parameters = as_parameters(parameters)};
  return wrap(is_mapping(arrays) ? zip(as_fields(arrays, "zip"), o)
                                 : zip(as_arrays(arrays, "zip"), o));
}

nb::object zip_no_broadcast_python(nb::handle arrays, nb::handle parameters,
                                   std::optional<std::string> with_name) {
  const char* op = "zip_no_broadcast";
  const std::string name = with_name.value_or("");
  const Parameters p = as_parameters(parameters);
  return wrap(is_mapping(arrays) ? zip_no_broadcast(as_fields(arrays, op), name, p)
                                 : zip_no_broadcast(as_arrays(arrays, op), name, p));
}

nb::object unzip_python(nb::handle array, nb::handle how) {
  const Array a = as_array(array, "unzip");
  nb::object parts = wrap_all(unzip(a));
  if (how.is((PyObject*)&PyTuple_Type)) return parts;
  check<ValueError>(how.is((PyObject*)&PyDict_Type), "unzip: how must be tuple or dict");
  nb::dict out;
  std::vector<std::string> names = a.fields();
  if (names.empty()) names.push_back("0");
  for (size_t i = 0; i < names.size(); ++i) out[names[i].c_str()] = nb::object(parts[nb::int_(i)]);
  return out;
}

}  // namespace

void bind_records(nb::module_& m) {
  def<"zip">(m, &zip_python);
  def<"zip_no_broadcast">(m, &zip_no_broadcast_python);
  def_along_axis<"merge_union_of_records">(m, merge_union_of_records);
  def_along_axis<"merge_option_of_records">(m, merge_option_of_records);
  def<"broadcast_fields">(
      m, [](nb::args arrays, Truth highlevel, nb::handle behavior, nb::handle attrs) {
        begin();
        forget_attrs();
        std::vector<Array> results = broadcast_fields(as_arrays(arrays, "broadcast_fields"));
        nb::list out;
        for (size_t i = 0; i < results.size(); ++i) {
          begin(highlevel, behavior, attrs);  // each takes after its own
          if (const Meta* own = meta_of(arrays[i])) remember(*own);
          out.append(wrap(std::move(results[i])));
        }
        return out;
      });
  def<"unzip">(m, &unzip_python);
  def<"with_field">(m, [](nb::handle array, nb::handle what, nb::handle where) {
    // Without a name it gets the next number.
    const Beside beside(array, what);
    const Array a = as_array(array, "with_field");
    Array value;
    Meta meta;
    {
      const InnerCall inner;  // a field is no operand: names of axes stay where they are
      value = field_value(what);
      meta = current_meta();
    }
    remember(meta);
    return with_field(
        a, value, where.is_none() ? std::vector<std::string>{""} : field_path(where, "with_field"));
  });
  def<"without_field">(m, [](nb::handle array, nb::handle where) {
    return without_field(as_array(array, "without_field"), field_path(where, "without_field"));
  });
  def<"with_name">(m, [](nb::handle array, std::optional<std::string> name) {
    return with_name(as_array(array, "with_name"), name.value_or(""));
  });
  def<"fields">(m, [](nb::handle array) { return as_array(array, "fields").fields(); });
  def<"is_tuple">(
      m, [](nb::handle array) { return holds_tuples(as_array(array, "is_tuple").type()); });
}

}  // namespace serrate::python
