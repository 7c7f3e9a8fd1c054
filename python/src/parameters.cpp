// What types say besides their values: parameters, names of axes, and the types themselves.
#include "bind.h"
#include "checked.h"
#include "context.h"
#include "operands.h"
#include "ops/levels.h"

namespace serrate::python {
namespace {

std::string json_of(nb::handle value) {
  return nb::cast<std::string>(nb::module_::import_("json").attr("dumps")(value));
}

nb::object renamed(const Array& a, nb::handle named_axis) {
  nb::object out = wrap(a);
  if (Meta* meta = meta_of(out)) set_axis_names(*meta, named_axis, ops::levels(*a.node()).max);
  return out;
}

nb::object parameters_of(const Array& a) {
  Type t = a.type();
  if (t.is(Type::Kind::array)) t = t.content();
  nb::dict out;
  if (t.is_categorical() || (t.is(Type::Kind::option) && t.content().is_categorical())) {
    out["__array__"] = "categorical";
    return out;
  }
  if (t.is(Type::Kind::string)) out["__array__"] = "string";
  if (t.is(Type::Kind::bytestring)) out["__array__"] = "bytestring";
  const nb::object loads = nb::module_::import_("json").attr("loads");
  for (const auto& [key, json] : t.parameters()) out[key.c_str()] = loads(json);
  return out;
}

// The type of scalars too: type(1) is "int64". Of text, as of a list of characters.
nb::object type_python(nb::handle array, nb::handle behavior) {
  begin(true, behavior, nb::none());
  if (array.is_none()) return scalar_type_object(Type::unknown());
  if (PyUnicode_Check(array.ptr()) || PyBytes_Check(array.ptr())) {
    const bool text = PyUnicode_Check(array.ptr());
    return type_object(Type::array(nb::len(array), text ? Type::character() : Type::byte()));
  }
  static const nb::handle dtype = numpy("dtype");
  if (is_instance(array, dtype)) {
    std::string unit;
    const DType t = dtype_of_numpy(array, &unit);
    return scalar_type_object(Type::number(t, unit));
  }
  const Array a = as_array(array, "type");
  return shown_type_object(a.type(), current_meta());
}

}  // namespace

Parameters as_parameters(nb::handle dict) {
  Parameters all;
  if (dict.is_none()) return all;
  for (auto [key, value] : nb::cast<nb::dict>(dict))
    all.emplace_back(nb::cast<std::string>(key), json_of(value));
  return all;
}

void bind_parameters(nb::module_& m) {
  def(
      m, "with_parameter",
      [](nb::handle array, const std::string& parameter, nb::handle value) {
        return with_parameter(as_array(array, "with_parameter"), parameter, json_of(value));
      },
      "array"_a, "parameter"_a, "value"_a.none(), nb::kw_only(),
      "The same values with a note in the type.\n\n>>> parameters(with_parameter([1, 2], \"unit\", "
      "\"GeV\"))\n{'unit': 'GeV'}");
  def(
      m, "without_parameters",
      [](nb::handle array) { return without_parameters(as_array(array, "without_parameters")); },
      "array"_a, nb::kw_only(),
      "The same values without notes in the type.\n\n>>> "
      "parameters(without_parameters(with_parameter([1, 2], \"unit\", \"GeV\")))\n{}");
  def(
      m, "with_named_axis",
      [](nb::handle array, nb::handle named_axis) {
        // No names: the array as it is.
        const Array x = as_array(array, "with_named_axis");
        return is_true(named_axis) ? renamed(x, named_axis) : wrap(x);
      },
      "array"_a, "named_axis"_a.none(), nb::kw_only(),
      "The array with names for its axes: a tuple of names, or positions by name.\n\n>>> "
      "with_named_axis([[1, 2], []], (\"events\", None)).named_axis\n{'events': 0}");
  def(
      m, "without_named_axis",
      [](nb::handle array) { return renamed(as_array(array, "without_named_axis"), nb::none()); },
      "array"_a, nb::kw_only(),
      "The array without names of axes.\n\n>>> without_named_axis(with_named_axis([1], "
      "(\"a\",))).named_axis\n{}");
  m.def(
      "parameters", [](nb::handle array) { return parameters_of(as_array(array, "parameters")); },
      "array"_a,
      "Notes in the outermost type.\n\n>>> parameters([\"a\"])\n{'__array__': 'string'}");
  m.def("type", &type_python, "array"_a.none(), nb::kw_only(), "behavior"_a = nb::none(),
        "The type.\n\n>>> str(type([[1, 2], []]))\n'2 * var * int64'");
}

}  // namespace serrate::python
