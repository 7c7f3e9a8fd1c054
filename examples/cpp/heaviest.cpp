// The heaviest pair of muons of each event: what the README shows.
#include <serrate/io.h>
#include <serrate/ops.h>

#include <iostream>

namespace sr = serrate;

void print_heaviest(const sr::Array& muons) {
  const auto [mu1, mu2] = sr::unzip<2>(sr::combinations(muons, 2));
  const sr::Array mass =
      sr::sqrt(2 * mu1["pt"] * mu2["pt"] *
               (sr::cosh(mu1["eta"] - mu2["eta"]) - sr::cos(mu1["phi"] - mu2["phi"])));
  std::cout << sr::max(mass, {.axis = -1}) << "\n";
}
