// The class Type of Python; the classes that make and tell types apart are in types.py.
#include "python.h"

namespace serrate::python {
namespace {

const char* kind_of(const Type& t) {
  static constexpr const char* names[] = {"unknown", "number", "list",   "regular",    "option",
                                          "record",  "union",  "string", "bytestring", "array"};
  return names[static_cast<size_t>(t.kind())];
}

std::vector<std::string> names_of(const Type& t) {
  if (!t.is_tuple()) return {t.fields().begin(), t.fields().end()};
  std::vector<std::string> out;
  for (size_t i = 0; i < t.contents().size(); ++i) out.push_back(std::to_string(i));
  return out;
}

int64_t index_of(const Type& t, const std::string& field) {
  const int64_t i = t.field_index(field);
  check<FieldError>(i >= 0, "no field \"{}\" in {}", field, t.str());
  return i;
}

// Of strings, the character; of records, a function that takes a field or its number.
nb::object content_of(nb::handle self) {
  const Type& t = nb::cast<const Type&>(self);
  if (t.is(Type::Kind::string)) return nb::cast(Type::character());
  if (t.is(Type::Kind::bytestring)) return nb::cast(Type::byte());
  if (!t.is(Type::Kind::record)) return nb::cast(t.content());
  const nb::object keep = nb::borrow(self);
  return nb::cpp_function([keep](nb::handle field) {
    const Type& record = nb::cast<const Type&>(keep);
    if (PyUnicode_Check(field.ptr()))
      return record.content(static_cast<size_t>(index_of(record, nb::cast<std::string>(field))));
    return record.content(nb::cast<size_t>(field));
  });
}

std::string primitive_of(const Type& t) {
  const std::string unit(t.unit());
  return std::string(name(t.dtype())) + (unit.empty() ? "" : "[" + unit + "]");
}

nb::dict parameters_of(const Type& t) {
  nb::dict out;
  if (t.is(Type::Kind::string)) out["__array__"] = "string";
  if (t.is(Type::Kind::bytestring)) out["__array__"] = "bytestring";
  const nb::object loads = nb::module_::import_("json").attr("loads");
  for (const auto& [key, json] : t.parameters()) out[key.c_str()] = loads(json);
  return out;
}

}  // namespace

void bind_type(nb::module_& m) {
  nb::class_<Type> c(m, "Type", "The type of an array: str() gives '3 * var * int64'.");
  c.def(
       "__init__", [](Type* self, const std::string& text) { new (self) Type(parse_type(text)); },
       "text"_a)
      .def("__str__", &Type::str)
      .def("__repr__", [](const Type& t) { return "<Type " + t.str() + ">"; })
      .def(
          "__eq__",
          [](const Type& a, nb::handle b) -> nb::object {
            if (nb::isinstance<Type>(b)) return nb::bool_(equivalent(a, nb::cast<const Type&>(b)));
            if (!nb::isinstance<nb::str>(b))
              return nb::module_::import_("builtins").attr("NotImplemented");
            return nb::bool_(a.str() == nb::cast<std::string>(b));
          },
          nb::arg("other").none())
      // Of the kind alone: equal types may be written differently.
      .def("__hash__", [](const Type& t) { return static_cast<Py_hash_t>(t.kind()) + 1; })
      .def(
          "is_equal_to",
          [](const Type& a, nb::handle b, bool all_parameters) {
            return nb::isinstance<Type>(b) &&
                   equivalent(a, nb::cast<const Type&>(b), all_parameters);
          },
          "other"_a.none(), nb::kw_only(), "all_parameters"_a = false)
      .def("__reduce__",
           [](nb::handle self) {
             const bool array = nb::cast<const Type&>(self).is(Type::Kind::array);
             return nb::make_tuple(nb::module_::import_("serrate.types").attr("_from_text"),
                                   nb::make_tuple(nb::str(self), array));
           })
      .def("pretty", &Type::pretty, "Several lines, fields indented.")
      .def(
          "show",
          [](const Type& t, nb::handle stream) -> nb::object {
            if (stream.is_none()) return nb::str(t.pretty().c_str());
            const nb::object out = PyBool_Check(stream.ptr())
                                       ? nb::module_::import_("sys").attr("stdout")
                                       : nb::borrow(stream);
            out.attr("write")(t.pretty() + "\n");
            return nb::none();
          },
          "stream"_a.none() = true, "Prints pretty().")
      .def_prop_ro("content", &content_of, "The inner type; of records, a function of the field.")
      .def_prop_ro(
          "contents",
          [](const Type& t) { return std::vector<Type>(t.contents().begin(), t.contents().end()); })
      .def_prop_ro("fields", &names_of)
      .def_prop_ro("is_tuple", &Type::is_tuple)
      .def("has_field", [](const Type& t, const std::string& f) { return t.field_index(f) >= 0; })
      .def("field_to_index", &index_of)
      .def("index_to_field", [](const Type& t, size_t i) { return names_of(t).at(i); })
      .def_prop_ro("length", &Type::size,
                   "Length of an array, size of a regular dimension, else -1.")
      .def_prop_ro("size", &Type::size, "The same.")
      .def_prop_ro("primitive", &primitive_of, "The name of a type of numbers.")
      .def_prop_ro("parameters", &parameters_of)
      .def("parameter",
           [](const Type& t, nb::handle key) { return parameters_of(t).attr("get")(key); })
      .def_prop_ro("_kind", &kind_of)
      .def("_with_parameters", [](const Type& t, nb::dict json) {
        Type out = t;
        for (auto [key, value] : json)
          out = out.with_parameter(nb::cast<std::string>(key), nb::cast<std::string>(value));
        return out;
      });
  m.def(
      "from_datashape",
      [](const std::string& text, bool highlevel) { return parse_type(text, highlevel); },
      "datashape"_a, nb::kw_only(), "highlevel"_a = true,
      "Reads what str(array.type) writes.\n\n>>> from_datashape(\"3 * var * ?int64\")\n<Type 3 * "
      "var * ?int64>");
}

}  // namespace serrate::python
