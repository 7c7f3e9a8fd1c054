// A scatter is one load, or none, and one store for each value, without branches.
#include "cpu/lists/flat/put.h"

#include <algorithm>
#include <complex>
#include <type_traits>

#include "core/fill_items.h"
#include "core/seams.h"
#include "core/types/with_number.h"
#include "core/unsigned_of_size.h"
#include "cpu/lists/flat/places.h"
#include "cpu/machine/isa_table.h"
#include "cpu/machine/pool.h"

namespace serrate::cpu {

#define SERRATE_DECLARE(isa)                                                                   \
  namespace isa {                                                                              \
  void fill_where(int itemsize, const uint8_t* mask, int64_t n, const void* value, void* out); \
  }
SERRATE_EACH_ISA(SERRATE_DECLARE)
#undef SERRATE_DECLARE

namespace {

/// Writes a value of `itemsize` bytes to those of n items where the mask is not 0.
using FillWhere = void (*)(int itemsize, const uint8_t* mask, int64_t n, const void* value,
                           void* out);
FillWhere fill_where(Isa isa) { SERRATE_RETURN_FUNCTION(isa, fill_where) }

/// f of a value of a type of numbers that arithmetic here is done with; false for others.
template <class F>
bool with_type(DType t, F&& f) {
  switch (t) {
    case DType::boolean:
      return f(bool{}), true;
    case DType::complex64:
      return f(std::complex<float>{}), true;
    case DType::complex128:
      return f(std::complex<double>{}), true;
    default:
      if (!is_integer(t) && t != DType::float32 && t != DType::float64) return false;
      return with_number(t, f), true;
  }
}

/// What integers are computed with, so that they wrap around.
template <class T>
struct WideOf {
  using type = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
};
template <>
struct WideOf<float> {
  using type = float;
};
template <>
struct WideOf<double> {
  using type = double;
};
template <class T>
struct WideOf<std::complex<T>> {
  using type = std::complex<T>;
};

template <class T>
inline constexpr bool is_complex_number = false;
template <class T>
inline constexpr bool is_complex_number<std::complex<T>> = true;

/// f of the function of an operation whose results have the type of its operands; false for others.
template <class T, class F>
bool with_operation(Op op, F&& f) {
  using W = typename WideOf<T>::type;
  if constexpr (is_complex_number<T>) {  // others are not those of std::complex
    if (op != Op::add && op != Op::subtract) return false;
  }
  if (std::is_same_v<T, bool> && op == Op::subtract) return false;
  switch (op) {
    case Op::add:
      return f([](T x, T y) { return T(W(x) + W(y)); }), true;
    case Op::subtract:
      return f([](T x, T y) { return T(W(x) - W(y)); }), true;
    case Op::multiply:
      return f([](T x, T y) { return T(W(x) * W(y)); }), true;
    default:
      break;
  }
  if constexpr (!is_complex_number<T>) {
    if (op == Op::maximum) return f([](T x, T y) { return ((x > y) | (x != x)) ? x : y; }), true;
    if (op == Op::minimum) return f([](T x, T y) { return ((x < y) | (x != x)) ? x : y; }), true;
  }
  return false;
}

unsigned seen(const PutArgs& of) {
  static const LookAtPlaces look = look_at_places();
  if (of.places != nullptr) return look(DType::int64, of.places, of.count, of.size);
  const int64_t last = of.first + (of.count - 1) * of.step;
  const bool inside =
      of.count == 0 || (std::min(of.first, last) >= 0 && std::max(of.first, last) < of.size);
  return inside ? 0 : kOutside;
}

/// out[place] = f(out[place], value) for each place.
template <class V, bool kOne, class T, class F>
void each_place(const PutArgs& of, bool below, T* out, F&& f) {
  const V* values = static_cast<const V*>(of.values);
  const V one = *values;
  const auto value = [&](int64_t i) { return kOne ? one : values[i]; };
  const auto change = [&](T& x, int64_t i) { x = f(x, value(i)); };
  const int64_t* const at = of.places;
  const int64_t count = of.count, step = of.step;  // what is written might be these
  if (at == nullptr) {
    T* x = out + of.first;
    for (int64_t i = 0; i < count; i++, x += step) change(*x, i);
  } else if (below) {
    T* const begin[] = {out, out + of.size};
    for (int64_t i = 0; i < count; i++) change(begin[at[i] < 0][at[i]], i);
  } else {
    for (int64_t i = 0; i < count; i++) change(out[at[i]], i);
  }
}

template <class V, class T, class F>
void update(const PutArgs& of, bool below, T* out, F&& f) {
  if (of.count == 0) return;  // then there may be no value
  of.is_one ? each_place<V, true>(of, below, out, f) : each_place<V, false>(of, below, out, f);
}

/// The same for runs.
template <class T>
void write_runs(const PutArgs& of, T* out) {
  for (int64_t i = 0; i < of.count; i++) {
    int64_t at = of.places != nullptr ? of.places[i] : of.first + i * of.step;
    if (at < 0) at += of.size;
    if (of.is_one)
      fill_items(out + at * of.run, of.values, sizeof(T), static_cast<size_t>(of.run));
    else
      std::copy_n(static_cast<const T*>(of.values) + i * of.run, of.run, out + at * of.run);
  }
}

template <class T>
void write(const PutArgs& of, bool below, T* out) {
  if (of.run != 1) return write_runs(of, out);
  if (of.places != nullptr || of.step != 1)
    return update<T>(of, below, out, [](const T&, const T& v) { return v; });
  if (of.is_one)
    fill_items(out + of.first, of.values, sizeof(T), static_cast<size_t>(of.count));
  else
    std::copy_n(static_cast<const T*>(of.values), of.count, out + of.first);
}

/// Shorter rows are written item by item: a call costs as much as so many.
constexpr int64_t kShortRow = 16;

/// One value to all places of a box, along the last dimension at once.
template <class T>
void write_box(PutArgs of, T* out) {
  if (of.sizes.size() == 1) {
    of.count = of.sizes[0];
    of.step = of.strides[0];
    return write(of, false, out);
  }
  if (of.sizes.size() == 2 && of.sizes[1] < kShortRow) {
    const T value = *static_cast<const T*>(of.values);
    const int64_t rows = of.sizes[0], to_next = of.strides[0];
    const int64_t n = of.sizes[1], step = of.strides[1];
    T* row = out + of.first;
    for (int64_t i = 0; i < rows; i++, row += to_next)
      for (int64_t j = 0; j < n; j++) row[j * step] = value;
    return;
  }
  const int64_t rows = of.sizes[0], step = of.strides[0];
  of.sizes = of.sizes.subspan(1);
  of.strides = of.strides.subspan(1);
  for (int64_t i = 0; i < rows; i++, of.first += step) write_box(of, out);
}

/// Is the box inside?
bool is_inside(const PutArgs& of) {
  int64_t least = of.first, most = of.first;
  for (size_t d = 0; d < of.sizes.size(); d++) {
    if (of.sizes[d] == 0) return true;
    (of.strides[d] < 0 ? least : most) += (of.sizes[d] - 1) * of.strides[d];
  }
  return least >= 0 && most < of.size;
}

void fill(const PutArgs& of, std::byte* out) {
  static const FillWhere fill_chunk = fill_where(best_isa());
  const int size = itemsize(of.type);
  const int64_t chunk = seams().task;
  parallel_for((of.size + chunk - 1) / chunk, [&](int64_t c, int) {
    const int64_t i = c * chunk;
    fill_chunk(size, of.mask + i, std::min(chunk, of.size - i), of.values, out + i * size);
  });
}

}  // namespace

bool put(const PutArgs& of, const std::function<void*()>& numbers) {
  if (of.mask != nullptr) return fill(of, static_cast<std::byte*>(numbers())), true;
  if (!of.sizes.empty()) {
    if (!of.is_one || !is_inside(of)) return false;
    with_bytes(itemsize(of.type), [&]<class T>(T) { write_box(of, static_cast<T*>(numbers())); });
    return true;
  }
  const unsigned places = seen(of);
  if (places & kOutside) return false;
  const bool below = places & kBelow;
  if (!of.op) {
    with_bytes(itemsize(of.type),
               [&]<class T>(T) { write(of, below, static_cast<T*>(numbers())); });
    return true;
  }
  bool done = false;
  with_type(of.value_type, [&]<class V>(V) {
    done = with_operation<V>(*of.op, [&](auto f) {
      if (of.value_type == of.type) {
        update<V>(of, below, static_cast<V*>(numbers()), f);
      } else {
        const auto is_not_0 = [f](bool x, V v) { return f(static_cast<V>(x), v) != V{}; };
        update<V>(of, below, static_cast<bool*>(numbers()), is_not_0);
      }
    });
  });
  return done;
}

}  // namespace serrate::cpu
