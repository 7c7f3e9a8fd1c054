// Running inner loops, and the tables of each instruction set.
#include "cpu/program/inner_loop.h"

#include <algorithm>
#include <cstring>

#include "cpu/machine/isa_table.h"

namespace serrate::cpu {

#define SERRATE_DECLARE(isa)                                  \
  namespace isa {                                             \
  StepsLoop steps_loop(Op op, DType type, Operands operands); \
  StepsLoop cast_loop(DType from, DType to);                  \
  }
SERRATE_EACH_ISA(SERRATE_DECLARE)
#undef SERRATE_DECLARE

StepsLoop steps_loop(Isa isa, Op op, DType type, Operands operands) {
#define SERRATE_CASE(isa) \
  case Isa::isa:          \
    return isa::steps_loop(op, type, operands);
  switch (isa) { SERRATE_EACH_ISA(SERRATE_CASE) default : return nullptr; }
#undef SERRATE_CASE
}

StepsLoop cast_loop(Isa isa, DType from, DType to) {
#define SERRATE_CASE(isa) \
  case Isa::isa:          \
    return isa::cast_loop(from, to);
  switch (isa) { SERRATE_EACH_ISA(SERRATE_CASE) default : return nullptr; }
#undef SERRATE_CASE
}

namespace {

/// n items that are all the first one's bytes.
void fill_items(char* out, const void* item, size_t size, size_t n) {
  const auto* bytes = static_cast<const unsigned char*>(item);
  if (std::all_of(bytes, bytes + size, [&](unsigned char b) { return b == bytes[0]; })) {
    std::memset(out, bytes[0], size * n);
    return;
  }
  // What is there is copied again and again, from the first cache.
  constexpr size_t kMost = 4096;
  std::memcpy(out, item, size);
  for (size_t have = size, all = size * n; have < all;) {
    const size_t more = std::min({have, all - have, kMost});
    std::memcpy(out + have, out, more);
    have += more;
  }
}

}  // namespace

void InnerLoop::run(void* const* slots, int64_t n) const {
  if (n <= 0) return;
  const auto* x = static_cast<const char*>(slots[x_]);
  const auto* y = static_cast<const char*>(slots[y_]);
  auto* out = static_cast<char*>(slots[out_]);
  if (kind_ == fill) return fill_items(out, x, out_size_, static_cast<size_t>(n));
  if (kind_ == copy) {
    std::memmove(out, x, static_cast<size_t>(n) * out_size_);
    return;
  }
  const int64_t steps = n / step_, done = steps * step_;
  run_(x, y, out, steps);
  const auto left = static_cast<size_t>(n - done);
  if (left == 0) return;
  // The last items go through copies, as in Program::run.
  constexpr size_t kMost = 64 * 8;
  alignas(64) char xs[kMost], ys[kMost], results[kMost];
  const auto staged = [&](const char* from, size_t size, char* copies) {
    if (size == 0) return from;
    std::memset(copies + left * size, 0, (static_cast<size_t>(step_) - left) * size);
    std::memcpy(copies, from + static_cast<size_t>(done) * size, left * size);
    return static_cast<const char*>(copies);
  };
  run_(staged(x, x_size_, xs), staged(y, y_size_, ys), results, 1);
  std::memcpy(out + done * out_size_, results, left * out_size_);
}

}  // namespace serrate::cpu
