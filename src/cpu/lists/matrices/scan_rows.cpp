// Scans of columns, row by row: see scan_rows.h.
//
// Of each column what came before is kept. Of long columns chunks of rows have a state each: what
// all of a chunk gives from nothing goes before the next one (Blelloch 1990).
#include "cpu/lists/matrices/scan_rows.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>
#include <vector>

#include "core/seams.h"
#include "core/types/reducer_info.h"
#include "cpu/machine/pool.h"
#include "serrate/error.h"

namespace serrate::cpu {
namespace {

#include "cpu/lists/scan_operations.h"

/// What nothing has given yet: -0.0 and then -0.0 is -0.0.
template <class Op, class A>
A nothing() {
  if constexpr (std::is_same_v<Op, Add> && std::is_floating_point_v<A>) return A(-0.0);
  if constexpr (std::is_same_v<Op, Add> && !std::is_arithmetic_v<A>) return A(-0.0, -0.0);
  return Op::template identity<A>();
}

template <class Op, class In, class A, class Out>
class RowScanner {
 public:
  RowScanner(const RowScan& scan, void* out)
      : in_(static_cast<const In*>(scan.items)),
        valid_(scan.valid),
        out_(static_cast<Out*>(out)),
        but_nan_(scan.but_nan) {}

  void lists(const ListsInColumns& x) const {
    const auto owner = [&](int64_t o) {
      const int64_t columns = x.columns_of[o + 1] - x.columns_of[o];
      const int64_t first = x.lists_of[o], last = x.lists_of[o + 1];
      const auto items_to = [&](int64_t items) {
        return std::lower_bound(x.items_of + first, x.items_of + last, x.items_of[first] + items) -
               x.items_of;
      };
      chunks(
          last - first, x.items_of[last] - x.items_of[first], columns,
          [&](int64_t items) { return items_to(items) - first; },
          [&](int64_t l, int64_t end, A* state, A* all, bool writes) {
            some_lists(x, first + l, first + end, state, all, writes);
          });
    };
    if (x.owners < num_threads()) {
      for (int64_t o = 0; o < x.owners; o++) owner(o);
      return;
    }
    each_owner(x, [&](int64_t o, std::vector<A>& state) {
      if (x.items_of[x.lists_of[o + 1]] - x.items_of[x.lists_of[o]] > seams().giant)
        return owner(o);
      begin(x, o, state);
      some_lists(x, x.lists_of[o], x.lists_of[o + 1], state.data(), nullptr, true);
    });
  }

  void matrices(int64_t count, int64_t rows, int64_t columns) const {
    const int64_t width = columns <= kNarrow ? columns : seams().band;
    const int64_t blocks = (columns - 1) / width + 1;
    const auto block = [&](int64_t b) {
      const int64_t first = b % blocks * width, last = std::min(first + width, columns);
      const int64_t begin = b / blocks * rows * columns + first, n = last - first;
      chunks(
          rows, rows * n, n, [&](int64_t items) { return items / n; },
          [&](int64_t r, int64_t end, A* state, A* all, bool writes) {
            some_rows({begin + r * columns, end - r, n, columns}, state, all, writes);
          });
    };
    if (count * blocks < num_threads()) {
      for (int64_t b = 0; b < count * blocks; b++) block(b);
    } else {
      parallel_for(count * blocks, [&](int64_t b, int) { block(b); });
    }
  }

  void products(int64_t count, int64_t rows, int64_t columns) const {
    const int64_t width = seams().band, blocks = (columns - 1) / width + 1;
    parallel_for(count * blocks, [&](int64_t b, int) {
      const int64_t first = b % blocks * width, n = std::min(width, columns - first);
      std::vector<A> state(static_cast<size_t>(n), nothing<Op, A>());
      const int64_t matrix = b / blocks;
      some_rows({matrix * rows * columns + first, rows, n, columns}, state.data(), nullptr, false);
      std::ranges::transform(state, out_ + matrix * columns + first,
                             [](A a) { return round_to<Out>(a); });
    });
  }

  /// All of each column; `out` has a place for each.
  void products(const ListsInColumns& x) const {
    each_owner(x, [&](int64_t o, std::vector<A>& state) {
      begin(x, o, state);
      some_lists(x, x.lists_of[o], x.lists_of[o + 1], state.data(), nullptr, false);
      std::ranges::transform(state, out_ + x.columns_of[o], [](A a) { return round_to<Out>(a); });
    });
  }

 private:
  static constexpr int64_t kNarrow = 8;   // columns of which each has a register
  static constexpr int64_t kChunks = 16;  // of as many items as a giant list has
  /// Does what a chunk gives from nothing say what it gives behind others?
  static constexpr bool kHasChunks = Op::kInAnyOrder || std::is_integral_v<A>;
  /// With the same bits as if there were none?
  static constexpr bool kIsExact = std::is_integral_v<A> || !std::is_same_v<Op, Add>;

  /// f(owner, memory for its columns), by tasks.
  template <class F>
  static void each_owner(const ListsInColumns& x, F&& f) {
    const int64_t each = std::max<int64_t>(1, (x.owners - 1) / seams().tasks + 1);
    parallel_for(x.owners == 0 ? 0 : (x.owners - 1) / each + 1, [&](int64_t t, int) {
      std::vector<A> state;
      for (int64_t o = t * each; o < std::min((t + 1) * each, x.owners); o++) f(o, state);
    });
  }
  static void begin(const ListsInColumns& x, int64_t owner, std::vector<A>& state) {
    const int64_t columns = x.columns_of[owner + 1] - x.columns_of[owner];
    state.assign(static_cast<size_t>(columns), nothing<Op, A>());
  }

  /// Rows at equal distances.
  struct Rows {
    int64_t first, count, columns, stride;
  };

  /// f(row, last row, state, what the chunk gives, does it write?) of chunks of rows.
  template <class RowOf, class F>
  static void chunks(int64_t rows, int64_t items, int64_t columns, RowOf&& row_of, F&& f) {
    const auto size = static_cast<size_t>(columns);
    std::vector<A> state(size, nothing<Op, A>());
    const int64_t each = std::max<int64_t>(seams().giant / kChunks, 16 * columns);
    const int64_t count = items / std::max<int64_t>(each, 1);
    const bool alone = num_threads() == 1 || in_parallel();
    if (!kHasChunks || items <= seams().giant || count < 2 || (alone && kIsExact))
      return f(0, rows, state.data(), nullptr, true);
    std::vector<int64_t> begins;
    for (int64_t k = 0; k < count; k++) begins.push_back(k == 0 ? 0 : row_of(k * each));
    begins.push_back(rows);
    const auto part = [&](int64_t k, A* s, A* all, bool writes) {
      f(begins[static_cast<size_t>(k)], begins[static_cast<size_t>(k) + 1], s, all, writes);
    };
    const auto add = [&](const A* all) {
      for (size_t c = 0; c < size; c++) state[c] = Op::apply(state[c], all[c]);
    };
    if (alone) {
      std::vector<A> own(size), all(size);
      for (int64_t k = 0; k < count; k++) {
        own = state;
        std::ranges::fill(all, nothing<Op, A>());
        part(k, own.data(), all.data(), true);
        add(all.data());
      }
      return;
    }
    std::vector<A> all(size * static_cast<size_t>(count), nothing<Op, A>());
    const auto of = [&](int64_t k) { return all.data() + static_cast<size_t>(k) * size; };
    parallel_for(count - 1, [&](int64_t k, int) { part(k, of(k), nullptr, false); });
    for (int64_t k = 0; k < count; k++) {
      const std::vector<A> before = state;
      add(of(k));
      std::ranges::copy(before, of(k));
    }
    parallel_for(count, [&](int64_t k, int) { part(k, of(k), nullptr, true); });
  }

  /// Does an item of this value add something?
  bool adds(int64_t i, const A& v) const {
    return (valid_ == nullptr || valid_[i] != 0) && !(but_nan_ && v != v);
  }

  template <bool kWrites, bool kAll>
  void step(int64_t i, A& state, A* all) const {
    if (const A v = load<A>(in_[i]); adds(i, v)) {
      state = Op::apply(state, v);
      if constexpr (kAll) *all = Op::apply(*all, v);
    }
    if constexpr (kWrites) out_[i] = round_to<Out>(state);
  }

  /// f.template operator()<kWrites, kAll>()
  template <class F>
  static void with(const A* all, bool writes, F&& f) {
    if (!writes) return f.template operator()<false, false>();
    all != nullptr ? f.template operator()<true, true>() : f.template operator()<true, false>();
  }

  void some_lists(const ListsInColumns& x, int64_t first, int64_t last, A* state, A* all,
                  bool writes) const {
    with(all, writes, [&]<bool kWrites, bool kAll>() {
      for (int64_t l = first; l < last; l++) {
        const int64_t own = x.first_of == nullptr ? 0 : x.first_of[l];
        const int64_t begin = x.items_of[l], n = x.items_of[l + 1] - begin;
        A *const s = state + own, *const a = kAll ? all + own : nullptr;
        for (int64_t j = 0; j < n; j++) {
          if (x.take_part == nullptr || x.take_part[begin + j] != 0)
            step<kWrites, kAll>(begin + j, s[j], kAll ? a + j : nullptr);
          else if constexpr (kWrites)
            out_[begin + j] = Out{};
        }
      }
    });
  }

  void some_rows(const Rows& r, A* state, A* all, bool writes) const {
    with(all, writes, [&]<bool kWrites, bool kAll>() {
      const bool all_add = valid_ == nullptr && !but_nan_;
      if (r.columns <= kNarrow && !kAll && valid_ == nullptr) return narrow<kWrites>(r, state);
      for (int64_t k = 0, at = r.first; k < r.count; k++, at += r.stride) {
        if (all_add && !kAll) {
          const In* const in = in_ + at;
          Out* const out = out_ + at;
          for (int64_t j = 0; j < r.columns; j++) {
            state[j] = Op::apply(state[j], load<A>(in[j]));
            if constexpr (kWrites) out[j] = round_to<Out>(state[j]);
          }
          continue;
        }
        for (int64_t j = 0; j < r.columns; j++)
          step<kWrites, kAll>(at + j, state[j], kAll ? all + j : nullptr);
      }
    });
  }

  template <bool kWrites>
  void narrow(const Rows& r, A* state) const {
    const auto of = [&]<int N>(std::integral_constant<int, N>) {
      A s[N];
      std::copy_n(state, N, s);
      for (int64_t k = 0, at = r.first; k < r.count; k++, at += r.stride)
        for (int j = 0; j < N; j++) step<kWrites, false>(at + j, s[j], nullptr);
      std::copy_n(s, N, state);
    };
    [&]<int... N>(std::integer_sequence<int, N...>) {
      (void)((r.columns == N + 1 && (of(std::integral_constant<int, N + 1>{}), true)) || ...);
    }
    (std::make_integer_sequence<int, kNarrow>{});
  }

  const In* in_;
  const uint8_t* valid_;
  Out* out_;
  bool but_nan_;
};

/// f(scanner) of the types that a scan has.
template <class F>
void with_scanner(const RowScan& scan, void* out, F&& f) {
  scan_as(scan.reducer, scan.dtype, [&]<class Op, class In, class A, class Out>() {
    f(RowScanner<Op, In, A, Out>(scan, out));
  });
}

}  // namespace

void scan_rows(const RowScan& scan, const ListsInColumns& lists, void* out) {
  if (lists.owners > 0) with_scanner(scan, out, [&](const auto& s) { s.lists(lists); });
}

void scan_rows(const RowScan& scan, int64_t count, int64_t rows, int64_t columns, void* out) {
  if (count * rows * columns == 0) return;
  with_scanner(scan, out, [&](const auto& s) { s.matrices(count, rows, columns); });
}

void multiply_rows(const RowScan& scan, int64_t count, int64_t rows, int64_t columns, void* out) {
  if (count * columns == 0) return;
  with_scanner(scan, out, [&](const auto& s) { s.products(count, rows, columns); });
}

void multiply_rows(const RowScan& scan, const ListsInColumns& lists, void* out) {
  with_scanner(scan, out, [&](const auto& s) { s.products(lists); });
}

}  // namespace serrate::cpu
