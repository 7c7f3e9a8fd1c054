// Sets and groups: unique, isin, searchsorted, group_by ... of the items of lists.
#include "along_axis.h"
#include "operands.h"

namespace serrate::python {

void bind_sets(nb::module_& m) {
  m.def(
      "unique",
      [](nb::handle array, nb::handle axis, Truth index, Truth inverse, Truth counts,
         Truth highlevel, nb::handle behavior, nb::handle attrs) -> nb::object {
        begin(highlevel, behavior, attrs);
        const UniqueParts parts = unique(as_array(array, "unique"), as_axis(axis, "unique", array));
        if (!index && !inverse && !counts) return wrap(parts.values);
        std::vector<Array> out{parts.values};
        if (index) out.push_back(parts.index);
        if (inverse) out.push_back(parts.inverse);
        if (counts) out.push_back(parts.counts);
        return wrap_all(std::move(out));
      },
      "array"_a, "axis"_a.none() = -1, nb::kw_only(), "return_index"_a = false,
      "return_inverse"_a = false, "return_counts"_a = false, SERRATE_HBA,
      "The distinct items of each list in order, of all items with axis=None; if asked for, where "
      "each stands first, the number of the value of each item, and how many are equal. Along an "
      "outer axis the j-th items of all lists are one list, and its result stands where a reducer "
      "has one.\n\n"
      ">>> unique([[3, 1, 3], [], [2]])\n<Array [[1, 3], [], [2]] type='3 * var * int64'>");
  bind_axis(m, "is_unique", &is_unique,
            "Whether all items of a list along the axis are different, of all items with "
            "axis=None.\n\n"
            ">>> is_unique([[3, 1, 3], [], [2]])\n<Array [False, True, True] type='3 * bool'>");
  bind_axis(
      m, "value_counts", &value_counts,
      "The distinct items of each list along the axis in order, of all items with axis=None, and "
      "how many there are of each: records of value and count.\n\n"
      ">>> value_counts([[3, 1, 3], []]).count\n<Array [[1, 2], []] type='2 * var * int64'>");
  bind_axis(m, "run_lengths", &run_lengths,
            "Lengths of the runs of equal values in each list along the axis.\n\n"
            ">>> run_lengths([[1, 1, 2], [], [3]])\n<Array [[2, 1], [], [1]] type='3 * var * "
            "int64'>");
  m.def(
      "group_by",
      [](nb::handle array, nb::handle keys, nb::handle axis, Truth highlevel, nb::handle behavior,
         nb::handle attrs) {
        begin(highlevel, behavior, attrs);
        const Beside beside(array, keys);
        const Array x = as_array(array, "group_by");
        const Array k = PyTuple_Check(keys.ptr()) ? zip(as_arrays(keys, "group_by"))
                                                  : as_array(keys, "group_by");
        const Grouped out = group_by(x, k, as_axis(axis, "group_by", keys));
        return wrap_all({out.keys, out.values});
      },
      "array"_a, "keys"_a, "axis"_a.none() = -1, nb::kw_only(), SERRATE_HBA,
      "Items that have equal keys: the distinct keys in order, and for each the list of its items "
      "as "
      "they stood; in each of the innermost lists of keys, or of all keys with axis=None. Keys are "
      "numbers, strings, times, records or, for several at once, a tuple of arrays; missing keys "
      "are "
      "one group, the last one. Items may be anything.\n\n"
      ">>> keys, groups = group_by([1, 2, 3], [\"b\", \"a\", \"b\"])\n"
      ">>> groups\n<Array [[2], [1, 3]] type='2 * var * int64'>");
  m.def(
      "isin",
      [](nb::handle array, nb::handle test_elements, nb::handle axis, Truth invert, Truth highlevel,
         nb::handle behavior, nb::handle attrs) {
        begin(highlevel, behavior, attrs);
        const auto [x, set] = as_operands("isin", array, test_elements);
        const Array in = isin(x, set, as_axis(axis, "isin", array));
        return wrap(invert ? logical_not(in) : in);
      },
      "array"_a, "test_elements"_a, "axis"_a = nb::none(), nb::kw_only(), "invert"_a = false,
      SERRATE_HBA,
      "Whether an item is one of the test elements: of all of them as one set, or with an axis of "
      "the list along it that stands in the item's place: with axis=-1 that in place of its list, "
      "with axis=0 of the items at its place in all of them. Missing items stay missing; NaN is in "
      "no set.\n\n"
      ">>> isin([[1, 2], [], [3]], [1, 3])\n<Array [[True, False], [], [True]] type='3 * var * "
      "bool'>");
  m.def(
      "searchsorted",
      [](nb::handle sorted, nb::handle values, const std::string& side, nb::handle axis,
         Truth highlevel, nb::handle behavior, nb::handle attrs) {
        begin(highlevel, behavior, attrs);
        check<ValueError>(side == "left" || side == "right",
                          "searchsorted: side must be left or right, got '{}'", side);
        const auto [a, v] = as_operands("searchsorted", sorted, values);
        return wrap(searchsorted(a, v, side == "right", as_int_axis(axis, "searchsorted", sorted)));
      },
      "a"_a, "v"_a, "side"_a = "left", nb::kw_only(), "axis"_a = -1, SERRATE_HBA,
      "Where the values v belong in the sorted list a, before equal items (side=\"left\") or after "
      "them; in nested lists a each value in the list along the axis that stands in its place.\n\n"
      ">>> searchsorted([[1, 3], [2]], [[2, 9], [0]])\n<Array [[1, 2], [0]] type='2 * var * "
      "int64'>");
}

}  // namespace serrate::python
