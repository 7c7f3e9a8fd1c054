// What the files of the binding share: conversions both ways, the types, errors.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/ir.h"
#include "serrate/ops.h"

namespace serrate {
class ArrayBuilder;
struct Buffers;
}  // namespace serrate

namespace serrate::python {

namespace nb = nanobind;
using nb::literals::operator""_a;

/// What users of Python hang on an array: its own behaviours and its attributes. Null: none.
struct Meta {
  nb::object behavior, attrs;
};

/// What operators ask of an array's type, however it is evaluated.
struct TypeFacts {
  int depth = -1;          ///< of its lists; -1: not looked at yet
  bool regular = true;     ///< all but the outermost of these
  bool has_names = false;  ///< of lists or records, which may be overloaded
};

/// The class Array of Python.
struct PyArray : Array {
  PyArray() = default;
  explicit PyArray(Array a, Meta m = {}) : Array(std::move(a)), meta(std::move(m)) {}
  Meta meta;
  mutable TypeFacts facts;  ///< see facts_of
  /// Memory on the GPU of which another library was told last: it holds the object alone.
  mutable std::shared_ptr<const void> shown;
};

/// A record taken out of an array: one value over the unit space.
struct Record {
  Array value;
  Meta meta = {};
};

enum class Taking : uint8_t;  // taking.h

/// A flag given by Python: whatever is true or false.
struct Truth {
  Truth(bool v = false) : value(v) {}
  operator bool() const { return value; }
  bool value;
};

// -- Python to Array (from_python.cpp, from_numpy.cpp, from_iter.cpp) -----------------------------
/// Has it this attribute? Unlike nb::hasattr, passes on what a property raises.
bool has(nb::handle o, const char* name);
/// The Array inside a Python object that is one, else null.
Array* array_in(nb::handle o);
Record* record_in(nb::handle o);
/// Of an Array or a Record, else null.
Meta* meta_of(nb::handle o);
/// attrs= as a dict of its own; TypeError unless it maps strings.
nb::object checked_attrs(nb::handle attrs);
/// A number, bool, complex, str, bytes, None, date or NumPy scalar; Python's numbers are weak (NEP
/// 50).
std::optional<Array> scalar_from(nb::handle o);
/// Anything that an operation takes: Array, Record, scalar, NumPy or DLPack array, awkward.Array,
/// list ... TypeError names `op` and the class of o.
Array as_array(nb::handle o, const char* op);
/// As as_array, but nothing for what belongs to other libraries.
std::optional<Array> try_array(nb::handle o);
/// As try_array; sets, ranges ... too. TypeError for None.
std::optional<Array> try_operand(nb::handle o);
/// An array of this one value: a record, a scalar, a whole array (as a regular list).
Array rows_of_one(const Array& value);
/// A number as an array of one, as Awkward takes it in some functions; others stay.
Array at_least_one_row(const Array& value);
std::vector<Array> as_arrays(nb::handle sequence, const char* op);
/// A new field of records; None is a missing value for each of them.
Array field_value(nb::handle o);
/// The builder that o is, else null.
ArrayBuilder* builder_in(nb::handle o);
/// The rows so far, if o is an ArrayBuilder.
std::optional<Array> built(nb::handle o);
/// NumPy array; masked and structured arrays too. What is copied says taking.h.
Array from_numpy(nb::handle array);
/// What an object's __array__ gives.
Array from_array_of(nb::handle o);
Array from_iter(nb::handle iterable);
/// The next value of a builder, of any class that from_iter takes.
void append(ArrayBuilder& b, nb::handle value);
Array from_dlpack(nb::handle producer);
/// Awkward Array's arrays and records, by its own to_buffers: shares memory.
Array from_awkward(nb::handle array);
Array from_container(std::string_view form, int64_t length, nb::object container,
                     nb::object buffer_key, bool big_endian);
DType dtype_of_numpy(nb::handle dtype, std::string* unit = nullptr);

// -- Array to Python (to_python.cpp, to_numpy.cpp) ------------------------------------------------
/// An object of the class of types.py for its kind; the type of a value that is no array.
nb::object type_object(const Type& t);
nb::object scalar_type_object(const Type& t);
/// The Python object for a result: an Array, a Record, or the scalar itself (then evaluated).
nb::object wrap(Array a);
nb::object wrap(const graph::NodeRef& n);
/// Of an array with that tree.
nb::object wrap(Array a, const graph::NodeRef& n);
nb::object wrap_array(Array a);
nb::object wrap_record(Array a);
nb::object wrap_all(std::vector<Array> arrays);
nb::object to_list(const Array& a);
/// Memory of its own, to be written to; or, where that can be, a read-only view of the array's.
enum class Handed : bool { copy, view };
nb::object to_numpy(const Array& a, bool allow_missing, Handed how = Handed::copy);
/// The same of lists of different lengths: shorter ones, and what is missing, are `pad`
/// (padded.cpp).
nb::object to_padded_numpy(const Array& a, nb::handle pad);
/// One item along axis 0; for iteration and integer indexes.
nb::object item(const Array& a, int64_t i);
/// A NumPy view of the bytes; on the GPU, an Array of numbers.
nb::object numpy_view(const Buffer& b, std::string_view dtype);
nb::object typed_view(const Buffer& b, std::string_view dtype);
/// The number at this address.
Scalar read_scalar(DType t, const void* address);
nb::object numpy_scalar(const Scalar& s, std::string_view unit);

// -- slicing (getitem.cpp, setitem.cpp) -----------------------------------------------------------
nb::object getitem(const Array& a, nb::handle where);
/// self[where] = value, but for fields: the handle gets another tree; other handles keep theirs.
void set_items(nb::handle self, nb::handle where, nb::handle value);
/// Handles of an array whose operation is to replace it: Python's, and that of the operand.
inline constexpr int64_t kReplaced = 2;
/// The handle of `target` gets another tree.
void replace(nb::handle target, const Array& next);
/// Integers of Python and NumPy, but no booleans and no arrays.
bool is_integer(nb::handle o);
/// A number of Python or NumPy.
bool is_number(nb::handle o);
/// Of an array's numbers: 'b', 'i' (unsigned ones too), or another letter; 0 of other objects.
char kind_of_numbers(nb::handle o);
std::vector<std::string> field_path(nb::handle where, const char* op);
std::string field_name(nb::handle where, const char* op);
/// The characters of a str, which it keeps.
std::string_view text_in(nb::handle str);

// -- evaluation -----------------------------------------------------------------------------------
/// Evaluates without the interpreter lock.
void evaluate(const Array& a);
void evaluate_all(const std::vector<Array>& arrays);
/// As users ask for it: views stay views.
void compute_one(const Array& a);
void compute_all(const std::vector<Array>& arrays);
/// Runs f without the interpreter lock.
void without_lock(const std::function<void()>& f);
/// Makes the errors found at evaluation name the user's line.
void install_source_location();
/// An owner for foreign memory: releases o whenever and in whatever thread the last user goes.
std::shared_ptr<const void> keep(nb::handle o);

// -- devices (devices.cpp) ------------------------------------------------------------------------
/// Where new arrays are made; SERRATE_BACKEND says it first.
Device default_device();
void set_default_device(Device d);
/// ValueError unless it is "cpu" or "cuda".
Device backend_named(std::string_view name, const char* op);
Array move_to(const Array& a, Device d);
/// An array that was just made: on `backend`, or where new arrays belong if that is None.
Array place(Array a, nb::handle backend, const char* op);
Array new_array(Array a);
/// On the host, to be read value by value.
Array looked_at(const Array& a);
/// TypeError, naming to_backend, for what would hand over all of an array on the GPU.
void refuse_gpu(const Array& a, const char* op);

// -- GPU arrays of other libraries (gpu_arrays.cpp) -----------------------------------------------
bool has_gpu_interface(nb::handle o);
Array from_gpu_interface(nb::handle o);
Array from_gpu_dlpack(nb::handle producer);
/// The bytes of an object with __cuda_array_interface__, contiguous.
Buffer gpu_bytes(nb::handle o, Taking how);
/// Array.__cuda_array_interface__; AttributeError on the CPU.
nb::object gpu_interface(const PyArray& a);
/// CUDA's number of the GPU.
int gpu_number();

// -- NumPy ----------------------------------------------------------------------------------------
/// numpy.<name>, remembered.
nb::handle numpy(const char* name);
nb::handle numpy_module();

/// Array.__array_ufunc__, as a plain method of C.
PyObject* array_ufunc(PyObject* self, PyObject* const* args, Py_ssize_t n,
                      PyObject* names) noexcept;

// -- the common trailing arguments ----------------------------------------------------------------
/// Every function begins with this: remembers what wrap gives to the results, and whether they are
/// to be layouts (contents.py).
void begin(bool highlevel, nb::handle behavior, nb::handle attrs);
#define SERRATE_HBA "highlevel"_a = true, "behavior"_a = nb::none(), "attrs"_a = nb::none()

/// axis=None, an integer (NumPy's too) or the name of an axis of `array`.
Axis as_axis(nb::handle axis, const char* op, nb::handle array = {});
int as_int_axis(nb::handle axis, const char* op, nb::handle array = {});
/// What an operation along an axis does to the names of axes (nothing, where there are none).
enum class Names : uint8_t {
  remove,   ///< that axis is gone; all of them without an axis
  only,     ///< that axis is the first one now
  up_to,    ///< those below that axis are gone
  insert,   ///< a new axis comes after it
  flatten,  ///< it is joined with the one above it
  nest      ///< a new axis comes in front of it
};
void name_axes(nb::handle array, Names rule, Axis axis);
/// The array of a layout (contents.py), if o is one.
std::optional<Array> from_layout(nb::handle o);
/// Numbers of each buffer by name: NumPy's arrays, on the GPU ours, which other libraries take by
/// __cuda_array_interface__.
void put_views(const Buffers& b, nb::object container);
std::optional<Array> optional_array(nb::handle h, const char* op);
/// A dict's values as JSON texts, for the parameters of types.
Parameters as_parameters(nb::handle dict);

// -- the parts of the module ----------------------------------------------------------------------
void bind_errors(nb::module_& m);
void bind_overloads(nb::module_& m);
void bind_table(nb::module_& m);
void bind_type(nb::module_& m);
void bind_array(nb::module_& m);
void bind_record(nb::module_& m);
void bind_builder(nb::module_& m);
void bind_elementwise(nb::module_& m);
void bind_reducers(nb::module_& m);
void bind_statistics(nb::module_& m);
void bind_show(nb::module_& m);
void bind_sorting(nb::module_& m);
void bind_sets(nb::module_& m);
void bind_histograms(nb::module_& m);
void bind_structure(nb::module_& m);
void bind_values(nb::module_& m);
void bind_records(nb::module_& m);
void bind_parameters(nb::module_& m);
void bind_compare(nb::module_& m);
void bind_missing(nb::module_& m);
void bind_combinatorics(nb::module_& m);
void bind_io(nb::module_& m);
/// Lets __awkward_function__ of o take over from the function that is about to fail.
void hand_over(nb::handle o);
/// Makes the functions so far ones that can be taken over from.
void wrap_functions(nb::module_& m);
void bind_layout(nb::module_& m);
void bind_arrow(nb::module_& m);
void bind_dlpack(nb::module_& m);
void bind_frames(nb::module_& m);
void bind_gpu_memory(nb::module_& m);
void bind_plan(nb::module_& m);
void bind_apply(nb::module_& m);
void bind_compile(nb::module_& m);
void bind_backends(nb::module_& m);
void bind_uploads(nb::module_& m);
void bind_vectors(nb::module_& m);
void bind_numba(nb::module_& m);
void bind_numba_builder(nb::module_& m);
void bind_numba_stops(nb::module_& m);
void bind_launches(nb::module_& m);
/// The form of a nested array on the GPU and its addresses there (views.cpp).
struct GpuWords {
  const std::string& form;
  const std::vector<int64_t>& words;
  int64_t start, stop;
};
GpuWords gpu_words(nb::handle array);
/// Numba's type of builders.
nb::object numba_type_of_builder();

/// Raises a class of serrate.errors that C++ has no class for.
[[noreturn]] void raise(const char* error_class, const std::string& text);

/// Runs f and turns C++ exceptions into Python ones: for type slots, which nanobind does not guard.
void set_python_error() noexcept;
template <class F>
PyObject* guarded(F&& f) noexcept {
  try {
    return f().release().ptr();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

}  // namespace serrate::python

template <>
struct nanobind::detail::type_caster<serrate::python::Truth> {
  NB_TYPE_CASTER(serrate::python::Truth, const_name("bool"))
  bool from_python(handle src, uint8_t, cleanup_list*) noexcept {
    const int truth = PyObject_IsTrue(src.ptr());
    if (truth < 0) PyErr_Clear();
    value = truth == 1;
    return truth >= 0;
  }
  static handle from_cpp(serrate::python::Truth v, rv_policy, cleanup_list*) noexcept {
    return handle(v ? Py_True : Py_False).inc_ref();
  }
};
