// x[...]: Python's slicers as slice items.
#include "common/checked.h"
#include "common/context.h"
#include "common/operands.h"
#include "convert/taking.h"
#include "core/host.h"
#include "ops/slice/take_stored.h"

namespace serrate::python {
namespace {

std::optional<int64_t> bound(nb::handle h) {
  if (h.is_none()) return {};
  const nb::object index = index_of(h);
  // As in Python, bounds that are too large mean the ends.
  const Py_ssize_t v = PyNumber_AsSsize_t(index.ptr(), nullptr);
  if (v == -1 && PyErr_Occurred()) throw nb::python_error();
  return v;
}

Slice slice_of(nb::handle o) {
  return {bound(nb::object(o.attr("start"))), bound(nb::object(o.attr("stop"))),
          bound(nb::object(o.attr("step")))};
}

bool is_field_list(nb::handle o) {
  if (!PyList_Check(o.ptr()) || PyList_Size(o.ptr()) == 0) return false;
  for (Py_ssize_t i = 0, n = PyList_Size(o.ptr()); i < n; ++i) {
    if (!PyUnicode_Check(PyList_GetItem(o.ptr(), i))) return false;
  }
  return true;
}

SliceItem slice_item(const Array& of, nb::handle o) {
  PyObject* p = o.ptr();
  if (is_integer(o)) {
    const Py_ssize_t v = PyNumber_AsSsize_t(p, PyExc_IndexError);
    if (v == -1 && PyErr_Occurred()) throw nb::python_error();
    return int64_t{v};
  }
  if (PySlice_Check(p)) return slice_of(o);
  if (p == Py_None) return NewAxis{};
  if (nb::isinstance<nb::ellipsis>(o)) return Ellipsis{};
  if (PyUnicode_Check(p)) return nb::cast<std::string>(o);
  if (is_field_list(o)) return nb::cast<std::vector<std::string>>(o);
  const bool number = PyFloat_Check(p) || PyBool_Check(p) || PyComplex_Check(p);
  std::optional<Array> a;
  if (!number && !PyDict_Check(p)) {
    const Beside beside(of);
    const InnerCall inner;  // results take after what is sliced
    a = try_array(o);
  }
  if (!a && !number && PyIndex_Check(p)) return slice_item(of, index_of(o));
  if (!a && !number && has(o, "__iter__") && has(o, "__len__") && !PyDict_Check(p))
    return slice_item(of, nb::list(o));
  if (!a || PyBytes_Check(p))
    throw TypeError(fmt::format(
        "x[...]: expected integers, slices, '...', None, field names or arrays of booleans or "
        "integers, got an object of class {}",
        nb::cast<std::string>(nb::str(nb::type_name(o.type())))));
  // Positions are part of the program, also those in an array of NumPy's: they go where they are
  // needed.
  if (!array_in(o) && !is_host(of.device())) a = move_to(*a, of.device());
  const graph::NodeRef n = a->node();
  if (n->kind == graph::NodeKind::list && graph::is_string(*n->contents[0]) &&
      a->type().content().is(Type::Kind::string))
    return nb::cast<std::vector<std::string>>(to_list(*a));
  return *a;
}

/// x[where] of numbers by an array of NumPy's that others may change: a copy of it would take as
/// long as the items.
std::optional<Array> taken_now(const Array& x, nb::handle where) {
  static const nb::handle ndarray = numpy("ndarray");
  if (where.type().ptr() != ndarray.ptr()) return {};
  // Others are made arrays below, which is not to be done twice.
  const nb::object kind = where.attr("dtype").attr("kind");
  if (const char k = text_in(kind).front(); k != 'i' && k != 'u') return {};
  const graph::NodeRef n = x.node();
  if (n->kind != graph::NodeKind::list || n->contents[0]->kind != graph::NodeKind::leaf ||
      !is_host(x.device()))
    return {};
  const Beside beside(x);
  const InnerCall inner;
  const TakingScope shared(Taking::share);
  const std::optional<Array> places = try_array(where);
  return places ? ops::take_stored(x, *places) : std::nullopt;
}

}  // namespace

bool is_integer(nb::handle o) {
  if (PyLong_Check(o.ptr())) return !PyBool_Check(o.ptr());
  // What most slicers are, before isinstance, which takes as long as the rest of a slice's way
  // here.
  if (array_in(o) || PySlice_Check(o.ptr()) || PyTuple_Check(o.ptr())) return false;
  static const nb::handle integer = numpy("integer");
  return is_instance(o, integer);
}

nb::object getitem(const Array& a, nb::handle where) {
  PyObject* p = where.ptr();
  if (PyUnicode_Check(p)) {
    return wrap(a[text_in(where)]);
  }
  if (PyTuple_Check(p) && PyTuple_Size(p) == 1) {  // x[i,] is x[i]
    const nb::handle one = PyTuple_GetItem(p, 0);
    if (PySlice_Check(one.ptr()) || is_integer(one)) return getitem(a, one);
  }
  if (is_integer(where) && !a.is_scalar()) return item(a, std::get<int64_t>(slice_item(a, where)));
  if (const auto taken = taken_now(a, where)) return wrap(*taken);
  std::vector<SliceItem> items;
  if (PyTuple_Check(p)) {
    const Py_ssize_t n = PyTuple_Size(p);
    items.reserve(static_cast<size_t>(n));
    for (Py_ssize_t i = 0; i < n; ++i) items.push_back(slice_item(a, PyTuple_GetItem(p, i)));
  } else {
    items.push_back(slice_item(a, where));
  }
  return wrap(serrate::getitem(a, items));
}

std::string_view text_in(nb::handle str) {
  Py_ssize_t n = 0;
  const char* text = PyUnicode_AsUTF8AndSize(str.ptr(), &n);
  if (!text) throw nb::python_error();
  return {text, static_cast<size_t>(n)};
}

std::string field_name(nb::handle where, const char* op) {
  check<TypeError>(PyUnicode_Check(where.ptr()), "{}: a field name must be a string", op);
  return std::string(text_in(where));
}

std::vector<std::string> field_path(nb::handle where, const char* op) {
  if (PyUnicode_Check(where.ptr())) return {nb::cast<std::string>(where)};
  std::vector<std::string> path;
  const bool sequence = PyTuple_Check(where.ptr()) || PyList_Check(where.ptr());
  check<TypeError>(sequence, "{}: expected a field name or a tuple of field names", op);
  for (nb::handle o : nb::iter(where)) path.push_back(field_name(o, op));
  check<ValueError>(!path.empty(), "{}: the path of field names is empty", op);
  return path;
}

}  // namespace serrate::python
