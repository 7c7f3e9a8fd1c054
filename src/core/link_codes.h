// Code of functions that kernels are linked with, by the names that it defines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace serrate {

/// From now on `name` is defined by this code. Equal names have equal code.
void keep_link_code(const std::string& name, const std::string& code);

/// The line of a text that says: it is to be linked with the code that defines `name`.
std::string link_line(std::string_view name);

struct LinkCode {
  std::string name, code;
};
/// All code that a text asks for. std::runtime_error where somebody has not kept it.
std::vector<LinkCode> link_codes(std::string_view text);

}  // namespace serrate
