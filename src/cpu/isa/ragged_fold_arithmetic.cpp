// Folds by sum, product, minimum and maximum of the real types.
#include "cpu/isa/ragged_groups.h"
#include "cpu/isa/ragged_short.h"

namespace serrate::cpu::SERRATE_ISA {
namespace {

#if defined(__AVX2__)
// Lists [from, to), a multiple of 8: those that have items, some side by side.
template <class Op, class V, class A, class Other>
void fold_groups(const V* values, const int32_t* off, const int32_t* ends, int64_t from, int64_t to,
                 const FoldArgs& args, A* acc, Other other) {
  using G = Groups<Op, V, A>;
  Chosen chosen;
  chosen.set(off, ends, from, to);
  for (int k = 0; k < chosen.size; k += G::kLists) {
    const int lists = least(G::kLists, chosen.size - k);
    alignas(64) A results[8];
    if (G::is_long(chosen.count + k)) {
      for (int i = k; i < k + lists; i++) other(chosen.list[i]);
      continue;
    }
    fetch_values<8192>(args, values + chosen.begin[k], values + chosen.begin[k + lists - 1]);
    const auto folded = G::fold(values, chosen.begin + k, chosen.count + k);
    if (G::are_adjacent(chosen.list + k, lists)) {
      A* const first = acc + chosen.list[k];
      store(first, Op::step(folded, load<typename G::Results>(first)));
      continue;
    }
    store(results, folded);
    for (int i = 0; i < lists; i++) {
      A& a = acc[chosen.list[k + i]];
      a = Op::step(results[i], a);
    }
  }
}
#endif

// Lists [from, to) of values that begin at item `base` and end at item `end` of the chunk. If they
// are scratch, whole rows may be read behind them. Lists that lie end to end have code of their
// own: each bound is loaded once.
template <class Op, bool end_to_end, class V, class A>
void fold_range(const V* values, int64_t from, int64_t to, int64_t base, int64_t end,
                const FoldArgs& args, A* acc) {
  const int32_t* off = args.off;
  const auto ends = [&](int64_t p) { return end_to_end ? off + p + 1 : args.ends + p; };
  using L = Lanes<Op, V, A>;
  const auto cut = [&](int64_t p) {
    const int64_t first = most<int64_t>(off[p], base), last = least<int64_t>(*ends(p), end);
    acc[p] = Op::step(L::template list<false>(values + (first - base), last - first), acc[p]);
  };
  int64_t p = from, safe = to;
  if (p < to && off[p] < base) cut(p++);
  const int64_t readable = args.scratch ? end : end - int64_t{L::kRow};
  while (safe > p && *ends(safe - 1) > readable) safe--;
  const auto whole = [&](int64_t i) {
    return L::template list<true>(values - base + off[i], *ends(i) - off[i]);
  };
  const auto run = [&](int64_t stop) {
    for (; p < stop; p++) {
      if (*ends(p) - off[p] >= 4 * L::kRow)
        fetch_values(args, values - base + off[p], values - base + *ends(p));
      acc[p] = Op::step(whole(p), acc[p]);
    }
  };
#if defined(__AVX2__)
  constexpr bool kShort = sizeof(V) == sizeof(A) && sizeof(A) >= 4;
  GroupLooks looks{p, !kShort && kNative < 64};
  const auto in_groups = [&] {
    if constexpr (!Groups<Op, V, A>::kPossible) return false;
    const int64_t stop = looks.end(off, ends(0), p, safe);
    if (stop == p) return false;
    if constexpr (Groups<Op, V, A>::kPossible)
      fold_groups<Op>(values - base, off, ends(0), p, stop, args, acc,
                      [&](int64_t i) { acc[i] = Op::step(whole(i), acc[i]); });
    p = stop;
    return true;
  };
  if constexpr (kShort) {
    using S = ShortLists<Op, A>;
    while (p + S::kLists <= safe) {
      if (in_groups()) continue;
      fetch_values(args, values - base + off[p], values - base + off[p + S::kLists]);
      if (S::fold(values - base, off + p, ends(p), acc + p, [&](int i) { return whole(p + i); }))
        p += S::kLists;
      else
        run(p + S::kLists);
    }
  }
  while (p < safe)
    if (!in_groups()) run(p < looks.next ? looks.next : safe);
#else
  run(safe);
#endif
  for (; p < to; p++) cut(p);
}

// out[k] = valid[k] ? values[k] : other, by bits: a choice would be a branch without SSE4.1.
template <class V>
void blend(const V* values, const uint8_t* valid, int64_t n, V other, V* out) {
  using Bits = typename SignedOf<sizeof(V)>::type;
  const Bits o = __builtin_bit_cast(Bits, other);
  for (int64_t k = 0; k < n; k++) {
    const Bits keep = static_cast<Bits>(-static_cast<Bits>(valid[k] != 0));
    const Bits x = __builtin_bit_cast(Bits, values[k]);
    out[k] = __builtin_bit_cast(V, static_cast<Bits>((x & keep) | (o & ~keep)));
  }
}

template <class Op, bool end_to_end, class V, class A>
void fold_lists(const FoldArgs& args) {
  const V* values = static_cast<const V*>(args.values);
  A* acc = static_cast<A*>(args.acc);
  const int64_t lists = args.lists;
  if (lists == 0) return;
  const int64_t n = args.off[lists];
  if (!args.valid) {
    fold_range<Op, end_to_end>(values, 0, lists, 0, n, args, acc);
    return;
  }
  // What is not valid becomes the identity, in a copy of a tile at a time.
  constexpr int64_t kTile = 2048;
  constexpr int kRow = Lanes<Op, V, A>::kRow;
  alignas(64) V tile[kTile + kRow];
  __builtin_memset(tile + kTile, 0, kRow * sizeof(V));
  constexpr V identity = Op::template identity<V>;
  FoldArgs in_tile = args;
  in_tile.scratch = true;
  int64_t p = 0;
  for (int64_t base = 0; base < n; base += kTile) {
    const int64_t end = least(n, base + kTile);
    blend(values + base, args.valid + base, end - base, identity, tile);
    int64_t to = p;
    while (to < lists && args.off[to] < end) to++;
    fold_range<Op, end_to_end>(tile, p, to, base, end, in_tile, acc);
    p = to;
    if (p > 0 && ends_of(args)[p - 1] > end) p--;
  }
}

template <class Op, class V, class A>
void fold(const FoldArgs& args) {
  if (args.ends)
    fold_lists<Op, false, V, A>(args);
  else
    fold_lists<Op, true, V, A>(args);
}

// Sums and products of integers are of the widest type, extremes of the items' own.
template <Reducer r, class V, class Wide>
constexpr FoldFn fold_as =
    fold<StepOf<r>, V, std::conditional_t<info(r).result == ReducerInfo::Result::widened, Wide, V>>;

template <Reducer r>
FoldFn fold_of(DType values) {
  if constexpr (info(info(r).join).accepts & kAcceptsFloating) {
    if (values == DType::float32) return fold_as<r, float, float>;
    if (values == DType::float64) return fold_as<r, double, double>;
  }
  switch (values) {
    case DType::boolean:
      return fold_as<r, uint8_t, int64_t>;
    case DType::int8:
      return fold_as<r, int8_t, int64_t>;
    case DType::int16:
      return fold_as<r, int16_t, int64_t>;
    case DType::int32:
      return fold_as<r, int32_t, int64_t>;
    case DType::int64:
    case DType::datetime64:
    case DType::timedelta64:
      return fold_as<r, int64_t, int64_t>;
    case DType::uint8:
      return fold_as<r, uint8_t, uint64_t>;
    case DType::uint16:
      return fold_as<r, uint16_t, uint64_t>;
    case DType::uint32:
      return fold_as<r, uint32_t, uint64_t>;
    case DType::uint64:
      return fold_as<r, uint64_t, uint64_t>;
    default:
      return nullptr;
  }
}

}  // namespace

void wide_sum(const FoldArgs& args, double* room) {
  using Sum = StepOf<Reducer::sum>;
  if (!room) return fold<Sum, float, double>(args);
  using L = Lanes<Sum, float, double>;
  const auto* values = static_cast<const float*>(args.values);
  const int64_t n = args.off[args.lists];
  int64_t i = 0;
  for (; i + L::kLanes <= n; i += L::kLanes) store(room + i, L::get(values + i));
  for (; i < n; i++) room[i] = static_cast<double>(values[i]);
  FoldArgs converted = args;
  converted.values = room;
  converted.scratch = true;
  fold<Sum, double, double>(converted);
}

FoldFn fold_arithmetic(Reducer reducer, DType values) {
  // Bits are counted faster than bytes are added.
  if (reducer == Reducer::sum && values == DType::boolean)
    return fold_count(Reducer::count_nonzero, values);
  const auto found = [values]<Reducer r>() -> FoldFn {
    if constexpr (info(r).item == ReducerInfo::Item::value) return fold_of<r>(values);
    return nullptr;
  };
  switch (reducer) {
#define SERRATE_REDUCER(name, ...) \
  case Reducer::name:              \
    return found.template operator()<Reducer::name>();
#include "core/types/reducers.def"
  }
  return nullptr;
}

}  // namespace serrate::cpu::SERRATE_ISA
