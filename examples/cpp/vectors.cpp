// Vectors in C++: the heaviest pair of each event, and the nearest particle.
#include <serrate/serrate.h>

#include <iostream>

namespace sr = serrate;
namespace vectors = serrate::vectors;

int main() {
  const auto lists = [](const std::vector<double>& x) {
    return sr::unflatten(sr::from_values(x), sr::from_values<int>({2, 0, 1}));
  };
  const sr::Array muons = sr::vector4({{"pt", lists({45, 42, 30})},
                                       {"eta", lists({0.5, -0.5, 1})},
                                       {"phi", lists({0, 3, 1})},
                                       {"mass", lists({0.1, 0.1, 0.1})}});
  const auto [a, b] = sr::unzip<2>(sr::combinations(muons, 2));
  const sr::Array pairs = vectors::add(a, b);  // nothing is computed yet
  std::cout << sr::str(sr::max(vectors::mass(pairs), {.axis = -1})) << "\n";
  std::cout << vectors::boostCM_of(muons, vectors::sum(muons, {.axis = 1})).type() << "\n";
  std::cout << sr::str(vectors::nearest(muons, vectors::rotateZ(muons, 0.1)).values) << "\n";
  return 0;
}
