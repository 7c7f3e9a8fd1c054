// Operators of Array as type slots: the shortest way from `x + y` to elementwise().
#include "operators.h"

#include "graph/evaluate.h"

namespace serrate::python {
namespace {

PyObject* not_implemented() {
  static PyObject* object =
      nb::object(nb::module_::import_("builtins").attr("NotImplemented")).release().ptr();
  return Py_NewRef(object);
}

template <Op op>
PyObject* unary(PyObject* x) noexcept {
  return guarded([&] { return wrap(elementwise(op, {as_array(x, "operator")})); });
}

// Either operand may be the Array.
template <Op op>
PyObject* binary(PyObject* x, PyObject* y) noexcept {
  return guarded([&]() -> nb::object {
    const std::optional<Array> a = try_array(x), b = try_array(y);
    if (!a || !b) return nb::steal(not_implemented());
    return wrap(elementwise(op, {*a, *b}));
  });
}

PyObject* power(PyObject* x, PyObject* y, PyObject* modulus) noexcept {
  if (modulus != Py_None) {
    PyErr_SetString(PyExc_TypeError, "pow: a modulus is not supported");
    return nullptr;
  }
  return binary<Op::power>(x, y);
}

PyObject* divmod(PyObject* x, PyObject* y) noexcept {
  return guarded([&]() -> nb::object {
    const std::optional<Array> a = try_array(x), b = try_array(y);
    if (!a || !b) return nb::steal(not_implemented());
    return wrap_all(
        {elementwise(Op::floor_divide, {*a, *b}), elementwise(Op::remainder, {*a, *b})});
  });
}

PyObject* matmul(PyObject*, PyObject*) noexcept {
  PyErr_SetString(PyExc_NotImplementedError, "matrix multiplication of arrays is not implemented");
  return nullptr;
}

PyObject* compare(PyObject* x, PyObject* y, int how) noexcept {
  switch (how) {
    case Py_LT:
      return binary<Op::less>(x, y);
    case Py_LE:
      return binary<Op::less_equal>(x, y);
    case Py_EQ:
      return binary<Op::equal>(x, y);
    case Py_NE:
      return binary<Op::not_equal>(x, y);
    case Py_GT:
      return binary<Op::greater>(x, y);
    default:
      return binary<Op::greater_equal>(x, y);
  }
}

Py_ssize_t length(PyObject* self) noexcept {
  try {
    const Array& a = *nb::inst_ptr<Array>(self);
    return static_cast<Py_ssize_t>(a.size());
  } catch (...) {
    set_python_error();
    return -1;
  }
}

int truth(PyObject* self) noexcept {
  try {
    const Array& a = *nb::inst_ptr<Array>(self);
    check<ValueError>(
        a.size() == 1,
        "the truth value of an array whose length is not 1 is ambiguous; use any() or "
        "all()");
    const nb::object first = item(a, 0);
    return PyObject_IsTrue(first.ptr());
  } catch (...) {
    set_python_error();
    return -1;
  }
}

PyObject* subscript(PyObject* self, PyObject* where) noexcept {
  return guarded([&] { return getitem(*nb::inst_ptr<Array>(self), where); });
}

// x["a"] = ... and del x["a"]: the handle gets a new tree; other handles keep theirs.
int assign(PyObject* self, PyObject* where, PyObject* value) noexcept {
  try {
    Array& a = *nb::inst_ptr<Array>(self);
    const bool name = PyUnicode_Check(where) || PyTuple_Check(where);
    check<TypeError>(name,
                     "only fields can be set or deleted, by a name or a tuple of names: "
                     "array values cannot change");
    const auto path = field_path(where, "x[...] = ...");
    a = value ? with_field(a, as_array(value, "x[...] = ..."), path) : without_field(a, path);
    return 0;
  } catch (...) {
    set_python_error();
    return -1;
  }
}

PyObject* attributes = nullptr;  // names of methods and properties of Array and Record

const Array* value_in(PyObject* self) {
  if (const Array* a = array_in(self)) return a;
  return &nb::inst_ptr<Record>(self)->value;
}

// Methods come first, then fields.
PyObject* attribute(PyObject* self, PyObject* name) noexcept {
  const int method = attributes ? PySet_Contains(attributes, name) : 1;
  if (method < 0) return nullptr;
  if (method == 0) {
    PyObject* found = guarded([&]() -> nb::object {
      Py_ssize_t n = 0;
      const char* text = PyUnicode_AsUTF8AndSize(name, &n);
      if (!text) throw nb::python_error();
      const std::string_view field(text, static_cast<size_t>(n));
      if (field.starts_with("__")) return nb::object();  // protocols that are looked for by name
      const Array& a = *value_in(self);
      const std::vector<std::string> known = a.fields();
      for (const std::string& k : known) {
        if (k == field) return wrap(a[field]);
      }
      return nb::object();
    });
    if (found || PyErr_Occurred()) return found;
  }
  return PyObject_GenericGetAttr(self, name);
}

}  // namespace

PyType_Slot array_slots[] = {{Py_nb_add, (void*)binary<Op::add>},
                             {Py_nb_subtract, (void*)binary<Op::subtract>},
                             {Py_nb_multiply, (void*)binary<Op::multiply>},
                             {Py_nb_true_divide, (void*)binary<Op::divide>},
                             {Py_nb_floor_divide, (void*)binary<Op::floor_divide>},
                             {Py_nb_remainder, (void*)binary<Op::remainder>},
                             {Py_nb_divmod, (void*)divmod},
                             {Py_nb_power, (void*)power},
                             {Py_nb_matrix_multiply, (void*)matmul},
                             {Py_nb_and, (void*)binary<Op::bitwise_and>},
                             {Py_nb_or, (void*)binary<Op::bitwise_or>},
                             {Py_nb_xor, (void*)binary<Op::bitwise_xor>},
                             {Py_nb_lshift, (void*)binary<Op::left_shift>},
                             {Py_nb_rshift, (void*)binary<Op::right_shift>},
                             {Py_nb_negative, (void*)unary<Op::negative>},
                             {Py_nb_positive, (void*)unary<Op::positive>},
                             {Py_nb_absolute, (void*)unary<Op::absolute>},
                             {Py_nb_invert, (void*)unary<Op::invert>},
                             {Py_nb_bool, (void*)truth},
                             {Py_mp_length, (void*)length},
                             {Py_mp_subscript, (void*)subscript},
                             {Py_mp_ass_subscript, (void*)assign},
                             {Py_tp_richcompare, (void*)compare},
                             {Py_tp_hash, (void*)PyObject_HashNotImplemented},
                             {Py_tp_getattro, (void*)attribute},
                             {0, nullptr}};

PyType_Slot record_slots[] = {{Py_tp_richcompare, (void*)compare},
                              {Py_tp_hash, (void*)PyObject_HashNotImplemented},
                              {Py_tp_getattro, (void*)attribute},
                              {0, nullptr}};

void remember_attributes(nb::handle type) {
  if (!attributes) attributes = PySet_New(nullptr);
  for (PyObject* t = type.ptr(); t; t = nullptr) {
    nb::object names = nb::steal(PyObject_Dir(t));
    for (nb::handle n : nb::iter(names)) PySet_Add(attributes, n.ptr());
  }
}

}  // namespace serrate::python
