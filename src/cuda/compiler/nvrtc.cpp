// Finding NVRTC, opening it, compiling with it.
#include "cuda/compiler/nvrtc.h"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <stdexcept>

#include "core/link_codes.h"
#include "cuda/compiler/linker.h"
#include "cuda/compiler/own_folder.h"

namespace serrate::cuda {
namespace {

// What is used of nvrtc.h, which a machine without a toolkit does not have.
using Program = struct Program_*;
#define SERRATE_NVRTC_FUNCTIONS(X)                                                     \
  X(nvrtcVersion, int, (int*, int*))                                                   \
  X(nvrtcGetErrorString, const char*, (int))                                           \
  X(nvrtcGetNumSupportedArchs, int, (int*))                                            \
  X(nvrtcGetSupportedArchs, int, (int*))                                               \
  X(nvrtcCreateProgram, int,                                                           \
    (Program*, const char*, const char*, int, const char* const*, const char* const*)) \
  X(nvrtcDestroyProgram, int, (Program*))                                              \
  X(nvrtcCompileProgram, int, (Program, int, const char* const*))                      \
  X(nvrtcGetProgramLogSize, int, (Program, size_t*))                                   \
  X(nvrtcGetProgramLog, int, (Program, char*))                                         \
  X(nvrtcGetCUBINSize, int, (Program, size_t*))                                        \
  X(nvrtcGetCUBIN, int, (Program, char*))                                              \
  X(nvrtcGetLTOIRSize, int, (Program, size_t*))                                        \
  X(nvrtcGetLTOIR, int, (Program, char*))                                              \
  X(nvrtcGetPTXSize, int, (Program, size_t*))                                          \
  X(nvrtcGetPTX, int, (Program, char*))
constexpr int kInvalidOption = 5;  // NVRTC_ERROR_INVALID_OPTION

constexpr const char* kNames[] = {"libnvrtc.so.13", "libnvrtc.so.12"};

struct Functions {
#define SERRATE_DECLARE(name, result, arguments) result(*name) arguments = nullptr;
  SERRATE_NVRTC_FUNCTIONS(SERRATE_DECLARE)
#undef SERRATE_DECLARE
  std::vector<int> archs;
};

std::mutex& folders_mutex() {
  static std::mutex m;
  return m;
}
std::vector<std::string>& folders() {
  static auto* f = new std::vector<std::string>;
  return *f;
}

bool exists(const std::string& path) {
  struct stat s;
  return stat(path.c_str(), &s) == 0;
}

std::string environment(const char* name) {
  const char* e = std::getenv(name);
  return e == nullptr ? "" : e;
}

}  // namespace

std::vector<std::string> nvidia_folders() {
  std::vector<std::string> packages{own_folder() + "/.."};
  {
    const std::lock_guard hold(folders_mutex());
    packages.insert(packages.end(), folders().begin(), folders().end());
  }
  std::vector<std::string> out;
  for (const auto& p : packages) {
    out.push_back(p + "/nvidia/cu13/lib");
    out.push_back(p + "/nvidia/cuda_nvrtc/lib");
    out.push_back(p + "/nvidia/nvjitlink/lib");
    out.push_back(p + "/nvidia/cublas/lib");
  }
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string home = environment(name); !home.empty()) {
      out.push_back(home + "/lib64");
      out.push_back(home + "/lib");
    }
  }
  out.emplace_back("/usr/local/cuda/lib64");
  return out;
}

namespace {

std::string linker_finds(const char* name) {
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {};
  link_map* map = nullptr;
  return dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 ? map->l_name : name;
}

// The linker's build id of an ELF file, without loading it (that takes longer than to read a cached
// kernel); else size and time.
std::string build_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  auto read = [&](uint64_t at, void* to, size_t n) {
    file.seekg(static_cast<std::streamoff>(at));
    return static_cast<bool>(file.read(static_cast<char*>(to), static_cast<std::streamsize>(n)));
  };
  Elf64_Ehdr head;
  if (read(0, &head, sizeof head) && std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
      head.e_ident[EI_CLASS] == ELFCLASS64) {
    for (int i = 0; i < head.e_phnum; i++) {
      Elf64_Phdr part;
      if (!read(head.e_phoff + static_cast<uint64_t>(i) * sizeof part, &part, sizeof part)) break;
      if (part.p_type != PT_NOTE || part.p_filesz > 4096) continue;
      std::string notes(part.p_filesz, 0);
      if (!read(part.p_offset, notes.data(), notes.size())) break;
      for (size_t at = 0; at + sizeof(Elf64_Nhdr) <= notes.size();) {
        Elf64_Nhdr note;
        std::memcpy(&note, notes.data() + at, sizeof note);
        const size_t name = at + sizeof note, content = name + (note.n_namesz + 3) / 4 * 4;
        at = content + (note.n_descsz + 3) / 4 * 4;
        if (at > notes.size()) break;
        if (note.n_type == NT_GNU_BUILD_ID && notes.compare(name, 3, "GNU") == 0) {
          std::string id;
          for (const char c : notes.substr(content, note.n_descsz))
            id += fmt::format("{:02x}", static_cast<unsigned char>(c));
          return id;
        }
      }
    }
  }
  struct stat s = {};
  stat(path.c_str(), &s);
  return fmt::format("{} bytes of {}.{}", s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
}

NvrtcFile find_file() {
  const std::string named = environment("SERRATE_NVRTC");
  if (!named.empty()) {
    if (exists(named)) return {named, build_of(named)};
    throw std::runtime_error(
        fmt::format("cuda: SERRATE_NVRTC is '{}': there is no such file", named));
  }
  for (const auto& folder : nvidia_folders()) {
    for (const char* name : kNames) {
      const std::string path = folder + "/" + name;
      if (exists(path)) return {path, build_of(path)};
    }
  }
  for (const char* name : kNames) {
    const std::string path = linker_finds(name);
    if (!path.empty()) return {path, build_of(path)};
  }
  throw std::runtime_error(
      "cuda: NVRTC, NVIDIA's run-time compiler, was not found. Install it with pip install "
      "nvidia-cuda-nvrtc (or serrate[cuda]), or set CUDA_HOME to a CUDA toolkit or SERRATE_NVRTC "
      "to libnvrtc.so");
}

Functions open_functions() {
  const NvrtcFile& file = nvrtc_file();
  void* library = dlopen(file.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* said = dlerror();
    throw std::runtime_error(
        fmt::format("cuda: {} can't be loaded: {}", file.path, said == nullptr ? "?" : said));
  }
  Functions f;
  auto find = [&](const char* name) {
    void* p = dlsym(library, name);
    if (p == nullptr)
      throw std::runtime_error(fmt::format(
          "cuda: {} has no {}: NVRTC 12 or newer is needed (pip install nvidia-cuda-nvrtc)",
          file.path, name));
    return p;
  };
#define SERRATE_FIND(name, result, arguments) \
  f.name = reinterpret_cast<decltype(f.name)>(find(#name));
  SERRATE_NVRTC_FUNCTIONS(SERRATE_FIND)
#undef SERRATE_FIND
  int n = 0;
  if (f.nvrtcGetNumSupportedArchs(&n) == 0) {
    f.archs.resize(static_cast<size_t>(n));
    f.nvrtcGetSupportedArchs(f.archs.data());
    std::sort(f.archs.begin(), f.archs.end());
  }
  return f;
}

const Functions& functions() {
  static const auto* f = new Functions(open_functions());  // after an exception, tried again
  return *f;
}

struct Target {
  int arch = 0;
  bool ptx = false;
};

// A newer GPU of the same generation runs an older one's code; any newer one runs PTX.
Target target_for(const Functions& f, int arch) {
  Target t;
  for (const int a : f.archs) {
    if (a > arch) break;
    t = {a, a / 10 != arch / 10};
  }
  if (t.arch == 0)
    throw std::runtime_error(fmt::format(
        "cuda: this NVRTC ({}) can't compile for compute capability {}.{}; install another version",
        nvrtc_file().path, arch / 10, arch % 10));
  return t;
}

// The program and what is asked of it.
class Compilation {
 public:
  Compilation(const Functions& f, const std::string& text) : f_(f) {
    require(f_.nvrtcCreateProgram(&program_, text.c_str(), "kernel.cu", 0, nullptr, nullptr),
            "making a program");
  }
  ~Compilation() { f_.nvrtcDestroyProgram(&program_); }
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  int compile(const std::vector<std::string>& options) {
    std::vector<const char*> pointers;
    for (const auto& o : options) pointers.push_back(o.c_str());
    return f_.nvrtcCompileProgram(program_, static_cast<int>(pointers.size()), pointers.data());
  }
  std::string log() { return get(f_.nvrtcGetProgramLogSize, f_.nvrtcGetProgramLog); }
  std::string cubin() { return get(f_.nvrtcGetCUBINSize, f_.nvrtcGetCUBIN); }
  std::string lto_ir() { return get(f_.nvrtcGetLTOIRSize, f_.nvrtcGetLTOIR); }
  std::string ptx() { return get(f_.nvrtcGetPTXSize, f_.nvrtcGetPTX); }
  void require(int result, const char* what) {
    if (result != 0)
      throw std::runtime_error(
          fmt::format("cuda: NVRTC: {}: {}", what, f_.nvrtcGetErrorString(result)));
  }

 private:
  std::string get(int (*size)(Program, size_t*), int (*content)(Program, char*)) {
    size_t n = 0;
    require(size(program_, &n), "asking for the result");
    std::string out(n, 0);
    require(content(program_, out.data()), "asking for the result");
    return out;
  }
  const Functions& f_;
  Program program_ = nullptr;
};

// Products and sums fuse (fmad), which is more exact; no header is ever read.
constexpr const char* kOptions[] = {"-std=c++17", "-default-device"};
// Leaves out declarations of textures and surfaces; the newest NVRTCs know it.
constexpr const char* kFaster = "-minimal";
// What functions of users are linked into is optimised when it is.
constexpr const char* kLinked[] = {"-dlto", "--relocatable-device-code=true"};
// Half the time, for kernels that nobody runs. Known since 12.9.
constexpr const char* kLeast = "--Ofast-compile=max";

}  // namespace

const NvrtcFile& nvrtc_file() {
  static const auto* f = new NvrtcFile(find_file());
  return *f;
}

std::string nvrtc_options_text(Effort effort) {
  const std::string all = fmt::format("{} {}", kOptions[0], kOptions[1]);
  return effort == Effort::full ? all : all + " " + kLeast;
}

std::string nvrtc_compile(const std::string& text, int arch, Effort effort) {
  const Functions& f = functions();
  const Target target = target_for(f, arch);
  const std::vector<LinkCode> linked = link_codes(text);
  const bool is_virtual = target.ptx || !linked.empty();
  std::vector<std::string> options{
      fmt::format("--gpu-architecture={}_{}", is_virtual ? "compute" : "sm", target.arch)};
  if (!linked.empty()) options.insert(options.end(), std::begin(kLinked), std::end(kLinked));
  options.insert(options.end(), std::begin(kOptions), std::end(kOptions));
  Compilation c(f, text);
  const size_t needed = options.size();
  options.emplace_back(kFaster);
  if (effort == Effort::least) options.emplace_back(kLeast);
  int result = c.compile(options);
  while (result == kInvalidOption && options.size() > needed) {
    options.pop_back();
    result = c.compile(options);
  }
  if (result != 0)
    throw std::runtime_error(fmt::format("cuda: a kernel does not compile ({}):\n{}\n{}",
                                         f.nvrtcGetErrorString(result), c.log().c_str(), text));
  if (!linked.empty()) return link(c.lto_ir(), linked, arch);
  return target.ptx ? c.ptx() : c.cubin();
}

CompilerInfo nvrtc_info() {
  CompilerInfo info;
  try {
    const Functions& f = functions();
    info.path = nvrtc_file().path;
    int major = 0, minor = 0;
    f.nvrtcVersion(&major, &minor);
    info.version = fmt::format("{}.{}", major, minor);
    // The build is only said in what it makes: "release 13.0, V13.0.88".
    Compilation c(f, "");
    if (c.compile({fmt::format("--gpu-architecture=compute_{}", f.archs.front())}) == 0) {
      const std::string ptx = c.ptx();
      if (const size_t at = ptx.find(", V"); at != std::string::npos)
        info.version = ptx.substr(at + 3, ptx.find('\n', at) - at - 3);
    }
    info.found = true;
  } catch (const std::exception& e) {
    info.why_not = e.what();
  }
  return info;
}

void set_package_folders(std::vector<std::string> f) {
  const std::lock_guard hold(folders_mutex());
  folders() = std::move(f);
}

}  // namespace serrate::cuda
