// Sets and groups: unique, isin, searchsorted, group_by ... of the items of lists.
#include "common/operands.h"
#include "functions/bind.h"
#include "ops/order/groups.h"

namespace serrate::python {

void bind_sets(nb::module_& m) {
  def<"unique">(m,
                [](nb::handle array, nb::handle axis, Truth index, Truth inverse,
                   Truth counts) -> nb::object {
                  const Array x = as_array(array, "unique");
                  const Axis along = as_axis(axis, "unique", array);
                  if (!index && !inverse && !counts) return wrap(ops::unique_values(x, along));
                  const UniqueParts parts = unique(x, along);
                  std::vector<Array> out{parts.values};
                  if (index) out.push_back(parts.index);
                  if (inverse) out.push_back(parts.inverse);
                  if (counts) out.push_back(parts.counts);
                  return wrap_all(std::move(out));
                });
  def_along_axis<"is_unique">(m, &is_unique);
  def_along_axis<"value_counts">(m, &value_counts);
  def_along_axis<"run_lengths">(m, &run_lengths);
  def<"group_by">(m, [](nb::handle array, nb::handle keys, nb::handle axis) {
    const Beside beside(array, keys);
    const Array x = as_array(array, "group_by");
    const Array k =
        PyTuple_Check(keys.ptr()) ? zip(as_arrays(keys, "group_by")) : as_array(keys, "group_by");
    const Grouped out = group_by(x, k, as_axis(axis, "group_by", keys));
    return wrap_all({out.keys, out.values});
  });
  def<"isin">(m, [](nb::handle array, nb::handle test_elements, nb::handle axis, Truth invert) {
    const auto [x, set] = as_operands("isin", array, test_elements);
    const Array in = isin(x, set, as_axis(axis, "isin", array));
    return invert ? logical_not(in) : in;
  });
  def<"searchsorted">(
      m, [](nb::handle sorted, nb::handle values, const std::string& side, nb::handle axis) {
        check<ValueError>(side == "left" || side == "right",
                          "searchsorted: side must be left or right, got '{}'", side);
        const auto [a, v] = as_operands("searchsorted", sorted, values);
        return searchsorted(a, v, side == "right", as_int_axis(axis, "searchsorted", sorted));
      });
}

}  // namespace serrate::python
