// Machine code by text: in memory, else on disk, else compiled.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <unordered_map>

#include "cuda/compiler/compile.h"
#include "cuda/compiler/disk_cache.h"

namespace serrate::cuda {

struct Compiler {
  /// Everything but text and arch that the result depends on: exact version, options.
  std::function<std::string()> identity;
  std::function<std::string(const std::string& text, int arch)> compile;
};

/// Any number of threads; a text is compiled once, others that ask meanwhile wait for it.
class KernelCache {
 public:
  KernelCache(DiskCache disk, Compiler compiler)
      : disk_(std::move(disk)), compiler_(std::move(compiler)) {}
  /// Throws what the compiler throws; the next call tries again.
  std::string get(const std::string& text, int arch);
  Digest key(const std::string& text, int arch) const;
  CompileStatistics statistics() const;
  const DiskCache& disk() const { return disk_; }

 private:
  using Code = std::shared_future<std::string>;
  std::string find(const std::string& text, int arch);
  DiskCache disk_;
  Compiler compiler_;
  std::mutex mutex_;
  std::unordered_map<std::string, Code> memory_;  // by text and arch
  std::atomic<int64_t> compiled_{0}, from_disk_{0}, from_memory_{0};
};

}  // namespace serrate::cuda
