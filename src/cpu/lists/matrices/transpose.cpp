// Bands of rows by all threads, each by the loops of an instruction set: what is read and what is
// written are whole lines of the cache, whatever the strides.
#include "cpu/lists/matrices/transpose.h"

#include <algorithm>

#include "core/seams.h"
#include "cpu/machine/isa_table.h"
#include "cpu/machine/pool.h"
#include "serrate/error.h"

namespace serrate::cpu {

#define SERRATE_DECLARE(isa)                                     \
  namespace isa {                                                \
  void transpose_band(const MatrixBand& band, int64_t itemsize); \
  }
SERRATE_EACH_ISA(SERRATE_DECLARE)
#undef SERRATE_DECLARE

namespace {

void transpose_band(const MatrixBand& band, int64_t itemsize, Isa isa) {
#define SERRATE_CASE(isa) \
  case Isa::isa:          \
    return isa::transpose_band(band, itemsize);
  switch (isa) { SERRATE_EACH_ISA(SERRATE_CASE) }
#undef SERRATE_CASE
  throw ValueError("no such instruction set");
}

}  // namespace

void transpose(const void* from, const MatrixShape& shape, int64_t itemsize, void* to, Isa isa) {
  check<ValueError>(
      itemsize == 1 || itemsize == 2 || itemsize == 4 || itemsize == 8 || itemsize == 16,
      "transpose: items of {} bytes", itemsize);
  constexpr int64_t kRows = 32;
  const int64_t bands = (shape.rows + kRows - 1) / kRows, all = shape.count * bands;
  const int64_t items = shape.count * shape.rows * shape.columns;
  const int64_t stride = shape.stride > 0 ? shape.stride : shape.columns;
  const int64_t to_stride = shape.to_stride > 0 ? shape.to_stride : shape.rows;
  const int64_t tasks = std::clamp<int64_t>(items / seams().task, 1, std::max<int64_t>(1, all));
  parallel_for(tasks, [&](int64_t t, int) {
    for (int64_t b = all * t / tasks; b < all * (t + 1) / tasks; b++) {
      const int64_t first = b % bands * kRows;
      const int64_t row = b / bands * shape.rows + first;
      const int64_t to_first = b / bands * shape.columns * to_stride + first;
      transpose_band({static_cast<const char*>(from) + row * stride * itemsize,
                      static_cast<char*>(to) + to_first * itemsize,
                      std::min(kRows, shape.rows - first), shape.columns, stride, to_stride},
                     itemsize, isa);
    }
  });
}

}  // namespace serrate::cpu
