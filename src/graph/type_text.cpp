// Types as texts of messages: see type_text.h.
#include "graph/type_text.h"

#include <algorithm>
#include <string>

fmt::format_context::iterator fmt::formatter<serrate::graph::TypeText>::format(
    const serrate::graph::TypeText& t, fmt::format_context& c) const {
  const std::string text = serrate::graph::type_of(t.node).str();
  return std::copy(text.begin(), text.end(), c.out());
}
