// A loop of one's own over lists, with lists as its result: where each list has its peaks.
#include <serrate/serrate.h>

#include <iostream>
#include <vector>

namespace sr = serrate;

/// Positions of the items that are larger than both neighbours, for each list.
sr::Array peaks(const sr::Array& x) {
  const sr::ArrayView all = sr::view(x);  // evaluates x: bare pointers, valid as long as `all`
  const sr::View& lists = all.item;
  sr::check<sr::TypeError>(lists.kind == sr::ViewKind::list &&
                               lists.contents[0].kind == sr::ViewKind::number &&
                               lists.contents[0].dtype == sr::DType::float64,
                           "peaks: expected lists of float64, got {}", x.type().str());
  std::vector<int64_t> counts, places;
  for (int64_t i = all.first; i < all.first + all.length; ++i) {
    const int64_t begin = lists.offset(i), end = lists.offset(i + 1);
    const size_t before = places.size();
    for (int64_t k = begin + 1; k + 1 < end; ++k) {
      const auto at = [&](int64_t j) { return lists.contents[0].number<double>(j); };
      if (at(k) > at(k - 1) && at(k) > at(k + 1)) places.push_back(k - begin);
    }
    counts.push_back(static_cast<int64_t>(places.size() - before));
  }
  return sr::unflatten(sr::from_values(places), sr::from_values(counts));
}

int main() {
  const sr::Array flat = sr::from_values<double>({1, 5, 2, 7, 3, 4, 6, 1, 9});
  const sr::Array x = sr::unflatten(flat, sr::from_values<int>({5, 0, 4}));
  const sr::Array found = peaks(x);
  std::cout << found.type() << "\n" << sr::str(found) << "\n";
  std::cout << sr::str(sr::getitem(x, {found})) << "\n";  // and on with expressions
  return 0;
}
