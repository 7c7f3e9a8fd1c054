// What is computed over the unit space: see generator.h.
#include <algorithm>

#include "core/seams.h"
#include "cuda/codegen/functions.h"
#include "cuda/codegen/generator.h"

namespace serrate::cuda {

/// Values that the host may look at, in pinned memory too: it need not ask for them.
Text Generator::shown(size_t output, const Text& value) {
  Place& p = out_->places[output];
  if (p.itemsize > 8 || out_->shown >= seams().shown) return {};
  if (out_->seen.empty()) out_->seen = a_.output("unsigned long long");
  p.shown = out_->shown++;
  return "*(" + std::string(type_text(nest_.outputs()[output].column->dtype)) + "*)(" + out_->seen +
         " + " + std::to_string(p.shown + 1) + ") = " + value + ";";
}

void Generator::unit_stores() {
  const auto is_here = [&](size_t i) {
    return nest_.outputs()[i].frame == 0 && !nest_.outputs()[i].histogram;
  };
  Scope s;
  Cursor& unit = e_.unit_cursor(s);
  const auto& checks = nest_.frames()[0].checks;
  auto stores = static_cast<int>(checks.size());
  for (const Column* c : checks) e_.value(ColumnRef(c), unit, s);
  for (size_t i = 0; i < nest_.outputs().size(); i++) {
    if (!is_here(i)) continue;
    stores++;
    const Text v = e_.value(nest_.outputs()[i].column, unit, s);
    Emitter::line(s, out_->places[i].field + "[0] = " + v + ";");
    if (const Text too = shown(i, v); !too.empty()) Emitter::line(s, too);
  }
  Scope all;
  if (stores > 0) Emitter::call(all, s, "threadIdx.x == 0");
  if (!out_->seen.empty())
    Emitter::line(all,
                  "if (threadIdx.x == 0) { __threadfence_system(); *(volatile unsigned long "
                  "long*)" +
                      out_->seen + " = 0; }");
  // The last block of the last walk that reduces everything knows it all.
  const auto last = std::find_if(out_->walks.rbegin(), out_->walks.rend(),
                                 [](const Walk& w) { return !w.unit_folds.empty(); });
  // More would make the kernel that everything is reduced by slower.
  const bool at_end = stores <= seams().at_end && last != out_->walks.rend();
  if (at_end) {
    const auto its = [&](const KernelCode& k) { return k.name == last->name; };
    std::ranges::find_if(code_, its)->body.append(all.code);
  }
  if (stores == 0 || at_end) return;
  out_->unit = "unit";
  add_kernel(out_->unit, all, 1);
}

}  // namespace serrate::cuda
