// The kernel cache of this process: NVRTC, the cache folder, the environment.
#include "cuda/compiler/compile.h"

#include <fmt/format.h>

#include <cstdlib>

#include "cuda/compiler/kernel_cache.h"
#include "cuda/compiler/nvrtc.h"
#include "cuda/device.h"

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

template <Effort effort>
KernelCache& cache() {
  static auto* c = new KernelCache(
      DiskCache(cache_directory(), bound()),
      {[] { return nvrtc_file().build + " " + nvrtc_options_text(effort); },
       [](const std::string& text, int arch) { return nvrtc_compile(text, arch, effort); }});
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

constexpr size_t kLong = 1 << 16;  // characters; longer texts take the compiler seconds to minutes

/// With "spread", which takes a tenth of the time, a text is compiled for one kind of GPU that
/// depends on the text, with the least effort; one text in 32 for every kind, as users have it.
std::string only_compile(const std::string& text) {
  const std::vector<int>& all = compile_only_archs();
  if (wanted_archs() == "spread") {
    const Digest d = sha256(text);
    if (d[0] % 32 != 0 || text.size() > kLong)
      return cache<Effort::least>().get(text, all[d[1] % all.size()]);
  }
  std::string code;  // which nobody runs
  for (const int a : all) code = cache<Effort::full>().get(text, a);
  return code;
}

}  // namespace

const std::vector<int>& compile_only_archs() {
  static const auto* archs = new std::vector<int>(read_archs());
  return *archs;
}

std::string compile(const std::string& text, int arch) {
  return compile_only() ? only_compile(text) : cache<Effort::full>().get(text, arch);
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

CompileStatistics compile_statistics() {
  const CompileStatistics a = cache<Effort::full>().statistics(),
                          b = cache<Effort::least>().statistics();
  return {a.compiled + b.compiled, a.from_disk + b.from_disk, a.from_memory + b.from_memory};
}

}  // namespace serrate::cuda
