// Foreign memory as arrays: NumPy (strided, masked, structured), DLPack, buffers of Awkward Array.
#include <unordered_map>

#include "graph/evaluate.h"
#include "python.h"
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

}  // namespace

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

DType dtype_of_numpy(nb::handle dtype, std::string* unit) {
  const nb::object d = numpy("dtype")(dtype);
  const std::string name = nb::cast<std::string>(d.attr("name"));
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto t = static_cast<DType>(i);
    if (serrate::name(t) == name) return t;
    if (is_time(t) && name.starts_with(std::string(serrate::name(t)) + "[")) {
      const size_t at = name.find('[');
      if (unit) *unit = name.substr(at + 1, name.size() - at - 2);
      return t;
    }
  }
  throw TypeError(
      fmt::format("dtype {} is not one that arrays can hold (bool, integers, float16 to "
                  "float64, complex64, complex128, datetime64, timedelta64)",
                  name));
}

namespace {

// The types of NumPy that are one object each, so that their array's dtype is found by address.
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

// Aligned numbers in the machine's byte order.
Array plain(nb::handle array, DType t, const std::string& unit) {
  const nb::object interface = array.attr("__array_interface__");
  const std::vector<int64_t> shape = integers(nb::object(interface["shape"]));
  if (shape.empty()) return *scalar_from(nb::object(array[nb::tuple()]));
  const nb::object layout = interface["strides"];
  std::vector<int64_t> strides;
  Extent e{0, itemsize(t)};
  if (layout.is_none()) {
    for (const int64_t n : shape) e.above *= n;
  } else {
    strides = integers(layout);
    e = extent(shape, strides, itemsize(t));
  }
  const auto* start = reinterpret_cast<const std::byte*>(
      nb::cast<uintptr_t>(nb::object(nb::object(interface["data"])[nb::int_(0)])));
  const Buffer data(start + e.below, e.above - e.below, keep(array));
  return from_strided(data, t, shape, strides, -e.below, unit);
}

}  // namespace

Array from_numpy(nb::handle array) {
  static const nb::handle masked = nb::object(numpy("ma").attr("MaskedArray")).release();
  static const nb::handle ndarray = numpy("ndarray");
  const bool exact = array.type().is(ndarray);
  const nb::object dtype = array.attr("dtype");
  if (exact) {
    if (const auto t = builtin_dtype(dtype)) return plain(array, *t, {});
  } else if (PyObject_IsInstance(array.ptr(), masked.ptr()) == 1) {
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
          {from_numpy(numpy("zeros")(array.attr("shape"))), *scalar_from(word)})[1];
    }
    Array words = from_iter(nb::object(array.attr("ravel")().attr("tolist")()));
    for (size_t i = shape.size(); i-- > 1;) words = unflatten(words, Array(shape[i]));
    return words;
  }
  check<TypeError>(kind != "O", "NumPy arrays of objects are not arrays of values; use from_iter");
  if (!nb::cast<bool>(dtype.attr("isnative")))
    return from_numpy(nb::object(array.attr("astype")(dtype.attr("newbyteorder")("="))));
  std::string unit;
  const DType t = dtype_of_numpy(dtype, &unit);
  return plain(array, t, unit);
}

Array from_dlpack(nb::handle producer) {
  check<TypeError>(has(producer, "__dlpack__"),
                   "from_dlpack: expected an object with __dlpack__, got one of class {}",
                   nb::cast<std::string>(nb::str(nb::type_name(producer.type()))));
  if (has(producer, "__dlpack_device__")) {
    const int kind =
        nb::cast<int>(nb::object(nb::object(producer.attr("__dlpack_device__")())[nb::int_(0)]));
    if (kind == 2) return from_gpu_dlpack(producer);
    check<ValueError>(kind == 1 || kind == 3,
                      "from_dlpack: the data are on a device of DLPack type {}; the CPU and CUDA "
                      "are supported",
                      kind);
  }
  return from_numpy(nb::object(numpy("from_dlpack")(producer)));
}

Buffer buffer_of(nb::handle o) {
  if (has_gpu_interface(o)) return gpu_bytes(o);
  nb::object bytes;
  static const nb::handle ndarray = numpy("ndarray");
  if (PyObject_IsInstance(o.ptr(), ndarray.ptr()) == 1)
    bytes = numpy("ascontiguousarray")(o).attr("reshape")(-1).attr("view")("uint8");
  else
    bytes = numpy("frombuffer")(o, "uint8");
  const nb::object interface = bytes.attr("__array_interface__");
  auto* start = reinterpret_cast<const std::byte*>(
      nb::cast<uintptr_t>(nb::object(nb::object(interface["data"])[nb::int_(0)])));
  return Buffer(start, nb::cast<int64_t>(nb::object(bytes.attr("nbytes"))), keep(bytes));
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
  const Container get = [container](const std::string& k) {
    nb::object found = nb::steal(PyObject_GetItem(container.ptr(), nb::str(k.c_str()).ptr()));
    if (!found.is_valid()) {
      nb::python_error missing;
      if (!missing.matches(PyExc_KeyError)) throw missing;
      raise("BufferNotFoundError",
            fmt::format("from_buffers: the container has no buffer '{}'", k));
    }
    if (PyCallable_Check(found.ptr())) found = found();
    return buffer_of(found);
  };
  return from_buffers(form, length, get, name, big_endian ? ByteOrder::big : ByteOrder::little);
}

Array from_awkward(nb::handle array) {
  const nb::object ak = nb::module_::import_("awkward");
  const bool record = PyObject_IsInstance(array.ptr(), nb::object(ak.attr("Record")).ptr()) == 1;
  const nb::object layout =
      record ? nb::object(array.attr("layout").attr("array")) : nb::borrow(array);
  // On the device it is on; others than ours (JAX, typetracers) by way of the CPU.
  const std::string backend = nb::cast<std::string>(nb::object(ak.attr("backend")(layout)));
  const nb::object parts = ak.attr("to_buffers")(
      backend == "cuda" ? layout : nb::object(ak.attr("to_backend")(layout, "cpu")));
  const std::string form = nb::cast<std::string>(nb::object(parts[nb::int_(0)].attr("to_json")()));
  const int64_t length = nb::cast<int64_t>(nb::object(parts[nb::int_(1)]));
  const Array all = from_container(form, length, nb::object(parts[nb::int_(2)]),
                                   nb::str("{form_key}-{attribute}"), false);
  if (!record) return all;
  return serrate::getitem(all, {nb::cast<int64_t>(nb::object(array.attr("layout").attr("at")))});
}

}  // namespace serrate::python
