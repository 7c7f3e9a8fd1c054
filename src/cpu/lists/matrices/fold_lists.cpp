// Few long lists whose columns are folded: see fold_lists.h.
//
// Between one length and the next one the same lists have items: these parts of them are a matrix.
// Bands of its columns are brought together in the cache, and folded as those of matrices are.
#include "cpu/lists/matrices/fold_lists.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/seams.h"
#include "core/types/reducer_info.h"
#include "cpu/machine/pool.h"
#include "serrate/dtype.h"

namespace serrate::cpu {
namespace {

constexpr int64_t kBandBytes = 1 << 17;

/// Columns of an owner's that the same lists have.
struct Segment {
  std::vector<int64_t> lists;  // their numbers among the owner's
  int64_t owner, first, last;
};

struct Band {
  size_t segment;
  int64_t first, last;
};

std::vector<Segment> segments_of(const ListsInColumns& x) {
  std::vector<Segment> out;
  for (int64_t owner = 0; owner < x.owners; owner++) {
    const int64_t begin = x.lists_of[owner], lists = x.lists_of[owner + 1] - begin;
    const auto length = [&](int64_t l) {
      return x.items_of[begin + l + 1] - x.items_of[begin + l];
    };
    std::vector<int64_t> lengths;
    for (int64_t l = 0; l < lists; l++) lengths.push_back(length(l));
    std::ranges::sort(lengths);
    int64_t first = 0;
    for (const int64_t last : lengths) {
      if (last == first) continue;
      Segment& s = out.emplace_back(Segment{{}, owner, first, last});
      for (int64_t l = 0; l < lists; l++) {
        if (length(l) > first) s.lists.push_back(l);
      }
      first = last;
    }
  }
  return out;
}

}  // namespace

void fold_lists(const RowFold& fold, const ListsInColumns& x, int64_t itemsize, void* out) {
  const std::vector<Segment> segments = segments_of(x);
  const int64_t size = serrate::itemsize(fold.dtype);
  std::vector<Band> bands;
  for (size_t s = 0; s < segments.size(); s++) {
    const auto rows = std::ssize(segments[s].lists);
    const int64_t width = std::max(seams().band / 8, kBandBytes / (rows * size));
    for (int64_t c = segments[s].first; c < segments[s].last; c += width)
      bands.push_back({s, c, std::min(c + width, segments[s].last)});
  }
  parallel_for(std::ssize(bands), [&](int64_t b, int) {
    const Band& band = bands[static_cast<size_t>(b)];
    const Segment& s = segments[band.segment];
    const int64_t width = band.last - band.first, begin = x.lists_of[s.owner];
    const auto row_at = [&](int64_t list) {
      return static_cast<const std::byte*>(fold.items) +
             (x.items_of[begin + list] + band.first) * size;
    };
    RowFold rows = fold;
    rows.count = 1;
    rows.rows = std::ssize(s.lists);
    rows.columns = width;
    std::vector<std::byte> room;
    if (rows.rows == 1) {
      rows.items = row_at(s.lists[0]);
    } else {
      room.resize(static_cast<size_t>(rows.rows * width * size));
      std::byte* to = room.data();
      for (const int64_t list : s.lists) {
        std::memcpy(to, row_at(list), static_cast<size_t>(width * size));
        to += width * size;
      }
      rows.items = room.data();
    }
    auto* const results =
        static_cast<std::byte*>(out) + (x.columns_of[s.owner] + band.first) * itemsize;
    fold_rows(rows, results);
    if (!info(fold.reducer).has_index()) return;
    auto* const numbers = reinterpret_cast<int64_t*>(results);
    for (int64_t c = 0; c < width; c++) numbers[c] = s.lists[static_cast<size_t>(numbers[c])];
  });
}

}  // namespace serrate::cpu
