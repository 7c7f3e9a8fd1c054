// Tuples of short lists: a warp takes 32 lists and shares out their tuples evenly.
//
// Each lane counts the tuples of its list; a scan over the lanes says where they begin. Lane k of a
// step then takes tuple number step * 32 + k of all lists together: it finds the list by bisection
// and the tuple by its rank. Values of one list stand next to each other in the warp, so they are
// joined in five steps, and the lane that has the list takes what was found for it.
#include "cuda/functions.h"
#include "cuda/generator.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

bool Generator::can_share_warps(const Walk& w) const {
  if (!folds_in_any_order(w)) return false;
  bool tuples = false;
  for (int c : nest_.frames()[w.group.root].children) {
    if (!is_walked(c)) continue;
    const Space& s = *nest_.frames()[c].space;
    if (!Emitter::is_ranked(s)) return false;
    tuples |= !is_plain(s);
  }
  return tuples;
}

void Generator::warps_walk(Walk& w, Cursor& unit, Scope& s) {
  const Frame& root = nest_.frames()[w.group.root];
  const StoredExtent e = stored_extent(root.space);
  const std::string size = a_.integer(e.size);
  const std::string first = first_item(*root.space, e.first);
  Emitter::line(s, "const int lane = threadIdx.x & 31;");
  Scope in = Emitter::inside(s);
  unit.scope = &in;
  const std::string i = e_.fresh("i");
  Emitter::line(in, "const bool mine = list0 + lane < " + size + ";");
  // Lanes without a list look at the last one, and do nothing with it.
  Emitter::line(in,
                "const long long " + i + " = " + first + " + min(list0 + lane, " + size + " - 1);");
  std::vector<Asked> asked;
  Cursor& k = stored_cursor(root.space, i, unit, in, asked);
  std::vector<Accumulator> done;
  for (int c : root.children) {
    if (!is_walked(c)) continue;
    std::vector<const Column*> into;
    collect(c, root.id, into);
    std::vector<Accumulator> accs;
    for (const Column* x : into) accs.push_back(e_.declare(x, in));
    warp_step(c, k, unit, in, first, accs, done);
    for (const Accumulator& acc : accs) {
      e_.remember(acc.column, k, in, Emitter::result(acc));
      done.push_back(acc);
    }
  }
  if (is_ours(root.id)) {
    Scope own = Emitter::inside(in);
    sinks(root.id, k, own, {});
    Emitter::call(in, own, "mine");
  }
  add_asked(asked, in);
  unit.scope = &s;
  Emitter::close(s, "for (long long list0 = t - lane; list0 < " + size + "; list0 += threads)", in);
}

/// A type that counts the tuples of 32 lists.
std::string Generator::counts_type(const Space& s) {
  double tuples = 32;
  for (const auto& b : s.bases) {
    if (b->kind != SpaceKind::list || b->extent.longest < 0) return "long long";
    const auto n = static_cast<double>(b->extent.longest);
    tuples *= s.kind == SpaceKind::combinations ? n * n : n;
  }
  return !s.bases.empty() && tuples < 1e9 ? "int" : "long long";
}

/// All tuples that 32 lists have in frame c.
void Generator::warp_step(int c, Cursor& k, Cursor& unit, Scope& s, const std::string& first,
                          const std::vector<Accumulator>& accs,
                          const std::vector<Accumulator>& done) {
  const Frame& root = nest_.frames()[walk_->group.root];
  const SpaceRef& space = nest_.frames()[c].space;
  const std::string end = e_.fresh("end"), begin = e_.fresh("begin"), total = e_.fresh("total");
  const std::string n = e_.length(space, k), type = counts_type(*space);
  Emitter::line(s, "const " + type + " " + begin + "n = mine ? (" + type + ")" + n + " : 0;");
  Emitter::line(s, "const " + type + " " + end + " = sr_warp_sum(" + begin + "n);");
  Emitter::line(s, "const " + type + " " + begin + " = " + end + " - " + begin + "n;");
  Emitter::line(s, "const " + type + " " + total + " = __shfl_sync(~0u, " + end + ", 31);");
  Scope step = Emitter::inside(s);
  Emitter::line(step, "const int list = sr_warp_list(" + end + ", p0);");
  Emitter::line(step, "const long long p = p0 + lane - __shfl_sync(~0u, " + begin + ", list);");
  Scope* saved = unit.scope;
  unit.scope = &step;
  std::vector<Asked> asked;
  const std::string i = e_.fresh("i");
  Emitter::line(step, "const long long " + i + " = " + first + " + list0 + list;");
  Scope in = Emitter::inside(step);
  Cursor& owner = stored_cursor(root.space, i, unit, in, asked);
  for (const Accumulator& acc : done) {
    // What is known of the list is in the registers of its lane.
    Accumulator there = acc;
    there.name = e_.fresh("s");
    Emitter::line(step,
                  "const auto " + there.name + " = sr_lane(~0u, " + acc.name + ", list, 32);");
    if (!acc.index.empty()) {
      there.index = e_.fresh("s");
      Emitter::line(step,
                    "const auto " + there.index + " = sr_lane(~0u, " + acc.index + ", list, 32);");
    }
    e_.remember(acc.column, owner, in, Emitter::result(there));
  }
  const size_t before = folds_.size();
  std::vector<Accumulator> items;
  for (const Accumulator& acc : accs) {
    items.push_back(e_.declare(acc.column, step));
    folds_.push_back({root.id, items.back()});
  }
  e_.ranked(space, owner, in, "p", [&](Cursor& item, Scope& inner) { body(c, item, inner); });
  folds_.resize(before);
  add_asked(asked, in);
  Emitter::call(step, in, "p0 + lane < " + total);
  if (!accs.empty()) {
    Emitter::line(step, "const int from = (int)max((" + type + ")0, " + begin + " - p0);");
    Emitter::line(step, "const bool found = mine && " + begin + " < p0 + 32 && " + end +
                            " > p0 && " + begin + " < " + end + ";");
  }
  for (size_t q = 0; q < accs.size(); q++) {
    const Accumulator& item = items[q];
    const bool index = !item.index.empty();
    Scope joins = Emitter::inside(step);
    Emitter::line(joins, "const auto other = sr_lane(~0u, " + item.name + ", lane + d, 32);");
    if (index)
      Emitter::line(joins, "const auto at = sr_lane(~0u, " + item.index + ", lane + d, 32);");
    Emitter::line(joins, "const int other_list = __shfl_down_sync(~0u, list, d);");
    Scope join = Emitter::inside(joins);
    e_.join(join, item, "other", "at");
    Emitter::close(joins, "if (lane + d < 32 && other_list == list)", join);
    Emitter::close(step, "for (int d = 1; d < 32; d *= 2)", joins);
    Scope take = Emitter::inside(step);
    Emitter::line(take, "const auto other = sr_lane(~0u, " + item.name + ", from & 31, 32);");
    if (index)
      Emitter::line(take, "const auto at = sr_lane(~0u, " + item.index + ", from & 31, 32);");
    Scope mine = Emitter::inside(take);
    e_.join(mine, accs[q], "other", "at");
    Emitter::close(take, "if (found)", mine);
    Emitter::close(step, "", take);
  }
  unit.scope = saved;
  Emitter::close(s, "for (" + type + " p0 = 0; p0 < " + total + "; p0 += 32)", step);
}

}  // namespace serrate::cuda
