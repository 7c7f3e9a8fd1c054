// Reducers, with Awkward Array's arguments; those named nan... take NaN as missing.
#include "context.h"

namespace serrate::python {
namespace {

using Reduce = Array (*)(const Array&, ReduceOptions);

bool skips_nan(const char* name) { return std::string_view(name).starts_with("nan"); }

Array operand(nb::handle array, const char* name) {
  Array a = as_array(array, name);
  return skips_nan(name) ? nan_to_none(a) : a;
}

template <Reduce f>
void bind_reducer(nb::module_& m, const char* name, bool mask_identity, const char* doc) {
  m.def(
      name,
      [name](nb::handle array, nb::handle axis, bool keepdims, nb::handle mask_identity,
             bool highlevel, nb::handle behavior, nb::handle attrs) {
        begin(highlevel, behavior, attrs);
        if (auto out = overloaded_reducer(name, array, axis, keepdims, mask_identity)) return *out;
        const ReduceOptions o{.axis = as_axis(axis, name, array),
                              .keepdims = keepdims,
                              .mask_identity = optional_bool(mask_identity)};
        const Array x = operand(array, name);
        if (!keepdims) name_axes(array, Names::remove, o.axis);
        return wrap(f(x, o));
      },
      "array"_a, "axis"_a = nb::none(), nb::kw_only(), "keepdims"_a = false,
      "mask_identity"_a.none() = mask_identity, SERRATE_HBA, doc);
}

template <Reduce f>
void bind_extremum(nb::module_& m, const char* name, const char* doc) {
  m.def(
      name,
      [name](nb::handle array, nb::handle axis, bool keepdims, nb::handle initial,
             nb::handle mask_identity, bool highlevel, nb::handle behavior, nb::handle attrs) {
        begin(highlevel, behavior, attrs);
        if (auto out = overloaded_reducer(name, array, axis, keepdims, mask_identity)) return *out;
        ReduceOptions o{.axis = as_axis(axis, name, array),
                        .keepdims = keepdims,
                        .mask_identity = optional_bool(mask_identity)};
        if (!initial.is_none()) o.initial = as_array(initial, name).item_scalar();
        const Array x = operand(array, name);
        if (!keepdims) name_axes(array, Names::remove, o.axis);
        return wrap(f(x, o));
      },
      "array"_a, "axis"_a = nb::none(), nb::kw_only(), "keepdims"_a = false,
      "initial"_a = nb::none(), "mask_identity"_a.none() = true, SERRATE_HBA, doc);
}

}  // namespace

void bind_reducers(nb::module_& m) {
  bind_reducer<sum>(
      m, "sum", false,
      "Sums.\n\n>>> sum([[1, 2], [], [3]], axis=-1)\n<Array [3, 0, 3] type='3 * int64'>");
  bind_reducer<prod>(
      m, "prod", false,
      "Products.\n\n>>> prod([[2, 3], []], axis=-1)\n<Array [6, 1] type='2 * int64'>");
  bind_reducer<any>(m, "any", false,
                    "True where an item is.\n\n>>> any([[True, False], []], axis=-1)\n<Array "
                    "[True, False] type='2 * bool'>");
  bind_reducer<all>(m, "all", false,
                    "True where all items are.\n\n>>> all([[True, False], []], axis=-1)\n<Array "
                    "[False, True] type='2 * bool'>");
  bind_reducer<count>(m, "count", false,
                      "Numbers of items that are not missing.\n\n>>> count([[1, None], []], "
                      "axis=-1)\n<Array [1, 0] type='2 * int64'>");
  bind_reducer<count_nonzero>(m, "count_nonzero", false,
                              "Numbers of items that are not zero.\n\n>>> count_nonzero([[1, 0], "
                              "[]], axis=-1)\n<Array [1, 0] type='2 * int64'>");
  bind_reducer<argmin>(m, "argmin", true,
                       "Positions of the smallest items.\n\n>>> argmin([[2, 1], []], "
                       "axis=-1)\n<Array [1, None] type='2 * ?int64'>");
  bind_reducer<argmax>(m, "argmax", true,
                       "Positions of the largest items.\n\n>>> argmax([[2, 1], []], "
                       "axis=-1)\n<Array [0, None] type='2 * ?int64'>");
  bind_reducer<ptp>(m, "ptp", true,
                    "Largest less smallest.\n\n>>> ptp([[5, 1], []], axis=-1)\n<Array [4, None] "
                    "type='2 * ?int64'>");
  bind_extremum<min>(
      m, "min",
      "Smallest items.\n\n>>> min([[2, 1], []], axis=-1)\n<Array [1, None] type='2 * ?int64'>");
  bind_extremum<max>(
      m, "max",
      "Largest items.\n\n>>> max([[2, 1], []], axis=-1)\n<Array [2, None] type='2 * ?int64'>");
  bind_reducer<sum>(m, "nansum", false,
                    "Sums of what is not NaN.\n\n>>> nansum([[1, np.nan], []], axis=-1)\n<Array "
                    "[1, 0] type='2 * float64'>");
  bind_reducer<prod>(m, "nanprod", false,
                     "Products of what is not NaN.\n\n>>> nanprod([[2, np.nan], []], "
                     "axis=-1)\n<Array [2, 1] type='2 * float64'>");
  bind_reducer<argmin>(m, "nanargmin", true,
                       "Positions of the smallest items that are not NaN.\n\n>>> "
                       "nanargmin([[np.nan, 1], []], axis=-1)\n<Array [1, None] type='2 * "
                       "?int64'>");
  bind_reducer<argmax>(m, "nanargmax", true,
                       "Positions of the largest items that are not NaN.\n\n>>> "
                       "nanargmax([[np.nan, 1], []], axis=-1)\n<Array [1, None] type='2 * "
                       "?int64'>");
  bind_extremum<min>(m, "nanmin",
                     "Smallest items that are not NaN.\n\n>>> nanmin([[2, np.nan], []], "
                     "axis=-1)\n<Array [2, None] type='2 * ?float64'>");
  bind_extremum<max>(m, "nanmax",
                     "Largest items that are not NaN.\n\n>>> nanmax([[2, np.nan], []], "
                     "axis=-1)\n<Array [2, None] type='2 * ?float64'>");
}

}  // namespace serrate::python
