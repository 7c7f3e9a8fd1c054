// Histograms in shared memory: see histograms.h.
#include "cuda/kernels/histograms.h"

#include "cuda/codegen/functions.h"

namespace serrate::cuda {

namespace {

/// The type of what a block counts in.
std::string type_in_block(const Column& c) {
  if (cell_words(c).bytes == 4) return "unsigned";
  return c.dtype == DType::int64 ? "unsigned long long" : "double";
}

std::string exact_sum(const Place& p, const std::string& cell) {
  return p.sums + " + " + std::to_string(kExactBytes / 8) + " * " + cell;
}

/// Adds to a cell, or keeps the smaller or larger value: in any order the same.
Text adding(const Column& c, const std::string& cell, const Text& amount) {
  if (c.reducer == Reducer::sum) return "atomicAdd(&" + cell + ", " + amount + ")";
  const std::string name = c.reducer == Reducer::min ? "min" : "max";
  if (c.dtype == DType::float64)
    return prelude_call(name == "min" ? "sr_atomic_min" : "sr_atomic_max", {"&" + cell, amount});
  // Few cells soon hold what most items do not change: those need not wait for each other.
  const std::string better = name == "min" ? "v < *at" : "v > *at";
  const std::string keep = name == "min" ? "atomicMin(at, v)" : "atomicMax(at, v)";
  return "{ long long* at = (long long*)&" + cell + "; const long long v = (long long)" + amount +
         "; if (" + better + ") " + keep + "; }";
}

}  // namespace

std::string Histograms::bins_in_block(size_t output) const {
  for (const SharedBins& b : shared_bins_) {
    if (b.output == output) return b.name;
  }
  return {};
}

/// Only where no more blocks run than fit: each must add up all its bins.
void Histograms::declare(const Walk& w, Scope& s) {
  shared_bins_.clear();
  if (!w.resident()) return;
  for (const size_t i : histograms_in_block(nest_, w.group)) {
    const Column& c = *nest_.outputs()[i].column;
    const CellWords in = cell_words(c);
    const std::string type = type_in_block(c);
    const int64_t size = c.space->size, words = size * in.words;
    SharedBins b{i, e_.fresh("bins"), e_.fresh("copies"),
                 a_.structural("long long", static_cast<uint64_t>(size)),
                 in.words > 1 ? a_.structural("long long", static_cast<uint64_t>(words)) : ""};
    if (b.words.empty()) b.words = b.size;
    const std::string n = std::to_string(kHistogramBytes / in.bytes);
    const auto put = [&](const Text& t) { Emitter::line(s, t); };
    put("__shared__ " + type + " " + b.name + "_room[" + n + "];");
    put("for (int k = threadIdx.x; k < " + n + "; k += blockDim.x) " + b.name +
        "_room[k] = " + (in.words > 1 ? of_prelude("sr_exact_bias") : Text("0")) + ";");
    put("const int " + b.copies + " = min(8, (int)(" + n + " / " + b.words + "));");
    put(type + "* " + b.name + " = " + b.name + "_room + (threadIdx.x >> 5) % " + b.copies + " * " +
        b.words + ";");
    shared_bins_.push_back(b);
  }
  if (!shared_bins_.empty()) Emitter::line(s, "__syncthreads();");
}

void Histograms::add_up(Scope& s) {
  if (!shared_bins_.empty()) Emitter::line(s, "__syncthreads();");
  for (const SharedBins& b : shared_bins_) {
    const bool whole = nest_.outputs()[b.output].column->dtype == DType::int64;
    const Place& p = out_->places[b.output];
    Scope in = Emitter::inside(s);
    if (!p.sums.empty()) {
      Emitter::line(in, prelude_call("sr_exact_flush", {b.name + "_room + 6 * k", b.copies,
                                                        "(int)" + b.words, exact_sum(p, "k")}) +
                            ";");
    } else {
      Emitter::line(in, std::string(whole ? "unsigned long long" : "double") + " all = 0;");
      Emitter::line(in, "for (int c = 0; c < " + b.copies + "; c++) all += " + b.name +
                            "_room[c * " + b.size + " + k];");
      Emitter::line(in, "if (all != 0) atomicAdd(&" + p.field + "[k], all);");
    }
    Emitter::close(s, "for (int k = threadIdx.x; k < " + b.size + "; k += blockDim.x)", in);
  }
  shared_bins_.clear();
}

void Histograms::fill(size_t output, Cursor& k, Scope& s, bool one_lane) {
  const Column& c = *nest_.outputs()[output].column;
  const std::string block = bins_in_block(output);
  const Place& place = out_->places[output];
  const std::string& bins = block.empty() ? place.field : block;
  const std::string cell = e_.fresh("cell");
  Emitter::line(s, "const long long " + cell + " = " + e_.value(c.args[0], k, s) + ";");
  Text amount = block.empty() ? "1ull" : "1u";
  if (c.args[1]) {
    amount = e_.value(c.args[1], k, s);
    if (c.dtype == DType::int64) amount = "(unsigned long long)(" + amount + ")";
  }
  Text add = adding(c, bins + "[" + cell + "]", amount);
  if (!place.sums.empty()) {
    const std::string sum = exact_sum(place, cell);
    add = block.empty()
              ? prelude_call("sr_exact_add", {sum, amount})
              : prelude_call("sr_exact_add_block", {block + " + 6 * " + cell, sum, amount});
  }
  Emitter::line(s, "if (" + std::string(one_lane ? "lane == 0 && " : "") + "(unsigned long long)" +
                       cell + " < " +
                       a_.structural("unsigned long long", static_cast<uint64_t>(c.space->size)) +
                       ") " + add + ";");
}

void Histograms::join_sums() {
  for (size_t i = 0; i < out_->places.size(); i++) {
    Place& p = out_->places[i];
    if (p.sums.empty()) continue;
    p.join = "sums" + std::to_string(i);
    Scope s;
    Emitter::line(s, "const long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x;");
    const auto size = static_cast<uint64_t>(nest_.outputs()[i].column->space->size);
    Emitter::line(s, "if (k < " + a_.structural("long long", size) + ") " + p.field +
                         "[k] = " + prelude_call("sr_exact_value", {exact_sum(p, "k")}) + ";");
    add_kernel(p.join, s);
  }
}

}  // namespace serrate::cuda
