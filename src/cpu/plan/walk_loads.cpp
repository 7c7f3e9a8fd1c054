// Loads from places that are equally far apart, of a block or list by list.
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "core/fill_items.h"
#include "core/seams.h"
#include "core/unsigned_of_size.h"
#include "cpu/lists/flat/strided.h"
#include "cpu/plan/walker.h"
#include "graph/known.h"
#include "serrate/error.h"

namespace serrate::cpu {
namespace {

constexpr int64_t kSlack = 64;  // bytes behind the last item that whoever reads scratch may read

/// Lists this long on average are copied one by one, shorter ones vector by vector.
constexpr int64_t kLong = 64;

CopyStrided copy() {
  static const CopyStrided copy = copy_strided();
  return copy;
}

/// Of each list the items at first + places[i], i from 0 on, but of the first one from `start` on.
struct ListsAtPlaces {
  const std::byte* items;
  const int64_t *firsts, *places;
  const int32_t* off;
  int64_t lists, start;
};

template <class T>
void gather_list(const ListsAtPlaces& of, int64_t list, int64_t start, T* out) {
  const T* from = reinterpret_cast<const T*>(of.items) + of.firsts[list];
  const int64_t n = of.off[list + 1] - of.off[list];
  const int64_t* const places = of.places + start;
  T* const here = out + of.off[list];
  for (int64_t i = 0; i < n; i++) here[i] = from[places[i]];
}

/// Lists from 1 on, up to the last but one, of n items each.
template <int n, class T>
void gather_few(const ListsAtPlaces& of, T* out) {
  int64_t places[n];
  for (int i = 0; i < n; i++) places[i] = of.places[i];
  out += of.off[1];
  for (int64_t list = 1; list < of.lists - 1; list++, out += n) {
    const T* from = reinterpret_cast<const T*>(of.items) + of.firsts[list];
#pragma GCC unroll 8
    for (int i = 0; i < n; i++) out[i] = from[places[i]];
  }
}

/// All lists but the first and the last one have as many items.
void gather_lists(const ListsAtPlaces& of, int size, void* to) {
  with_bytes(size, [&]<class T>(T) {
    auto* out = static_cast<T*>(to);
    gather_list(of, 0, of.start, out);
    if (of.lists < 2) return;
    gather_list(of, of.lists - 1, 0, out);
    switch (of.off[2] - of.off[1]) {
      case 1:
        return gather_few<1>(of, out);
      case 2:
        return gather_few<2>(of, out);
      case 3:
        return gather_few<3>(of, out);
      case 4:
        return gather_few<4>(of, out);
      default:
        for (int64_t list = 1; list < of.lists - 1; list++) gather_list(of, list, 0, out);
    }
  });
}

void assert_places(const ListsAtPlaces& of, int64_t items) {
  for (int64_t list = 0, start = of.start; list < of.lists; list++, start = 0)
    for (int64_t i = 0; i < of.off[list + 1] - of.off[list]; i++) {
      const int64_t at = of.firsts[list] + of.places[start + i];
      if (at < 0 || at >= std::max<int64_t>(items, 1))
        throw std::logic_error(fmt::format("item {} of {} is gathered", at, items));
    }
}

}  // namespace

graph::Line Walker::line(const Strided& load) {
  graph::Line lines[Strided::kMost];
  size_t known = 0;
  for (const Strided::Step& x : load.index) {
    switch (x.kind) {
      case Strided::Step::combined:
        known--;
        lines[known - 1] = graph::combined(x.op, lines[known - 1], lines[known]);
        break;
      case Strided::Step::position:
        lines[known++] = {0, 1};
        break;
      case Strided::Step::constant:
        lines[known++] = {*at<int64_t>(x.slot), 0};
        break;
      case Strided::Step::zero:
        lines[known++] = {0, 0};
        break;
    }
  }
  return lines[0];
}

void Walker::strided(int f, const BlockOp& s) {
  const FrameState& st = state(f);
  if (st.n == 0) return;
  const Strided& load = plan_.strided[s.a];
  const graph::Line places = line(load);
  read_line(load, places.at(st.first), places.step, st.n, ctx_.slots[s.b]);
}

void Walker::read_line(const Strided& load, int64_t first, int64_t step, int64_t n, void* out) {
  const int size = itemsize(load.dtype);
  if (asserting()) {
    const int64_t last = graph::Line{first, step}.at(n - 1);
    const int64_t items = run_.column(load.column).buffer.bytes() / size;
    if (std::min(first, last) < 0 || std::max(first, last) >= std::max<int64_t>(items, 1))
      throw std::logic_error(fmt::format("a slice of items {} to {} of {}", first, last, items));
  }
  copy()(size, at<std::byte>(load.base) + first * size, step, n, out);
}

void Walker::lines(int f, const BlockOp& s) {
  const FrameState& st = state(f);
  if (st.n == 0) return;
  const Lines& load = plan_.lines[s.a];
  const graph::Line line_of_list = line(load.index);
  if (load.first < 0 && frame(f).consecutive && frame(f).starts < 0)
    return cycle_line(f, s, line_of_list);
  const int64_t step = line_of_list.step;
  const int64_t* firsts = load.first >= 0 ? at<int64_t>(load.first) + st.list0 : nullptr;
  const auto first_of = [&](int64_t list) {
    const int64_t begin = list == 0 ? st.list_start : 0;
    return graph::Line{firsts != nullptr ? firsts[list] : line_of_list.first, step}.at(begin);
  };
  // Lists of which one goes on where the one before ends are one.
  const auto run_from = [&](int64_t list) {
    const graph::Line run{first_of(list), step};
    int64_t end = list + 1;
    while (end < st.lists && first_of(end) == run.at(st.off[end] - st.off[list])) end++;
    return end;
  };
  int64_t list = 0, end = run_from(0);
  if (end == st.lists && read_in_place(s, load.index, first_of(0), step, st.n)) return;
  const int size = itemsize(load.index.dtype);
  auto* out = at<std::byte>(s.b);
  if (firsts != nullptr && end < st.lists && st.n < kLong * st.lists)
    return short_lists(f, s, step);
  for (; list < st.lists; list = end, end = list < st.lists ? run_from(list) : list) {
    const int64_t n = st.off[end] - st.off[list];
    if (n > 0) read_line(load.index, first_of(list), step, n, out + int64_t{st.off[list]} * size);
  }
}

void Walker::gathered(int f, const BlockOp& s) {
  const FrameState& st = state(f);
  if (st.n == 0) return;
  const Gathered& load = plan_.gathered[s.a];
  const int size = itemsize(load.dtype);
  const ListsAtPlaces lists{at<std::byte>(load.base),
                            at<int64_t>(load.first) + st.list0,
                            at<int64_t>(load.places),
                            st.off,
                            st.lists,
                            st.list_start};
  if (asserting()) assert_places(lists, run_.column(load.column).buffer.bytes() / size);
  gather_lists(lists, size, ctx_.slots[s.b]);
}

void Walker::short_lists(int f, const BlockOp& s, int64_t step) {
  const FrameState& st = state(f);
  const Lines& load = plan_.lines[s.a];
  const int size = itemsize(load.index.dtype);
  const int64_t items = run_.column(load.index.column).buffer.bytes() / size;
  ScratchScope scope(ctx_.scratch);
  const auto longest = static_cast<size_t>(space(f).size);
  auto* places = scope.get<int64_t>(longest);
  for (size_t i = 0; i < longest; i++) places[i] = step * static_cast<int64_t>(i);
  const ListsAtPlaces lists{at<std::byte>(load.index.base),
                            at<int64_t>(load.first) + st.list0,
                            places,
                            st.off,
                            st.lists,
                            st.list_start};
  if (asserting()) assert_places(lists, items);
  void* const out = ctx_.slots[s.b];
  if (step != 1) return gather_lists(lists, size, out);
  // Whole vectors are written, also behind the last list.
  const auto bytes = static_cast<size_t>(st.n * size);
  const bool is_scratch = plan_.slots[s.b].kind == Slot::vector;
  void* const to = is_scratch ? out : scope.get<std::byte>(bytes);
  k_.copy_lists(size, lists.items, items, lists.firsts, st.off, st.lists, st.list_start, to);
  if (!is_scratch) std::memcpy(out, to, bytes);
}

bool Walker::read_in_place(const BlockOp& s, const Strided& load, int64_t first, int64_t step,
                           int64_t n) {
  const int size = itemsize(load.dtype);
  const int64_t bytes = run_.column(load.column).buffer.bytes();
  if (step != 1 || plan_.slots[s.b].kind != Slot::vector || first < 0 ||
      (first + n) * size + kSlack > bytes)
    return false;
  ctx_.slots[s.b] = at<std::byte>(load.base) + first * size;
  return true;
}

void Walker::cycle_line(int f, const BlockOp& s, const graph::Line& line_of_list) {
  const FrameState& st = state(f);
  const int64_t period = space(f).size, begin = st.first % period;
  const Strided& load = plan_.lines[s.a].index;
  const int64_t step = line_of_list.step;
  if (begin + st.n <= period && read_in_place(s, load, line_of_list.at(begin), step, st.n)) return;
  const int size = itemsize(load.dtype);
  if (plan_.slots[s.b].kind != Slot::vector || period > plan_.block())
    return repeat_line(load, line_of_list, {period, begin, st.n}, at<std::byte>(s.b));
  // Blocks begin anywhere in a list: one long enough for all of them is made once.
  cycles_.resize(plan_.lines.size());
  std::vector<std::byte>& kept = cycles_[static_cast<size_t>(s.a)];
  const auto bytes = static_cast<size_t>((period + st.n) * size + kSlack);
  if (kept.size() < bytes) {
    kept.resize(bytes);
    repeat_line(load, line_of_list, {period, 0, period + st.n}, kept.data());
  }
  ctx_.slots[s.b] = kept.data() + begin * size;
}

void Walker::repeat_line(const Strided& load, const graph::Line& line_of_list, const Cycle& c,
                         std::byte* out) {
  const int size = itemsize(load.dtype);
  // A list, in two parts, then copies of all before.
  int64_t done = std::min(c.n, c.period - c.begin);
  read_line(load, line_of_list.at(c.begin), line_of_list.step, done, out);
  if (const int64_t rest = std::min(c.n - done, c.begin); rest > 0) {
    read_line(load, line_of_list.at(0), line_of_list.step, rest, out + done * size);
    done += rest;
  }
  repeat_bytes(out, static_cast<size_t>(done * size), static_cast<size_t>(c.n * size));
}

}  // namespace serrate::cpu
