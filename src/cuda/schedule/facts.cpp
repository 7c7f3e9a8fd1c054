// Sizes of lists, rounded: see facts.h.
#include "cuda/schedule/facts.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <functional>
#include <string_view>

#include "core/seams.h"
#include "graph/backend.h"
#include "graph/evaluate.h"
#include "graph/lengths.h"

namespace serrate::cuda {

using namespace graph;

namespace {

constexpr int kDropped = 48;  // bits of a double: 4 of the mantissa stay

double rounded_down(double x) {
  return std::bit_cast<double>(std::bit_cast<uint64_t>(x) >> kDropped << kDropped);
}
double rounded_up(double x) {
  constexpr uint64_t rest = (uint64_t{1} << kDropped) - 1;
  return std::bit_cast<double>((std::bit_cast<uint64_t>(x) + rest) >> kDropped << kDropped);
}

uint64_t word(const Facts& f) {
  const auto top = [](double x) {
    return x < 0 ? uint64_t{1} : std::bit_cast<uint64_t>(x) >> kDropped;
  };
  return top(f.items) << 48 | top(f.average) << 32 | top(f.longest) << 16 | uint64_t{f.from_zero} |
         uint64_t{f.fits_int} << 1 | uint64_t{f.is_short} << 2;
}

/// Offsets that a column of bounds is made of, item by item; null if it is made of others.
const Column* offsets_of(const Column& c, int depth = 8) {
  if (c.kind == ColumnKind::load) return c.args[0]->kind == ColumnKind::position ? &c : nullptr;
  if ((c.kind != ColumnKind::op && c.kind != ColumnKind::cast) || depth == 0) return nullptr;
  for (const ColumnRef& a : c.args) {
    if (!a || a->kind == ColumnKind::constant) continue;
    if (const Column* const found = offsets_of(*a, depth - 1)) return found;
  }
  return nullptr;
}

/// Items of the stored lists of which these are parts, a list on average, if somebody has counted
/// them; else 0.
double average_of_whole(const Space& parts) {
  if (!is_stored(parts.parent)) return 0;
  const Column* const offsets = offsets_of(*parts.starts);
  const StoredExtent owners = stored_extent(parts.parent);
  if (offsets == nullptr || owners.size == 0 || offsets->buffer.device() != Device::cuda) return 0;
  const Buffer from = offsets->buffer.slice(owners.first * itemsize(offsets->dtype), 0);
  const auto sizes = backend(Device::cuda).list_sizes(from, owners.size);
  return sizes ? static_cast<double>(sizes->total) / static_cast<double>(owners.size) : 0;
}

bool has_facts(const Space& s) {
  return s.kind == SpaceKind::rows || s.kind == SpaceKind::fixed || s.kind == SpaceKind::list;
}

/// Regular lists, too, start late where the lists around them do.
void set_places(Facts& f, const StoredExtent& e) {
  f.from_zero = e.first == 0;
  f.fits_int = e.first + e.size <= INT32_MAX;
}

}  // namespace

Facts facts_of(const SpaceRef& s) {
  Facts f;
  if (s->kind == SpaceKind::rows || s->kind == SpaceKind::fixed) {
    f.items = rounded_down(static_cast<double>(s->size));
    if (s->kind == SpaceKind::fixed && is_stored(s)) set_places(f, stored_extent(s));
  } else if (s->kind == SpaceKind::list && is_stored(s)) {
    const StoredExtent e = stored_extent(s);
    const auto lists = std::max<int64_t>(1, stored_extent(s->parent).size);
    set_places(f, e);
    f.items = rounded_down(static_cast<double>(e.size));
    f.average = rounded_down(static_cast<double>(e.size) / static_cast<double>(lists));
    if (const int64_t n = longest_list(s); n >= 0) f.longest = rounded_up(static_cast<double>(n));
  } else if (s->kind == SpaceKind::list && s->starts->kind == ColumnKind::constant &&
             s->stops->kind == ColumnKind::constant) {
    f.items = rounded_down(
        static_cast<double>(std::max<int64_t>(0, s->stops->scalar.i - s->starts->scalar.i)));
  }
  if (s->kind == SpaceKind::list && !is_stored(s)) {
    f.average = rounded_down(average_of_whole(*s));
    f.is_short = longest(*s) <= static_cast<double>(seams().short_list);
  }
  return f;
}

bool is_large(const Column& c) {
  return c.kind == ColumnKind::load && c.buffer.bytes() > seams().few_read * 8;
}

uint64_t fact_word(const Space& s) { return word(facts_of(SpaceRef(&s))); }

void add_facts(Signature& s) {
  const char* const schedule = std::getenv("SERRATE_CUDA_SCHEDULE");
  s.add(std::hash<std::string_view>{}(schedule == nullptr ? "" : schedule));
  uint64_t large = 1;  // a bit a load, behind a one
  s.each_object([&](int, const Space*, const Column* c) {
    if (c == nullptr || c->kind != ColumnKind::load) return;
    if (large >> 63 != 0) s.add(std::exchange(large, 1));
    large = large << 1 | uint64_t{is_large(*c)};
  });
  s.add(large);
  for (const Space* space : s.spaces()) {
    if (has_facts(*space)) s.add(fact_word(*space));
  }
}

std::vector<std::pair<const Space*, uint64_t>> facts_in(const Signature& s) {
  std::vector<std::pair<const Space*, uint64_t>> out;
  for (const Space* space : s.spaces()) {
    if (has_facts(*space)) out.emplace_back(space, 0);
  }
  const auto words = s.words().last(out.size());
  for (size_t i = 0; i < out.size(); i++) out[i].second = words[i];
  return out;
}

}  // namespace serrate::cuda
