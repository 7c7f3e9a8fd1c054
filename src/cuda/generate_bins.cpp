// Histograms: each block counts in shared memory, several copies of it, and adds up what it has at
// the end. See generator.h.
#include "cuda/functions.h"
#include "cuda/generator.h"

namespace serrate::cuda {

namespace {

// Bytes of shared memory for one histogram, and for all of a kernel.
constexpr int kRoom = 16384, kAllRoom = 32768;

/// What a block counts in.
std::string type_in_block(const Column& c) {
  if (!c.args[1]) return "unsigned";
  return c.dtype == DType::int64 ? "unsigned long long" : "double";
}

/// Adds to a cell, or keeps the smaller or larger value: in any order the same.
std::string adding(const Column& c, const std::string& cell, const std::string& amount) {
  if (c.reducer == Reducer::sum) return "atomicAdd(&" + cell + ", " + amount + ")";
  const std::string name = c.reducer == Reducer::min ? "min" : "max";
  if (c.dtype == DType::float64) return "sr_atomic_" + name + "(&" + cell + ", " + amount + ")";
  const std::string at = "(long long*)&" + cell;
  return (name == "min" ? "atomicMin(" : "atomicMax(") + at + ", (long long)" + amount + ")";
}

}  // namespace

std::string Generator::bins_in_block(size_t output) const {
  for (const SharedBins& b : shared_bins_) {
    if (b.output == output) return b.name;
  }
  return {};
}

/// Only where no more blocks run than fit: each must add up all its bins.
void Generator::declare_bins(const Walk& w, Scope& s) {
  shared_bins_.clear();
  if (!w.resident) return;
  int room = kAllRoom;
  for (size_t i = 0; i < nest_.outputs().size(); i++) {
    const auto& o = nest_.outputs()[i];
    if (!o.histogram || !is_ours(o.frame) || o.column->reducer != Reducer::sum) continue;
    const int bytes = o.column->args[1] ? 8 : 4;
    const int64_t size = o.column->space->size;
    if (size == 0 || size > kRoom / bytes || room < kRoom) continue;
    room -= kRoom;
    SharedBins b{i, e_.fresh("bins"), e_.fresh("copies"),
                 a_.structural("long long", static_cast<uint64_t>(size))};
    const std::string type = type_in_block(*o.column), n = std::to_string(kRoom / bytes);
    const auto put = [&](const std::string& t) { Emitter::line(s, t); };
    put("__shared__ " + type + " " + b.name + "_room[" + n + "];");
    put("for (int k = threadIdx.x; k < " + n + "; k += blockDim.x) " + b.name + "_room[k] = 0;");
    put("const int " + b.copies + " = min(8, (int)(" + n + " / " + b.size + "));");
    put(type + "* " + b.name + " = " + b.name + "_room + (threadIdx.x >> 5) % " + b.copies + " * " +
        b.size + ";");
    shared_bins_.push_back(b);
  }
  if (!shared_bins_.empty()) Emitter::line(s, "__syncthreads();");
}

void Generator::add_up_bins(Scope& s) {
  if (!shared_bins_.empty()) Emitter::line(s, "__syncthreads();");
  for (const SharedBins& b : shared_bins_) {
    const bool whole = nest_.outputs()[b.output].column->dtype == DType::int64;
    Scope in = Emitter::inside(s);
    Emitter::line(in, std::string(whole ? "unsigned long long" : "double") + " all = 0;");
    Emitter::line(in, "for (int c = 0; c < " + b.copies + "; c++) all += " + b.name + "_room[c * " +
                          b.size + " + k];");
    Emitter::line(in, "if (all != 0) atomicAdd(&" + out_->places[b.output].field + "[k], all);");
    Emitter::close(s, "for (int k = threadIdx.x; k < " + b.size + "; k += blockDim.x)", in);
  }
  shared_bins_.clear();
}

void Generator::fill(size_t output, Cursor& k, Scope& s, bool one_lane) {
  const Column& c = *nest_.outputs()[output].column;
  const std::string block = bins_in_block(output);
  const std::string& bins = block.empty() ? out_->places[output].field : block;
  const std::string cell = e_.fresh("cell");
  Emitter::line(s, "const long long " + cell + " = " + e_.value(c.args[0], k, s) + ";");
  std::string amount = block.empty() ? "1ull" : "1u";
  if (c.args[1]) {
    amount = e_.value(c.args[1], k, s);
    if (c.dtype == DType::int64) amount = "(unsigned long long)(" + amount + ")";
  }
  Emitter::line(s, "if (" + std::string(one_lane ? "lane == 0 && " : "") + "(unsigned long long)" +
                       cell + " < " +
                       a_.structural("unsigned long long", static_cast<uint64_t>(c.space->size)) +
                       ") " + adding(c, bins + "[" + cell + "]", amount) + ";");
}

}  // namespace serrate::cuda
