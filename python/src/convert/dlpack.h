// Numbers in regular lists as other libraries take them: an address, a shape, a type.
#pragma once

#include <nanobind/ndarray.h>

#include <memory>
#include <string>
#include <vector>

#include "common/python.h"

namespace serrate::python {

/// In C order, on the array's device.
struct Regular {
  const std::byte* data = nullptr;
  std::vector<int64_t> shape;
  DType dtype = DType::int64;
  std::string unit;
  std::shared_ptr<const void> owner;  // of the memory
  Buffer buffer;                      // on a GPU: that it is in

  int64_t bytes() const;
};

/// Evaluates. TypeError that names `op` for anything else than numbers in regular lists.
Regular regular_of(const Array& a, const char* op);

nb::dlpack::dtype dlpack_type(DType t);
/// TypeError for types that are none of ours.
DType dtype_of_dlpack(nb::dlpack::dtype t);

/// Array.__dlpack__, of all devices.
nb::object to_dlpack(const Array& a, const nb::kwargs& kwargs);

}  // namespace serrate::python
