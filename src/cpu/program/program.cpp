// Running a program, and its text.
#include "cpu/program/program.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "cpu/program/kernels.h"

namespace serrate::cpu {

namespace {

int64_t index_at(const char* index, int size, int64_t i) {
  if (size == 8) return reinterpret_cast<const int64_t*>(index)[i];
  return reinterpret_cast<const int32_t*>(index)[i];
}

/// Of an address: how far it moves with each block, and how much of the next ones is fetched ahead.
struct Moved {
  int32_t bytes, fetched;
};

/// Of items 1 << shift bytes each.
template <class I>
void fetch_items(const char* from, int shift, const I* index, const I* end) {
  constexpr int kAtATime = 8;
  const auto fetch = [&](I at) { __builtin_prefetch(from + (static_cast<int64_t>(at) << shift)); };
  for (; end - index >= kAtATime; index += kAtATime)
    for (int i = 0; i < kAtATime; i++) fetch(index[i]);
  for (; index < end; index++) fetch(*index);
}

}  // namespace

/// What the next steps gather. Where indexes rise slowly, as those of tuples and of what a filter
/// keeps, it lies behind what this step did, as far as it went. Where each item has a line of its
/// own, as the first ones of lists and what a table of indexes says, it is looked up in the indexes
/// ahead, `left` of which begin at this step's; that takes longer than the second cache does.
void Program::fetch_sources(char* const* mem, int64_t left, int ahead, int looked_at,
                            bool near) const {
  constexpr int kLine = 64;
  constexpr int64_t kItemsAhead = 128;
  const Source* before = nullptr;
  int64_t first_before = 0, last_before = 0;
  for (const Source& s : sources_) {
    if (s.index >= looked_at) continue;
    const auto at = [&](int64_t i) { return index_at(mem[s.index], s.index_size, i) * s.size; };
    const int64_t first = at(0), last = at(block_ - 1);
    // Neighbours, as x[:, 0] and x[:, 1], are in the same lines.
    const bool same = before && before->from == s.from && std::abs(first - first_before) < kLine &&
                      std::abs(last - last_before) < kLine;
    before = &s, first_before = first, last_before = last;
    if (same) continue;
    const char* from = mem[s.from];
    if (first <= last && last - first <= block_ * (kLine / 2)) {
      for (int64_t b = first; b < last; b += kLine) __builtin_prefetch(from + ahead + b);
    } else if (!near) {
      const int64_t end = std::min(left, kItemsAhead + block_);
      const int shift = std::countr_zero(s.size);
      if (end <= kItemsAhead) continue;
      if (const char* index = mem[s.index]; s.index_size == 8) {
        const auto* wide = reinterpret_cast<const int64_t*>(index);
        fetch_items(from, shift, wide + kItemsAhead, wide + end);
      } else {
        const auto* narrow = reinterpret_cast<const int32_t*>(index);
        fetch_items(from, shift, narrow + kItemsAhead, narrow + end);
      }
    }
  }
}

void Program::run(void* const* slots, int64_t n, Outputs to, bool near) const {
  if (code_.empty() || n <= 0) return;
  // Working memory lives on the stack unless the program is large; it is not initialised.
  constexpr int kStackBytes = 32 << 10, kStackEntries = 96;
  alignas(64) char stack[kStackBytes];
  char* stack_table[kStackEntries];
  Moved stack_moved[kStackEntries];
  std::unique_ptr<char[]> heap;
  std::unique_ptr<char*[]> heap_table;
  std::unique_ptr<Moved[]> heap_moved;
  char* working = stack;
  char** mem = stack_table;
  Moved* moved = stack_moved;
  if (working_ > kStackBytes) {
    heap.reset(new char[static_cast<size_t>(working_)]);
    working = heap.get();
  }
  if (std::ssize(entries_) > kStackEntries) {
    heap_table.reset(new char*[entries_.size()]);
    mem = heap_table.get();
    heap_moved.reset(new Moved[entries_.size()]);
    moved = heap_moved.get();
  }

  // `bytes` bytes at p, the first `have` of which are there, by copying those again and again.
  const auto repeat = [](char* p, size_t have, size_t bytes) {
    for (; have < bytes; have *= 2) std::memcpy(p + have, p, std::min(have, bytes - have));
  };
  for (size_t i = 0; i < entries_.size(); i++) {
    const Entry& e = entries_[i];
    mem[i] = working + e.offset;
    if (e.kind < Entry::scratch) mem[i] = static_cast<char*>(slots[e.slot]);
    if (e.kind == Entry::position) std::memcpy(mem[i], slots[e.slot], 8);
    if (e.kind == Entry::splat) {
      std::memcpy(mem[i], slots[e.slot], e.size);
      repeat(mem[i], e.size, static_cast<size_t>(e.size) * static_cast<size_t>(block_));
    }
  }

  using Start = void (*)(const Instruction*, char* const*);
  const Entry* entries = entries_.data();
  const int advancing = advancing_, block = block_, count = static_cast<int>(entries_.size());
  bool stream = to == Outputs::streamed;
  for (int i = 0; i < outputs_ && stream; i++)
    stream = reinterpret_cast<uintptr_t>(mem[i]) % 64 == 0 && entries[i].size * block % 64 == 0;
  const Instruction* code = stream ? streaming_.data() : code_.data();
  const auto start = reinterpret_cast<Start>(code->run);
  for (int i = 0; i < advancing; i++) moved[i] = {entries[i].size * block, 0};
  constexpr int kPrefetchBytes = 4096;
  for (const int i : far_) {
    const bool is_written = i < outputs_ && (stream || to == Outputs::scratch);
    moved[i].fetched = is_written ? 0 : moved[i].bytes;
  }
  const bool gathers = !sources_.empty();
  int64_t left = n;
  for (; left >= block; left -= block) {
    int32_t looked_at = advancing;
    if (stopped_ >= 0) std::memcpy(mem[stopped_], &looked_at, sizeof looked_at);
    start(code, mem);
    if (stopped_ >= 0) std::memcpy(&looked_at, mem[stopped_], sizeof looked_at);
    // A step touches each stream in one burst, too seldom for the hardware to fetch far enough
    // ahead: without this the quadratic formula on 1e6 float64 takes 2.3 times a fused loop, with
    // it 1.0 (AVX-512). Addresses past the end do no harm.
    if (gathers) fetch_sources(mem, left, kPrefetchBytes, looked_at, near);
    for (int i = 0; i < advancing; i++) {
      const Moved m = moved[i];
      char* const next = mem[i] += m.bytes;
      if (i >= looked_at) continue;
      for (int at = 0; at < m.fetched; at += 64) __builtin_prefetch(next + kPrefetchBytes + at);
    }
    if (has_positions_)
      for (int i = advancing; i < count; i++)
        if (entries[i].kind == Entry::position) {
          int64_t position;
          std::memcpy(&position, mem[i], 8);
          position += block;
          std::memcpy(mem[i], &position, 8);
        }
  }
#if defined(__SSE2__)
  if (stream) _mm_sfence();  // such stores are not ordered with others
#endif
  if (left == 0) return;

  // The last items: steps always work on whole blocks, so these go through copies.
  for (int i = outputs_; i < advancing; i++) {
    const Entry& e = entries[i];
    char* staged = working + e.offset;
    const size_t have = static_cast<size_t>(e.size * left);
    const size_t rest = static_cast<size_t>(e.size * (block - left));
    std::memcpy(staged, mem[i], have);
    if (e.kind == Entry::input)
      std::memset(staged + have, 0, rest);
    else  // a position that exists
      repeat(staged + have - e.size, e.size, rest + e.size);
    mem[i] = staged;
  }
  char* targets[kStackEntries];
  std::unique_ptr<char*[]> heap_targets;
  char** target = targets;
  if (outputs_ > kStackEntries) {
    heap_targets.reset(new char*[static_cast<size_t>(outputs_)]);
    target = heap_targets.get();
  }
  // Outputs are the first entries.
  for (int i = 0; i < outputs_; i++) {
    target[i] = mem[i];
    mem[i] = working + entries[i].offset;
  }
  reinterpret_cast<Start>(code_[0].run)(code_.data(), mem);
  for (int i = 0; i < outputs_; i++)
    std::memcpy(target[i], mem[i], static_cast<size_t>(entries[i].size * left));
}

}  // namespace serrate::cpu
