// Counts items in cells, or sums their weights: one addition per item.
#include "cpu/isa/ragged_parts.h"

namespace serrate::cpu::SERRATE_ISA {
namespace {

/// Items in a row that fall in one cell would wait for each other's stores: with four tables
/// neighbours count in different ones. What has no cell may count in the word after the last one.
template <int tables, class Cell, class Sum, class Amount>
[[gnu::always_inline]] inline void count_items(const HistogramArgs& args, Sum* out, Amount amount) {
  using Index = std::make_unsigned_t<Cell>;
  const auto* cells = static_cast<const Index*>(args.cells);
  const auto size = static_cast<Index>(args.size);
  const int64_t stride = args.size + 1;
  const auto one = [&](int64_t k, int table) {
    Index cell = cells[k];
    // In a general register from here on: of 16 in vector registers, moved to these one by one,
    // additions to memory take 8 ns each on a Zen 4, as their addresses are known late.
    asm("" : "+r"(cell));
    if (cell > size) cell = size;
    out[table * stride + static_cast<int64_t>(cell)] += amount(k);
  };
  // Groups of which no item has a cell are passed over.
  constexpr int64_t kGroup = 16;
  int64_t k = 0;
  for (; k + kGroup <= args.n; k += kGroup) {
    Index some = 0;
    for (int64_t i = 0; i < kGroup; i++) some |= cells[k + i] < size ? 1 : 0;
    if (some == 0) continue;
    for (int64_t i = 0; i < kGroup; i++) one(k + i, static_cast<int>(i % tables));
  }
  for (; k < args.n; k++) one(k, static_cast<int>(k % tables));
}

template <class Cell, class Sum, class Amount>
void count_in_tables(const HistogramArgs& args, Amount amount) {
  auto* out = static_cast<Sum*>(args.out);
  if (args.tables == 4)
    count_items<4, Cell>(args, out, amount);
  else
    count_items<1, Cell>(args, out, amount);
}

template <class Cell>
void count(const HistogramArgs& args) {
  if (!args.weights) {
    count_in_tables<Cell, uint64_t>(args, [](int64_t) { return uint64_t{1}; });
  } else if (args.dtype == DType::int64) {
    const auto* w = static_cast<const uint64_t*>(args.weights);
    count_in_tables<Cell, uint64_t>(args, [=](int64_t k) { return w[k]; });
  } else {
    const auto* w = static_cast<const double*>(args.weights);
    count_in_tables<Cell, double>(args, [=](int64_t k) { return w[k]; });
  }
}

void histogram(const HistogramArgs& args) {
  if (args.wide)
    count<int64_t>(args);
  else
    count<int32_t>(args);
}

}  // namespace

void add_histogram_kernels(RaggedKernels& table) { table.histogram = histogram; }

}  // namespace serrate::cpu::SERRATE_ISA
