// Tests of the user's line in errors.
#include "core/where.h"

#include "../../tests/cpp/catch.h"
#include "graph/ir.h"

using namespace serrate;

TEST_CASE("the hook's line follows the operation") {
  CHECK(current_where("add") == "add");
  set_source_location_hook([] { return std::string("analysis.py:12"); });
  CHECK(current_where("add") == "add (analysis.py:12)");
  const auto& p = graph::unit();
  const auto lists =
      graph::align({graph::list(p, graph::constant(0), graph::constant(2)), graph::rows(3)}, "add");
  CHECK(lists->where == "add (analysis.py:12)");
  set_source_location_hook([] { return std::string(); });
  CHECK(current_where("add") == "add");
  set_source_location_hook(nullptr);
}
