// The type of a tree as an argument of messages: made only when the message is.
#pragma once

#include <fmt/core.h>

#include "graph/ir.h"

namespace serrate::graph {

/// check(ok, "expected an array, got {}", type_text(n)): check's arguments are evaluated always,
/// and a type costs several allocations.
struct TypeText {
  const Node& node;
};
inline TypeText type_text(const Node& n) { return {n}; }

}  // namespace serrate::graph

template <>
struct fmt::formatter<serrate::graph::TypeText> {
  constexpr auto parse(fmt::format_parse_context& c) { return c.begin(); }
  // Not inline: fmt's whole machinery would be compiled in each file that has a message.
  fmt::format_context::iterator format(const serrate::graph::TypeText& t,
                                       fmt::format_context& c) const;
};
