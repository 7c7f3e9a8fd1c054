// Functions on the structure of arrays: lengths, levels, broadcasting, joining, choosing.
#include "common/context.h"
#include "common/operands.h"
#include "convert/taking.h"
#include "functions/bind.h"

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

auto like(const char* name, Array (*f)(const Array&, LikeOptions)) {
  return [name, f](nb::handle array, nb::handle dtype, Truth including_unknown) {
    return f(as_array(array, name), like_options(dtype, including_unknown));
  };
}

void bind_like(nb::module_& m) {
  def<"full_like">(
      m, [](nb::handle array, nb::handle fill, nb::handle dtype, Truth including_unknown) {
        const Beside beside(array, fill);
        const Array x = as_array(array, "full_like");
        return full_like(x, as_array(time_of(fill, x), "full_like"),
                         like_options(dtype, including_unknown));
      });
  def_made<"zeros_like">(m, like, &zeros_like);
  def_made<"ones_like">(m, like, &ones_like);
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
  def_along_axis<"num">(
      m, [](const Array& x, int axis) { return num(x, axis); }, Names::only);
  def_along_axis<"local_index">(
      m, [](const Array& x, int axis) { return local_index(x, axis); }, Names::up_to);
  def_along_axis<"flatten">(
      m, [](const Array& x, Axis axis) { return flatten(x, axis); }, Names::flatten);
  def_along_axis<"to_regular">(m, [](const Array& x, Axis axis) { return to_regular(x, axis); });
  def_along_axis<"from_regular">(m,
                                 [](const Array& x, Axis axis) { return from_regular(x, axis); });
  def<"ravel">(m, [](nb::handle array) {
    const Array x = as_array(array, "ravel");
    name_axes(array, Names::remove, std::nullopt);
    return ravel(x);
  });
  def<"unflatten">(m, [](nb::handle array, nb::handle counts, nb::handle axis) {
    const auto [x, n] = operands_named_by_first("unflatten", array, counts);
    const int a = as_int_axis(axis, "unflatten", array);
    name_axes(array, Names::remove, {});
    return unflatten(x, n, a);
  });
  def<"concatenate">(m, [](nb::handle arrays, nb::handle axis, Truth mergebool) {
    return concatenate(as_arrays(arrays, "concatenate"), as_int_axis(axis, "concatenate", arrays),
                       mergebool);
  });
  def<"where">(m, &where_python);
  def<"broadcast_arrays">(m, &broadcast_python);
  def<"values_astype">(m, [](nb::handle array, nb::handle to, Truth including_unknown) {
    std::string unit;
    const DType t = dtype_of_numpy(to, &unit);
    return values_astype(as_array(array, "values_astype"), t, unit, including_unknown);
  });
  bind_like(m);
}

}  // namespace serrate::python
