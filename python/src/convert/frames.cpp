// Rows of tables: for each item of lists, which list it is in and where.
#include <algorithm>

#include "common/checked.h"
#include "common/operands.h"
#include "serrate/io.h"
#include "serrate/visit.h"

namespace serrate::python {
namespace {

struct Numbers {
  nb::object array;
  int64_t* data = nullptr;
};

int64_t* data_of(nb::handle array) {
  return reinterpret_cast<int64_t*>(nb::cast<uintptr_t>(
      nb::object(nb::object(array.attr("__array_interface__")["data"])[nb::int_(0)])));
}

Numbers fresh(int64_t n) {
  Numbers out{nb::object(numpy("empty")(n, "int64"))};
  out.data = data_of(out.array);
  return out;
}

/// The number of items of each list; missing ones have none.
std::vector<int64_t> lengths(const ArrayView& v) {
  const bool optional = v.item.kind == ViewKind::option;
  const View& lists = optional ? v.item.contents[0] : v.item;
  check<TypeError>(lists.kind == ViewKind::list, "to_dataframe: expected lists");
  std::vector<int64_t> out(static_cast<size_t>(v.length));
  for (int64_t i = 0; i < v.length; ++i) {
    const int64_t at = v.first + i;
    const int64_t n = lists.offset_width ? lists.offset(at + 1) - lists.offset(at) : lists.size;
    out[static_cast<size_t>(i)] = !optional || v.item.is_valid(at) ? n : 0;
  }
  return out;
}

/// Numbers of the levels above, repeated for each item of a row's list, and the item's own number.
nb::list rows_of_items(nb::handle array, const nb::list& above) {
  const Array x = as_array(array, "to_dataframe");
  evaluate(x);
  const ArrayView v = view(x);
  const std::vector<int64_t> counts = lengths(v);
  int64_t total = 0;
  for (const int64_t n : counts) total += n;
  std::vector<Numbers> out;
  std::vector<const int64_t*> from;
  for (nb::handle level : above) {
    check<ValueError>(static_cast<int64_t>(nb::len(level)) == v.length,
                      "to_dataframe: {} numbers for {} rows", nb::len(level), v.length);
    from.push_back(data_of(level));
    out.push_back(fresh(total));
  }
  if (above.size() == 0) {  // the number of the row itself
    from.push_back(nullptr);
    out.push_back(fresh(total));
  }
  Numbers inside = fresh(total);
  without_lock([&] {
    int64_t at = 0;
    for (size_t i = 0; i < counts.size(); ++i) {
      const int64_t n = counts[i];
      for (size_t k = 0; k < out.size(); ++k)
        std::fill_n(out[k].data + at, n, from[k] ? from[k][i] : static_cast<int64_t>(i));
      for (int64_t j = 0; j < n; ++j) inside.data[at + j] = j;
      at += n;
    }
  });
  nb::list result;
  for (Numbers& n : out) result.append(n.array);
  result.append(inside.array);
  return result;
}

}  // namespace

void bind_frames(nb::module_& m) { m.def("_rows_of_items", &rows_of_items, "array"_a, "above"_a); }

}  // namespace serrate::python
