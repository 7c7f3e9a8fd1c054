// The functions of the module as objects that let arguments of other libraries take over.
#include "common/checked.h"
#include "common/context.h"
#include "functions/table.h"

// After Python.h, which the line above includes.
#include <structmember.h>

namespace serrate::python {
namespace {

// The argument that no array could be made of, but which has __awkward_function__. Plain, as a
// thread may end without the interpreter lock.
thread_local PyObject* foreign = nullptr;

struct Function {
  PyObject head;
  PyObject* inner;
  bool no_scalars, no_records;
  void* vectorcall;
};

bool is_scalar_object(PyObject* x) {
  static const nb::handle generic = numpy("generic");
  return PyFloat_Check(x) || PyLong_Check(x) || PyComplex_Check(x) || is_instance(x, generic);
}

// TypeError for a first argument that the function does not take.
bool refused(PyObject* self, PyObject* first) {
  const auto* f = reinterpret_cast<Function*>(self);
  if (!first || !(f->no_scalars || f->no_records)) return false;
  if (array_in(first)) return false;
  const bool record = f->no_records && record_in(first);
  if (!record && !(f->no_scalars && is_scalar_object(first))) return false;
  PyErr_Format(PyExc_TypeError, "%S: expected an array, got %s",
               nb::object(nb::handle(f->inner).attr("__name__")).ptr(),
               record ? "a record" : "a scalar");
  return true;
}

PyObject* inner_of(PyObject* self) { return reinterpret_cast<Function*>(self)->inner; }

nb::object handed_over(nb::handle function, nb::handle args, nb::handle kwargs) {
  const nb::object options = kwargs.is_valid() ? nb::borrow(kwargs) : nb::object(nb::dict());
  const nb::object likes =
      nb::module_::import_("serrate._signature")
          .attr("array_likes")(nb::handle(inner_of(function.ptr())), args, options);
  for (nb::handle x : nb::iter(likes)) {
    if (meta_of(x) || !has(x, "__awkward_function__")) continue;
    const nb::object out =
        x.attr("__awkward_function__")(function, likes, nb::borrow(args), options);
    if (!out.is(Py_NotImplemented)) return out;
  }
  PyErr_SetString(PyExc_NotImplementedError,
                  "no __awkward_function__ of the arguments implements this function");
  throw nb::python_error();
}

nb::dict keywords(PyObject* const* values, PyObject* names) {
  nb::dict out;
  for (Py_ssize_t i = 0, n = names ? PyTuple_Size(names) : 0; i < n; ++i)
    out[nb::handle(PyTuple_GetItem(names, i))] = nb::handle(values[i]);
  return out;
}

// nanobind answers a call that does not fit with all it knows: say in one line what is wrong.
PyObject* explained(PyObject* self, Operands args, PyObject* const* values,
                    PyObject* names) noexcept {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  nb::object text = nb::steal(guarded([&] {
    return nb::object(nb::module_::import_("serrate._signature")
                          .attr("misfit")(nb::handle(inner_of(self)), nb::handle(value),
                                          tuple_of(args), keywords(values, names)));
  }));
  PyErr_Clear();
  if (!text.is_valid() || text.is_none()) {
    PyErr_Restore(type, value, trace);
    return nullptr;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  const bool exception = PyExceptionInstance_Check(text.ptr()) != 0;
  PyErr_SetObject(exception ? (PyObject*)Py_TYPE(text.ptr()) : PyExc_TypeError, text.ptr());
  return nullptr;
}

PyObject* vectorcall(PyObject* self, PyObject* const* args, size_t flags,
                     PyObject* names) noexcept {
  const InnerCall inner;
  try {
    if (refused(self, NB_VECTORCALL_NARGS(flags) > 0 ? args[0] : nullptr)) return nullptr;
  } catch (...) {
    set_python_error();
    return nullptr;
  }
  PyObject* out = nb::detail::vectorcall(inner_of(self), args, flags, names);
  if (out) return out;
  const auto n = static_cast<size_t>(NB_VECTORCALL_NARGS(flags));
  if (!foreign && !PyErr_ExceptionMatches(PyExc_TypeError)) return nullptr;
  if (!foreign) return explained(self, {args, n}, args + n, names);
  Py_CLEAR(foreign);
  PyErr_Clear();
  return guarded([&] { return handed_over(self, tuple_of({args, n}), keywords(args + n, names)); });
}

// compute(*arrays): Arrays and Records are evaluated without a frame of Python; a call with
// anything else is that of the function inside.
PyObject* compute_call(PyObject* self, PyObject* const* args, size_t flags,
                       PyObject* names) noexcept {
  const Operands given(args, static_cast<size_t>(NB_VECTORCALL_NARGS(flags)));
  const auto is_ours = [](PyObject* x) { return meta_of(x) != nullptr; };
  if (names || given.empty() || !std::all_of(given.begin(), given.end(), is_ours))
    return nb::detail::vectorcall(inner_of(self), args, flags, names);
  return guarded([&] {
    const auto array = [](PyObject* x) -> const Array& {
      const Record* r = record_in(x);
      return r ? r->value : *array_in(x);
    };
    if (given.size() == 1) {
      compute_one(array(args[0]));
      return nb::borrow(args[0]);
    }
    std::vector<Array> all;
    for (PyObject* x : given) all.push_back(array(x));
    compute_all(all);
    return tuple_of(given);
  });
}

// Python calls this where it knows nothing of vector calls.
PyObject* call(PyObject* self, PyObject* args, PyObject* kwargs) noexcept {
  return PyObject_Call(inner_of(self), args, kwargs);
}

bool is_compute(PyObject* self) {
  return reinterpret_cast<Function*>(self)->vectorcall == (void*)compute_call;
}

PyObject* attribute(PyObject* self, PyObject* name) noexcept {
  if (is_compute(self) && PyUnicode_CompareWithASCIIString(name, "__wrapped__") == 0)
    return Py_NewRef(inner_of(self));  // whose signature inspect finds there
  for (const char* own : {"__reduce_ex__", "__reduce__", "__class__"}) {
    if (PyUnicode_CompareWithASCIIString(name, own) == 0)
      return PyObject_GenericGetAttr(self, name);
  }
  if (!is_compute(self) && PyUnicode_CompareWithASCIIString(name, "__signature__") == 0) {
    return guarded([&] {
      return nb::object(
          nb::module_::import_("serrate._signature").attr("of")(nb::handle(inner_of(self))));
    });
  }
  return PyObject_GetAttr(inner_of(self), name);
}

PyObject* text(PyObject* self) noexcept { return PyObject_Repr(inner_of(self)); }

// By name, for pickles.
PyObject* reduced(PyObject* self, PyObject*) noexcept {
  return PyObject_GetAttrString(inner_of(self), "__name__");
}

void dealloc(PyObject* self) noexcept {
  PyTypeObject* type = Py_TYPE(self);
  Py_CLEAR(reinterpret_cast<Function*>(self)->inner);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF((PyObject*)type);
}

PyMethodDef methods[] = {{"__reduce__", reduced, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};
PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Function, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_call, (void*)call},
                       {Py_tp_getattro, (void*)attribute},
                       {Py_tp_repr, (void*)text},
                       {Py_tp_dealloc, (void*)dealloc},
                       {Py_tp_methods, (void*)methods},
                       {Py_tp_members, (void*)members},
                       {0, nullptr}};
// Py_TPFLAGS_HAVE_VECTORCALL, which the stable ABI has had for longer than its name.
constexpr unsigned kHasVectorcall = 1U << 11;
PyType_Spec spec{"serrate._core.Function", sizeof(Function), 0, Py_TPFLAGS_DEFAULT | kHasVectorcall,
                 slots};

}  // namespace

void hand_over(nb::handle o) {
  PyObject* before = foreign;
  foreign = Py_NewRef(o.ptr());
  Py_XDECREF(before);
}

void wrap_functions(nb::module_& m) {
  static PyObject* const type = owned(PyType_FromSpec(&spec)).release().ptr();
  const auto object = [](nb::handle inner, void* vectorcall) {
    PyObject* o = PyType_GenericAlloc((PyTypeObject*)type, 0);
    if (!o) throw nb::python_error();
    auto* function = reinterpret_cast<Function*>(o);
    function->inner = inner.inc_ref().ptr();
    function->vectorcall = vectorcall;
    return nb::steal(o);
  };
  const nb::object sample(m.attr("num"));
  for (auto [name, f] : nb::borrow<nb::dict>(m.attr("__dict__"))) {
    if (nb::cast<std::string>(name).starts_with("_") || !f.type().is(sample.type())) continue;
    const nb::object o = object(f, (void*)vectorcall);
    auto* function = reinterpret_cast<Function*>(o.ptr());
    const auto text = nb::cast<std::string>(name);
    const FunctionRow* row = find_function(text);
    const Takes takes = row ? row->takes : Takes::any;
    function->no_scalars = takes == Takes::array || takes == Takes::array_or_record;
    function->no_records = takes == Takes::array || takes == Takes::array_or_scalar;
    m.attr(name) = o;
  }
  m.def("_compute", [object](nb::handle f) { return object(f, (void*)compute_call); });
}

}  // namespace serrate::python
