// Bytes kept on disk under a key, for all processes of a user.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/sha256.h"

namespace serrate::cuda {

/// One file per key, written under a temporary name and renamed, so that readers see whole files
/// only. What fails (no room, no rights) is as if nothing had been kept. Any number of threads and
/// processes.
class DiskCache {
 public:
  /// `directory` is made if need be. "" or bound 0: keeps nothing.
  DiskCache(std::string directory, int64_t bound);

  /// Nothing where there is no such file or its content is damaged (then it is deleted).
  std::optional<std::string> load(const Digest& key) const;
  /// Then deletes what was used longest ago where all files together exceed the bound. Several
  /// processes that write at once may exceed it by a sixteenth each.
  void store(const Digest& key, std::string_view bytes) const;
  bool usable() const { return !directory_.empty(); }
  std::string path(const Digest& key) const;

 private:
  /// What the files took when this process last looked, and what it has written since.
  struct Taken {
    std::mutex mutex;
    int64_t seen = -1, written = 0;
  };
  bool must_look(int64_t bytes) const;
  void evict() const;
  std::string directory_;
  int64_t bound_;
  std::shared_ptr<Taken> taken_ = std::make_shared<Taken>();
};

/// Makes the folder and those above it. False, with a reason, unless one may write there.
bool make_writable(const std::string& directory, std::string* why_not);

}  // namespace serrate::cuda
