// Calls of users' functions and the programs beside them as one loop: see fusion.h.
#include <algorithm>

#include "cpu/plan/emit.h"
#include "cpu/program/loop_text.h"

namespace serrate::cpu {

bool Emitter::can_fuse(const BlockOp& op) const {
  if (op.kind == BlockOp::program)
    return LoopText::can_say(segments_[static_cast<size_t>(op.a)].builder);
  return op.kind == BlockOp::call &&
         LoopText::can_say(*plan_.calls[static_cast<size_t>(op.a)].function);
}

void Emitter::fuse_calls(int f) {
  std::vector<BlockOp>& ops = cpu(f).ops;
  const auto is_call = [](const BlockOp& op) { return op.kind == BlockOp::call; };
  const auto fuses = [&](const BlockOp& op) { return can_fuse(op); };
  if (std::ranges::none_of(ops, is_call)) return;
  std::vector<BlockOp> out;
  for (auto at = ops.begin(); at != ops.end();) {
    const auto end = std::find_if_not(at, ops.end(), fuses);
    // A call alone is a loop already.
    if (end - at > 1 && std::any_of(at, end, is_call)) {
      plan_.fusions.push_back(fused({at, end}));
      out.push_back({BlockOp::fused, static_cast<int>(plan_.fusions.size()) - 1});
    } else {
      out.insert(out.end(), at, end);
    }
    at = end;
    if (at != ops.end()) out.push_back(*at++);
  }
  ops = std::move(out);
}

Fusion Emitter::fused(std::span<const BlockOp> ops) {
  LoopText loop;
  std::vector<int> inside(plan_.slots.size());
  for (const BlockOp& op : ops) {
    count_reads(op, inside);
    if (op.kind == BlockOp::program) {
      loop.add(segments_[static_cast<size_t>(op.a)].builder);
    } else {
      const Call& c = plan_.calls[static_cast<size_t>(op.a)];
      loop.add(*c.function, c.inputs, c.where, c.outputs);
    }
  }
  const std::vector<int> all = reads();
  const auto is_stored = [&](int s) {
    const auto i = static_cast<size_t>(s);
    return plan_.slots[i].kind != Slot::vector || all[i] > inside[i];
  };
  LoopText::Loop made = std::move(loop).finish(is_stored);
  return {{ops.begin(), ops.end()},
          std::move(made.slots),
          std::make_unique<FusedLoop>(std::move(made.text))};
}

void Emitter::count_reads(const BlockOp& op, std::vector<int>& times) const {
  const auto read = [&](int slot) {
    if (slot >= 0) times[static_cast<size_t>(slot)]++;
  };
  const auto a = static_cast<size_t>(op.a);
  switch (op.kind) {
    case BlockOp::program:
      segments_[a].builder.each_slot_read(read);
      break;
    case BlockOp::call:
      std::ranges::for_each(plan_.calls[a].inputs, read);
      read(plan_.calls[a].where);
      break;
    case BlockOp::expand:
    case BlockOp::repeat:
    case BlockOp::compress:
      read(op.a);
      break;
    case BlockOp::check:
      read(op.a);
      read(plan_.checks[static_cast<size_t>(op.b)].index_slot);
      read(plan_.checks[static_cast<size_t>(op.b)].size_slot);
      break;
    case BlockOp::fold:
      read(plan_.accums[a].value);
      read(plan_.accums[a].valid);
      break;
    case BlockOp::histogram:
      read(plan_.histograms[a].cell);
      read(plan_.histograms[a].weight);
      break;
    case BlockOp::lines:
      read(plan_.lines[a].first);
      break;
    case BlockOp::gathered:
      read(plan_.gathered[a].first);
      break;
    case BlockOp::bounds:
      read(plan_.bounds[a].slot);
      break;
    case BlockOp::fused:
      for (const BlockOp& inner : plan_.fusions[a].ops) count_reads(inner, times);
      break;
    case BlockOp::strided:
    case BlockOp::positions:
    case BlockOp::local:
    case BlockOp::cycle:
    case BlockOp::child:
    case BlockOp::filter:
      break;  // what walks read is the frames'
  }
}

std::vector<int> Emitter::reads() const {
  std::vector<int> times(plan_.slots.size());
  for (const CpuFrame& c : plan_.frames) {
    for (const BlockOp& op : c.ops) count_reads(op, times);
    for (const int s : {c.starts, c.stops, c.predicate, c.offsets_slot})
      if (s >= 0) times[static_cast<size_t>(s)]++;
  }
  return times;
}

}  // namespace serrate::cpu
