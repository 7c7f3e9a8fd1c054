// Folds that count: any, all, count_nonzero and count, as differences of ranks among bits.
// A list costs one rank whatever its length, without a branch that depends on it.
#include <type_traits>

#include "cpu/isa/ragged_bits.h"
#include "cpu/isa/ragged_groups.h"
#include "cpu/isa/ragged_truths.h"

namespace serrate::cpu::SERRATE_ISA {
namespace {

template <class R>
struct Pair {
  R re, im;
};

template <class T>
[[gnu::always_inline]] inline bool nonzero(T x) {
  return x != T(0);
}
template <class R>
[[gnu::always_inline]] inline bool nonzero(Pair<R> x) {
  return (x.re != R(0)) | (x.im != R(0));
}

// The tile's bits are the items of the kind that is counted.
template <bool zeros, class T>
void fill_tile(const T* values, const uint8_t* valid, int64_t n, BitTile& tile) {
  if constexpr (sizeof(T) == 1) {
    if (!valid) return tile.set_bytes<zeros>(reinterpret_cast<const uint8_t*>(values), n);
  } else if constexpr (std::is_arithmetic_v<T>) {
    if (!valid) return tile.set_items<zeros>(values, n, [](const T* v) { return zeros_of_64(v); });
  }
  alignas(64) uint8_t mask[BitTile::kItems];
  if (valid) {
    for (int64_t k = 0; k < n; k++) mask[k] = (nonzero(values[k]) != zeros) & (valid[k] != 0);
  } else {
    for (int64_t k = 0; k < n; k++) mask[k] = nonzero(values[k]) != zeros;
  }
  tile.set(mask, n);
}

// Whether there is an item of the kind that is counted.
template <bool zeros, class T>
bool has_some(const T* values, int64_t n) {
  uint8_t some = 0;
  for (int64_t k = 0; k < n; k++) some |= static_cast<uint8_t>(nonzero(values[k]) != zeros);
  return some != 0;
}

// The same, to the first ones that have one.
template <bool zeros, class T>
[[gnu::always_inline]] inline bool finds_some(const T* values, int64_t n) {
  constexpr int64_t kMany = 1024;
  if constexpr (std::is_arithmetic_v<T>) {
    if (n >= 64) {
      const auto of_64 = [](const T* p) { return zeros ? zeros_of_64(p) : ~zeros_of_64(p); };
      if (has_some<zeros>(values, 64 / int64_t{sizeof(T)})) return true;
      int64_t k = 0;
      for (; k + kMany <= n; k += kMany)
        if (has_some<zeros>(values + k, kMany)) return true;
      uint64_t bits = of_64(values + n - 64);
      for (; k + 64 <= n; k += 64) bits |= of_64(values + k);
      return bits != 0;
    }
  }
  return has_some<zeros>(values, n);
}

// Lists one by one, of those that are long as few items as decide: what is decided is not read.
template <bool zeros, class T>
void fold_long(const FoldArgs& args) {
  constexpr int64_t kAhead = 16;
  const T* values = static_cast<const T*>(args.values);
  uint8_t* acc = static_cast<uint8_t*>(args.acc);
  const int32_t* const off = args.off;
  for (int64_t p = 0; p < args.lists; p++) {
    if (!args.scratch) __builtin_prefetch(values + off[least(p + kAhead, args.lists - 1)]);
    if (acc[p] == uint8_t{!zeros}) continue;
    if (finds_some<zeros>(values + off[p], off[p + 1] - off[p])) acc[p] = uint8_t{!zeros};
  }
}

// How many items are not zero, a tile at most: counted in lanes as wide as the items.
template <class T>
int64_t count_of(const T* values, int64_t n) {
  using Count = std::conditional_t<sizeof(T) == 2, uint16_t,
                                   std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
  Count count = 0;
  for (int64_t k = 0; k < n; k++) count = static_cast<Count>(count + Count{nonzero(values[k])});
  return static_cast<int64_t>(count);
}

// What is done with the items of the kind: add(p, how many) of a part of list p, of several lists
// at once add_lists(p, their bits); add_all(p, begin, n) does a whole tile of one list, if it
// returns true. make(begin, n, tile) tells which items they are; memory, which rests while lists
// are looked at, is asked by fetch(begin, end) for what comes a tile later.
template <bool adjacent, class Make, class Fetch, class Add, class AddLists, class AddAll>
[[gnu::always_inline]] inline void count_filled(const int32_t* off, int64_t lists, Make make,
                                                [[maybe_unused]] Fetch fetch, Add add,
                                                [[maybe_unused]] AddLists add_lists,
                                                AddAll add_all) {
  const int64_t n = off[lists];
  BitTile tile;
  int64_t p = 0;
  for (int64_t begin = off[0]; begin < n; begin += BitTile::kItems) {
    const int64_t end = least(n, begin + BitTile::kItems);
    while (p < lists && off[p + 1] <= begin) p++;  // nothing of them is here
    if (p < lists && off[p + 1] >= end && add_all(p, begin, end - begin)) continue;
    make(begin, end - begin, tile);
    // Lists up to `stop`, which end in this tile, one by one.
    const auto one_by_one = [&](int64_t stop) {
      int64_t before = p < stop ? tile.rank(most<int64_t>(off[p] - begin, 0)) : 0;
      for (; p < stop && off[p + 1] <= end; p++) {
        // A list that ended before this tile has nothing in it.
        const int64_t rank = tile.rank(most<int64_t>(off[p + 1] - begin, 0));
        add(p, rank - before);
        before = rank;
      }
    };
#if defined(__AVX2__)
    if constexpr (adjacent) {
      constexpr int kLists = ListBits::kLists;
      if (p < lists && off[p] < begin) one_by_one(p + 1);
      while (p + kLists <= lists && off[p + kLists] <= end) {
        fetch(off[p], off[p + kLists]);
        if (ListBits::fit(off + p)) {
          add_lists(p, ListBits::of(tile.from(off[p] - begin), off + p));
          p += kLists;
        } else {
          one_by_one(p + kLists);
        }
      }
    }
#endif
    one_by_one(lists);
    if (p < lists) {
      const int64_t rank = tile.rank(most<int64_t>(off[p] - begin, 0));
      add(p, tile.rank(end - begin) - rank);
    }
  }
}

// The same; where most lists are empty, only the others are looked at.
template <class Make, class Fetch, class Add, class AddLists, class AddAll>
[[gnu::always_inline]] inline void count_lists(const int32_t* off, int64_t lists, Make make,
                                               Fetch fetch, Add add, AddLists add_lists,
                                               AddAll add_all) {
  int64_t p = 0;
#if defined(__AVX2__)
  while (lists - p >= 64 && GroupLooks::are_mostly_empty(off + p)) {
    const int64_t stop = p + least<int64_t>(Chosen::kMost, (lists - p) / 8 * 8);
    Chosen some;
    some.set(off, off + 1, p, stop);
    some.begin[some.size] = off[stop];
    count_filled<false>(
        some.begin, some.size, make, fetch,
        [&](int64_t k, int64_t count) { add(some.list[k], count); }, add_lists,
        [&](int64_t k, int64_t begin, int64_t n) { return add_all(some.list[k], begin, n); });
    p = stop;
  }
#endif
  count_filled<true>(
      off + p, lists - p, make, fetch, [&](int64_t k, int64_t count) { add(p + k, count); },
      [&](int64_t k, auto bits) { add_lists(p + k, bits); },
      [&](int64_t k, int64_t begin, int64_t n) { return add_all(p + k, begin, n); });
}

// Adds the numbers of such items to `acc`; add_all as in count_filled.
template <class Make, class Fetch, class AddAll>
[[gnu::always_inline]] inline void count_into(int64_t* acc, const FoldArgs& args, Make make,
                                              Fetch fetch, AddAll add_all) {
  count_lists(
      args.off, args.lists, make, fetch, [=](int64_t p, int64_t count) { acc[p] += count; },
      [=]([[maybe_unused]] int64_t p, [[maybe_unused]] auto bits) {
#if defined(__AVX2__)
        using Counts = Vec<int64_t, kNative>;
        store(acc + p, load<Counts>(acc + p) + (Counts)ListBits::ones(bits));
#endif
      },
      add_all);
}

// Items of a list on average from which on lists are looked at one by one.
constexpr int64_t kLong = 64;

template <Reducer reducer, class T>
void fold(const FoldArgs& args) {
  constexpr bool zeros = reducer == Reducer::all;
  const T* values = static_cast<const T*>(args.values);
  const auto make = [&](int64_t begin, int64_t n, BitTile& tile) {
    fill_tile<zeros>(values + begin, args.valid ? args.valid + begin : nullptr, n, tile);
  };
  const auto fetch = [values, is_far = !args.scratch](int64_t begin, int64_t end) {
    // To the second cache: a tile may be as large as the first.
    if (is_far)
      for (int64_t k = begin; k < end; k += 64 / int64_t{sizeof(T)})
        __builtin_prefetch(values + k + BitTile::kItems, 0, 2);
  };
  if constexpr (reducer == Reducer::count_nonzero) {
    auto* acc = static_cast<int64_t*>(args.acc);
    count_into(acc, args, make, fetch, [&](int64_t p, int64_t begin, int64_t n) {
      if (sizeof(T) == 1 || args.valid) return false;  // bytes are a tile's bits as fast
      acc[p] += count_of(values + begin, n);
      return true;
    });
  } else {
    if (!args.valid && args.off[args.lists] - args.off[0] >= kLong * args.lists)
      return fold_long<zeros, T>(args);
    uint8_t* acc = static_cast<uint8_t*>(args.acc);
    const auto add = [=](int64_t p, int64_t count) {
      if constexpr (zeros)
        acc[p] = acc[p] & (count == 0);
      else
        acc[p] = acc[p] | (count != 0);
    };
    const auto add_lists = [=]([[maybe_unused]] int64_t p, [[maybe_unused]] auto bits) {
#if defined(__AVX2__)
      using Bytes = ListBits::Bytes;
      const Bytes some = ListBits::any(bits), before = load<Bytes>(acc + p);
      store<Bytes>(acc + p, zeros ? before & ~some : before | some);
#endif
    };
    const auto add_all = [&](int64_t p, int64_t begin, int64_t count) {
      if (args.valid) return false;
      add(p, has_some<zeros>(values + begin, count));
      return true;
    };
    count_lists(args.off, args.lists, make, fetch, add, add_lists, add_all);
  }
}

void count(const FoldArgs& args) {
  int64_t* acc = static_cast<int64_t*>(args.acc);
  if (!args.valid) {
    for (int64_t p = 0; p < args.lists; p++) acc[p] += args.off[p + 1] - args.off[p];
    return;
  }
  count_into(
      acc, args,
      [&](int64_t begin, int64_t n, BitTile& tile) {
        tile.set_bytes<false>(args.valid + begin, n);
      },
      [](int64_t, int64_t) {}, [](int64_t, int64_t, int64_t) { return false; });
}

template <class T>
FoldFn of_type(Reducer reducer) {
  if (reducer == Reducer::any) return fold<Reducer::any, T>;
  if (reducer == Reducer::all) return fold<Reducer::all, T>;
  return fold<Reducer::count_nonzero, T>;
}

}  // namespace

FoldFn fold_count(Reducer reducer, DType values) {
  if (reducer == Reducer::count) return count;
  switch (values) {
    case DType::boolean:
    case DType::int8:
    case DType::uint8:
      return of_type<uint8_t>(reducer);
    case DType::int16:
    case DType::uint16:
      return of_type<uint16_t>(reducer);
    case DType::int32:
    case DType::uint32:
      return of_type<uint32_t>(reducer);
    case DType::int64:
    case DType::uint64:
    case DType::datetime64:
    case DType::timedelta64:
      return of_type<uint64_t>(reducer);
    case DType::float32:
      return of_type<float>(reducer);
    case DType::float64:
      return of_type<double>(reducer);
    case DType::complex64:
      return of_type<Pair<float>>(reducer);
    case DType::complex128:
      return of_type<Pair<double>>(reducer);
    case DType::float16:
      break;
  }
  return nullptr;
}

}  // namespace serrate::cpu::SERRATE_ISA
