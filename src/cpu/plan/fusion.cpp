// When loops are compiled: see fusion.h.
#include "cpu/plan/fusion.h"

#include <stdexcept>

#include "core/seams.h"
#include "cpu/machine/pool.h"
#include "cpu/program/loop_text.h"

namespace serrate::cpu {

void FusedLoop::compile_if_hot() {
  if (items_.load(std::memory_order_relaxed) < seams().hot || tried_ || in_parallel()) return;
  if (!block_compiler() || tried_.exchange(true)) return;
  CompiledBlock made = block_compiler()(text_, LoopText::kName);
  if (made.block == nullptr && asserting())
    throw std::logic_error("a loop around a function was not compiled:\n" + text_);
  owner_ = std::move(made.owner);
  block_.store(made.block, std::memory_order_release);
}

}  // namespace serrate::cpu
