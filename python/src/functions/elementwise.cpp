// Element-wise functions by looping over the table.
#include <deque>

#include "common/context.h"
#include "common/operands.h"
#include "functions/bind.h"
#include "functions/ufuncs.h"

namespace serrate::python {
namespace {

// The example of a row: data in, data out, from the row's own arity.
const char* documentation(const OpInfo& row) {
  static auto& texts = *new std::deque<std::string>;
  std::string args = row.arity == 1 ? "array" : "array, other";
  texts.push_back(
      fmt::format("{}\n\nElement by element as numpy.{}; lists are broadcast, missing "
                  "items stay missing.\n\n    {}({}) == {}",
                  row.doc, row.numpy_name, row.name, args, row.expression));
  return texts.back().c_str();
}

// The table for the pages of functions: what each row computes, takes and gives.
nb::dict table() {
  nb::dict all;
  for (const OpInfo& row : kOps.rows) {
    std::string kinds;
    for (const auto& [bit, kind] : {std::pair{kAcceptsBool, "booleans"},
                                    {kAcceptsInteger, "integers"},
                                    {kAcceptsFloating, "floating-point numbers"},
                                    {kAcceptsComplex, "complex numbers"},
                                    {kAcceptsDatetime, "dates"},
                                    {kAcceptsTimedelta, "durations"}})
      if (row.accepts & bit) kinds += (kinds.empty() ? "" : ", ") + std::string(kind);
    const char* gives = row.result == ResultRule::boolean ? "Results are booleans."
                        : row.result == ResultRule::real  ? "Results are real."
                        : row.result == ResultRule::byte  ? "Results are uint8."
                        : row.result == ResultRule::exponent
                            ? "Results are int32."
                            : "Results have the type computed with.";
    nb::dict one;
    one["arity"] = row.arity;
    one["expression"] = std::string(row.expression);
    one["accepts"] = "Computed with " + kinds + "; others convert as NumPy converts them.";
    one["gives"] = gives;
    all[row.name.data()] = one;
  }
  return all;
}

nb::object call_row(Op op, const std::vector<Array>& in, Operands given) {
  return result_of(op, numpy(info(op).numpy_name.data()), in, given);
}

void bind_row(nb::module_& m, const char* name, Op op) {
  const char* doc = documentation(info(op));
  if (info(op).arity == 1) {
    def(
        m, name,
        [op, name](nb::handle x) { return call_row(op, {as_array(x, name)}, std::array{x.ptr()}); },
        "x"_a, nb::kw_only(), doc);
  } else {
    def(
        m, name,
        [op, name](nb::handle x, nb::handle y) {
          const LargeIntegers allowed;
          const auto [a, b] = as_operands(name, x, y);
          return call_row(op, {a, b}, std::array{x.ptr(), y.ptr()});
        },
        "x"_a, "y"_a, nb::kw_only(), doc);
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
  m.def("_elementwise_rows", &table);
  bind_ufuncs(m);
}

}  // namespace serrate::python
