// Direct addressing: see group_direct.h.
#include "cpu/lists/groups/group_direct.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/seams.h"
#include "cpu/machine/pool.h"

namespace serrate::cpu {
namespace {

/// Cells for each item, at most: they are read once, where a table is hashed into.
constexpr uint64_t kCells = 2;

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
    for (size_t c = 1; c < cells.size(); c++) add(cells[0], cells[c]);
    append(cells[0], out);
    if (numbers_) in_chunks([&](int64_t, int64_t a, int64_t b) { number(cells[0], a, b); });
    return true;
  }

 private:
  bool find_range() {
    T low = std::numeric_limits<T>::max(), high = std::numeric_limits<T>::lowest();
    for (int64_t i = 0; i < n_; i++) {
      const bool counts = !valid_ || valid_[i];
      low = counts && keys_[i] < low ? keys_[i] : low;
      high = counts && high < keys_[i] ? keys_[i] : high;
    }
    if (high < low) return false;
    const uint64_t spread = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    if (spread >= kCells * static_cast<uint64_t>(n_)) return false;
    values_ = static_cast<int64_t>(spread) + 1;
    first_ = static_cast<uint64_t>(low);
    return true;
  }

  size_t cell(int64_t i) const { return static_cast<uint64_t>(keys_[i]) - first_; }

  /// The last cell is that of missing items.
  void count(std::vector<Cell>& cells, int64_t begin, int64_t end) const {
    cells.resize(static_cast<size_t>(values_) + 1);
    for (int64_t i = begin; i < end; i++) {
      Cell& c = valid_ && !valid_[i] ? cells.back() : cells[cell(i)];
      if (c.count++ == 0) c.first = static_cast<int32_t>(i);
    }
  }

  static void add(std::vector<Cell>& all, const std::vector<Cell>& more) {
    for (size_t k = 0; k < all.size(); k++) {
      if (all[k].count == 0) all[k].first = more[k].first;
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
  switch (items.type) {
    case DType::boolean:
    case DType::uint8:
      return run(uint8_t{});
    case DType::int8:
      return run(int8_t{});
    case DType::int16:
      return run(int16_t{});
    case DType::uint16:
      return run(uint16_t{});
    case DType::int32:
      return run(int32_t{});
    case DType::uint32:
      return run(uint32_t{});
    case DType::int64:
      return run(int64_t{});
    case DType::uint64:
      return run(uint64_t{});
    default:
      return false;
  }
}

}  // namespace serrate::cpu
