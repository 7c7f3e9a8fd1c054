// Functions on whole lists: sorting, running sums. With Awkward Array's arguments where it has the
// function.
#include "ops/order/sorting.h"

#include "common/checked.h"
#include "functions/bind.h"

namespace serrate::python {
namespace {

SortOptions options(nb::handle array, nb::handle axis, Truth ascending, const char* name) {
  return {.axis = as_axis(axis, name, array), .ascending = ascending};
}

using Sort = Array (*)(const Array&, SortOptions);
using SortBy = Array (*)(const Array&, const std::vector<std::string>&, SortOptions);

/// One name of a field, or several.
std::vector<std::string> field_names(nb::handle by, const char* name) {
  if (PyUnicode_Check(by.ptr())) return {field_name(by, name)};
  std::vector<std::string> names;
  for (nb::handle h : by) names.push_back(field_name(h, name));
  return names;
}

auto sort_by_fields(const char* name, Sort f, SortBy f_by) {
  // Sorting is always stable.
  return [name, f, f_by](nb::handle array, nb::handle axis, Truth ascending, Truth, nb::handle by) {
    const Array x = as_array(array, name);
    const SortOptions o = options(array, axis, ascending, name);
    return by.is_none() ? f(x, o) : f_by(x, field_names(by, name), o);
  };
}

auto k_largest(const char* name, Array (*f)(const Array&, int64_t, SortOptions)) {
  return [name, f](nb::handle array, int64_t k, nb::handle axis, Truth largest) {
    return f(as_array(array, name), k, options(array, axis, !largest, name));
  };
}

using Partition = Array (*)(const Array&, int64_t, SortOptions);

/// At several places lists are in order if all of them are.
auto partition_by(const char* name, Partition f, Sort sorted) {
  return [name, f, sorted](nb::handle array, nb::handle kth, nb::handle axis) {
    const Array x = as_array(array, name);
    const SortOptions o = options(array, axis, true, name);
    return PyIndex_Check(kth.ptr()) ? f(x, nb::cast<int64_t>(index_of(kth)), o) : sorted(x, o);
  };
}

RankMethod rank_method(const std::string& name) {
  constexpr const char* names[] = {"average", "min", "max", "dense", "ordinal"};
  for (int i = 0; i < 5; i++) {
    if (name == names[i]) return static_cast<RankMethod>(i);
  }
  throw ValueError(
      fmt::format("rank: method must be average, min, max, dense or ordinal, got '{}'", name));
}

void bind_scans(nb::module_& m) {
  def_along_axis<"cumsum">(m, &cumsum);
  def_along_axis<"cumprod">(m, &cumprod);
  def_along_axis<"cummax">(m, &cummax);
  def_along_axis<"cummin">(m, &cummin);
  def<"diff">(m, [](nb::handle array, int n, nb::handle axis) {
    return diff(as_array(array, "diff"), n, as_int_axis(axis, "diff", array));
  });
}

}  // namespace

void bind_sorting(nb::module_& m) {
  def_made<"sort">(m, sort_by_fields, &sort, &sort_by);
  def_made<"argsort">(m, sort_by_fields, &argsort, &argsort_by);
  def<"rank">(m, [](nb::handle array, nb::handle axis, const std::string& method, Truth ascending) {
    return rank(as_array(array, "rank"), rank_method(method),
                options(array, axis, ascending, "rank"));
  });
  def_made<"topk">(m, k_largest, &topk);
  def_made<"argtopk">(m, k_largest, &argtopk);
  def_made<"partition">(m, partition_by, &ops::partition, &sort);
  def_made<"argpartition">(m, partition_by, &ops::argpartition, &argsort);
  bind_scans(m);
}

}  // namespace serrate::python
