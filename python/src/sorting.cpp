// Functions on whole lists: sorting, running sums. With Awkward Array's arguments where it has the
// function.
#include "along_axis.h"

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

void bind_sort(nb::module_& m, const char* name, Sort f, SortBy f_by, const char* doc) {
  // Sorting is always stable.
  m.def(
      name,
      [name, f, f_by](nb::handle array, nb::handle axis, Truth ascending, Truth, nb::handle by,
                      Truth highlevel, nb::handle behavior, nb::handle attrs) {
        begin(highlevel, behavior, attrs);
        const Array x = as_array(array, name);
        const SortOptions o = options(array, axis, ascending, name);
        return wrap(by.is_none() ? f(x, o) : f_by(x, field_names(by, name), o));
      },
      "array"_a, "axis"_a.none() = -1, nb::kw_only(), "ascending"_a = true, "stable"_a = true,
      "by"_a = nb::none(), SERRATE_HBA, doc);
}

void bind_topk(nb::module_& m, const char* name, Array (*f)(const Array&, int64_t, SortOptions),
               const char* doc) {
  m.def(
      name,
      [name, f](nb::handle array, int64_t k, nb::handle axis, Truth largest, Truth highlevel,
                nb::handle behavior, nb::handle attrs) {
        begin(highlevel, behavior, attrs);
        return wrap(f(as_array(array, name), k, options(array, axis, !largest, name)));
      },
      "array"_a, "k"_a, "axis"_a.none() = -1, nb::kw_only(), "largest"_a = true, SERRATE_HBA, doc);
}

void bind_partition(nb::module_& m, const char* name, Sort f, const char* doc) {
  m.def(
      name,
      [name, f](nb::handle array, nb::handle, nb::handle axis, Truth highlevel, nb::handle behavior,
                nb::handle attrs) {
        begin(highlevel, behavior, attrs);
        return wrap(f(as_array(array, name), options(array, axis, true, name)));
      },
      "array"_a, "kth"_a, "axis"_a.none() = -1, nb::kw_only(), SERRATE_HBA, doc);
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
  bind_axis(m, "cumsum", &cumsum,
            "Sums of the items of each list up to each of them. Missing items stay missing.\n\n"
            ">>> cumsum([[1, 2, 3], [], [4, 5]])\n<Array [[1, 3, 6], [], [4, 9]] type='3 * var * "
            "int64'>");
  bind_axis(m, "cumprod", &cumprod,
            "Products of the items of each list up to each of them.\n\n"
            ">>> cumprod([[1, 2, 3], [], [4, 5]])\n<Array [[1, 2, 6], [], [4, 20]] type='3 * var * "
            "int64'>");
  bind_axis(m, "cummax", &cummax,
            "The largest item of each list so far.\n\n"
            ">>> cummax([[1, 3, 2], []])\n<Array [[1, 3, 3], []] type='2 * var * int64'>");
  bind_axis(m, "cummin", &cummin,
            "The smallest item of each list so far.\n\n"
            ">>> cummin([[2, 3, 1], []])\n<Array [[2, 2, 1], []] type='2 * var * int64'>");
  m.def(
      "diff",
      [](nb::handle array, int n, nb::handle axis, Truth highlevel, nb::handle behavior,
         nb::handle attrs) {
        begin(highlevel, behavior, attrs);
        return wrap(diff(as_array(array, "diff"), n, as_int_axis(axis, "diff", array)));
      },
      "array"_a, "n"_a = 1, "axis"_a = -1, nb::kw_only(), SERRATE_HBA,
      "Differences of neighbours along an axis, n times; along an outer one, of each item and the "
      "one before it at the same place of the lists inside, dropped where there is none.\n\n"
      ">>> diff([[1, 4, 6], [], [5]])\n<Array [[3, 2], [], []] type='3 * var * int64'>");
}

}  // namespace

void bind_sorting(nb::module_& m) {
  bind_sort(m, "sort", &sort, &sort_by,
            "Each list in order; NaN and then missing items come last. Equal items stay as they "
            "were. by= names one or more fields of records, which are sorted by them as a "
            "whole.\n\n"
            ">>> sort([[3, 1, 2], [], [5, 4]])\n<Array [[1, 2, 3], [], [4, 5]] type='3 * var * "
            "int64'>");
  bind_sort(m, "argsort", &argsort, &argsort_by,
            "Positions in the lists of the items in order: x[argsort(x)] is sorted.\n\n"
            ">>> argsort([[3, 1, 2], [], [5, 4]])\n<Array [[1, 2, 0], [], [1, 0]] type='3 * var * "
            "int64'>");
  m.def(
      "rank",
      [](nb::handle array, nb::handle axis, const std::string& method, Truth ascending,
         Truth highlevel, nb::handle behavior, nb::handle attrs) {
        begin(highlevel, behavior, attrs);
        return wrap(rank(as_array(array, "rank"), rank_method(method),
                         options(array, axis, ascending, "rank")));
      },
      "array"_a, "axis"_a.none() = -1, nb::kw_only(), "method"_a = "average", "ascending"_a = true,
      SERRATE_HBA,
      "Places of the items of each list in order, from 1 on. Equal items share one by the method: "
      "average, min, max, dense, or ordinal for places as they stand.\n\n"
      ">>> rank([[10, 30, 10], []])\n<Array [[1.5, 3, 1.5], []] type='2 * var * float64'>");
  bind_topk(m, "topk", &topk,
            "The k largest items of the innermost lists in order (the smallest with "
            "largest=False), of all items with axis=None; fewer where there are fewer.\n\n"
            ">>> topk([[3, 1, 2], [], [5]], 2)\n<Array [[3, 2], [], [5]] type='3 * var * int64'>");
  bind_topk(m, "argtopk", &argtopk,
            "Positions in the lists of the k largest items.\n\n"
            ">>> argtopk([[3, 1, 2], [], [5]], 2)\n<Array [[0, 2], [], [0]] type='3 * var * "
            "int64'>");
  bind_partition(
      m, "partition", &sort,
      "The items of each list with the one at index kth in its place in order, smaller "
      "ones before it. All are sorted: any kth, and several, may be asked for.\n\n"
      ">>> partition([[3, 1, 2], [5, 4]], 1)\n<Array [[1, 2, 3], [4, 5]] type='2 * var * "
      "int64'>");
  bind_partition(
      m, "argpartition", &argsort,
      "Positions of the items as partition has them.\n\n"
      ">>> argpartition([[3, 1, 2], [5, 4]], 1)\n<Array [[1, 2, 0], [1, 0]] type='2 * var "
      "* int64'>");
  bind_scans(m);
}

}  // namespace serrate::python
