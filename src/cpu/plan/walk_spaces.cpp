// Walks over lists and derived spaces inside a block of their owner.
#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>

#include "core/seams.h"
#include "cpu/plan/walker.h"
#include "graph/evaluate.h"
#include "graph/limits.h"
#include "serrate/error.h"

namespace serrate::cpu {
namespace {

/// Lists that are kept whole while something is made of them have offsets of 32 bits.
void check_whole(int64_t items) {
  check<ValueError>(
      items <= kInt32,
      "lists of {} items together are too long to be looked at as a whole: at most {}", items,
      kInt32);
}

int64_t count_tuples(const RaggedKernels& k, const Space& s, const int32_t* const* offs,
                     int64_t lists, int64_t* counts = nullptr) {
  return s.kind == SpaceKind::combinations
             ? k.count_combinations(s.k, s.replacement, offs[0], lists, counts)
             : k.count_cartesian(s.k, offs, lists, counts);
}

/// Walks of tuples so many that they can't be counted would not end. Only where that may be, as
/// few pass the first line.
void check_countable(const RaggedKernels& k, const Space& s, int64_t items,
                     const int32_t* const* offs, int64_t lists) {
  if (s.k * std::bit_width(static_cast<uint64_t>(items) + static_cast<uint64_t>(s.k)) < 63) return;
  check<ValueError>(count_tuples(k, s, offs, lists) < INT64_MAX,
                    "{}: {} at a time of lists with {} items are too many",
                    s.kind == SpaceKind::combinations ? "combinations" : "cartesian", s.k, items);
}

}  // namespace

int32_t* Walker::repeat_lists(int f, Lists& l) {
  const FrameState& p = state(frame(f).parent);
  const int32_t* own = state(frame(f).repeats).off + p.list0;
  auto* begins = ctx_.scratch.get<int32_t>(static_cast<size_t>(p.n));
  auto* off = ctx_.scratch.get<int32_t>(static_cast<size_t>(p.n) + 1);
  l.total = k_.repeat_offsets(p.off, own, p.lists, begins, off);
  check_whole(l.total);
  l.begins = begins;
  return off;
}

void Walker::place_lists(int f, Lists& l, int64_t lists, int32_t* off) {
  constexpr int64_t kAtMost = 3;  // items that are walked for one of a list
  const CpuFrame& c = plan_.frames[f];
  const auto *starts = at<int64_t>(c.starts), *stops = at<int64_t>(c.stops);
  const Spans s = c.may_span ? k_.spans(starts, stops, lists) : Spans{};
  const int64_t size = s.last - s.first;
  if (s.ascend && s.items > 0 && size <= std::min(kInt32, kAtMost * s.items)) {
    auto* ends = ctx_.scratch.get<int32_t>(static_cast<size_t>(lists));
    k_.local_spans(starts, stops, lists, s.first, s.last, off, ends);
    l.ends = ends;
    l.first = s.first;
    l.total = size;
    return;
  }
  l.total = k_.local_offsets_pairs(IndexType::i64, starts, stops, nullptr, lists, 0, kInt32, off);
}

/// Those that do not fit are cut, as local_offsets() does.
static void regular_offsets(int64_t lists, int64_t size, int32_t* off) {
  if (lists * size > kInt32) {
    for (int64_t i = 0; i <= lists; i++) off[i] = static_cast<int32_t>(std::min(i * size, kInt32));
    return;
  }
  uint32_t at = 0;  // sums, not products, so that vectors of any instruction set do
  for (int64_t i = 0; i <= lists; i++, at += static_cast<uint32_t>(size))
    off[i] = static_cast<int32_t>(at);
}

void Walker::walk_lists(int f) {
  const CpuFrame& c = plan_.frames[f];
  const Space& s = space(f);
  const FrameState& p = state(frame(f).parent);
  const int64_t lists = p.n;
  Lists l;
  l.walk = ++ctx_.walks;
  auto mark = ctx_.scratch.mark();
  int32_t* off = nullptr;
  if (c.repeats >= 0) {
    off = repeat_lists(f, l);
  } else if (s.kind == SpaceKind::fixed) {
    l.total = graph::items_of(lists, s.size);
    l.first = c.starts >= 0 ? (lists > 0 ? at<int64_t>(c.starts)[0] : 0) : p.first * s.size;
    l.size = s.size;
  } else if (c.starts < 0) {
    const int size = c.offsets_type == IndexType::i64 ? 8 : 4;
    const graph::Column& offsets = c.offsets >= 0 ? run_.column(c.offsets) : *s.starts;
    l.offsets = offsets.buffer.data() + p.first * size;
    l.type = c.offsets_type;
    l.first = lists > 0 ? offset_at(l.type, l.offsets, 0) : 0;
    l.total = lists > 0 ? offset_at(l.type, l.offsets, lists) - l.first : 0;
  } else {
    l.first = lists > 0 ? at<int64_t>(c.starts)[0] : 0;
    l.pairs = true;
  }
  l.place = l.first;
  if (c.counted) l.place = (p.place - run_.extent(c.parent).first) * s.size;
  const bool whole = frame(f).whole;
  if (off == nullptr && (l.pairs || c.needs_offsets || whole)) {
    off = ctx_.scratch.get<int32_t>(static_cast<size_t>(lists) + 1);
    if (l.pairs) {
      place_lists(f, l, lists, off);
    } else if (s.kind == SpaceKind::fixed) {
      regular_offsets(lists, s.size, off);
    } else if (lists > 0) {
      k_.local_offsets(l.type, l.offsets, lists, 0, kInt32, off);
    } else {
      off[0] = 0;
    }
  }
  if (whole || l.total <= (c.only_folds ? seams().folds : plan_.block() + seams().stream)) {
    check_whole(l.total);
    state(f) = {l.total, lists, off, l.first, 0, 0, l.place, l.walk, l.begins, l.ends};
    body(f);
  } else if (l.total > seams().giant && frame(f).can_split) {
    // Also where they run one after the other: the same sums for any number of threads.
    if (l.pairs) check_whole(l.total);
    constexpr int64_t kMostParts = 1 << 16;
    const int64_t per_part = std::max(16 * seams().block, l.total / kMostParts + 1),
                  parts = (l.total + per_part - 1) / per_part;
    run_parts(
        f, parts,
        [&](Walker& w, int64_t part) {
          w.stream(f, l, off, part * per_part, std::min(l.total, (part + 1) * per_part), lists);
        },
        false);
  } else {
    stream(f, l, off, 0, l.total, lists);
  }
  if (!whole) ctx_.scratch.release(mark);
}

void Walker::stream(int f, const Lists& l, const int32_t* off, int64_t from, int64_t to,
                    int64_t lists) {
  const CpuFrame& c = plan_.frames[f];
  if (!c.needs_offsets && !l.pairs) {
    const int64_t most = plan_.block();
    const int64_t block = folds_in_any_order(f) ? std::max(most, seams().task / most * most) : most;
    for (int64_t s = from; s < to; s += block)
      items_block(f, l.first + s, l.place + s, std::min(block, to - s));
    return;
  }
  // Offsets that don't fit int32 are clamped in `off`: then read the wide ones.
  const bool wide = l.total > kInt32;
  if (l.pairs) check_whole(l.total);
  auto begin_of = [&](int64_t p) -> int64_t {
    if (!wide) return off[p];
    return l.size >= 0 ? p * l.size : offset_at(l.type, l.offsets, p) - l.first;
  };
  // The first list from p on that ends behind item s; `lists` if there is none.
  const auto ends_behind = [&](int64_t p, int64_t s) {
    int64_t end = lists;
    while (p < end) {
      const int64_t middle = p + (end - p) / 2;
      begin_of(middle + 1) <= s ? p = middle + 1 : end = middle;
    }
    return p;
  };
  int64_t part = c.only_folds ? seams().folds : seams().stream;
  // Rows of a matrix are added to their places several at a time.
  if (c.only_columns) part = std::max(part, 8 * (l.total / std::max<int64_t>(lists, 1)));
  int64_t p = 0;
  for (int64_t s = from; s < to;) {
    p = ends_behind(p, s);
    int64_t e = std::min(s + part, to);
    const int64_t q = ends_behind(p, e);                        // lists [p, q) end inside
    if (q > p && begin_of(q) - s >= part / 2) e = begin_of(q);  // don't cut a list for little
    const int64_t last = q < lists && begin_of(q) < e ? q + 1 : q;
    ScratchScope scope(ctx_.scratch);
    auto* sub = scope.get<int32_t>(static_cast<size_t>(last - p) + 1);
    if (wide) {
      for (int64_t i = p; i <= last; i++)
        sub[i - p] = static_cast<int32_t>(std::clamp<int64_t>(begin_of(i) - s, 0, e - s));
    } else {
      const auto first = static_cast<int32_t>(s), size = static_cast<int32_t>(e - s);
      for (int64_t i = p; i <= last; i++) sub[i - p] = std::clamp(off[i] - first, 0, size);
    }
    const int32_t* begins = l.begins != nullptr ? l.begins + p : nullptr;
    int32_t* ends = nullptr;
    if (l.ends != nullptr) {
      ends = scope.get<int32_t>(static_cast<size_t>(last - p));
      const auto first = static_cast<int32_t>(s), size = static_cast<int32_t>(e - s);
      for (int64_t i = p; i < last; i++) ends[i - p] = std::clamp(l.ends[i] - first, 0, size);
    }
    state(f) = {e - s, last - p,    sub,    l.first + s, s - begin_of(p),
                p,     l.place + s, l.walk, begins,      ends};
    body(f);
    s = e;
  }
}

/// How many there are of each list, where they need not be made.
void Walker::tell_tuples(int f, const int32_t* const* offs, int64_t lists) {
  const ScratchScope scope(ctx_.scratch);
  auto* counts = ctx_.scratch.get<int64_t>(static_cast<size_t>(lists));
  count_tuples(k_, space(f), offs, lists, counts);
  for (const BlockOp& fold : plan_.frames[f].ops) {
    auto* const sums = at<int64_t>(plan_.accums[fold.a].slot);
    for (int64_t i = 0; i < lists; i++) sums[i] += counts[i];
  }
}

void Walker::walk_tuples(int f) {
  const CpuFrame& fr = frame(f);
  const Space& s = space(f);
  const int64_t lists = state(fr.bases[0]).lists;
  const bool whole = fr.whole, pairs = s.kind == SpaceKind::combinations;
  auto mark = ctx_.scratch.mark();
  const int32_t* offs[kMaxTuple];
  static_assert(graph::kMostCombined == kMaxTuple);
  check<ValueError>(s.k <= kMaxTuple, "combinations and cartesian: at most {} at a time, got {}",
                    kMaxTuple, s.k);
  int64_t items = 0;
  for (size_t b = 0; b < fr.bases.size(); b++) {
    offs[b] = state(fr.bases[b]).off;
    items = std::max(items, state(fr.bases[b]).n);
  }
  check_countable(k_, s, items, offs, lists);
  if (plan_.frames[f].only_counts && !whole) return tell_tuples(f, offs, lists);
  int64_t cap = plan_.block();
  if (whole) {
    cap = count_tuples(k_, s, offs, lists);
    check<ValueError>(cap <= kInt32, "more than {} tuples in one block of lists", kInt32);
    cap = std::max<int64_t>(cap, 1);
  }
  int32_t* links[kMaxTuple];
  for (int k = 0; k < s.k; k++) {
    links[k] = ctx_.scratch.get<int32_t>(static_cast<size_t>(cap));
    ctx_.slots[plan_.frames[f].links[k]] = links[k];
  }
  auto* off = ctx_.scratch.get<int32_t>(static_cast<size_t>(lists) + 1);
  TupleCursor cursor;
  const int64_t number = ++ctx_.walks;
  do {
    const int64_t rank = cursor.rank;
    const TupleChunk t =
        pairs ? k_.combinations(s.k, s.replacement, offs[0], lists, cursor, cap, links, off)
              : k_.cartesian(s.k, offs, lists, cursor, cap, links, off);
    if (t.tuples == 0 && !whole) continue;
    auto inner = ctx_.scratch.mark();
    state(f) = {t.tuples, t.last - t.first, off, 0, rank, t.first, 0, number};
    body(f);
    if (!whole) ctx_.scratch.release(inner);
  } while (cursor.list < lists);
  if (!whole) ctx_.scratch.release(mark);
}

void Walker::walk_aligned(int f) {
  const CpuFrame& fr = frame(f);
  const FrameState& a = state(fr.bases[0]);
  for (size_t b = 1; b < fr.bases.size(); b++) {
    const FrameState& o = state(fr.bases[b]);
    const int64_t p = k_.lengths_equal(a.off, o.off, a.lists);
    if (p >= 0)
      graph::raise_unequal(space(f).where, a.off[p + 1] - a.off[p], o.off[p + 1] - o.off[p],
                           row_of(fr.parent, p));
  }
  auto mark = ctx_.scratch.mark();
  state(f) = {a.n, a.lists, a.off, 0, 0, 0, 0, ++ctx_.walks};
  body(f);
  if (!fr.whole) ctx_.scratch.release(mark);
}

int64_t Walker::items_before(int f, int64_t walk, int64_t first, const int32_t* off,
                             int64_t lists) {
  // A list is known by its number and its walk, not by what its base says of its beginning: a
  // filter may have dropped all that was before, a list without items may have come first.
  Carry& c = ctx_.carry[static_cast<size_t>(f)];
  const int64_t before = c.walk == walk && c.list == first ? c.items : 0;
  if (lists > 0)
    c = {walk, first + lists - 1, off[lists] - off[lists - 1] + (lists == 1 ? before : 0)};
  return before;
}

void Walker::walk_select(int f) {
  const CpuFrame& fr = frame(f);
  const FrameState b = state(fr.inside);
  const CpuFrame& c = plan_.frames[f];
  auto mark = ctx_.scratch.mark();
  const auto* mask = at<uint8_t>(c.predicate);
  int64_t n = c.needs_link ? 0 : k_.count_ones(mask, b.n);
  if (c.needs_link || (n > 0 && !is_dense(n, b.n))) {
    auto* link = ctx_.scratch.get<int32_t>(static_cast<size_t>(b.n));
    n = k_.select(mask, b.n, link);
    ctx_.slots[c.links[0]] = link;
  }
  int32_t* off = nullptr;
  int64_t start = 0;
  if (b.off != nullptr) {
    off = ctx_.scratch.get<int32_t>(static_cast<size_t>(b.lists) + 1);
    k_.select_offsets(mask, b.off, b.lists, off);
    if (needs_start(f)) start = items_before(f, b.walk, b.list0, off, b.lists);
  }
  if (n > 0 || fr.whole) {
    state(f) = {n, b.lists, off, 0, start, b.list0, 0, b.walk};
    body(f);
  }
  if (!fr.whole) ctx_.scratch.release(mark);
}

void Walker::walk_flat(int f) {
  const CpuFrame& fr = frame(f);
  const FrameState b = state(fr.inside);
  const FrameState& p = state(frame(fr.inside).parent);  // the lists that are joined
  auto mark = ctx_.scratch.mark();
  // The joined lists [first, last) that this block has items of; all, where others look at them.
  int64_t first = 0, last = p.lists;
  int32_t* off = nullptr;
  if (fr.parent == 0) {  // unit owns one list
    off = ctx_.scratch.get<int32_t>(2);
    off[0] = 0;
    off[1] = static_cast<int32_t>(b.n);
    last = 1;
  } else if (b.off != nullptr && p.off != nullptr) {
    const auto begin = [&](int64_t g) {
      return b.off[std::clamp<int64_t>(p.off[g] - b.list0, 0, b.lists)];
    };
    if (!fr.whole) {
      const int32_t* const ends = p.off + 1;
      const auto list0 = static_cast<int32_t>(b.list0);
      first = std::upper_bound(ends, ends + p.lists, list0) - ends;
      while (first < last && begin(first + 1) == 0) first++;
      last = std::lower_bound(ends + first, ends + last, static_cast<int32_t>(list0 + b.lists)) -
             ends + 1;
      last = std::min(last, p.lists);
    }
    off = ctx_.scratch.get<int32_t>(static_cast<size_t>(last - first) + 1);
    for (int64_t g = first; g <= last; g++) off[g - first] = begin(g);
  }
  if (b.n > 0 || fr.whole) {
    const int64_t list0 = fr.parent == 0 ? 0 : p.list0 + first, lists = last - first;
    const int64_t start = needs_start(f) ? items_before(f, p.walk, list0, off, lists) : 0;
    state(f) = {b.n, lists, off, b.first, start, list0, b.place, p.walk};
    body(f);
  }
  if (!fr.whole) ctx_.scratch.release(mark);
}

}  // namespace serrate::cpu
