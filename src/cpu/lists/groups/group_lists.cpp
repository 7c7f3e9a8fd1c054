// Lists are hashed one by one, giant ones in chunks by all threads whose groups are then joined.
// The distinct keys alone are sorted: what is found is the same for any number of threads.
#include "cpu/lists/groups/group_lists.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "core/seams.h"
#include "cpu/lists/groups/group_direct.h"
#include "cpu/lists/groups/group_keys.h"
#include "cpu/lists/groups/group_sorted.h"
#include "cpu/lists/groups/group_table.h"
#include "cpu/lists/list_tasks.h"
#include "cpu/machine/pool.h"
#include "serrate/error.h"

namespace serrate::cpu {
namespace {

/// What is known of some items, in the order in which groups are first seen.
struct Seen {
  GroupTable table;
  std::vector<int64_t> firsts;
  int64_t missing = 0, first_missing = -1;
  bool is_given_up = false;

  size_t groups() const { return firsts.size() + (missing > 0 ? 1 : 0); }
};

constexpr int32_t kMissing = -1;

template <class Keys>
class Grouper {
 public:
  Grouper(const GroupedItems& items, const Lists& lists, int32_t* numbers)
      : items_(items),
        keys_(items),
        numbers_(numbers),
        is_only_list_(lists.count == 1),
        all_items_(lists.items()) {}

  /// Groups of one list; false if a sort is better.
  bool list(int64_t begin, int64_t end, FoundGroups& out) const {
    const int64_t chunks =
        in_parallel() ? 1
                      : std::clamp<int64_t>((end - begin) / seams().hashed_chunk, 1, num_threads());
    std::vector<Seen> seen(static_cast<size_t>(chunks));
    const auto bound = [&](int64_t c) { return begin + (end - begin) * c / chunks; };
    parallel_for(
        chunks, [&](int64_t c, int) { see(bound(c), bound(c + 1), seen[static_cast<size_t>(c)]); });
    if (std::ranges::any_of(seen, &Seen::is_given_up)) {
      seen.clear();
      if (numbers_) group_by_order(items_, begin, end, numbers_, is_only_list_, out);
      return numbers_ != nullptr;
    }
    std::vector<std::vector<int32_t>> places(seen.size());
    for (size_t c = 1; c < seen.size(); c++) places[c] = join(seen[0], seen[c]);
    const std::vector<int32_t> ranks = append(seen[0], begin, out);
    if (!numbers_) return true;
    const auto last = static_cast<int32_t>(ranks.size());
    parallel_for(chunks, [&](int64_t c, int) {
      const auto& of_chunk = places[static_cast<size_t>(c)];
      for (int64_t i = bound(c); i < bound(c + 1); i++) {
        int32_t g = numbers_[i];
        if (g != kMissing && c > 0) g = of_chunk[static_cast<size_t>(g)];
        numbers_[i] = g == kMissing ? last : ranks[static_cast<size_t>(g)];
      }
    });
    return true;
  }

 private:
  void see(int64_t begin, int64_t end, Seen& seen) const {
    uint64_t keys[kKeysAtOnce];
    const int64_t sampled = begin + seams().sampled;
    for (int64_t i = begin; i < end; i += kKeysAtOnce) {
      const int64_t n = std::min(kKeysAtOnce, end - i);
      seen.table.reserve(static_cast<size_t>(n));
      keys_.make(i, n, keys);
      seen.table.is_large() ? see_keys<true>(keys, i, n, seen) : see_keys<false>(keys, i, n, seen);
      // Where numbers are asked for, this list is sorted, else all are: not because of one of many
      // short ones.
      const bool is_for_all = end >= sampled || (!items_.ends && 8 * (end - begin) >= all_items_);
      if ((numbers_ ? items_.ends != nullptr : !is_for_all) || i >= sampled) continue;
      // Missing items are one group, however many they are.
      const int64_t looked_at = i + n - begin - seen.missing, found = std::ssize(seen.firsts);
      // Of as many items as make four pairs of equal ones likely, if each had another one.
      const bool has_no_pair = found == looked_at && looked_at * looked_at >= 8 * (end - begin);
      const bool has_few_pairs = i + n >= sampled && 8 * found > 7 * looked_at;
      if (has_no_pair || has_few_pairs) {
        seen.is_given_up = true;
        return;
      }
    }
  }

  template <bool large>
  void see_keys(const uint64_t* keys, int64_t begin, int64_t n, Seen& seen) const {
    constexpr int64_t kAhead = 16;
    for (int64_t k = 0; k < n; k++) {
      if (large) seen.table.prefetch(keys[std::min(k + kAhead, n - 1)]);
      const int64_t i = begin + k;
      if (items_.valid && !items_.valid[i]) {
        if (seen.missing++ == 0) seen.first_missing = i;
        if (numbers_) numbers_[i] = kMissing;
        continue;
      }
      auto& slot =
          seen.table.find(keys[k], [&](uint32_t g) { return keys_.is_same(i, seen.firsts[g]); });
      if (slot.count++ == 0) seen.firsts.push_back(i);
      if (numbers_) numbers_[i] = static_cast<int32_t>(slot.group);
    }
  }

  /// Adds the groups of the items that follow. Returns which ones these are there.
  std::vector<int32_t> join(Seen& all, const Seen& more) const {
    std::vector<GroupTable::Slot> slots(more.firsts.size());
    more.table.each([&](const GroupTable::Slot& s) { slots[s.group] = s; });
    std::vector<int32_t> places;
    places.reserve(slots.size());
    for (const auto& s : slots) {
      all.table.reserve(1);
      const int64_t first = more.firsts[s.group];
      auto& slot =
          all.table.find(s.key, [&](uint32_t g) { return keys_.is_same(first, all.firsts[g]); });
      if (slot.count == 0) all.firsts.push_back(first);
      slot.count += s.count;
      places.push_back(static_cast<int32_t>(slot.group));
    }
    if (all.missing == 0) all.first_missing = more.first_missing;
    all.missing += more.missing;
    return places;
  }

  /// The groups in order; returns the place of each.
  std::vector<int32_t> append(const Seen& seen, int64_t begin, FoundGroups& out) const {
    const size_t n = seen.firsts.size();
    std::vector<uint64_t> keys(n);
    std::vector<int64_t> counts(n);
    seen.table.each([&](const GroupTable::Slot& s) {
      keys[s.group] = s.key;
      counts[s.group] = s.count;
    });
    const std::vector<int64_t> order = keys_.order(keys, seen.firsts);
    std::vector<int32_t> ranks(n);
    for (size_t k = 0; k < n; k++) {
      const auto g = static_cast<size_t>(order[k]);
      out.firsts.push_back(seen.firsts[g] - begin);
      out.counts.push_back(counts[g]);
      ranks[g] = static_cast<int32_t>(k);
    }
    if (seen.missing > 0) {
      out.firsts.push_back(seen.first_missing - begin);
      out.counts.push_back(seen.missing);
    }
    out.sizes.push_back(static_cast<int64_t>(seen.groups()));
    return ranks;
  }

  const GroupedItems& items_;
  Keys keys_;
  int32_t* numbers_;
  bool is_only_list_;
  int64_t all_items_;
};

/// What was found of some lists, and of those after them.
struct Part {
  int64_t first_list;
  FoundGroups found;
};

/// `gives_up`: where nearly all are different in the first lists, it ends.
template <class ListGroups>
std::optional<FoundGroups> in_tasks(const Lists& lists, bool gives_up, ListGroups&& of_list) {
  std::mutex mutex;
  std::vector<Part> parts;
  bool given_up = false;
  const auto part = [&](ListRange range) {
    Part p{range.begin, {}};
    p.found.most = lists.offsets[range.end] - lists.offsets[range.begin];
    bool some = true;
    bool looks = gives_up;
    for (int64_t l = range.begin; l < range.end && some; l++) {
      some = of_list(lists.offsets[l], lists.offsets[l + 1], p.found);
      const int64_t seen = lists.offsets[l + 1] - lists.offsets[range.begin];
      if (!some || !looks || seen < seams().sampled) continue;
      some = 8 * std::ssize(p.found.firsts) <= 7 * seen;
      looks = false;
    }
    const std::lock_guard lock(mutex);
    given_up |= !some;
    parts.push_back(std::move(p));
  };
  const auto list = [&](int64_t l) { part({l, l + 1}); };
  // What one thread finds is in order, and need not be joined.
  num_threads() == 1 || in_parallel() ? part({0, lists.count}) : for_lists(lists, list, part);
  if (given_up) return {};
  if (parts.size() == 1) return std::move(parts[0].found);
  std::ranges::sort(parts, {}, &Part::first_list);
  FoundGroups all;
  const auto join = [&](auto FoundGroups::*of) {
    size_t size = 0;
    for (const Part& p : parts) size += (p.found.*of).size();
    (all.*of).reserve(size);
    for (Part& p : parts) {
      (all.*of).insert((all.*of).end(), (p.found.*of).begin(), (p.found.*of).end());
      (p.found.*of) = {};
    }
  };
  join(&FoundGroups::sizes);
  join(&FoundGroups::firsts);
  join(&FoundGroups::counts);
  return all;
}

}  // namespace

std::vector<int64_t> NumberKeys::order(const std::vector<uint64_t>& keys,
                                       const std::vector<int64_t>& /*firsts*/) const {
  const std::array<int64_t, 2> ends{0, static_cast<int64_t>(keys.size())};
  std::vector<int64_t> order(keys.size());
  argsort_lists(DType::int64, keys.data(), nullptr, {ends.data(), 1}, false, order.data());
  return order;
}

std::vector<int64_t> StringKeys::order(const std::vector<uint64_t>& /*keys*/,
                                       const std::vector<int64_t>& firsts) const {
  std::vector<int64_t> ends{0}, order(firsts.size());
  for (const int64_t i : firsts) ends.push_back(ends.back() + static_cast<int64_t>(size(i)));
  std::vector<uint8_t> text(static_cast<size_t>(ends.back()));
  for (size_t g = 0; g < firsts.size(); g++) {
    if (size(firsts[g]) > 0)
      std::memcpy(text.data() + ends[g], bytes_ + items_.ends[firsts[g]], size(firsts[g]));
  }
  const std::array<int64_t, 2> all{0, static_cast<int64_t>(firsts.size())};
  argsort_strings(text.data(), ends.data(), nullptr, {all.data(), 1}, items_.descending,
                  order.data());
  return order;
}

std::optional<FoundGroups> group_lists(const GroupedItems& items, const Lists& lists,
                                       int32_t* numbers) {
  for (int64_t l = 0; l < lists.count; l++)
    check<ValueError>(lists.offsets[l + 1] - lists.offsets[l] <= INT32_MAX,
                      "groups: a list of more than {} items is too long", INT32_MAX);
  if (items.ends) {
    const Grouper<StringKeys> strings(items, lists, numbers);
    return in_tasks(lists, false, [&](int64_t a, int64_t b, FoundGroups& out) {
      return strings.list(a, b, out);
    });
  }
  const bool is_only_list = lists.count == 1;
  const Grouper<NumberKeys> hashed(items, lists, numbers);
  return in_tasks(lists, numbers == nullptr, [&](int64_t a, int64_t b, FoundGroups& out) {
    // Few are sorted before a table is made.
    if (b - a < seams().hashed) {
      group_by_order(items, a, b, numbers, is_only_list && numbers, out);
      return true;
    }
    return group_directly(items, a, b, numbers, out) || hashed.list(a, b, out);
  });
}

}  // namespace serrate::cpu
