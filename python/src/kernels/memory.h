// Memory on the GPU that arguments of kernels name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/python.h"
#include "graph/ir.h"

namespace serrate::python {

/// What one argument names.
struct Memory {
  std::byte* data = nullptr;
  DType dtype{};
  std::string unit;
  int64_t items = -1;                   // of a flat array of ours, which has no shape
  std::vector<int64_t> shape, strides;  // strides of another library's array in bytes, or none
  uintptr_t stream = 0;                 // whose owner looks at it next; 0: serrate's
  bool read_only = false;               // as its owner says

  std::span<const int64_t> dimensions() const {
    if (items >= 0) return {&items, 1};
    return shape;
  }
};

/// That of an evaluated flat array on the GPU, if nothing may be wrong about it, as of most.
std::optional<Memory> plain_memory(const Array& a);
/// That of any flat or regular array there. TypeError, which begins with `op`, of others.
Memory regular_memory(const Array& a, const char* op);
/// That of another library's array, by its __cuda_array_interface__.
Memory memory_of_other(nb::handle o);

/// The same memory, to be written to, if nobody could see that it changes: no other array, view or
/// expression has it, nor another library. Else the handle gets a copy, and others keep what they
/// see. `m` is what was said of it above.
std::byte* memory_to_write(Array& a, const Memory& m);

/// An array over fresh memory.
Array regular_array(const Buffer& b, DType t, std::span<const int64_t> shape,
                    const std::string& unit, const Parameters& parameters);

}  // namespace serrate::python
