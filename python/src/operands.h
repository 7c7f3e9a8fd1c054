// The operands of one call: plain values among them become arrays where the Arrays beside them are.
#pragma once

#include <array>

#include "cuda/device.h"
#include "python.h"

namespace serrate::python {

/// While it lives, plain values become arrays on the device of the Arrays among `operands` (also
/// inside of their lists, tuples and dicts): lists on any, NumPy arrays, which lie in RAM, only
/// there or on the default back end.
class Beside {
 public:
  template <class... H>
  explicit Beside(const H&... operands) : before_(current()) {
    if (cuda::gpu_in_use()) static_cast<void>((look(operands) || ...));
  }
  ~Beside() { current() = before_; }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

 private:
  friend Array placed(Array a, bool is_literal);
  static std::optional<Device>& current();
  // True where they say the device.
  static bool look(nb::handle operand);
  static bool look(const Array& array);
  static bool look_at_array(nb::handle operand);

  std::optional<Device> before_;
};

/// An operand made of plain values; `is_literal` if the program spells them out.
Array placed(Array a, bool is_literal);

template <class... H>
std::array<Array, sizeof...(H)> as_operands(const char* op, const H&... operands) {
  const Beside beside(operands...);
  return {as_array(operands, op)...};
}

/// Of operators: sets, ranges ... too, but TypeError for None.
template <class... H>
std::array<std::optional<Array>, sizeof...(H)> try_operands(const H&... operands) {
  const Beside beside(operands...);
  return {try_operand(operands)...};
}

}  // namespace serrate::python
