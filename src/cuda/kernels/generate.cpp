// From the plan of a nest to its kernels: see generate.h.
#include <algorithm>
#include <bit>

#include "core/seams.h"
#include "core/types/reducer_info.h"
#include "cuda/codegen/functions.h"
#include "cuda/kernels/appends.h"
#include "cuda/kernels/binned.h"
#include "cuda/kernels/split.h"
#include "cuda/kernels/tuples.h"
#include "graph/evaluate.h"
#include "serrate/error.h"

namespace serrate::cuda {

namespace {

class Generator : Part {
 public:
  explicit Generator(Writing& w) : Part(w) {}
  NewKernels make(const Plan& plan);

 private:
  void place_outputs();
  void write(const WalkPlan& plan);
  Text shown(size_t output, const Text& value);
  int store_unit(Scope& s);
  void unit_stores();
  void print_all();
};

/// What a cell holds before anything is added to it.
uint64_t nothing(const Column& c) {
  return std::bit_cast<uint64_t>(identity(c.reducer, c.dtype).i);
}

NewKernels Generator::make(const Plan& plan) {
  out_->error = a_.output_of(of_prelude("Error"));
  e_.error_field = out_->error;
  place_outputs();
  for (const WalkPlan& p : plan.walks) write(p);
  Histograms(writing_).join_sums();
  unit_stores();
  print_all();
  for (const Column* c : e_.checks()) out_->checks.push_back(a_.source(Source::given, c).object);
  for (const SpaceRef& s : e_.aligned())
    out_->aligned.push_back(a_.source(Source::given, s.get()).object);
  // The CPU makes one check of many rows before the next one.
  out_->tells_error = e_.knows_rows() && out_->checks.size() + out_->aligned.size() <= 1;
  out_->words = a_.sources();
  for (Walk& w : out_->walks) {  // what only the writing needs, and is of these trees
    w.group = {};
    for (Append& x : w.appends) x.parts.clear();
  }
  return {std::move(*out_), a_.objects()};
}

void Generator::place_outputs() {
  for (const auto& o : nest_.outputs()) {
    Place p;
    const bool counts = o.histogram && o.column->dtype == DType::int64;
    p.field = counts ? a_.output("unsigned long long") : a_.output(o.column->dtype);
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

void Generator::write(const WalkPlan& plan) {
  const std::string name = "walk" + std::to_string(out_->walks.size());
  Walk& w = out_->walks.emplace_back();
  w.name = name;
  w.group = plan.group;
  w.schedule = plan.schedule;
  w.keeps_order = plan.keeps_order;
  w.items =
      a_.source(w.group.items ? Source::items : Source::driven, frame(w.group.root).space.get());
  if (w.is<BinnedByLength>()) return Binned(writing_, w).write();
  if (const auto* split = std::get_if<SplitLists>(&w.schedule))
    return Split(writing_, w).write(split->frame);
  if (w.is<TuplesPerWarp>()) return Tuples(writing_, w).write();
  if (plan.counted.empty()) return Threads(writing_, w).write();
  if (w.balanced()) return Balanced(writing_, w).write(plan.counted);
  Appends(writing_, w).write(plan.counted);
}

/// Values that the host may look at, in pinned memory too: it need not ask for them.
Text Generator::shown(size_t output, const Text& value) {
  Place& p = out_->places[output];
  if (p.itemsize > 8 || out_->shown >= seams().shown) return {};
  if (out_->seen.empty()) out_->seen = a_.output("unsigned long long");
  p.shown = out_->shown++;
  return "*(" + std::string(type_text(nest_.outputs()[output].column->dtype)) + "*)(" + out_->seen +
         " + " + std::to_string(p.shown + 1) + ") = " + value + ";";
}

/// What is computed over the unit space; the number of values and checks.
int Generator::store_unit(Scope& s) {
  Cursor& unit = e_.unit_cursor(s);
  const auto& checks = frame(0).checks;
  auto stores = static_cast<int>(checks.size());
  for (const Column* c : checks) e_.value(ColumnRef(c), unit, s);
  for (size_t i = 0; i < nest_.outputs().size(); i++) {
    if (nest_.outputs()[i].frame != 0 || nest_.outputs()[i].histogram) continue;
    stores++;
    const Text v = e_.value(nest_.outputs()[i].column, unit, s);
    Emitter::line(s, out_->places[i].field + "[0] = " + v + ";");
    if (const Text too = shown(i, v); !too.empty()) Emitter::line(s, too);
  }
  return stores;
}

void Generator::unit_stores() {
  Scope s, all;
  const int stores = store_unit(s);
  if (stores > 0) Emitter::call(all, s, "threadIdx.x == 0");
  if (!out_->seen.empty())
    Emitter::line(all,
                  "if (threadIdx.x == 0) { __threadfence_system(); *(volatile unsigned long "
                  "long*)" +
                      out_->seen + " = 0; }");
  // The last block of the last walk that reduces everything knows it all.
  const auto last = std::find_if(out_->walks.rbegin(), out_->walks.rend(),
                                 [](const Walk& w) { return w.reduces_all(); });
  // More would make the kernel that everything is reduced by slower.
  const bool at_end = stores <= seams().at_end && last != out_->walks.rend();
  if (at_end) {
    const auto its = [&](const KernelCode& k) { return k.name == last->name; };
    std::ranges::find_if(writing_.code, its)->body.append(all.code);
  }
  if (stores == 0 || at_end) return;
  out_->unit = "unit";
  add_kernel(out_->unit, all, 1);
}

void Generator::print_all() {
  out_->is_in_memory =
      writing_.forced.memory || a_.sources().size() > static_cast<size_t>(seams().words);
  const ArgumentsIn in = out_->is_in_memory ? ArgumentsIn::memory : ArgumentsIn::parameter;
  for (const FoldStruct& f : writing_.folds) print(out_->text, f.code);
  out_->text += e_.function_texts() + a_.declaration();
  Uses uses = a_.uses();
  for (const FoldStruct& f : writing_.folds) uses.add(f.code.members.uses());
  for (const KernelCode& k : writing_.code) {
    print(out_->text, k, in);
    uses.add(k.body.uses());
  }
  out_->prelude = uses.names();
}

}  // namespace

NewKernels generate(Nest& nest, const Forced& forced) {
  for (;;) {
    nest.find_checks();
    const Plan all = plan(nest, forced);
    if (!all.missing) {
      Writing writing(nest, forced);
      return Generator(writing).make(all);
    }
    // Lengths of derived lists along axis 0, which only what is written asks for.
    nest.add_fold(all.missing);
  }
}

}  // namespace serrate::cuda
