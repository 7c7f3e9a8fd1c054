// Texts become loaded kernels.
#include "cuda/runtime/module.h"

#include <memory>
#include <utility>

#include "core/waiting.h"
#include "cuda/codegen/prelude.h"
#include "cuda/compiler/compile.h"
#include "cuda/kernels/generate.h"

namespace serrate::cuda {

const Kernel& Module::kernel(const std::string& name) {
  const std::lock_guard lock(mutex);
  return loaded(name).kernel;
}

int64_t Module::resident_blocks(const std::string& name) {
  const std::lock_guard lock(mutex);
  Loaded& k = loaded(name);
  if (k.resident < 0) k.resident = gpu().resident_blocks(k.kernel, kThreads, 0);
  return k.resident;
}

Module::Loaded& Module::loaded(const std::string& name) {
  auto it = kernels.find(name);
  if (it == kernels.end())
    it = kernels.emplace(name, Loaded{gpu().kernel(handle, name.c_str())}).first;
  return it->second;
}

Module& module_of(const std::string& text, std::span<const std::string_view> prelude) {
  static std::mutex mutex;
  static auto& modules = *new std::unordered_map<std::string, std::unique_ptr<Module>>;
  {
    const std::lock_guard lock(mutex);
    const auto it = modules.find(text);
    if (it != modules.end()) return *it->second;
  }
  std::string whole;
  append_prelude(whole, prelude);
  whole += text;
  auto m = std::make_unique<Module>();
  {
    const Waiting for_the_compiler;
    m->handle = gpu().load(compile(whole, gpu().info().arch));
  }
  const std::lock_guard lock(mutex);
  return *modules.emplace(text, std::move(m)).first->second;
}

}  // namespace serrate::cuda
