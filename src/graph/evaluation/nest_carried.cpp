// Picks that an argmin or argmax carries along: see Nest::carrier.
#include <algorithm>

#include "graph/extremes.h"
#include "graph/nest.h"

namespace serrate::graph {

const Column* Nest::carrier(const Column& pick) const {
  if (!carries_picks_ || pick.kind != ColumnKind::pick) return nullptr;
  if (const Column* const* known = carriers_.find(&pick)) return *known;
  return carriers_.set(&pick, extreme_carrying(pick));
}

const std::vector<const Column*>& Nest::carried(const Column& extreme) const {
  static const std::vector<const Column*>& none = *new std::vector<const Column*>;
  const auto is_like = [&](const Carried& x) {
    return x.extreme == &extreme || same(ColumnRef(x.extreme), ColumnRef(&extreme));
  };
  const auto at = std::ranges::find_if(carried_, is_like);
  return at == carried_.end() ? none : at->picks;
}

const Column* Nest::first_carried(const Column& pick) const {
  const auto& all = carried(*carrier(pick));
  const auto is_like = [&](const Column* x) { return same(x->args[0], pick.args[0]); };
  return *std::ranges::find_if(all, is_like);
}

void Nest::demand_carried(const Column& pick, const Column& extreme, int f) {
  int owner = f;
  while (frames_[owner].space->depth >= pick.over->depth) owner = frames_[owner].parent;
  demand(pick.args[0], fold_frame(owner, ColumnRef(&extreme)));
  const auto is_like = [&](const Carried& x) {
    return same(ColumnRef(x.extreme), ColumnRef(&extreme));
  };
  auto at = std::ranges::find_if(carried_, is_like);
  if (at == carried_.end()) at = carried_.insert(carried_.end(), {&extreme, {}});
  const auto has_value = [&](const Column* x) { return same(x->args[0], pick.args[0]); };
  if (std::ranges::none_of(at->picks, has_value)) at->picks.push_back(&pick);
}

}  // namespace serrate::graph
