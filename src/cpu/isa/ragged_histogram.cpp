// Fills histograms with regular bins: bin numbers of a block in vectors, then one addition per
// item.
#include "cpu/isa/ragged_parts.h"
#include "cpu/scratch.h"

namespace serrate::cpu::SERRATE_ISA {
namespace {

constexpr int64_t kBlock = 1024;
// Items in a row that fall in one bin would wait for each other's stores: neighbours count in
// different tables.
constexpr int kTables = 4;
constexpr int64_t kMostBins = 4096;

// Place in the output, 0 for underflow, bins + 1 for overflow and NaN: boost-histogram's rule.
template <class Bin, class T>
void bins_of(const T* values, int64_t n, const RegularAxis& axis, Bin* bin) {
  const double lo = axis.lo, width = axis.hi - axis.lo, bins = static_cast<double>(axis.bins);
  for (int64_t k = 0; k < n; k++) {
    const double z = (static_cast<double>(values[k]) - lo) / width;
    double at = z < 1 ? z * bins : bins;
    at = z < 0 ? -1.0 : at;
    bin[k] = static_cast<Bin>(at) + 1;
  }
}

template <class Bin>
void bins_of(DType type, const void* values, int64_t from, int64_t n, const RegularAxis& axis,
             Bin* bin) {
  const auto as = [&](auto t) {
    bins_of(static_cast<const decltype(t)*>(values) + from, n, axis, bin);
  };
  switch (type) {
    case DType::int8:
      return as(int8_t{});
    case DType::int16:
      return as(int16_t{});
    case DType::int32:
      return as(int32_t{});
    case DType::int64:
    case DType::datetime64:
    case DType::timedelta64:
      return as(int64_t{});
    case DType::boolean:
    case DType::uint8:
      return as(uint8_t{});
    case DType::uint16:
      return as(uint16_t{});
    case DType::uint32:
      return as(uint32_t{});
    case DType::uint64:
      return as(uint64_t{});
    case DType::float32:
      return as(float{});
    default:
      return as(double{});
  }
}

// table(k) is where item k counts.
template <class Bin, class Count, class Table>
[[gnu::always_inline]] inline void count_block(const Bin* bin, const uint8_t* valid, int64_t n,
                                               Table table) {
  if (valid) {
    for (int64_t k = 0; k < n; k++) table(k)[bin[k]] += static_cast<Count>(valid[k] != 0);
  } else {
    for (int64_t k = 0; k < n; k++) table(k)[bin[k]] += Count{1};
  }
}

template <class Table, class Table2>
[[gnu::always_inline]] inline void weigh_block(const auto* bin, const double* weights, int64_t n,
                                               bool squares, Table table, Table2 table2) {
  for (int64_t k = 0; k < n; k++) table(k)[bin[k]] += weights[k];
  if (!squares) return;
  for (int64_t k = 0; k < n; k++) table2(k)[bin[k]] += weights[k] * weights[k];
}

// The weights of a block as double; 0 for missing items.
void weights_of(const HistogramArgs& args, int64_t from, int64_t n, double* out) {
  if (args.weights_dtype == DType::float32) {
    const float* w = static_cast<const float*>(args.weights) + from;
    for (int64_t k = 0; k < n; k++) out[k] = static_cast<double>(w[k]);
  } else {
    const double* w = static_cast<const double*>(args.weights) + from;
    for (int64_t k = 0; k < n; k++) out[k] = w[k];
  }
  if (args.valid)
    for (int64_t k = 0; k < n; k++) out[k] = args.valid[from + k] ? out[k] : 0.0;
}

template <class Bin>
void fill(const HistogramArgs& args) {
  const int64_t size = args.axis.bins + 2, n = args.n;
  const bool weighted = args.weights != nullptr, squares = weighted && args.sums2;
  const bool tables = size <= kMostBins && n >= 2 * size;
  ScratchScope scratch;
  uint32_t* counts = nullptr;
  double *sums = nullptr, *sums2 = nullptr;
  const size_t all = static_cast<size_t>(kTables * size);
  if (tables && !weighted) {
    counts = scratch.get<uint32_t>(all);
    __builtin_memset(counts, 0, all * sizeof(uint32_t));
  }
  if (tables && weighted) {
    sums = scratch.get<double>(2 * all);
    sums2 = sums + all;
    __builtin_memset(sums, 0, 2 * all * sizeof(double));
  }
  const auto flush_counts = [&] {
    for (int64_t b = 0; b < size; b++)
      for (int t = 0; t < kTables; t++) args.counts[b] += counts[t * size + b];
    __builtin_memset(counts, 0, all * sizeof(uint32_t));
  };
  Bin bin[kBlock];
  double weights[kBlock];
  for (int64_t from = 0; from < n; from += kBlock) {
    const int64_t count = least(kBlock, n - from);
    bins_of(args.values_dtype, args.values, from, count, args.axis, bin);
    const uint8_t* valid = args.valid ? args.valid + from : nullptr;
    if (weighted) {
      weights_of(args, from, count, weights);
      if (tables)
        weigh_block(
            bin, weights, count, squares, [=](int64_t k) { return sums + (k % kTables) * size; },
            [=](int64_t k) { return sums2 + (k % kTables) * size; });
      else
        weigh_block(
            bin, weights, count, squares, [&](int64_t) { return args.sums; },
            [&](int64_t) { return args.sums2; });
    } else if (tables) {
      count_block<Bin, uint32_t>(bin, valid, count,
                                 [=](int64_t k) { return counts + (k % kTables) * size; });
      // No table may reach 2^32.
      if (((from + kBlock) & ((int64_t{1} << 32) - 1)) == 0) flush_counts();
    } else {
      count_block<Bin, uint64_t>(bin, valid, count, [&](int64_t) { return args.counts; });
    }
  }
  if (counts) flush_counts();
  if (sums) {
    for (int64_t b = 0; b < size; b++) {
      const auto total = [=](const double* s) {
        return (s[b] + s[size + b]) + (s[2 * size + b] + s[3 * size + b]);
      };
      args.sums[b] += total(sums);
      if (squares) args.sums2[b] += total(sums2);
    }
  }
}

void histogram(const HistogramArgs& args) {
  if (args.axis.bins < kMaxInt32 - 2)
    fill<int32_t>(args);
  else
    fill<int64_t>(args);
}

}  // namespace

void add_histogram_kernels(RaggedKernels& table) { table.histogram = histogram; }

}  // namespace serrate::cpu::SERRATE_ISA
