// Array: the handle users hold. Immutable and cheap to copy; nothing is computed until somebody
// looks.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "serrate/buffer.h"
#include "serrate/dtype.h"
#include "serrate/error.h"
#include "serrate/type.h"

namespace serrate {

template <class T>
class Ref;
namespace graph {
struct Node;
}

/// A nested array, a record or a scalar: a shared, lazily evaluated value with a known type.
class Array {
 public:
  /// An empty array of unknown type: "0 * unknown".
  Array();
  /// A number, so that `2 * x` works. It takes the type of what it meets, as Python's numbers do:
  /// float32 stays float32.
  template <class T>
  requires std::is_arithmetic_v<T> Array(T v) : Array(number_of(v), Weak{}) {}
  /// A string: equal(names, Array("muon")), fill_none(names, Array("")).
  explicit Array(std::string_view text);
  /// Wraps a value tree over the unit space.
  explicit Array(Ref<graph::Node> node);
  Array(const Array&) = default;
  Array(Array&&) = default;
  Array& operator=(const Array&) = default;
  Array& operator=(Array&&) = default;
  ~Array();

  /// "3 * var * int64" for an array, "float64" or {"x": int64} for a scalar or record.
  Type type() const;
  /// True for a single value (a number, a record, a missing value) rather than a list of values.
  bool is_scalar() const;
  /// Number of items along axis 0. Looks at the data only if the length depends on them. TypeError
  /// for scalars.
  int64_t size() const;
  /// Names of the record fields, slot numbers of tuples, empty otherwise.
  std::vector<std::string> fields() const;
  /// A field of the records inside, at any depth. FieldError if there is none of that name.
  Array operator[](std::string_view field) const;
  /// Where the buffers are.
  Device device() const;

  /// Computes the value now, once, in memory side by side; all copies of this handle see the
  /// result. Thread-safe. Returns *this.
  const Array& evaluate() const;
  /// The single value of a scalar array (evaluates). TypeError unless it is one number.
  template <class T>
  T item() const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(item_as_integer());
    else
      return static_cast<T>(item_as_double());
  }
  Scalar item_scalar() const;

  /// How many handles there are of this value: copies of a handle share it.
  int64_t handles() const { return state_.use_count(); }

  /// The current tree: symbolic before evaluation, stored after it.
  Ref<graph::Node> node() const;

 private:
  struct Weak {};
  Array(const Scalar& number, Weak);
  template <class T>
  static Scalar number_of(T v) {
    if constexpr (std::is_same_v<T, bool>) return Scalar::boolean(v);
    if constexpr (std::is_floating_point_v<T>) return Scalar::of(static_cast<double>(v));
    Scalar s = Scalar::of(static_cast<int64_t>(v));
    // What int64 does not hold has the same bits.
    if (std::is_unsigned_v<T> && s.i < 0) s.dtype = DType::uint64;
    return s;
  }
  double item_as_double() const;
  int64_t item_as_integer() const;
  const Array& evaluate(const std::string* why, bool as_view) const;
  static void evaluate_all(const std::vector<Array>& arrays, bool as_views);
  friend void compute(const std::vector<Array>& arrays);
  friend void evaluate_together(const std::vector<Array>& arrays);
  friend bool is_computed(const Array& x);
  friend void materialise(const Array& x, std::string why);
  friend bool evaluate_shortly(const Array& x);
  struct State;
  std::shared_ptr<State> state_;
};

/// Computes several arrays together, in one pass where they share a space. What only says where
/// items are is a view of what x has, as Awkward Array's ListArrays are: items of a flat array in
/// steps (`x[::-1]`), and stored lists that are chosen or cut (`x[mask]`, `x[:, 1:]`), of which
/// starts and stops are computed. Such lists are copied side by side when a second operation reads
/// them; `evaluate` and `to_packed` do so at once.
void compute(const std::vector<Array>& arrays);

}  // namespace serrate
