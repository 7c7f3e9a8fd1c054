// Opening the plug-in, and buffers on the GPU.
#include "cuda/device.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <stdexcept>

#include "core/waiting.h"
#include "cpu/machine/pool.h"
#include "cuda/compiler/own_folder.h"
#include "cuda/runtime/checks.h"
#include "cuda/runtime/compile_only.h"
#include "cuda/runtime/gpu_memory.h"
#include "graph/backend.h"
#include "serrate/error.h"

namespace serrate::cuda {
namespace {

constexpr const char* kPlugin = "libserrate_cuda.so";

std::string environment(const char* name) {
  const char* e = std::getenv(name);
  return e == nullptr ? "" : e;
}

bool exists(const std::string& path) {
  struct stat s;
  return stat(path.c_str(), &s) == 0;
}

struct Opened {
  GpuDevice* gpu = nullptr;
  std::string path;  // of the plug-in
  std::string why;   // there is none
};

Opened open_plugin() {
  Opened o;
  const std::string mode = environment("SERRATE_CUDA");
  if (mode == "off") {
    o.why = "SERRATE_CUDA is 'off': unset it";
    return o;
  }
  if (!mode.empty() && mode != "compile-only") {
    o.why = fmt::format("SERRATE_CUDA is '{}': expected 'off' or 'compile-only', or none", mode);
    return o;
  }
  if (mode == "compile-only") {
    o.gpu = &compile_only_gpu();
    return o;
  }
  const std::string named = environment("SERRATE_CUDA_PLUGIN");
  const std::string beside = own_folder() + "/" + kPlugin;
  const bool here = named.empty() && exists(beside);
  o.path = !named.empty() ? named : here ? beside : kPlugin;
  void* library = dlopen(o.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* said = dlerror();
    if (named.empty() && !here)
      o.why = fmt::format(
          "the CUDA plug-in {} is neither in {} nor where the linker looks: this build of serrate "
          "has none. Build it where there is a CUDA toolkit (cmake -DSERRATE_CUDA=ON), or set "
          "SERRATE_CUDA_PLUGIN to its path",
          kPlugin, own_folder());
    else
      o.why = fmt::format("the CUDA plug-in {} can't be loaded: {}", o.path,
                          said == nullptr ? "no reason given" : said);
    o.path.clear();
    return o;
  }
  const auto entry = reinterpret_cast<PluginEntry>(dlsym(library, kPluginEntry));
  if (entry == nullptr) {
    o.why = fmt::format("{} is not serrate's CUDA plug-in: it has no {}", o.path, kPluginEntry);
    return o;
  }
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(entry), &info) != 0 && info.dli_fname != nullptr)
    o.path = info.dli_fname;
  char why[1024] = "";
  o.gpu = entry(kPluginVersion, why, sizeof why);
  if (o.gpu == nullptr) {
    o.why = why;
    return o;
  }
  o.gpu->use_threads(
      {&cpu::num_threads, [](int64_t tasks, void (*task)(void*, int64_t), void* context) {
         cpu::parallel_for(tasks, [&](int64_t i, int /*worker*/) { task(context, i); });
       }});
  return o;
}

const Opened& opened() {
  static const auto* o = new Opened(open_plugin());
  return *o;
}

}  // namespace

GpuDevice& gpu() {
  const Opened& o = opened();
  if (o.gpu == nullptr) throw std::runtime_error("cuda: no GPU can be used: " + o.why);
  graph::use_other_memory();
  return *o.gpu;
}

bool gpu_available(std::string* why) {
  const Opened& o = opened();
  if (why != nullptr) *why = o.why;
  return o.gpu != nullptr;
}

bool gpu_in_use() { return graph::other_memory_in_use(); }

std::string plugin_path() { return opened().path; }

bool compile_only() {
  static const bool only = environment("SERRATE_CUDA") == "compile-only";
  return only;
}

void wait_for_gpu() {
  const Waiting waiting;
  gpu().synchronize();
}

Buffer allocate(int64_t bytes, void** address) {
  GpuDevice& g = gpu();
  try {
    *address = g.allocate(bytes);
  } catch (const MemoryError&) {
    if (!Checks::release_passed()) throw;
    *address = g.allocate(bytes);
  }
  return {*address, bytes, std::shared_ptr<const void>(*address, GpuMemory{.bytes = bytes}),
          Device::cuda};
}

std::byte* writable_memory(const Buffer& b) {
  auto* const memory = std::get_deleter<GpuMemory>(b.owner());
  if (memory == nullptr || b.owner().use_count() != 1) return nullptr;
  memory->lengths = {};
  memory->shown = {};
  return const_cast<std::byte*>(b.data());
}

Buffer to_gpu(const Buffer& host) {
  if (host.device() == Device::cuda) return host;
  void* p = nullptr;
  Buffer b = allocate(host.bytes(), &p);
  if (host.bytes() > 0) {
    const Waiting waiting;  // for memory on the way, if it is much
    gpu().upload(p, host.data(), host.bytes());
  }
  return b;
}

Buffer to_host(const Buffer& device) {
  if (device.device() == Device::cpu) return device;
  void* p = nullptr;
  Buffer b = Buffer::allocate(device.bytes(), &p);
  const Shown* const shown = device.bytes() <= 8 ? shown_value(device) : nullptr;
  if (shown != nullptr) {
    const uint64_t value = shown->values->look(shown->number);
    std::memcpy(p, &value, static_cast<size_t>(device.bytes()));
    // Of a value seen early, later kernels of its run may still find something wrong.
    shown->values->are_last() ? raise_checks(device) : settle_checks(device);
    return b;
  }
  settle_checks(device);  // what a run that failed did not write is not copied
  if (device.bytes() > 0) {
    const Waiting waiting;
    gpu().download(p, device.data(), device.bytes());
  }
  return b;
}

}  // namespace serrate::cuda
