// Vectors as Python sees them: which classes are built in for which names, and what operators do
// with them.
#pragma once

#include <optional>

#include "common/context.h"
#include "serrate/vectors.h"

namespace serrate::python {

/// The classes of one kind: what has the properties and methods, with Array and with Record.
struct VectorClasses {
  PyTypeObject *mixin = nullptr, *array = nullptr, *record = nullptr;
};
/// Of the name of records (Vector2D ... Momentum4D); null for other names.
VectorClasses* vector_classes(std::string_view name);

/// What an Array or a Record of such a class, or one derived from it, is.
std::optional<vectors::Kind> vector_kind(nb::handle x);
/// Is it a vector of scikit-hep's vector, of one or of arrays of NumPy's?
bool is_foreign_vector(nb::handle x);
/// One of those as an array or a record.
Array from_foreign_vector(nb::handle x);
/// The vectors in x, which may be anything that is an array of them; TypeError if it is none.
vectors::Vector as_vector(nb::handle x, const char* op);

/// TypeError unless the records in x, whose class is that of vectors, have the fields of such.
void check_vectors(nb::handle x);
/// What check_vectors is as a method of the classes, which those of users may override.
bool checks_vectors(nb::handle method);
void remember_check(nb::object method);

/// A function that somebody registered is vector's own: what is built in does the same.
bool is_of_vector_package(nb::handle function);
/// What a ufunc makes of operands of which one is a vector; nothing if it has no meaning.
std::optional<nb::object> vector_ufunc(nb::handle ufunc, Operands inputs);
/// The same of a reducer.
std::optional<nb::object> vector_reducer(std::string_view name, nb::handle array, nb::handle axis,
                                         bool keepdims, bool mask_identity);

}  // namespace serrate::python
