// Running results of any operation, list by list: many lists side by side, one place after the
// other, so that each step is one run of the operation's program.
#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>
#include <vector>

#include "cpu/lists/list_tasks.h"
#include "cpu/machine/scratch.h"
#include "cpu/program/program.h"

namespace serrate::cpu {
namespace {

// acc = op(acc, item) for items side by side.
Program program_of(Op op, DType t) {
  ProgramBuilder b;
  const std::array args{b.load(t, 0), b.load(t, 1)};
  b.store(b.op(op, t, args), 2);
  return std::move(b).finish(best_isa());
}

template <class Item>
class SideBySide {
 public:
  SideBySide(const Program& step, const Item* in, const Lists& lists, Item* out)
      : step_(step), in_(in), lists_(lists), out_(out) {}

  void run(ListRange range) const {
    // The longest lists first: those that have a place are the first ones.
    std::vector<int64_t> order(static_cast<size_t>(range.end - range.begin));
    std::iota(order.begin(), order.end(), range.begin);
    std::ranges::stable_sort(order, std::greater<>(), [this](int64_t l) { return size(l); });
    std::vector<Item> acc(order.size()), next(order.size());
    size_t active = order.size();
    for (int64_t place = 0;; place++) {
      while (active > 0 && size(order[active - 1]) <= place) active--;
      if (active == 0) return;
      for (size_t i = 0; i < active; i++) next[i] = in_[lists_.offsets[order[i]] + place];
      if (place == 0) {
        std::copy_n(next.begin(), active, acc.begin());
      } else {
        void* slots[] = {acc.data(), next.data(), acc.data()};
        step_.run(slots, static_cast<int64_t>(active));
      }
      for (size_t i = 0; i < active; i++) out_[lists_.offsets[order[i]] + place] = acc[i];
    }
  }

 private:
  int64_t size(int64_t list) const { return lists_.offsets[list + 1] - lists_.offsets[list]; }

  const Program& step_;
  const Item* in_;
  const Lists& lists_;
  Item* out_;
};

template <class Item>
void scan(const Program& step, const void* items, const Lists& lists, void* out) {
  const SideBySide<Item> lanes(step, static_cast<const Item*>(items), lists,
                               static_cast<Item*>(out));
  for_lists(
      lists,
      [&](int64_t list) {
        lanes.run({list, list + 1});
      },
      [&](ListRange range) { lanes.run(range); });
}

struct Wide {
  uint64_t parts[2];
};

}  // namespace

void scan_lists(Op op, DType t, const void* items, const Lists& lists, void* out) {
  const Program step = program_of(op, t);
  switch (itemsize(t)) {
    case 1:
      return scan<uint8_t>(step, items, lists, out);
    case 2:
      return scan<uint16_t>(step, items, lists, out);
    case 4:
      return scan<uint32_t>(step, items, lists, out);
    case 8:
      return scan<uint64_t>(step, items, lists, out);
    default:
      return scan<Wide>(step, items, lists, out);
  }
}

}  // namespace serrate::cpu
