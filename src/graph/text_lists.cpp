// Lists that hold text: see text_lists.h.
#include "graph/text_lists.h"

#include <string_view>

namespace serrate::graph {
namespace {

std::string_view array_parameter(const Node& n) {
  for (const auto& [key, json] : n.parameters) {
    if (key == "__array__") return json;
  }
  return {};
}

}  // namespace

TextKind text_kind(const Node& n) {
  if (n.kind != NodeKind::list) return TextKind::none;
  const std::string_view list = array_parameter(n), items = array_parameter(*n.contents[0]);
  if (list == "\"string\"" || items == "\"char\"") return TextKind::string;
  if (list == "\"bytestring\"" || items == "\"byte\"") return TextKind::bytes;
  return TextKind::none;
}

}  // namespace serrate::graph
