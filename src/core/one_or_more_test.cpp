// A vector that is nearly always of one item.
#include "core/one_or_more.h"

#include <string>

#include "catch.h"

using serrate::OneOrMore;

TEST_CASE("one or more: as a vector has them") {
  for (const size_t n : {0, 1, 2, 5}) {
    std::vector<std::string> want;
    OneOrMore<std::string> pushed;
    for (size_t i = 0; i < n; i++) {
      want.push_back(std::to_string(i));
      pushed.push_back(want.back());
    }
    const OneOrMore<std::string> made(want), copied = pushed;
    for (const auto* x : {&made, &copied}) {
      CHECK(x->size() == n);
      CHECK(x->empty() == (n == 0));
      CHECK(std::vector<std::string>(*x) == want);
      if (n > 0) CHECK(x->back() == want.back());
    }
    for (size_t i = 0; i < n; i++) pushed[i] += "!";
    for (size_t i = 0; i < n; i++) CHECK(pushed[i] == want[i] + "!");
    CHECK(std::vector<std::string>(copied) == want);
  }
  OneOrMore<std::string> x(std::string("a"));
  const OneOrMore<std::string> moved = std::move(x);
  CHECK(moved.size() == 1);
  CHECK(moved[0] == "a");
}
