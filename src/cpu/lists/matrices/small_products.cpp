// Parts of the pairs by all threads, each by the loops of an instruction set: see small_products.h.
#include "cpu/lists/matrices/small_products.h"

#include <algorithm>
#include <cstddef>

#include "core/seams.h"
#include "cpu/machine/isa_table.h"
#include "cpu/machine/pool.h"
#include "serrate/error.h"

namespace serrate::cpu {

#define SERRATE_DECLARE(isa)                               \
  namespace isa {                                          \
  void small_products(const SmallProducts& of, void* out); \
  }
SERRATE_EACH_ISA(SERRATE_DECLARE)
#undef SERRATE_DECLARE

namespace {

void products_of_part(const SmallProducts& part, void* out, Isa isa) {
#define SERRATE_CASE(isa) \
  case Isa::isa:          \
    return isa::small_products(part, out);
  switch (isa) { SERRATE_EACH_ISA(SERRATE_CASE) }
#undef SERRATE_CASE
  throw ValueError("no such instruction set");
}

}  // namespace

void small_products(const SmallProducts& of, void* out, Isa isa) {
  const int64_t left = of.rows * of.inner, right = of.inner * of.columns;
  const int64_t result = of.rows * of.columns, size = itemsize(of.type);
  const int64_t items = of.count * std::max({left, right, result});
  const int64_t tasks =
      std::clamp<int64_t>(items / seams().task, 1, std::max<int64_t>(1, of.count));
  parallel_for(tasks, [&](int64_t t, int) {
    const int64_t first = of.count * t / tasks;
    SmallProducts part = of;
    part.count = of.count * (t + 1) / tasks - first;
    part.left = static_cast<const std::byte*>(of.left) + first * left * size;
    part.right = static_cast<const std::byte*>(of.right) + first * right * size;
    products_of_part(part, static_cast<std::byte*>(out) + first * result * size, isa);
  });
}

}  // namespace serrate::cpu
