// Functions on missing values.
#include "operands.h"

namespace serrate::python {

void bind_missing(nb::module_& m) {
  m.def(
      "mask",
      [](nb::handle array, nb::handle keep, bool valid_when, Truth highlevel, nb::handle behavior,
         nb::handle attrs) {
        begin(highlevel, behavior, attrs);
        const auto [x, kept] = as_operands("mask", array, keep);
        return wrap(mask(x, kept, valid_when));
      },
      "array"_a, "mask"_a, nb::kw_only(), "valid_when"_a = true, SERRATE_HBA,
      "The same shape, missing where the mask is false.\n\n"
      ">>> mask([1, 2], [True, False])\n<Array [1, None] type='2 * ?int64'>");
  m.def(
      "is_none",
      [](nb::handle array, nb::handle axis, Truth highlevel, nb::handle behavior,
         nb::handle attrs) {
        begin(highlevel, behavior, attrs);
        const Array x = as_array(array, "is_none");
        const int a = as_int_axis(axis, "is_none", array);
        name_axes(array, Names::up_to, a);
        return wrap(is_none(x, a));
      },
      "array"_a, "axis"_a.none() = 0, nb::kw_only(), SERRATE_HBA,
      "True where an item is missing.\n\n>>> is_none([1, None])\n<Array [False, True] type='2 * "
      "bool'>");
  m.def(
      "fill_none",
      [](nb::handle array, nb::handle value, nb::handle axis, Truth highlevel, nb::handle behavior,
         nb::handle attrs) {
        begin(highlevel, behavior, attrs);
        const auto [x, filled] = as_operands("fill_none", array, value);
        const Axis at = as_axis(axis, "fill_none", array);
        if (!x.is_scalar()) return wrap(fill_none(x, filled, at));
        const Array one = fill_none(rows_of_one(x), filled, at);
        return x.node()->kind == graph::NodeKind::record ? item(one, 0) : wrap(one);
      },
      "array"_a, "value"_a.none(), "axis"_a.none() = -1, nb::kw_only(), SERRATE_HBA,
      "A value in place of what is missing.\n\n>>> fill_none([1, None], 0)\n<Array [1, 0] type='2 "
      "* int64'>");
  m.def(
      "drop_none",
      [](nb::handle array, nb::handle axis, Truth highlevel, nb::handle behavior,
         nb::handle attrs) {
        begin(highlevel, behavior, attrs);
        return wrap(drop_none(as_array(array, "drop_none"), as_axis(axis, "drop_none", array)));
      },
      "array"_a, "axis"_a = nb::none(), SERRATE_HBA,
      "Without what is missing.\n\n>>> drop_none([[1, None], [2]])\n<Array [[1], [2]] type='2 * "
      "var * int64'>");
  m.def(
      "pad_none",
      [](nb::handle array, int64_t target, nb::handle axis, Truth clip, Truth highlevel,
         nb::handle behavior, nb::handle attrs) {
        begin(highlevel, behavior, attrs);
        return wrap(pad_none(as_array(array, "pad_none"), target,
                             as_int_axis(axis, "pad_none", array), clip));
      },
      "array"_a, "target"_a, "axis"_a.none() = 1, nb::kw_only(), "clip"_a = false, SERRATE_HBA,
      "Lists made up to a length with missing items.\n\n"
      ">>> pad_none([[1], [2, 3, 4]], 2)\n<Array [[1, None], [2, 3, 4]] type='2 * var * ?int64'>");
  m.def(
      "firsts",
      [](nb::handle array, nb::handle axis, Truth highlevel, nb::handle behavior,
         nb::handle attrs) {
        begin(highlevel, behavior, attrs);
        const Array x = as_array(array, "firsts");
        const int a = as_int_axis(axis, "firsts", array);
        name_axes(array, Names::remove, a);
        return wrap(firsts(x, a));
      },
      "array"_a, "axis"_a.none() = 1, nb::kw_only(), SERRATE_HBA,
      "The first item of each list, or missing.\n\n>>> firsts([[1, 2], []])\n<Array [1, None] "
      "type='2 * ?int64'>");
  m.def(
      "singletons",
      [](nb::handle array, nb::handle axis, Truth highlevel, nb::handle behavior,
         nb::handle attrs) {
        begin(highlevel, behavior, attrs);
        const Array x = as_array(array, "singletons");
        const int a = as_int_axis(axis, "singletons", array);
        name_axes(array, Names::insert, a);
        return wrap(singletons(x, a));
      },
      "array"_a, "axis"_a.none() = 0, nb::kw_only(), SERRATE_HBA,
      "Lists of one item, empty where it is missing.\n\n>>> singletons([1, None])\n<Array [[1], "
      "[]] type='2 * var * int64'>");
}

}  // namespace serrate::python
