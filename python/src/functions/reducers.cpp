// Reducers, with Awkward Array's arguments and NumPy's where=.
#include "common/checked.h"
#include "common/context.h"
#include "common/operands.h"
#include "convert/taking.h"
#include "functions/bind.h"

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

auto reducer(const char* name, Reduce f) {
  return [name, f](nb::handle array, nb::handle axis, Truth keepdims, nb::handle where,
                   Truth mask_identity) {
    return reduced(name, f, {array, axis, nb::none(), where, mask_identity, keepdims});
  };
}

/// Those that may begin with a value.
auto reducer_with_initial(const char* name, Reduce f) {
  return [name, f](nb::handle array, nb::handle axis, Truth keepdims, nb::handle initial,
                   nb::handle where, Truth mask_identity) {
    return reduced(name, f, {array, axis, initial, where, mask_identity, keepdims});
  };
}

}  // namespace

void bind_reducers(nb::module_& m) {
  def_made<"sum">(m, reducer_with_initial, &serrate::sum);
  def_made<"prod">(m, reducer_with_initial, &serrate::prod);
  def_made<"any">(m, reducer, &serrate::any);
  def_made<"all">(m, reducer, &serrate::all);
  def_made<"count">(m, reducer, &serrate::count);
  def_made<"count_nonzero">(m, reducer, &serrate::count_nonzero);
  def_made<"argmin">(m, reducer, &serrate::argmin);
  def_made<"argmax">(m, reducer, &serrate::argmax);
  def_made<"ptp">(m, reducer, &serrate::ptp);
  def_made<"min">(m, reducer_with_initial, &serrate::min);
  def_made<"max">(m, reducer_with_initial, &serrate::max);
  def_made<"nansum">(m, reducer_with_initial, &serrate::nansum);
  def_made<"nanprod">(m, reducer_with_initial, &serrate::nanprod);
  def_made<"nanargmin">(m, reducer, &serrate::nanargmin);
  def_made<"nanargmax">(m, reducer, &serrate::nanargmax);
  def_made<"nanmin">(m, reducer_with_initial, &serrate::nanmin);
  def_made<"nanmax">(m, reducer_with_initial, &serrate::nanmax);
}

}  // namespace serrate::python
