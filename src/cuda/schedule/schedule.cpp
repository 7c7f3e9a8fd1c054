// What schedules have in common, and what the environment asks for.
#include "cuda/schedule/schedule.h"

#include <cstdlib>
#include <string_view>

#include "serrate/error.h"

namespace serrate::cuda {

int lanes_of(const Schedule& s) {
  const auto* const l = std::get_if<LanesPerList>(&s);
  return l == nullptr ? 1 : l->lanes;
}

int unroll_of(const Schedule& s) {
  if (const auto* l = std::get_if<LanesPerList>(&s)) return l->unroll;
  if (const auto* i = std::get_if<ThreadPerItem>(&s)) return i->unroll;
  return 1;
}

bool is_resident(const Schedule& s) {
  if (const auto* l = std::get_if<LanesPerList>(&s)) return l->resident;
  if (const auto* i = std::get_if<ThreadPerItem>(&s)) return i->resident;
  if (const auto* t = std::get_if<TuplesPerWarp>(&s)) return t->resident;
  return false;
}

int items_per_thread(const Schedule& s) {
  if (std::holds_alternative<TuplesPerWarp>(s)) return 2;
  if (std::holds_alternative<AppendPerWarp>(s)) return 8;
  if (const auto* b = std::get_if<AppendPerBlock>(&s)) return b->chunk;
  return is_resident(s) ? 1 : unroll_of(s);
}

int lanes_for(double items) {
  int lanes = 1;
  // As measured: 10 items are done best by 2 lanes, 100 by 8.
  while (lanes < 32 && 14.0 * lanes - 6 <= items) lanes *= 2;
  return lanes;
}

Forced forced_schedule() {
  Forced f;
  const char* e = std::getenv("SERRATE_CUDA_SCHEDULE");
  if (e == nullptr) return f;
  const std::string_view s = e;
  f.binned = s == "binned";
  f.warps = s == "warps";
  f.cut = s == "cut";
  f.memory = s == "memory";
  f.many = s == "many";
  if (s.starts_with("lanes")) f.lanes = s.size() == 5 ? 1 : std::atoi(e + 5);
  check<ValueError>(f.binned || f.cut || f.warps || f.memory || f.many || f.lanes == 1 ||
                        f.lanes == 2 || f.lanes == 4 || f.lanes == 8 || f.lanes == 16 ||
                        f.lanes == 32 || s.empty(),
                    "SERRATE_CUDA_SCHEDULE: expected lanes, lanes2 ... lanes32, binned, cut, "
                    "warps, memory or many, got '{}'",
                    s);
  return f;
}

}  // namespace serrate::cuda
