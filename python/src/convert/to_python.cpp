// Arrays as Python values: nested lists, and the object for a result that is a scalar.
#include <array>
#include <cstring>
#include <map>

#include "common/checked.h"
#include "common/class.h"
#include "common/context.h"
#include "core/host.h"
#include "graph/evaluate.h"
#include "graph/evaluation/text_lists.h"
#include "graph/operation.h"
#include "serrate/visit.h"

namespace serrate::python {
namespace {

using graph::Node;
using graph::NodeKind;
using graph::NodeRef;

nb::object str_of(std::string_view s) {
  return owned(
      PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "surrogateescape"));
}
nb::object bytes_of(std::string_view s) {
  return owned(PyBytes_FromStringAndSize(s.data(), static_cast<Py_ssize_t>(s.size())));
}

/// numpy.datetime64(v, unit), or timedelta64.
nb::object numpy_time(const char* type, int64_t v, std::string_view unit) {
  const nb::object count = owned(PyLong_FromLongLong(v));
  if (v == INT64_MIN)
    return unit.empty() ? numpy(type)("NaT")
                        : numpy(type)("NaT", nb::str(unit.data(), unit.size()));
  return unit.empty() ? numpy(type)(count) : numpy(type)(count, nb::str(unit.data(), unit.size()));
}

/// Times of one unit as what NumPy makes of them: one array of one item, whose `item` is asked each
/// time.
class Times {
 public:
  Times() = default;
  Times(const char* code, std::string_view unit) {
    std::string type = code;
    if (!unit.empty()) type += "[" + std::string(unit) + "]";
    const nb::object one = numpy("zeros")(1, "int64").attr("view")(type);
    at_ = reinterpret_cast<int64_t*>(nb::cast<uintptr_t>(one.attr("ctypes").attr("data")));
    item_ = one.attr("item");
  }
  bool known() const { return at_ != nullptr; }
  PyObject* operator()(int64_t x) {
    *at_ = x;
    return owned(PyObject_CallNoArgs(item_.ptr())).release().ptr();
  }

 private:
  nb::object item_;  // holds the array
  int64_t* at_ = nullptr;
};

/// Makes lists, dicts and tuples from a view (see make_list).
struct Objects {
  using Value = PyObject*;  // owned
  using List = PyObject*;
  using Record = PyObject*;

  Objects() = default;
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;
  /// Where making was given up, those that were begun are nobody's.
  ~Objects() {
    for (PyObject* o : open_) Py_DECREF(o);
  }

  List begin_list(int64_t n) { return opened(PyList_New(static_cast<Py_ssize_t>(n))); }
  void set(List& l, int64_t i, Value v) {
    PyList_SetItem(l, static_cast<Py_ssize_t>(i), made(v));
    signals_.step();
  }
  Value end_list(List l) { return closed(l); }

  Record begin_record(const View& v, int64_t) {
    signals_.step();
    return opened(v.kind == ViewKind::tuple
                      ? PyTuple_New(static_cast<Py_ssize_t>(v.contents.size()))
                      : PyDict_New());
  }
  void field(Record& r, const View& v, size_t k, Value x) {
    if (v.kind == ViewKind::tuple) {
      PyTuple_SetItem(r, static_cast<Py_ssize_t>(k), x);
      return;
    }
    std::vector<nb::object>& keys = names_[&v];
    if (keys.empty()) {
      for (const std::string& name : v.names) keys.push_back(str_of(name));
    }
    const nb::object value = owned(x);
    if (PyDict_SetItem(r, keys[k].ptr(), x) != 0) throw nb::python_error();
  }
  Value end_record(Record r, const View&) { return closed(r); }

  Value none() { return Py_NewRef(Py_None); }
  Value boolean(bool x) { return Py_NewRef(x ? Py_True : Py_False); }
  Value integer(int64_t x) { return made(PyLong_FromLongLong(x)); }
  Value unsigned_integer(uint64_t x) { return made(PyLong_FromUnsignedLongLong(x)); }
  Value real(double x) { return made(PyFloat_FromDouble(x)); }
  Value complex(double re, double im) { return made(PyComplex_FromDoubles(re, im)); }
  Value datetime(int64_t x, const View& v) { return times(v, "M8")(x); }
  Value timedelta(int64_t x, const View& v) { return times(v, "m8")(x); }
  Value string(std::string_view s) { return str_of(s).release().ptr(); }
  Value bytestring(std::string_view s) { return bytes_of(s).release().ptr(); }

 private:
  static PyObject* made(PyObject* p) {
    if (!p) throw nb::python_error();
    return p;
  }
  PyObject* opened(PyObject* p) {
    open_.push_back(made(p));
    return p;
  }
  PyObject* closed(PyObject* p) {
    open_.pop_back();
    return p;
  }
  Times& times(const View& v, const char* code) {
    if (last_ != &v) {
      Times& t = times_[&v];
      if (!t.known()) t = Times(code, v.unit);
      last_ = &v;
      last_times_ = &t;
    }
    return *last_times_;
  }
  std::vector<PyObject*> open_;  // from the outermost to the innermost
  Signals signals_;
  std::map<const View*, std::vector<nb::object>> names_;
  std::map<const View*, Times> times_;
  const View* last_ = nullptr;
  Times* last_times_ = nullptr;
};

// -- one item of a stored tree --------------------------------------------------------------------
graph::ColumnRef cut(const graph::ColumnRef& c, int64_t first, const graph::SpaceRef& to) {
  if (c->kind == graph::ColumnKind::constant) return c;
  return graph::stored_column(c->buffer.slice(first * itemsize(c->dtype)), c->dtype, to);
}

/// A stored tree whose domain is looked at from position `first` on, over the stored space `to`.
NodeRef cut(const NodeRef& n, int64_t first, const graph::SpaceRef& to) {
  auto* out = new graph::Node(*n);
  const NodeRef result(out);
  if (n->column) out->column = cut(n->column, first, to);
  graph::SpaceRef inner = to;
  int64_t inner_first = first;
  if (n->kind == NodeKind::categorical) return result;
  if (n->kind == NodeKind::list) {
    if (n->space->kind == graph::SpaceKind::fixed) {
      inner = graph::stored_fixed(to, n->space->size);
      inner_first = first * n->space->size;
    } else {
      const graph::ColumnRef& starts = n->space->starts;
      inner = graph::stored_list(to, starts->buffer.slice(first * itemsize(starts->dtype)),
                                 starts->dtype);
      inner_first = 0;
    }
    out->space = inner;
  }
  for (NodeRef& c : out->contents) c = cut(c, inner_first, inner);
  return result;
}

Scalar scalar_at(const graph::ColumnRef& c, int64_t p) {
  if (c->kind == graph::ColumnKind::constant) return c->scalar;
  return read_scalar(c->dtype,
                     static_cast<const std::byte*>(graph::stored_data(c)) + p * itemsize(c->dtype));
}

struct Range {
  int64_t begin, end;
};
Range list_at(const graph::Node& n, int64_t p) {
  const graph::SpaceRef& s = n.space;
  if (s->kind == graph::SpaceKind::rows) return {0, s->size};
  const int64_t row = p - graph::stored_extent(s->parent).first;
  return {graph::stored_offset(s, row), graph::stored_offset(s, row + 1)};
}

/// Position p of a stored tree as a tree over the unit space (for the fields of a Record).
NodeRef unit_node(const NodeRef& n, int64_t p) {
  auto* out = new graph::Node(*n);
  const NodeRef result(out);
  if (n->column) out->column = graph::constant(scalar_at(n->column, p));
  if (n->kind == NodeKind::categorical) return unit_node(n->contents[0], scalar_at(n->column, p).i);
  if (n->kind == NodeKind::list) {
    const Range r = list_at(*n, p);
    out->space = graph::rows(r.end - r.begin);
    for (NodeRef& c : out->contents) c = cut(c, r.begin, out->space);
    return result;
  }
  for (NodeRef& c : out->contents) c = unit_node(c, p);
  return result;
}

}  // namespace

nb::object item_at(const NodeRef& n, int64_t p) {
  switch (n->kind) {
    case NodeKind::leaf:
      return numpy_scalar(scalar_at(n->column, p), n->unit);
    case NodeKind::list: {
      if (const graph::TextKind kind = graph::text_kind(*n); kind != graph::TextKind::none) {
        const Range r = list_at(*n, p);
        const auto* text = static_cast<const char*>(graph::stored_data(n->contents[0]->column));
        const std::string_view s =
            r.begin == r.end
                ? std::string_view()
                : std::string_view(text + r.begin, static_cast<size_t>(r.end - r.begin));
        return kind == graph::TextKind::bytes ? bytes_of(s) : str_of(s);
      }
      return wrap_array(Array(unit_node(n, p)));
    }
    case NodeKind::option:
      return scalar_at(n->column, p).i ? item_at(n->contents[0], p) : nb::none();
    case NodeKind::record:
      return wrap_record(Array(unit_node(n, p)));
    case NodeKind::union_:
      return item_at(n->contents[static_cast<size_t>(scalar_at(n->column, p).i)], p);
    case NodeKind::categorical:
      return item_at(n->contents[0], scalar_at(n->column, p).i);
    case NodeKind::unknown:
      break;
  }
  return nb::none();
}

Array rows_at(const NodeRef& n, int64_t first, int64_t count, Parameters p) {
  const graph::SpaceRef rows = graph::rows(count);
  return Array(graph::list_node(rows, cut(n, first, rows), -1, std::move(p)));
}

Scalar read_scalar(DType t, const void* at) {
  Scalar s;
  s.dtype = t;
  switch (t) {
#define SERRATE_READ(enumerator, type, member)     \
  case DType::enumerator:                          \
    s.member = *reinterpret_cast<const type*>(at); \
    break;
    SERRATE_READ(boolean, bool, i)
    SERRATE_READ(int8, int8_t, i)
    SERRATE_READ(int16, int16_t, i)
    SERRATE_READ(int32, int32_t, i)
    SERRATE_READ(int64, int64_t, i)
    SERRATE_READ(uint8, uint8_t, u)
    SERRATE_READ(uint16, uint16_t, u)
    SERRATE_READ(uint32, uint32_t, u)
    SERRATE_READ(uint64, uint64_t, u)
    SERRATE_READ(float32, float, f)
    SERRATE_READ(float64, double, f)
    SERRATE_READ(datetime64, int64_t, i)
    SERRATE_READ(timedelta64, int64_t, i)
#undef SERRATE_READ
    case DType::float16:
      s.f = half_to_double(*reinterpret_cast<const uint16_t*>(at));
      break;
    case DType::complex64:
      s.f = reinterpret_cast<const float*>(at)[0];
      s.im = reinterpret_cast<const float*>(at)[1];
      break;
    case DType::complex128:
      s.f = reinterpret_cast<const double*>(at)[0];
      s.im = reinterpret_cast<const double*>(at)[1];
      break;
  }
  return s;
}

namespace {

/// An array of one number. What is written there and taken out again is NumPy's number of that type
/// in a fourth of the time that the type takes to make one of Python's.
class OneNumber {
 public:
  explicit OneNumber(DType t)
      : array_(numpy("zeros")(nb::tuple(), t == DType::boolean ? "bool" : std::string(name(t)))
                   .release()),
        index_(nb::tuple().release()) {
    const nb::object data = array_.attr("__array_interface__")["data"];
    at_ = reinterpret_cast<void*>(nb::cast<uintptr_t>(data[0]));
  }
  template <class... T>
  nb::object operator()(T... value) const {
    const std::array number{value...};
    std::memcpy(at_, number.data(), sizeof number);
    return owned(PyObject_GetItem(array_.ptr(), index_.ptr()));
  }

 private:
  nb::handle array_, index_;
  void* at_;
};

}  // namespace

nb::object numpy_scalar(const Scalar& s, std::string_view unit) {
  if (s.dtype == DType::datetime64) return numpy_time("datetime64", s.i, unit);
  if (s.dtype == DType::timedelta64) return numpy_time("timedelta64", s.i, unit);
  if (s.dtype == DType::float16) return numpy("float16")(s.f);
  static const auto numbers = [] {
    std::vector<OneNumber> all;
    for (int i = 0; i < kDTypeCount; ++i) {
      const auto t = static_cast<DType>(i);
      all.emplace_back(is_time(t) ? DType::int64 : t);
    }
    return new std::vector(std::move(all));
  }();
  const OneNumber& number = (*numbers)[static_cast<size_t>(s.dtype)];
  switch (s.dtype) {
    case DType::boolean:
      return number(s.i != 0);
    case DType::float32:
      return number(static_cast<float>(s.f));
    case DType::float64:
      return number(s.f);
    case DType::complex64:
      return number(static_cast<float>(s.f), static_cast<float>(s.im));
    case DType::complex128:
      return number(s.f, s.im);
    default:
      break;
  }
  switch (itemsize(s.dtype)) {
    case 1:
      return number(static_cast<uint8_t>(s.u));
    case 2:
      return number(static_cast<uint16_t>(s.u));
    case 4:
      return number(static_cast<uint32_t>(s.u));
    default:
      return number(s.u);
  }
}

namespace {

// Classes of users may look at what they are to hold, and refuse it.
template <class T>
nb::object wrapped(Array a, const Node& n) {
  std::optional<Meta> meta = meta_of_result();
  if (!meta) return as_layout(a);
  PyTypeObject* type = class_of(n, *meta);
  nb::object out = made(type, T{std::move(a), *std::move(meta)});
  if constexpr (std::is_same_v<T, PyArray>) value_of<PyArray>(out.ptr()).facts = facts_of(n);
  if (type != class_object<T>) validate(out);
  return out;
}

}  // namespace

nb::object wrap(Array a, const NodeRef& n) {
  if (n->kind == NodeKind::list && !graph::is_string(*n)) return wrapped<PyArray>(std::move(a), *n);
  if (n->kind == NodeKind::record) return wrapped<Record>(std::move(a), *n);
  evaluate(a);
  if (n->kind == NodeKind::unknown) return nb::none();
  a = looked_at(a);
  return item_at(a.node(), 0);
}

nb::object wrap_array(Array a) {
  const NodeRef n = a.node();
  return wrapped<PyArray>(std::move(a), *n);
}
nb::object wrap_record(Array a) {
  const NodeRef n = a.node();
  return wrapped<Record>(std::move(a), *n);
}

nb::object wrap(Array a) {
  const NodeRef n = a.node();
  return wrap(std::move(a), n);
}
nb::object wrap(const NodeRef& n) { return wrap(Array(n), n); }

nb::object wrap_all(std::vector<Array> arrays) {
  PyObject* t = PyTuple_New(static_cast<Py_ssize_t>(arrays.size()));
  nb::object out = owned(t);
  for (size_t i = 0; i < arrays.size(); ++i)
    PyTuple_SetItem(t, static_cast<Py_ssize_t>(i), wrap(std::move(arrays[i])).release().ptr());
  return out;
}

nb::object item(const Array& a, int64_t i) {
  NodeRef n = a.node();
  // What is not computed yet is left so: only item i of it then is.
  // On a GPU only it is copied.
  if (!graph::is_evaluated(a) || !is_host(a.device())) return wrap(serrate::getitem(a, {i}));
  const Range r = list_at(*n, 0);
  const int64_t size = r.end - r.begin;
  check<IndexError>(i >= -size && i < size,
                    "x[{}]: index is out of range for an array of length {}", i, size);
  return item_at(n->contents[0], r.begin + (i < 0 ? i + size : i));
}

/// Python's collector looks for cycles again and again while many objects are made; lists of plain
/// values have none.
struct CollectorPause {
  const bool was_on = PyGC_Disable() != 0;
  ~CollectorPause() {
    if (was_on) PyGC_Enable();
  }
};

nb::object to_list(const Array& a) {
  evaluate(a);
  const ArrayView v = view(a);
  // Characters that are no string are text all the same.
  const graph::TextKind kind = graph::text_kind(*a.node());
  if (!v.is_scalar() && kind != graph::TextKind::none) {
    const std::string_view text =
        v.length == 0 ? std::string_view()
                      : std::string_view(static_cast<const char*>(v.item.data) + v.first,
                                         static_cast<size_t>(v.length));
    return kind == graph::TextKind::bytes ? bytes_of(text) : str_of(text);
  }
  Objects maker;
  const CollectorPause pause;
  return nb::steal(make(v, maker));
}

}  // namespace serrate::python
