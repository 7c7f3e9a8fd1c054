// NumPy's ufuncs on arrays: calls go straight to the rows of the table; what has keywords and the
// other methods are put together in serrate/_ufuncs.py from the functions here.
#include "functions/ufuncs.h"

#include "common/checked.h"
#include "common/class.h"
#include "common/context.h"
#include "common/operands.h"
#include "convert/taking.h"
#include "functions/bind.h"
#include "ops/tree/input.h"
#include "serrate/ufunc.h"

namespace serrate::python {
namespace {

using Product = Array (*)(const Array&, const Array&);

struct NamedProduct {
  std::string_view name;
  Product function;
};
constexpr NamedProduct kProducts[] = {
    {"matmul", matmul}, {"vecdot", vecdot}, {"matvec", matvec}, {"vecmat", vecmat}};

// Ufuncs with two results.
struct Pair {
  std::string_view name;
  std::pair<Array, Array> (*function)(const std::vector<Array>& in);
};
template <Op first, Op second>
std::pair<Array, Array> two_rows(const std::vector<Array>& in) {
  return {elementwise(first, in), elementwise(second, in)};
}
constexpr Pair kPairs[] = {
    {"divmod", [](const std::vector<Array>& in) { return divmod(in.at(0), in.at(1)); }},
    {"modf", two_rows<Op::modf_fraction, Op::modf_integer>},
    {"frexp", two_rows<Op::frexp_mantissa, Op::frexp_exponent>}};

nb::object pair_of(const Pair& p, const std::vector<Array>& in) {
  const auto [first, second] = p.function(in);
  return wrap_all({first, second});
}

auto product_of(const char* name, Product f) {
  return [name, f](nb::handle x, nb::handle y) { return std::apply(f, as_operands(name, x, y)); };
}

nb::object not_implemented() { return nb::borrow(Py_NotImplemented); }

// A call without keywords; NotImplemented for operands of other libraries.
nb::object plain_call(nb::handle ufunc, Operands inputs) {
  const Begun call;
  std::vector<Array> in;
  in.reserve(inputs.size());
  {
    const Beside beside(inputs);
    const LargeIntegers allowed;
    for (nb::handle input : inputs) {
      std::optional<Array> a = try_array(input);
      if (!a) return not_implemented();
      in.push_back(*std::move(a));
    }
  }
  const auto found = ufunc_rows().find(ufunc.ptr());
  if (found != ufunc_rows().end()) return result_of(found->second, ufunc, in, inputs);
  if (may_be_overloaded(in, inputs)) {
    if (auto out = overloaded(ufunc, inputs)) return *out;
  }
  const std::string name = nb::cast<std::string>(nb::object(ufunc.attr("__name__")));
  for (const Pair& p : kPairs)
    if (name == p.name) return pair_of(p, in);
  for (const NamedProduct& p : kProducts)
    if (name == p.name) return wrap(p.function(in.at(0), in.at(1)));
  static const nb::handle foreign =
      nb::object(nb::module_::import_("serrate._foreign_ufuncs").attr("call")).release();
  return foreign(ufunc, tuple_of(inputs));
}

Op row_of(nb::handle ufunc) {
  const auto found = ufunc_rows().find(ufunc.ptr());
  const std::string name = nb::cast<std::string>(nb::object(ufunc.attr("__name__")));
  check<ValueError>(found != ufunc_rows().end() && info(found->second).arity == 2,
                    "numpy.{}: only ufuncs with two arguments and one result have this method",
                    name);
  return found->second;
}

std::optional<Array> updated(nb::handle x, nb::handle places, nb::handle values, Op op) {
  const TakingScope shared(Taking::share);  // they are read at once
  const auto [a, p, v] = as_operands("x[...] = ...", x, places, values);
  return put_at(a, p, v, op, kReplaced);
}

// ufunc.at(x, places, values) of a flat array in place; false for all that serrate/_ufuncs.py does.
bool update_at(nb::handle ufunc, Operands of) {
  if (of.size() != 3 || !array_in(of[0]) || kind_of_numbers(of[1]) != 'i') return false;
  if (!is_number(of[2]) && kind_of_numbers(of[2]) == 0) return false;
  const auto row = ufunc_rows().find(ufunc.ptr());
  if (row == ufunc_rows().end() || info(row->second).arity != 2) return false;
  begin();
  const std::optional<Array> done = updated(of[0], of[1], of[2], row->second);
  if (done) replace(of[0], *done);
  return done.has_value();
}

// The type of the numbers in an array, or None: of records, strings, unions.
nb::object leaf_dtype(nb::handle x) {
  const Array a = as_array(x, "dtype");
  const graph::Node* n = a.node().get();
  while (n->kind == graph::NodeKind::option || ops::is_list(*n)) n = n->contents[0].get();
  if (n->kind == graph::NodeKind::unknown) return numpy("dtype")("float64");
  if (n->kind != graph::NodeKind::leaf) return nb::none();
  const DType t = n->column->dtype;
  std::string name(serrate::name(t));
  if (is_time(t) && !n->unit.empty()) name += "[" + n->unit + "]";
  return numpy("dtype")(name);
}

}  // namespace

const std::unordered_map<PyObject*, Op>& ufunc_rows() {
  static const auto* table = [] {
    auto* t = new std::unordered_map<PyObject*, Op>;
    const nb::handle ufunc = numpy("ufunc");
    for (int i = 0; i < kOpCount; ++i) {
      const auto op = static_cast<Op>(i);
      const std::string name(info(op).numpy_name);
      nb::object f = nb::getattr(numpy_module(), name.c_str(), nb::none());
      if (is_instance(f, ufunc)) t->emplace(f.release().ptr(), op);
    }
    return t;
  }();
  return *table;
}

PyObject* array_ufunc(PyObject*, PyObject* const* args, Py_ssize_t n, PyObject* names) noexcept {
  return guarded([&]() -> nb::object {
    check<TypeError>(n >= 2, "__array_ufunc__: expected a ufunc and the name of its method");
    const nb::handle ufunc = args[0], method = args[1];
    const Operands inputs(args + 2, static_cast<size_t>(n - 2));
    const Py_ssize_t named = names ? PyTuple_Size(names) : 0;
    if (named == 0 && PyUnicode_CompareWithASCIIString(method.ptr(), "__call__") == 0)
      return plain_call(ufunc, inputs);
    if (named == 0 && PyUnicode_CompareWithASCIIString(method.ptr(), "at") == 0 &&
        update_at(ufunc, inputs))
      return nb::none();
    nb::dict kwargs;
    for (Py_ssize_t i = 0; i < named; ++i)
      kwargs[nb::handle(PyTuple_GetItem(names, i))] = nb::handle(args[n + i]);
    static const nb::handle general =
        nb::object(nb::module_::import_("serrate._ufuncs").attr("dispatch")).release();
    return general(ufunc, method, tuple_of(inputs), kwargs);
  });
}

void bind_ufuncs(nb::module_& m) {
  def_made<"matmul">(m, product_of, matmul);
  def_made<"vecdot">(m, product_of, vecdot);
  def_made<"matvec">(m, product_of, matvec);
  def_made<"vecmat">(m, product_of, vecmat);
  def<"divmod">(m, [](nb::handle x, nb::handle y) {
    const auto [a, b] = as_operands("divmod", x, y);
    return pair_of(kPairs[0], {a, b});
  });
  def<"modf">(m, [](nb::handle x) { return pair_of(kPairs[1], {as_array(x, "modf")}); });
  def<"frexp">(m, [](nb::handle x) { return pair_of(kPairs[2], {as_array(x, "frexp")}); });
  m.def("_ufunc_call", [](nb::handle ufunc, nb::args inputs) {
    std::vector<PyObject*> all;
    for (nb::handle input : inputs) all.push_back(input.ptr());
    return plain_call(ufunc, all);
  });
  m.def(
      "_ufunc_reduce",
      [](nb::handle ufunc, nb::handle x, nb::handle axis, Truth keepdims, nb::handle initial) {
        begin();
        const Beside beside(x);
        const Array a = as_array(x, "reduce");
        const std::optional<Array> first = optional_array(initial, "reduce");
        const Axis at = as_axis(axis, "reduce", x);
        if (!keepdims) name_axes(x, Names::remove, at);
        return wrap(
            ufunc_reduce(row_of(ufunc), a,
                         {.axis = at, .keepdims = keepdims, .initial = first ? &*first : nullptr}));
      },
      "ufunc"_a, "x"_a, "axis"_a.none(), "keepdims"_a, "initial"_a.none());
  m.def(
      "_ufunc_accumulate",
      [](nb::handle ufunc, nb::handle x, nb::handle axis) {
        begin();
        return wrap(ufunc_accumulate(row_of(ufunc), as_array(x, "accumulate"),
                                     as_axis(axis, "accumulate", x)));
      },
      "ufunc"_a, "x"_a, "axis"_a.none());
  m.def("_ufunc_outer", [](nb::handle ufunc, nb::handle x, nb::handle y) {
    begin();
    const auto [a, b] = as_operands("outer", x, y);
    return wrap(ufunc_outer(row_of(ufunc), a, b));
  });
  m.def("_ufunc_reduceat", [](nb::handle ufunc, nb::handle x, nb::handle indices) {
    begin();
    const auto [a, i] = as_operands("reduceat", x, indices);
    return wrap(ufunc_reduceat(row_of(ufunc), a, i));
  });
  m.def("_ufunc_at", [](nb::handle ufunc, nb::handle x, nb::handle places, nb::handle values) {
    begin();
    const auto [a, p, v] = as_operands("at", x, places, values);
    return wrap(ufunc_at(row_of(ufunc), a, p, v));
  });
  m.def("_update_at", [](nb::handle x, nb::handle places, nb::handle values, nb::handle ufunc) {
    begin();
    const std::optional<Array> done = updated(x, places, values, row_of(ufunc));
    return done ? wrap(*done) : nb::none();
  });
  m.def("_leaf_positions", [](nb::handle x) {
    begin();
    return wrap_array(leaf_positions(as_array(x, "x[...] = ...")));
  });
  m.def("_leaf_dtype", &leaf_dtype);
  m.def("_replace",
        [](nb::handle target, nb::handle value) { replace(target, as_array(value, "out=")); });
}

}  // namespace serrate::python
