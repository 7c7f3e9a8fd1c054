// NVRTC, NVIDIA's compiler as a library: found and opened at run time.
#pragma once

#include <string>
#include <vector>

#include "cuda/compiler/compile.h"

namespace serrate::cuda {

/// Path of libnvrtc and what tells this very build from others; opens it only if it must be asked
/// from the linker. Throws std::runtime_error that says how to get it.
struct NvrtcFile {
  std::string path;
  std::string build;
};
const NvrtcFile& nvrtc_file();

/// What the compiler takes time for: fast kernels, or only to say whether there is one.
enum class Effort { full, least };

/// Folders that may hold NVIDIA's libraries, the best first.
std::vector<std::string> nvidia_folders();

/// Part of the cache key.
std::string nvrtc_options_text(Effort effort);
/// Cubin or PTX, see compile(), linked with the functions that the text names (core/link_codes.h).
/// Throws std::runtime_error with log and text.
std::string nvrtc_compile(const std::string& text, int arch, Effort effort);
CompilerInfo nvrtc_info();

}  // namespace serrate::cuda
