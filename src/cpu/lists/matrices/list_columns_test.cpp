// Items of lists in columns against their definition.
#include "cpu/lists/matrices/list_columns.h"

#include <array>
#include <numeric>
#include <random>
#include <vector>

#include "catch.h"
#include "cpu/machine/pool.h"

namespace serrate {
namespace {

using Numbers = std::vector<int64_t>;

/// Lists of some owners; `own`: with first columns of their own, in one owner.
struct Case {
  int64_t owners;
  int64_t lists;  // of each
  int longest;
  bool own, some;  // some: not all items take part
};

struct Made {
  Numbers lists_of{0}, items_of{0}, columns_of{0}, places_of{0}, first_of;
  std::vector<uint8_t> take_part;
  Numbers place, list;  // of each item: by definition; -1: in no column
  cpu::ListsInColumns x;

  explicit Made(const Case& c) {
    std::mt19937 random(5);
    const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % n); };
    std::vector<Numbers> columns;
    for (int64_t o = 0; o < c.owners; o++) {
      const int64_t lists = c.lists == 0 ? 0 : below(2 * c.lists) + (c.owners == 1);
      const auto first = columns.size();
      for (int64_t l = 0; l < lists; l++) {
        const int64_t n = random() % 50 ? below(4) : below(c.longest);
        const int64_t own = c.own ? below(3) : 0;
        if (c.own) first_of.push_back(own);
        for (int64_t j = 0; j < n; j++) {
          take_part.push_back(!c.some || below(3) > 0);
          list.push_back(l);
          const auto column = first + static_cast<size_t>(own + j);
          if (columns.size() <= column) columns.resize(column + 1);
          if (take_part.back()) columns[column].push_back(std::ssize(list) - 1);
        }
        items_of.push_back(std::ssize(list));
      }
      lists_of.push_back(lists_of.back() + lists);
      columns_of.push_back(std::ssize(columns));
    }
    place.assign(list.size(), -1);
    for (const Numbers& items : columns) {
      for (size_t i = 0; i < items.size(); i++)
        place[static_cast<size_t>(items[i])] = places_of.back() + static_cast<int64_t>(i);
      places_of.push_back(places_of.back() + std::ssize(items));
    }
    x = {c.owners,
         lists_of.data(),
         items_of.data(),
         columns_of.data(),
         places_of.data(),
         c.own ? first_of.data() : nullptr,
         c.some ? take_part.data() : nullptr};
  }
};

template <class T>
void check(const Made& m) {
  std::vector<T> items, columns(static_cast<size_t>(m.places_of.back())), back(m.list.size(), 7);
  for (size_t i = 0; i < m.list.size(); i++) items.push_back(static_cast<T>(i * 7 + 1));
  cpu::items_to_columns(m.x, items.data(), sizeof(T), columns.data());
  cpu::columns_to_items(m.x, columns.data(), sizeof(T), back.data());
  bool is_right = true;
  for (size_t i = 0; i < items.size(); i++) {
    const bool placed = m.place[i] >= 0;
    is_right &= !placed || columns[static_cast<size_t>(m.place[i])] == items[i];
    is_right &= back[i] == (placed ? items[i] : T{});
  }
  CHECK(is_right);
}

/// Some columns at a time are together what all are at once.
void check_bands(const Made& m, int64_t width) {
  Numbers items(m.list.size()), columns(static_cast<size_t>(m.places_of.back()));
  std::iota(items.begin(), items.end(), 1);
  Numbers back(items.size(), -1), all = columns, all_back = back;
  std::vector<int32_t> lists(columns.size()), all_lists = lists;
  const int64_t count = m.columns_of.back();
  for (int64_t first = 0; first == 0 || first < count; first += width) {
    cpu::ListsInColumns band = m.x;
    band.first = first;
    if (first + width < count) band.last = first + width;
    const int64_t place = m.places_of[static_cast<size_t>(first)];
    cpu::items_to_columns(band, items.data(), 8, columns.data() + place);
    cpu::lists_in_columns(band, lists.data() + place);
    cpu::columns_to_items(band, columns.data() + place, 8, back.data());
  }
  cpu::items_to_columns(m.x, items.data(), 8, all.data());
  cpu::lists_in_columns(m.x, all_lists.data());
  cpu::columns_to_items(m.x, all.data(), 8, all_back.data());
  CHECK(columns == all);
  CHECK(lists == all_lists);
  CHECK(back == all_back);
}

void check(const Case& c) {
  const Made m(c);
  check<uint8_t>(m);
  check<int16_t>(m);
  check<float>(m);
  check<double>(m);
  for (const int64_t width : {1, 2, 3, 50, 1000})
    if (width * 200 > m.columns_of.back()) check_bands(m, width);
  std::vector<int32_t> lists(static_cast<size_t>(m.places_of.back()));
  Numbers places(m.list.size());
  cpu::lists_in_columns(m.x, lists.data());
  cpu::places_in_columns(m.x, places.data());
  Numbers counts(static_cast<size_t>(m.columns_of.back()));
  cpu::count_in_columns(m.x, counts.data());
  bool is_right = true;
  for (size_t k = 0; k < counts.size(); k++)
    is_right &= counts[k] == m.places_of[k + 1] - m.places_of[k];
  for (size_t i = 0; i < places.size(); i++) {
    is_right &= places[i] == std::max<int64_t>(m.place[i], 0);
    is_right &= m.place[i] < 0 || lists[static_cast<size_t>(m.place[i])] == m.list[i];
  }
  CHECK(is_right);
}

}  // namespace

TEST_CASE("items of lists in columns, for any number of threads") {
  constexpr std::array<Case, 8> kCases{{{1, 0, 1, false, false},
                                        {0, 0, 1, false, false},
                                        {1, 100, 9, false, false},
                                        {50, 3, 9, false, true},
                                        {1, 100'000, 300, false, false},
                                        {1, 100'000, 300, false, true},
                                        {1, 60'000, 3'000, true, true},
                                        {3'000, 40, 200, false, true}}};
  for (const int threads : {1, 4}) {
    cpu::set_num_threads(threads);
    for (const Case& c : kCases) {
      INFO(c.owners << " owners, " << c.lists << " lists, " << threads << " threads");
      check(c);
    }
  }
  cpu::set_num_threads(0);
}

}  // namespace serrate
