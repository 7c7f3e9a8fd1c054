// From frames to kernels: see generate.h.
#include <algorithm>
#include <bit>
#include <limits>
#include <string_view>

#include "core/seams.h"
#include "cuda/facts.h"
#include "cuda/functions.h"
#include "cuda/generator.h"
#include "graph/evaluate.h"
#include "serrate/error.h"

namespace serrate::cuda {

namespace {

/// Kernels that get the address of their arguments.
void take_from_memory(std::string& text) {
  // Volatile: a compiler that keeps thousands of them in registers takes minutes.
  const std::string_view from = kParameter, to = "(const volatile Arguments* arguments) {\n"
                                                 "  const volatile Arguments& a = *arguments;\n";
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

}  // namespace

NewKernels Generator::make() {
  out_->error = a_.output("Error");
  e_.error_field = out_->error;
  place_outputs();
  // In order of time, but for what turns out to need a later group's results.
  for (std::vector<Group> groups = group(nest_); !groups.empty();) {
    size_t next = 0;
    while (!write_if_known(groups[next], groups)) next++;
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(next));
  }
  join_sums();
  unit_stores();
  out_->is_in_memory = forced_.memory || a_.sources().size() > static_cast<size_t>(seams().words);
  if (out_->is_in_memory) take_from_memory(text_);
  out_->text = a_.declaration() + text_;
  for (const Column* c : e_.checks()) out_->checks.push_back(a_.source(Source::given, c).object);
  for (const SpaceRef& s : e_.aligned())
    out_->aligned.push_back(a_.source(Source::given, s.get()).object);
  // The CPU makes one check of many rows before the next one.
  out_->tells_error = e_.knows_rows() && out_->checks.size() + out_->aligned.size() <= 1;
  out_->words = a_.sources();
  for (Walk& w : out_->walks) {  // what only the writing needs, and is of these trees
    w.group = {};
    for (UnitFold& u : w.unit_folds) u.column = nullptr;
    for (Append& x : w.appends) x.parts.clear();
  }
  return {std::move(kernels_), a_.objects()};
}

bool Generator::write_if_known(const Group& g, const std::vector<Group>& later) {
  const size_t walks = out_->walks.size(), text = text_.size(), results = e_.unit_results.size();
  const std::vector<Place> places = out_->places;
  try {
    write_group(g);
    return true;
  } catch (const ComesFirst& needed) {
    const auto does_it = [&](const Fold& f) { return same(ColumnRef(f.column), needed.column); };
    if (&g == &later.back() || std::none_of(later.begin(), later.end(), [&](const Group& other) {
          return &other != &g &&
                 std::any_of(other.unit_folds.begin(), other.unit_folds.end(), does_it);
        }))
      throw;
    out_->walks.resize(walks);
    out_->places = places;
    text_.resize(text);
    e_.unit_results.resize(results);
    return false;
  }
}

void Generator::write_group(Group g) {
  std::vector<Group> parts{std::move(g)};
  if (split(parts[0])) {
    // Lists of very different lengths: counting and writing are balanced each by itself.
    parts.push_back(stores_group(nest_, appended_frames(parts[0])));
    parts[0].sinks = Sinks::but_appended;
  }
  const int kept = parts.size() == 2 ? kept_lengths(parts[0], parts[1]) : -1;
  Group whole;
  if (kept >= 0) {
    whole = std::move(parts[0]);
    whole.sinks = Sinks::all;
    parts.erase(parts.begin());
  }
  for (Group& part : parts) {
    Walk& w = out_->walks.emplace_back();
    w.kept.lengths = kept;
    w.kept.whole = whole;
    w.group = std::move(part);
    w.name = "walk" + std::to_string(out_->walks.size() - 1);
    choose(w);
    write(w);
  }
}

namespace {

/// What a cell holds before anything is added to it.
uint64_t nothing(const Column& c) {
  if (c.reducer == Reducer::sum) return 0;
  const bool least = c.reducer == Reducer::min;
  const double inf = std::numeric_limits<double>::infinity();
  if (c.dtype == DType::float64) return std::bit_cast<uint64_t>(least ? inf : -inf);
  return least ? uint64_t{std::numeric_limits<int64_t>::max()} : uint64_t{1} << 63;
}

}  // namespace

void Generator::place_outputs() {
  for (const auto& o : nest_.outputs()) {
    Place p;
    const bool truth = o.column->dtype == DType::boolean;
    p.field = a_.output(o.histogram && o.column->dtype == DType::int64 ? "unsigned long long"
                        : truth                                        ? "bool"
                                : type_text(o.column->dtype));
    p.frame = o.frame;
    p.histogram = o.histogram;
    if (o.histogram) p.nothing = nothing(*o.column);
    if (o.histogram && is_exact(*o.column)) p.sums = a_.output("unsigned long long");
    p.itemsize = o.histogram ? 8 : itemsize(o.column->dtype);
    p.is_known = o.histogram || known_size(o.space) >= 0;
    if (o.histogram)
      p.size = {.bits = static_cast<uint64_t>(o.column->space->size)};
    else if (p.is_known)
      p.size = a_.source(Source::positions, o.space.get());
    out_->places.push_back(p);
  }
}

std::string Generator::ordinal(Cursor& k) {
  const Space& s = *k.space;
  if (s.kind == SpaceKind::unit) return "0ll";
  if (s.kind == SpaceKind::rows) return k.domain;
  if (s.kind == SpaceKind::flat || s.kind == SpaceKind::aligned) return ordinal(*k.links[0]);
  if (is_stored(k.space)) {
    return facts_of(k.space).from_zero ? k.domain : "(" + k.domain + " - " + first_item(s) + ")";
  }
  if (s.kind == SpaceKind::fixed)
    return "(" + ordinal(*k.owner) + " * " + e_.length(k.space, *k.owner) + " + " + k.local + ")";
  return k.local;  // a slice of axis 0
}

std::string Generator::first_item(const Space& s) { return e_.number(Source::first, s); }

std::vector<int> Generator::appended_frames(const Group& g) const {
  std::vector<int> out;
  if (g.sinks == Sinks::but_appended) return out;
  for (int f : g.frames) {
    for (size_t i = 0; i < out_->places.size(); i++) {
      if (nest_.outputs()[i].frame != f || out_->places[i].is_known) continue;
      out.push_back(f);
      break;
    }
  }
  return out;
}

bool Generator::split(const Group& g) {
  const std::vector<int> appended = appended_frames(g);
  if (appended.empty() || g.items) return false;
  // Those are balanced.
  if (has_one_length(nest_, nest_.frames()[static_cast<size_t>(appended[0])])) return false;
  const Group alone = stores_group(nest_, appended);
  if (!alone.items) return false;
  Walk w;
  w.group = g;
  walk_ = &w;
  if (!can_bin(w)) return false;
  if (forced_.binned || forced_.lanes > 0) return forced_.binned;
  if (kept_lengths(g, alone) >= 0 && !is_few(g)) return true;
  // One thread a list writes far apart from its neighbours.
  const Frame& root = nest_.frames()[g.root];
  for (int c : root.children) {
    if (is_walked(c) && average(nest_.frames()[c].space) >= 8) return true;
  }
  return is_skewed(w);
}

/// The output that is the lengths of the lists of kept items, if that is all that `lists` is for.
int Generator::kept_lengths(const Group& lists, const Group& items) const {
  const std::vector<int> appended = appended_frames(items);
  if (appended.size() != 1 || !lists.unit_folds.empty() || !items.unit_folds.empty()) return -1;
  const Frame& f = nest_.frames()[appended[0]];
  const SpaceRef& from = nest_.frames()[items.root].space;
  if (facts_of(from->parent).items == 0) return -1;
  if (f.inside != items.root || f.space->kind != SpaceKind::select || from->kind != SpaceKind::list)
    return -1;
  const ColumnRef lengths = count(f.space);
  int which = -1;
  for (size_t i = 0; i < out_->places.size(); i++) {
    const auto& o = nest_.outputs()[i];
    if (std::find(lists.frames.begin(), lists.frames.end(), o.frame) == lists.frames.end() ||
        !out_->places[i].is_known)
      continue;
    if (which >= 0 || !are_lengths(o, f)) return -1;
    which = static_cast<int>(i);
  }
  for (int g : lists.frames) {
    if (!nest_.frames()[g].checks.empty()) return -1;
    for (const Fold& x : nest_.frames()[g].folds) {
      if (!same(ColumnRef(x.column), lengths)) return -1;
    }
  }
  return which;
}

/// Where lists of appended items belong to the walk's own items, their lengths need no output.
void Generator::use_offsets(Walk& w) {
  const Frame& root = nest_.frames()[w.group.root];
  // Another walk may have written them already.
  if (!w.per_item || !is_ours(root.id) || w.group.sinks == Sinks::appended) return;
  int at_root = 0, which = -1;
  for (size_t i = 0; i < out_->places.size(); i++) {
    if (nest_.outputs()[i].frame != root.id) continue;
    at_root++;
    which = static_cast<int>(i);
  }
  if (at_root != 1) return;
  const Nest::Output& lengths = nest_.outputs()[static_cast<size_t>(which)];
  for (Append& x : w.appends) {
    const Frame& f = nest_.frames()[x.frame];
    if (!are_lengths(lengths, f)) continue;
    x.lengths = which;
    out_->places[static_cast<size_t>(which)].is_offsets = true;
    unfolded_.push_back(e_.first_like(lengths.column.get()));
    return;
  }
}

/// Is the index among what this filter leaves, along axis 0, counted in the walk?
bool Generator::is_counted(const Walk& w, const Frame& f) const {
  return w.keeps_order && w.group.walks[static_cast<size_t>(f.id)] && f.inside >= 0 &&
         f.space->depth == 1;
}

bool Generator::counts_filters(const Walk& w) const {
  return std::any_of(nest_.frames().begin(), nest_.frames().end(),
                     [&](const Frame& f) { return is_counted(w, f); });
}

void Generator::write(Walk& w) {
  for (;;) {
    try {
      return write_once(w);
    } catch (const SharedIsFull&) {
      w.is_crowded = true;
      choose(w);
    } catch (const OrderMatters&) {
      if (w.kept.lengths >= 0) {
        // Indexes in lists are asked for: lists must be walked.
        w.kept.lengths = -1;
        w.group = w.kept.whole;
        choose(w);
        continue;
      }
      if (!w.keeps_order) {
        w.keeps_order = true;
        choose(w);
        w.lanes = 1;
      } else {
        // A thread must see the list from its beginning.
        Group& g = w.group;
        check<ValueError>(g.items, "cuda: the order of items is not known in {}", w.name);
        g.root = container(nest_, g.root);
        g.items = container(nest_, g.root) != 0;
        g.walks[static_cast<size_t>(g.root)] = true;
        choose(w);
        w.lanes = 1;
      }
    }
  }
}

void Generator::write_once(Walk& w) {
  for (const Append& x : w.appends) {
    if (x.lengths >= 0) out_->places[static_cast<size_t>(x.lengths)].is_offsets = false;
    if (x.inner >= 0) out_->places[static_cast<size_t>(x.inner)].is_offsets = false;
  }
  w.appends.clear();
  w.only_counts.clear();
  w.unit_folds.clear();
  w.counts.clear();
  w.temporaries.clear();
  w.steps.clear();
  w.kept.bits.clear();
  w.balanced = false;
  walk_ = &w;
  w.by_warps = false;
  if (w.schedule == Schedule::binned) return binned(w);
  if (w.schedule == Schedule::cut) return cut(w);
  const std::vector<int> appended = appended_frames(w.group);
  for (const Frame& f : nest_.frames()) {
    if (!w.group.walks[static_cast<size_t>(f.id)]) continue;
    if (is_counted(w, f) || std::find(appended.begin(), appended.end(), f.id) != appended.end())
      w.appends.emplace_back().frame = f.id;
  }
  w.by_warps = w.schedule == Schedule::items && w.appends.size() == 1 && !w.alone;
  unfolded_.clear();
  w.alone ? use_own_offsets(w) : use_offsets(w);
  w.balanced = can_balance(w);
  std::string counting;
  if (!w.appends.empty()) {
    for (Append& x : w.appends) {
      if (!w.alone) x.counts = a_.output("long long");
      x.begins = a_.output("long long");
      if (w.by_warps || w.alone) x.seen = a_.output("long long");
      x.needs_room = std::find(appended.begin(), appended.end(), x.frame) != appended.end();
      const Frame& f = nest_.frames()[static_cast<size_t>(x.frame)];
      x.most = a_.source(Source::most, f.space.get());
    }
    if (w.alone) {
      text_ += alone_kernel(w);
      return;
    }
    if (w.kept.lengths >= 0) keep_bits(w);
    if (w.balanced) sum_lengths(w);
    if (w.balanced) use_inner_offsets(w);
    if (w.appends[0].sums.empty()) counting = count_kernels(w);
  }
  const std::string text = w.balanced ? balanced_kernel(w) : kernel(w, w.name, -1);
  text_ += counting + text;
}

NewKernels generate(Nest& nest, const Forced& forced) {
  for (;;) {
    nest.find_checks();
    try {
      return Generator(nest, forced).make();
    } catch (const ComesFirst& needed) {
      // Lengths of derived lists along axis 0, which only the text asks for.
      nest.add_fold(needed.column);
    }
  }
}

}  // namespace serrate::cuda
