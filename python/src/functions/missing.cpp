// Functions on missing values.
#include "common/operands.h"
#include "functions/bind.h"

namespace serrate::python {

void bind_missing(nb::module_& m) {
  def<"mask">(m, [](nb::handle array, nb::handle keep, bool valid_when) {
    const auto [x, kept] = as_operands("mask", array, keep);
    return mask(x, kept, valid_when);
  });
  def_along_axis<"is_none">(m, &is_none, Names::up_to);
  def<"fill_none">(m, [](nb::handle array, nb::handle value, nb::handle axis) {
    const auto [x, filled] = operands_named_by_first("fill_none", array, value);
    const Axis at = as_axis(axis, "fill_none", array);
    if (!x.is_scalar()) return wrap(fill_none(x, filled, at));
    const Array one = fill_none(rows_of_one(x), filled, at);
    return x.node()->kind == graph::NodeKind::record ? item(one, 0) : wrap(one);
  });
  def<"drop_none">(m, [](nb::handle array, nb::handle axis) {
    return drop_none(as_array(array, "drop_none"), as_axis(axis, "drop_none", array));
  });
  def<"pad_none">(m, [](nb::handle array, int64_t target, nb::handle axis, Truth clip) {
    return pad_none(as_array(array, "pad_none"), target, as_int_axis(axis, "pad_none", array),
                    clip);
  });
  def_along_axis<"firsts">(m, &firsts, Names::remove);
  def_along_axis<"singletons">(m, &singletons, Names::insert);
}

}  // namespace serrate::python
