// Runs a CPU plan.
#include "cpu/machine/scratch.h"
#include "cpu/plan/run_state.h"
#include "cpu/plan/walker.h"

namespace serrate::cpu {

namespace {

std::vector<graph::Written> run_once(const CpuPlan& plan, std::span<const void* const> objects,
                                     bool counts_rows) {
  Scratch& scratch = thread_scratch();
  ScratchScope scope(scratch);
  RunState run(plan, objects, scratch);
  run.counts_rows = counts_rows;
  Context ctx(plan, objects, scratch);
  run.own_first_sinks(ctx);
  ctx.states[0] = {1, 1, nullptr, 0, 0, 0, 0};
  Walker(plan, run, ctx).body(0);
  return run.results();
}

}  // namespace

std::vector<graph::Written> run(const CpuPlan& plan, std::span<const void* const> objects) {
  for (const Fusion& x : plan.fusions) x.loop->compile_if_hot();
  try {
    return run_once(plan, objects, false);
  } catch (const UncountedRow&) {
    return run_once(plan, objects, true);  // throws what it is, with its row
  }
}

}  // namespace serrate::cpu
