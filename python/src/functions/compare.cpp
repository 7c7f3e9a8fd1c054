// Whether two arrays are the same, or nearly.
#include "common/context.h"
#include "common/operands.h"
#include "functions/bind.h"

namespace serrate::python {
namespace {

// Whether the axes of two arrays are called the same, where both have names.
bool names_agree(nb::handle a, nb::handle b) {
  nb::object names[2];
  for (int i = 0; i < 2; ++i) {
    const Meta* meta = meta_of(i ? b : a);
    if (!meta || !meta->attrs.is_valid()) return true;
    names[i] = axis_names_of(*meta);
    if (nb::len(names[i]) == 0) return true;
  }
  return names[0].equal(names[1]);
}

// Whether what two arrays mean by their names is the same.
bool classes_agree(nb::handle a, nb::handle b) {
  return !array_in(a) || !array_in(b) || a.type().is(b.type());
}

}  // namespace

void bind_compare(nb::module_& m) {
  def<"almost_equal">(
      m, [](nb::handle left, nb::handle right, double rtol, double atol, Truth dtype_exact,
            Truth check_parameters, Truth check_regular, Truth check_named_axis) {
        begin();
        forget_attrs();
        if (check_named_axis && !names_agree(left, right)) return false;
        if (check_parameters && !classes_agree(left, right)) return false;
        const auto [x, y] = as_operands("almost_equal", left, right);
        return almost_equal(x, y,
                            {.rtol = rtol,
                             .atol = atol,
                             .dtype_exact = dtype_exact,
                             .check_parameters = check_parameters,
                             .check_regular = check_regular});
      });
  def<"array_equal">(m, [](nb::handle a1, nb::handle a2, Truth equal_nan, Truth dtype_exact, Truth,
                           Truth check_parameters, Truth check_regular, Truth check_named_axis) {
    begin();
    forget_attrs();
    if (check_named_axis && !names_agree(a1, a2)) return false;
    const auto [x, y] = as_operands("array_equal", a1, a2);
    return array_equal(x, y,
                       {.rtol = 0,
                        .atol = 0,
                        .equal_nan = equal_nan,
                        .dtype_exact = dtype_exact,
                        .check_parameters = check_parameters,
                        .check_regular = check_regular});
  });
}

}  // namespace serrate::python
