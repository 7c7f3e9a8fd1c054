// A tour of the C++ interface: numbers in, expressions, plans, values out.
#include <serrate/serrate.h>

#include <iostream>
#include <vector>

namespace sr = serrate;

int main() {
  // Flat numbers and the lengths of lists. Types print as in Python.
  const std::vector<double> numbers{1.1, 2.2, 3.3, 4.4, 5.5};
  const sr::Array x = sr::unflatten(sr::from_values(numbers), sr::from_values<int>({3, 0, 2}));
  std::cout << x.type() << "\n";

  // Expressions check their types and are written down; nothing has run.
  const auto [left, right] = sr::unzip<2>(sr::combinations(x, 2));
  const sr::Array farthest = sr::max(sr::absolute(left - right), {.axis = -1});
  const sr::Array kept = sr::getitem(x, {x > 2.0});                              // x[x > 2]
  const sr::Array firsts = sr::getitem(x, {sr::Slice{}, sr::Slice{.stop = 1}});  // x[:, :1]
  std::cout << farthest.type() << "\n" << sr::explain({farthest});

  // One pass for several results; then each holds its values.
  sr::compute({farthest, kept, firsts});
  std::cout << sr::str(farthest) << "\n" << sr::str(kept) << "\n" << sr::str(firsts) << "\n";

  // Records, missing values, strings.
  const sr::Array hits = sr::zip({{"time", x}, {"late", x > 4.0}}, {.with_name = "Hit"});
  std::cout << hits.type() << "\n" << sr::str(sr::fill_none(farthest, -1.0)) << "\n";
  sr::ArrayBuilder b;
  for (const char* name : {"muon", "electron", "muon"}) b.string(name);
  std::cout << sr::str(b.snapshot() == sr::Array("muon")) << "\n";

  // Values out: one number, a vector, all of it as JSON.
  std::cout << sr::sum(x).item<double>() << "\n";
  for (const double v : sr::to_values<double>(sr::sum(x, {.axis = -1}))) std::cout << v << " ";
  std::cout << "\n" << sr::to_string(kept) << "\n";
  return 0;
}
