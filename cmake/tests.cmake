# serrate_tests: all the C++ tests in one Catch2 program (2.13 or 3). It may look inside: src/ is on its include path.
find_package(Catch2 REQUIRED)
enable_testing()

if(serrate_test_sources)
  # The text for CUDA kernels as host functions, for a test against the CPU.
  add_executable(serrate_cuda_host tests/generate/cuda_host.cpp)
  target_link_libraries(serrate_cuda_host PRIVATE serrate serrate_options serrate_sanitize)
  set(cuda_host ${CMAKE_CURRENT_BINARY_DIR}/cuda_host.cpp)
  add_custom_command(OUTPUT ${cuda_host} COMMAND serrate_cuda_host ${cuda_host} DEPENDS serrate_cuda_host)
  add_executable(serrate_tests ${serrate_test_sources} ${cuda_host})
  target_compile_options(serrate_tests PRIVATE -O1)  # half the time to compile
  target_include_directories(serrate_tests PRIVATE tests/cpp)
  serrate_precompile(serrate_tests ${CMAKE_CURRENT_SOURCE_DIR}/tests/cpp/catch.h)
  target_link_libraries(serrate_tests PRIVATE serrate serrate_options serrate_sanitize)
  # One file alone names the checkout, so that a compiler cache serves the others in every checkout.
  set_source_files_properties(tests/cpp/docs_test.cpp PROPERTIES
    COMPILE_DEFINITIONS SERRATE_SOURCE="${CMAKE_CURRENT_SOURCE_DIR}")
  if(TARGET Catch2::Catch2WithMain)
    target_link_libraries(serrate_tests PRIVATE Catch2::Catch2WithMain)
  else()
    set(main ${CMAKE_CURRENT_BINARY_DIR}/catch_main.cpp)
    file(CONFIGURE OUTPUT ${main} CONTENT "#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n")
    set_source_files_properties(${main} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    target_sources(serrate_tests PRIVATE ${main})
    target_link_libraries(serrate_tests PRIVATE Catch2::Catch2)
  endif()
  add_test(NAME serrate_tests COMMAND serrate_tests)
endif()
