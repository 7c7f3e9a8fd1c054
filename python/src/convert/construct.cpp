// Array(data) and Record(data): what they are made of.
#include "convert/construct.h"

#include "common/checked.h"
#include "common/context.h"
#include "common/operands.h"
#include "convert/taking.h"
#include "ops/tree/levels.h"

namespace serrate::python {
namespace {

Array columns(nb::handle dict) {
  std::vector<std::pair<std::string, Array>> fields;
  for (auto [key, value] : nb::borrow<nb::dict>(dict)) {
    const std::string name = field_name(key, "Array");
    Array column = as_array(value, "Array");
    check<TypeError>(!column.is_scalar(), "Array: the column '{}' is not a list of values", name);
    check<ValueError>(fields.empty() || column.size() == fields[0].second.size(),
                      "Array: columns have lengths {} and {}",
                      fields.empty() ? 0 : fields[0].second.size(), column.size());
    fields.emplace_back(name, std::move(column));
  }
  check<TypeError>(!fields.empty(), "Array: a dict of columns must not be empty");
  return zip(fields, {.depth_limit = 1});
}

// Fields of a record; whole arrays are regular lists.
Array one_record(nb::handle mapping) {
  const Beside beside(mapping);
  std::vector<std::pair<std::string, Array>> fields;
  for (nb::handle pair : nb::iter(nb::object(mapping.attr("items")()))) {
    const nb::object value(pair[nb::int_(1)]);
    Array one =
        value.is_none() ? from_iter(nb::make_tuple(value)) : rows_of_one(as_array(value, "Record"));
    if (!array_in(value) && !record_in(value)) one = placed(one, true);
    fields.emplace_back(field_name(nb::object(pair[nb::int_(0)]), "Record"), one);
  }
  if (fields.empty()) return placed(from_iter(nb::dict()), true);
  return serrate::getitem(zip(fields, {.depth_limit = 1}), {int64_t{0}});
}

// A str is JSON text.
nb::object from_json(nb::handle text) {
  try {
    return not_too_deep("the JSON text", [&] {
      return nb::object(nb::module_::import_("json").attr("loads")(text));
    });
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_ValueError)) throw;
    throw ValueError(
        fmt::format("a str is read as JSON text: {}. An array of strings is made from a list of "
                    "them",
                    nb::cast<std::string>(nb::str(e.value()))));
  }
}

Array array_of(nb::handle data) {
  if (PyDict_Check(data.ptr())) return columns(data);
  if (PyUnicode_Check(data.ptr())) {
    const nb::object values = from_json(data);
    check<TypeError>(PyList_Check(values.ptr()), "Array: the JSON text is not a list");
    return new_array(from_iter(values));
  }
  if (PyBytes_Check(data.ptr())) {
    const Array bytes = from_numpy(numpy("frombuffer")(data, "dtype"_a = "uint8"));
    return new_array(with_parameter(bytes, "__array__", "\"byte\""));
  }
  if (PyList_Check(data.ptr()) || PyTuple_Check(data.ptr())) return new_array(from_iter(data));
  if (const auto a = from_layout(data)) return new_array(*a);
  Array a = as_array(data, "Array");
  check<TypeError>(!a.is_scalar(), "Array: expected a list of values, got a scalar of class {}",
                   nb::cast<std::string>(nb::str(nb::type_name(data.type()))));
  return a;
}

Array record_of(nb::handle data) {
  const bool text = PyUnicode_Check(data.ptr());
  const nb::object from = text ? from_json(data) : nb::borrow(data);
  const bool mapping = PyMapping_Check(from.ptr()) && has(from, "items");
  Array a = text && mapping ? placed(from_iter(from), true)
            : mapping       ? one_record(from)
                            : as_array(from, "Record");
  check<TypeError>(a.node()->kind == graph::NodeKind::record,
                   "Record: expected a mapping or a record");
  return a;
}

// Of a layout; other data are checked when they come in.
void check_buffers(nb::handle data) {
  if (from_layout(data))
    nb::module_::import_("serrate._layouts").attr("validity_error")(data, "exception"_a = true);
}

/// `of` makes an array of the data, the class says what errors name.
Array constructed(nb::handle data, const Construction& c, Array (*of)(nb::handle),
                  const char* class_name) {
  if (c.check_valid) check_buffers(data);
  begin(true, c.behavior, c.attrs);
  const TakingScope scope(as_taking(c.copy, class_name));
  Array a = of(data);
  if (!c.backend.is_none())
    a = move_to(a, backend_named(nb::cast<std::string>(c.backend), class_name));
  return c.name ? with_name(a, *c.name) : a;
}

}  // namespace

PyArray array_from(nb::handle data, const Construction& c) {
  const InnerCall call;
  Array a = constructed(data, c, array_of, "Array");  // which begins what is remembered
  PyArray x(std::move(a), current_meta());
  if (!c.named_axis.is_none()) set_axis_names(x.meta, c.named_axis, ops::levels(*x.node()).max);
  return x;
}

Record record_from(nb::handle data, const Construction& c) {
  const InnerCall call;
  Array a = constructed(data, c, record_of, "Record");
  Record x{std::move(a), current_meta()};
  if (!c.named_axis.is_none()) set_axis_names(x.meta, c.named_axis, 1);
  return x;
}

}  // namespace serrate::python
