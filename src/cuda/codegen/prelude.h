// The files of the prelude as text. cmake/embed.cmake makes the definition at build time.
#pragma once

#include <string_view>
#include <vector>

namespace serrate::cuda {

struct PreludeFile {
  std::string_view name;  // "half.h"
  std::string_view text;
};

/// In the order in which a kernel gets them.
const std::vector<PreludeFile>& prelude_files();

/// True for functions of real numbers, which kernels call as sr::name: their plain names would
/// meet the compiler's own.
bool in_namespace(std::string_view function);

}  // namespace serrate::cuda
