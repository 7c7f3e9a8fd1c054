// Folds along the outer axis. A list is added to the places as a row of lanes, under a mask: the
// first places, which most lists end in, are kept in registers.
#include "cpu/isa/ragged_groups.h"
#include "cpu/lists/folds/fold_columns.h"

namespace serrate::cpu::SERRATE_ISA {

void fold_columns(Reducer reducer, const ColumnFoldArgs& args);

namespace {

/// A row of places, and what a list of items V has for them.
template <class Op, class V, class T, bool counting>
struct Columns {
  static constexpr int kRow = 8;
#if defined(__AVX2__)
  using L = Lanes<Op, V, T>;
  using Vector = typename L::Vector;
  using Indexes = typename L::Indexes;
  static_assert(L::kRow == kRow);
  using Row = typename L::Row;

  [[gnu::always_inline]] static Row identity() { return L::identity_row(); }
  /// The first `count` items from p on; of a list's length, if it is counted.
  [[gnu::always_inline]] static void add(const V* p, int64_t count, Row& row) {
    const Indexes most = Indexes{} + static_cast<typename L::Index>(count);
#pragma GCC unroll 2
    for (int j = 0; j < L::kVectors; j++) {
      const Indexes in = load<Indexes>(L::kIota.value) + j * L::kLanes;
      if constexpr (counting)
        row.v[j] -= (Vector)(in < most);
      else
        row.v[j] = Op::step(Masked<Op, V, T, Vector>::load(p + j * L::kLanes, in, most), row.v[j]);
    }
  }
  /// As many as a row has.
  [[gnu::always_inline]] static void add_whole(const V* p, Row& row) {
    if constexpr (counting)
      for (int j = 0; j < L::kVectors; j++) row.v[j] += 1;
    else
      L::add_row(p, row);
  }
  // Register by register: GCC 12 copies the whole row by halves of registers, which stall.
  [[gnu::always_inline]] static void get(const T* from, Row& row) {
#pragma GCC unroll 2
    for (int j = 0; j < L::kVectors; j++) row.v[j] = load<Vector>(from + j * L::kLanes);
  }
  [[gnu::always_inline]] static void put(const Row& row, T* to) {
#pragma GCC unroll 2
    for (int j = 0; j < L::kVectors; j++) store(to + j * L::kLanes, row.v[j]);
  }
#else
  struct Row {
    T v[kRow];
  };
  [[gnu::always_inline]] static Row identity() {
    Row row;
    for (T& v : row.v) v = Op::template identity<T>;
    return row;
  }
  [[gnu::always_inline]] static void add(const V* p, int64_t count, Row& row) {
    const int n = static_cast<int>(least<int64_t>(count, kRow));
    for (int i = 0; i < n; i++) row.v[i] = Op::step(counting ? T(1) : T(p[i]), row.v[i]);
  }
  [[gnu::always_inline]] static void add_whole(const V* p, Row& row) { add(p, kRow, row); }
  static void get(const T* from, Row& row) { row = load<Row>(from); }
  static void put(const Row& row, T* to) { store(to, row); }
#endif

  /// `count` items to the places from `out` on, of which there are `room`.
  static void add_all(const V* p, int64_t count, T* out, int64_t room) {
    int64_t k = 0;
    for (; k + kRow <= count; k += kRow) {
      Row row;
      get(out + k, row);
      add_whole(p + (counting ? 0 : k), row);
      put(row, out + k);
    }
    for (; k < count && k + kRow <= room; k += kRow) {
      Row row;
      get(out + k, row);
      add(p + k, count - k, row);
      put(row, out + k);
    }
    for (; k < count; k++) out[k] = Op::step(counting ? T(1) : T(p[k]), out[k]);
  }

  static void fold(const ColumnFoldArgs& args) {
    const V* values = static_cast<const V*>(args.values);
    const int32_t* off = args.off;
    T* const out = static_cast<T*>(args.out);
    const int64_t size = args.size;
    T* const tables[2] = {out, out + (args.tables > 1 ? size + 1 : 0)};
    const auto items = [&](int64_t p) { return counting ? values : values + off[p]; };
    int64_t p = 0;
    if (args.start > 0 && args.lists > 0) {
      const int64_t room = size - args.start;
      add_all(items(0), least<int64_t>(off[1] - off[0], room), out + args.start, room);
      p = 1;
    }
    Row first[2] = {identity(), identity()};
    const auto list = [&](int64_t i, Row& row, T* table) {
      const int64_t count = least<int64_t>(off[i + 1] - off[i], size);
      add(items(i), count, row);
      if (count > kRow)
        add_all(items(i) + (counting ? 0 : kRow), count - kRow, table + kRow, size - kRow);
    };
    const auto two = [&] {
      list(p, first[0], tables[0]);
      list(p + 1, first[1], tables[1]);
      p += 2;
    };
    // Long lists of one length: each row of places is visited once for all of them.
    const auto are_alike = [&](int lists) {
      const int32_t count = off[p + 1] - off[p];
      bool alike = count > 2 * kRow;
      for (int i = 1; i < lists; i++) alike &= off[p + i + 1] - off[p + i] == count;
      return alike;
    };
    const auto add_together = [&]<int lists, int second>(std::integral_constant<int, lists>,
                                                         std::integral_constant<int, second>) {
      const int64_t count = least<int64_t>(off[p + 1] - off[p], size);
      // Not looked up again at each row of places, which might be where offsets are.
      const V* list_at[lists];
      for (int i = 0; i < lists; i++) list_at[i] = items(p + i);
      for (int i = 0; i < lists; i++) add_whole(list_at[i], first[i & 1]);
      const auto at = [&](int i, int64_t k) { return counting ? values : list_at[i] + k; };
      int64_t k = kRow;
      for (; k + kRow <= count; k += kRow) {
        Row rows[2];
        get(out + k, rows[0]);
        if (second) get(tables[1] + k, rows[1]);
#pragma GCC unroll 8
        for (int i = 0; i < lists; i++) add_whole(at(i, k), rows[i & second]);
        put(rows[0], out + k);
        if (second) put(rows[1], tables[1] + k);
      }
      for (; k < count; k++)
        for (int i = 0; i < lists; i++) {
          T& place = tables[i & 1][k];
          place = Op::step(counting ? T(1) : T(*at(i, k)), place);
        }
      p += lists;
    };
    const auto together = [&](auto lists) {
      if (args.tables > 1)
        add_together(lists, std::integral_constant<int, 1>{});
      else
        add_together(lists, std::integral_constant<int, 0>{});
    };
    constexpr std::integral_constant<int, 4> four;
    constexpr std::integral_constant<int, 8> eight;
    while (p + 8 <= args.lists) {
      if (are_alike(8)) {
        together(eight);
        continue;
      }
      if (are_alike(4)) {
        together(four);
        continue;
      }
      if (!counting) fetch_ahead(values + off[p], values + off[p + 8]);
      for (int i = 0; i < 4; i++) two();
    }
    while (p + 4 <= args.lists && are_alike(4)) together(four);
    while (p + 2 <= args.lists) two();
    if (p < args.lists) list(p, first[0], tables[0]);
    for (int t = 0; t < 2; t++) {
      T row[kRow];
      put(first[t], row);
      for (int i = 0; i < least<int64_t>(size, kRow); i++)
        tables[t][i] = Op::step(row[i], tables[t][i]);
    }
  }
};

template <class V, class T>
void fold_as(Reducer reducer, const ColumnFoldArgs& args) {
  if (reducer == Reducer::min) return Columns<Min, V, T, false>::fold(args);
  if (reducer == Reducer::max) return Columns<Max, V, T, false>::fold(args);
  return Columns<Sum, V, T, false>::fold(args);
}

}  // namespace

void fold_columns(Reducer reducer, const ColumnFoldArgs& args) {
  if (!args.values) return Columns<Sum, int64_t, int64_t, true>::fold(args);
  if (args.dtype == DType::int64) return fold_as<int64_t, int64_t>(reducer, args);
  if (args.dtype == DType::float32) return fold_as<float, double>(reducer, args);
  fold_as<double, double>(reducer, args);
}

}  // namespace serrate::cpu::SERRATE_ISA
