// Element-wise functions by looping over the table, and NumPy's ufuncs sent to the same rows.
#include <deque>
#include <unordered_map>

#include "context.h"

namespace serrate::python {
namespace {

// numpy.<ufunc> object -> row.
const std::unordered_map<PyObject*, Op>& ufuncs() {
  static const auto* table = [] {
    auto* t = new std::unordered_map<PyObject*, Op>;
    const nb::handle ufunc = numpy("ufunc");
    for (int i = 0; i < kOpCount; ++i) {
      const auto op = static_cast<Op>(i);
      const std::string name(info(op).numpy_name);
      nb::object f = nb::getattr(numpy_module(), name.c_str(), nb::none());
      if (PyObject_IsInstance(f.ptr(), ufunc.ptr()) == 1) t->emplace(f.release().ptr(), op);
    }
    return t;
  }();
  return *table;
}

std::string name_of(nb::handle f) { return nb::cast<std::string>(nb::object(f.attr("__name__"))); }

// ufuncs that are two rows of the table.
std::optional<nb::object> composed(const std::string& name, const std::vector<Array>& in) {
  if (name == "divmod" && in.size() == 2)
    return wrap_all({elementwise(Op::floor_divide, in), elementwise(Op::remainder, in)});
  if (name == "modf" && in.size() == 1) {
    const Array whole = elementwise(Op::trunc, in);
    const Array finite = elementwise(Op::isfinite, in);
    const Array rest = where(finite, in[0] - whole, elementwise(Op::copysign, {Array(0.0), in[0]}));
    const Array number = where(elementwise(Op::isnan, in), in[0], rest);
    return wrap_all({elementwise(Op::copysign, {number, in[0]}), whole});
  }
  return {};
}

// kwargs of a ufunc: only dtype= has a meaning here.
std::optional<DType> options(const std::string& name, const nb::kwargs& kwargs) {
  std::optional<DType> dtype;
  for (auto [key, value] : kwargs) {
    const std::string k = nb::cast<std::string>(key);
    if (k == "out") {
      check<TypeError>(nb::isinstance<nb::tuple>(value) && nb::len(value) == 1 &&
                           nb::object(value[nb::int_(0)]).is_none(),
                       "numpy.{}: out= is not supported, arrays do not change", name);
    } else if (k == "dtype") {
      dtype = dtype_of_numpy(value);
    } else if (k != "casting" && k != "order" && k != "subok") {
      throw TypeError(fmt::format("numpy.{}: the argument {}= is not supported", name, k));
    }
  }
  return dtype;
}

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

nb::object array_ufunc(nb::handle, nb::handle ufunc, const std::string& method, nb::args inputs,
                       nb::kwargs kwargs) {
  if (method != "__call__")
    throw TypeError(fmt::format("numpy.{}.{}: only calls of ufuncs are supported on arrays",
                                name_of(ufunc), method));
  begin();
  std::vector<Array> in;
  in.reserve(inputs.size());
  bool named = false;
  for (nb::handle input : inputs) {
    std::optional<Array> a = try_array(input);
    if (!a) return nb::module_::import_("builtins").attr("NotImplemented");
    named = named || (has_behavior() && !overload_name(*a->node()).empty());
    in.push_back(std::move(*a));
  }
  if (named && has_behavior()) {
    if (auto out = overloaded(ufunc, inputs)) return *out;
  }
  std::optional<DType> dtype;
  if (kwargs.size() > 0) dtype = options(name_of(ufunc), kwargs);
  if (dtype) {
    for (Array& a : in) a = values_astype(a, *dtype);
  }
  const auto found = ufuncs().find(ufunc.ptr());
  if (found != ufuncs().end()) return wrap(elementwise(found->second, in));
  const std::string name = name_of(ufunc);
  if (auto out = composed(name, in)) return *out;
  if (name == "matmul") {
    PyErr_SetString(PyExc_NotImplementedError,
                    "matrix multiplication of arrays is not implemented");
    throw nb::python_error();
  }
  throw TypeError(
      fmt::format("numpy.{} is not one of the element-wise operations of arrays", name));
}

void bind_elementwise(nb::module_& m) {
  nb::list names;
  for (int i = 0; i < kOpCount; ++i) {
    const auto op = static_cast<Op>(i);
    if (info(op).arity > 2) continue;
    // bind_values has these, with Awkward Array's arguments.
    if (op == Op::real || op == Op::imag || op == Op::angle) continue;
    bind_row(m, info(op).name.data(), op);
    names.append(info(op).name.data());
    if (info(op).numpy_name != info(op).name) {
      bind_row(m, info(op).numpy_name.data(), op);
      names.append(info(op).numpy_name.data());
    }
  }
  m.attr("elementwise_names") = names;
}

}  // namespace serrate::python
