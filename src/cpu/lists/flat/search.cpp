// Binary searches without branches, of some items side by side: each is a chain of loads that wait
// for one another (Khuong, Morin: Array Layouts for Comparison-Based Searching).
#include "cpu/lists/flat/search.h"

#include <algorithm>
#include <complex>
#include <type_traits>
#include <vector>

#include "core/seams.h"
#include "core/types/with_number.h"
#include "cpu/machine/pool.h"

namespace serrate::cpu {
namespace {

constexpr int kTogether = 16;

/// What both are compared as.
DType compared_as(DType sorted, DType items) {
  const DType t = promote(sorted, items);
  if (is_floating(t) || is_complex(t) || t == DType::uint64) return t;
  return DType::int64;
}

template <class T>
struct Table {
  const T* values;
  int64_t size;  // without NaN
  int64_t with_nan;
};

template <bool right, class T>
bool is_before(T value, T key) {
  return right ? value <= key : value < key;
}
/// By real parts: those that are equal are looked through later.
template <bool right, class R>
bool is_before(const std::complex<R>& value, const std::complex<R>& key) {
  return value.real() < key.real();
}

/// Where a complex number is from `at` on, the first place whose real part is not less.
template <bool right, class R>
int64_t among_equal(const Table<std::complex<R>>& table, int64_t at, std::complex<R> key) {
  using C = std::complex<R>;
  const C *const first = table.values + at, *const end = table.values + table.size;
  if (first == end || first->real() != key.real()) return at;
  const C* const last =
      std::partition_point(first, end, [&](const C& x) { return x.real() <= key.real(); });
  return std::partition_point(first, last,
                              [&](const C& x) { return is_before<right>(x.imag(), key.imag()); }) -
         table.values;
}

template <class T>
inline constexpr bool kIsComplex = false;
template <class R>
inline constexpr bool kIsComplex<std::complex<R>> = true;

/// f of a value of the type t, which is compared as T.
template <class T, class F>
void with_compared(DType t, F&& f) {
  if constexpr (kIsComplex<T>) {
    if (t == DType::complex64) return f(std::complex<float>{});
    if (t == DType::complex128) return f(std::complex<double>{});
  }
  with_number(t, f);
}
/// The same of items: none are integers beside complex numbers.
template <class T, class F>
void with_item(DType t, F&& f) {
  if constexpr (kIsComplex<T>) {
    if (t == DType::float32) return f(float{});
    if (t == DType::float64) return f(double{});
    t == DType::complex64 ? f(std::complex<float>{}) : f(std::complex<double>{});
  } else {
    with_number(t, f);
  }
}

template <bool right, class T, class I>
void search_range(const Table<T>& table, const I* items, int64_t n, int64_t* out) {
  for (int64_t begin = 0; begin < n; begin += kTogether) {
    const int64_t m = std::min<int64_t>(kTogether, n - begin);
    T keys[kTogether];
    int64_t at[kTogether] = {};
    for (int64_t k = 0; k < kTogether; k++)
      keys[k] = static_cast<T>(items[begin + std::min(k, m - 1)]);
    int64_t left = table.size;
    while (left > 1) {
      const int64_t half = left / 2;
      for (int k = 0; k < kTogether; k++)
        at[k] += is_before<right>(table.values[at[k] + half - 1], keys[k]) ? half : 0;
      left -= half;
    }
    if (left == 1) {
      for (int k = 0; k < kTogether; k++) at[k] += is_before<right>(table.values[at[k]], keys[k]);
    }
    if constexpr (kIsComplex<T>) {
      for (int k = 0; k < kTogether; k++) at[k] = among_equal<right>(table, at[k], keys[k]);
    }
    if constexpr (!std::is_integral_v<T>) {
      const int64_t of_nan = right ? table.with_nan : table.size;
      for (int k = 0; k < kTogether; k++) at[k] = keys[k] != keys[k] ? of_nan : at[k];
    }
    std::copy_n(at, m, out + begin);
  }
}

template <class T, class I>
void search_all(const Table<T>& table, const I* items, int64_t n, bool right, int64_t* out) {
  right ? search_range<true>(table, items, n, out) : search_range<false>(table, items, n, out);
}

/// The places of all numbers there are of a small type, from 0 on, then from the least on.
template <class T, class I>
std::vector<int64_t> places_of_all(const Table<T>& table, bool right) {
  std::vector<I> all(size_t{1} << 8 * sizeof(I));
  for (size_t i = 0; i < all.size(); i++) all[i] = static_cast<I>(i);
  std::vector<int64_t> places(all.size());
  search_all(table, all.data(), std::ssize(all), right, places.data());
  return places;
}

template <class T>
void search_as(const SearchArgs& of, int64_t* out) {
  std::vector<T> converted;
  Table<T> table{static_cast<const T*>(of.sorted), of.size, of.size};
  with_compared<T>(of.sorted_type, [&]<class S>(S) {
    if constexpr (std::is_same_v<S, T>) return;
    const S* from = static_cast<const S*>(of.sorted);
    converted.assign(from, from + of.size);
    table.values = converted.data();
  });
  if constexpr (!std::is_integral_v<T>)
    table.size =
        std::partition_point(table.values, table.values + of.size, [](T x) { return x == x; }) -
        table.values;
  const int64_t task = std::max<int64_t>(kTogether, seams().task / 8);
  with_item<T>(of.item_type, [&]<class I>(I) {
    const I* const items = static_cast<const I*>(of.items);
    const auto each_task = [&](auto&& f) {
      parallel_for((of.count + task - 1) / task,
                   [&](int64_t t, int) { f(t * task, std::min(of.count, (t + 1) * task)); });
    };
    if constexpr (sizeof(I) <= 2) {
      if (of.count >= int64_t{4} << 8 * sizeof(I)) {
        const std::vector<int64_t> places = places_of_all<T, I>(table, of.right);
        return each_task([&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; i++)
            out[i] = places[static_cast<std::make_unsigned_t<I>>(items[i])];
        });
      }
    }
    each_task([&](int64_t begin, int64_t end) {
      search_all(table, items + begin, end - begin, of.right, out + begin);
    });
  });
}

}  // namespace

bool searches(DType sorted, DType items) {
  for (const DType t : {sorted, items}) {
    if (is_time(t) || t == DType::float16) return false;
  }
  if (is_complex(promote(sorted, items))) return is_complex(items) || is_floating(items);
  return !is_floating(promote(sorted, items)) || is_floating(sorted) || is_floating(items);
}

void search(const SearchArgs& of, int64_t* out) {
  switch (compared_as(of.sorted_type, of.item_type)) {
    case DType::int64:
      return search_as<int64_t>(of, out);
    case DType::uint64:
      return search_as<uint64_t>(of, out);
    case DType::float32:
      return search_as<float>(of, out);
    case DType::complex64:
      return search_as<std::complex<float>>(of, out);
    case DType::complex128:
      return search_as<std::complex<double>>(of, out);
    default:
      return search_as<double>(of, out);
  }
}

}  // namespace serrate::cpu
