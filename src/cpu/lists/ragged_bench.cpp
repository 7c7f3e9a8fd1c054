// Cost of the ragged kernels per list or item, for every instruction set of this CPU.
#include <benchmark/benchmark.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "cpu/lists/ragged.h"

namespace serrate::cpu {
namespace {

// 300,000 lists in chunks of at most 2048 lists, as the engine takes them.
struct Data {
  static constexpr int64_t kLists = 300000, kChunk = 2048;
  std::vector<int64_t> offsets{0};
  std::vector<float> values;
  std::vector<double> values64;
  std::vector<uint8_t> mask;
  struct Chunk {
    int64_t lists, first_item;
    std::vector<int32_t> off;
  };
  std::vector<Chunk> chunks;
  int64_t most_items = 0;

  explicit Data(double mean) {
    std::mt19937 random(1);
    std::poisson_distribution<int> length(mean);
    for (int64_t p = 0; p < kLists; p++) offsets.push_back(offsets.back() + length(random));
    const size_t n = static_cast<size_t>(offsets.back());
    std::normal_distribution<float> normal;
    for (size_t i = 0; i < n; i++) {
      values.push_back(normal(random));
      values64.push_back(static_cast<double>(values.back()));
      mask.push_back(random() % 2);
    }
    for (int64_t p = 0; p < kLists; p += kChunk) {
      Chunk chunk{std::min(kChunk, kLists - p), offsets[static_cast<size_t>(p)], {}};
      chunk.off.resize(static_cast<size_t>(chunk.lists) + 1 + 64);
      ragged().local_offsets(IndexType::i64, &offsets[static_cast<size_t>(p)], chunk.lists, 0,
                             2147483647, chunk.off.data());
      most_items = std::max<int64_t>(most_items, chunk.off[static_cast<size_t>(chunk.lists)]);
      chunks.push_back(std::move(chunk));
    }
  }
  static const Data& of(double mean) {
    static const Data short_lists(1.1), pairs(1.5), longer(12);
    return mean == 1.1 ? short_lists : mean == 1.5 ? pairs : longer;
  }
};

// Registers body(kernels, data, chunk) for all instruction sets and means; reports nanoseconds per
// list and per item.
using Body = std::function<void(const RaggedKernels&, const Data&, const Data::Chunk&, size_t)>;
void add(const std::string& what, Body body) {
  for (int i = 0; i < kIsaCount; i++) {
    const Isa isa = static_cast<Isa>(i);
    if (!isa_available(isa)) continue;
    for (double mean : {1.1, 1.5, 12.0}) {
      const std::string title =
          what + "/" + std::string(name(isa)) + "/mean:" + std::to_string(mean).substr(0, 4);
      benchmark::RegisterBenchmark(title.c_str(), [=](benchmark::State& state) {
        const Data& data = Data::of(mean);
        for (auto _ : state) {
          size_t first_list = 0;
          for (const auto& chunk : data.chunks) {
            body(ragged(isa), data, chunk, first_list);
            first_list += static_cast<size_t>(chunk.lists);
          }
          benchmark::ClobberMemory();
        }
        using benchmark::Counter;
        const auto inverted = Counter::kIsIterationInvariantRate | Counter::kInvert;
        state.counters["list"] = Counter(static_cast<double>(Data::kLists), inverted);
        state.counters["item"] = Counter(static_cast<double>(data.values.size()), inverted);
      });
    }
  }
}

template <class T>
T* scratch(size_t which = 0) {
  static std::vector<std::vector<T>> buffers(4, std::vector<T>(1 << 17));
  return buffers[which].data();
}

void add_fold(const std::string& what, Reducer reducer, DType type, bool masked = false) {
  add(what, [=](const RaggedKernels& k, const Data& data, const Data::Chunk& chunk, size_t) {
    int64_t* index = scratch<int64_t>();
    double* acc = scratch<double>();
    const size_t first = static_cast<size_t>(chunk.first_item);
    fill_identity(reducer, type, acc, reducer >= Reducer::argmin ? index : nullptr, chunk.lists);
    FoldArgs args;
    args.values = type == DType::float64   ? static_cast<const void*>(&data.values64[first])
                  : type == DType::boolean ? static_cast<const void*>(&data.mask[first])
                                           : &data.values[first];
    args.valid = masked ? &data.mask[first] : nullptr;
    args.off = chunk.off.data();
    args.lists = chunk.lists;
    args.acc = acc;
    args.index = index;
    k.fold(reducer, type)(args);
  });
}

void add_all() {
  add("local_offsets",
      [](const RaggedKernels& k, const Data& data, const Data::Chunk& chunk, size_t first) {
        k.local_offsets(IndexType::i64, &data.offsets[first], chunk.lists, 0, 2147483647,
                        scratch<int32_t>());
      });
  add("expand4",
      [](const RaggedKernels& k, const Data& data, const Data::Chunk& chunk, size_t first) {
        k.expand(4, &data.values[first % 1000], chunk.off.data(), chunk.lists, scratch<float>());
      });
  add("expand8",
      [](const RaggedKernels& k, const Data& data, const Data::Chunk& chunk, size_t first) {
        k.expand(8, &data.values64[first % 1000], chunk.off.data(), chunk.lists, scratch<double>());
      });
  add("parents", [](const RaggedKernels& k, const Data&, const Data::Chunk& chunk, size_t) {
    k.parents(chunk.off.data(), chunk.lists, 0, scratch<int32_t>());
  });
  add("local_index", [](const RaggedKernels& k, const Data&, const Data::Chunk& chunk, size_t) {
    k.local_index(chunk.off.data(), chunk.lists, 0, scratch<int64_t>());
  });
  for (int tuple : {2, 3})
    add("combinations" + std::to_string(tuple),
        [=](const RaggedKernels& k, const Data&, const Data::Chunk& chunk, size_t) {
          int32_t* out[] = {scratch<int32_t>(), scratch<int32_t>(1), scratch<int32_t>(2)};
          TupleCursor cursor;
          while (cursor.list < chunk.lists)
            k.combinations(tuple, false, chunk.off.data(), chunk.lists, cursor, 4096, out,
                           scratch<int32_t>(3));
        });
  add("cartesian2", [](const RaggedKernels& k, const Data&, const Data::Chunk& chunk, size_t) {
    int32_t* out[] = {scratch<int32_t>(), scratch<int32_t>(1)};
    const int32_t* offs[] = {chunk.off.data(), chunk.off.data()};
    TupleCursor cursor;
    while (cursor.list < chunk.lists)
      k.cartesian(2, offs, chunk.lists, cursor, 4096, out, scratch<int32_t>(3));
  });
  add("select", [](const RaggedKernels& k, const Data& data, const Data::Chunk& chunk, size_t) {
    k.select(&data.mask[static_cast<size_t>(chunk.first_item)],
             chunk.off[static_cast<size_t>(chunk.lists)], scratch<int32_t>());
  });
  add("select_offsets",
      [](const RaggedKernels& k, const Data& data, const Data::Chunk& chunk, size_t) {
        k.select_offsets(&data.mask[static_cast<size_t>(chunk.first_item)], chunk.off.data(),
                         chunk.lists, scratch<int32_t>());
      });
  for (int size : {4, 8})
    add("compress" + std::to_string(size),
        [=](const RaggedKernels& k, const Data& data, const Data::Chunk& chunk, size_t) {
          k.compress(size, &data.values64[static_cast<size_t>(chunk.first_item / 2)],
                     &data.mask[static_cast<size_t>(chunk.first_item)],
                     chunk.off[static_cast<size_t>(chunk.lists)], scratch<double>());
        });
  add("take4", [](const RaggedKernels& k, const Data& data, const Data::Chunk& chunk, size_t) {
    // Offsets serve as indexes that rise slowly, like those of tuples.
    k.take(4, data.values.data(), chunk.off.data(), chunk.lists, scratch<float>());
  });
  add_fold("sum_f32", Reducer::sum, DType::float32);
  add_fold("sum_f64", Reducer::sum, DType::float64);
  add_fold("sum_i32", Reducer::sum, DType::int32);
  add_fold("sum_bool", Reducer::sum, DType::boolean);
  add_fold("max_f32", Reducer::max, DType::float32);
  add_fold("max_f64", Reducer::max, DType::float64);
  add_fold("max_f32_masked", Reducer::max, DType::float32, true);
  add_fold("any_bool", Reducer::any, DType::boolean);
  add_fold("count_nonzero_f32", Reducer::count_nonzero, DType::float32);
  add_fold("argmax_f32", Reducer::argmax, DType::float32);
  add_fold("argmax_f64", Reducer::argmax, DType::float64);
  add_fold("argmax_f32_masked", Reducer::argmax, DType::float32, true);
  add("histogram", [](const RaggedKernels& k, const Data& data, const Data::Chunk& chunk, size_t) {
    HistogramArgs args;
    args.cells = scratch<int32_t>();
    args.n = chunk.off[static_cast<size_t>(chunk.lists)];
    args.size = 100;
    args.tables = 4;
    args.out = scratch<uint64_t>();
    k.histogram(args);
  });
  add("validate_offsets",
      [](const RaggedKernels& k, const Data& data, const Data::Chunk& chunk, size_t first) {
        benchmark::DoNotOptimize(k.validate_offsets(IndexType::i64, &data.offsets[first],
                                                    chunk.lists, data.offsets.back()));
      });
}

// One long list: bytes per second.
void add_long() {
  static const std::vector<float> values(1 << 20, 1.0f);
  for (int i = 0; i < kIsaCount; i++)
    for (Reducer reducer : {Reducer::sum, Reducer::max, Reducer::argmax, Reducer::count_nonzero}) {
      const Isa isa = static_cast<Isa>(i);
      if (!isa_available(isa)) continue;
      const std::string title = "one_list_f32/" + std::string(name(isa)) +
                                "/reducer:" + std::to_string(static_cast<int>(reducer));
      benchmark::RegisterBenchmark(title.c_str(), [=](benchmark::State& state) {
        const int32_t off[2 + 16] = {0, 1 << 20};
        double acc[2];
        int64_t index[2];
        for (auto _ : state) {
          fill_identity(reducer, DType::float32, acc, reducer >= Reducer::argmin ? index : nullptr,
                        1);
          FoldArgs args;
          args.values = values.data();
          args.off = off;
          args.lists = 1;
          args.acc = acc;
          args.index = index;
          ragged(isa).fold(reducer, DType::float32)(args);
          benchmark::ClobberMemory();
        }
        state.SetBytesProcessed(state.iterations() * (4 << 20));
      });
    }
}

}  // namespace
}  // namespace serrate::cpu

int main(int argc, char** argv) {
  serrate::cpu::add_all();
  serrate::cpu::add_long();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
