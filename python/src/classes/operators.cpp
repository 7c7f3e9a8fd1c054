// Operators of Array as type slots: the shortest way from `x + y` to elementwise().
#include "classes/operators.h"

#include <algorithm>
#include <array>

#include "common/checked.h"
#include "common/class.h"
#include "common/context.h"
#include "common/operands.h"
#include "graph/evaluate.h"
#include "graph/operation.h"
#include "ops/tree/input.h"
#include "serrate/ufunc.h"

namespace serrate::python {
namespace {

PyObject* not_implemented() {
  static PyObject* object =
      nb::object(nb::module_::import_("builtins").attr("NotImplemented")).release().ptr();
  return Py_NewRef(object);
}

template <Op op>
nb::object result(const std::vector<Array>& in, Operands given) {
  static const nb::handle ufunc = numpy(info(op).numpy_name.data());
  return result_of(op, ufunc, in, given);
}

template <Op op>
PyObject* unary(PyObject* x) noexcept {
  return guarded([&] {
    const Begun call;
    return result<op>({as_array(x, "operator")}, Operands(&x, 1));
  });
}

// NumPy asks operands of a class that knows ufuncs; others answer by __radd__ and the like.
template <Op op>
nb::object of_foreign(PyObject* x, PyObject* y, bool x_is_known) {
  const nb::handle foreign = (PyObject*)Py_TYPE(x_is_known ? y : x);
  if (nb::getattr(foreign, "__array_ufunc__", nb::none()).is_none())
    return nb::steal(not_implemented());
  return numpy(info(op).numpy_name.data())(nb::handle(x), nb::handle(y));
}

// Either operand may be the Array.
template <Op op>
PyObject* binary(PyObject* x, PyObject* y) noexcept {
  return guarded([&]() -> nb::object {
    const Begun call;
    auto [a, b] = try_operands(nb::handle(x), nb::handle(y));
    if (!a || !b) return of_foreign<op>(x, y, a.has_value());
    std::vector<Array> in;
    in.reserve(2);
    in.push_back(*std::move(a));
    in.push_back(*std::move(b));
    return result<op>(in, std::array{x, y});
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
    const Begun call;
    const auto [a, b] = try_operands(nb::handle(x), nb::handle(y));
    if (!a || !b) return nb::steal(not_implemented());
    const auto [quotient, rest] = serrate::divmod(*a, *b);
    return wrap_all({quotient, rest});
  });
}

PyObject* matrix_product(PyObject* x, PyObject* y) noexcept {
  return guarded([&]() -> nb::object {
    const Begun call;
    const auto [a, b] = try_operands(nb::handle(x), nb::handle(y));
    if (!a || !b) return nb::steal(not_implemented());
    if (may_be_overloaded({*a, *b}, std::array{x, y})) {
      if (auto out = overloaded(numpy("matmul"), std::array{x, y})) return *out;
    }
    return wrap(matmul(*a, *b));
  });
}

// x += y is numpy.add(x, y, out=x): the handle gets a new tree, cast to the type it had.
template <Op op>
PyObject* in_place(PyObject* x, PyObject* y) noexcept {
  return guarded([&]() -> nb::object {
    if (!try_operand(y)) return nb::steal(not_implemented());
    return numpy(info(op).numpy_name.data())(nb::handle(x), nb::handle(y), "out"_a = nb::handle(x));
  });
}

PyObject* in_place_power(PyObject* x, PyObject* y, PyObject*) noexcept {
  return in_place<Op::power>(x, y);
}

PyObject* in_place_matrix_product(PyObject* x, PyObject* y) noexcept {
  return guarded([&]() -> nb::object {
    return numpy("matmul")(nb::handle(x), nb::handle(y), "out"_a = nb::handle(x));
  });
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
    const Array& a = value_of<PyArray>(self);
    return static_cast<Py_ssize_t>(a.size());
  } catch (...) {
    set_python_error();
    return -1;
  }
}

int truth(PyObject* self) noexcept {
  try {
    const Array& a = value_of<PyArray>(self);
    check<ValueError>(
        a.size() == 1,
        "the truth value of an array whose length is not 1 is ambiguous; use any() or "
        "all()");
    const nb::object first = item(a, 0);
    return is_true(first);
  } catch (...) {
    set_python_error();
    return -1;
  }
}

int record_truth(PyObject*) noexcept {
  PyErr_SetString(PyExc_ValueError, "the truth value of a record is ambiguous");
  return -1;
}

PyObject* subscript(PyObject* self, PyObject* where) noexcept {
  return guarded([&] {
    const PyArray& a = value_of<PyArray>(self);
    const Begun call;
    remember(a.meta);
    return getitem(a, named_slice(a, a.meta, where));
  });
}

bool names_a_field(PyObject* where) {
  if (PyUnicode_Check(where)) return true;
  if (!PyTuple_Check(where) || PyTuple_Size(where) == 0) return false;
  for (nb::handle item : nb::iter(nb::handle(where)))
    if (!PyUnicode_Check(item.ptr())) return false;
  return true;
}

// x["a"] = ..., del x["a"], x[1:, mask] = ...: the handle gets a new tree; other handles keep
// theirs.
int assign(PyObject* self, PyObject* where, PyObject* value) noexcept {
  try {
    const Begun call;
    if (!names_a_field(where)) {
      check<TypeError>(value, "only fields can be deleted, by a name or a tuple of names");
      set_items(self, where, value);
      return 0;
    }
    const auto path = field_path(where, "x[...] = ...");
    change<PyArray>(self, [&](PyArray& a) {
      const Beside beside(a);
      static_cast<Array&>(a) =
          value ? with_field(a, field_value(value), path) : without_field(a, path);
    });
    return 0;
  } catch (...) {
    set_python_error();
    return -1;
  }
}

const Array* value_in(PyObject* self) {
  if (const Array* a = array_in(self)) return a;
  return &value_of<Record>(self).value;
}

// The dict of an object, or null.
PyObject* attributes_of(PyObject* self) {
  if (array_in(self)) return reinterpret_cast<Object<PyArray>*>(self)->dict;
  return reinterpret_cast<Object<Record>*>(self)->dict;
}

// Has the class such an attribute? Python's lookup clears an error that is set where the name is
// not among those that it remembers.
bool is_in_class(PyObject* self, PyObject* name) {
  const nb::error_scope kept;
  return nb::type_lookup((PyObject*)Py_TYPE(self), nb::handle(name)).is_valid();
}

// A field of that name, or null.
PyObject* field_attribute(PyObject* self, PyObject* name) noexcept {
  return guarded([&]() -> nb::object {
    const std::string_view field = text_in(name);
    if (field.starts_with("__")) return nb::object();  // protocols that are looked for by name
    const Array& value = *value_in(self);
    if (!ops::has_field(*value.node(), field)) return nb::object();
    // What the class or the object has comes first.
    PyObject* own = attributes_of(self);
    if (is_in_class(self, name) || (own && PyDict_Contains(own, name) == 1)) return nb::object();
    const Begun call;
    remember(*meta_of(self));
    const graph::Operation operation;
    return wrap(ops::find_field(graph::unit(), value.node(), field));
  });
}

// What people look for as NumPy's arrays have it, and what has it here.
struct Elsewhere {
  std::string_view name, what;
};
constexpr Elsewhere kElsewhere[] = {
    {"T", "numpy.transpose(x) of a rectilinear array"},
    {"astype", "serrate.values_astype(x, dtype)"},
    {"dtype", "x.type"},
    {"item", "x[0], which is a number"},
    {"reshape", "serrate.unflatten(x, counts), or numpy.reshape of a rectilinear array"},
    {"shape", "len(x), serrate.num(x, axis) and x.type"},
    {"size", "serrate.count(x)"},
};

std::string hint_for(const std::string& name) {
  for (const Elsewhere& e : kElsewhere)
    if (name == e.name) return fmt::format("; there is {}", e.what);
  const nb::object functions = nb::module_::import_("serrate._core");
  if (nb::hasattr(functions, name.c_str())) return fmt::format("; there is serrate.{}(x)", name);
  return {};
}

// In place of Python's text, which knows neither the fields nor the functions.
void explain_missing(PyObject* self, PyObject* name) noexcept {
  PyErr_Clear();
  Py_XDECREF(guarded([&]() -> nb::object {
    const std::string text(text_in(name));
    constexpr size_t kShown = 10;
    const auto fields = value_in(self)->fields();
    std::string known;
    for (size_t i = 0; i < std::min(fields.size(), kShown); ++i)
      known += (i == 0 ? "; the fields are " : ", ") + fields[i];
    if (fields.size() > kShown) known += " ...";
    const std::string said =
        fmt::format("no field or attribute '{}'{}{}", text, known, hint_for(text));
    PyErr_SetString(PyExc_AttributeError, said.c_str());
    return {};
  }));
}

// Methods come first, then fields.
PyObject* attribute(PyObject* self, PyObject* name) noexcept {
  PyObject* found = field_attribute(self, name);
  if (found || PyErr_Occurred()) return found;
  found = PyObject_GenericGetAttr(self, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  // Protocols are looked for by names that begin with an underscore: nobody reads what is said of
  // those. What is there but raises keeps its own error.
  const bool is_protocol = text_in(name).starts_with('_');
  if (!is_protocol && !is_in_class(self, name)) explain_missing(self, name);
  return nullptr;
}

// Only what the class has, and names that begin with an underscore.
int set_attribute(PyObject* self, PyObject* name, PyObject* value) noexcept {
  const char* text = PyUnicode_AsUTF8AndSize(name, nullptr);
  if (!text) return -1;
  if (text[0] != '_' && !PyObject_HasAttr((PyObject*)Py_TYPE(self), name)) {
    const auto known = value_in(self)->fields();
    const bool field = std::find(known.begin(), known.end(), text) != known.end();
    PyErr_SetString(PyExc_AttributeError,
                    field ? "fields are not set as attributes; use x[name] = ... or with_field"
                          : "only attributes that begin with an underscore can be set on arrays");
    return -1;
  }
  return PyObject_GenericSetAttr(self, name, value);
}

PyMethodDef ufunc_methods[] = {
    {"__array_ufunc__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(array_ufunc)),
     METH_FASTCALL | METH_KEYWORDS, "NumPy's ufuncs on arrays."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

#define SERRATE_ARITHMETIC_SLOTS                                                                  \
  {Py_nb_add, (void*)binary<Op::add>}, {Py_nb_subtract, (void*)binary<Op::subtract>},             \
      {Py_nb_multiply, (void*)binary<Op::multiply>},                                              \
      {Py_nb_true_divide, (void*)binary<Op::divide>},                                             \
      {Py_nb_floor_divide, (void*)binary<Op::floor_divide>},                                      \
      {Py_nb_remainder, (void*)binary<Op::remainder>}, {Py_nb_divmod, (void*)divmod},             \
      {Py_nb_power, (void*)power}, {Py_nb_matrix_multiply, (void*)matrix_product},                \
      {Py_nb_and, (void*)binary<Op::bitwise_and>}, {Py_nb_or, (void*)binary<Op::bitwise_or>},     \
      {Py_nb_xor, (void*)binary<Op::bitwise_xor>}, {Py_nb_lshift, (void*)binary<Op::left_shift>}, \
      {Py_nb_rshift, (void*)binary<Op::right_shift>},                                             \
      {Py_nb_negative, (void*)unary<Op::negative>}, {Py_nb_positive, (void*)unary<Op::positive>}, \
      {Py_nb_absolute, (void*)unary<Op::absolute>}, {Py_nb_invert, (void*)unary<Op::invert>},     \
      {Py_tp_richcompare, (void*)compare}, {Py_tp_hash, (void*)PyObject_HashNotImplemented},      \
      {Py_tp_methods, (void*)ufunc_methods}, {Py_tp_getattro, (void*)attribute}, {                \
    Py_tp_setattro, (void*)set_attribute                                                          \
  }

PyType_Slot array_slots[] = {SERRATE_ARITHMETIC_SLOTS,
                             {Py_nb_inplace_add, (void*)in_place<Op::add>},
                             {Py_nb_inplace_subtract, (void*)in_place<Op::subtract>},
                             {Py_nb_inplace_multiply, (void*)in_place<Op::multiply>},
                             {Py_nb_inplace_true_divide, (void*)in_place<Op::divide>},
                             {Py_nb_inplace_floor_divide, (void*)in_place<Op::floor_divide>},
                             {Py_nb_inplace_remainder, (void*)in_place<Op::remainder>},
                             {Py_nb_inplace_power, (void*)in_place_power},
                             {Py_nb_inplace_matrix_multiply, (void*)in_place_matrix_product},
                             {Py_nb_inplace_and, (void*)in_place<Op::bitwise_and>},
                             {Py_nb_inplace_or, (void*)in_place<Op::bitwise_or>},
                             {Py_nb_inplace_xor, (void*)in_place<Op::bitwise_xor>},
                             {Py_nb_inplace_lshift, (void*)in_place<Op::left_shift>},
                             {Py_nb_inplace_rshift, (void*)in_place<Op::right_shift>},
                             {Py_nb_bool, (void*)truth},
                             {Py_mp_length, (void*)length},
                             {Py_mp_subscript, (void*)subscript},
                             {Py_mp_ass_subscript, (void*)assign},
                             {0, nullptr}};

PyType_Slot record_slots[] = {
    SERRATE_ARITHMETIC_SLOTS, {Py_nb_bool, (void*)record_truth}, {0, nullptr}};

}  // namespace serrate::python
