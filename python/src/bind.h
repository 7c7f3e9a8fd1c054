// Binding functions whose results are arrays: highlevel=, behavior= and attrs= of all of them.
#pragma once

#include <type_traits>
#include <utility>

#include "graph/operation.h"
#include "python.h"

namespace serrate::python {

inline nb::object result(nb::object o) { return o; }
inline nb::object result(Array a) { return wrap(std::move(a)); }

/// f with the common trailing arguments.
template <class F, class R, class... A>
auto in_context(F f, R (F::*)(A...) const) {
  return [f = std::move(f)](A... a, Truth highlevel, nb::handle behavior, nb::handle attrs) {
    const graph::Operation operation;
    begin(highlevel, behavior, attrs);
    return result(f(std::forward<A>(a)...));
  };
}
template <class R, class... A>
auto in_context(R (*f)(A...)) {
  return in_context([f](A... a) { return f(std::forward<A>(a)...); });
}
template <class F>
auto in_context(F f) {
  return in_context(std::move(f), &F::operator());
}

/// m.def of a function that gives an array or a Python object. Behind its own arguments there are
/// highlevel=, behavior= and attrs=, which are `begin`'s.
template <class F, class... Extra>
void def(nb::module_& m, const char* name, F f, const Extra&... extra) {
  m.def(name, in_context(std::move(f)), extra..., SERRATE_HBA);
}

/// Of an array and an axis, which may be None if f takes it. Names of axes change by `rule`.
template <class F>
void bind_axis(nb::module_& m, const char* name, F f, int axis, std::optional<Names> rule,
               const char* doc) {
  def(
      m, name,
      [name, f, rule](nb::handle array, nb::handle along) {
        const Array x = as_array(array, name);
        const auto a = [&] {
          if constexpr (std::is_invocable_v<F, const Array&, Axis>)
            return as_axis(along, name, array);
          else
            return as_int_axis(along, name, array);
        }();
        if (rule) name_axes(array, *rule, a);
        return f(x, a);
      },
      "array"_a, "axis"_a.none() = axis, nb::kw_only(), doc);
}

}  // namespace serrate::python
