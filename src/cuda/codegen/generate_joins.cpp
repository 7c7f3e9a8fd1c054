// Accumulators of several threads joined: see generator.h.
#include "cuda/codegen/functions.h"
#include "cuda/codegen/generator.h"

namespace serrate::cuda {

void Generator::join_lanes(const Accumulator& acc, Scope& s) {
  const std::string n = std::to_string(walk_->lanes());
  const std::string mask = walk_->lanes() == 32 ? "~0u"
                                                : "(" + std::to_string((1u << walk_->lanes()) - 1) +
                                                      "u << (threadIdx.x & " +
                                                      std::to_string(32 - walk_->lanes()) + "))";
  join_shuffled(acc, mask, "lane ^ d", n, n, s);
}

void Generator::join_shuffled(const Accumulator& acc, const std::string& mask,
                              const std::string& lane, const std::string& size,
                              const std::string& width, Scope& s) {
  Scope in = Emitter::inside(s);
  const auto handed = [&](const std::string& name, const Text& from) {
    Emitter::line(in, "const auto " + name + " = sr_lane(" + mask + ", " + from + ", " + lane +
                          ", " + width + ");");
  };
  handed("other", acc.name);
  if (!acc.index.empty()) handed("at", acc.index);
  e_.join(in, acc, "other", "at");
  Emitter::close(s, "for (int d = 1; d < " + size + "; d *= 2)", in);
}

void Generator::block_parts(Walk& w, Scope& s) {
  for (const auto& [into, acc] : folds_) {
    if (into != 0) continue;
    UnitFold u;
    u.column = acc.column;
    const std::string type(Emitter::value_type(acc.column));
    u.parts = a_.output(type);
    if (!acc.index.empty()) u.part_indexes = a_.output("long long");
    join_block(acc, s);
    Emitter::line(
        s,
        "if (threadIdx.x == 0) { " + u.parts + "[blockIdx.x] = " + acc.name + ";" +
            (acc.index.empty() ? "" : " " + u.part_indexes + "[blockIdx.x] = " + acc.index + ";") +
            " }");
    w.unit_folds.push_back(u);
  }
}

void Generator::join_block(const Accumulator& acc, Scope& s) {
  Scope in = Emitter::inside(s);
  const std::string type(Emitter::value_type(acc.column));
  const bool index = !acc.index.empty();
  Emitter::line(in, "__shared__ __align__(16) unsigned char room[32 * sizeof(" + type + ")];");
  Emitter::line(in, type + "* part = (" + type + "*)room;");
  if (index) Emitter::line(in, "__shared__ long long part_at[32];");
  join_shuffled(acc, "~0u", "(threadIdx.x & 31) ^ d", "32", "32", in);
  Emitter::line(in, "if ((threadIdx.x & 31) == 0) { part[threadIdx.x >> 5] = " + acc.name + ";" +
                        (index ? " part_at[threadIdx.x >> 5] = " + acc.index + ";" : "") + " }");
  Emitter::line(in, "__syncthreads();");
  Scope first = Emitter::inside(in);
  e_.join(first, acc, "part[k]", "part_at[k]");
  Emitter::close(in, "if (threadIdx.x == 0) for (int k = 1; k < (int)(blockDim.x >> 5); k++)",
                 first);
  Emitter::line(in, "__syncthreads();");
  Emitter::close(s, "", in);
}

void Generator::last_block(Walk& w, Scope& s) {
  const auto put = [&](const Text& t) { Emitter::line(s, t); };
  last_arrived("0", "gridDim.x", s);
  for (UnitFold& u : w.unit_folds) {
    const Accumulator acc = e_.declare(u.column, s);
    Scope in = Emitter::inside(s);
    e_.join(in, acc, u.parts + "[k]", u.part_indexes.empty() ? "" : u.part_indexes + "[k]");
    Emitter::close(s, "for (int k = threadIdx.x; k < (int)gridDim.x; k += blockDim.x)", in);
    join_block(acc, s);
    u.result = a_.output(type_text(u.column->dtype));
    put("if (threadIdx.x == 0) " + u.result + "[0] = " + Emitter::result(acc) + ";");
    e_.unit_results.emplace_back(u.column, u.result + "[0]");
  }
}

}  // namespace serrate::cuda
