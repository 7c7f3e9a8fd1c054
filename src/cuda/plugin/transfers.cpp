// Bytes between host and GPU, through pinned memory: pageable memory would be copied by the driver,
// slower, and a source in pinned memory could not be changed on return.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <vector>

#include "cuda/plugin/gpu.h"

namespace serrate::cuda {
namespace {
constexpr int64_t kSmallChunk = 64 << 10, kLargeChunk = 1 << 20;
constexpr int64_t kMostChunks = 64;  // of each size
constexpr int kMostThreads = 12;

int64_t aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }
int64_t chunk_size(int64_t bytes) { return bytes <= kSmallChunk ? kSmallChunk : kLargeChunk; }
}  // namespace

// The one that was given back first: if the copy of that is not over, others' are not, as a rule.
// Up to a bound a new one is made then, later it is waited for.
Chunk Gpu::acquire_chunk(int64_t bytes) {
  const bool large = bytes > kSmallChunk;
  {
    const std::lock_guard hold(chunks_mutex_);
    Chunks& all = chunks_[large];
    const bool any = !all.free.empty();
    if (any && (all.made >= kMostChunks || cudaEventQuery(all.free[0].event) == cudaSuccess)) {
      const Chunk found = all.free.front();
      all.free.pop_front();
      return found;
    }
    all.made++;
  }
  Chunk fresh;
  fresh.bytes = large ? kLargeChunk : kSmallChunk;
  fresh.memory = allocate_pinned(fresh.bytes);
  require(cudaEventCreateWithFlags(&fresh.event, cudaEventDisableTiming), "making an event");
  return fresh;
}

void Gpu::return_chunk(Chunk c) {
  const std::lock_guard hold(chunks_mutex_);
  chunks_[c.bytes > kSmallChunk].free.push_back(c);
}

namespace {

/// Transfers, or parts of them, that go through one chunk together.
using Piece = std::vector<Transfer>;

// Chunks are filled one after the other; addresses in them are multiples of 64.
std::vector<Piece> pieces_of(std::span<const Transfer> all, int64_t chunk) {
  std::vector<Piece> pieces;
  int64_t room = 0;
  for (const Transfer& t : all) {
    for (int64_t at = 0; at < t.bytes;) {
      if (room <= 0) {
        pieces.emplace_back();
        room = chunk;
      }
      const int64_t n = std::min(room, t.bytes - at);
      pieces.back().push_back(
          {static_cast<std::byte*>(t.to) + at, static_cast<const std::byte*>(t.from) + at, n});
      at += n;
      room -= aligned(n);
    }
  }
  return pieces;
}

int64_t bytes_of(std::span<const Transfer> all) {
  int64_t bytes = 0;
  for (const Transfer& t : all) bytes += aligned(t.bytes);
  return bytes;
}

/// f(transfer, where its bytes are in the chunk) of each.
template <class F>
void each_part(const Piece& piece, const Chunk& c, F&& f) {
  auto* at = static_cast<std::byte*>(c.memory);
  for (const Transfer& t : piece) {
    f(t, at);
    at += aligned(t.bytes);
  }
}

}  // namespace

/// Two chunks in turn: one is filled or emptied while the other is on its way. of() waits for it.
class Gpu::Staging {
 public:
  Staging(Gpu& g, int64_t bytes) : gpu_(g), bytes_(bytes) {}
  ~Staging() {
    for (const Chunk& c : chunks_) {
      if (c.memory != nullptr) gpu_.return_chunk(c);
    }
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  Chunk& of(size_t turn) {
    Chunk& c = chunks_[turn % 2];
    if (c.memory == nullptr) c = gpu_.acquire_chunk(bytes_);
    require(cudaEventSynchronize(c.event), "copying through pinned memory");
    return c;
  }

 private:
  Gpu& gpu_;
  int64_t bytes_;
  Chunk chunks_[2];
};

// One thread copies between pageable and pinned memory at a fraction of the bus's rate, so several
// do. The stream is the caller's: pieces are in its order, whoever submits them.
template <class F>
void Gpu::share(int64_t pieces, F&& f) {
  const int64_t most = threads_.count == nullptr ? 1 : std::min(kMostThreads, threads_.count());
  const int64_t threads = std::clamp<int64_t>(pieces / 2, 1, most);
  if (threads == 1) return f(size_t{0}, size_t{1});
  struct Call {
    Gpu* gpu;
    F* f;
    int64_t threads;
  } call{this, &f, threads};
  threads_.run(
      threads,
      [](void* context, int64_t thread) {
        const Call& c = *static_cast<Call*>(context);
        const OnDevice on(c.gpu->device_);
        (*c.f)(static_cast<size_t>(thread), static_cast<size_t>(c.threads));
      },
      &call);
}

void Gpu::upload(const Transfer* first, int64_t n) {
  const Submission s(*this, Memory::fresh);
  const std::span all(first, static_cast<size_t>(n));
  const int64_t chunk = chunk_size(bytes_of(all));
  const std::vector<Piece> pieces = pieces_of(all, chunk);
  share(std::ssize(pieces), [&](size_t begin, size_t step) {
    Staging staging(*this, chunk);
    for (size_t p = begin, turn = 0; p < pieces.size(); p += step, ++turn) {
      const Chunk& c = staging.of(turn);
      each_part(pieces[p], c, [&](const Transfer& t, std::byte* at) {
        const auto bytes = static_cast<size_t>(t.bytes);
        std::memcpy(at, t.from, bytes);
        require(cudaMemcpyAsync(t.to, at, bytes, cudaMemcpyHostToDevice, s.stream()),
                "copying to the GPU");
      });
      require(cudaEventRecord(c.event, s.stream()), "copying to the GPU");
    }
  });
}

void Gpu::download(const Transfer* first, int64_t n) {
  const Submission s(*this);
  const std::span all(first, static_cast<size_t>(n));
  const int64_t chunk = chunk_size(bytes_of(all));
  const std::vector<Piece> pieces = pieces_of(all, chunk);
  share(std::ssize(pieces), [&](size_t begin, size_t step) {
    Staging staging(*this, chunk);
    const auto start = [&](size_t p, size_t turn) {
      if (p >= pieces.size()) return;
      const Chunk& c = staging.of(turn);
      each_part(pieces[p], c, [&](const Transfer& t, std::byte* at) {
        require(cudaMemcpyAsync(at, t.from, static_cast<size_t>(t.bytes), cudaMemcpyDeviceToHost,
                                s.stream()),
                "copying from the GPU");
      });
      require(cudaEventRecord(c.event, s.stream()), "copying from the GPU");
    };
    start(begin, 0);
    for (size_t p = begin, turn = 0; p < pieces.size(); p += step, ++turn) {
      start(p + step, turn + 1);
      each_part(pieces[p], staging.of(turn), [](const Transfer& t, const std::byte* at) {
        std::memcpy(t.to, at, static_cast<size_t>(t.bytes));
      });
    }
  });
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
