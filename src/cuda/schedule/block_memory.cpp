// Sizes of shared memory: see block_memory.h.
#include "cuda/schedule/block_memory.h"

#include <algorithm>

#include "cuda/schedule/ranked.h"
#include "cuda/schedule/schedule.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

using namespace graph;

namespace {

constexpr int kWarps = kThreads / 32;
// Static shared memory is 48 KiB on every GPU; the prelude's functions take a little of it.
constexpr int kMost = 46 << 10;
constexpr size_t kMostHistograms = 2;

void collect(const Nest& nest, const Group& g, int c, int into, std::vector<const Column*>& out) {
  const Frame& f = nest.frames()[static_cast<size_t>(c)];
  if (std::ranges::find(g.frames, c) != g.frames.end()) {
    for (const Fold& x : f.folds) {
      const auto is_it = [&](const Column* o) { return same(ColumnRef(o), ColumnRef(x.column)); };
      if (x.into == into && !is_count_of_ranked(*x.column) && std::ranges::none_of(out, is_it))
        out.push_back(x.column);
    }
  }
  for (int inner : f.children) collect(nest, g, inner, into, out);
  for (int inner : f.filters) collect(nest, g, inner, into, out);
}

}  // namespace

bool is_exact(const Column& c) {
  return c.reducer == Reducer::sum && c.args[1] && c.dtype == DType::float64 &&
         c.space->size <= kMostExactCells;
}

CellWords cell_words(const Column& c) {
  if (is_exact(c)) return {4, 6};
  return {c.args[1] ? 8 : 4, 1};
}

std::vector<size_t> histograms_in_block(const Nest& nest, const Group& g) {
  std::vector<size_t> out;
  for (size_t i = 0; i < nest.outputs().size() && out.size() < kMostHistograms; i++) {
    const Nest::Output& o = nest.outputs()[i];
    if (!o.histogram || o.column->reducer != Reducer::sum ||
        std::ranges::find(g.frames, o.frame) == g.frames.end())
      continue;
    const CellWords in = cell_words(*o.column);
    const int64_t size = o.column->space->size;
    if (size > 0 && size * in.words <= kHistogramBytes / in.bytes) out.push_back(i);
  }
  return out;
}

bool counts_tuples_in_int(const Space& s) { return counts_in_int(s, kListsPerWarp); }

std::vector<SpaceRef> tuple_bases(const SpaceRef& s) {
  std::vector<SpaceRef> out;
  for (const SpaceRef& b : is_plain(*s) ? std::vector{s} : s->bases) {
    if (b->kind == SpaceKind::list && std::ranges::find(out, b) == out.end()) out.push_back(b);
  }
  return out;
}

Extent warp_extent(int itemsize, int behind) {
  const int at = (behind + itemsize - 1) / itemsize * itemsize;
  return {at, at + kListsPerWarp * itemsize};
}

int64_t fold_bytes(const Nest& nest, const std::vector<Folded>& folded) {
  int64_t end = 0, alignment = 1;
  const auto add = [&](int64_t size, int64_t aligned) {
    end = (end + aligned - 1) / aligned * aligned + size;
    alignment = std::max(alignment, aligned);
  };
  const auto add_value = [&](DType t) {
    add(itemsize(t), is_complex(t) ? itemsize(t) / 2 : itemsize(t));
  };
  for (const Folded& x : folded) {
    add_value(accumulator_type(*x.column));
    if (!has_index(*x.column)) continue;
    add(x.narrow ? 4 : 8, x.narrow ? 4 : 8);
    if (keeps_first(nest, *x.column)) add(8, 8);
    for (const Column* pick : nest.carried(*x.column)) add_value(pick->dtype);
  }
  return std::max<int64_t>(1, (end + alignment - 1) / alignment * alignment);
}

bool warps_fit(const Nest& nest, const Group& g, bool histograms) {
  int bytes = 0;
  const auto add = [&](int itemsize) { bytes = warp_extent(itemsize, bytes).end; };
  for (int c : nest.frames()[static_cast<size_t>(g.root)].children) {
    if (!g.walks[static_cast<size_t>(c)]) continue;
    const SpaceRef& space = nest.frames()[static_cast<size_t>(c)].space;
    const int count = counts_tuples_in_int(*space) ? 4 : 8;
    add(4);      // whose tuples these are
    add(count);  // and the first one's number
    std::vector<Folded> folded;
    for (const Column* x : folds_into(nest, g, c, g.root)) folded.push_back({x});
    add(static_cast<int>(fold_bytes(nest, folded)));
    for (const SpaceRef& b : tuple_bases(space)) {
      add(count);                // their lengths
      if (is_in_int(b)) add(4);  // where they begin
    }
  }
  const size_t n = histograms ? histograms_in_block(nest, g).size() : 0;
  return kWarps * bytes + kHistogramBytes * static_cast<int>(n) <= kMost;
}

std::vector<const Column*> folds_into(const Nest& nest, const Group& g, int c, int into) {
  std::vector<const Column*> out;
  if (g.sinks != Sinks::appended) collect(nest, g, c, into, out);
  return out;
}

}  // namespace serrate::cuda
