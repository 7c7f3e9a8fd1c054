// Python values as arrays: scalars, strings, and the choice of how to read anything else.
#include <algorithm>
#include <array>
#include <cstring>

#include "common/checked.h"
#include "common/class.h"
#include "common/context.h"
#include "common/operands.h"
#include "common/vectors.h"
#include "convert/arrow.h"
#include "convert/taking.h"
#include "graph/evaluate.h"
#include "graph/evaluation/text_lists.h"
#include "ops/elementwise/elementwise.h"

namespace serrate::python {
namespace {

using graph::NodeRef;

thread_local int large_integers = 0;  // > 0: operands of a ufunc

// What a behaviour "__cast__" gives may itself have to be cast, but not for ever.
struct Casting {
  static inline thread_local int depth = 0;
  Casting() {
    check<TypeError>(depth < 8,
                     "the behaviours \"__cast__\" give no array, but objects to be cast");
    ++depth;
  }
  ~Casting() { --depth; }
  Casting(const Casting&) = delete;
  Casting& operator=(const Casting&) = delete;
};

Array constant_array(const Scalar& s, bool weak, std::string unit = {}) {
  return Array(graph::leaf(graph::constant(s, weak), std::move(unit)));
}

Array integer_array(nb::handle o, DType t, bool weak) {
  int overflow = 0;
  const long long v = PyLong_AsLongLongAndOverflow(o.ptr(), &overflow);
  if (overflow == 0) {
    if (v == -1 && PyErr_Occurred()) throw nb::python_error();
    return constant_array(
        t == DType::uint64 ? Scalar::of(int64_t{v}).as(t) : Scalar::of(int64_t{v}, t), weak);
  }
  const unsigned long long u = overflow > 0 ? PyLong_AsUnsignedLongLong(o.ptr()) : 0;
  if (overflow < 0 || PyErr_Occurred()) {
    PyErr_Clear();
    check<OverflowError>(weak && large_integers > 0, "Python integer {} does not fit any type",
                         nb::cast<std::string>(nb::str(o)));
    const double v = PyLong_AsDouble(o.ptr());
    if (PyErr_Occurred()) throw nb::python_error();
    return Array(graph::leaf(ops::large_integer(v)));
  }
  Scalar s;
  s.dtype = DType::uint64;
  s.u = u;
  return constant_array(s, weak);
}

Array complex_array(nb::handle o, DType t, bool weak) {
  // NumPy's smaller ones are no complex objects, and would lose their imaginary part.
  const nb::object whole =
      PyComplex_Check(o.ptr()) ? nb::borrow(o) : nb::borrow((PyObject*)&PyComplex_Type)(o);
  Scalar s;
  s.dtype = t;
  s.f = PyComplex_RealAsDouble(whole.ptr());
  s.im = PyComplex_ImagAsDouble(whole.ptr());
  if (PyErr_Occurred()) throw nb::python_error();
  return constant_array(s, weak);
}

Array float_array(nb::handle o, DType t, bool weak) {
  const double v = PyFloat_AsDouble(o.ptr());
  if (v == -1 && PyErr_Occurred()) throw nb::python_error();
  return constant_array(Scalar::of(v, t), weak);
}

// The classes of NumPy's scalars; their values are strong, as in NumPy 2.
struct NumpyScalars {
  std::array<PyTypeObject*, kDTypeCount> types{};
  PyTypeObject* generic;
  NumpyScalars() {
    constexpr const char* names[] = {"bool_",     "int8",       "int16",      "int32",
                                     "int64",     "uint8",      "uint16",     "uint32",
                                     "uint64",    "float16",    "float32",    "float64",
                                     "complex64", "complex128", "datetime64", "timedelta64"};
    for (int i = 0; i < kDTypeCount; ++i) types[i] = (PyTypeObject*)numpy(names[i]).ptr();
    generic = (PyTypeObject*)numpy("generic").ptr();
  }
};

/// Of a time of NumPy's; conversions would make an array of it.
int64_t ticks_of(nb::handle time) {
  const nb::object bytes = time.attr("tobytes")();
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(bytes.ptr(), &data, &size) != 0) throw nb::python_error();
  int64_t ticks = 0;
  check<TypeError>(size == sizeof ticks, "a time of NumPy's has {} bytes, not 8", size);
  std::memcpy(&ticks, data, sizeof ticks);
  return ticks;
}

std::optional<Array> numpy_scalar_from(nb::handle o) {
  static const NumpyScalars known;
  PyTypeObject* type = Py_TYPE(o.ptr());
  if (!PyType_IsSubtype(type, known.generic)) return {};
  for (int i = 0; i < kDTypeCount; ++i) {
    if (known.types[i] != type) continue;
    const auto t = static_cast<DType>(i);
    if (t == DType::boolean) return constant_array(Scalar::boolean(is_true(o)), false);
    if (is_time(t)) {
      std::string unit;
      dtype_of_numpy(o.attr("dtype"), &unit);
      Scalar s = Scalar::of(ticks_of(o));
      s.dtype = t;
      return constant_array(s, false, unit);
    }
    if (is_integer(t)) return integer_array(index_of(o), t, false);
    if (is_floating(t)) return float_array(o, t, false);
    return complex_array(o, t, false);
  }
  return {};
}

nb::handle awkward_module() {
  PyObject* modules = PyImport_GetModuleDict();
  return PyDict_GetItemString(modules, "awkward");
}

bool is_awkward(nb::handle o) {
  const nb::handle ak = awkward_module();
  if (!ak.is_valid() || !has(ak, "Array") || !has(ak, "contents")) return false;
  for (const nb::object& type : {nb::object(ak.attr("Array")), nb::object(ak.attr("Record")),
                                 nb::object(ak.attr("contents").attr("Content"))}) {
    if (is_instance(o, type)) return true;
  }
  return false;
}

/// The behaviours and attributes, names of axes included, that an awkward.Array or Record has.
Meta meta_of_awkward(nb::handle o) {
  Meta meta;
  if (!has(o, "behavior") || !has(o, "attrs")) return meta;
  const nb::object behavior = o.attr("behavior");
  if (!behavior.is_none()) meta.behavior = behavior;
  const nb::object attrs = checked_attrs(nb::object(o.attr("attrs")));
  if (is_true(attrs)) meta.attrs = attrs;
  return meta;
}

bool is_datetime(nb::handle o) {
  static nb::handle types = [] {
    nb::module_ d = nb::module_::import_("datetime");
    return nb::make_tuple(d.attr("date"), d.attr("timedelta")).release();
  }();
  return is_instance(o, types);
}

// Pandas has NumPy's memory, to which its users write, for flat numbers, and Arrow's for the rest,
// which may be NumPy's too.
std::optional<Array> from_pandas(nb::handle o) {
  const bool is_flat = !has(o, "columns") && has(o, "dtype") &&
                       is_instance(nb::object(o.attr("dtype")), numpy("dtype")) &&
                       nb::cast<std::string>(nb::object(o.attr("dtype").attr("kind"))) != "O";
  if (is_flat) return placed(from_array_of(o), false);
  if (auto a = from_arrow_object(o, true)) return placed(*a, false);
  return {};
}

}  // namespace

bool has(nb::handle o, const char* name) {
  if (PyObject* found = PyObject_GetAttrString(o.ptr(), name)) {
    Py_DECREF(found);
    return true;
  }
  nb::python_error raised;
  if (!raised.matches(PyExc_AttributeError)) throw raised;
  return false;
}

LargeIntegers::LargeIntegers() { ++large_integers; }
LargeIntegers::~LargeIntegers() { --large_integers; }

Array* array_in(nb::handle o) {
  PyTypeObject* t = Py_TYPE(o.ptr());
  if (t != class_object<PyArray> && !PyType_IsSubtype(t, class_object<PyArray>)) return nullptr;
  return &value_of<PyArray>(o.ptr());
}

Record* record_in(nb::handle o) {
  if (!PyType_IsSubtype(Py_TYPE(o.ptr()), class_object<Record>)) return nullptr;
  return &value_of<Record>(o.ptr());
}

Meta* meta_of(nb::handle o) {
  if (Array* a = array_in(o)) return &static_cast<PyArray*>(a)->meta;
  if (Record* r = record_in(o)) return &r->meta;
  return nullptr;
}

std::optional<Array> scalar_from(nb::handle o) {
  PyObject* p = o.ptr();
  if (PyFloat_CheckExact(p)) return float_array(o, DType::float64, true);
  if (PyLong_CheckExact(p)) return integer_array(o, DType::int64, true);
  if (p == Py_True || p == Py_False) return constant_array(Scalar::boolean(p == Py_True), true);
  if (p == Py_None)
    return Array(
        graph::option_node(graph::constant(Scalar::boolean(false)), graph::unknown_node()));
  if (auto s = numpy_scalar_from(o)) return s;
  if (PyUnicode_Check(p)) return Array(text_in(o));
  if (PyBytes_Check(p)) {
    char* text = nullptr;
    Py_ssize_t n = 0;
    PyBytes_AsStringAndSize(p, &text, &n);
    return Array(graph::text_node({text, static_cast<size_t>(n)}, graph::TextKind::bytes));
  }
  if (PyComplex_Check(p)) return complex_array(o, DType::complex128, true);
  if (PyFloat_Check(p)) return float_array(o, DType::float64, true);
  if (PyLong_Check(p)) return integer_array(o, DType::int64, true);
  if (is_datetime(o)) {
    const bool delta = has(o, "total_seconds");
    return numpy_scalar_from(numpy(delta ? "timedelta64" : "datetime64")(o));
  }
  return {};
}

namespace {

// What goes to the GPU at once is copied there.
Array numpy_operand(nb::handle o) {
  const bool goes = taking() == Taking::snapshot && destination(false).has_value();
  const TakingScope scope(goes ? Taking::share : taking());
  return placed(from_numpy(o), false);
}

}  // namespace

std::optional<Array> try_array(nb::handle o) {
  if (Array* a = array_in(o)) {
    remember(*static_cast<PyArray*>(a));
    return *a;
  }
  if (o.is_none()) return {};
  if (auto s = scalar_from(o)) return s;
  static const nb::handle ndarray = numpy("ndarray");
  if (is_instance(o, ndarray)) {
    const bool plain = o.type().is(ndarray);
    return !plain && is_foreign_vector(o) ? from_foreign_vector(o) : numpy_operand(o);
  }
  if (Record* r = record_in(o)) {
    remember(r->meta);
    return r->value;
  }
  if (is_awkward(o)) {
    const PyArray a(placed(from_awkward(o), false), meta_of_awkward(o));
    remember(a);
    return a;
  }
  if (auto a = from_layout(o)) return a;
  if (auto a = built(o)) return a;
  if (PyList_Check(o.ptr()) || PyTuple_Check(o.ptr()) || PyDict_Check(o.ptr()) ||
      PyRange_Check(o.ptr()))
    return placed(from_iter(o), true);
  if (has(o, "__awkward_function__")) {
    hand_over(o);
    throw TypeError("another library's __awkward_function__ takes over");
  }
  if (is_of_pandas(o)) {
    if (auto a = from_pandas(o)) return a;
  }
  if (auto a = from_arrow_object(o, taking() == Taking::copy)) return placed(*a, false);
  if (has_gpu_interface(o)) return from_gpu_interface(o);
  if (is_foreign_vector(o)) return placed(from_foreign_vector(o), false);
  if (has(o, "__dlpack__") && has(o, "__dlpack_device__")) return new_array(from_dlpack(o));
  const nb::list own = Beside::behaviors();
  if (nb::len(own) > 0 || PyDict_Size(global_behavior().ptr()) > 0) {
    const nb::object cast = nb::module_::import_("serrate._overloads").attr("cast")(o, own);
    if (!cast.is(Py_NotImplemented)) {
      const Casting depth;
      return try_array(cast);
    }
  }
  if (has(o, "__array__")) return placed(from_array_of(o), false);
  return {};
}

Array as_array(nb::handle o, const char* op) {
  static constexpr std::string_view kOneRecord[] = {
      "Record",     "broadcast_arrays",  "broadcast_fields", "copy",           "enforce_type",
      "fields",     "fill_none",         "full_like",        "is_tuple",       "nan_to_num",
      "ones_like",  "parameters",        "to_backend",       "to_packed",      "unzip",
      "with_field", "with_name",         "with_named_axis",  "with_parameter", "without_field",
      "zeros_like", "without_named_axis"};
  check<ValueError>(
      !PyDict_Check(o.ptr()) ||
          std::find(std::begin(kOneRecord), std::end(kOneRecord), op) != std::end(kOneRecord),
      "{}: a dict is one record, not an array; Record makes it", op);
  if (auto a = try_array(o)) return *a;
  if (has(o, "__iter__")) return placed(from_iter(o), true);
  throw TypeError(fmt::format("{}: expected an array, got an object of class {}", op,
                              nb::cast<std::string>(nb::str(nb::type_name(o.type())))));
}

std::optional<Array> try_operand(nb::handle o) {
  check<TypeError>(!o.is_none(), "operator: None is not a value; use an array of missing values");
  std::optional<Array> a = try_array(o);
  if (!a && has(o, "__iter__") && !has(o, "__radd__")) a = placed(from_iter(o), true);
  return a;
}

std::vector<Array> as_arrays(nb::handle sequence, const char* op) {
  const Beside beside(sequence);
  std::vector<Array> out;
  if (const Array* a = array_in(sequence)) {
    for (int64_t i = 0, n = a->size(); i < n; ++i) out.push_back(as_array(item(*a, i), op));
    return out;
  }
  check<TypeError>(has(sequence, "__iter__"), "{}: expected a sequence of arrays", op);
  for (nb::handle o : nb::iter(sequence)) out.push_back(as_array(o, op));
  return out;
}

std::optional<Array> optional_array(nb::handle h, const char* op) {
  if (h.is_none()) return {};
  return as_array(h, op);
}

Axis as_axis(nb::handle axis, const char* op, nb::handle array) {
  if (axis.is_none()) return std::nullopt;
  return as_int_axis(axis, op, array);
}

int as_int_axis(nb::handle axis, const char* op, nb::handle array) {
  if (PyUnicode_Check(axis.ptr()) && array.is_valid())
    return named_axis(nb::cast<std::string>(axis), array);
  const bool truth = PyBool_Check(axis.ptr());
  Py_ssize_t v = -1;
  if (!truth && PyIndex_Check(axis.ptr())) v = PyNumber_AsSsize_t(axis.ptr(), PyExc_IndexError);
  if (truth || !PyIndex_Check(axis.ptr()) || (v == -1 && PyErr_Occurred())) {
    PyErr_Clear();
    raise("AxisTypeError", fmt::format("{}: axis must be an integer, not {}", op,
                                       nb::cast<std::string>(nb::repr(axis))));
  }
  check<AxisError>(v > -1000 && v < 1000, "{}: axis={} is out of range", op, v);
  return static_cast<int>(v);
}

}  // namespace serrate::python
