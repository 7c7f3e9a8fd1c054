// The disk cache. A file is: 8 bytes magic, 32 bytes key, 32 bytes SHA-256 of the content, content.
#include "cuda/compiler/disk_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <vector>

namespace serrate::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "serrate1";
constexpr size_t kHeader = kMagic.size() + 2 * sizeof(Digest);
constexpr std::string_view kTemporary = ".tmp-";
constexpr std::string_view kSuffix = ".kernel";

std::string_view as_text(const Digest& d) {
  return {reinterpret_cast<const char*>(d.data()), d.size()};
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

std::optional<std::string> read_all(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  // Recently used: see evict. Refused for somebody else's file, which does no harm.
  ::futimens(file, nullptr);
  std::string out;
  char part[1 << 16];
  for (;;) {
    const ssize_t n = ::read(file, part, sizeof part);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) out.clear();
    if (n <= 0) break;
    out.append(part, static_cast<size_t>(n));
  }
  ::close(file);
  return out;
}

std::string temporary_name() {
  static std::atomic<int64_t> counter{0};
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return std::string(kTemporary) + std::to_string(::getpid()) + "-" + std::to_string(now) + "-" +
         std::to_string(counter++);
}

}  // namespace

bool make_writable(const std::string& directory, std::string* why_not) {
  std::error_code e;
  fs::create_directories(directory, e);
  if (!e && ::access(directory.c_str(), W_OK | X_OK) != 0)
    e = std::error_code(errno, std::generic_category());
  if (e && why_not != nullptr) *why_not = e.message();
  return !e;
}

DiskCache::DiskCache(std::string directory, int64_t bound)
    : directory_(std::move(directory)), bound_(bound) {
  if (bound_ <= 0 || directory_.empty() || !make_writable(directory_, nullptr)) directory_.clear();
}

std::string DiskCache::path(const Digest& key) const {
  return directory_ + "/" + hex(key) + std::string(kSuffix);
}

std::optional<std::string> DiskCache::load(const Digest& key) const {
  if (!usable()) return {};
  const std::string file = path(key);
  std::optional<std::string> all = read_all(file);
  if (!all) return {};
  const std::string_view text = *all;
  if (text.size() >= kHeader && text.starts_with(kMagic) &&
      text.substr(kMagic.size(), sizeof(Digest)) == as_text(key) &&
      text.substr(kMagic.size() + sizeof(Digest), sizeof(Digest)) ==
          as_text(sha256(text.substr(kHeader))))
    return std::string(text.substr(kHeader));
  ::unlink(file.c_str());
  return {};
}

void DiskCache::store(const Digest& key, std::string_view bytes) const {
  if (!usable() || static_cast<int64_t>(bytes.size()) > bound_) return;
  const std::string temporary = directory_ + "/" + temporary_name();
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) return;
  const bool written = write_all(file, kMagic) && write_all(file, as_text(key)) &&
                       write_all(file, as_text(sha256(bytes))) && write_all(file, bytes);
  const bool closed = ::close(file) == 0;
  if (!written || !closed || ::rename(temporary.c_str(), path(key).c_str()) != 0) {
    ::unlink(temporary.c_str());
    return;
  }
  if (must_look(static_cast<int64_t>(kHeader + bytes.size()))) evict();
}

// A look at the folder takes a millisecond for a thousand files.
bool DiskCache::must_look(int64_t bytes) const {
  const std::lock_guard hold(taken_->mutex);
  Taken& t = *taken_;
  t.written += bytes;
  return t.seen < 0 || t.seen + t.written > bound_ || t.written > bound_ / 16;
}

void DiskCache::evict() const {
  struct File {
    fs::path path;
    fs::file_time_type used;
    int64_t bytes;
  };
  std::vector<File> files;
  int64_t total = 0;
  const auto now = fs::file_time_type::clock::now();
  std::error_code e;
  // Others may delete files meanwhile: an error means that there is nothing to do about one.
  for (auto it = fs::directory_iterator(directory_, e); !e && it != fs::directory_iterator();
       it.increment(e)) {
    std::error_code f;
    const std::string name = it->path().filename().string();
    const auto used = it->last_write_time(f);
    if (f) continue;
    if (name.starts_with(kTemporary)) {  // left by a process that died
      if (now - used > std::chrono::hours(1)) fs::remove(it->path(), f);
      continue;
    }
    if (!name.ends_with(kSuffix)) continue;
    const auto bytes = static_cast<int64_t>(it->file_size(f));
    if (f) continue;
    files.push_back({it->path(), used, bytes});
    total += bytes;
  }
  if (total > bound_) {
    std::sort(files.begin(), files.end(),
              [](const File& a, const File& b) { return a.used < b.used; });
    for (const File& f : files) {
      if (total <= bound_ - bound_ / 16) break;  // room for the next ones
      std::error_code ignored;
      fs::remove(f.path, ignored);
      total -= f.bytes;
    }
  }
  const std::lock_guard hold(taken_->mutex);
  taken_->seen = total;
  taken_->written = 0;
}

}  // namespace serrate::cuda
