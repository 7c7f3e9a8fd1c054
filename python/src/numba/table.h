// Stored arrays as code of Numba's sees them: a form, which is part of the type, and the addresses
// of the buffers in the order of the form. Forms are in docs/internals.md.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/ir.h"
#include "serrate/array.h"

namespace serrate::python::numba {

/// An array as {start, stop, words}. Holds what the addresses point into.
struct Table {
  Ref<graph::Node> tree;       ///< as the array held it when the table was made
  graph::NodeRef item;         ///< its rows, over `space`
  std::string form;            ///< of `item`
  std::vector<int64_t> words;  ///< addresses, in host memory or on the GPU as the array is
  int64_t start = 0, stop = 0;
  std::string list_name;  ///< __list__
  std::vector<graph::NodeRef> nodes;
  std::vector<Buffer> buffers;
};

/// The table of an evaluated array that is no scalar.
std::unique_ptr<Table> table_of(const graph::NodeRef& tree);
/// The level whose words begin at this place of a table and have this form, or null.
graph::NodeRef level_at(const Table& t, int64_t place, std::string_view form);

}  // namespace serrate::python::numba
