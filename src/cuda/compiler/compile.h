// From kernel text to machine code: NVRTC, opened at run time, and the cache in memory and on disk.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace serrate::cuda {

/// Part of every cache key: changes where the same text shall be compiled anew.
inline constexpr int kGeneratorVersion = 1;

/// A cubin of this text for compute capability `arch` (90 for 9.0): from memory, from disk, else
/// compiled. Where NVRTC is older than the GPU it is PTX, which the driver compiles. Throws
/// std::runtime_error with the compiler's log and the text where it does not compile, or says how
/// to get NVRTC where there is none. With SERRATE_CUDA=compile-only the text is compiled for all of
/// compile_only_archs(); with SERRATE_CUDA_ARCHS=spread for one or all of them.
std::string compile(const std::string& text, int arch);

/// What SERRATE_CUDA=compile-only compiles for: SERRATE_CUDA_ARCHS ("80,90"), else 75, 80, 89, 90,
/// 100 and 120.
const std::vector<int>& compile_only_archs();

struct CompilerInfo {
  bool found = false;
  std::string path;     // of libnvrtc
  std::string version;  // "13.0.88"
  std::string why_not;
};
CompilerInfo compiler_info();

/// Folders that may hold the PyPI package nvidia-cuda-nvrtc: Python's sys.path.
void set_package_folders(std::vector<std::string> folders);

/// The disk cache: SERRATE_CACHE_DIR, else XDG_CACHE_HOME/serrate, else ~/.cache/serrate; "" when
/// there is no writable one. SERRATE_CACHE_DIR_BYTES bounds it (default 256 MiB; 0: none).
std::string cache_directory();
/// What cache_directory() would be, writable or not, and why it is not.
std::string cache_directory(std::string* why_not);

struct CompileStatistics {
  int64_t compiled = 0, from_disk = 0, from_memory = 0;
};
CompileStatistics compile_statistics();

}  // namespace serrate::cuda
