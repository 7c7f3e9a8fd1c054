// The primitive reducers; what is known of each is in reducer_info.h. For the CUDA plug-in too,
// which is C++17.
#pragma once

#include <cstdint>

namespace serrate {

/// What is made of the items of a list. The enumerators are the names in reducers.def.
enum class Reducer : uint8_t {
#define SERRATE_REDUCER(name, ...) name,
#include "core/types/reducers.def"
};

}  // namespace serrate
