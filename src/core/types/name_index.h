// Looking names up in long lists of names: whoever walks all fields of a record asks for each.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace serrate {

/// Where `name` is first among `names`, which live as long as `owner` and do not change; -1 if it
/// is not. Of many names an index is made once, and kept for those that were asked last.
int64_t index_of_name(const std::shared_ptr<const void>& owner, std::span<const std::string> names,
                      std::string_view name);

}  // namespace serrate
