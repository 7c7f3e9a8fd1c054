// Arrays of which not all columns were read: what python/serrate/_datasets/ calls.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "common/checked.h"
#include "common/context.h"
#include "common/operands.h"
#include "files/files.h"
#include "graph/absent.h"
#include "graph/evaluate.h"

namespace serrate::python {
namespace {

using namespace graph;

// An array of the type of `like` and n rows, of columns that were not read; paths begin with root.
// The lists of fields that are named together in `equal` have the same lengths.
nb::object absent(nb::handle like, int64_t n, const std::string& root, const EqualLists& equal) {
  const NodeRef whole = as_array(like, "_absent").node();
  const SpaceRef space = rows(n);
  return wrap(Array(list_node(
      space, absent_node(*whole->contents[0], space, root, default_device(), equal), -1)));
}

// The rows of `present`, with the columns that `like` has besides as columns that were not read.
nb::object completed(nb::handle present, nb::handle like, const std::string& root,
                     const EqualLists& equal) {
  const Array some = as_array(present, "_completed");
  const NodeRef have = some.node(), whole = as_array(like, "_completed").node();
  return wrap(Array(list_node(
      have->space,
      with_absent(have->contents[0], *whole->contents[0], have->space, root, some.device(), equal),
      have->size, have->parameters)));
}

// What the results are made of that was not read.
std::vector<std::string> needed(nb::list results) {
  std::vector<NodeRef> roots;
  for (nb::handle x : results) roots.push_back(as_array(x, "_needed").node());
  return absent_paths(roots);
}

}  // namespace

void bind_columns(nb::module_& m) {
  m.def("_absent",
        [](nb::handle like, int64_t n, const std::string& root, const EqualLists& equal) {
          begin();
          return absent(like, n, root, equal);
        });
  m.def("_completed",
        [](nb::handle present, nb::handle like, const std::string& root, const EqualLists& equal) {
          begin();
          return completed(present, like, root, equal);
        });
  m.def("_needed", [](nb::list results) {
    begin();
    return needed(results);
  });
}

}  // namespace serrate::python
