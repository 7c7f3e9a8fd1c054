// Cost of Arrow's interfaces: a table of ten columns, and lists, in and out.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "serrate/arrow.h"
#include "serrate/io.h"

namespace serrate {
namespace {

constexpr int64_t kRows = 100000;

Array columns() {
  std::vector<std::pair<std::string, Array>> fields;
  for (int i = 0; i < 10; ++i)
    fields.emplace_back("x" + std::to_string(i),
                        from_values(std::vector<double>(kRows, 1.5 + i)).evaluate());
  return zip(fields, {.depth_limit = 1}).evaluate();
}
Array lists() {
  return unflatten(from_values(std::vector<double>(3 * kRows, 1.5)),
                   from_values(std::vector<int64_t>(kRows, 3)))
      .evaluate();
}

void out(benchmark::State& state, const Array& x) {
  for (auto _ : state) {
    ArrowArray array{};
    ArrowSchema schema{};
    to_arrow(x, &array, &schema);
    benchmark::DoNotOptimize(array.buffers);
    array.release(&array);
    schema.release(&schema);
  }
}

// Out and in again: what is left of the time of `out` is that of the import.
void out_and_in(benchmark::State& state, const Array& x) {
  for (auto _ : state) {
    ArrowArray array{};
    ArrowSchema schema{};
    to_arrow(x, &array, &schema);
    benchmark::DoNotOptimize(from_arrow(&array, &schema).size());
  }
}

void columns_out(benchmark::State& state) { out(state, columns()); }
void columns_out_and_in(benchmark::State& state) { out_and_in(state, columns()); }
void lists_out(benchmark::State& state) { out(state, lists()); }
void lists_out_and_in(benchmark::State& state) { out_and_in(state, lists()); }
BENCHMARK(columns_out);
BENCHMARK(columns_out_and_in);
BENCHMARK(lists_out);
BENCHMARK(lists_out_and_in);

}  // namespace
}  // namespace serrate
