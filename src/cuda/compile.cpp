// The kernel cache of this process: NVRTC, the cache folder, the environment.
#include "cuda/compile.h"

#include <fmt/format.h>

#include <cstdlib>

#include "cuda/device.h"
#include "cuda/kernel_cache.h"
#include "cuda/nvrtc.h"

namespace serrate::cuda {
namespace {

constexpr int64_t kDefaultBound = int64_t{256} << 20;

std::string environment(const char* name) {
  const char* e = std::getenv(name);
  return e == nullptr ? "" : e;
}

std::string wanted_directory() {
  if (std::string d = environment("SERRATE_CACHE_DIR"); !d.empty()) return d;
  if (const std::string d = environment("XDG_CACHE_HOME"); !d.empty()) return d + "/serrate";
  if (const std::string d = environment("HOME"); !d.empty()) return d + "/.cache/serrate";
  return {};
}

int64_t bound() {
  const std::string b = environment("SERRATE_CACHE_DIR_BYTES");
  return b.empty() ? kDefaultBound : std::strtoll(b.c_str(), nullptr, 10);
}

KernelCache& cache() {
  static auto* c = new KernelCache(
      DiskCache(cache_directory(), bound()),
      {[] { return nvrtc_file().build + " " + nvrtc_options_text(); }, nvrtc_compile});
  return *c;
}

const std::string& wanted_archs() {
  static const auto* text = new std::string(environment("SERRATE_CUDA_ARCHS"));
  return *text;
}

std::vector<int> read_archs() {
  std::vector<int> out;
  for (const char* p = wanted_archs().c_str(); *p != 0;) {
    char* end = nullptr;
    const long v = std::strtol(p, &end, 10);
    if (end == p) break;
    out.push_back(static_cast<int>(v));
    p = *end == ',' ? end + 1 : end;
  }
  return out.empty() ? std::vector<int>{75, 80, 89, 90, 100, 120} : out;
}

/// What compile-only compiles a text for: with "spread", which takes a fifth of the time, one kind
/// of GPU that depends on the text only, and every kind for one text in 32.
std::vector<int> archs_of(const std::string& text) {
  const std::vector<int>& all = compile_only_archs();
  if (wanted_archs() != "spread") return all;
  const Digest d = sha256(text);
  if (static_cast<unsigned char>(d[0]) % 32 == 0) return all;
  return {all[static_cast<unsigned char>(d[1]) % all.size()]};
}

}  // namespace

const std::vector<int>& compile_only_archs() {
  static const auto* archs = new std::vector<int>(read_archs());
  return *archs;
}

std::string compile(const std::string& text, int arch) {
  if (!compile_only()) return cache().get(text, arch);
  std::string code;
  for (const int a : archs_of(text)) code = cache().get(text, a);
  return code;  // which nobody runs
}

CompilerInfo compiler_info() { return nvrtc_info(); }

std::string cache_directory(std::string* why_not) {
  const std::string d = wanted_directory();
  if (why_not == nullptr) return d;
  why_not->clear();
  if (d.empty())
    *why_not = "neither SERRATE_CACHE_DIR nor XDG_CACHE_HOME nor HOME is set";
  else if (bound() <= 0)
    *why_not = "SERRATE_CACHE_DIR_BYTES is 0";
  else
    make_writable(d, why_not);
  return d;
}

std::string cache_directory() {
  std::string why_not;
  std::string d = cache_directory(&why_not);
  return why_not.empty() ? d : "";
}

CompileStatistics compile_statistics() { return cache().statistics(); }

}  // namespace serrate::cuda
