// JSON in, beside simdjson's own parser, which makes a tree of a text and no columns: each file
// of the folder SERRATE_BENCH_JSON.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#if defined(SERRATE_SIMDJSON)
#include <simdjson.h>
#endif

#include "serrate/json.h"

namespace serrate {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void read(benchmark::State& state, const std::string& text, bool lines) {
  for (auto _ : state) benchmark::DoNotOptimize(from_json(text, {.line_delimited = lines}));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}

#if defined(SERRATE_SIMDJSON)
void parse(benchmark::State& state, const std::string& text, bool lines) {
  const simdjson::padded_string padded(text);
  simdjson::dom::parser parser;
  for (auto _ : state) {
    size_t failed = 0;
    if (lines) {
      simdjson::dom::document_stream documents;
      failed += parser.parse_many(padded).get(documents) != simdjson::SUCCESS;
      for (auto document : documents) failed += document.error() != simdjson::SUCCESS;
    } else {
      failed += parser.parse(padded).error() != simdjson::SUCCESS;
    }
    if (failed != 0) state.SkipWithError("no JSON");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
#endif

const bool kFilesAreThere = [] {
  const char* folder = std::getenv("SERRATE_BENCH_JSON");
  if (folder == nullptr) return false;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool lines = name.ends_with(".ndjson");
    if (!lines && !name.ends_with(".json")) continue;
    const std::string text = text_of(entry.path());
    benchmark::RegisterBenchmark(("from_json " + name).c_str(), read, text, lines);
#if defined(SERRATE_SIMDJSON)
    benchmark::RegisterBenchmark(("simdjson " + name).c_str(), parse, text, lines);
#endif
  }
  return true;
}();

}  // namespace
}  // namespace serrate
