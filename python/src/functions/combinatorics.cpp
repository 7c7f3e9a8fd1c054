// Combinations and Cartesian products of the items of lists.
#include "common/context.h"
#include "common/operands.h"
#include "functions/bind.h"
#include "graph/type_text.h"
#include "ops/tree/levels.h"

namespace serrate::python {

namespace {

using Choices = Array (*)(const Array&, int, CombinationOptions);

auto choices(const char* name, Choices f) {
  return [name, f](nb::handle array, int n, Truth replacement, nb::handle axis, nb::handle fields,
                   nb::handle parameters, std::optional<std::string> with_name) {
    CombinationOptions o{.replacement = replacement,
                         .axis = as_int_axis(axis, name, array),
                         .with_name = with_name.value_or("")};
    if (!fields.is_none()) {
      for (nb::handle field : nb::iter(fields)) o.fields.push_back(field_name(field, name));
    }
    return with_record_parameters(f(as_array(array, name), n, o), as_parameters(parameters));
  };
}

// nested=True: all factors but the last; else the names or numbers of factors.
std::vector<int> nested_factors(nb::handle nested, size_t n, const std::vector<std::string>& fields,
                                const char* op) {
  std::vector<int> out;
  if (nested.is_none() || nested.is(Py_False)) return out;
  if (nested.is(Py_True)) {
    for (size_t i = 0; i + 1 < n; ++i) out.push_back(static_cast<int>(i));
    return out;
  }
  for (nb::handle h : nb::iter(nested)) {
    if (!PyUnicode_Check(h.ptr())) {
      out.push_back(nb::cast<int>(h));
      continue;
    }
    const std::string name = nb::cast<std::string>(h);
    size_t i = 0;
    while (i < fields.size() && fields[i] != name) ++i;
    check<ValueError>(i < fields.size(), "{}: nested names '{}', which is not one of the arrays",
                      op, name);
    out.push_back(static_cast<int>(i));
  }
  return out;
}

/// As in Awkward: of all lists of a level that is nested, only the first is counted.
void name_product(nb::handle arrays, const CartesianOptions& o, bool positions, bool all) {
  nb::object first = nb::borrow(arrays);
  if (PyDict_Check(first.ptr())) first = nb::list(first.attr("values")());
  if (!(PyList_Check(first.ptr()) || PyTuple_Check(first.ptr())) || nb::len(first) == 0) return;
  first = nb::object(first[nb::int_(0)]);
  if (positions) name_axes(first, Names::up_to, o.axis);
  const auto outermost = [&] {
    if (o.axis >= 0) return o.axis == 0;
    const Array x = as_array(first, "cartesian");
    return ops::positive_axis(*x.node(), o.axis, 0) == 0;
  };
  if (o.nested.empty() || !outermost()) return;
  for (const int level : all ? std::vector<int>{0} : o.nested) name_axes(first, Names::nest, level);
}

using Products = Array (*)(const std::vector<Array>&, CartesianOptions);

auto products(const char* name, Products f) {
  return [name, f](nb::handle arrays, nb::handle axis, nb::handle nested, nb::handle parameters,
                   std::optional<std::string> with_name) {
    const bool positions = std::string_view(name) == "argcartesian";
    CartesianOptions o{.axis = as_int_axis(axis, name, arrays),
                       .with_name = with_name.value_or("")};
    const Beside beside(arrays);
    std::vector<Array> parts;
    if (nb::isinstance<nb::dict>(arrays)) {
      for (auto [key, value] : nb::borrow<nb::dict>(arrays)) {
        o.fields.push_back(field_name(key, name));
        parts.push_back(as_array(value, name));
      }
    } else {
      parts = as_arrays(arrays, name);
    }
    for (const Array& x : parts) {
      const bool number = x.node()->kind == graph::NodeKind::leaf && positions;
      check<TypeError>(x.node()->kind != graph::NodeKind::record && !number,
                       "{}: expected arrays, got a single {}", name, graph::type_text(*x.node()));
    }
    o.nested = nested_factors(nested, parts.size(), o.fields, name);
    name_product(arrays, o, positions, nested.is_none() || PyBool_Check(nested.ptr()));
    return with_record_parameters(f(parts, o), as_parameters(parameters));
  };
}

}  // namespace

void bind_combinatorics(nb::module_& m) {
  def_made<"combinations">(m, choices, combinations);
  def_made<"argcombinations">(m, choices, argcombinations);
  def_made<"cartesian">(m, products, cartesian);
  def_made<"argcartesian">(m, products, argcartesian);
}

}  // namespace serrate::python
