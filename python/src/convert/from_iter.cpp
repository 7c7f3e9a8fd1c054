// Nested Python objects as arrays: the walk that feeds an ArrayBuilder.
#include <algorithm>

#include "common/checked.h"
#include "common/class.h"
#include "common/python.h"
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

bool is_time_of_day(nb::handle o) {
  static const nb::handle time =
      nb::object(nb::module_::import_("datetime").attr("time")).release();
  return is_instance(o, time);
}

// Since midnight, of the first day that is counted.
int64_t microseconds(nb::handle time) {
  auto part = [&](const char* name) { return nb::cast<int64_t>(nb::object(time.attr(name))); };
  const int64_t seconds = (part("hour") * 60 + part("minute")) * 60 + part("second");
  return seconds * 1'000'000 + part("microsecond");
}

// Numbers of thousands of digits have no text.
ValueError too_large(nb::handle integer) {
  const auto bits = nb::cast<int64_t>(nb::object(integer.attr("bit_length")()));
  return ValueError(fmt::format("from_iter: {} does not fit int64",
                                bits > 1000 ? fmt::format("an integer of {} bits", bits)
                                            : nb::cast<std::string>(nb::str(integer))));
}

/// Of which plain values have no unit.
bool has_times(const graph::Node& n) {
  if (n.kind == graph::NodeKind::leaf && is_time(n.column->dtype)) return true;
  return std::any_of(n.contents.begin(), n.contents.end(),
                     [](const graph::NodeRef& c) { return has_times(*c); });
}

class Walk {
 public:
  explicit Walk(ArrayBuilder& b) : b_(b) {}

  void fill(PyObject* p) {
    signals_.step();  // Ctrl-C must not wait for the last of many items
    if (PyFloat_CheckExact(p)) {
      b_.real(PyFloat_AsDouble(p));
    } else if (PyLong_CheckExact(p)) {
      int overflow = 0;
      const long long v = PyLong_AsLongLongAndOverflow(p, &overflow);
      if (overflow != 0) throw too_large(p);
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
    // What is filled may run Python code that changes the dict: its items are kept alive, and the
    // walk ends when there are more or fewer.
    const Py_ssize_t size = PyDict_Size(p);
    Py_ssize_t at = 0;
    PyObject *key = nullptr, *value = nullptr;
    while (PyDict_Next(p, &at, &key, &value)) {
      const nb::object keep_key = nb::borrow(key), keep = nb::borrow(value);
      check<ValueError>(PyUnicode_Check(key), "from_iter: keys of records must be strings");
      b_.field(text_of(key));
      fill(value);
      check<ValueError>(PyDict_Size(p) == size, "from_iter: a dict changed while it was read");
    }
    b_.end_record();
    --depth_;
  }

  void data_class(nb::handle o) {
    enter();
    b_.begin_record();
    for (nb::handle name : nb::iter(nb::object(o.attr("__dataclass_fields__")))) {
      b_.field(text_of(name.ptr()));
      fill(nb::object(o.attr(name)).ptr());
    }
    b_.end_record();
    --depth_;
  }

  void other(PyObject* p) {
    if (const Array* a = array_in(p)) return a->is_scalar() ? fill(to_list(*a).ptr()) : items(p);
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
    if (is_time_of_day(o)) return b_.datetime(microseconds(o), "us");
    if (has(o, "__dataclass_fields__") && !PyType_Check(p)) return data_class(o);
    // Lists of NumPy's have numbers in place of some times.
    const bool times = has(o, "dtype") && has(o, "ndim") &&
                       nb::cast<std::string>(nb::str(nb::object(o.attr("dtype")))).find("64[") !=
                           std::string::npos;
    if (!times && has(o, "tolist") && has(o, "__array__")) {
      nb::object list = o.attr("tolist")();
      if (list.ptr() != p && !PyObject_TypeCheck(list.ptr(), Py_TYPE(p))) return fill(list.ptr());
    }
    if (!has(o, "__iter__"))
      throw ValueError(fmt::format("from_iter: cannot make an array item of an object of class {}",
                                   nb::cast<std::string>(nb::str(nb::type_name(o.type())))));
    items(o);
  }

  void items(nb::handle o) {
    enter();
    b_.begin_list();
    each(o);
    b_.end_list();
    --depth_;
  }

 public:
  void each(nb::handle o) {
    // Rows as plain values, so many together that a call for them costs nothing.
    constexpr int64_t kTogether = 1024;
    const Array* a = Py_TYPE(o.ptr()) == class_object<PyArray> ? array_in(o) : nullptr;
    if (a == nullptr || a->is_scalar() || has_times(*a->node())) {
      for (nb::handle x : nb::iter(o)) fill(x.ptr());
      return;
    }
    const Array rows = *a;
    for (int64_t i = 0, n = rows.size(); i < n; i += kTogether) {
      const nb::object some =
          to_list(serrate::getitem(rows, {Slice{i, std::min(i + kTogether, n)}}));
      for (nb::handle x : nb::iter(some)) fill(x.ptr());
    }
  }

 private:
  ArrayBuilder& b_;
  int depth_ = 0;
  Signals signals_;
};

}  // namespace

Array from_iter(nb::handle iterable) {
  ArrayBuilder b;
  Walk walk(b);
  if (PyDict_Check(iterable.ptr())) {
    walk.fill(iterable.ptr());
    return serrate::getitem(b.snapshot(), {int64_t{0}});
  }
  walk.each(iterable);
  return b.snapshot();
}

void append(ArrayBuilder& b, nb::handle o) { Walk(b).fill(o.ptr()); }

}  // namespace serrate::python
