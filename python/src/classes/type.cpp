// The class Type of Python; the classes that make and tell types apart are in types.py.
#include <algorithm>

#include "common/python.h"

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

// Of strings, the character.
std::vector<Type> contents_of(const Type& t) {
  if (t.is(Type::Kind::string)) return {Type::character()};
  if (t.is(Type::Kind::bytestring)) return {Type::byte()};
  return {t.contents().begin(), t.contents().end()};
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

// The classes of Python by kind, set by types.py.
PyObject* classes = nullptr;

}  // namespace

nb::object type_object(const Type& t) {
  const bool fixed = t.is_string_like() && t.is_fixed_size();
  const nb::object cls = nb::borrow(classes)[nb::str(fixed ? "regular" : kind_of(t))];
  nb::object o = nb::inst_alloc(cls);
  new (nb::inst_ptr<Type>(o)) Type(t);
  nb::inst_mark_ready(o);
  return o;
}

nb::object scalar_type_object(const Type& t) {
  return nb::borrow(classes)[nb::str("scalar")](type_object(t));
}

void bind_type(nb::module_& m) {
  nb::class_<Type> c(m, "Type", "The type of an array: str() gives '3 * var * int64'.");
  c.def(
       "__init__", [](Type* self, const std::string& text) { new (self) Type(parse_type(text)); },
       "text"_a)
      .def(
          "__init__", [](Type* self, const Type& t) { new (self) Type(t); }, "type"_a)
      .def("__str__", &Type::str)
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
      .def_prop_ro("parameters", &parameters_of)
      .def("parameter",
           [](const Type& t, nb::handle key) { return parameters_of(t).attr("get")(key); })
      .def_prop_ro("_contents",
                   [](const Type& t) {
                     nb::list out;
                     for (const Type& x : contents_of(t)) out.append(type_object(x));
                     return out;
                   })
      .def_prop_ro("_fields", &names_of)
      .def_prop_ro("_is_tuple", &Type::is_tuple)
      .def("_field_to_index", &index_of)
      .def_prop_ro("_size", &Type::size)
      .def_prop_ro("_primitive", &primitive_of)
      .def("_with_parameters",
           [](const Type& t, nb::dict json) {
             Type out = t;
             for (auto [key, value] : json)
               out = out.with_parameter(nb::cast<std::string>(key), nb::cast<std::string>(value));
             return type_object(out);
           })
      .def("_simplified_option",
           [](const Type& t) { return type_object(simplify_option(t.content(), t.parameters())); });
  m.def("_set_type_classes", [](nb::dict by_kind) { classes = by_kind.release().ptr(); });
}

}  // namespace serrate::python
