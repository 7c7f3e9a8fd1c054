// Lists that hold text: strings, bytestrings, and what slices leave of them.
#pragma once

#include <string_view>

#include "graph/ir.h"

namespace serrate::graph {

enum class TextKind : uint8_t { none, string, bytes };

/// What a node is to people who look at it. Lists of characters that are no string (`x[:, [0, 1]]`
/// of strings) are text all the same.
TextKind text_kind(const Node& n);

/// One string (of UTF-8) or bytestring over the unit space.
NodeRef text_node(std::string_view text, TextKind kind);

}  // namespace serrate::graph
