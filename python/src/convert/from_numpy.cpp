// Foreign memory as arrays: NumPy (strided, masked, structured), DLPack, buffers of Awkward Array.
#include <unordered_map>

#include "common/checked.h"
#include "common/python.h"
#include "convert/construct.h"
#include "convert/taking.h"
#include "graph/evaluate.h"
#include "graph/limits.h"
#include "interop/snapshot.h"
#include "interop/whole.h"
#include "serrate/io.h"

namespace serrate::python {
namespace {

std::vector<int64_t> integers(nb::handle tuple) {
  std::vector<int64_t> out;
  for (nb::handle x : nb::iter(tuple)) out.push_back(nb::cast<int64_t>(x));
  return out;
}

// The bytes from the lowest to the highest address that the strides reach.
struct Extent {
  int64_t below = 0, above = 0;
};
Extent extent(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides,
              int64_t size) {
  Extent e{0, size};
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return {0, 0};
    const int64_t reach = (shape[i] - 1) * strides[i];
    (reach < 0 ? e.below : e.above) += reach;
  }
  return e;
}

Array structured(nb::handle array, nb::handle names) {
  std::vector<std::pair<std::string, Array>> fields;
  for (nb::handle name : nb::iter(names))
    fields.emplace_back(nb::cast<std::string>(name), from_numpy(nb::object(array[name])));
  return zip(fields, {.depth_limit = 1});
}

thread_local Taking now = Taking::snapshot;

// What NumPy has just made for us alone.
Array from_fresh(const nb::object& array) {
  const TakingScope shared(Taking::share);
  return from_numpy(array);
}

bool is_of_module(nb::handle o, std::string_view module) {
  const nb::object name = nb::object(o.type().attr("__module__"));
  return nb::isinstance<nb::str>(name) &&
         (text_in(name) == module || text_in(name).starts_with(std::string(module) + "."));
}

}  // namespace

Taking taking() { return now; }

Taking as_taking(nb::handle copy, const char* op) {
  if (copy.is_none()) return now;
  check<TypeError>(PyBool_Check(copy.ptr()), "{}: copy must be None, False or True, not {}", op,
                   nb::cast<std::string>(nb::repr(copy)));
  return copy.ptr() == Py_True ? Taking::copy : Taking::share;
}

TakingScope::TakingScope(Taking t) : before_(std::exchange(now, t)) {}
TakingScope::~TakingScope() { now = before_; }

bool others_can_write(nb::handle ndarray, bool read_only) {
  static const nb::handle type = numpy("ndarray");
  nb::object x = nb::borrow(ndarray);
  while (read_only) {  // then what it is a view of may be writable
    x = nb::object(x.attr("base"));
    if (PyMemoryView_Check(x.ptr())) {
      const nb::object all = owned(PyMemoryView_FromObject(nb::object(x.attr("obj")).ptr()));
      if (!all.is_valid()) throw nb::python_error();
      return !nb::cast<bool>(nb::object(all.attr("readonly")));
    }
    if (is_instance(x, type))
      read_only = !nb::cast<bool>(nb::object(x.attr("flags").attr("writeable")));
    else if (x.is_none() || !has(x, "base"))  // NumPy's windows have a base
      return false;
  }
  return true;
}

nb::handle numpy_module() {
  static nb::handle module = nb::module_::import_("numpy").release();
  return module;
}

nb::handle numpy(const char* name) {
  static nb::handle cache = nb::dict().release();
  if (PyObject* known = PyDict_GetItemString(cache.ptr(), name)) return known;
  nb::object value = numpy_module().attr(name);
  PyDict_SetItemString(cache.ptr(), name, value.ptr());
  return value;
}

namespace {

// The types of NumPy that are one object each, so they are found by address: NumPy makes their
// names anew.
std::optional<DType> builtin_dtype(nb::handle dtype) {
  static const auto* known = [] {
    auto* table = new std::unordered_map<PyObject*, DType>;
    for (int i = 0; i < kDTypeCount; ++i) {
      const auto t = static_cast<DType>(i);
      if (!is_time(t)) table->emplace(numpy("dtype")(name(t).data()).release().ptr(), t);
    }
    return table;
  }();
  const auto found = known->find(dtype.ptr());
  if (found == known->end()) return {};
  return found->second;
}

}  // namespace

DType dtype_of_numpy(nb::handle dtype, std::string* unit) {
  const nb::object d = numpy("dtype")(dtype);
  if (const auto known = builtin_dtype(d)) return *known;
  // "<M8[s]", or "<M8" without a unit; names are made in Python.
  const std::string text = nb::cast<std::string>(d.attr("str"));
  if (const char kind = text.at(1); kind == 'M' || kind == 'm') {
    const size_t at = text.find('[');
    if (unit && at != std::string::npos) *unit = text.substr(at + 1, text.size() - at - 2);
    return kind == 'M' ? DType::datetime64 : DType::timedelta64;
  }
  const std::string name = nb::cast<std::string>(d.attr("name"));
  for (int i = 0; i < kDTypeCount; ++i)
    if (const auto t = static_cast<DType>(i); serrate::name(t) == name) return t;
  throw TypeError(
      fmt::format("dtype {} is not one that arrays can hold (bool, integers, float16 to "
                  "float64, complex64, complex128, datetime64, timedelta64)",
                  name));
}

namespace {

constexpr int64_t kLarge = int64_t{1} << 20;  // bytes whose copy lets other threads go on

// NumPy's array interface in C (PyArrayInterface), as __array_struct__ hands it over.
struct ArrayInterface {
  int two;
  int dimensions;
  char kind;
  int itemsize;
  int flags;
  const Py_intptr_t* shape;
  const Py_intptr_t* strides;
  const void* data;
  PyObject* descr;
};
constexpr int kWriteable = 0x400;

// Aligned numbers in the machine's byte order.
Array plain(nb::handle array, DType t, const std::string& unit) {
  const nb::object capsule = array.attr("__array_struct__");
  const auto* interface =
      static_cast<const ArrayInterface*>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
  if (!interface) throw nb::python_error();
  const int dimensions = interface->dimensions;
  if (dimensions == 0) return *scalar_from(nb::object(array[nb::tuple()]));
  const std::vector<int64_t> shape(interface->shape, interface->shape + dimensions);
  const std::vector<int64_t> strides(interface->strides, interface->strides + dimensions);
  const Extent e = extent(shape, strides, itemsize(t));
  const auto* start = static_cast<const std::byte*>(interface->data);
  const bool read_only = !(interface->flags & kWriteable);
  const int64_t bytes = e.above - e.below;
  // Booleans are checked to be so once.
  const bool is_taken = now == Taking::copy || (t == DType::boolean && !read_only) ||
                        (now == Taking::snapshot && others_can_write(array, read_only));
  if (!is_taken)
    return from_strided(Buffer(start + e.below, bytes, keep(array)), t, shape, strides, -e.below,
                        unit);
  int64_t items = 1;
  for (const int64_t n : shape) items = graph::items_of(items, n);
  // Where the items leave gaps they come without; windows and repeated ones stay what they are.
  const bool has_gaps = items > 0 && bytes > items * itemsize(t);
  const std::shared_ptr<const void> held = bytes >= kLarge ? keep(array) : nullptr;
  Buffer taken;
  const auto take = [&] {
    taken = has_gaps ? interop::packed(start, shape, strides, itemsize(t))
                     : interop::snapshot(Buffer(start + e.below, bytes, nullptr));
  };
  bytes >= kLarge ? without_lock(take) : take();
  if (has_gaps) return from_strided(taken, t, shape, {}, 0, unit);
  return from_strided(taken, t, shape, strides, -e.below, unit);
}

}  // namespace

Array from_numpy(nb::handle array) {
  static const nb::handle masked = nb::object(numpy("ma").attr("MaskedArray")).release();
  static const nb::handle ndarray = numpy("ndarray");
  const bool exact = array.type().is(ndarray);
  const nb::object dtype = array.attr("dtype");
  if (exact) {
    if (const auto t = builtin_dtype(dtype)) return plain(array, *t, {});
  } else if (is_instance(array, masked)) {
    const Array data = from_numpy(nb::object(array.attr("data")));
    const Array hidden = from_numpy(nb::object(numpy("ma").attr("getmaskarray")(array)));
    return mask(data, hidden, false);
  }
  const nb::object names = dtype.attr("names");
  if (!names.is_none()) return structured(array, names);
  const std::string kind = nb::cast<std::string>(dtype.attr("kind"));
  if (kind == "U" || kind == "S") {
    const std::vector<int64_t> shape = integers(nb::object(array.attr("shape")));
    if (shape.empty()) return *scalar_from(nb::object(array.attr("tolist")()));
    if (nb::cast<int64_t>(nb::object(array.attr("size"))) == 0) {
      const nb::object word = array.attr("dtype").attr("type")();
      return broadcast_arrays(
          {from_fresh(numpy("zeros")(array.attr("shape"))), *scalar_from(word)})[1];
    }
    Array words = from_iter(nb::object(array.attr("ravel")().attr("tolist")()));
    for (size_t i = shape.size(); i-- > 1;) words = unflatten(words, Array(shape[i]));
    return words;
  }
  check<TypeError>(kind != "O", "NumPy arrays of objects are not arrays of values; use from_iter");
  if (!nb::cast<bool>(dtype.attr("isnative")))
    return from_fresh(nb::object(array.attr("astype")(dtype.attr("newbyteorder")("="))));
  std::string unit;
  const DType t = dtype_of_numpy(dtype, &unit);
  return plain(array, t, unit);
}

Array from_dlpack(nb::handle producer) {
  check<TypeError>(has(producer, "__dlpack__"),
                   "from_dlpack: expected an object with __dlpack__, got one of class {}",
                   nb::cast<std::string>(nb::str(nb::type_name(producer.type()))));
  if (has(producer, "__dlpack_device__")) {
    if (const Array* ours = array_in(producer)) return *ours;
    const int kind =
        nb::cast<int>(nb::object(nb::object(producer.attr("__dlpack_device__")())[nb::int_(0)]));
    if (kind == 2) return from_gpu_dlpack(producer);
    check<ValueError>(kind == 1 || kind == 3,
                      "from_dlpack: the data are on a device of DLPack type {}; the CPU and CUDA "
                      "are supported",
                      kind);
  }
  // NumPy says of some memory that others write to that it is read-only.
  const nb::object array = numpy("from_dlpack")(producer);
  const bool is_ndarray = is_instance(producer, numpy("ndarray"));
  const bool is_taken =
      now == Taking::snapshot &&
      (is_ndarray
           ? others_can_write(producer,
                              !nb::cast<bool>(nb::object(producer.attr("flags").attr("writeable"))))
           : !is_of_module(producer, "pyarrow"));
  const TakingScope scope(is_taken ? Taking::copy : now);
  return from_numpy(array);
}

Array from_array_of(nb::handle o) {
  const nb::object array = numpy("asarray")(o);
  // Nobody but us has what was made for us, in memory of its own.
  const bool is_fresh = now == Taking::snapshot && Py_REFCNT(array.ptr()) == 1 &&
                        nb::cast<bool>(nb::object(array.attr("flags").attr("owndata")));
  const TakingScope scope(is_fresh ? Taking::share : now);
  return from_numpy(array);
}

Buffer buffer_of(nb::handle o, Taking how) {
  using interop::Borrowed;
  if (has_gpu_interface(o)) return gpu_bytes(o, array_in(o) ? Taking::share : how);
  nb::object bytes;
  static const nb::handle ndarray = numpy("ndarray");
  if (is_instance(o, ndarray))
    bytes = numpy("ascontiguousarray")(o).attr("reshape")(-1).attr("view")("uint8");
  else
    bytes = numpy("frombuffer")(o, "uint8");
  const nb::object interface = bytes.attr("__array_interface__");
  const nb::object memory(interface["data"]);
  const auto* start =
      reinterpret_cast<const std::byte*>(nb::cast<uintptr_t>(nb::object(memory[nb::int_(0)])));
  const bool can_change = others_can_write(bytes, nb::object(memory[nb::int_(1)]).ptr() == Py_True);
  const Borrowed what = how == Taking::copy || (how == Taking::snapshot && can_change)
                            ? Borrowed::all
                        : can_change ? Borrowed::indexes
                                     : Borrowed::no;
  std::shared_ptr<const void> owner = keep(bytes);
  if (what != Borrowed::no) owner = interop::borrowed(std::move(owner), what);
  return Buffer(start, nb::cast<int64_t>(nb::object(bytes.attr("nbytes"))), std::move(owner));
}

namespace {
Container buffers_in(nb::object container) {
  return [container, how = now](const std::string& k) {
    PyObject* item = PyObject_GetItem(container.ptr(), nb::str(k.c_str()).ptr());
    if (!item) {
      nb::python_error missing;
      if (!missing.matches(PyExc_KeyError)) throw missing;
      raise("BufferNotFoundError",
            fmt::format("from_buffers: the container has no buffer '{}'", k));
    }
    nb::object found = owned(item);
    if (PyCallable_Check(found.ptr())) found = found();
    // Virtual buffers of Awkward Array's are read now.
    static const nb::handle ndarray = numpy("ndarray");
    if (!is_instance(found, ndarray) && has(found, "materialize"))
      found = found.attr("materialize")();
    return buffer_of(found, how);
  };
}
}  // namespace

Array from_whole_container(std::string_view form, int64_t length, nb::object container) {
  return interop::from_whole_buffers(form, length, buffers_in(std::move(container)));
}

Array from_container(std::string_view form, int64_t length, nb::object container, nb::object key,
                     bool big_endian) {
  BufferKey name;
  if (nb::isinstance<nb::str>(key)) {
    name = buffer_key(nb::cast<std::string>(key));
  } else {
    name = [key](const std::string& form_key, const std::string& attribute) {
      return nb::cast<std::string>(nb::object(
          key("form_key"_a = form_key, "attribute"_a = attribute, "form"_a = nb::none())));
    };
  }
  return from_buffers(form, length, buffers_in(std::move(container)), name,
                      big_endian ? ByteOrder::big : ByteOrder::little);
}

Array from_awkward(nb::handle array) {
  const nb::object ak = nb::module_::import_("awkward");
  const bool record = is_instance(array, nb::object(ak.attr("Record")));
  const nb::object layout =
      record ? nb::object(array.attr("layout").attr("array")) : nb::borrow(array);
  // On the device it is on; others than ours (JAX, typetracers) by way of the CPU.
  const std::string backend = nb::cast<std::string>(nb::object(ak.attr("backend")(layout)));
  const nb::object parts = ak.attr("to_buffers")(
      backend == "cuda" ? layout : nb::object(ak.attr("to_backend")(layout, "cpu")));
  const std::string form = nb::cast<std::string>(nb::object(parts[nb::int_(0)].attr("to_json")()));
  // Awkward's arrays are values, too.
  const TakingScope scope(now == Taking::snapshot ? Taking::share : now);
  const int64_t length = nb::cast<int64_t>(nb::object(parts[nb::int_(1)]));
  const Array all = from_whole_container(form, length, nb::object(parts[nb::int_(2)]));
  if (!record) return all;
  return serrate::getitem(all, {nb::cast<int64_t>(nb::object(array.attr("layout").attr("at")))});
}

}  // namespace serrate::python
