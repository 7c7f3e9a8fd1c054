// What the files of the binding share: conversions both ways, the types, errors.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/ir.h"
#include "serrate/ops.h"

namespace serrate::python {

namespace nb = nanobind;
using nb::literals::operator""_a;

/// A record taken out of an array: one value over the unit space.
struct Record {
  Array value;
};

// -- Python to Array (from_python.cpp, from_numpy.cpp, from_iter.cpp) -----------------------------
/// The Array inside a Python object that is one, else null.
Array* array_in(nb::handle o);
Record* record_in(nb::handle o);
/// A number, bool, complex, str, bytes, None, date or NumPy scalar; Python's numbers are weak (NEP
/// 50).
std::optional<Array> scalar_from(nb::handle o);
/// Anything that an operation takes: Array, Record, scalar, NumPy or DLPack array, awkward.Array,
/// list ... TypeError names `op` and the class of o.
Array as_array(nb::handle o, const char* op);
/// As as_array, but nothing for what belongs to other libraries.
std::optional<Array> try_array(nb::handle o);
std::vector<Array> as_arrays(nb::handle sequence, const char* op);
/// NumPy array without a copy; masked and structured arrays too.
Array from_numpy(nb::handle array);
Array from_iter(nb::handle iterable);
Array from_dlpack(nb::handle producer);
/// Awkward Array's arrays and records, by its own to_buffers: shares memory.
Array from_awkward(nb::handle array);
Array from_container(std::string_view form, int64_t length, nb::object container,
                     nb::object buffer_key, bool big_endian);
/// Bytes of a Python object with the buffer interface, kept alive by it.
Buffer buffer_of(nb::handle o);
DType dtype_of_numpy(nb::handle dtype, std::string* unit = nullptr);

// -- Array to Python (to_python.cpp, to_numpy.cpp) ------------------------------------------------
/// The Python object for a result: an Array, a Record, or the scalar itself (then evaluated).
nb::object wrap(Array a);
nb::object wrap_array(Array a);
nb::object wrap_all(std::vector<Array> arrays);
nb::object to_list(const Array& a);
nb::object to_numpy(const Array& a, bool allow_missing);
/// One item along axis 0; for iteration and integer indexes.
nb::object item(const Array& a, int64_t i);
/// A NumPy view of the bytes.
nb::object numpy_view(const Buffer& b, std::string_view dtype);
nb::object numpy_scalar(const Scalar& s, std::string_view unit);

// -- slicing (getitem.cpp) ------------------------------------------------------------------------
nb::object getitem(const Array& a, nb::handle where);
std::vector<std::string> field_path(nb::handle where, const char* op);
std::string field_name(nb::handle where, const char* op);

// -- evaluation -----------------------------------------------------------------------------------
/// Evaluates without the interpreter lock.
void evaluate(const Array& a);
void evaluate_all(const std::vector<Array>& arrays);
/// Makes the errors found at evaluation name the user's line.
void install_source_location();
/// An owner for foreign memory: releases o whenever and in whatever thread the last user goes.
std::shared_ptr<const void> keep(nb::handle o);

// -- NumPy ----------------------------------------------------------------------------------------
/// numpy.<name>, remembered.
nb::handle numpy(const char* name);
nb::handle numpy_module();

/// Array.__array_ufunc__
nb::object array_ufunc(nb::handle self, nb::handle ufunc, const std::string& method,
                       nb::args inputs, nb::kwargs kwargs);

// -- the common trailing arguments ----------------------------------------------------------------
/// highlevel=False asks for layouts, which serrate does not have.
inline void refuse_lowlevel(bool highlevel) {
  if (!highlevel)
    throw TypeError(
        "highlevel=False: serrate has no low-level layouts; to_buffers gives an array's buffers");
}
#define SERRATE_HBA "highlevel"_a = true, "behavior"_a = nb::none(), "attrs"_a = nb::none()

/// axis=None or an integer (NumPy's too).
Axis as_axis(nb::handle axis, const char* op);
int as_int_axis(nb::handle axis, const char* op);

// -- the parts of the module ----------------------------------------------------------------------
void bind_errors(nb::module_& m);
void bind_type(nb::module_& m);
void bind_array(nb::module_& m);
void bind_record(nb::module_& m);
void bind_builder(nb::module_& m);
void bind_elementwise(nb::module_& m);
void bind_reducers(nb::module_& m);
void bind_sorting(nb::module_& m);
void bind_structure(nb::module_& m);
void bind_records(nb::module_& m);
void bind_missing(nb::module_& m);
void bind_combinatorics(nb::module_& m);
void bind_io(nb::module_& m);
void bind_plan(nb::module_& m);

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
