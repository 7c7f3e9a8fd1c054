// Bytes between host and GPU, through pinned memory: pageable memory would be copied by the driver,
// slower, and a source in pinned memory could not be changed on return.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <span>
#include <vector>

#include "cuda/plugin/gpu.h"
#include "cuda/transfer_groups.h"

namespace serrate::cuda {
namespace {
constexpr int64_t kChunks[] = {64 << 10, 1 << 20, 4 << 20};  // bytes
constexpr int64_t kMostChunks[] = {64, 32, 16};
constexpr int64_t kPart = 256 << 10;  // of a chunk, that a thread of the host copies at a time
constexpr int kMostThreads = 12;
constexpr int64_t kInFlight = 16;  // chunks of one call

size_t kind_of_chunk(int64_t bytes) {
  return static_cast<size_t>(std::lower_bound(std::begin(kChunks), std::end(kChunks) - 1, bytes) -
                             std::begin(kChunks));
}

/// Large copies are the fastest on the bus, but the first one waits for the host.
int64_t group_size(int64_t bytes) {
  if (bytes <= kChunks[0]) return kChunks[0];
  constexpr int64_t kGroups = 8;
  return std::clamp((bytes / kGroups + kPart - 1) / kPart * kPart, kPart, kChunks[2]);
}

int64_t bytes_of(std::span<const Transfer> all) {
  int64_t bytes = 0;
  for (const Transfer& t : all) bytes += aligned_size(t.bytes);
  return bytes;
}
}  // namespace

// The one that was given back first: if the copy of that is not over, others' are not, as a rule.
// Up to a bound a new one is made then, later it is waited for.
Chunk Gpu::acquire_chunk(int64_t bytes) {
  const size_t kind = kind_of_chunk(bytes);
  {
    const std::lock_guard hold(chunks_mutex_);
    Chunks& all = chunks_[kind];
    const bool any = !all.free.empty();
    if (any &&
        (all.made >= kMostChunks[kind] || cudaEventQuery(all.free[0].event) == cudaSuccess)) {
      const Chunk found = all.free.front();
      all.free.pop_front();
      return found;
    }
    all.made++;
  }
  Chunk fresh;
  fresh.bytes = kChunks[kind];
  fresh.memory = allocate_pinned(fresh.bytes);
  require(cudaEventCreateWithFlags(&fresh.event, cudaEventDisableTiming), "making an event");
  return fresh;
}

void Gpu::return_chunk(Chunk c) {
  const std::lock_guard hold(chunks_mutex_);
  chunks_[kind_of_chunk(c.bytes)].free.push_back(c);
}

/// Groups on their way through a ring of chunks. Threads take parts in order, so whoever waits for
/// a group waits for parts that others have begun, never for one that nobody has.
class Gpu::Ring {
 public:
  Ring(Gpu& g, std::span<const Transfer> all, cudaStream_t s)
      : gpu_(g),
        stream_(s),
        chunk_(group_size(bytes_of(all))),
        cut_(cut_transfers(all, chunk_, kPart)),
        states_(cut_.groups.size()),
        chunks_(std::min<size_t>(kInFlight, cut_.groups.size())) {
    for (size_t g = 0; g < states_.size(); ++g) states_[g].parts = cut_.groups[g].parts;
  }
  ~Ring() {
    for (const Chunk& c : chunks_) {
      if (c.memory != nullptr) gpu_.return_chunk(c);
    }
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  void upload() {
    each_part([&](const Piece& p, bool first) {
      if (first) {
        make_room(p.group);
        set(state(p.group).has_room);
      } else {
        await(state(p.group).has_room);
      }
      if (failed_) return;
      std::memcpy(address(p), p.bytes.from, static_cast<size_t>(p.bytes.bytes));
      if (--state(p.group).parts == 0) submit(p.group, cudaMemcpyHostToDevice);
    });
  }

  void download() {
    for (int64_t g = 0; g < std::ssize(chunks_); ++g) {
      make_room(g);
      submit(g, cudaMemcpyDeviceToHost);
    }
    each_part([&](const Piece& p, bool) {
      await(state(p.group).is_sent);
      if (failed_) return;
      wait_for(chunk_of(p.group));
      std::memcpy(p.bytes.to, address(p), static_cast<size_t>(p.bytes.bytes));
      const int64_t next = p.group + std::ssize(chunks_);
      if (--state(p.group).parts == 0 && next < std::ssize(states_))
        submit(next, cudaMemcpyDeviceToHost);
    });
  }

 private:
  struct State {
    std::atomic<int64_t> parts{0};  // that are not copied yet
    std::atomic<bool> has_room{false}, is_sent{false};
  };

  State& state(int64_t group) { return states_[static_cast<size_t>(group)]; }
  Chunk& chunk_of(int64_t group) { return chunks_[static_cast<size_t>(group) % chunks_.size()]; }
  std::byte* address(const Piece& p) {
    return static_cast<std::byte*>(chunk_of(p.group).memory) + p.at;
  }
  static void wait_for(const Chunk& c) {
    require(cudaEventSynchronize(c.event), "copying through pinned memory");
  }
  static void set(std::atomic<bool>& what) {
    what.store(true, std::memory_order_release);
    what.notify_all();
  }
  static void await(const std::atomic<bool>& what) { what.wait(false, std::memory_order_acquire); }

  /// Nothing is on its way through the chunk of this group any more.
  void make_room(int64_t group) {
    Chunk& c = chunk_of(group);
    if (c.memory == nullptr) c = gpu_.acquire_chunk(chunk_);
    const int64_t before = group - std::ssize(chunks_);
    if (before >= 0) await(state(before).is_sent);
    wait_for(c);
  }

  void submit(int64_t group, cudaMemcpyKind way) {
    for (const Piece& p : cut_.copies_of(group)) {
      const bool up = way == cudaMemcpyHostToDevice;
      require(cudaMemcpyAsync(up ? p.bytes.to : address(p), up ? address(p) : p.bytes.from,
                              static_cast<size_t>(p.bytes.bytes), way, stream_),
              up ? "copying to the GPU" : "copying from the GPU");
    }
    require(cudaEventRecord(chunk_of(group).event, stream_), "copying through pinned memory");
    set(state(group).is_sent);
  }

  /// f(part, is it the first of its group) of all parts, by as many threads as they are worth. What
  /// one throws ends the others.
  template <class F>
  void each_part(F&& f) {
    gpu_.share(std::ssize(cut_.parts), [&] {
      try {
        for (;;) {
          const int64_t k = next_++;
          if (failed_ || k >= std::ssize(cut_.parts)) return;
          const Piece& p = cut_.parts[static_cast<size_t>(k)];
          f(p, k == cut_.groups[static_cast<size_t>(p.group)].first_part);
        }
      } catch (...) {
        failed_ = true;
        for (State& s : states_) set(s.has_room), set(s.is_sent);
        throw;
      }
    });
  }

  Gpu& gpu_;
  cudaStream_t stream_;
  int64_t chunk_;
  TransferGroups cut_;
  std::vector<State> states_;
  std::vector<Chunk> chunks_;
  std::atomic<int64_t> next_{0};
  std::atomic<bool> failed_{false};
};

// One thread copies between pageable and pinned memory at a fraction of the bus's rate, so several
// do.
template <class F>
void Gpu::share(int64_t parts, F&& f) {
  const int64_t most = threads_.count == nullptr ? 1 : std::min(kMostThreads, threads_.count());
  const int64_t threads = std::clamp<int64_t>(parts / 2, 1, most);
  if (threads == 1) return f();
  struct Call {
    Gpu* gpu;
    F* f;
  } call{this, &f};
  threads_.run(
      threads,
      [](void* context, int64_t) {
        const Call& c = *static_cast<Call*>(context);
        const OnDevice on(c.gpu->device_);
        (*c.f)();
      },
      &call);
}

void Gpu::upload(const Transfer* first, int64_t n) {
  const Submission s(*this, Memory::fresh);
  Ring(*this, std::span(first, static_cast<size_t>(n)), s.stream()).upload();
}

void Gpu::download(const Transfer* first, int64_t n) {
  const Submission s(*this);
  Ring(*this, std::span(first, static_cast<size_t>(n)), s.stream()).download();
}

void Gpu::copy(void* to, const void* from, int64_t bytes) {
  if (bytes <= 0) return;
  const Submission s(*this);
  require(cudaMemcpyAsync(to, from, static_cast<size_t>(bytes), cudaMemcpyDefault, s.stream()),
          "copying on the GPU");
}

void Gpu::fill(void* to, int byte, int64_t bytes) {
  if (bytes <= 0) return;
  const Submission s(*this);
  require(cudaMemsetAsync(to, byte, static_cast<size_t>(bytes), s.stream()), "filling memory");
}

}  // namespace serrate::cuda
