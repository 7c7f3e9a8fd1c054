// Element-wise functions by looping over the table.
#include <deque>

#include "ufuncs.h"

namespace serrate::python {
namespace {

// The example of a row: data in, data out, from the row's own arity.
const char* documentation(const OpInfo& row) {
  static std::deque<std::string> texts;
  std::string args = row.arity == 1 ? "array" : "array, other";
  texts.push_back(
      fmt::format("{}\n\nElement by element as numpy.{}; lists are broadcast, missing "
                  "items stay missing.\n\n    {}({}) == {}",
                  row.doc, row.numpy_name, row.name, args, row.expression));
  return texts.back().c_str();
}

void bind_row(nb::module_& m, const char* name, Op op) {
  const char* doc = documentation(info(op));
  if (info(op).arity == 1) {
    m.def(
        name,
        [op, name](nb::handle x, bool highlevel, nb::handle behavior, nb::handle attrs) {
          begin(highlevel, behavior, attrs);
          return wrap(elementwise(op, {as_array(x, name)}));
        },
        "x"_a, nb::kw_only(), SERRATE_HBA, doc);
  } else {
    m.def(
        name,
        [op, name](nb::handle x, nb::handle y, bool highlevel, nb::handle behavior,
                   nb::handle attrs) {
          begin(highlevel, behavior, attrs);
          return wrap(elementwise(op, {as_array(x, name), as_array(y, name)}));
        },
        "x"_a, "y"_a, nb::kw_only(), SERRATE_HBA, doc);
  }
}

}  // namespace

void bind_elementwise(nb::module_& m) {
  nb::list names;
  for (int i = 0; i < kOpCount; ++i) {
    const auto op = static_cast<Op>(i);
    if (info(op).arity > 2) continue;
    // bind_values has these, with Awkward Array's arguments.
    if (op == Op::real || op == Op::imag || op == Op::angle) continue;
    // Halves of frexp and modf.
    if (op == Op::frexp_mantissa || op == Op::frexp_exponent || op == Op::modf_fraction ||
        op == Op::modf_integer)
      continue;
    bind_row(m, info(op).name.data(), op);
    names.append(info(op).name.data());
    if (info(op).numpy_name != info(op).name) {
      bind_row(m, info(op).numpy_name.data(), op);
      names.append(info(op).numpy_name.data());
    }
  }
  // NumPy's other names for them: abs, acos, mod, pow ...
  for (auto [name, f] : nb::cast<nb::dict>(numpy_module().attr("__dict__"))) {
    const auto row = ufunc_rows().find(f.ptr());
    if (row == ufunc_rows().end() || nb::hasattr(m, name)) continue;
    m.attr(name) = m.attr(info(row->second).name.data());
    names.append(name);
  }
  m.attr("elementwise_names") = names;
  bind_ufuncs(m);
}

}  // namespace serrate::python
