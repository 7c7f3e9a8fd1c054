// Functions on records, parameters and types.
#include <algorithm>

#include "bind.h"
#include "context.h"
#include "operands.h"
#include "ops/levels.h"

namespace serrate::python {
namespace {

std::string json_of(nb::handle value) {
  return nb::cast<std::string>(nb::module_::import_("json").attr("dumps")(value));
}

}  // namespace

Parameters as_parameters(nb::handle dict) {
  Parameters all;
  if (dict.is_none()) return all;
  for (auto [key, value] : nb::cast<nb::dict>(dict))
    all.emplace_back(nb::cast<std::string>(key), json_of(value));
  return all;
}

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

nb::object renamed(const Array& a, nb::handle named_axis) {
  nb::object out = wrap(a);
  if (Meta* meta = meta_of(out)) {
    const nb::module_ m = nb::module_::import_("serrate._named_axis");
    nb::object names = nb::borrow(named_axis);
    if (!names.is_none()) names = m.attr("checked")(names, std::max(1, ops::levels(*a.node()).max));
    meta->attrs = m.attr("with_names")(meta->attrs.is_valid() ? meta->attrs : nb::none(), names);
    if (meta->attrs.is_none()) meta->attrs = nb::object();
  }
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
  if (PyObject_IsInstance(array.ptr(), dtype.ptr()) == 1) {
    std::string unit;
    const DType t = dtype_of_numpy(array, &unit);
    return scalar_type_object(Type::number(t, unit));
  }
  const Array a = as_array(array, "type");
  return shown_type_object(a.type(), current_meta());
}

// Whether the axes of two arrays are called the same, where both have names.
bool names_agree(nb::handle a, nb::handle b) {
  nb::object names[2];
  for (int i = 0; i < 2; ++i) {
    const Meta* meta = meta_of(i ? b : a);
    if (!meta || !meta->attrs.is_valid()) return true;
    names[i] = nb::module_::import_("serrate._named_axis").attr("names_of")(meta->attrs);
    if (nb::len(names[i]) == 0) return true;
  }
  return names[0].equal(names[1]);
}

// Whether what two arrays mean by their names is the same.
bool classes_agree(nb::handle a, nb::handle b) {
  return !array_in(a) || !array_in(b) || a.type().is(b.type());
}

}  // namespace

void bind_records(nb::module_& m) {
  def(m, "zip", &zip_python, "arrays"_a, "depth_limit"_a = nb::none(), nb::kw_only(),
      "parameters"_a = nb::none(), "with_name"_a = nb::none(), "right_broadcast"_a = false,
      "optiontype_outside_record"_a = false,
      "Arrays as one array of records (a dict) or tuples (a sequence).\n\n"
      ">>> zip({\"x\": [1, 2], \"y\": [[3], []]})\n"
      "<Array [[{x: 1, y: 3}], []] type='2 * var * {x: int64, y: int64}'>");
  def(m, "zip_no_broadcast", &zip_no_broadcast_python, "arrays"_a, nb::kw_only(),
      "parameters"_a = nb::none(), "with_name"_a = nb::none(),
      "zip of arrays that have the same lengths already.\n\n>>> zip_no_broadcast({\"x\": [1, 2], "
      "\"y\": [3, 4]})\n<Array [{x: 1, y: 3}, {x: 2, y: 4}] type='2 * {x: int64, y: int64}'>");
  bind_axis(m, "merge_union_of_records", merge_union_of_records, -1, {},
            "Records of different fields as one type of record.\n\n>>> "
            "merge_union_of_records(concatenate([[{\"a\": 1}], [{\"b\": 2}]]))\n<Array [{a: 1, b: "
            "None}, {a: None, ...}] type='2 * {a: ?int64, b: ?int64}'>");
  bind_axis(m, "merge_option_of_records", merge_option_of_records, -1, {},
            "Records whose fields are missing in place of missing records.\n\n>>> "
            "merge_option_of_records([{\"x\": 1}, None])\n<Array [{x: 1}, {x: None}] type='2 * {x: "
            "?int64}'>");
  m.def(
      "broadcast_fields",
      [](nb::args arrays, Truth highlevel, nb::handle behavior, nb::handle attrs) {
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
      },
      "arrays"_a, nb::kw_only(), SERRATE_HBA,
      "The arrays with the fields of all.\n\n>>> broadcast_fields([{\"x\": 1}], [{\"y\": "
      "2}])[0]\n<Array [{x: 1, y: None}] type='1 * {x: int64, y: ?unknown}'>");
  def(m, "unzip", &unzip_python, "array"_a, nb::kw_only(),
      "how"_a.none() = nb::borrow((PyObject*)&PyTuple_Type),
      "One array per field.\n\n>>> x, y = unzip([{\"x\": 1, \"y\": 2}])\n>>> y\n<Array [2] "
      "type='1 * int64'>");
  def(
      m, "with_field",
      [](nb::handle array, nb::handle what, nb::handle where) {
        // Without a name it gets the next number.
        const Beside beside(array, what);
        const Array a = as_array(array, "with_field");
        return with_field(
            a, field_value(what),
            where.is_none() ? std::vector<std::string>{""} : field_path(where, "with_field"));
      },
      "array"_a, "what"_a.none(), "where"_a = nb::none(), nb::kw_only(),
      "A field more, or another in its place.\n\n>>> with_field([{\"x\": 1}], 5, \"y\")\n<Array "
      "[{x: 1, y: 5}] type='1 * {x: int64, y: int64}'>");
  def(
      m, "without_field",
      [](nb::handle array, nb::handle where) {
        return without_field(as_array(array, "without_field"), field_path(where, "without_field"));
      },
      "array"_a, "where"_a, nb::kw_only(),
      "A field less.\n\n>>> without_field([{\"x\": 1, \"y\": 2}], \"y\")\n<Array [{x: 1}] type='1 "
      "* {x: int64}'>");
  def(
      m, "with_name",
      [](nb::handle array, std::optional<std::string> name) {
        return with_name(as_array(array, "with_name"), name.value_or(""));
      },
      "array"_a, "name"_a.none(), nb::kw_only(),
      "Records of a named type.\n\n>>> with_name([{\"x\": 1}], \"Point\").typestr\n'1 * Point[x: "
      "int64]'");
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
        return PyObject_IsTrue(named_axis.ptr()) == 1 ? renamed(x, named_axis) : wrap(x);
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
      "fields", [](nb::handle array) { return as_array(array, "fields").fields(); }, "array"_a,
      "Names of the record fields.\n\n>>> fields([{\"x\": 1}])\n['x']");
  m.def(
      "is_tuple", [](nb::handle array) { return holds_tuples(as_array(array, "is_tuple").type()); },
      "array"_a, "True for tuples, records without names.\n\n>>> is_tuple([(1, 2)])\nTrue");
  m.def(
      "parameters", [](nb::handle array) { return parameters_of(as_array(array, "parameters")); },
      "array"_a,
      "Notes in the outermost type.\n\n>>> parameters([\"a\"])\n{'__array__': 'string'}");
  m.def("type", &type_python, "array"_a.none(), nb::kw_only(), "behavior"_a = nb::none(),
        "The type.\n\n>>> str(type([[1, 2], []]))\n'2 * var * int64'");
  m.def(
      "almost_equal",
      [](nb::handle left, nb::handle right, double rtol, double atol, Truth dtype_exact,
         Truth check_parameters, Truth check_regular, Truth check_named_axis) {
        begin();
        forget_attrs();
        if (check_named_axis && !names_agree(left, right)) return false;
        if (check_parameters && !classes_agree(left, right)) return false;
        const auto [x, y] = as_operands("almost_equal", left, right);
        return almost_equal(x, y,
                            {.rtol = rtol,
                             .atol = atol,
                             .dtype_exact = dtype_exact,
                             .check_parameters = check_parameters,
                             .check_regular = check_regular});
      },
      "left"_a, "right"_a, nb::kw_only(), "rtol"_a = 1e-5, "atol"_a = 1e-8, "dtype_exact"_a = true,
      "check_parameters"_a = true, "check_regular"_a = true, "check_named_axis"_a = true,
      "True if structure and types are the same and the values nearly.\n\n>>> almost_equal([[1.0], "
      "[]], [[1.0 + 1e-9], []])\nTrue");
  m.def(
      "array_equal",
      [](nb::handle a1, nb::handle a2, Truth equal_nan, Truth dtype_exact, Truth,
         Truth check_parameters, Truth check_regular, Truth check_named_axis) {
        begin();
        forget_attrs();
        if (check_named_axis && !names_agree(a1, a2)) return false;
        const auto [x, y] = as_operands("array_equal", a1, a2);
        return array_equal(x, y,
                           {.rtol = 0,
                            .atol = 0,
                            .equal_nan = equal_nan,
                            .dtype_exact = dtype_exact,
                            .check_parameters = check_parameters,
                            .check_regular = check_regular});
      },
      "a1"_a, "a2"_a, "equal_nan"_a = false, "dtype_exact"_a = true, "same_content_types"_a = true,
      "check_parameters"_a = true, "check_regular"_a = true, "check_named_axis"_a = true,
      "True if structure, types and values are the same.\n\n>>> array_equal([[1], []], [[1], "
      "[]])\nTrue");
}

}  // namespace serrate::python
