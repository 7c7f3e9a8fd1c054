// The files of the prelude as text. cmake/embed.cmake makes the definition at build time.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace serrate::cuda {

struct PreludeFile {
  std::string_view name;  // "half.h"
  std::string_view text;
};

/// In the order in which a kernel gets them.
const std::vector<PreludeFile>& prelude_files();

/// Does it declare this name?
bool in_prelude(std::string_view name);

/// True for functions of real numbers, which kernels call as sr::name: their plain names would
/// meet the compiler's own.
bool in_namespace(std::string_view function);

/// The sections of the prelude that declare these names, and what they need.
void append_prelude(std::string& out, std::span<const std::string_view> names);

}  // namespace serrate::cuda
