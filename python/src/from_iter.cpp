// Nested Python objects as arrays: the walk that feeds an ArrayBuilder.
#include "python.h"
#include "serrate/builder.h"

namespace serrate::python {
namespace {

constexpr int kMaxNesting = 200;

std::string_view text_of(PyObject* p) {
  Py_ssize_t n = 0;
  const char* text = PyUnicode_AsUTF8AndSize(p, &n);
  if (!text) throw nb::python_error();
  return {text, static_cast<size_t>(n)};
}

class Walk {
 public:
  explicit Walk(ArrayBuilder& b) : b_(b) {}

  void fill(PyObject* p) {
    if (PyFloat_CheckExact(p)) {
      b_.real(PyFloat_AsDouble(p));
    } else if (PyLong_CheckExact(p)) {
      const long long v = PyLong_AsLongLong(p);
      if (v == -1 && PyErr_Occurred()) throw nb::python_error();
      b_.integer(v);
    } else if (PyList_CheckExact(p)) {
      enter();
      b_.begin_list();
      // The length may change while items are read: they may run Python code.
      for (Py_ssize_t i = 0; i < PyList_Size(p); ++i) {
        nb::object keep = nb::borrow(PyList_GetItem(p, i));
        fill(keep.ptr());
      }
      b_.end_list();
      --depth_;
    } else if (p == Py_None) {
      b_.null();
    } else if (p == Py_True || p == Py_False) {
      b_.boolean(p == Py_True);
    } else if (PyUnicode_Check(p)) {
      b_.string(text_of(p));
    } else if (PyDict_Check(p)) {
      record(p);
    } else if (PyTuple_Check(p)) {
      enter();
      const Py_ssize_t n = PyTuple_Size(p);
      b_.begin_tuple(n);
      for (Py_ssize_t i = 0; i < n; ++i) {
        b_.index(i);
        fill(PyTuple_GetItem(p, i));
      }
      b_.end_tuple();
      --depth_;
    } else if (PyBytes_Check(p)) {
      char* text = nullptr;
      Py_ssize_t n = 0;
      PyBytes_AsStringAndSize(p, &text, &n);
      b_.bytestring({text, static_cast<size_t>(n)});
    } else {
      other(p);
    }
  }

 private:
  void enter() {
    check<ValueError>(++depth_ <= kMaxNesting,
                      "from_iter: more than {} levels of nesting (does a list contain itself?)",
                      kMaxNesting);
  }

  void record(PyObject* p) {
    enter();
    b_.begin_record();
    nb::object items = nb::steal(PyDict_Items(p));
    if (!items.is_valid()) throw nb::python_error();
    for (Py_ssize_t i = 0, n = PyList_Size(items.ptr()); i < n; ++i) {
      PyObject* pair = PyList_GetItem(items.ptr(), i);
      PyObject* key = PyTuple_GetItem(pair, 0);
      check<TypeError>(PyUnicode_Check(key), "from_iter: keys of records must be strings");
      b_.field(text_of(key));
      fill(PyTuple_GetItem(pair, 1));
    }
    b_.end_record();
    --depth_;
  }

  void other(PyObject* p) {
    if (const Array* a = array_in(p)) return fill(to_list(*a).ptr());
    if (const Record* r = record_in(p)) return fill(to_list(r->value).ptr());
    if (std::optional<Array> s = scalar_from(p)) {
      const Scalar v = s->item_scalar();
      switch (v.dtype) {
        case DType::boolean:
          return b_.boolean(v.i != 0);
        case DType::datetime64:
          return b_.datetime(v.i, s->type().unit());
        case DType::timedelta64:
          return b_.timedelta(v.i, s->type().unit());
        case DType::complex64:
        case DType::complex128:
          return b_.complex({v.f, v.im});
        default:
          if (is_floating(v.dtype)) return b_.real(v.f);
          check<ValueError>(v.dtype != DType::uint64 || v.u <= INT64_MAX,
                            "from_iter: {} does not fit int64", v.u);
          return b_.integer(v.i);
      }
    }
    const nb::handle o(p);
    if (nb::hasattr(o, "tolist") && nb::hasattr(o, "__array__")) {
      nb::object list = o.attr("tolist")();
      if (list.ptr() != p && !PyObject_TypeCheck(list.ptr(), Py_TYPE(p))) return fill(list.ptr());
    }
    if (!nb::hasattr(o, "__iter__"))
      throw TypeError(fmt::format("from_iter: cannot make an array item of an object of class {}",
                                  nb::cast<std::string>(nb::str(nb::type_name(o.type())))));
    enter();
    b_.begin_list();
    for (nb::handle x : nb::iter(o)) fill(x.ptr());
    b_.end_list();
    --depth_;
  }

  ArrayBuilder& b_;
  int depth_ = 0;
};

}  // namespace

Array from_iter(nb::handle iterable) {
  ArrayBuilder b;
  Walk walk(b);
  if (PyDict_Check(iterable.ptr())) {
    walk.fill(iterable.ptr());
    return serrate::getitem(b.snapshot(), {int64_t{0}});
  }
  for (nb::handle o : nb::iter(iterable)) walk.fill(o.ptr());
  return b.snapshot();
}

namespace {
// builder.append(x), builder.list() ... of Python.
void append(ArrayBuilder& b, nb::handle o) { Walk(b).fill(o.ptr()); }
}  // namespace

void bind_builder(nb::module_& m) {
  nb::class_<ArrayBuilder>(m, "ArrayBuilder",
                           "Appends values one by one; the type is found out on the way.\n\n"
                           ">>> b = ArrayBuilder(); b.append([1, 2]); b.append([])\n"
                           ">>> b.snapshot()\n<Array [[1, 2], []] type='2 * var * int64'>")
      .def(
          "__init__",
          [](ArrayBuilder* b, nb::handle, nb::handle, int64_t, double) { new (b) ArrayBuilder(); },
          nb::kw_only(), "behavior"_a = nb::none(), "attrs"_a = nb::none(), "initial"_a = 1024,
          "resize"_a = 8.0)
      .def("null", &ArrayBuilder::null)
      .def("boolean", &ArrayBuilder::boolean, "x"_a)
      .def("integer", &ArrayBuilder::integer, "x"_a)
      .def("real", &ArrayBuilder::real, "x"_a)
      .def(
          "complex",
          [](ArrayBuilder& b, nb::handle x) {
            const Scalar s = as_array(x, "complex").item_scalar();
            b.complex(is_complex(s.dtype) ? std::complex<double>(s.f, s.im)
                                          : s.as(DType::float64).f);
          },
          "x"_a)
      .def(
          "datetime", [](ArrayBuilder& b, nb::handle x) { append(b, numpy("datetime64")(x)); },
          "x"_a)
      .def(
          "timedelta", [](ArrayBuilder& b, nb::handle x) { append(b, numpy("timedelta64")(x)); },
          "x"_a)
      .def(
          "string", [](ArrayBuilder& b, nb::str x) { b.string(text_of(x.ptr())); }, "x"_a)
      .def(
          "bytestring", [](ArrayBuilder& b, nb::bytes x) { append(b, x); }, "x"_a)
      .def("begin_list", &ArrayBuilder::begin_list)
      .def("end_list", &ArrayBuilder::end_list)
      .def("begin_tuple", &ArrayBuilder::begin_tuple, "numfields"_a)
      .def(
          "index",
          [](nb::handle self, int64_t i) {
            nb::cast<ArrayBuilder&>(self).index(i);
            return nb::borrow(self);
          },
          "i"_a)
      .def("end_tuple", &ArrayBuilder::end_tuple)
      .def(
          "begin_record",
          [](ArrayBuilder& b, std::optional<std::string> name) {
            b.begin_record(name.value_or(""));
          },
          "name"_a = nb::none())
      .def(
          "field",
          [](nb::handle self, const std::string& key) {
            nb::cast<ArrayBuilder&>(self).field(key);
            return nb::borrow(self);
          },
          "key"_a)
      .def("end_record", &ArrayBuilder::end_record)
      .def("append", &append, "obj"_a)
      .def(
          "extend",
          [](ArrayBuilder& b, nb::handle o) {
            for (nb::handle x : nb::iter(o)) append(b, x);
          },
          "iterable"_a)
      .def("snapshot", [](ArrayBuilder& b) { return wrap(new_array(b.snapshot())); })
      .def("to_list", [](ArrayBuilder& b) { return to_list(b.snapshot()); })
      .def("to_numpy", [](ArrayBuilder& b) { return to_numpy(b.snapshot(), true); })
      .def_prop_ro("type", [](ArrayBuilder& b) { return b.type(); })
      .def_prop_ro("typestr", [](ArrayBuilder& b) { return b.type().str(); })
      .def("__len__", &ArrayBuilder::size);
}

}  // namespace serrate::python
