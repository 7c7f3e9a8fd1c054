// Combinations and Cartesian products of the items of lists.
#include "bind.h"
#include "context.h"
#include "operands.h"
#include "ops/levels.h"

namespace serrate::python {

namespace {

template <class F>
void bind_combinations(nb::module_& m, const char* name, F f, const char* doc) {
  def(
      m, name,
      [name, f](nb::handle array, int n, Truth replacement, nb::handle axis, nb::handle fields,
                nb::handle parameters, std::optional<std::string> with_name) {
        CombinationOptions o{.replacement = replacement,
                             .axis = as_int_axis(axis, name, array),
                             .with_name = with_name.value_or("")};
        if (!fields.is_none()) {
          for (nb::handle field : nb::iter(fields)) o.fields.push_back(field_name(field, name));
        }
        return with_record_parameters(f(as_array(array, name), n, o), as_parameters(parameters));
      },
      "array"_a, "n"_a, nb::kw_only(), "replacement"_a = false, "axis"_a.none() = 1,
      "fields"_a = nb::none(), "parameters"_a = nb::none(), "with_name"_a = nb::none(), doc);
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

template <class F>
void bind_cartesian(nb::module_& m, const char* name, F f, const char* doc) {
  def(
      m, name,
      [name, f](nb::handle arrays, nb::handle axis, nb::handle nested, nb::handle parameters,
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
                           "{}: expected arrays, got a single {}", name, x.type().str());
        }
        o.nested = nested_factors(nested, parts.size(), o.fields, name);
        name_product(arrays, o, positions, nested.is_none() || PyBool_Check(nested.ptr()));
        return with_record_parameters(f(parts, o), as_parameters(parameters));
      },
      "arrays"_a, "axis"_a.none() = 1, nb::kw_only(), "nested"_a = nb::none(),
      "parameters"_a = nb::none(), "with_name"_a = nb::none(), doc);
}

}  // namespace

void bind_combinatorics(nb::module_& m) {
  bind_combinations(
      m, "combinations",
      [](const Array& x, int n, const CombinationOptions& o) { return combinations(x, n, o); },
      "All choices of n items of each list.\n\n"
      ">>> combinations([[1, 2, 3], []], 2).to_list()\n"
      "[[(1, 2), (1, 3), (2, 3)], []]");
  bind_combinations(
      m, "argcombinations",
      [](const Array& x, int n, const CombinationOptions& o) { return argcombinations(x, n, o); },
      "Positions of all choices of n items of each list.\n\n"
      ">>> argcombinations([[5, 6], []], 2)\n"
      "<Array [[(0, 1)], []] type='2 * var * (int64, int64)'>");
  bind_cartesian(
      m, "cartesian",
      [](const std::vector<Array>& x, const CartesianOptions& o) { return cartesian(x, o); },
      "All pairs (triples ...) of items of lists.\n\n"
      ">>> cartesian([[[1, 2], []], [[3], [4]]])\n"
      "<Array [[(1, 3), (2, 3)], []] type='2 * var * (int64, int64)'>");
  bind_cartesian(
      m, "argcartesian",
      [](const std::vector<Array>& x, const CartesianOptions& o) { return argcartesian(x, o); },
      "Positions of all pairs (triples ...) of items of lists.\n\n"
      ">>> argcartesian([[[5, 6], []], [[7], [8]]])\n"
      "<Array [[(0, 0), (1, 0)], []] type='2 * var * (int64, int64)'>");
}

}  // namespace serrate::python
