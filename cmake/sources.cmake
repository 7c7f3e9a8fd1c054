# Which file goes where. The lists follow the folders, so adding a file is enough.
file(GLOB_RECURSE serrate_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/*.cpp)
file(GLOB_RECURSE serrate_test_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tests/cpp/*.cpp)
file(GLOB_RECURSE serrate_bench_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/bench/*_bench.cpp)
file(GLOB_RECURSE serrate_fuzz_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tests/fuzz/*_fuzz.cpp)

# Tests, benches and fuzzers lie beside the code that they are about.
foreach(kind test bench fuzz)
  set(beside ${serrate_sources})
  list(FILTER beside INCLUDE REGEX "_${kind}\\.cpp$")
  list(APPEND serrate_${kind}_sources ${beside})
  list(FILTER serrate_sources EXCLUDE REGEX "_${kind}\\.cpp$")
endforeach()

# The loops over data that are compiled once.
set(loops ${serrate_sources})
list(FILTER loops INCLUDE REGEX "/src/(cpu/(lists|loops)|interop|io/json)/")
set_source_files_properties(${loops} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>)

# Compiled per instruction set (isa.cmake); the CUDA plug-in is not part of the library.
set(serrate_isa_sources ${serrate_sources})
list(FILTER serrate_isa_sources INCLUDE REGEX "/src/cpu/isa/")
list(FILTER serrate_sources EXCLUDE REGEX "/src/(cpu/isa|cuda/plugin)/")
