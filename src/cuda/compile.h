// From kernel text to machine code: NVRTC, opened at run time, and the cache in memory and on disk.
#pragma once

#include <string>

namespace serrate::cuda {

/// A cubin of this text for compute capability `arch` (90 for 9.0): from memory, from disk, else
/// compiled. Throws std::runtime_error with the compiler's log and the text where it does not
/// compile, or says how to get NVRTC where there is none.
std::string compile(const std::string& text, int arch);

struct CompilerInfo {
  bool found = false;
  std::string path;     // of libnvrtc
  std::string version;  // "13.0.88"
  std::string why_not;
};
CompilerInfo compiler_info();

/// The disk cache: SERRATE_CACHE_DIR, else XDG_CACHE_HOME/serrate, else ~/.cache/serrate; "" when
/// there is no writable one.
std::string cache_directory();

struct CompileStatistics {
  int64_t compiled = 0, from_disk = 0, from_memory = 0;
};
CompileStatistics compile_statistics();

}  // namespace serrate::cuda
