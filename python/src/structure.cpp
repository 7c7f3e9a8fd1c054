// Functions on the structure of arrays: lengths, levels, broadcasting, joining, choosing.
#include "bind.h"
#include "context.h"
#include "operands.h"
#include "taking.h"

namespace serrate::python {
namespace {

std::optional<DType> optional_dtype(nb::handle h) {
  if (h.is_none()) return {};
  return dtype_of_numpy(h);
}

LikeOptions like_options(nb::handle dtype, Truth including_unknown) {
  return {.dtype = optional_dtype(dtype), .including_unknown = including_unknown};
}

// Text that is to fill times, as NumPy reads it.
nb::object time_of(nb::handle text, const Array& x) {
  Type t = x.type();
  while (!t.is(Type::Kind::number) && !t.is_string_like() && t.contents().size() == 1)
    t = t.content();
  const bool times = t.is(Type::Kind::number) && t.dtype() == DType::datetime64;
  if (!times || !PyUnicode_Check(text.ptr())) return nb::borrow(text);
  return numpy("datetime64")(text, t.unit().empty() ? "s" : std::string(t.unit()).c_str());
}

void bind_like(nb::module_& m) {
  def(
      m, "full_like",
      [](nb::handle array, nb::handle fill, nb::handle dtype, Truth including_unknown) {
        const Beside beside(array, fill);
        const Array x = as_array(array, "full_like");
        return full_like(x, as_array(time_of(fill, x), "full_like"),
                         like_options(dtype, including_unknown));
      },
      "array"_a, "fill_value"_a, nb::kw_only(), "dtype"_a = nb::none(),
      "including_unknown"_a = false,
      "The same structure, every item replaced.\n\n"
      ">>> full_like([[1, 2], []], 7)\n<Array [[7, 7], []] type='2 * var * int64'>");
  auto bind = [&m](const char* name, Array (*f)(const Array&, LikeOptions), const char* doc) {
    def(
        m, name,
        [name, f](nb::handle array, nb::handle dtype, Truth including_unknown) {
          return f(as_array(array, name), like_options(dtype, including_unknown));
        },
        "array"_a, nb::kw_only(), "dtype"_a = nb::none(), "including_unknown"_a = false, doc);
  };
  bind("zeros_like", &zeros_like,
       "The same structure, every item 0.\n\n>>> zeros_like([[1, 2], []])\n<Array [[0, 0], []] "
       "type='2 * var * int64'>");
  bind("ones_like", &ones_like,
       "The same structure, every item 1.\n\n>>> ones_like([[3, 2], []])\n<Array [[1, 1], []] "
       "type='2 * var * int64'>");
}

nb::object where_python(nb::handle condition, nb::args args, Truth mergebool) {
  if (args.size() == 0) {
    const nb::object found =
        numpy("nonzero")(to_numpy(as_array(condition, "where"), true, Handed::view));
    const TakingScope fresh(Taking::share);
    std::vector<Array> out;
    for (nb::handle x : nb::iter(found)) out.push_back(from_numpy(x));
    return wrap_all(std::move(out));
  }
  check<ValueError>(args.size() != 1, "where: expected both x and y or neither, got one");
  check<TypeError>(args.size() == 2,
                   "where: expected a condition alone or with x and y, got {} more", args.size());
  // In order: the attributes of the first win.
  const auto [c, x, y] = as_operands("where", condition, args[0], args[1]);
  return wrap(where(c, x, y, mergebool));
}

nb::object broadcast_python(nb::args args, std::optional<int> depth_limit, const std::string& rule,
                            Truth left, Truth right) {
  const BroadcastArraysOptions o{.depth_limit = depth_limit,
                                 .left_broadcast = left,
                                 .right_broadcast = right,
                                 .parameters_rule = rule};
  std::vector<Array> results = broadcast_arrays(as_arrays(args, "broadcast_arrays"), o);
  const nb::object names = current_names();
  nb::list out;
  for (size_t i = 0; i < results.size(); ++i) {
    const Meta* own = meta_of(args[i]);
    remember_only(own ? *own : Meta(), names);  // each takes after its own
    out.append(wrap(at_least_one_row(results[i])));
  }
  return out;
}

}  // namespace

void bind_structure(nb::module_& m) {
  bind_axis(
      m, "num", [](const Array& x, int axis) { return num(x, axis); }, 1, Names::only,
      "Lengths of the lists.\n\n>>> num([[1, 2], [], [3]])\n<Array [2, 0, 1] type='3 * int64'>");
  bind_axis(
      m, "local_index", [](const Array& x, int axis) { return local_index(x, axis); }, -1,
      Names::up_to,
      "Positions inside the lists.\n\n>>> local_index([[5, 6], [], [7]])\n<Array [[0, 1], [], [0]] "
      "type='3 * var * int64'>");
  bind_axis(
      m, "flatten", [](const Array& x, Axis axis) { return flatten(x, axis); }, 1, Names::flatten,
      "One level of lists less; all of them with axis=None.\n\n>>> flatten([[1, 2], [], "
      "[3]])\n<Array [1, 2, 3] type='3 * int64'>");
  bind_axis(
      m, "to_regular", [](const Array& x, Axis axis) { return to_regular(x, axis); }, 1, {},
      "Lists of equal lengths as a regular dimension.\n\n>>> to_regular([[1, 2], [3, 4]])\n<Array "
      "[[1, 2], [3, 4]] type='2 * 2 * int64'>");
  bind_axis(
      m, "from_regular", [](const Array& x, Axis axis) { return from_regular(x, axis); }, 1, {},
      "A regular dimension as lists of variable length.\n\n>>> from_regular(np.ones((2, "
      "1)))\n<Array [[1], [1]] type='2 * var * float64'>");
  def(
      m, "ravel",
      [](nb::handle array) {
        const Array x = as_array(array, "ravel");
        name_axes(array, Names::remove, std::nullopt);
        return ravel(x);
      },
      "array"_a, nb::kw_only(),
      "All levels of lists flattened, missing items kept.\n\n>>> ravel([[1, None], [[2]]])\n<Array "
      "[1, None, 2] type='3 * ?int64'>");
  def(
      m, "unflatten",
      [](nb::handle array, nb::handle counts, nb::handle axis) {
        const auto [x, n] = operands_named_by_first("unflatten", array, counts);
        const int a = as_int_axis(axis, "unflatten", array);
        name_axes(array, Names::remove, {});
        return unflatten(x, n, a);
      },
      "array"_a, "counts"_a, "axis"_a.none() = 0, nb::kw_only(),
      "Splits into lists of these lengths.\n\n>>> unflatten([1, 2, 3], [2, 0, 1])\n<Array [[1, 2], "
      "[], [3]] type='3 * var * int64'>");
  def(
      m, "concatenate",
      [](nb::handle arrays, nb::handle axis, Truth mergebool) {
        return concatenate(as_arrays(arrays, "concatenate"),
                           as_int_axis(axis, "concatenate", arrays), mergebool);
      },
      "arrays"_a, "axis"_a.none() = 0, nb::kw_only(), "mergebool"_a = true,
      "Arrays, or their lists, one after the other.\n\n>>> concatenate([[[1], []], [[2], [3]]], "
      "axis=1)\n<Array [[1, 2], [3]] type='2 * var * int64'>");
  def(m, "where", &where_python, "condition"_a, "args"_a, nb::kw_only(), "mergebool"_a = true,
      "x where the condition is true, else y.\n\n>>> where([True, False], [1, 2], 0)\n<Array [1, "
      "0] type='2 * int64'>");
  def(m, "broadcast_arrays", &broadcast_python, "arrays"_a, nb::kw_only(),
      "depth_limit"_a = nb::none(), "broadcast_parameters_rule"_a = "one_to_one",
      "left_broadcast"_a = true, "right_broadcast"_a = true,
      "The arrays with the structure that they have when broadcast together.\n\n"
      ">>> broadcast_arrays([1, 2], [[3, 4], []])[0]\n<Array [[1, 1], []] type='2 * var * int64'>");
  def(
      m, "values_astype",
      [](nb::handle array, nb::handle to, Truth including_unknown) {
        std::string unit;
        const DType t = dtype_of_numpy(to, &unit);
        return values_astype(as_array(array, "values_astype"), t, unit, including_unknown);
      },
      "array"_a, "to"_a, nb::kw_only(), "including_unknown"_a = false,
      "Numbers as another type.\n\n>>> values_astype([[1, 2], []], \"float32\")\n<Array [[1, 2], "
      "[]] type='2 * var * float32'>");
  bind_like(m);
}

}  // namespace serrate::python
