// Lists that hold text: see text_lists.h.
#include "graph/evaluation/text_lists.h"

#include <string_view>
#include <utility>

#include "graph/evaluate.h"

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

NodeRef text_node(std::string_view text, TextKind kind) {
  const auto n = static_cast<int64_t>(text.size());
  const bool utf8 = kind == TextKind::string;
  const SpaceRef s = rows(n);
  ColumnRef bytes = stored_column(Buffer::copy_of(text.data(), n), DType::uint8, s);
  NodeRef content = leaf(std::move(bytes), {}, {{"__array__", utf8 ? "\"char\"" : "\"byte\""}});
  return list_node(s, std::move(content), -1,
                   {{"__array__", utf8 ? "\"string\"" : "\"bytestring\""}});
}

}  // namespace serrate::graph
