// Bands of columns by all threads, each by the loops of an instruction set: see fold_rows.h.
#include "cpu/lists/matrices/fold_rows.h"

#include <algorithm>
#include <limits>

#include "core/seams.h"
#include "core/types/reducer_info.h"
#include "cpu/machine/isa_table.h"
#include "cpu/machine/pool.h"
#include "serrate/error.h"

namespace serrate::cpu {

#define SERRATE_DECLARE(isa)                                           \
  namespace isa {                                                      \
  void fold_rows(const RowFold& fold, const RowBand& band, void* out); \
  }
SERRATE_EACH_ISA(SERRATE_DECLARE)
#undef SERRATE_DECLARE

namespace {

void fold_band(const RowFold& fold, const RowBand& band, void* out, Isa isa) {
#define SERRATE_CASE(isa) \
  case Isa::isa:          \
    return isa::fold_rows(fold, band, out);
  switch (isa) { SERRATE_EACH_ISA(SERRATE_CASE) }
#undef SERRATE_CASE
  throw ValueError("no such instruction set");
}

}  // namespace

bool folds_rows(const RowFold& fold) {
  const DType t = fold.dtype;
  const bool is_number = t == DType::boolean || is_integer(t) || t == DType::float32 ||
                         t == DType::float64 || is_complex(t);
  if (!is_number || fold.count == 0 || fold.columns == 0) return false;
  const bool is_count = fold.reducer == Reducer::count;
  if (is_count || (fold.but_nan && fold.reducer == Reducer::any))
    return fold.but_nan && is_floating(t);
  if (is_complex(t) && (fold.squares || fold.but_nan)) return false;
  if (fold.reducer == Reducer::sum) return true;
  const bool has_index = info(fold.reducer).has_index();
  if (fold.wide || (fold.but_nan && !(has_index && is_floating(t)))) return false;
  if (fold.reducer == Reducer::prod || info(fold.reducer).join == Op::add) return true;
  // Rows are numbered in 32 bits beside short items.
  return fold.rows > 0 && fold.rows < std::numeric_limits<int32_t>::max();
}

void fold_rows(const RowFold& given, void* out, Isa isa) {
  RowFold fold = given;
  if (is_complex(fold.dtype) && fold.reducer == Reducer::sum) {  // of both parts
    fold.dtype = fold.dtype == DType::complex64 ? DType::float32 : DType::float64;
    fold.columns *= 2;
  }
  const int64_t width = seams().band;
  const int64_t bands = (fold.columns + width - 1) / width, all = fold.count * bands;
  const int64_t items = fold.count * fold.rows * fold.columns;
  const int64_t tasks = std::clamp<int64_t>(items / seams().task, 1, std::max<int64_t>(1, all));
  parallel_for(tasks, [&](int64_t t, int) {
    for (int64_t b = all * t / tasks; b < all * (t + 1) / tasks; b++) {
      const int64_t first = b % bands * width;
      fold_band(fold, {b / bands, first, std::min(first + width, fold.columns)}, out, isa);
    }
  });
}

}  // namespace serrate::cpu
