// The operands of one call: plain values among them become arrays where the Arrays beside them are.
#pragma once

#include <array>
#include <span>

#include "common/python.h"

namespace serrate::python {

/// While it lives, plain values become arrays on the device of the Arrays among `operands` (also
/// inside of their lists, tuples and dicts): lists on any; NumPy arrays, which lie in RAM,
/// only there or on the default back end.
class Beside {
 public:
  explicit Beside(nb::handle x, nb::handle y = {}, nb::handle z = {}) : operands_{x, y, z} {}
  explicit Beside(const Array& array) : array_(&array) {}
  explicit Beside(std::span<PyObject* const> operands) : given_(operands) {}
  /// What hands data over looks at them where they are.
  explicit Beside(Device device) : device_(device) {}
  ~Beside() { current() = outer_; }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;
  /// The behaviours of the Arrays among them.
  static nb::list behaviors();

 private:
  friend std::optional<Device> destination(bool is_literal);
  static const Beside*& current();
  // Looked for where there is a plain value.
  std::optional<Device> device() const;

  std::array<nb::handle, 3> operands_{};
  std::span<PyObject* const> given_;
  const Array* array_ = nullptr;
  std::optional<Device> device_;
  const Beside* outer_ = std::exchange(current(), this);
};

/// While it lives, Python's integers may be larger than any type: operands of ufuncs.
class LargeIntegers {
 public:
  LargeIntegers();
  ~LargeIntegers();
  LargeIntegers(const LargeIntegers&) = delete;
  LargeIntegers& operator=(const LargeIntegers&) = delete;
};

/// Where an operand that is made of plain values goes, if it does not stay on the host;
/// `is_literal` if the program spells them out.
std::optional<Device> destination(bool is_literal);
Array placed(Array a, bool is_literal);

template <class... H>
std::array<Array, sizeof...(H)> as_operands(const char* op, const H&... operands) {
  const Beside beside(operands...);
  return {as_array(operands, op)...};
}

/// Two of which the second gives results no names of axes: values to fill in, lengths.
std::array<Array, 2> operands_named_by_first(const char* op, nb::handle x, nb::handle y);

/// Of operators: sets, ranges ... too, but TypeError for None.
template <class... H>
std::array<std::optional<Array>, sizeof...(H)> try_operands(const H&... operands) {
  const Beside beside(operands...);
  const LargeIntegers allowed;
  return {try_operand(operands)...};
}

}  // namespace serrate::python
