// Columns of files that were not read: loads that have a type and a place but no data. Whatever
// evaluates one is refused, so what an expression needs of a file is found by trying.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/ir.h"
#include "serrate/buffer.h"

namespace serrate::graph {

/// Absent columns lie here, where no address of any device is valid: a look would end the process.
inline constexpr uintptr_t kAbsentFrom = uintptr_t{0x3} << 60, kAbsentTo = uintptr_t{0x4} << 60;

inline bool is_absent(const Buffer& b) {
  const auto address = reinterpret_cast<uintptr_t>(b.data());
  return address >= kAbsentFrom && address < kAbsentTo;
}

/// Groups of fields of a record whose lists have the same lengths, as a file says.
using EqualLists = std::vector<std::vector<std::string>>;

/// A tree like `like`, over `space`, of absent columns. Paths are names of fields, each behind a
/// line end; columns of lists, options and unions begin with "*". Lists of the outermost record
/// that are `equal` are those of the first of them.
NodeRef absent_node(const Node& like, const SpaceRef& space, const std::string& path, Device d,
                    const EqualLists& equal = {});

/// `present`, over `space`, with the fields that `like` has besides as absent columns. Lists of the
/// outermost record that are `equal` to some that are present are those.
NodeRef with_absent(const NodeRef& present, const Node& like, const SpaceRef& space,
                    const std::string& path, Device d, const EqualLists& equal = {});

/// Paths of the absent columns that these trees are made of, each once, in the order of the walk.
std::vector<std::string> absent_paths(const std::vector<NodeRef>& roots);

/// ValueError for trees that are made of an absent column.
void refuse_absent(const std::vector<NodeRef>& roots);
/// ValueError that names the column.
[[noreturn]] void raise_absent(const Buffer& b);

}  // namespace serrate::graph
