// Direct addressing: see group_direct.h.
#include "cpu/lists/groups/group_direct.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "core/seams.h"
#include "core/types/with_number.h"
#include "cpu/machine/pool.h"

namespace serrate::cpu {
namespace {

/// Cells for each item, at most: they are read once, where a table is hashed into.
constexpr uint64_t kCells = 2;

/// Cells of which there are several tables.
constexpr size_t kFew = 2048, kTables = 4;

struct Cell {
  uint32_t count = 0;
  int32_t first = 0;  // in the list
};

template <class T>
class Direct {
 public:
  Direct(const GroupedItems& items, int64_t begin, int64_t end, int32_t* numbers)
      : keys_(static_cast<const T*>(items.keys) + begin),
        valid_(items.valid ? items.valid + begin : nullptr),
        numbers_(numbers ? numbers + begin : nullptr),
        descending_(items.descending),
        n_(end - begin) {}

  bool run(FoundGroups& out) {
    if (!find_range()) return false;
    chunks_ = in_parallel()
                  ? 1
                  : std::clamp<int64_t>(n_ / std::max<int64_t>(seams().hashed_chunk, 2 * values_),
                                        1, num_threads());
    std::vector<std::vector<Cell>> cells(static_cast<size_t>(chunks_));
    in_chunks([&](int64_t c, int64_t a, int64_t b) { count(cells[static_cast<size_t>(c)], a, b); });
    for (size_t c = 1; c < cells.size(); c++)
      add(cells[0].data(), cells[c].data(), cells[0].size());
    append(cells[0], out);
    if (numbers_) in_chunks([&](int64_t, int64_t a, int64_t b) { number(cells[0], a, b); });
    return true;
  }

 private:
  bool find_range() {
    T low = std::numeric_limits<T>::max(), high = std::numeric_limits<T>::lowest();
    if (valid_) {
      for (int64_t i = 0; i < n_; i++) {
        low = valid_[i] && keys_[i] < low ? keys_[i] : low;
        high = valid_[i] && high < keys_[i] ? keys_[i] : high;
      }
    } else {
      extremes(low, high);
    }
    if (high < low) return false;
    const uint64_t spread = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    if (spread >= kCells * static_cast<uint64_t>(n_)) return false;
    values_ = static_cast<int64_t>(spread) + 1;
    first_ = static_cast<uint64_t>(low);
    return true;
  }

  /// Of keys side by side, which do not wait for each other.
  void extremes(T& low, T& high) const {
    constexpr int kLanes = 8;
    std::array<T, kLanes> lows, highs;
    lows.fill(low);
    highs.fill(high);
    int64_t i = 0;
    for (; i + kLanes <= n_; i += kLanes) {
      for (size_t k = 0; k < kLanes; k++) {
        const T key = keys_[i + static_cast<int64_t>(k)];
        lows[k] = std::min(lows[k], key);
        highs[k] = std::max(highs[k], key);
      }
    }
    for (; i < n_; i++) {
      lows[0] = std::min(lows[0], keys_[i]);
      highs[0] = std::max(highs[0], keys_[i]);
    }
    low = *std::ranges::min_element(lows);
    high = *std::ranges::max_element(highs);
  }

  size_t cell(int64_t i) const { return static_cast<uint64_t>(keys_[i]) - first_; }

  /// The last cell is that of missing items. Neighbours in one cell would wait for each other's
  /// stores: where values are few they count in different tables.
  void count(std::vector<Cell>& cells, int64_t begin, int64_t end) const {
    const size_t size = static_cast<size_t>(values_) + 1;
    if (size > kFew) {
      cells.resize(size);
      return count_in<1>(cells, begin, end);
    }
    cells.resize(kTables * size);
    count_in<kTables>(cells, begin, end);
    for (size_t t = 1; t < kTables; t++) add(cells.data(), cells.data() + t * size, size);
    cells.resize(size);
  }

  template <size_t tables>
  void count_in(std::vector<Cell>& cells, int64_t begin, int64_t end) const {
    const size_t size = static_cast<size_t>(values_) + 1;
    for (int64_t i = begin; i < end; i++) {
      const size_t k = valid_ && !valid_[i] ? size - 1 : cell(i);
      Cell& c = cells[static_cast<size_t>(i) % tables * size + k];
      if (c.count++ == 0) c.first = static_cast<int32_t>(i);
    }
  }

  static void add(Cell* all, const Cell* more, size_t size) {
    for (size_t k = 0; k < size; k++) {
      if (more[k].count == 0) continue;
      if (all[k].count == 0 || more[k].first < all[k].first) all[k].first = more[k].first;
      all[k].count += more[k].count;
    }
  }

  /// Cells then hold the places of groups.
  void append(std::vector<Cell>& cells, FoundGroups& out) const {
    int32_t place = 0;
    const auto add_cell = [&](Cell& c) {
      if (c.count == 0) return;
      out.firsts.push_back(c.first);
      out.counts.push_back(c.count);
      c.first = place++;
    };
    if (descending_) {
      for (size_t k = cells.size() - 1; k-- > 0;) add_cell(cells[k]);
    } else {
      for (size_t k = 0; k < cells.size() - 1; k++) add_cell(cells[k]);
    }
    add_cell(cells.back());
    out.sizes.push_back(place);
  }

  void number(const std::vector<Cell>& cells, int64_t begin, int64_t end) const {
    // Where each value is there, all are numbered in their order.
    if (!valid_ && !descending_ && cells[cells.size() - 2].first == values_ - 1) {
      for (int64_t i = begin; i < end; i++) numbers_[i] = static_cast<int32_t>(cell(i));
      return;
    }
    for (int64_t i = begin; i < end; i++)
      numbers_[i] = (valid_ && !valid_[i] ? cells.back() : cells[cell(i)]).first;
  }

  template <class F>
  void in_chunks(F&& f) const {
    parallel_for(chunks_, [&](int64_t c, int) { f(c, n_ * c / chunks_, n_ * (c + 1) / chunks_); });
  }

  const T* keys_;
  const uint8_t* valid_;
  int32_t* numbers_;
  bool descending_;
  int64_t n_;
  int64_t chunks_ = 1, values_ = 0;
  uint64_t first_ = 0;
};

}  // namespace

bool group_directly(const GroupedItems& items, int64_t begin, int64_t end, int32_t* numbers,
                    FoundGroups& out) {
  const auto run = [&]<class T>(T) { return Direct<T>(items, begin, end, numbers).run(out); };
  if (!is_integer(items.type) && items.type != DType::boolean) return false;
  return with_integer(items.type, run);
}

}  // namespace serrate::cpu
