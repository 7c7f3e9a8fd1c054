# A GPU emulated on the CPU, for tests: the plug-in, and a compiler for kernels. See tests/emulator.
add_library(serrate_emulated_gpu MODULE EXCLUDE_FROM_ALL
  tests/emulator/device.cpp tests/emulator/block.cpp src/cuda/runtime/compile_only.cpp)
target_include_directories(serrate_emulated_gpu PRIVATE include src)
target_link_libraries(serrate_emulated_gpu PRIVATE fmt::fmt-header-only)

# What all kernels include is compiled once.
set(compile "${CMAKE_CXX_COMPILER} -std=c++20 -O0 -w -fPIC")
set(header ${CMAKE_CURRENT_BINARY_DIR}/kernel.h)
set(header_source ${CMAKE_CURRENT_SOURCE_DIR}/tests/emulator/kernel.h)
separate_arguments(compile_words UNIX_COMMAND ${compile})
add_custom_command(OUTPUT ${header}.gch
  COMMAND ${compile_words} -x c++-header ${header_source} -o ${header}.gch
  DEPENDS ${header_source} ${CMAKE_CURRENT_SOURCE_DIR}/tests/emulator/machine.h)
add_library(serrate_emulated_nvrtc MODULE EXCLUDE_FROM_ALL tests/emulator/nvrtc.cpp ${header}.gch)
target_compile_definitions(serrate_emulated_nvrtc PRIVATE
  SERRATE_EMULATOR_COMPILE="${compile}" SERRATE_EMULATOR_HEADER="${header}")
set_target_properties(serrate_emulated_gpu serrate_emulated_nvrtc PROPERTIES
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
add_custom_target(serrate_emulator DEPENDS serrate_emulated_gpu serrate_emulated_nvrtc)
