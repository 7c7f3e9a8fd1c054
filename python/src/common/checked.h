// What functions of Python's C interface give, or the error that they raised. Nothing else of the
// binding takes over objects that may be null, or answers that may be -1.
#pragma once

#include <chrono>

#include "common/python.h"

namespace serrate::python {

/// A new object of Python's; what was raised instead of it is thrown.
inline nb::object owned(PyObject* fresh) {
  if (!fresh) throw nb::python_error();
  return nb::steal(fresh);
}
/// An answer of yes, no, or -1 where asking raised an error, which is thrown.
inline bool answered(int yes) {
  if (yes < 0) throw nb::python_error();
  return yes != 0;
}
inline bool is_true(nb::handle o) { return answered(PyObject_IsTrue(o.ptr())); }
inline bool is_instance(nb::handle o, nb::handle type) {
  return answered(PyObject_IsInstance(o.ptr(), type.ptr()));
}
inline bool are_equal(nb::handle a, nb::handle b) {
  return answered(PyObject_RichCompareBool(a.ptr(), b.ptr(), Py_EQ));
}
/// f(), or a ValueError where what Python walks is nested deeper than it can: `what` names it.
template <class F>
auto not_too_deep(const char* what, F&& f) {
  try {
    return f();
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_RecursionError)) throw;
    throw ValueError(
        fmt::format("{} is nested too deep: {} levels are possible at most", what, kMaxTypeDepth));
  }
}
/// o.__index__(), or the error that it raised.
inline nb::object index_of(nb::handle o) { return owned(PyNumber_Index(o.ptr())); }

/// Runs what Python does on signals, and throws what that raises. What a handler does with arrays
/// is a call of its own.
void check_signals();

/// Long work that holds the interpreter lock asks for signals ten times a second at most.
class Signals {
 public:
  void step() {
    if (++steps_ % 1024 == 0) [[unlikely]]
      look_at_clock();
  }

 private:
  void look_at_clock();
  uint32_t steps_ = 0;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace serrate::python
