// Reducers, with Awkward Array's arguments and NumPy's where=.
#include "bind.h"
#include "checked.h"
#include "context.h"
#include "operands.h"
#include "taking.h"

namespace serrate::python {
namespace {

using Reduce = Array (*)(const Array&, ReduceOptions);

/// The arguments that all reducers have.
struct Call {
  nb::handle array, axis, initial, where;
  bool mask_identity, keepdims;
};

Array applied(const char* name, Reduce f, const Call& c) {
  ReduceOptions o{.axis = as_axis(c.axis, name, c.array),
                  .keepdims = c.keepdims,
                  .mask_identity = c.mask_identity};
  const Beside beside(c.array, c.where);
  if (!c.initial.is_none()) o.initial = as_array(c.initial, name).item_scalar();
  Array x = as_array(c.array, name);
  if (!c.where.is_none()) x = mask(x, as_array(c.where, name));
  if (!c.keepdims) name_axes(c.array, Names::remove, o.axis);
  return f(x, o);
}

bool is_of_numpy(nb::handle o) {
  static const nb::handle ndarray = numpy("ndarray");
  return is_instance(o, ndarray);
}

// A number, which wrap computes at once: nothing is left that reads the operands.
bool is_single(const Array& x) {
  const graph::Node& n = *x.node();
  return n.kind == graph::NodeKind::leaf ||
         (n.kind == graph::NodeKind::option && n.contents[0]->kind == graph::NodeKind::leaf);
}

nb::object reduced(const char* name, Reduce f, const Call& c) {
  if (auto out = overloaded_reducer(name, c.array, c.axis, c.keepdims, c.mask_identity))
    return *out;
  if (c.axis.is_none() && !c.keepdims && is_of_numpy(c.array) &&
      (c.where.is_none() || is_of_numpy(c.where))) {
    const TakingScope shared(Taking::share);
    if (const Array x = applied(name, f, c); is_single(x)) return wrap(x);
  }
  return wrap(applied(name, f, c));
}

void bind_reducer(nb::module_& m, const char* name, Reduce f, bool mask_identity, const char* doc) {
  def(
      m, name,
      [name, f](nb::handle array, nb::handle axis, Truth keepdims, nb::handle where,
                Truth mask_identity) {
        return reduced(name, f, {array, axis, nb::none(), where, mask_identity, keepdims});
      },
      "array"_a, "axis"_a = nb::none(), nb::kw_only(), "keepdims"_a = false, "where"_a = nb::none(),
      "mask_identity"_a.none() = mask_identity, doc);
}

/// Those that may begin with a value.
void bind_initial(nb::module_& m, const char* name, Reduce f, bool mask_identity, const char* doc) {
  def(
      m, name,
      [name, f](nb::handle array, nb::handle axis, Truth keepdims, nb::handle initial,
                nb::handle where, Truth mask_identity) {
        return reduced(name, f, {array, axis, initial, where, mask_identity, keepdims});
      },
      "array"_a, "axis"_a = nb::none(), nb::kw_only(), "keepdims"_a = false,
      "initial"_a = nb::none(), "where"_a = nb::none(), "mask_identity"_a.none() = mask_identity,
      doc);
}

}  // namespace

void bind_reducers(nb::module_& m) {
  bind_initial(m, "sum", &serrate::sum, false,
               "Sums.\n\n>>> sum([[1, 2], [], [3]], axis=-1)\n<Array [3, 0, 3] type='3 * int64'>");
  bind_initial(m, "prod", &serrate::prod, false,
               "Products.\n\n>>> prod([[2, 3], []], axis=-1)\n<Array [6, 1] type='2 * int64'>");
  bind_reducer(m, "any", &serrate::any, false,
               "True where an item is.\n\n>>> any([[True, False], []], axis=-1)\n<Array "
               "[True, False] type='2 * bool'>");
  bind_reducer(m, "all", &serrate::all, false,
               "True where all items are.\n\n>>> all([[True, False], []], axis=-1)\n<Array "
               "[False, True] type='2 * bool'>");
  bind_reducer(m, "count", &serrate::count, false,
               "Numbers of items that are not missing.\n\n>>> count([[1, None], []], "
               "axis=-1)\n<Array [1, 0] type='2 * int64'>");
  bind_reducer(m, "count_nonzero", &serrate::count_nonzero, false,
               "Numbers of items that are not zero.\n\n>>> count_nonzero([[1, 0], "
               "[]], axis=-1)\n<Array [1, 0] type='2 * int64'>");
  bind_reducer(m, "argmin", &serrate::argmin, true,
               "Positions of the smallest items.\n\n>>> argmin([[2, 1], []], "
               "axis=-1)\n<Array [1, None] type='2 * ?int64'>");
  bind_reducer(m, "argmax", &serrate::argmax, true,
               "Positions of the largest items.\n\n>>> argmax([[2, 1], []], "
               "axis=-1)\n<Array [0, None] type='2 * ?int64'>");
  bind_reducer(m, "ptp", &serrate::ptp, true,
               "Largest less smallest.\n\n>>> ptp([[5, 1], []], axis=-1)\n<Array [4, None] "
               "type='2 * ?int64'>");
  bind_initial(
      m, "min", &serrate::min, true,
      "Smallest items.\n\n>>> min([[2, 1], []], axis=-1)\n<Array [1, None] type='2 * ?int64'>");
  bind_initial(
      m, "max", &serrate::max, true,
      "Largest items.\n\n>>> max([[2, 1], []], axis=-1)\n<Array [2, None] type='2 * ?int64'>");
  bind_initial(m, "nansum", &serrate::nansum, false,
               "Sums of what is not NaN.\n\n>>> nansum([[1, np.nan], []], axis=-1)\n<Array "
               "[1, 0] type='2 * float64'>");
  bind_initial(m, "nanprod", &serrate::nanprod, false,
               "Products of what is not NaN.\n\n>>> nanprod([[2, np.nan], []], "
               "axis=-1)\n<Array [2, 1] type='2 * float64'>");
  bind_reducer(m, "nanargmin", &serrate::nanargmin, true,
               "Positions of the smallest items that are not NaN.\n\n>>> "
               "nanargmin([[np.nan, 1], []], axis=-1)\n<Array [1, None] type='2 * "
               "?int64'>");
  bind_reducer(m, "nanargmax", &serrate::nanargmax, true,
               "Positions of the largest items that are not NaN.\n\n>>> "
               "nanargmax([[np.nan, 1], []], axis=-1)\n<Array [1, None] type='2 * "
               "?int64'>");
  bind_initial(m, "nanmin", &serrate::nanmin, true,
               "Smallest items that are not NaN.\n\n>>> nanmin([[2, np.nan], []], "
               "axis=-1)\n<Array [2, None] type='2 * ?float64'>");
  bind_initial(m, "nanmax", &serrate::nanmax, true,
               "Largest items that are not NaN.\n\n>>> nanmax([[2, np.nan], []], "
               "axis=-1)\n<Array [2, None] type='2 * ?float64'>");
}

}  // namespace serrate::python
