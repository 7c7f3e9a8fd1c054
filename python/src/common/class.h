// The classes Array and Record of Python: types of our own, because users derive from them together
// with classes of theirs (mixins), which those of nanobind refuse. Creating one is faster, too.
#pragma once

#include <new>
#include <type_traits>

#include "common/checked.h"

// After Python.h, which the line above includes.
#include <structmember.h>

namespace serrate::python {

/// What is kept with an object, made when it is asked for.
struct Attached {
  virtual ~Attached() = default;
};

/// How an Array or a Record lies in memory.
template <class T>
struct Object {
  PyObject head;
  PyObject* dict;
  PyObject* weak;
  Attached* attached;  // owned, or null
  T value;
};

template <class T>
inline PyTypeObject* class_object = nullptr;

/// Numba's type of an object, which Numba's dispatcher asks for at each call.
template <class T>
PyObject* numba_type(PyObject* self, void*) noexcept;

template <class T>
T& value_of(PyObject* o) {
  return reinterpret_cast<Object<T>*>(o)->value;
}

/// An object of this class (class_object<T> or derived from it).
template <class T>
nb::object made(PyTypeObject* type, T value) {
  PyObject* o = PyType_GenericAlloc(type, 0);
  if (!o) throw nb::python_error();
  new (&value_of<T>(o)) T(std::move(value));
  return nb::steal(o);
}

/// The value at position p of a stored tree.
nb::object item_at(const graph::NodeRef& n, int64_t p);
/// Positions first .. first + count - 1 of a stored tree on the host, as an array over its memory.
Array rows_at(const graph::NodeRef& n, int64_t first, int64_t count, Parameters p = {});
/// str() of an Array or a Record.
std::string text_of_values(nb::handle x);

/// Gives an object the class that its name and behaviours ask for, which may refuse it.
void update_class(nb::handle o, const Array& a, const Meta& meta);

/// Asks an object of a class of users whether it may hold what it holds.
void validate(nb::handle o);

/// Changes what an Array or a Record holds; if its class refuses that, it stays as it was.
template <class T, class F>
void change(nb::handle self, F&& f) {
  T& x = value_of<T>(self.ptr());
  const T before = x;
  const nb::object type = nb::borrow((PyObject*)Py_TYPE(self.ptr()));
  try {
    f(x);
    if constexpr (std::is_same_v<T, Record>) {
      update_class(self, x.value, x.meta);
    } else {
      x.facts = {};
      update_class(self, x, x.meta);
    }
  } catch (...) {
    const nb::error_scope raised;
    x = before;
    if ((PyObject*)Py_TYPE(self.ptr()) != type.ptr()) nb::setattr(self, "__class__", type);
    throw;
  }
}

/// Makes the class and adds methods and properties as nb::class_ does.
template <class T>
class Class {
 public:
  Class(nb::module_& m, const char* name, const char* full_name, const char* doc,
        const PyType_Slot* more);

  template <class F, class... Extra>
  Class& def(const char* name, F&& f, const Extra&... extra) {
    nb::cpp_function_def(std::forward<F>(f), nb::scope(type_), nb::name(name), nb::is_method(),
                         extra...);
    return *this;
  }
  /// Called with the new object, which holds an empty value.
  template <class F, class... Extra>
  Class& def_init(F&& f, const Extra&... extra) {
    def("_init", std::forward<F>(f), extra...);
    type_.attr("__init__") = type_.attr("_init");
    nb::delattr(type_, "_init");
    return *this;
  }
  template <class Get>
  Class& def_prop_ro(const char* name, Get&& get, const char* doc = "") {
    return property(name, nb::cpp_function(std::forward<Get>(get)), nb::none(), doc);
  }
  template <class Get, class Set>
  Class& def_prop_rw(const char* name, Get&& get, Set&& set, const char* doc = "") {
    return property(
        name, nb::cpp_function(std::forward<Get>(get)),
        nb::cpp_function(std::forward<Set>(set), nb::arg("self"), nb::arg("value").none()), doc);
  }
  nb::handle type() const { return type_; }

 private:
  Class& property(const char* name, nb::object get, nb::object set, const char* doc) {
    type_.attr(name) = nb::module_::import_("builtins").attr("property")(get, set, nb::none(), doc);
    return *this;
  }
  static PyObject* new_object(PyTypeObject* type, PyObject*, PyObject*) noexcept {
    PyObject* o = PyType_GenericAlloc(type, 0);
    if (o) new (&value_of<T>(o)) T();
    return o;
  }
  static void dealloc(PyObject* o) noexcept {
    PyObject_GC_UnTrack(o);
    auto* self = reinterpret_cast<Object<T>*>(o);
    PyTypeObject* type = Py_TYPE(o);
    if (self->weak) PyObject_ClearWeakRefs(o);
    Py_CLEAR(self->dict);
    delete self->attached;
    self->value.~T();
    reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(o);
    Py_DECREF((PyObject*)type);
  }
  static int traverse(PyObject* o, visitproc visit, void* arg) noexcept {
    auto* self = reinterpret_cast<Object<T>*>(o);
    Py_VISIT((PyObject*)Py_TYPE(o));
    Py_VISIT(self->dict);
    Py_VISIT(self->value.meta.behavior.ptr());
    Py_VISIT(self->value.meta.attrs.ptr());
    return 0;
  }
  static int clear(PyObject* o) noexcept {
    auto* self = reinterpret_cast<Object<T>*>(o);
    Py_CLEAR(self->dict);
    Meta gone = std::move(self->value.meta);
    self->value.meta = {};
    return 0;
  }

  nb::object type_;
};

template <class T>
Class<T>::Class(nb::module_& m, const char* name, const char* full_name, const char* doc,
                const PyType_Slot* more) {
  static PyMemberDef members[] = {
      {"__dictoffset__", T_PYSSIZET, offsetof(Object<T>, dict), READONLY, nullptr},
      {"__weaklistoffset__", T_PYSSIZET, offsetof(Object<T>, weak), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  static PyGetSetDef getset[] = {
      {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
      {"_numba_type_", numba_type<T>, nullptr, nullptr, nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  std::vector<PyType_Slot> slots{{Py_tp_doc, const_cast<char*>(doc)},
                                 {Py_tp_new, (void*)new_object},
                                 {Py_tp_dealloc, (void*)dealloc},
                                 {Py_tp_traverse, (void*)traverse},
                                 {Py_tp_clear, (void*)clear},
                                 {Py_tp_members, members},
                                 {Py_tp_getset, getset}};
  for (; more->slot; ++more) slots.push_back(*more);
  slots.push_back({0, nullptr});
  PyType_Spec spec{full_name, static_cast<int>(sizeof(Object<T>)), 0,
                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots.data()};
  type_ = owned(PyType_FromSpec(&spec));
  class_object<T> = (PyTypeObject*)type_.ptr();
  m.attr(name) = type_;
}

}  // namespace serrate::python

namespace nanobind::detail {

/// Functions may take PyArray& and Record&: the values inside the objects.
template <class T>
struct object_caster {
  using Value = T;
  template <class U>
  using Cast = T&;
  T* value = nullptr;
  bool from_python(handle src, uint8_t, cleanup_list*) noexcept {
    if (!PyType_IsSubtype(Py_TYPE(src.ptr()), serrate::python::class_object<T>)) return false;
    value = &serrate::python::value_of<T>(src.ptr());
    return true;
  }
  template <class U>
  static constexpr bool can_cast() {
    return true;
  }
  operator T&() { return *value; }
};
template <>
struct type_caster<serrate::python::PyArray> : object_caster<serrate::python::PyArray> {
  static constexpr auto Name = const_name("Array");
};
template <>
struct type_caster<serrate::python::Record> : object_caster<serrate::python::Record> {
  static constexpr auto Name = const_name("Record");
};

}  // namespace nanobind::detail
