// Panels of columns by all threads, each by the loops of an instruction set.
#include "cpu/lists/matrices/integer_products.h"

#include <algorithm>

#include "core/seams.h"
#include "cpu/machine/isa_table.h"
#include "cpu/machine/pool.h"
#include "serrate/error.h"

namespace serrate::cpu {

#define SERRATE_DECLARE(isa)                                                            \
  namespace isa {                                                                       \
  void integer_product(const IntegerProduct& of, const IntegerPanel& panel, void* out); \
  }
SERRATE_EACH_ISA(SERRATE_DECLARE)
#undef SERRATE_DECLARE

namespace {

void product_of_panel(const IntegerProduct& of, const IntegerPanel& panel, void* out, Isa isa) {
#define SERRATE_CASE(isa) \
  case Isa::isa:          \
    return isa::integer_product(of, panel, out);
  switch (isa) { SERRATE_EACH_ISA(SERRATE_CASE) }
#undef SERRATE_CASE
  throw ValueError("no such instruction set");
}

}  // namespace

void integer_product(const IntegerProduct& of, void* out, Isa isa) {
  constexpr int64_t kBytes = 64;  // of a row of a panel: numbers, or bits
  const bool as_bits = of.type == DType::boolean;
  const int64_t width = as_bits ? 8 * kBytes : kBytes / itemsize(of.type);
  const int64_t panels = (of.columns + width - 1) / width;
  // Rows of a panel that a task does: about as many products as others have items.
  const int64_t products = std::max<int64_t>(1, of.inner * (as_bits ? kBytes / 8 : width));
  const int64_t rows =
      std::clamp<int64_t>(64 * seams().task / products, 4, std::max<int64_t>(4, of.rows));
  const int64_t parts = (of.rows + rows - 1) / rows;
  parallel_for(panels * parts, [&](int64_t task, int) {
    const int64_t column = task / parts * width, row = task % parts * rows;
    product_of_panel(
        of, {column, std::min(width, of.columns - column), row, std::min(of.rows, row + rows)}, out,
        isa);
  });
}

}  // namespace serrate::cpu
