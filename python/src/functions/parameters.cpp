// What types say besides their values: parameters, names of axes, and the types themselves.
#include "common/checked.h"
#include "common/context.h"
#include "common/operands.h"
#include "functions/bind.h"
#include "ops/tree/levels.h"

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

bool notes_on_unknown(const Type& t) {
  if (t.is(Type::Kind::unknown)) return !t.parameters().empty();
  return std::any_of(t.contents().begin(), t.contents().end(), notes_on_unknown);
}

nb::object read_type(const std::string& text, bool highlevel) {
  const Type t = parse_type(text, highlevel);
  check<TypeError>(!notes_on_unknown(t), "from_datashape: unknown has no parameters");
  if (!highlevel || t.is(Type::Kind::array)) return type_object(t);
  check<ValueError>(t.is(Type::Kind::record),
                    "from_datashape: an array's type begins with its length, got '{}'; "
                    "highlevel=False reads the types of items",
                    text);
  return scalar_type_object(t);
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
  def<"with_parameter">(m, [](nb::handle array, const std::string& parameter, nb::handle value) {
    return with_parameter(as_array(array, "with_parameter"), parameter, json_of(value));
  });
  def<"without_parameters">(m, [](nb::handle array) {
    return without_parameters(as_array(array, "without_parameters"));
  });
  def<"with_named_axis">(m, [](nb::handle array, nb::handle named_axis) {
    // No names: the array as it is.
    const Array x = as_array(array, "with_named_axis");
    return is_true(named_axis) ? renamed(x, named_axis) : wrap(x);
  });
  def<"without_named_axis">(m, [](nb::handle array) {
    return renamed(as_array(array, "without_named_axis"), nb::none());
  });
  def<"parameters">(m,
                    [](nb::handle array) { return parameters_of(as_array(array, "parameters")); });
  def<"type">(m, &type_python);
  def<"from_datashape">(m, &read_type);
}

}  // namespace serrate::python
