// Which exceptions come when.
#include <serrate/serrate.h>

#include <iostream>

namespace sr = serrate;

int main() {
  const sr::Array x = sr::unflatten(sr::from_values<int>({1, 2, 3}), sr::from_values<int>({2, 1}));
  const sr::Array y = sr::unflatten(sr::from_values<int>({1, 2, 3}), sr::from_values<int>({1, 2}));
  try {
    x["pt"];  // what types tell is thrown where the expression is made
  } catch (const sr::FieldError& e) {
    std::cout << e.what() << "\n";
  }
  const sr::Array sum = x + y;  // what only data tell, where it is computed
  try {
    sum.evaluate();
  } catch (const sr::ValueError& e) {
    std::cout << e.what() << "\n";
  }
  return 0;
}
