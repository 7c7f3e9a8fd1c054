// Running inner loops, and the tables of each instruction set.
#include "cpu/program/inner_loop.h"

#include <algorithm>
#include <cstring>

#include "core/fill_items.h"
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

constexpr int64_t kPart = 512;  // items whose converted operands stay in the first cache

/// n items by a loop of whole steps: the last ones go through copies, as in Program::run.
struct Steps {
  StepsLoop run;
  int step;
  size_t x_size, y_size, out_size;

  void operator()(const char* x, const char* y, char* out, int64_t n) const {
    const int64_t steps = n / step, done = steps * step;
    run(x, y, out, steps);
    const auto left = static_cast<size_t>(n - done);
    if (left == 0) return;
    constexpr size_t kMost = 64 * 16;
    alignas(64) char xs[kMost], ys[kMost], results[kMost];
    const auto staged = [&](const char* from, size_t size, char* copies) {
      if (size == 0) return from;
      std::memset(copies + left * size, 0, (static_cast<size_t>(step) - left) * size);
      std::memcpy(copies, from + static_cast<size_t>(done) * size, left * size);
      return static_cast<const char*>(copies);
    };
    run(staged(x, x_size, xs), staged(y, y_size, ys), results, 1);
    std::memcpy(out + static_cast<size_t>(done) * out_size, results, left * out_size);
  }
};

}  // namespace

void InnerLoop::run_part(const char* x, const char* y, char* out, int64_t n) const {
  alignas(64) char xs[kPart * 16], ys[kPart * 16];
  if (cast_x_ != nullptr) {
    Steps{cast_x_, step_, x_size_, 0, wide_x_}(x, x, xs, n);
    x = xs;
  }
  if (cast_y_ != nullptr) {
    Steps{cast_y_, step_, y_size_, 0, wide_y_}(y, y, ys, n);
    y = ys;
  }
  const size_t x_size = cast_x_ != nullptr ? wide_x_ : x_size_;
  const size_t y_size = cast_y_ != nullptr ? wide_y_ : y_size_;
  Steps{run_, step_, x_size, y_size, out_size_}(x, y, out, n);
}

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
  if (cast_x_ == nullptr && cast_y_ == nullptr)
    return Steps{run_, step_, x_size_, y_size_, out_size_}(x, y, out, n);
  for (int64_t i = 0; i < n; i += kPart)
    run_part(x + i * x_size_, y + i * y_size_, out + i * out_size_, std::min(kPart, n - i));
}

}  // namespace serrate::cpu
