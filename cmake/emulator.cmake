# A GPU emulated on the CPU, for tests: the plug-in, and a compiler for kernels. See tests/emulator.
add_library(serrate_emulated_gpu MODULE EXCLUDE_FROM_ALL
  tests/emulator/device.cpp tests/emulator/block.cpp src/cuda/runtime/compile_only.cpp)
target_include_directories(serrate_emulated_gpu PRIVATE include src)
target_link_libraries(serrate_emulated_gpu PRIVATE fmt::fmt-header-only)

# Without unique symbols: shared memory of a function that several kernels have is each one's own.
add_library(serrate_emulated_nvrtc MODULE EXCLUDE_FROM_ALL tests/emulator/nvrtc.cpp)
target_compile_definitions(serrate_emulated_nvrtc PRIVATE
  SERRATE_EMULATOR_COMPILE="${CMAKE_CXX_COMPILER} -std=c++20 -O0 -w -fPIC -fno-gnu-unique"
  SERRATE_EMULATOR_HEADER="${CMAKE_CURRENT_SOURCE_DIR}/tests/emulator/kernel.h")
set_target_properties(serrate_emulated_gpu serrate_emulated_nvrtc PROPERTIES
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
add_custom_target(serrate_emulator DEPENDS serrate_emulated_gpu serrate_emulated_nvrtc)
