// Streams: each thread's, and the order between them.
#include <fmt/format.h>

#include <algorithm>

#include "cuda/plugin/gpu.h"
#include "serrate/error.h"

namespace serrate::cuda {

/// The lane a thread has chosen; given up when the thread ends.
struct ThreadLane {
  Gpu* gpu = nullptr;
  Lane* lane = nullptr;
  ThreadLane() = default;
  ThreadLane(const ThreadLane&) = delete;
  ThreadLane& operator=(const ThreadLane&) = delete;
  ~ThreadLane() {
    if (lane == nullptr) return;
    try {
      gpu->leave(lane);
    } catch (...) {  // the process is ending
    }
  }
};

namespace {
thread_local ThreadLane chosen;

/// The GPU that a stream is of, or -1: CUDA's default streams are of whichever is current, and
/// before 12.8 nobody tells.
int gpu_of([[maybe_unused]] cudaStream_t s) {
#if CUDART_VERSION >= 12080
  int number = -1;
  if (s != cudaStreamLegacy && s != cudaStreamPerThread)
    require(cudaStreamGetDevice(s, &number), "asking whose stream this is");
  return number;
#else
  return -1;
#endif
}
}  // namespace

Lane& Gpu::lane() { return chosen.lane != nullptr ? *chosen.lane : own_; }

// An array may have been made on any stream. Work counts as a lane's once its submission has
// returned, so a thread that knows of an array also sees the work that makes it.
void Gpu::wait_for_others(Lane& me) {
  const std::lock_guard hold(lanes_mutex_);
  auto follow = [&](Lane& o) {
    if (&o == &me || o.copies) return;
    const uint64_t work = o.work.load(std::memory_order_acquire);
    uint64_t& seen = me.seen[&o];
    if (work == seen) return;
    require(cudaEventRecord(o.event, o.stream), "ordering streams");
    require(cudaStreamWaitEvent(me.stream, o.event, 0), "ordering streams");
    seen = work;
  };
  follow(own_);
  for (const auto& l : lanes_) follow(*l);
}

void Gpu::use_stream(uintptr_t stream) {
  const OnDevice on(device_);
  const auto s = reinterpret_cast<cudaStream_t>(stream);
  Lane* const before = chosen.lane;
  if (stream == 0 || s == own_.stream) {
    chosen.lane = nullptr;
  } else {
    const int owner = gpu_of(s);
    if (owner >= 0 && owner != device_)
      throw ValueError(
          fmt::format("stream: one of GPU {}, but serrate works on GPU {} (see "
                      "SERRATE_CUDA_DEVICE)",
                      owner, device_));
    const std::lock_guard hold(lanes_mutex_);
    auto known =
        std::find_if(lanes_.begin(), lanes_.end(), [&](const auto& l) { return l->stream == s; });
    if (known == lanes_.end()) {
      auto fresh = std::make_unique<Lane>();
      fresh->stream = s;
      require(cudaEventCreateWithFlags(&fresh->event, cudaEventDisableTiming), "making an event");
      known = lanes_.insert(known, std::move(fresh));
      other_lanes_.fetch_add(1, std::memory_order_release);
    }
    (*known)->users++;
    chosen.gpu = this;
    chosen.lane = known->get();
  }
  if (before != nullptr) leave(before);
}

void Gpu::use_copy_stream() {
  if (lane().copies) return;
  cudaStream_t s = nullptr;
  {
    const OnDevice on(device_);
    require(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "making a stream");
  }
  use_stream(reinterpret_cast<uintptr_t>(s));
  const std::lock_guard hold(lanes_mutex_);
  chosen.lane->copies = true;
  other_lanes_.fetch_sub(1, std::memory_order_release);
}

// The last thread that leaves a lane lets our own stream wait for it: the user's may end now.
void Gpu::leave(Lane* l) {
  const OnDevice on(device_);
  const std::lock_guard hold(lanes_mutex_);
  if (--l->users > 0) return;
  const bool copies = l->copies;
  const cudaStream_t stream = l->stream;
  const cudaError_t recorded = cudaEventRecord(l->event, l->stream);
  const cudaError_t waited =
      recorded == cudaSuccess ? cudaStreamWaitEvent(own_.stream, l->event, 0) : recorded;
  own_.work.fetch_add(1, std::memory_order_release);
  cudaEventDestroy(l->event);
  if (l->scan != nullptr) cudaFreeAsync(l->scan, own_.stream);
  if (l->arrivals != nullptr) cudaFreeAsync(l->arrivals, own_.stream);
  l->kept.give_back([&](void* p) { cudaFreeAsync(p, own_.stream); });
  own_.seen.erase(l);
  for (const auto& o : lanes_) o->seen.erase(l);
  std::erase_if(lanes_, [&](const auto& o) { return o.get() == l; });
  if (copies) {
    cudaStreamDestroy(stream);  // ours; goes when its work is done
  } else {
    other_lanes_.fetch_sub(1, std::memory_order_release);
  }
  require(waited, "leaving a stream");
}

void Gpu::wait_for(uintptr_t stream) {
  const Submission s(*this);
  const auto other = reinterpret_cast<cudaStream_t>(stream);
  if (other == s.stream()) return;
  const std::lock_guard hold(lanes_mutex_);
  require(cudaEventRecord(own_.event, other), "waiting for a stream");
  require(cudaStreamWaitEvent(s.stream(), own_.event, 0), "waiting for a stream");
}

void Gpu::let_wait(uintptr_t stream) {
  const Submission s(*this);
  const auto other = reinterpret_cast<cudaStream_t>(stream);
  if (other == s.stream()) return;
  const std::lock_guard hold(lanes_mutex_);
  require(cudaEventRecord(own_.event, s.stream()), "letting a stream wait");
  require(cudaStreamWaitEvent(other, own_.event, 0), "letting a stream wait");
}

void Gpu::synchronize() {
  const Submission s(*this);
  require(cudaStreamSynchronize(s.stream()), "waiting for the GPU");
}

void* Gpu::record_event() {
  const Submission s(*this, Memory::fresh);
  auto event = std::make_unique<cudaEvent_t>();
  require(cudaEventCreateWithFlags(event.get(), cudaEventDisableTiming), "making an event");
  const cudaError_t recorded = cudaEventRecord(*event, s.stream());
  if (recorded != cudaSuccess) cudaEventDestroy(*event);
  require(recorded, "recording an event");
  return event.release();
}

void Gpu::release_event(void* event) noexcept {
  const std::unique_ptr<cudaEvent_t> e(static_cast<cudaEvent_t*>(event));
  cudaEventDestroy(*e);
}

void Gpu::wait_for_event(void* event) {
  const Submission s(*this);
  require(cudaStreamWaitEvent(s.stream(), *static_cast<cudaEvent_t*>(event), 0),
          "waiting for an event");
}

}  // namespace serrate::cuda
