// What scans of lists on a GPU accumulate.
#pragma once

#include <cstdint>

namespace serrate::cuda {

enum class ListScan : uint8_t { sum, prod, min, max };

}  // namespace serrate::cuda
