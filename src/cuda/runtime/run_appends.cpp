// Room for items of unknown number, and where they and their lists begin.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/seams.h"
#include "cuda/runtime/pinned.h"
#include "cuda/runtime/runner.h"
#include "serrate/error.h"

namespace serrate::cuda {

using namespace graph;

int64_t room_ahead(const Kernels& k, const Walk& w, std::span<const void* const> objects) {
  int64_t bytes = 0;
  for (const Append& x : w.appends) {
    if (!x.needs_room) continue;
    const auto items = static_cast<int64_t>(value_of(x.most, objects));
    if (items < 0 || items > seams().room) return -1;
    for (const Place& p : k.places) bytes += is_for(p, x) ? items * p.itemsize : 0;
  }
  return bytes <= seams().room ? bytes : -1;
}

int64_t Run::alone(const Walk& w, int64_t items) {
  const bool waits = !make_room_ahead(w);
  std::vector<int64_t> sizes;
  set(w.totals, uint64_t{0});
  set(w.only_counts, uint64_t{waits});
  for (const Append& x : w.appends) {
    set(x.begins, uint64_t{0});
    set(x.seen, uint64_t{0});
    sizes.push_back(waits || !x.needs_room ? 0 : static_cast<int64_t>(value_of(x.most, objects_)));
  }
  if (waits) {
    auto* const totals = static_cast<uint64_t*>(pinned_slots().take());
    set(w.totals, totals);
    launch(w.name, 1, kThreads);
    if (!checks_.empty()) wait_for_gpu();
    size_t number = 0;
    for (size_t i = 0; i < sizes.size(); i++) {
      if (!w.appends[i].needs_room) continue;
      await(totals[number]);
      sizes[i] = std::max<int64_t>(0, static_cast<int64_t>(totals[number++]));
    }
    pinned_slots().give_back(totals, true);
    for (const auto& c : checks_) c == own_checks_ ? c->raise_first() : c->raise();
    for (size_t i = 0; i < sizes.size(); i++) make_outputs(w.appends[i], sizes[i]);
    set(w.only_counts, uint64_t{0});
  }
  for (const Append& x : w.appends) {
    if (x.lengths < 0) continue;
    const auto owner = std::find_if(w.appends.begin(), w.appends.end(),
                                    [&](const Append& o) { return o.frame == x.owner; });
    const Offsets o =
        owner == w.appends.end()
            ? Offsets(items)
            : Offsets::of_at_most(sizes[static_cast<size_t>(owner - w.appends.begin())]);
    tell_place(o, x.begins, x.seen);
    lengths_of(x) = o.unseen();
  }
  return w.balanced() ? std::max<int64_t>(1, (sizes[0] + seams().balanced - 1) / seams().balanced)
                      : 1;
}

void Run::count(const Walk& w, int64_t items, int64_t blocks) {
  const int64_t n = w.per_item() ? items : w.by_warps() ? (items + 255) / 256 : blocks;
  const bool keeps = !w.kept.bits.empty();
  const bool adds_up = w.by_warps() && n <= seams().tiles;
  if (keeps) set(w.kept.bits, temporary(n * 64));
  for (const Append& x : w.appends) {
    set(x.counts, temporary(n * 8));
    // A failed check leaves its item before that is counted.
    if (own_checks_) gpu_.fill(address(x.counts), 0, n * 8);
  }
  std::vector<std::pair<const Append*, Offsets>> begins;
  std::optional<Offsets> lists;
  if (keeps) {
    lists.emplace(static_cast<int64_t>(value_of(w.kept.lists, objects_)));
    tell_place(*lists, w.kept.offsets, w.kept.seen);
    set(w.kept.others, static_cast<uint64_t>(blocks));
  }
  // Nobody waits for what may be allocated beforehand.
  const bool waits = !make_room_ahead(w);
  if (adds_up && waits) {
    const Offsets& o = begins.emplace_back(&w.appends[0], Offsets(n)).second;
    tell_place(o, w.appends[0].begins, w.appends[0].seen);
  } else if (adds_up) {
    auto* const places = static_cast<int64_t*>(temporary(8 * (n + 2)));
    set(w.appends[0].begins, places);
    set(w.appends[0].seen, places + n);
  }
  for (size_t level = 0; level < w.counts.size(); level++) {
    launch(w.counts[level], blocks, kThreads);
    for (const Append& x : w.appends) {
      if (adds_up || x.level != static_cast<int>(level)) continue;
      begins.emplace_back(&x, Offsets(static_cast<const int64_t*>(address(x.counts)), n));
      const Buffer& offsets = begins.back().second.buffer();
      set(x.begins, offsets.data());
      keep_.push_back(offsets);
    }
  }
  if (!checks_.empty()) wait_for_gpu();
  for (const auto& c : checks_) c == own_checks_ ? c->raise_first() : c->raise();
  for (auto& [x, offsets] : begins) {
    const int64_t total = waits && x->needs_room ? offsets.known().total : -1;
    if (waits) make_outputs(*x, total);
    if (x->lengths >= 0 && !keeps)
      lengths_of(*x) = waits && x->needs_room ? offsets.known() : offsets.unseen();
  }
  if (keeps) lengths_of(w.appends[0]) = lists->unseen();
}

void Run::balance(const Walk& w) {
  const auto p = std::find_if(k_.places.begin(), k_.places.end(),
                              [&](const Place& x) { return is_for(x, w.appends[0]); });
  const int64_t items = written_[static_cast<size_t>(p - k_.places.begin())].size;
  if (items > 0) launch(w.name, (items + seams().balanced - 1) / seams().balanced, kThreads);
  const Append& x = w.appends[0];
  if (x.inner < 0) return;
  const Offsets offsets(static_cast<int64_t>(value_of(x.inner_lists, objects_)));
  tell_place(offsets, x.inner_offsets, x.inner_seen);
  written_[static_cast<size_t>(x.inner)].offsets = offsets.unseen();
  const int64_t lists = stored_extent(lists_of(w)).size;
  if (lists > 0)
    launch(w.name + "_lists", (lists + kThreads - 1) / kThreads, kThreads);
  else
    begin_at_zero(offsets);
}

void Run::balance_sums(const Walk& w) {
  const Append& x = w.appends[0];
  const SpaceRef over = lists_of(w);
  const int64_t lists = stored_extent(over).size;
  int64_t total = 0;
  for (const Summed& s : x.sums) {
    const int64_t items =
        s.starts < 0
            ? static_cast<int64_t>(value_of(s.number, objects_)) * lists
            : stored_extent(list(over, ColumnRef(&column(s.starts)), ColumnRef(&column(s.stops))))
                  .size;
    total += s.sign * items;
  }
  make_outputs(x, total);
  set(x.total, static_cast<uint64_t>(total));
  if (x.lengths >= 0) {
    const Offsets offsets(lists);
    tell_place(offsets, x.begins, x.seen);
    if (lists == 0) begin_at_zero(offsets);
    lengths_of(x) = offsets.unseen();
  }
  if (lists > 0)
    launch(w.name, std::max<int64_t>(1, (total + seams().balanced - 1) / seams().balanced),
           kThreads);
}

void Run::tell_place(const Offsets& o, std::string_view begins, std::string_view seen) {
  set(begins, o.buffer().data());
  set(seen, o.seen());
  keep_.push_back(o.buffer());
}

SpaceRef Run::lists_of(const Walk& w) const {
  return SpaceRef(static_cast<const Space*>(objects_[static_cast<size_t>(w.lists)]));
}

void Run::begin_at_zero(const Offsets& o) {
  gpu_.fill(const_cast<std::byte*>(o.buffer().data()), 0, sizeof(int64_t));
}

KnownOffsets& Run::lengths_of(const Append& x) {
  return written_[static_cast<size_t>(x.lengths)].offsets;
}

void Run::make_outputs(const Append& x, int64_t size) {
  for (size_t i = 0; i < k_.places.size(); i++) {
    if (is_for(k_.places[i], x)) make_output(i, size);
  }
}

bool Run::make_room_ahead(const Walk& w) {
  if (!checks_.empty() || room_ahead(k_, w, objects_) < 0) return false;
  try {
    for (const Append& x : w.appends)
      make_outputs(x, static_cast<int64_t>(value_of(x.most, objects_)));
  } catch (const MemoryError&) {
    return false;
  }
  return true;
}

}  // namespace serrate::cuda
