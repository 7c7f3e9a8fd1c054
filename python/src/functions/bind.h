// Binding functions whose results are arrays: highlevel=, behavior= and attrs= of all of them.
#pragma once

#include <array>
#include <string>
#include <type_traits>
#include <utility>

#include "common/python.h"
#include "functions/table.h"
#include "graph/operation.h"

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

/// m.def of a function whose name is known at run time only, or that is not public. Behind its own
/// arguments there are highlevel=, behavior= and attrs=, which are `begin`'s.
template <class F, class... Extra>
void def(nb::module_& m, const char* name, F f, const Extra&... extra) {
  m.def(name, in_context(std::move(f)), extra..., SERRATE_HBA);
}

/// The texts of a row as nanobind wants them, which keeps pointers to some.
struct RowTexts {
  explicit RowTexts(const FunctionRow& row);
  std::string name, doc;
  std::array<std::string, 12> parameters;
  std::array<nb::object, 12> defaults;
};
const RowTexts& texts_of(const FunctionRow& row);

template <Shape shape, size_t i>
auto parameter(const RowTexts& row) {
  const auto plain = [&] {
    if constexpr (shape.takes_none[i])
      return nb::arg(row.parameters[i].c_str()).none();
    else
      return nb::arg(row.parameters[i].c_str());
  }();
  if constexpr (shape.has_default[i])
    return plain = row.defaults[i];
  else
    return plain;
}

template <Shape shape, class F, size_t... i, size_t... j, class... Extra>
void def_row(nb::module_& m, const RowTexts& row, F f, std::index_sequence<i...>,
             std::index_sequence<j...>, const Extra&... extra) {
  constexpr size_t n = sizeof...(i);
  if constexpr (shape.by_name)
    m.def(row.name.c_str(), std::move(f), parameter<shape, i>(row)..., nb::kw_only(),
          parameter<shape, n + j>(row)..., extra..., row.doc.c_str());
  else
    m.def(row.name.c_str(), std::move(f), parameter<shape, i>(row)..., extra..., row.doc.c_str());
}

template <Shape shape, class F>
void def_shaped(nb::module_& m, const RowTexts& row, F f) {
  const auto positional = std::make_index_sequence<shape.positional>();
  const auto by_name = std::make_index_sequence<shape.count - shape.positional>();
  if constexpr (shape.ends_in_common)
    def_row<shape>(m, row, in_context(std::move(f)), positional, by_name, SERRATE_HBA);
  else
    def_row<shape>(m, row, std::move(f), positional, by_name);
}

/// A function of structural.def: its row says its parameters, their defaults and its doc string.
template <Name name, class F>
void def(nb::module_& m, F f) {
  static constexpr const FunctionRow& row = function_row(name.text);
  def_shaped<shape_of(row.signature)>(m, texts_of(row), std::move(f));
}

/// What make(name, arguments...) gives, for functions that differ in the arguments only.
template <Name name, class Make, class... Args>
void def_made(nb::module_& m, Make make, Args... args) {
  def<name>(m, make(name.text, std::move(args)...));
}

/// f of an array and an axis, which may be None if f takes it. Names of axes change by `rule`.
template <class F>
auto along_axis(const char* name, F f, std::optional<Names> rule) {
  return [name, f, rule](nb::handle array, nb::handle along) {
    const Array x = as_array(array, name);
    const auto a = [&] {
      if constexpr (std::is_invocable_v<F, const Array&, Axis>)
        return as_axis(along, name, array);
      else
        return as_int_axis(along, name, array);
    }();
    if (rule) name_axes(array, *rule, a);
    return f(x, a);
  };
}

template <Name name, class F>
void def_along_axis(nb::module_& m, F f, std::optional<Names> rule = {}) {
  def<name>(m, along_axis(name.text, f, rule));
}

}  // namespace serrate::python
