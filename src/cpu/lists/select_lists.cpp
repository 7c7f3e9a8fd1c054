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

#include "core/kept_allocator.h"
#include "core/seams.h"
#include "core/unsigned_of_size.h"
#include "cpu/lists/list_tasks.h"
#include "cpu/lists/ragged.h"
#include "cpu/lists/select_pivots.h"
#include "cpu/lists/select_quick.h"
#include "cpu/lists/select_two_keys.h"
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

/// One list. Of items of two keys first ones are selected here, and what is equal to that at a
/// place by select_two_keys.h.
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
  /// Keys beside two pivots: those between them are only counted where there is one pivot.
  struct Part {
    int64_t less = 0, kept = 0;
    K most = std::numeric_limits<K>::min();
    KeptVector<K> inside;

    /// Room for what pivots around a place mostly leave of n keys: large enough to be kept.
    void expect(int64_t n, const std::pair<K, K>& pivots) {
      constexpr int64_t kKept = int64_t{1 << 18} / int64_t{sizeof(K)};  // see memory.h
      const int64_t kept = n > kFew ? kKept : 0;
      if (pivots.first != pivots.second)
        inside.reserve(static_cast<size_t>(std::max(n / 8 + kBlock, kept)));
    }
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
        if (are_keys()) {
          f(c, reinterpret_cast<const K*>(at(i)), n, i, places);
          continue;
        }
        sort_kernels().to_keys(r_.type, at(i), n, r_.descending, keys);
        f(c, keys, r_.valid ? keep_present(i, n, keys, places) : n, i, places);
      }
    });
  }

  /// Items that are their own keys.
  bool are_keys() const {
    const DType t = sizeof(K) == 8 ? DType::int64 : DType::int32;
    return r_.type == t && !r_.descending && !r_.valid;
  }

  static const BlockKernels<K>& kernels() {
    if constexpr (sizeof(K) == 8)
      return sort_kernels().wide_blocks;
    else
      return sort_kernels().narrow_blocks;
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

  using Pivots = cpu::Pivots<K>;
  static constexpr Pivots kAll{std::numeric_limits<K>::min(), std::numeric_limits<K>::max()};

  /// Pivots around the places low and high of n keys, and what `pass(pivots)` finds beside them;
  /// nothing where a pivot parts the two.
  template <class Pass>
  static std::optional<std::pair<Pivots, Part>> narrowed(std::vector<K> sample, int64_t n,
                                                         int64_t low, int64_t high, Pass&& pass) {
    Pivots range = kAll;
    int64_t before = 0;  // keys below the range, which has n
    for (;;) {
      Pivots pivots = bounds(sample, n, low - before, high - before, range);
      Part found = pass(pivots);
      const int64_t end = found.less + found.kept;
      if (low >= found.less && high < end) return std::pair{pivots, std::move(found)};
      if (high < found.less) {  // below the pivot, or a sample was unlucky
        range.second = pivots.first - 1;
        n = found.less - before;
      } else if (low >= end) {
        range.first = pivots.second + 1;
        n += before - end;
        before = end;
      } else {
        return {};
      }
      std::erase_if(sample, [&](K k) { return k < range.first || k > range.second; });
    }
  }

  /// The keys at places low and high, of which there is none between; `parts`: what is known of
  /// each chunk, for pivots around these places.
  Found between(int64_t low, int64_t high, std::vector<Part>* parts = nullptr) const {
    std::vector<K> sample;
    if (n_ > kFew)
      each_sampled(n_, sample_size(n_), [&](int64_t i) {
        if (!r_.valid || r_.valid[first_ + i]) sample.push_back(key_of(i));
      });
    std::vector<Part> own;
    std::vector<Part>& of_chunks = parts != nullptr ? *parts : own;
    auto found = narrowed(std::move(sample), present_, low, high, [&](const Pivots& around) {
      of_chunks.assign(static_cast<size_t>(chunks_), {});
      for (Part& p : of_chunks) p.expect(n_ / chunks_, around);
      each_block([&](int64_t c, const K* keys, int64_t n, int64_t, const int32_t*) {
        collect(keys, n, around, of_chunks[static_cast<size_t>(c)]);
      });
      Part sum;
      for (const Part& p : of_chunks) {
        sum.less += p.less;
        sum.kept += p.kept;
        sum.most = std::max(sum.most, p.most);
      }
      return sum;
    });
    if (!found) {  // many are equal to the one, none of them at the other
      Found both = between(low, low);
      both.keys.push_back(between(high, high).keys.front());
      return both;
    }
    const auto& [pivots, all] = *found;
    if (pivots.first == pivots.second) return {{pivots.first, pivots.first}, all.less, all.most};
    if (chunks_ == 1) return pick_from(of_chunks[0].inside, all, low, high);
    KeptVector<K> joined;
    for (const Part& p : of_chunks) joined.insert(joined.end(), p.inside.begin(), p.inside.end());
    return pick_from(joined, all, low, high);
  }

  static void collect(const K* keys, int64_t n, const Pivots& pivots, Part& p) {
    K inside[kBlock + kBehind];
    uint8_t mask[kBlock];
    const bool one = pivots.first == pivots.second;
    BlockBetween<K> block{keys, n,     pivots.first, pivots.second, one ? nullptr : inside,
                          mask, p.most};
    const bool collected = kernels().between(block);
    p.less += block.less;
    p.kept += block.kept;
    p.most = block.most;
    if (one) return;
    if (!collected) ragged().compress(sizeof(K), keys, mask, n, inside);
    p.inside.insert(p.inside.end(), inside, inside + block.kept);
  }
  static Part collected(const KeptVector<K>& keys, const Pivots& pivots) {
    Part p;
    const auto n = static_cast<int64_t>(keys.size());
    p.expect(n, pivots);
    for (int64_t i = 0; i < n; i += kBlock)
      collect(keys.data() + i, std::min(kBlock, n - i), pivots, p);
    return p;
  }

  /// Of the keys inside of pivots, and what is known of all.
  static Found pick_from(const KeptVector<K>& inside, const Part& all, int64_t low, int64_t high) {
    const KeptVector<K>* keys = &inside;
    KeptVector<K> fewer;
    int64_t less = all.less;
    // Again by samples, as long as they leave less.
    while (std::ssize(*keys) > kFew) {
      const int64_t n = std::ssize(*keys);
      std::vector<K> sample;
      each_sampled(n, sample_size(n),
                   [&](int64_t i) { sample.push_back((*keys)[static_cast<size_t>(i)]); });
      auto narrower = narrowed(std::move(sample), n, low - less, high - less,
                               [&](const Pivots& around) { return collected(*keys, around); });
      if (!narrower) break;
      auto& [pivots, p] = *narrower;
      if (pivots.first == pivots.second)
        return {{pivots.first, pivots.first}, less + p.less, all.most};
      if (p.kept > n / 4 * 3) break;
      less += p.less;
      fewer = std::move(p.inside);
      keys = &fewer;
    }
    KeptVector<K> left = *keys;
    const auto nth = left.begin() + (low - less);
    std::nth_element(left.begin(), nth, left.end());
    Found found{{*nth}, less, all.most};
    found.less_of_front += std::count_if(left.begin(), nth, [&](K k) { return k < *nth; });
    if (high > low) found.keys.push_back(*std::min_element(nth + 1, left.end()));
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

  /// Items of a chunk that may be among the first ones.
  struct Leading {
    std::vector<KeyAt> items;
    int64_t equal;  // so many of those at the last place are still to come

    void add(const K* keys, int64_t n, int64_t begin, const int32_t* places, K last) {
      bool some = false;
      if (equal > 0) {
        for (int64_t i = 0; i < n; i++) some |= keys[i] <= last;
      } else {
        for (int64_t i = 0; i < n; i++) some |= keys[i] < last;
      }
      if (!some) return;
      for (int64_t i = 0; i < n; i++) {
        if (keys[i] > last || (keys[i] == last && equal-- <= 0)) continue;
        items.push_back({int64_t{keys[i]}, begin + places[i]});
      }
    }
  };

  /// The first items in order: those up to the key at the last place, which are sorted.
  void leading(int64_t k) const {
    const int64_t sorted = std::min(k, present_);
    if (sorted > 0) {
      const Found found = between(sorted - 1, sorted - 1);
      const int64_t equal = sorted - found.less_of_front;
      std::vector<Leading> parts(static_cast<size_t>(chunks_), {{}, has_two_keys() ? n_ : equal});
      each_block([&](int64_t c, const K* keys, int64_t n, int64_t begin, const int32_t* places) {
        parts[static_cast<size_t>(c)].add(keys, n, begin, places, found.keys.front());
      });
      std::vector<KeyAt> best;
      for (const auto& p : parts) best.insert(best.end(), p.items.begin(), p.items.end());
      if (has_two_keys())
        order_leading(at(0), r_.descending, found.keys.front(), equal, best);
      else
        std::ranges::stable_sort(best, {}, &KeyAt::key);
      for (int64_t i = 0; i < sorted; i++) put(i, best[static_cast<size_t>(i)].position);
    }
    for (int64_t i = 0, place = sorted; place < k; i++)
      if (!r_.valid[first_ + i]) put(place++, i);
  }

  bool has_two_keys() const { return cpu::has_two_keys(r_.type); }

  void put(int64_t place, int64_t item) const {
    if (r_.order) {
      r_.order[first_ + place] = item;
    } else {
      std::memcpy(r_.out + (first_ + place) * size_, at(item), static_cast<size_t>(size_));
    }
  }

  /// Items below that at a place, equal to it, above it; then those that are not present.
  void partition(int64_t place) const {
    std::vector<Part> parts(static_cast<size_t>(chunks_));
    const K pivot = place < present_ ? between(place, place, &parts).keys.front() : kAll.second;
    struct Counts {
      int64_t of[4] = {};
    };
    std::vector<Counts> counts(static_cast<size_t>(chunks_));
    if (r_.valid) {
      each_block([&](int64_t c, const K* keys, int64_t n, int64_t begin, const int32_t*) {
        Part p;
        collect(keys, n, {pivot, pivot}, p);
        auto& of = counts[static_cast<size_t>(c)].of;
        of[0] += p.less, of[1] += p.kept, of[2] += n - p.less - p.kept;
        of[3] += std::min(kBlock, n_ * (c + 1) / chunks_ - begin) - n;
      });
    } else {
      for (int64_t c = 0; c < chunks_; c++) {
        const Part& all = parts[static_cast<size_t>(c)];
        auto& of = counts[static_cast<size_t>(c)].of;
        const Part p = collected(all.inside, {pivot, pivot});
        of[0] = all.less + p.less, of[1] = all.inside.empty() ? all.kept : p.kept;
        of[2] = n_ * (c + 1) / chunks_ - n_ * c / chunks_ - of[0] - of[1];
      }
    }
    int64_t next = 0, ends[4];
    for (int k = 0; k < 4; k++) {
      for (Counts& c : counts) next += std::exchange(c.of[k], next);
      ends[k] = next;
    }
    each_block([&](int64_t c, const K* keys, int64_t n, int64_t begin, const int32_t* places) {
      auto& of = counts[static_cast<size_t>(c)].of;
      move_block(keys, n, begin, places, pivot, of);
      if (!r_.valid) return;
      const int64_t end = std::min(begin + kBlock, n_ * (c + 1) / chunks_);
      for (int64_t i = begin; i < end; i++)
        if (!r_.valid[first_ + i]) put(of[3]++, i);
    });
    if (!has_two_keys() || place >= present_) return;
    if (r_.order)
      partition_order(at(0), r_.descending, place - ends[0], ends[1] - ends[0],
                      r_.order + first_ + ends[0]);
    else
      partition_items(r_.descending, place - ends[0], ends[1] - ends[0],
                      r_.out + (first_ + ends[0]) * size_);
  }

  void move_block(const K* keys, int64_t n, int64_t begin, const int32_t* places, K pivot,
                  int64_t (&next)[4]) const {
    uint8_t masks[3][kBlock];
    const bool plain = !r_.order && !r_.valid;
    const bool by_masks = !plain || has_two_keys();  // items of more bytes than keys have
    BlockSplit<K> block{keys, n, pivot, by_masks ? nullptr : at(begin), size_, {}, {}};
    for (int k = 0; k < 3; k++) {
      block.masks[k] = masks[k];
      block.to[k] = plain ? r_.out + (first_ + next[k]) * size_ : nullptr;
    }
    const bool moved = kernels().split(block);
    for (int k = 0; k < 3; k++) {
      if (!moved && block.moved[k] > 0) move_some(masks[k], n, begin, places, next[k]);
      next[k] += block.moved[k];
    }
  }

  /// Moves the items of a block that are in the mask to a place and those behind it.
  void move_some(const uint8_t* mask, int64_t n, int64_t begin, const int32_t* places,
                 int64_t to) const {
    std::byte room[(kBlock + kBehind) * sizeof(Bytes16)];
    if (!r_.order && !r_.valid) {
      const int64_t moved = ragged().compress(size_, at(begin), mask, n, room);
      std::memcpy(r_.out + (first_ + to) * size_, room, static_cast<size_t>(moved * size_));
      return;
    }
    int32_t some[kBlock + kBehind];
    const int64_t moved = ragged().compress(sizeof(int32_t), places, mask, n, some);
    if (r_.order) {
      int64_t* order = r_.order + first_ + to;
      for (int64_t i = 0; i < moved; i++) order[i] = begin + some[i];
      return;
    }
    with_bytes(size_, [&]<class V>(V) {
      const V* from = reinterpret_cast<const V*>(at(begin));
      V* out = reinterpret_cast<V*>(r_.out) + first_ + to;
      for (int64_t i = 0; i < moved; i++) out[i] = from[some[i]];
    });
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

void select_one(const Request& r, int64_t begin, int64_t end) {
  const int64_t n = end - begin;
  const bool most = r.places.first > n / 8;
  if (n < seams().selected || most) return sort_one(r, begin, n);
  // Which items are where depends on the list alone, not on the threads.
  const bool alone = r.places.at && !r.order && !r.valid && n <= seams().giant;
  if (const int size = itemsize(r.type);
      alone && partition_quickly(r.type, r.keys + begin * size, n, r.descending,
                                 std::min(*r.places.at, n - 1), r.out + begin * size))
    return;
  if (has_narrow_keys(r.type))
    Selection<int32_t>(r, begin, n).run();
  else
    Selection<int64_t>(r, begin, n).run();
}

}  // namespace

void select_keys(const int64_t* keys, int64_t n, const graph::Places& places, int64_t* order) {
  select_one({DType::int64, reinterpret_cast<const std::byte*>(keys), nullptr, false, places,
              nullptr, order},
             0, n);
}

bool select_lists(DType t, const void* keys, const uint8_t* valid, const Lists& lists,
                  bool descending, const graph::Places& places, void* out, int64_t* order) {
  const bool some = places.first > 0 || places.part || places.at;
  // Where there are but 256 values, lists that fit the caches are sorted by counting before places
  // in them are found.
  const bool is_sorted =
      itemsize(t) == 1 && order == nullptr && 2 * lists.items() < lists.count * seams().sparse;
  if (!some || is_sorted || lists.items() < lists.count * seams().selected) return false;
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
