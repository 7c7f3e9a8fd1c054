// Tile by tile, by way of memory that stays in the first cache: what is read and what is written
// are whole lines of it, whatever the strides.
#include "cpu/lists/transpose.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/seams.h"
#include "cpu/machine/pool.h"
#include "serrate/error.h"

namespace serrate::cpu {
namespace {

constexpr int64_t kTile = 32;

struct Item16 {
  uint64_t halves[2];
};

template <class T>
class Transposer {
 public:
  Transposer(const void* from, const MatrixShape& shape, void* to)
      : from_(static_cast<const T*>(from)), to_(static_cast<T*>(to)), s_(shape) {}

  /// The bands of kTile rows of all matrices, by all threads.
  void run() const {
    const int64_t bands = (s_.rows + kTile - 1) / kTile, all = s_.count * bands;
    const int64_t items = s_.count * s_.rows * s_.columns;
    const int64_t tasks = std::clamp<int64_t>(items / seams().task, 1, std::max<int64_t>(1, all));
    parallel_for(tasks, [&](int64_t t, int) {
      for (int64_t b = all * t / tasks; b < all * (t + 1) / tasks; b++) band(b / bands, b % bands);
    });
  }

 private:
  void band(int64_t matrix, int64_t number) const {
    const int64_t first = number * kTile, rows = std::min(kTile, s_.rows - first);
    const int64_t size = s_.rows * s_.columns;
    const T* from = from_ + matrix * size + first * s_.columns;
    T* to = to_ + matrix * size + first;
    for (int64_t c = 0; c < s_.columns; c += kTile)
      tile(from + c, to + c * s_.rows, rows, std::min(kTile, s_.columns - c));
  }

  void tile(const T* from, T* to, int64_t rows, int64_t columns) const {
    std::array<T, kTile * kTile> items;
    for (int64_t r = 0; r < rows; r++) {
      const T* row = from + r * s_.columns;
      for (int64_t c = 0; c < columns; c++) items[static_cast<size_t>(c * kTile + r)] = row[c];
    }
    for (int64_t c = 0; c < columns; c++)
      std::memcpy(to + c * s_.rows, &items[static_cast<size_t>(c * kTile)],
                  static_cast<size_t>(rows) * sizeof(T));
  }

  const T* from_;
  T* to_;
  const MatrixShape& s_;
};

}  // namespace

void transpose(const void* from, const MatrixShape& shape, int64_t itemsize, void* to) {
  const auto run = [&]<class T>(T) { Transposer<T>(from, shape, to).run(); };
  switch (itemsize) {
    case 1:
      return run(uint8_t{});
    case 2:
      return run(uint16_t{});
    case 4:
      return run(uint32_t{});
    case 8:
      return run(uint64_t{});
    case 16:
      return run(Item16{});
    default:
      throw ValueError(fmt::format("transpose: items of {} bytes", itemsize));
  }
}

}  // namespace serrate::cpu
