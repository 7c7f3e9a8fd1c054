// The cache of kernels.
#include "cuda/compiler/kernel_cache.h"

#include <fmt/format.h>

namespace serrate::cuda {

// Each part with its length, so that no two lists of parts give one key.
Digest KernelCache::key(const std::string& text, int arch) const {
  const std::string identity = compiler_.identity();
  return sha256(fmt::format("generator {} arch {} compiler {} {} text {} {}", kGeneratorVersion,
                            arch, identity.size(), identity, text.size(), text));
}

std::string KernelCache::find(const std::string& text, int arch) {
  const Digest k = key(text, arch);
  if (auto kept = disk_.load(k)) {
    from_disk_++;
    return std::move(*kept);
  }
  std::string code = compiler_.compile(text, arch);
  compiled_++;
  disk_.store(k, code);
  return code;
}

std::string KernelCache::get(const std::string& text, int arch) {
  std::string name = text + '\0' + std::to_string(arch);
  std::promise<std::string> mine;
  Code code;
  {
    const std::lock_guard hold(mutex_);
    const auto known = memory_.find(name);
    if (known != memory_.end())
      code = known->second;
    else
      memory_.emplace(name, mine.get_future().share());
  }
  if (code.valid()) {
    from_memory_++;
    return code.get();
  }
  try {
    std::string found = find(text, arch);
    mine.set_value(found);
    return found;
  } catch (...) {
    {
      const std::lock_guard hold(mutex_);
      memory_.erase(name);
    }
    mine.set_exception(std::current_exception());
    throw;
  }
}

CompileStatistics KernelCache::statistics() const {
  return {.compiled = compiled_, .from_disk = from_disk_, .from_memory = from_memory_};
}

}  // namespace serrate::cuda
