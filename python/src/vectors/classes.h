// The classes of vectors: what methods.cpp and collections.cpp hang on them.
#pragma once

#include <array>

#include "common/vectors.h"
#include "graph/operation.h"

namespace serrate::python {

/// The mixins of one dimension or more: all vectors', or those of momenta.
std::vector<nb::object> mixins_from(int dimension);

/// A method of these classes.
template <class F, class... Extra>
void def_method(int dimension, const char* name, F f, const Extra&... extra) {
  for (const nb::object& mixin : mixins_from(dimension))
    nb::cpp_function_def(f, nb::scope(mixin), nb::name(name), nb::is_method(), extra...);
}

/// f of the vectors in self and of the other arguments, as all operations are called.
template <class F>
auto of_vector(const char* name, F f) {
  return [name, f](nb::handle self) {
    const graph::Operation operation;
    const Begun call;
    return wrap(f(as_vector(self, name)));
  };
}
template <class F>
auto of_vectors(const char* name, F f) {
  return [name, f](nb::handle self, nb::handle other) {
    const graph::Operation operation;
    const Begun call;
    const vectors::Vector v = as_vector(self, name);
    return wrap(f(v, as_vector(other, name)));
  };
}
template <class F>
auto of_vector_and_number(const char* name, F f) {
  return [name, f](nb::handle self, nb::handle number) {
    const graph::Operation operation;
    const Begun call;
    const vectors::Vector v = as_vector(self, name);
    return wrap(f(v, as_array(number, name)));
  };
}

void bind_vector_methods();
void bind_vector_conversions();
void bind_vector_collections(nb::module_& m);

}  // namespace serrate::python
