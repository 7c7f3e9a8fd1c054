// Arrow's PyCapsule protocol: capsules of other libraries as arrays, and arrays as capsules.
#include "convert/arrow.h"

#include <cstring>

#include "common/checked.h"
#include "common/context.h"
#include "common/operands.h"
#include "convert/taking.h"
#include "serrate/arrow.h"
#include "serrate/io.h"

namespace serrate::python {
namespace {

template <class T>
constexpr const char* kCapsule = nullptr;
template <>
constexpr const char* kCapsule<ArrowSchema> = "arrow_schema";
template <>
constexpr const char* kCapsule<ArrowArray> = "arrow_array";
template <>
constexpr const char* kCapsule<ArrowArrayStream> = "arrow_array_stream";
template <>
constexpr const char* kCapsule<ArrowDeviceArray> = "arrow_device_array";
template <>
constexpr const char* kCapsule<ArrowDeviceArrayStream> = "arrow_device_array_stream";

template <class T>
void release(T& x) {
  if (x.release != nullptr) x.release(&x);
}
void release(ArrowDeviceArray& x) { release(x.array); }

/// A structure to be filled, then a capsule that releases it unless somebody takes it.
template <class T>
class Capsule {
 public:
  Capsule() : value_(new T{}) {}
  ~Capsule() {
    if (value_) release(*value_);
  }
  T* get() { return value_.get(); }
  nb::object object() {
    nb::object o = owned(PyCapsule_New(value_.get(), kCapsule<T>, [](PyObject* capsule) {
      auto* x = static_cast<T*>(PyCapsule_GetPointer(capsule, kCapsule<T>));
      if (x == nullptr) {
        PyErr_WriteUnraisable(capsule);
        return;
      }
      release(*x);
      delete x;
    }));
    static_cast<void>(value_.release());
    return o;
  }

 private:
  std::unique_ptr<T> value_;
};

template <class T>
T* pointer(nb::handle capsule) {
  check<TypeError>(PyCapsule_CheckExact(capsule.ptr()),
                   "from_arrow: expected a capsule \"{}\", got an object of class {}", kCapsule<T>,
                   nb::cast<std::string>(nb::str(nb::type_name(capsule.type()))));
  void* p = PyCapsule_GetPointer(capsule.ptr(), kCapsule<T>);
  if (p == nullptr) throw nb::python_error();
  return static_cast<T*>(p);
}

// Releases may come from any thread, without Python's lock; there are producers whose release of
// device arrays needs it and does not take it (pylibcudf 26.10).
void release_with_lock(ArrowArray& a) {
  if (a.release == nullptr) return;
  a.private_data = new ArrowArray(a);
  a.release = [](ArrowArray* x) {
    const std::unique_ptr<ArrowArray> theirs(static_cast<ArrowArray*>(x->private_data));
    x->release = nullptr;
    if (!Py_IsInitialized()) return;
    const nb::gil_scoped_acquire lock;
    theirs->release(theirs.get());
  };
}
template <class T>
Array from_pair(nb::handle pair, const FromArrowOptions& o) {
  check<TypeError>(PyTuple_Check(pair.ptr()) && PyTuple_Size(pair.ptr()) == 2,
                   "from_arrow: expected capsules of a schema and an array");
  const nb::object schema(pair[nb::int_(0)]), array(pair[nb::int_(1)]);
  T* const there = pointer<T>(array);
  if constexpr (std::is_same_v<T, ArrowDeviceArray>) release_with_lock(there->array);
  return from_arrow(there, pointer<ArrowSchema>(schema), o);
}

template <class T>
Array from_stream(nb::handle capsule, const FromArrowOptions& o) {
  T* stream = pointer<T>(capsule);
  std::optional<Array> out;
  // Producers may need the lock in threads of their own.
  without_lock([&] { out = from_arrow(stream, o); });
  return *out;
}

ToArrowOptions options_of(const nb::dict& given, nb::handle requested) {
  ToArrowOptions o;
  const auto truth = [&](const char* name, bool& member) {
    if (given.contains(name)) member = is_true(nb::object(given[name]));
  };
  truth("list_to32", o.list_to32);
  truth("string_to32", o.string_to32);
  truth("bytestring_to32", o.bytestring_to32);
  truth("categorical_as_dictionary", o.categorical_as_dictionary);
  truth("extensionarray", o.extensionarray);
  truth("count_nulls", o.count_nulls);
  truth("table", o.table);
  truth("record_is_scalar", o.record_is_scalar);
  if (given.contains("emptyarray_to"))
    o.emptyarray_to = nb::cast<std::string>(nb::object(given["emptyarray_to"]));
  if (!requested.is_none()) o.requested = pointer<ArrowSchema>(requested);
  return o;
}

// kind: "schema", "array", "stream", "device_array", "device_stream".
nb::object to_capsules(nb::handle array, const std::string& kind, const nb::dict& given,
                       nb::handle requested) {
  const Record* r = record_in(array);
  const Array x = r ? rows_of_one(r->value) : as_array(array, "to_arrow");
  const ToArrowOptions o = options_of(given, requested);
  evaluate(x);
  Capsule<ArrowSchema> schema;
  if (kind == "stream" || kind == "device_stream") {
    if (kind == "stream") {
      Capsule<ArrowArrayStream> out;
      to_arrow(x, out.get(), o);
      return out.object();
    }
    Capsule<ArrowDeviceArrayStream> out;
    to_arrow(x, out.get(), o);
    return out.object();
  }
  if (kind == "device_array" || kind == "schema") {
    Capsule<ArrowDeviceArray> out;
    to_arrow(x, out.get(), schema.get(), o);
    if (kind == "schema") return schema.object();
    return nb::make_tuple(schema.object(), out.object());
  }
  Capsule<ArrowArray> out;
  to_arrow(x, out.get(), schema.get(), o);
  return nb::make_tuple(schema.object(), out.object());
}

// -- schemas that were seen before ----------------------------------------------------------------

void add(std::string& key, const void* bytes, size_t n) {
  key.append(reinterpret_cast<const char*>(&n), sizeof n);
  key.append(static_cast<const char*>(bytes), n);
}

size_t bytes_of_metadata(const char* m) {
  if (m == nullptr) return 0;
  const auto number = [&](size_t at) {
    int32_t v = 0;
    std::memcpy(&v, m + at, sizeof v);
    return v;
  };
  size_t at = sizeof(int32_t);
  for (int32_t i = 0; i < 2 * number(0); ++i)
    at += sizeof(int32_t) + static_cast<size_t>(number(at));
  return at;
}

// All that a schema says, as bytes.
void add(std::string& key, const ArrowSchema& s) {
  add(key, s.format, std::strlen(s.format));
  add(key, s.name, s.name == nullptr ? 0 : std::strlen(s.name));
  add(key, s.metadata, bytes_of_metadata(s.metadata));
  add(key, &s.flags, sizeof s.flags);
  for (int64_t i = 0; i < s.n_children; ++i) add(key, *s.children[i]);
  key.push_back(s.dictionary != nullptr ? 'd' : '.');
  if (s.dictionary != nullptr) add(key, *s.dictionary);
}

nb::bytes schema_key(nb::handle capsule) {
  std::string key;
  add(key, *pointer<ArrowSchema>(capsule));
  return nb::bytes(key.data(), key.size());
}

}  // namespace

bool is_of_pandas(nb::handle o) {
  const nb::object module = nb::getattr(o.type(), "__module__", nb::none());
  if (!PyUnicode_Check(module.ptr())) return false;
  const std::string_view name = text_in(module);
  return name == "pandas" || name.starts_with("pandas.");
}

std::optional<Array> from_arrow_object(nb::handle o, bool copy) {
  const FromArrowOptions options{.copy = copy};
  if (has(o, "__arrow_c_device_array__"))
    return from_pair<ArrowDeviceArray>(nb::object(o.attr("__arrow_c_device_array__")()), options);
  if (has(o, "__arrow_c_array__"))
    return from_pair<ArrowArray>(nb::object(o.attr("__arrow_c_array__")()), options);
  if (has(o, "__arrow_c_device_stream__"))
    return from_stream<ArrowDeviceArrayStream>(nb::object(o.attr("__arrow_c_device_stream__")()),
                                               options);
  if (has(o, "__arrow_c_stream__"))
    return from_stream<ArrowArrayStream>(nb::object(o.attr("__arrow_c_stream__")()), options);
  return {};
}

void bind_arrow(nb::module_& m) {
  m.def("_arrow_capsules", &to_capsules, "array"_a, "kind"_a, "options"_a,
        "requested"_a = nb::none());
  m.def("_arrow_key", &schema_key, "schema"_a);
  m.def("_arrow_address", [](nb::handle capsule) {
    return reinterpret_cast<uintptr_t>(pointer<ArrowArray>(capsule));
  });
  // An array of no items, of a schema's type.
  m.def("_from_arrow_schema", [](nb::handle schema) {
    const InnerCall call;
    begin();
    return wrap(from_arrow(pointer<ArrowSchema>(nb::object(schema.attr("__arrow_c_schema__")()))));
  });
}

}  // namespace serrate::python
