// Where this library or module lies.
#include "cuda/compiler/own_folder.h"

#include <dlfcn.h>

namespace serrate::cuda {

std::string own_folder() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr)
    return ".";
  const std::string file = info.dli_fname;
  const size_t slash = file.rfind('/');
  return slash == std::string::npos ? "." : file.substr(0, slash);
}

}  // namespace serrate::cuda
