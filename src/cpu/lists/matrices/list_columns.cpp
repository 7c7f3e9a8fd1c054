// Lists as columns, by a counter for each column: see list_columns.h.
#include "cpu/lists/matrices/list_columns.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/seams.h"
#include "cpu/machine/pool.h"

namespace serrate::cpu {
namespace {

/// Some lists of one owner, and where their first item of each column goes.
struct Part {
  int64_t owner, first, last;
  std::vector<int64_t> next;
};

bool takes_part(const ListsInColumns& x, int64_t item) {
  return x.take_part == nullptr || x.take_part[item] != 0;
}

int64_t first_column(const ListsInColumns& x, int64_t list) {
  return x.first_of == nullptr ? 0 : x.first_of[list];
}

/// f(item, place, list of its owner) of the items of a part; place -1: in no column.
template <class F>
void each_item(const ListsInColumns& x, Part& p, F&& f) {
  const int64_t owner = x.lists_of[p.owner];
  for (int64_t l = p.first; l < p.last; l++) {
    int64_t* const next = p.next.data() + first_column(x, l);
    const int64_t begin = x.items_of[l], n = x.items_of[l + 1] - begin;
    if (x.take_part == nullptr) {
      for (int64_t j = 0; j < n; j++) f(begin + j, next[j]++, l - owner);
    } else {
      for (int64_t j = 0; j < n; j++)
        f(begin + j, x.take_part[begin + j] ? next[j]++ : -1, l - owner);
    }
  }
}

std::vector<int64_t> begins(const ListsInColumns& x, int64_t owner) {
  return {x.places_of + x.columns_of[owner], x.places_of + x.columns_of[owner + 1]};
}

/// The lists of one owner in parts that threads share: what parts before have is counted.
std::vector<Part> shared_lists(const ListsInColumns& x, int64_t owner, int64_t parts) {
  const int64_t first = x.lists_of[owner], last = x.lists_of[owner + 1];
  const int64_t each = (last - first - 1) / parts + 1;
  std::vector<Part> out;
  for (int64_t l = first; l < last; l += each)
    out.push_back({owner, l, std::min(l + each, last), {}});
  const auto columns = static_cast<size_t>(x.columns_of[owner + 1] - x.columns_of[owner]);
  parallel_for(std::ssize(out), [&](int64_t i, int) {
    Part& p = out[static_cast<size_t>(i)];
    p.next.assign(columns, 0);
    for (int64_t l = p.first; l < p.last; l++) {
      const int64_t begin = x.items_of[l], n = x.items_of[l + 1] - begin;
      int64_t* const next = p.next.data() + first_column(x, l);
      for (int64_t j = 0; j < n; j++) next[j] += takes_part(x, begin + j);
    }
  });
  std::vector<int64_t> next = begins(x, owner);
  for (Part& p : out) {
    for (size_t c = 0; c < columns; c++) next[c] += std::exchange(p.next[c], next[c]);
  }
  return out;
}

template <class F>
void each_item(const ListsInColumns& x, F&& f) {
  const int64_t lists = x.lists_of[x.owners] - x.lists_of[0];
  const int64_t items = lists == 0 ? 0 : x.items_of[x.lists_of[x.owners]];
  const int64_t tasks = std::clamp<int64_t>(items / seams().task, 1, seams().tasks);
  const int threads = num_threads();
  if (threads > 1 && tasks > 1 && x.owners < tasks) {
    for (int64_t o = 0; o < x.owners; o++) {
      const int64_t columns = x.columns_of[o + 1] - x.columns_of[o];
      const int64_t of_owner = x.lists_of[o + 1] - x.lists_of[o];
      // Counters are no more than items.
      const int64_t parts = std::min({tasks, of_owner, items / std::max<int64_t>(columns, 1)});
      if (of_owner == 0) continue;
      std::vector<Part> shared = shared_lists(x, o, std::max<int64_t>(parts, 1));
      parallel_for(std::ssize(shared),
                   [&](int64_t i, int) { each_item(x, shared[static_cast<size_t>(i)], f); });
    }
    return;
  }
  const int64_t each = (x.owners - 1) / tasks + 1;
  parallel_for(x.owners == 0 ? 0 : (x.owners - 1) / each + 1, [&](int64_t t, int) {
    Part p{};
    for (int64_t o = t * each; o < std::min((t + 1) * each, x.owners); o++) {
      p.owner = o;
      p.first = x.lists_of[o];
      p.last = x.lists_of[o + 1];
      p.next.assign(x.places_of + x.columns_of[o], x.places_of + x.columns_of[o + 1]);
      each_item(x, p, f);
    }
  });
}

/// f of a pointer to a type of that size.
template <class F>
void with_size(int64_t itemsize, F&& f) {
  switch (itemsize) {
    case 1:
      return f(static_cast<uint8_t*>(nullptr));
    case 2:
      return f(static_cast<uint16_t*>(nullptr));
    case 4:
      return f(static_cast<uint32_t*>(nullptr));
    case 8:
      return f(static_cast<uint64_t*>(nullptr));
    default:
      return f(static_cast<std::array<uint64_t, 2>*>(nullptr));
  }
}

}  // namespace

void items_to_columns(const ListsInColumns& x, const void* items, int64_t itemsize, void* to) {
  with_size(itemsize, [&]<class T>(T*) {
    const auto* from = static_cast<const T*>(items);
    each_item(x, [&](int64_t item, int64_t place, int64_t) {
      if (place >= 0) static_cast<T*>(to)[place] = from[item];
    });
  });
}

void columns_to_items(const ListsInColumns& x, const void* columns, int64_t itemsize, void* to) {
  with_size(itemsize, [&]<class T>(T*) {
    const auto* from = static_cast<const T*>(columns);
    each_item(x, [&](int64_t item, int64_t place, int64_t) {
      static_cast<T*>(to)[item] = place >= 0 ? from[place] : T{};
    });
  });
}

void lists_in_columns(const ListsInColumns& x, int32_t* to) {
  each_item(x, [&](int64_t, int64_t place, int64_t list) {
    if (place >= 0) to[place] = static_cast<int32_t>(list);
  });
}

void places_in_columns(const ListsInColumns& x, int64_t* to) {
  each_item(x,
            [&](int64_t item, int64_t place, int64_t) { to[item] = std::max<int64_t>(place, 0); });
}

}  // namespace serrate::cpu
