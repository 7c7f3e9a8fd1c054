// Memory of others as memory of our own: see snapshot.h.
#include "interop/snapshot.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "core/process_mutex.h"
#include "core/stream_copy.h"
#include "cpu/machine/pool.h"

namespace serrate::interop {
namespace {

constexpr int64_t kChunk = int64_t{1} << 20;      // bytes of one task
constexpr int64_t kStreamed = int64_t{32} << 20;  // more than this does not stay in caches
constexpr int64_t kTaskItems = int64_t{1} << 16;  // of strided copies
constexpr int64_t kTile = 64;                     // items each way, where a copy transposes

struct Dimension {
  int64_t size = 1, from = 0, to = 0;  // strides in bytes
};

// Without what has one item, and joined where items go on in equal steps; the last one is
// innermost.
std::vector<Dimension> joined(const std::vector<int64_t>& shape,
                              const std::vector<int64_t>& strides, int64_t item_size) {
  std::vector<Dimension> out;
  int64_t to = item_size;
  for (size_t d = shape.size(); d-- > 0;) {
    const Dimension next{shape[d], strides[d], to};
    to *= shape[d];
    if (shape[d] == 1) continue;
    if (!out.empty() && next.from == out.back().from * out.back().size)
      out.back().size *= next.size;
    else
      out.push_back(next);
  }
  if (out.empty()) out.push_back({1, item_size, item_size});
  std::reverse(out.begin(), out.end());
  return out;
}

template <size_t kSize>
void copy_block(const std::byte* from, std::byte* to, const Dimension& rows, int64_t n_rows,
                const Dimension& items, int64_t n_items, int64_t tile) {
  for (int64_t begin = 0; begin < n_items; begin += tile) {
    const int64_t end = std::min(n_items, begin + tile);
    for (int64_t r = 0; r < n_rows; ++r) {
      const std::byte* in = from + r * rows.from;
      std::byte* out = to + r * rows.to;
      for (int64_t i = begin; i < end; ++i)
        std::memcpy(out + i * static_cast<int64_t>(kSize), in + i * items.from, kSize);
    }
  }
}

auto* block_copier(int64_t item_size) {
  switch (item_size) {
    case 1:
      return &copy_block<1>;
    case 2:
      return &copy_block<2>;
    case 4:
      return &copy_block<4>;
    case 8:
      return &copy_block<8>;
    default:
      return &copy_block<16>;
  }
}

}  // namespace

Buffer snapshot(const Buffer& b) {
  if (b.bytes() < 2 * kChunk) return Buffer::copy_of(b.data(), b.bytes());
  void* out = nullptr;
  Buffer copy = Buffer::allocate(b.bytes(), &out);
  const bool streamed = b.bytes() > kStreamed;
  cpu::parallel_for((b.bytes() + kChunk - 1) / kChunk, [&](int64_t task, int) {
    const int64_t begin = task * kChunk;
    const auto bytes = static_cast<size_t>(std::min(kChunk, b.bytes() - begin));
    auto* to = static_cast<std::byte*>(out) + begin;
    if (streamed)
      stream_copy(to, b.data() + begin, bytes);
    else
      std::memcpy(to, b.data() + begin, bytes);
  });
  return copy;
}

Buffer packed(const std::byte* first, const std::vector<int64_t>& shape,
              const std::vector<int64_t>& strides, int64_t item_size) {
  int64_t total = 1;
  for (const int64_t n : shape) total *= n;
  void* out = nullptr;
  Buffer copy = Buffer::allocate(total * item_size, &out);
  if (total == 0) return copy;
  std::vector<Dimension> outer = joined(shape, strides, item_size);
  const Dimension items = outer.back();
  outer.pop_back();
  // Rows of a block: along the dimension whose items lie closest together, if that is not the
  // innermost one, so that what is brought to the cache is used whole.
  Dimension rows;
  bool transposes = false;
  if (!outer.empty()) {
    auto near = outer.end() - 1;
    for (auto d = outer.begin(); d != outer.end(); ++d)
      if (std::abs(d->from) < std::min(std::abs(items.from), std::abs(near->from))) near = d;
    transposes = std::abs(near->from) < std::abs(items.from);
    rows = *near;
    outer.erase(near);
  }
  const int64_t width = std::min(items.size, transposes ? 16 * kTile : kTaskItems);
  const int64_t height =
      std::min(rows.size, transposes ? kTile : std::max<int64_t>(1, kTaskItems / width));
  const int64_t across = (items.size + width - 1) / width, down = (rows.size + height - 1) / height;
  int64_t blocks = across * down;
  for (const Dimension& d : outer) blocks *= d.size;
  const int64_t per_task = std::max<int64_t>(1, kTaskItems / (width * height));
  const auto copy_one = block_copier(item_size);
  cpu::parallel_for((blocks + per_task - 1) / per_task, [&](int64_t task, int) {
    const int64_t end = std::min(blocks, (task + 1) * per_task);
    for (int64_t block = task * per_task; block < end; ++block) {
      int64_t rest = block;
      const int64_t item = rest % across * width;
      rest /= across;
      const int64_t row = rest % down * height;
      rest /= down;
      const std::byte* from = first + item * items.from + row * rows.from;
      std::byte* to = static_cast<std::byte*>(out) + item * item_size + row * rows.to;
      for (size_t d = outer.size(); d-- > 0;) {
        from += rest % outer[d].size * outer[d].from;
        to += rest % outer[d].size * outer[d].to;
        rest /= outer[d].size;
      }
      copy_one(from, to, rows, std::min(height, rows.size - row), items,
               std::min(width, items.size - item), transposes ? kTile : width);
    }
  });
  return copy;
}

namespace {

struct BorrowedOwner {
  std::shared_ptr<const void> owner;
  Borrowed what;
  void operator()(const void*) { owner.reset(); }
};

// Snapshots that are alive, by where the bytes were. Never destroyed, as arrays may outlive static
// objects.
struct Known {
  struct Entry {
    const void* data = nullptr;
    std::weak_ptr<const void> owner;
  };
  ProcessMutex mutex;
  std::map<std::pair<const void*, int64_t>, Entry> entries;
  size_t next_look = 64;  // so many entries until those that have gone are dropped
};
Known& known() {
  static Known& k = *new Known;
  return k;
}

Buffer known_snapshot(const Buffer& b) {
  const std::pair<const void*, int64_t> key{b.data(), b.bytes()};
  Known& k = known();
  Buffer before;
  {
    const std::lock_guard hold(k.mutex);
    const auto found = k.entries.find(key);
    if (found != k.entries.end()) {
      if (auto owner = found->second.owner.lock())
        before = Buffer(found->second.data, b.bytes(), std::move(owner));
    }
  }
  if (before.data() != nullptr &&
      std::memcmp(before.data(), b.data(), static_cast<size_t>(b.bytes())) == 0)
    return before;
  Buffer fresh = snapshot(b);
  const std::lock_guard hold(k.mutex);
  k.entries[key] = {fresh.data(), fresh.owner()};
  if (k.entries.size() >= k.next_look) {
    std::erase_if(k.entries, [](const auto& e) { return e.second.owner.expired(); });
    k.next_look = std::max<size_t>(64, 2 * k.entries.size());
  }
  return fresh;
}

}  // namespace

std::shared_ptr<const void> borrowed(std::shared_ptr<const void> owner, Borrowed what) {
  const void* p = owner.get();
  return {p, BorrowedOwner{std::move(owner), what}};
}

Borrowed borrowed(const Buffer& b) {
  const auto* owner = std::get_deleter<BorrowedOwner>(b.owner());
  return owner == nullptr ? Borrowed::no : owner->what;
}

Buffer lasting(const Buffer& b, bool is_data) {
  const Borrowed what = borrowed(b);
  if (what == Borrowed::no || (is_data && what == Borrowed::indexes) || b.bytes() == 0) return b;
  return is_data ? snapshot(b) : known_snapshot(b);
}

}  // namespace serrate::interop
