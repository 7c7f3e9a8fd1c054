// Histograms: each block counts in shared memory, several copies of it, and adds up what it has at
// the end. See generator.h.
#include <bit>

#include "cuda/functions.h"
#include "cuda/generator.h"

namespace serrate::cuda {

namespace {

// Bytes of shared memory for one histogram, and for all of a kernel.
constexpr int kRoom = 16384, kAllRoom = 32768;

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
    if (!o.histogram || !is_ours(o.frame)) continue;
    const int bytes = o.column->args[1] ? 8 : 4;
    if (o.column->axis.size() > kRoom / bytes || room < kRoom) continue;
    room -= kRoom;
    SharedBins b{i, e_.fresh("bins"), e_.fresh("copies"),
                 a_.structural("long long", static_cast<uint64_t>(o.column->axis.size()))};
    const std::string type = bytes == 8 ? "double" : "unsigned", n = std::to_string(kRoom / bytes);
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
    const bool counts = !nest_.outputs()[b.output].column->args[1];
    Scope in = Emitter::inside(s);
    Emitter::line(in, std::string(counts ? "unsigned long long" : "double") + " all = 0;");
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
  std::string x;
  append_cast(x, c.args[0]->dtype, DType::float64, e_.value(c.args[0], k, s));
  const std::string n = a_.structural("long long", static_cast<uint64_t>(c.axis.bins));
  const std::string bin = e_.fresh("bin");
  Emitter::line(s, "long long " + bin + " = sr_bin(" + x + ", " +
                       a_.structural("double", std::bit_cast<uint64_t>(c.axis.lo)) + ", " +
                       a_.structural("double", std::bit_cast<uint64_t>(c.axis.hi - c.axis.lo)) +
                       ", " + n + ");");
  std::string amount = block.empty() ? "1ull" : "1u";
  if (c.args[1]) {
    amount.clear();
    append_cast(amount, c.args[1]->dtype, DType::float64, e_.value(c.args[1], k, s));
  }
  std::string condition = one_lane ? "lane == 0" : "";
  if (!c.axis.flow) {
    Emitter::line(s, "--" + bin + ";");
    condition += (condition.empty() ? "" : " && ") + bin + " >= 0 && " + bin + " < " + n;
  }
  Emitter::line(s, (condition.empty() ? "" : "if (" + condition + ") ") + "atomicAdd(&" + bins +
                       "[" + bin + "], " + amount + ");");
}

}  // namespace serrate::cuda
