// Finding nvJitLink, opening it, linking with it.
#include "cuda/compiler/linker.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>

#include "cuda/compiler/nvrtc.h"

namespace serrate::cuda {
namespace {

// What is used of nvJitLink.h, which a machine without a toolkit does not have.
using Handle = struct Handle_*;
#define SERRATE_NVJITLINK_FUNCTIONS(X)                                      \
  X(nvJitLinkCreate, int, (Handle*, uint32_t, const char**))                \
  X(nvJitLinkDestroy, int, (Handle*))                                       \
  X(nvJitLinkAddData, int, (Handle, int, const void*, size_t, const char*)) \
  X(nvJitLinkComplete, int, (Handle))                                       \
  X(nvJitLinkGetLinkedCubinSize, int, (Handle, size_t*))                    \
  X(nvJitLinkGetLinkedCubin, int, (Handle, void*))                          \
  X(nvJitLinkGetErrorLogSize, int, (Handle, size_t*))                       \
  X(nvJitLinkGetErrorLog, int, (Handle, char*))
constexpr int kLtoIr = 3;  // NVJITLINK_INPUT_LTOIR

constexpr const char* kNames[] = {"libnvJitLink.so.13", "libnvJitLink.so.12"};
constexpr const char* kVersions[] = {"_13_0", "_12_0"};

struct Functions {
#define SERRATE_DECLARE(name, result, arguments) result(*name) arguments = nullptr;
  SERRATE_NVJITLINK_FUNCTIONS(SERRATE_DECLARE)
#undef SERRATE_DECLARE
};

/// Symbols have the version of the interface at their end, as the header asks for them.
void* symbol(void* library, const std::string& name) {
  if (void* p = dlsym(library, name.c_str())) return p;
  for (const char* version : kVersions) {
    if (void* p = dlsym(library, ("__" + name + version).c_str())) return p;
  }
  throw std::runtime_error("cuda: nvJitLink has no " + name +
                           ": version 12 or 13 is needed (pip install --upgrade nvidia-nvjitlink)");
}

void* emulated() {
  void* library = dlopen(nvrtc_file().path.c_str(), RTLD_NOW | RTLD_LOCAL);
  return library != nullptr && dlsym(library, "nvJitLinkCreate") != nullptr ? library : nullptr;
}

void* open_library() {
  if (void* library = emulated()) return library;
  std::vector<std::string> paths;
  for (const std::string& folder : nvidia_folders()) {
    for (const char* name : kNames) paths.push_back(folder + "/" + name);
  }
  paths.insert(paths.end(), std::begin(kNames), std::end(kNames));
  for (const std::string& path : paths) {
    if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  throw std::runtime_error(
      "cuda: nvJitLink, which links Python functions into kernels, was not found. Install it with "
      "pip install nvidia-nvjitlink, or set CUDA_HOME to a CUDA toolkit");
}

Functions open_functions() {
  void* library = open_library();
  Functions f;
#define SERRATE_FIND(name, result, arguments) \
  f.name = reinterpret_cast<decltype(f.name)>(symbol(library, #name));
  SERRATE_NVJITLINK_FUNCTIONS(SERRATE_FIND)
#undef SERRATE_FIND
  return f;
}

const Functions& functions() {
  static const auto* f = new Functions(open_functions());  // after an exception, tried again
  return *f;
}

class Linking {
 public:
  Linking(const Functions& f, int arch) : f_(f) {
    const std::string target = fmt::format("-arch=sm_{}", arch);
    const char* options[] = {target.c_str(), "-lto", "-O3"};
    require(f_.nvJitLinkCreate(&handle_, 3, options), "starting");
  }
  ~Linking() {
    if (handle_ != nullptr) f_.nvJitLinkDestroy(&handle_);
  }
  Linking(const Linking&) = delete;
  Linking& operator=(const Linking&) = delete;

  void add(const std::string& code, const std::string& name) {
    require(f_.nvJitLinkAddData(handle_, kLtoIr, code.data(), code.size(), name.c_str()),
            "adding " + name);
  }
  std::string cubin() {
    require(f_.nvJitLinkComplete(handle_), "linking");
    size_t n = 0;
    require(f_.nvJitLinkGetLinkedCubinSize(handle_, &n), "asking for the result");
    std::string out(n, 0);
    require(f_.nvJitLinkGetLinkedCubin(handle_, out.data()), "asking for the result");
    return out;
  }

 private:
  void require(int result, const std::string& what) {
    if (result == 0) return;
    std::string log;
    size_t n = 0;
    if (handle_ != nullptr && f_.nvJitLinkGetErrorLogSize(handle_, &n) == 0 && n > 0) {
      log.resize(n);
      f_.nvJitLinkGetErrorLog(handle_, log.data());
    }
    throw std::runtime_error(fmt::format(
        "cuda: nvJitLink, {}: error {} (it must be as new as NVRTC and what compiled the "
        "functions): {}",
        what, result, log.c_str()));
  }
  const Functions& f_;
  Handle handle_ = nullptr;
};

}  // namespace

std::string link_format() { return emulated() != nullptr ? "object" : "ltoir"; }

std::string link(const std::string& kernel, const std::vector<LinkCode>& functions_of_users,
                 int arch) {
  Linking linking(functions(), arch);
  linking.add(kernel, "kernel");
  for (const LinkCode& f : functions_of_users) linking.add(f.code, f.name);
  return linking.cubin();
}

}  // namespace serrate::cuda
