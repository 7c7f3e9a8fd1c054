// Selection by two pivots from a sample (Floyd, Rivest 1975): one pass counts what is below the
// lower one and collects what is between them, where the places that are asked for surely are.
#include "cpu/lists/select_lists.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/seams.h"
#include "core/unsigned_of_size.h"
#include "cpu/lists/list_tasks.h"
#include "cpu/lists/ragged.h"
#include "cpu/lists/sort_counting.h"
#include "cpu/lists/sort_kernels.h"
#include "cpu/machine/pool.h"
#include "serrate/error.h"

namespace serrate::cpu {
namespace {

constexpr int64_t kBlock = 1024;
constexpr int64_t kBehind = 64;  // items behind a block that kernels may write

struct Request {
  DType type;
  const std::byte* keys;
  const uint8_t* valid;
  bool descending;
  graph::Places places;
  std::byte* out;
  int64_t* order;
};

/// One list.
template <class K>
class Selection {
 public:
  Selection(const Request& r, int64_t first, int64_t n)
      : r_(r), first_(first), n_(n), size_(itemsize(r.type)) {
    const int64_t chunk = seams().sorted;
    chunks_ = in_parallel() ? 1 : std::max<int64_t>(1, (n + chunk - 1) / chunk);
    present_ = r.valid ? std::count_if(r.valid + first, r.valid + first + n,
                                       [](uint8_t v) { return v != 0; })
                       : n;
  }

  void run() {
    if (r_.places.first > 0) return leading(std::min(r_.places.first, n_));
    if (r_.places.at) return partition(std::min(*r_.places.at, n_ - 1));
    if (present_ == 0) return;
    const auto last = present_ - 1;
    const double place = static_cast<double>(last) * *r_.places.part;
    const auto low = static_cast<int64_t>(place);
    const auto high = static_cast<int64_t>(std::ceil(place));
    const Found found = between(low, high);
    store(low, found.keys.front(), low - found.less_of_front);
    if (high != low) store(high, found.keys.back(), 0);
    if (last > high) store(last, found.most, 0);
  }

 private:
  /// The keys at the places asked for.
  struct Found {
    std::vector<K> keys;
    int64_t less_of_front = 0;  // items below the first of them
    K most{};
  };
  struct Part {
    int64_t less = 0;
    K most = std::numeric_limits<K>::min();
    std::vector<K> inside;
  };

  /// Calls f(chunk, keys, n, position of each) for blocks of items that are present.
  template <class F>
  void each_block(F&& f) const {
    parallel_for(chunks_, [&](int64_t c, int) {
      K keys[kBlock];
      int32_t places[kBlock];
      if (!r_.valid) std::iota(places, places + kBlock, 0);
      const int64_t end = n_ * (c + 1) / chunks_;
      for (int64_t i = n_ * c / chunks_; i < end; i += kBlock) {
        const int64_t n = std::min(kBlock, end - i);
        sort_kernels().to_keys(r_.type, at(i), n, r_.descending, keys);
        f(c, keys, r_.valid ? keep_present(i, n, keys, places) : n, i, places);
      }
    });
  }

  int64_t keep_present(int64_t begin, int64_t n, K* keys, int32_t* places) const {
    int64_t kept = 0;
    for (int64_t k = 0; k < n; k++) {
      keys[kept] = keys[k];
      places[kept] = static_cast<int32_t>(k);
      kept += r_.valid[first_ + begin + k] != 0;
    }
    return kept;
  }

  const std::byte* at(int64_t i) const { return r_.keys + (first_ + i) * size_; }

  K key_of(int64_t i) const {
    K key;
    sort_kernels().to_keys(r_.type, at(i), 1, r_.descending, &key);
    return key;
  }

  /// Keys of some items, in order; at most as many as are asked for.
  std::vector<K> sample(int64_t most) const {
    std::vector<K> keys;
    uint64_t state = 0x9E3779B97F4A7C15;  // any; the same each time
    for (int64_t k = 0; k < most; k++) {
      state = state * 6364136223846793005 + 1442695040888963407;  // Knuth's MMIX
      const auto i = static_cast<int64_t>(
          static_cast<unsigned __int128>(state) * static_cast<uint64_t>(n_) >> 64);
      if (!r_.valid || r_.valid[first_ + i]) keys.push_back(key_of(i));
    }
    std::sort(keys.begin(), keys.end());
    return keys;
  }

  /// Bounds between which the places from low to high are, most likely.
  std::pair<K, K> bounds(int64_t low, int64_t high) const {
    constexpr auto least = std::numeric_limits<K>::min(), most = std::numeric_limits<K>::max();
    constexpr int64_t kFew = 8192;
    if (n_ <= kFew) return {least, most};
    const std::vector<K> s = sample(std::clamp<int64_t>(n_ / 64, 256, kFew));
    if (s.empty()) return {least, most};
    const auto size = static_cast<double>(s.size());
    // Four standard deviations of a place in the sample.
    const auto place = [&](int64_t k, int side) {
      const double p = static_cast<double>(k) / static_cast<double>(present_);
      return size * p + side * (4 * std::sqrt(size * p * (1 - p)) + 4);
    };
    const double a = place(low, -1), b = place(high, 1);
    return {a < 0 ? least : s[static_cast<size_t>(a)],
            b >= size ? most : s[static_cast<size_t>(b)]};
  }

  /// The keys at places low and high, of which there is none between.
  Found between(int64_t low, int64_t high) const {
    std::pair<K, K> pivots = bounds(low, high);
    for (;;) {
      std::vector<Part> parts(static_cast<size_t>(chunks_));
      each_block([&](int64_t c, const K* keys, int64_t n, int64_t, const int32_t*) {
        Part& p = parts[static_cast<size_t>(c)];
        collect(keys, n, pivots.first, pivots.second, p);
      });
      Part all = std::move(parts[0]);
      for (size_t c = 1; c < parts.size(); c++) {
        all.less += parts[c].less;
        all.most = std::max(all.most, parts[c].most);
        all.inside.insert(all.inside.end(), parts[c].inside.begin(), parts[c].inside.end());
      }
      if (low >= all.less && high < all.less + static_cast<int64_t>(all.inside.size()))
        return pick_from(all, low, high);
      // An unlucky sample.
      pivots = {std::numeric_limits<K>::min(), std::numeric_limits<K>::max()};
    }
  }

  static void collect(const K* keys, int64_t n, K low, K high, Part& p) {
    K inside[kBlock + kBehind];
    uint8_t mask[kBlock];
    int64_t less = 0;
    K most = p.most;
    for (int64_t i = 0; i < n; i++) {
      less += keys[i] < low;
      most = std::max(most, keys[i]);
      mask[i] = (keys[i] >= low) & (keys[i] <= high);
    }
    const int64_t kept = ragged().compress(sizeof(K), keys, mask, n, inside);
    p.less += less;
    p.most = most;
    p.inside.insert(p.inside.end(), inside, inside + kept);
  }

  static Found pick_from(Part& all, int64_t low, int64_t high) {
    const auto nth = all.inside.begin() + (low - all.less);
    std::nth_element(all.inside.begin(), nth, all.inside.end());
    Found found{{*nth}, all.less, all.most};
    found.less_of_front += std::count_if(all.inside.begin(), nth, [&](K k) { return k < *nth; });
    if (high > low) found.keys.push_back(*std::min_element(nth + 1, all.inside.end()));
    return found;
  }

  /// The value of a key: that of item `which` of those that are equal to it, where they differ.
  void store(int64_t place, K key, int64_t which) const {
    std::byte* to = r_.out + (first_ + place) * size_;
    sort_kernels().from_keys(r_.type, &key, 1, r_.descending, to);
    if (!is_floating(r_.type) || !is_zero(to)) return;
    // Which zeros are negative is known from the items only.
    for (int64_t i = 0; i < n_; i++) {
      if ((r_.valid && !r_.valid[first_ + i]) || key_of(i) != key) continue;
      if (which-- == 0) std::memcpy(to, at(i), static_cast<size_t>(size_));
      if (which < 0) return;
    }
  }
  bool is_zero(const std::byte* value) const {
    return std::all_of(value, value + size_, [](std::byte b) { return b == std::byte{}; });
  }

  /// The first items in order: those up to the key at the last place, which are sorted.
  void leading(int64_t k) const {
    const int64_t sorted = std::min(k, present_);
    if (sorted > 0) {
      const K last = between(sorted - 1, sorted - 1).keys.front();
      std::vector<std::vector<KeyAt>> parts(static_cast<size_t>(chunks_));
      each_block([&](int64_t c, const K* keys, int64_t n, int64_t begin, const int32_t* places) {
        for (int64_t i = 0; i < n; i++) {
          if (keys[i] <= last)
            parts[static_cast<size_t>(c)].push_back({int64_t{keys[i]}, begin + places[i]});
        }
      });
      std::vector<KeyAt> best;
      for (const auto& p : parts) best.insert(best.end(), p.begin(), p.end());
      std::ranges::stable_sort(best, {}, &KeyAt::key);
      for (int64_t i = 0; i < sorted; i++) put(i, best[static_cast<size_t>(i)].position);
    }
    for (int64_t i = 0, place = sorted; place < k; i++)
      if (!r_.valid[first_ + i]) put(place++, i);
  }

  void put(int64_t place, int64_t item) const {
    if (r_.order) {
      r_.order[first_ + place] = item;
    } else {
      std::memcpy(r_.out + (first_ + place) * size_, at(item), static_cast<size_t>(size_));
    }
  }

  /// Items below that at a place, equal to it, above it; then those that are not present.
  void partition(int64_t place) const {
    const K pivot =
        place < present_ ? between(place, place).keys.front() : std::numeric_limits<K>::max();
    struct Counts {
      int64_t of[4] = {};
    };
    std::vector<Counts> counts(static_cast<size_t>(chunks_));
    each_block([&](int64_t c, const K* keys, int64_t n, int64_t begin, const int32_t*) {
      auto& of = counts[static_cast<size_t>(c)].of;
      int64_t not_less = 0, greater = 0;
      for (int64_t i = 0; i < n; i++) {
        not_less += keys[i] >= pivot;
        greater += keys[i] > pivot;
      }
      of[0] += n - not_less;
      of[1] += not_less - greater;
      of[2] += greater;
      of[3] += std::min(kBlock, n_ * (c + 1) / chunks_ - begin) - n;
    });
    int64_t next = 0;
    for (int k = 0; k < 4; k++)
      for (Counts& c : counts) next += std::exchange(c.of[k], next);
    each_block([&](int64_t c, const K* keys, int64_t n, int64_t begin, const int32_t* places) {
      auto& of = counts[static_cast<size_t>(c)].of;
      move_block(keys, n, begin, places, pivot, of);
      if (!r_.valid) return;
      const int64_t end = std::min(begin + kBlock, n_ * (c + 1) / chunks_);
      for (int64_t i = begin; i < end; i++)
        if (!r_.valid[first_ + i]) put(of[3]++, i);
    });
  }

  void move_block(const K* keys, int64_t n, int64_t begin, const int32_t* places, K pivot,
                  int64_t (&next)[4]) const {
    uint8_t less[kBlock], equal[kBlock], greater[kBlock];
    int64_t equals = 0;
    for (int64_t i = 0; i < n; i++) {
      less[i] = keys[i] < pivot;
      equal[i] = keys[i] == pivot;
      greater[i] = keys[i] > pivot;
      equals += keys[i] == pivot;
    }
    next[0] += move_some(less, n, begin, places, next[0]);
    if (equals > 0) next[1] += move_some(equal, n, begin, places, next[1]);
    next[2] += move_some(greater, n, begin, places, next[2]);
  }

  /// Moves the items of a block that are in the mask to a place and those behind it. Their number.
  int64_t move_some(const uint8_t* mask, int64_t n, int64_t begin, const int32_t* places,
                    int64_t to) const {
    std::byte room[(kBlock + kBehind) * sizeof(int64_t)];
    if (!r_.order && !r_.valid) {
      const int64_t moved = ragged().compress(size_, at(begin), mask, n, room);
      std::memcpy(r_.out + (first_ + to) * size_, room, static_cast<size_t>(moved * size_));
      return moved;
    }
    int32_t some[kBlock + kBehind];
    const int64_t moved = ragged().compress(sizeof(int32_t), places, mask, n, some);
    if (r_.order) {
      for (int64_t i = 0; i < moved; i++) r_.order[first_ + to + i] = begin + some[i];
      return moved;
    }
    with_unsigned(size_, [&]<class V>(V) {
      const V* from = reinterpret_cast<const V*>(at(begin));
      V* out = reinterpret_cast<V*>(r_.out) + first_ + to;
      for (int64_t i = 0; i < moved; i++) out[i] = from[some[i]];
    });
    return moved;
  }

  const Request& r_;
  int64_t first_, n_, chunks_ = 1, present_ = 0;
  int size_;
};

/// A list that is too short for that.
void sort_one(const Request& r, int64_t begin, int64_t n) {
  const int64_t ends[2] = {0, n};
  const Lists one{ends, 1};
  const std::byte* keys = r.keys + begin * itemsize(r.type);
  const uint8_t* valid = r.valid ? r.valid + begin : nullptr;
  if (r.order)
    argsort_lists(r.type, keys, valid, one, r.descending, r.order + begin);
  else
    sort_lists(r.type, keys, valid, one, r.descending, r.out + begin * itemsize(r.type));
}

/// Integers of 8 and 16 bits are sorted by counting in the time of two looks at them.
bool count_one(const Request& r, int64_t begin, int64_t n) {
  const int size = itemsize(r.type);
  return sort_by_counting({r.type, r.keys + begin * size, r.valid ? r.valid + begin : nullptr, n,
                           r.descending, r.order ? r.order + begin : nullptr,
                           r.out ? r.out + begin * size : nullptr});
}

void select_one(const Request& r, int64_t begin, int64_t end) {
  const int64_t n = end - begin;
  const bool most = r.places.first > n / 8;
  if (n < seams().selected || most) return sort_one(r, begin, n);
  if (r.places.at && itemsize(r.type) <= 2 && count_one(r, begin, n)) return;
  if (has_narrow_keys(r.type))
    Selection<int32_t>(r, begin, n).run();
  else
    Selection<int64_t>(r, begin, n).run();
}

}  // namespace

bool select_lists(DType t, const void* keys, const uint8_t* valid, const Lists& lists,
                  bool descending, const graph::Places& places, void* out, int64_t* order) {
  const bool some = places.first > 0 || places.part || places.at;
  if (!some || lists.items() < lists.count * seams().selected) return false;
  const Request r{t,      static_cast<const std::byte*>(keys), valid, descending,
                  places, static_cast<std::byte*>(out),        order};
  for_lists(
      lists, [&](int64_t l) { select_one(r, lists.offsets[l], lists.offsets[l + 1]); },
      [&](ListRange range) {
        for (int64_t l = range.begin; l < range.end; l++)
          select_one(r, lists.offsets[l], lists.offsets[l + 1]);
      });
  return true;
}

}  // namespace serrate::cpu
