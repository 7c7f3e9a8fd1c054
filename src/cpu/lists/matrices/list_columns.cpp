// Lists as columns, by a counter for each column: see list_columns.h.
#include "cpu/lists/matrices/list_columns.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/seams.h"
#include "core/unsigned_of_size.h"
#include "cpu/machine/pool.h"

namespace serrate::cpu {
namespace {

/// Some lists of one owner, and where their next item of each column goes, from `column` on; those
/// from `end` on are not asked for.
struct Part {
  int64_t owner, first, last;
  int64_t column, end;
  std::vector<int64_t> next;
};

constexpr int64_t kOpen = INT64_MAX;  // an end: items behind all columns, too

Part part_of(const ListsInColumns& x, int64_t owner, int64_t first, int64_t last) {
  const int64_t begin = x.columns_of[owner];
  const bool is_open = x.last < 0 || x.last >= x.columns_of[owner + 1];
  return {
      owner, first, last, std::max<int64_t>(0, x.first - begin), is_open ? kOpen : x.last - begin,
      {}};
}

/// How many columns of its owner it is asked for.
int64_t columns_of(const ListsInColumns& x, const Part& p) {
  return std::min(p.end, x.columns_of[p.owner + 1] - x.columns_of[p.owner]) - p.column;
}

/// Where what is in each of them begins.
const int64_t* begins_of(const ListsInColumns& x, const Part& p) {
  return x.places_of + x.columns_of[p.owner] + p.column;
}

int64_t first_column(const ListsInColumns& x, int64_t list) {
  return x.first_of == nullptr ? 0 : x.first_of[list];
}

constexpr int64_t kFirst = 4;    // items of a list that are moved column by column
constexpr int64_t kBlock = 256;  // of so many lists
constexpr int64_t kFew = 16;     // lists of which it is not worth it

/// a where c holds, else b: how many items lists have can't be foreseen, and compilers like
/// branches.
uintptr_t chosen(bool c, uintptr_t a, uintptr_t b) {
  const uintptr_t mask = uintptr_t{0} - c;
  return (a & mask) | (b & ~mask);
}

template <class T>
T* chosen(bool c, T* a, T* b) {
  return reinterpret_cast<T*>(
      chosen(c, reinterpret_cast<uintptr_t>(a), reinterpret_cast<uintptr_t>(b)));
}

/// The counter of an item's column. One that takes no part may be in a list that is longer than all
/// that do: it has none.
template <bool kSome>
int64_t* counter(bool is_there, int64_t* of, int64_t* spare) {
  if constexpr (kSome) return chosen(is_there, of, spare);
  return of;
}

/// An item of a list, or one behind it.
struct Item {
  int64_t number, place, list;  // place among all columns; list of its owner
  bool is_there, in_list;       // in a column
};

/// f(item) of the items of a part. The first ones of a block of lists come column by column, with
/// some that are not there in between.
template <bool kSome, class F>
class Walk {
 public:
  Walk(const ListsInColumns& x, Part& p, F f) : x_(x), p_(p), owner_(x.lists_of[p.owner]), f_(f) {}

  void run() {
    const int64_t items = x_.items_of[x_.lists_of[x_.owners]];
    const int64_t columns = std::min(kFirst, p_.end - p_.column);
    const bool places = x_.places_of[x_.columns_of[x_.owners]] > 0;
    for (int64_t l = p_.first; l < p_.last; l += kBlock) {
      const int64_t end = std::min(l + kBlock, p_.last);
      const bool by_columns = places && x_.first_of == nullptr && end - l >= kFew &&
                              x_.items_of[end - 1] <= items - p_.column - columns;
      if (by_columns) first_items(l, end, columns);
      rest(l, end, by_columns ? columns : 0);
    }
  }

 private:
  bool takes_part(int64_t item) const {
    if constexpr (kSome) return x_.take_part[item] != 0;
    return true;
  }

  void first_items(int64_t first, int64_t last, int64_t columns) {
    for (int64_t j = 0; j < columns; j++) {
      int64_t place = p_.next[static_cast<size_t>(j)];
      for (int64_t l = first; l < last; l++) {
        const int64_t item = x_.items_of[l] + p_.column + j;
        const bool in_list = item < x_.items_of[l + 1], is_there = in_list & takes_part(item);
        f_(Item{item, place, l - owner_, is_there, in_list});
        place += is_there;
      }
      p_.next[static_cast<size_t>(j)] = place;
    }
  }

  void rest(int64_t first, int64_t last, int64_t skipped) {
    if (p_.column > 0 || p_.end != kOpen) return rest_of_some(first, last, skipped);
    int64_t spare = 0;
    for (int64_t l = first; l < last; l++) {
      int64_t* const next = p_.next.data() + first_column(x_, l);
      const int64_t begin = x_.items_of[l], n = x_.items_of[l + 1] - begin;
      for (int64_t j = skipped; j < n; j++) item(l, begin + j, next + j, &spare);
    }
  }

  void rest_of_some(int64_t first, int64_t last, int64_t skipped) {
    int64_t spare = 0;
    for (int64_t l = first; l < last; l++) {
      const int64_t own = first_column(x_, l), shift = own - p_.column;
      const int64_t begin = x_.items_of[l], n = x_.items_of[l + 1] - begin;
      const int64_t end = std::min(n, p_.end - own);
      for (int64_t j = std::max<int64_t>(0, skipped - shift); j < end; j++)
        item(l, begin + j, p_.next.data() + shift + j, &spare);
    }
  }

  void item(int64_t list, int64_t number, int64_t* next, int64_t* spare) {
    const bool is_there = takes_part(number);
    int64_t* const of = counter<kSome>(is_there, next, spare);
    f_(Item{number, *of, list - owner_, is_there, true});
    *of += is_there;
  }

  const ListsInColumns& x_;
  Part& p_;
  const int64_t owner_;
  F f_;
};

template <class F>
void each_item(const ListsInColumns& x, Part& p, F f) {
  x.take_part == nullptr ? Walk<false, F>(x, p, f).run() : Walk<true, F>(x, p, f).run();
}

/// Adds up what a part has in each column that it is asked for.
template <bool kSome>
void count_items(const ListsInColumns& x, const Part& p, int64_t* counts) {
  int64_t spare = 0;
  const auto count = [&](int64_t item, int64_t* of) {
    const bool is_there = !kSome || x.take_part[item] != 0;
    *counter<kSome>(is_there, of, &spare) += is_there;
  };
  if (x.first_of != nullptr || p.column > 0 || p.end != kOpen) {
    for (int64_t l = p.first; l < p.last; l++) {
      const int64_t own = first_column(x, l), shift = own - p.column;
      const int64_t begin = x.items_of[l], n = x.items_of[l + 1] - begin;
      const int64_t end = std::min(n, p.end - own);
      for (int64_t j = std::max<int64_t>(0, -shift); j < end; j++)
        count(begin + j, counts + shift + j);
    }
    return;
  }
  const int64_t items = x.items_of[x.lists_of[x.owners]];
  const bool by_columns = p.last - p.first >= kFew && columns_of(x, p) >= kFirst;
  for (int64_t l = p.first; l < p.last; l++) {
    const int64_t begin = x.items_of[l], n = x.items_of[l + 1] - begin;
    int64_t j = 0;
    if (by_columns && begin <= items - kFirst) {
      for (; j < kFirst; j++) counts[j] += j < n && (!kSome || x.take_part[begin + j] != 0);
    }
    for (; j < n; j++) count(begin + j, counts + j);
  }
}

void count_items(const ListsInColumns& x, const Part& p, int64_t* counts) {
  x.take_part == nullptr ? count_items<false>(x, p, counts) : count_items<true>(x, p, counts);
}

/// The lists of one owner in parts that threads share, with what each has in each column.
std::vector<Part> shared_lists(const ListsInColumns& x, int64_t owner, int64_t tasks) {
  const int64_t first = x.lists_of[owner], lists = x.lists_of[owner + 1] - first;
  const Part whole = part_of(x, owner, first, first + lists);
  const int64_t columns = columns_of(x, whole);
  // Counters are no more than items.
  const int64_t items = x.items_of[first + lists] - x.items_of[first];
  const int64_t most = std::clamp<int64_t>(items / std::max<int64_t>(columns, 1), 1, tasks);
  const int64_t each = std::max<int64_t>(1, (lists - 1) / most + 1);
  std::vector<Part> out;
  for (int64_t l = 0; l < lists; l += each)
    out.push_back(part_of(x, owner, first + l, first + std::min(l + each, lists)));
  parallel_for(std::ssize(out), [&](int64_t i, int) {
    Part& p = out[static_cast<size_t>(i)];
    p.next.assign(static_cast<size_t>(columns), 0);
    count_items(x, p, p.next.data());
  });
  return out;
}

/// How the owners' lists are cut.
struct Tasks {
  int64_t first = 0, last = 0;  // owners with columns that are asked for
  int64_t number = 1;
  bool share_lists = false;  // of each owner

  explicit Tasks(const ListsInColumns& x) : last(x.owners) {
    const int64_t *const begin = x.columns_of, *const end = begin + x.owners;
    if (x.first > 0) {
      first = std::lower_bound(begin, end, x.first) - begin;
      if (first == x.owners || x.columns_of[first] > x.first) first--;
    }
    if (x.last >= 0) last = std::lower_bound(begin + first, end, x.last) - begin;
    const int64_t items =
        first == last ? 0 : x.items_of[x.lists_of[last]] - x.items_of[x.lists_of[first]];
    number = std::clamp<int64_t>(items / seams().task, 1, seams().tasks);
    share_lists = num_threads() > 1 && last - first < number;
  }
  /// f(part of all lists of an owner) of each.
  template <class F>
  void each_owner(const ListsInColumns& x, F f) const {
    if (first == last) return;
    const int64_t each = (last - first - 1) / number + 1;
    parallel_for((last - first - 1) / each + 1, [&](int64_t t, int) {
      Part p{};
      for (int64_t o = first + t * each; o < std::min(first + (t + 1) * each, last); o++) {
        const bool is_whole = o > first && o + 1 < last;
        const Part ends = is_whole ? Part{} : part_of(x, o, 0, 0);
        p.owner = o;
        p.first = x.lists_of[o];
        p.last = x.lists_of[o + 1];
        p.column = ends.column;
        p.end = is_whole ? kOpen : ends.end;
        f(p);
      }
    });
  }
};

template <class F>
void each_item(const ListsInColumns& x, F f) {
  const Tasks tasks(x);
  if (tasks.share_lists) {
    for (int64_t o = tasks.first; o < tasks.last; o++) {
      std::vector<Part> parts = shared_lists(x, o, tasks.number);
      if (parts.empty()) continue;
      const int64_t* const begins = begins_of(x, parts[0]);
      std::vector<int64_t> next(begins, begins + columns_of(x, parts[0]));
      for (Part& p : parts) {
        for (size_t c = 0; c < next.size(); c++) next[c] += std::exchange(p.next[c], next[c]);
      }
      parallel_for(std::ssize(parts), [&](int64_t i, int) {
        Part& p = parts[static_cast<size_t>(i)];
        p.next.resize(p.next.size() + kFirst);
        each_item(x, p, f);
      });
    }
    return;
  }
  tasks.each_owner(x, [&](Part& p) {
    const auto columns = static_cast<size_t>(columns_of(x, p));
    if (p.next.size() < columns + kFirst) p.next.resize(columns + kFirst);
    std::copy_n(begins_of(x, p), columns, p.next.begin());
    each_item(x, p, f);
  });
}

/// The place of the first item that is asked for.
int64_t first_place(const ListsInColumns& x) { return x.owners == 0 ? 0 : x.places_of[x.first]; }

/// to[place] = value, if it is there.
template <class T>
void put(T* to, int64_t place, const T& value, bool is_there) {
  T nowhere;
  *chosen(is_there, to + place, &nowhere) = value;
}

}  // namespace

void items_to_columns(const ListsInColumns& x, const void* items, int64_t itemsize, void* to) {
  with_bytes(itemsize, [&]<class T>(T) {
    each_item(x, [from = static_cast<const T*>(items), out = static_cast<T*>(to),
                  before = first_place(x)](const Item& i) {
      put(out, i.place - before, from[i.number], i.is_there);
    });
  });
}

void columns_to_items(const ListsInColumns& x, const void* columns, int64_t itemsize, void* to) {
  with_bytes(itemsize, [&]<class T>(T) {
    each_item(x, [from = static_cast<const T*>(columns), out = static_cast<T*>(to),
                  before = first_place(x)](const Item& i) {
      const T none{};
      put(out, i.number, *chosen(i.is_there, from + i.place - before, &none), i.in_list);
    });
  });
}

void lists_in_columns(const ListsInColumns& x, int32_t* to) {
  each_item(x, [to, before = first_place(x)](const Item& i) {
    put(to, i.place - before, static_cast<int32_t>(i.list), i.is_there);
  });
}

void places_in_columns(const ListsInColumns& x, int64_t* to) {
  each_item(x, [to](const Item& i) { put(to, i.number, i.is_there ? i.place : 0, i.in_list); });
}

void count_in_columns(const ListsInColumns& x, int64_t* counts) {
  std::fill_n(counts, x.columns_of[x.owners], 0);
  const Tasks tasks(x);
  if (!tasks.share_lists) {
    tasks.each_owner(x, [&](Part& p) { count_items(x, p, counts + x.columns_of[p.owner]); });
    return;
  }
  for (int64_t o = tasks.first; o < tasks.last; o++) {
    int64_t* const of = counts + x.columns_of[o];
    for (const Part& p : shared_lists(x, o, tasks.number)) {
      for (size_t c = 0; c < p.next.size(); c++) of[c] += p.next[c];
    }
  }
}

}  // namespace serrate::cpu
