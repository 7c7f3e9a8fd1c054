// What Awkward Array writes beside Arrow's types, so that its own come back.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serrate/type.h"

namespace serrate::interop::arrow {

/// The metadata of an extension type "awkward".
struct AwkwardNode {
  std::string mask_type, node_type;  // "" if none
  Parameters mask_parameters, node_parameters;
  bool is_tuple = false, is_scalar = false, never_missing = false;
};
/// Nothing for texts that are not Awkward's.
std::optional<AwkwardNode> read_awkward(std::string_view json);
std::string write_awkward(const AwkwardNode& n);

/// "ak:parameters" of a table: what is not said of its columns.
struct AwkwardTable {
  std::optional<Parameters> option;  // of the records, if they may be missing
  std::string option_type;
  std::vector<std::string> optional_fields;
  Parameters record;
  bool is_scalar = false;
};
std::optional<AwkwardTable> read_awkward_table(std::string_view json);
std::string write_awkward_table(const AwkwardTable& t);

}  // namespace serrate::interop::arrow
