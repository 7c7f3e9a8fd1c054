// Functions on records.
#include <algorithm>

#include "bind.h"
#include "context.h"
#include "operands.h"

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
        Array value;
        Meta meta;
        {
          const InnerCall inner;  // a field is no operand: names of axes stay where they are
          value = field_value(what);
          meta = current_meta();
        }
        remember(meta);
        return with_field(
            a, value,
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
  m.def(
      "fields", [](nb::handle array) { return as_array(array, "fields").fields(); }, "array"_a,
      "Names of the record fields.\n\n>>> fields([{\"x\": 1}])\n['x']");
  m.def(
      "is_tuple", [](nb::handle array) { return holds_tuples(as_array(array, "is_tuple").type()); },
      "array"_a, "True for tuples, records without names.\n\n>>> is_tuple([(1, 2)])\nTrue");
}

}  // namespace serrate::python
