// nvJitLink, NVIDIA's linker as a library: functions of users into kernels. Opened at run time.
#pragma once

#include <string>
#include <vector>

#include "core/link_codes.h"

namespace serrate::cuda {

/// What functions of users must be compiled to: "ltoir", or "object" where the GPU is emulated.
std::string link_format();

/// A cubin of a kernel and functions, all LTO-IR, for compute capability `arch`. Throws
/// std::runtime_error with the linker's log, or says how to get it where there is none.
std::string link(const std::string& kernel, const std::vector<LinkCode>& functions, int arch);

}  // namespace serrate::cuda
