// Large blocks of CPU memory, kept for the next array: see memory.h.
#include "core/memory.h"

#include <sys/mman.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "core/process_mutex.h"
#include "serrate/error.h"

namespace serrate {
namespace {

constexpr size_t kKept = size_t{1} << 15;  // smaller blocks are the allocator's business
constexpr size_t kLarge = size_t{1} << 18;
constexpr size_t kMostOfSmaller = size_t{1} << 25;  // bytes of blocks up to that, which are many
constexpr size_t kHugePage = size_t{1} << 21;
constexpr size_t kGrown = size_t{1} << 22;  // bytes after which little is known to suffice
constexpr size_t kMost = size_t{1} << 62;   // rounding up does not overflow

[[noreturn]] void out_of_memory(size_t bytes) {
  throw MemoryError(fmt::format("{} bytes of memory were asked for and could not be had", bytes));
}

/// Blocks come in sizes of 1/8 steps between powers of two, so that one fits the next similar
/// array.
size_t round_up(size_t bytes) {
  if (bytes > kMost) out_of_memory(bytes);
  if (bytes < kKept) return (bytes + 63) / 64 * 64;
  const size_t step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

struct Cache {
  ProcessMutex mutex;
  struct Block {
    void* p;
    size_t size;
  };
  std::vector<Block> blocks;  // the latest last
  size_t held = 0;
  size_t limit;
  explicit Cache(size_t most) : limit(size_t{1} << 30) {
    if (const char* e = std::getenv("SERRATE_CACHE_BYTES")) limit = std::strtoull(e, nullptr, 10);
    limit = std::min(limit, most);
  }
};

struct Caches {
  Cache smaller{kMostOfSmaller}, large{SIZE_MAX};
};

// Never destroyed: arrays may outlive static objects.
Caches& caches() {
  static Caches& c = *new Caches;
  return c;
}

/// The one of blocks of such a size.
Cache& cache(size_t size) { return size < kLarge ? caches().smaller : caches().large; }

size_t mapped(size_t size) { return (size + kHugePage - 1) / kHugePage * kHugePage; }

/// Addresses at a huge page's bound, whole huge pages of them; null if there are none left. They
/// may be replaced by pages from elsewhere.
void* map(size_t size) {
  const size_t bytes = mapped(size);
  void* all =
      mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(all);
  const size_t skipped =
      mapped(reinterpret_cast<uintptr_t>(all)) - reinterpret_cast<uintptr_t>(all);
  if (skipped > 0) munmap(begin, skipped);
  if (skipped < kHugePage) munmap(begin + skipped + bytes, kHugePage - skipped);
  madvise(begin + skipped, bytes, MADV_HUGEPAGE);  // a hint: may be refused
  return begin + skipped;
}

void* try_fresh(size_t size) {
  return size >= kHugePage ? map(size) : std::aligned_alloc(64, (size + 63) / 64 * 64);
}

void* fresh(size_t size) {
  void* p = try_fresh(size);
  if (p != nullptr) return p;
  trim_memory();
  p = try_fresh(size);
  if (p == nullptr) out_of_memory(size);
  return p;
}

/// Bytes of RAM and swap space; as much as can be said where nobody tells.
size_t memory_of_machine() {
  struct sysinfo s {};
  if (sysinfo(&s) != 0) return SIZE_MAX;
  return (static_cast<size_t>(s.totalram) + s.totalswap) * s.mem_unit;
}

void give_back(void* p, size_t size) {
  size >= kHugePage ? static_cast<void>(munmap(p, mapped(size))) : std::free(p);
}

}  // namespace

void* acquire_memory(size_t bytes) {
  const size_t size = round_up(std::max<size_t>(bytes, 1));
  if (size >= kKept) {
    Cache& c = cache(size);
    const std::lock_guard hold(c.mutex);
    for (size_t i = c.blocks.size(); i-- > 0;) {
      if (c.blocks[i].size != size) continue;
      void* p = c.blocks[i].p;
      c.blocks.erase(c.blocks.begin() + static_cast<std::ptrdiff_t>(i));
      c.held -= size;
      return p;
    }
  }
  return fresh(size);
}

namespace {

thread_local bool takes_larger = false;

/// A block that is held for reuse, for `bytes` bytes that may become more: the largest one; for few
/// bytes, or those `known` to be about all, the smallest one that holds them. As others are better
/// off with large ones, few bytes get one of their size, or of twice that if they are known; all of
/// at most `largest`. Null if there is none.
void* kept_for_growing(size_t& bytes, bool known, size_t largest = SIZE_MAX) {
  const size_t size = round_up(std::max<size_t>(bytes, 1));
  Cache& c = cache(size);
  const std::lock_guard hold(c.mutex);
  const bool is_few = size < kGrown;
  const size_t most = std::min(largest, !is_few ? SIZE_MAX : known ? 2 * size : size);
  const auto worth = [&](const Cache::Block& b) {
    if (b.size < size || b.size > most) return size_t{0};
    return known || is_few ? ~b.size : b.size;
  };
  const auto found = std::ranges::max_element(c.blocks, std::ranges::less{}, worth);
  if (found == c.blocks.end() || worth(*found) == 0) return nullptr;
  void* p = found->p;
  bytes = found->size;
  c.held -= bytes;
  c.blocks.erase(found);
  return p;
}

}  // namespace

PartByPart::PartByPart() : before_(std::exchange(takes_larger, true)) {}
PartByPart::~PartByPart() { takes_larger = before_; }

void* acquire_to_fill(size_t& bytes) {
  static const size_t all = memory_of_machine();
  if (bytes > all) out_of_memory(bytes);
  if (takes_larger && bytes >= kKept) {
    if (void* p = kept_for_growing(bytes, true, bytes / 2 * 3)) return p;
  }
  return acquire_memory(bytes);
}

void* acquire_growing(size_t& bytes, bool known) {
  if (void* p = kept_for_growing(bytes, known)) return p;
  return acquire_memory(bytes);
}

void release_memory(void* p, size_t bytes) noexcept {
  const size_t size = round_up(std::max<size_t>(bytes, 1));
  if (size >= kKept && p != nullptr) {
    Cache& c = cache(size);
    const std::lock_guard hold(c.mutex);
    if (size <= c.limit) {
      while (c.held + size > c.limit && !c.blocks.empty()) {  // the oldest go
        give_back(c.blocks.front().p, c.blocks.front().size);
        c.held -= c.blocks.front().size;
        c.blocks.erase(c.blocks.begin());
      }
      try {
        c.blocks.push_back({p, size});
        c.held += size;
        return;
      } catch (const std::bad_alloc&) {
      }
    }
  }
  if (p != nullptr) give_back(p, size);
}

void* acquire_sparse(size_t bytes) {
  const auto try_map = [bytes] {
    return mmap(nullptr, std::max<size_t>(bytes, 1), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  };
  void* p = try_map();
  if (p == MAP_FAILED) {
    trim_memory();
    p = try_map();
  }
  if (p == MAP_FAILED) out_of_memory(bytes);
  madvise(p, bytes, MADV_NOHUGEPAGE);  // where all memory has huge pages
  return p;
}

void release_sparse(void* p, size_t bytes) noexcept { munmap(p, std::max<size_t>(bytes, 1)); }

void* extend_memory(void* p, size_t bytes, size_t& more) {
  const size_t from = round_up(std::max<size_t>(bytes, 1)), to = round_up(more);
  void* copy = from < kHugePage || bytes <= kGrown ? kept_for_growing(more, false) : nullptr;
  if (copy == nullptr && from >= kHugePage && to > from) {
    // Pages move, not what is in them: what is not there yet takes no memory.
    void* at = fresh(to);
    void* moved = mremap(p, mapped(from), mapped(to), MREMAP_MAYMOVE | MREMAP_FIXED, at);
    if (moved != MAP_FAILED) return moved;
    give_back(at, to);
  }
  if (copy == nullptr) copy = acquire_memory(more);
  std::memcpy(copy, p, bytes);
  release_memory(p, bytes);
  return copy;
}

size_t cached_memory() {
  size_t held = 0;
  for (Cache* c : {&caches().smaller, &caches().large}) {
    const std::lock_guard hold(c->mutex);
    held += c->held;
  }
  return held;
}

void trim_memory() noexcept {
  for (Cache* c : {&caches().smaller, &caches().large}) {
    const std::lock_guard hold(c->mutex);
    for (const auto& b : c->blocks) give_back(b.p, b.size);
    c->blocks.clear();
    c->held = 0;
  }
}

}  // namespace serrate
