// Reducers and statistics, with Awkward Array's arguments.
#include "python.h"

namespace serrate::python {
namespace {

std::optional<bool> optional_bool(nb::handle h) {
  if (h.is_none()) return {};
  return PyObject_IsTrue(h.ptr()) == 1;
}

using Reduce = Array (*)(const Array&, ReduceOptions);

template <Reduce f>
void bind_reducer(nb::module_& m, const char* name, bool mask_identity, const char* doc) {
  m.def(
      name,
      [name](nb::handle array, nb::handle axis, bool keepdims, nb::handle mask_identity,
             bool highlevel, nb::handle, nb::handle) {
        refuse_lowlevel(highlevel);
        return wrap(f(as_array(array, name), {.axis = as_axis(axis, name),
                                              .keepdims = keepdims,
                                              .mask_identity = optional_bool(mask_identity)}));
      },
      "array"_a, "axis"_a = nb::none(), nb::kw_only(), "keepdims"_a = false,
      "mask_identity"_a.none() = mask_identity, SERRATE_HBA, doc);
}

template <Reduce f>
void bind_extremum(nb::module_& m, const char* name, const char* doc) {
  m.def(
      name,
      [name](nb::handle array, nb::handle axis, bool keepdims, nb::handle initial,
             nb::handle mask_identity, bool highlevel, nb::handle, nb::handle) {
        refuse_lowlevel(highlevel);
        ReduceOptions o{.axis = as_axis(axis, name),
                        .keepdims = keepdims,
                        .mask_identity = optional_bool(mask_identity)};
        if (!initial.is_none()) o.initial = as_array(initial, name).item_scalar();
        return wrap(f(as_array(array, name), o));
      },
      "array"_a, "axis"_a = nb::none(), nb::kw_only(), "keepdims"_a = false,
      "initial"_a = nb::none(), "mask_identity"_a.none() = true, SERRATE_HBA, doc);
}

std::optional<Array> optional_array(nb::handle h, const char* op) {
  if (h.is_none()) return {};
  return as_array(h, op);
}

template <class F>
void bind_spread(nb::module_& m, const char* name, F f, const char* doc) {
  m.def(
      name,
      [name, f](nb::handle x, nb::handle weight, double ddof, nb::handle axis, bool keepdims,
                nb::handle mask_identity, bool highlevel, nb::handle, nb::handle) {
        refuse_lowlevel(highlevel);
        const std::optional<Array> w = optional_array(weight, name);
        return wrap(f(as_array(x, name),
                      {.axis = as_axis(axis, name),
                       .keepdims = keepdims,
                       .mask_identity = optional_bool(mask_identity)},
                      ddof, w ? &*w : nullptr));
      },
      "x"_a, "weight"_a = nb::none(), "ddof"_a = 0.0, "axis"_a = nb::none(), nb::kw_only(),
      "keepdims"_a = false, "mask_identity"_a.none() = false, SERRATE_HBA, doc);
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
  m.def(
      "mean",
      [](nb::handle x, nb::handle weight, nb::handle axis, bool keepdims, nb::handle mask_identity,
         bool highlevel, nb::handle, nb::handle) {
        refuse_lowlevel(highlevel);
        const std::optional<Array> w = optional_array(weight, "mean");
        return wrap(mean(as_array(x, "mean"),
                         {.axis = as_axis(axis, "mean"),
                          .keepdims = keepdims,
                          .mask_identity = optional_bool(mask_identity)},
                         w ? &*w : nullptr));
      },
      "x"_a, "weight"_a = nb::none(), "axis"_a = nb::none(), nb::kw_only(), "keepdims"_a = false,
      "mask_identity"_a.none() = false, SERRATE_HBA,
      "Means, weighted if asked for.\n\n>>> mean([[1, 2], []], axis=-1)\n<Array [1.5, nan] type='2 "
      "* float64'>");
  bind_spread(
      m, "var",
      [](const Array& x, ReduceOptions o, double ddof, const Array* w) {
        return var(x, o, ddof, w);
      },
      "Variances.\n\n>>> var([[1, 3]], axis=-1)\n<Array [1] type='1 * float64'>");
  bind_spread(
      m, "std",
      [](const Array& x, ReduceOptions o, double ddof, const Array* w) {
        return serrate::std(x, o, ddof, w);
      },
      "Standard deviations.\n\n>>> std([[1, 3]], axis=-1)\n<Array [1] type='1 * float64'>");
}

}  // namespace serrate::python
