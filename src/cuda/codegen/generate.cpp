// From frames to kernels: see generate.h.
#include <algorithm>
#include <bit>

#include "core/seams.h"
#include "core/types/reducer_info.h"
#include "cuda/codegen/functions.h"
#include "cuda/codegen/generator.h"
#include "cuda/schedule/facts.h"
#include "graph/evaluate.h"
#include "serrate/error.h"

namespace serrate::cuda {

NewKernels Generator::make(Plan plan) {
  out_->error = a_.output("Error");
  e_.error_field = out_->error;
  place_outputs();
  for (const WalkPlan& p : plan.walks) {
    const std::string name = "walk" + std::to_string(out_->walks.size());
    Walk& w = out_->walks.emplace_back();
    w.name = name;
    write(w, p);
  }
  join_sums();
  unit_stores();
  out_->is_in_memory = forced_.memory || a_.sources().size() > static_cast<size_t>(seams().words);
  out_->text = a_.declaration();
  for (const KernelCode& k : code_)
    print(out_->text, k, out_->is_in_memory ? ArgumentsIn::memory : ArgumentsIn::parameter);
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

namespace {

/// What a cell holds before anything is added to it.
uint64_t nothing(const Column& c) {
  return std::bit_cast<uint64_t>(identity(c.reducer, c.dtype).i);
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

Text Generator::ordinal(Cursor& k) {
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

void Generator::write(Walk& w, const WalkPlan& plan) {
  walk_ = &w;
  w.group = plan.group;
  w.schedule = plan.schedule;
  w.keeps_order = plan.keeps_order;
  w.items = a_.source(w.group.items ? Source::items : Source::driven, root_of(w).space.get());
  if (w.is<BinnedByLength>()) return binned(w);
  if (const auto* split = std::get_if<SplitLists>(&w.schedule)) return cut(w, split->frame);
  unfolded_.clear();
  for (const Counted& x : plan.counted) append(w, x);
  if (!w.appends.empty()) {
    if (w.in_one_block()) return alone_kernel(w);
    if (w.by_warps() && w.appends[0].lengths >= 0) keep_bits(w);
    if (w.balanced()) sum_lengths(w);
    if (w.balanced()) use_inner_offsets(w);
    if (w.appends[0].sums.empty()) count_kernels(w);
  }
  w.balanced() ? balanced_kernel(w) : code_.push_back(kernel(w, w.name, -1));
}

/// What is appended of a frame, and where its items begin.
void Generator::append(Walk& w, const Counted& counted) {
  const Frame& f = nest_.frames()[static_cast<size_t>(counted.frame)];
  Append& x = w.appends.emplace_back();
  x.frame = counted.frame;
  x.level = counted.level;
  x.lengths = counted.lengths;
  x.owner = counted.owner;
  if (!w.in_one_block()) x.counts = a_.output("long long");
  x.begins = a_.output("long long");
  if (w.by_warps() || w.in_one_block()) x.seen = a_.output("long long");
  for (const Place& p : out_->places)
    x.needs_room |= p.frame == x.frame && !p.is_known && w.group.sinks != Sinks::but_appended &&
                    is_ours(x.frame);
  x.most = a_.source(Source::most, f.space.get());
  if (x.lengths < 0) return;
  const auto which = static_cast<size_t>(x.lengths);
  out_->places[which].is_offsets = true;
  const Column* const lengths = nest_.outputs()[which].column.get();
  // In one block others may ask for what is counted.
  if (w.per_item()) unfolded_.push_back(e_.first_like(lengths));
  if (w.in_one_block() && !is_ranked(*f.space)) unfolded_.push_back(lengths);
}

NewKernels generate(Nest& nest, const Forced& forced) {
  for (;;) {
    nest.find_checks();
    Plan all = plan(nest, forced);
    if (!all.missing) return Generator(nest, forced).make(std::move(all));
    // Lengths of derived lists along axis 0, which only what is written asks for.
    nest.add_fold(all.missing);
  }
}

}  // namespace serrate::cuda
