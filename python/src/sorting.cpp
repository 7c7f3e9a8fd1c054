// Functions on whole lists: sorting, running sums, sets. With Awkward Array's arguments where it
// has the function.
#include "python.h"

namespace serrate::python {
namespace {

SortOptions options(nb::handle array, nb::handle axis, bool ascending, const char* name) {
  return {.axis = as_axis(axis, name, array), .ascending = ascending};
}

template <class F>
void bind_sort(nb::module_& m, const char* name, F f, const char* doc) {
  // Sorting is always stable.
  m.def(
      name,
      [name, f](nb::handle array, nb::handle axis, bool ascending, bool, bool highlevel,
                nb::handle behavior, nb::handle attrs) {
        begin(highlevel, behavior, attrs);
        return wrap(f(as_array(array, name), options(array, axis, ascending, name)));
      },
      "array"_a, "axis"_a.none() = -1, nb::kw_only(), "ascending"_a = true, "stable"_a = true,
      SERRATE_HBA, doc);
}

template <class F>
void bind_axis(nb::module_& m, const char* name, F f, const char* doc) {
  m.def(
      name,
      [name, f](nb::handle array, nb::handle axis, bool highlevel, nb::handle behavior,
                nb::handle attrs) {
        begin(highlevel, behavior, attrs);
        return wrap(f(as_array(array, name), as_axis(axis, name, array)));
      },
      "array"_a, "axis"_a.none() = -1, nb::kw_only(), SERRATE_HBA, doc);
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
      [](nb::handle array, int n, nb::handle axis, bool highlevel, nb::handle behavior,
         nb::handle attrs) {
        begin(highlevel, behavior, attrs);
        return wrap(diff(as_array(array, "diff"), n, as_int_axis(axis, "diff")));
      },
      "array"_a, "n"_a = 1, "axis"_a = -1, nb::kw_only(), SERRATE_HBA,
      "Differences of neighbours in the innermost lists.\n\n"
      ">>> diff([[1, 4, 6], [], [5]])\n<Array [[3, 2], [], []] type='3 * var * int64'>");
}

void bind_sets(nb::module_& m) {
  m.def(
      "unique",
      [](nb::handle array, nb::handle axis, bool index, bool inverse, bool counts, bool highlevel,
         nb::handle behavior, nb::handle attrs) -> nb::object {
        begin(highlevel, behavior, attrs);
        const UniqueParts parts = unique(as_array(array, "unique"), as_axis(axis, "unique"));
        if (!index && !inverse && !counts) return wrap(parts.values);
        std::vector<Array> out{parts.values};
        if (index) out.push_back(parts.index);
        if (inverse) out.push_back(parts.inverse);
        if (counts) out.push_back(parts.counts);
        return wrap_all(std::move(out));
      },
      "array"_a, "axis"_a.none() = -1, nb::kw_only(), "return_index"_a = false,
      "return_inverse"_a = false, "return_counts"_a = false, SERRATE_HBA,
      "The distinct items of the innermost lists in order, of all items with axis=None; if asked "
      "for, where each stands first, the number of the value of each item, and how many are "
      "equal.\n\n"
      ">>> unique([[3, 1, 3], [], [2]])\n<Array [[1, 3], [], [2]] type='3 * var * int64'>");
  bind_axis(m, "is_unique", &is_unique,
            "Whether all items of an innermost list are different, of all items with axis=None.\n\n"
            ">>> is_unique([[3, 1, 3], [], [2]])\n<Array [False, True, True] type='3 * bool'>");
}

}  // namespace

void bind_sorting(nb::module_& m) {
  bind_sort(m, "sort", &sort,
            "Each list in order; NaN and then missing items come last. Equal items stay as they "
            "were.\n\n"
            ">>> sort([[3, 1, 2], [], [5, 4]])\n<Array [[1, 2, 3], [], [4, 5]] type='3 * var * "
            "int64'>");
  bind_sort(m, "argsort", &argsort,
            "Positions in the lists of the items in order: x[argsort(x)] is sorted.\n\n"
            ">>> argsort([[3, 1, 2], [], [5, 4]])\n<Array [[1, 2, 0], [], [1, 0]] type='3 * var * "
            "int64'>");
  m.def(
      "rank",
      [](nb::handle array, nb::handle axis, const std::string& method, bool ascending,
         bool highlevel, nb::handle behavior, nb::handle attrs) {
        begin(highlevel, behavior, attrs);
        return wrap(rank(as_array(array, "rank"), rank_method(method),
                         options(array, axis, ascending, "rank")));
      },
      "array"_a, "axis"_a.none() = -1, nb::kw_only(), "method"_a = "average", "ascending"_a = true,
      SERRATE_HBA,
      "Places of the items of each list in order, from 1 on. Equal items share one by the method: "
      "average, min, max, dense, or ordinal for places as they stand.\n\n"
      ">>> rank([[10, 30, 10], []])\n<Array [[1.5, 3, 1.5], []] type='2 * var * float64'>");
  bind_scans(m);
  bind_sets(m);
}

}  // namespace serrate::python
