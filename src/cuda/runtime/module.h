// Loaded kernels of one text.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cuda/device.h"

namespace serrate::cuda {

struct Module {
  struct Loaded {
    Kernel kernel;
    int64_t resident = -1;  // blocks that run at once, when that was asked for
  };
  void* handle = nullptr;
  std::mutex mutex;
  std::unordered_map<std::string, Loaded> kernels;

  const Kernel& kernel(const std::string& name);
  /// Blocks of kThreads that run at once. The driver takes a microsecond to say so.
  int64_t resident_blocks(const std::string& name);

 private:
  Loaded& loaded(const std::string& name);
};

/// That of a text: loaded once in a process, compiled if need be. The text says all that matters,
/// so it is the key; `prelude` is what it uses of that.
Module& module_of(const std::string& text, std::span<const std::string_view> prelude);

}  // namespace serrate::cuda
