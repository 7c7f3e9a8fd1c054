// Reductions cell by cell that are no sums: see scatter.h.
#include "cpu/plan/scatter.h"

#include <bit>

#include "core/types/reducer_info.h"

namespace serrate::cpu {
namespace {

template <class Cell, class T>
void extremes(const HistogramArgs& args, bool smallest) {
  const auto* cells = static_cast<const Cell*>(args.cells);
  const auto* values = static_cast<const T*>(args.weights);
  auto* out = static_cast<T*>(args.out);
  for (int64_t k = 0; k < args.n; k++) {
    const bool inside = cells[k] >= 0 && cells[k] < args.size;
    T& best = out[inside ? static_cast<int64_t>(cells[k]) : args.size];
    const T v = values[k];
    best = (smallest ? v < best : best < v) ? v : best;
  }
}

template <class T>
uint64_t joined(Reducer r, uint64_t x, uint64_t y) {
  const T a = std::bit_cast<T>(x), b = std::bit_cast<T>(y);
  if (r == Reducer::min) return b < a ? y : x;
  if (r == Reducer::max) return a < b ? y : x;
  if constexpr (std::is_integral_v<T>) return x + y;
  return std::bit_cast<uint64_t>(a + b);
}

}  // namespace

void scatter_extremes(const HistogramArgs& args, bool smallest) {
  const auto with = [&]<class Cell>(Cell) {
    if (args.dtype == DType::int64)
      extremes<Cell, int64_t>(args, smallest);
    else
      extremes<Cell, double>(args, smallest);
  };
  args.wide ? with(int64_t{}) : with(int32_t{});
}

uint64_t empty_word(const HistogramSink& sink) {
  return std::bit_cast<uint64_t>(identity(sink.reducer, sink.dtype).i);
}

void join_words(const HistogramSink& sink, const uint64_t* from, int64_t n, uint64_t* to) {
  for (int64_t i = 0; i < n; i++)
    to[i] = sink.dtype == DType::int64 ? joined<int64_t>(sink.reducer, to[i], from[i])
                                       : joined<double>(sink.reducer, to[i], from[i]);
}

}  // namespace serrate::cpu
