// The classes Vector2D ... Momentum4D with the properties of the table, alone (to derive from) and
// with Array and Record.
#include "vectors/classes.h"

#include "common/checked.h"
#include "common/class.h"
#include "ops/tree/input.h"
#include "ops/vectors/coordinates.h"

namespace serrate::python {
namespace {

using vectors::Kind;
using vectors::Vector;

enum class Flavor : uint8_t { any, momentum };

struct Property {
  const char* name;
  int dimension;
  Flavor flavor;
  const char* doc;
  Array (*get)(const Vector&);
};

constexpr Property kProperties[] = {
#define SERRATE_PROPERTY(name, dimension, flavor, formula, doc) \
  {#name, dimension, Flavor::flavor, doc, vectors::name},
#define SERRATE_SAME(name, dimension, flavor, of) \
  {#name, dimension, Flavor::flavor, "The same as " #of ".", vectors::of},
#define SERRATE_OF_TWO(...)
#include "serrate/vectors.def"
};

struct OfTwo {
  const char* name;
  int dimension;
  const char* doc;
  Array (*get)(const Vector&, const Vector&);
};

constexpr OfTwo kOfTwo[] = {
#define SERRATE_PROPERTY(...)
#define SERRATE_SAME(...)
#define SERRATE_OF_TWO(name, dimension, dimensions, formula, doc) \
  {#name, dimension, doc, vectors::name},
#include "serrate/vectors.def"
};

PyObject* get_property(PyObject* self, void* row) noexcept {
  return guarded([&]() -> nb::object {
    const auto& p = *static_cast<const Property*>(row);
    const Record* record = record_in(self);
    const Array& records = record ? record->value : *array_in(self);
    // A coordinate that is stored is a field, also of records that lack others.
    if (vectors::coordinate_named(p.name) && ops::has_field(*records.node(), p.name)) {
      const graph::Operation operation;
      const Begun call;
      remember(*meta_of(self));
      return wrap(ops::field_of(graph::unit(), records.node(), p.name));
    }
    return of_vector(p.name, p.get)(self);
  });
}

nb::object made_type(const char* full_name, const char* doc, nb::handle base, int dimension,
                     bool momentum) {
  // Python keeps the table, as long as the class.
  auto& rows = *new std::vector<PyGetSetDef>;
  for (const Property& p : kProperties) {
    if (p.dimension > dimension || (p.flavor == Flavor::momentum && !momentum)) continue;
    rows.push_back({p.name, get_property, nullptr, p.doc, const_cast<Property*>(&p)});
  }
  rows.push_back({nullptr, nullptr, nullptr, nullptr, nullptr});
  PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>(doc)}, {Py_tp_getset, rows.data()}, {0, nullptr}};
  PyType_Spec spec{full_name, 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  if (!base.is_valid()) return owned(PyType_FromSpec(&spec));
  return owned(PyType_FromSpecWithBases(&spec, nb::make_tuple(base).ptr()));
}

// The classes by name, made once, never freed.
nb::dict& mixins() {
  static auto* all = new nb::dict;
  return *all;
}

std::string text_of(std::string_view name) { return "serrate.vector." + std::string(name); }

void make_classes(nb::module_& m) {
  const nb::handle type = (PyObject*)&PyType_Type;
  for (const int dimension : {2, 3, 4}) {
    nb::object base;
    for (const bool momentum : {false, true}) {
      const std::string name = vectors::name_of({dimension, momentum});
      // Python keeps a pointer to this one until 3.12.
      const auto& full = *new std::string(text_of(name));
      const std::string doc = fmt::format("What records named {} have: {} of {} dimensions.", name,
                                          momentum ? "momenta" : "vectors", dimension);
      nb::object mixin = made_type(full.c_str(), doc.c_str(), base, dimension, momentum);
      base = mixin;
      mixins()[name.c_str()] = mixin;
      m.attr(name.c_str()) = mixin;
      VectorClasses& classes = *vector_classes(name);
      classes.mixin = (PyTypeObject*)mixin.ptr();
      const auto joined = [&](const char* kind, PyTypeObject* with) {
        const std::string own =
            fmt::format("{}{}{}D", momentum ? "Momentum" : "Vector", kind, dimension);
        nb::dict body;
        body["__module__"] = "serrate.vector";
        nb::object made = type(own, nb::make_tuple(mixin, nb::handle((PyObject*)with)), body);
        m.attr(own.c_str()) = made;
        return (PyTypeObject*)made.release().ptr();
      };
      classes.array = joined("Array", class_object<PyArray>);
      classes.record = joined("Record", class_object<Record>);
    }
  }
}

}  // namespace

std::vector<nb::object> mixins_from(int dimension) {
  std::vector<nb::object> out;
  for (int d = dimension; d <= 4; ++d)
    out.push_back(nb::object(mixins()[vectors::name_of({d, false}).c_str()]));
  return out;
}

void bind_vectors(nb::module_& m) {
  nb::module_ own = m.def_submodule("_vectors");
  make_classes(own);
  for (const OfTwo& row : kOfTwo)
    def_method(row.dimension, row.name, of_vectors(row.name, row.get), "other"_a, row.doc);
  bind_vector_methods();
  bind_vector_conversions();
  bind_vector_collections(own);
  nb::list properties;
  for (const Property& p : kProperties)
    properties.append(nb::make_tuple(p.name, p.dimension, p.flavor == Flavor::momentum, p.doc));
  own.attr("properties") = properties;
  own.attr("names") = nb::tuple(mixins().attr("keys")());
}

}  // namespace serrate::python
