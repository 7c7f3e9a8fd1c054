// Functions on missing values.
#include "bind.h"
#include "operands.h"

namespace serrate::python {

void bind_missing(nb::module_& m) {
  def(
      m, "mask",
      [](nb::handle array, nb::handle keep, bool valid_when) {
        const auto [x, kept] = as_operands("mask", array, keep);
        return mask(x, kept, valid_when);
      },
      "array"_a, "mask"_a, nb::kw_only(), "valid_when"_a = true,
      "The same shape, missing where the mask is false.\n\n"
      ">>> mask([1, 2], [True, False])\n<Array [1, None] type='2 * ?int64'>");
  bind_axis(
      m, "is_none", &is_none, 0, Names::up_to,
      "True where an item is missing.\n\n>>> is_none([1, None])\n<Array [False, True] type='2 * "
      "bool'>");
  def(
      m, "fill_none",
      [](nb::handle array, nb::handle value, nb::handle axis) {
        const auto [x, filled] = operands_named_by_first("fill_none", array, value);
        const Axis at = as_axis(axis, "fill_none", array);
        if (!x.is_scalar()) return wrap(fill_none(x, filled, at));
        const Array one = fill_none(rows_of_one(x), filled, at);
        return x.node()->kind == graph::NodeKind::record ? item(one, 0) : wrap(one);
      },
      "array"_a, "value"_a.none(), "axis"_a.none() = -1, nb::kw_only(),
      "A value in place of what is missing.\n\n>>> fill_none([1, None], 0)\n<Array [1, 0] type='2 "
      "* int64'>");
  def(
      m, "drop_none",
      [](nb::handle array, nb::handle axis) {
        return drop_none(as_array(array, "drop_none"), as_axis(axis, "drop_none", array));
      },
      "array"_a, "axis"_a = nb::none(),
      "Without what is missing.\n\n>>> drop_none([[1, None], [2]])\n<Array [[1], [2]] type='2 * "
      "var * int64'>");
  def(
      m, "pad_none",
      [](nb::handle array, int64_t target, nb::handle axis, Truth clip) {
        return pad_none(as_array(array, "pad_none"), target, as_int_axis(axis, "pad_none", array),
                        clip);
      },
      "array"_a, "target"_a, "axis"_a.none() = 1, nb::kw_only(), "clip"_a = false,
      "Lists made up to a length with missing items.\n\n"
      ">>> pad_none([[1], [2, 3, 4]], 2)\n<Array [[1, None], [2, 3, 4]] type='2 * var * ?int64'>");
  bind_axis(
      m, "firsts", &firsts, 1, Names::remove,
      "The first item of each list, or missing.\n\n>>> firsts([[1, 2], []])\n<Array [1, None] "
      "type='2 * ?int64'>");
  bind_axis(
      m, "singletons", &singletons, 0, Names::insert,
      "Lists of one item, empty where it is missing.\n\n>>> singletons([1, None])\n<Array [[1], "
      "[]] type='2 * var * int64'>");
}

}  // namespace serrate::python
