// Opening the GPU: what the plug-in exports, and every reason why there may be none.
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "cuda/plugin/gpu.h"
#include "serrate/error.h"

namespace serrate::cuda {
namespace {

constexpr int kOldestArch = 75;

/// The process that opened the GPU: none that is forked from it may use it.
pid_t opened_by = 0;

std::string cuda_version(int v) { return fmt::format("{}.{}", v / 1000, v % 1000 / 10); }

std::string environment(const char* name) {
  const char* e = std::getenv(name);
  return e == nullptr ? "" : e;
}

// Empty if a GPU can be used.
std::string obstacle(int* device) {
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
    return "no NVIDIA driver: libcuda.so.1 was not found. Install the driver (in a container: "
           "start "
           "it with the GPU handed in, as docker run --gpus all)";
  int count = 0;
  const cudaError_t e = cudaGetDeviceCount(&count);
  if (e == cudaErrorInsufficientDriver)
    return fmt::format(
        "the NVIDIA driver is too old: it supports CUDA {}, the plug-in was built with {}. Update "
        "the driver, or build the plug-in with an older CUDA toolkit",
        cuda_version(driver), cuda_version(CUDART_VERSION));
  const std::string visible = environment("CUDA_VISIBLE_DEVICES");
  if (e == cudaErrorNoDevice || (e == cudaSuccess && count == 0))
    return "the NVIDIA driver sees no GPU. Look at nvidia-smi" +
           (std::getenv("CUDA_VISIBLE_DEVICES") == nullptr
                ? std::string()
                : fmt::format("; CUDA_VISIBLE_DEVICES is '{}'", visible));
  if (e != cudaSuccess) return fmt::format("CUDA does not start: {}", cudaGetErrorString(e));
  const std::string wanted = environment("SERRATE_CUDA_DEVICE");
  const char* const end = wanted.data() + wanted.size();
  const auto [read, wrong] = std::from_chars(wanted.data(), end, *device);
  if (!wanted.empty() && (wrong != std::errc{} || read != end || *device < 0 || *device >= count))
    return fmt::format("SERRATE_CUDA_DEVICE is '{}', there {}", wanted,
                       count == 1 ? "is GPU 0 only" : fmt::format("are GPUs 0 to {}", count - 1));
  cudaDeviceProp p;
  if (cudaGetDeviceProperties(&p, *device) != cudaSuccess) return "the GPU does not answer";
  if (p.major * 10 + p.minor < kOldestArch)
    return fmt::format("{} is too old: it has compute capability {}.{}, 7.5 (Turing) is needed",
                       p.name, p.major, p.minor);
  if (p.memoryPoolsSupported == 0)
    return fmt::format("{}: its driver has no stream-ordered memory", p.name);
  return {};
}

}  // namespace

void require(cudaError_t e, const char* what) {
  if (e == cudaSuccess) [[likely]]
    return;
  (void)cudaGetLastError();  // not the next call's error
  if (e == cudaErrorInitializationError && opened_by != 0 && getpid() != opened_by)
    throw std::runtime_error(
        fmt::format("cuda: {}: this process was forked from one that had used the GPU, and CUDA "
                    "works in no such process. Start it with multiprocessing's \"spawn\" or "
                    "\"forkserver\", or use the GPU in the new processes only",
                    what));
  // What others hold of the GPU may be gone soon: programs treat it as any lack of memory.
  if (e == cudaErrorMemoryAllocation)
    throw MemoryError(fmt::format("cuda: out of memory while {}", what));
  throw std::runtime_error(
      fmt::format("cuda: {}: {} ({})", what, cudaGetErrorString(e), cudaGetErrorName(e)));
}

Gpu::Gpu(int device) : device_(device) {
  opened_by = getpid();
  const OnDevice on(device);
  cudaDeviceProp p;
  require(cudaGetDeviceProperties(&p, device), "asking for the GPU's properties");
  info_.number = device;
  require(cudaGetDeviceCount(&info_.count), "counting the GPUs");
  info_.name = p.name;
  info_.arch = p.major * 10 + p.minor;
  info_.multiprocessors = p.multiProcessorCount;
  info_.memory = static_cast<int64_t>(p.totalGlobalMem);
  info_.shared_per_block = static_cast<int64_t>(p.sharedMemPerBlockOptin);
  require(cudaDriverGetVersion(&info_.driver), "asking for the driver's version");

  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = device;
  require(cudaMemPoolCreate(&pool_, &props), "making a memory pool");
  uint64_t keep = UINT64_MAX;  // memory goes back to the driver when somebody asks for it
  require(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep),
          "setting up the memory pool");

  // Ordered with the legacy default stream, as CuPy's and PyTorch's work is by default.
  require(cudaStreamCreateWithFlags(&own_.stream, cudaStreamDefault), "making a stream");
  require(cudaEventCreateWithFlags(&own_.event, cudaEventDisableTiming), "making an event");
}

}  // namespace serrate::cuda

extern "C" __attribute__((visibility("default"))) serrate::cuda::GpuDevice* serrate_cuda_open(
    int version, char* why, size_t why_bytes) {
  using namespace serrate::cuda;
  auto say = [&](const std::string& text) {
    if (why_bytes == 0) return;
    const size_t n = std::min(text.size(), why_bytes - 1);
    std::memcpy(why, text.data(), n);
    why[n] = 0;
  };
  if (version != kPluginVersion) {
    say(fmt::format("the plug-in has version {}, the library {}: build both from the same source",
                    kPluginVersion, version));
    return nullptr;
  }
  try {
    int device = 0;
    const std::string text = obstacle(&device);
    if (text.empty()) return new Gpu(device);  // for the life of the process
    say(text);
  } catch (const std::exception& e) {
    say(e.what());
  }
  return nullptr;
}
