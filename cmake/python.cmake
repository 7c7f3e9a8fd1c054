# serrate._core: the bindings with the whole library inside, so that the module needs no libserrate.so.
# nanobind's split mode: one stable-ABI build serves every Python from 3.10 on; its run time is the PyPI package
# nanobind-backend.
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
  OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT COMMAND_ERROR_IS_FATAL ANY)
find_package(nanobind 3.1 CONFIG REQUIRED)

file(GLOB_RECURSE serrate_python_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/python/src/*.cpp)
nanobind_add_module(_core BACKEND_MODULE nanobind_backend NB_SUPPRESS_WARNINGS NOMINSIZE
  ${serrate_python_sources} ${serrate_all_objects})
target_link_libraries(_core PRIVATE serrate_options)
serrate_precompile(_core <nanobind/nanobind.h>)
# Calls between its own functions are direct, as in a wheel, where nothing but the entry point is visible.
target_link_options(_core PRIVATE $<$<PLATFORM_ID:Linux>:-Wl,-Bsymbolic-functions>)
target_include_directories(_core PRIVATE python/src)
target_compile_definitions(_core PRIVATE SERRATE_VERSION="${PROJECT_VERSION}")

if(SKBUILD)
  if(TARGET serrate_cuda)
    add_dependencies(_core serrate_cuda)
  endif()
  install(TARGETS _core LIBRARY DESTINATION serrate COMPONENT python)
  set(serrate_module_dir ${CMAKE_CURRENT_BINARY_DIR})
  install(FILES ${serrate_module_dir}/_core.pyi DESTINATION serrate COMPONENT python)
  install(FILES ${serrate_module_dir}/vector/__init__.pyi DESTINATION serrate/vector COMPONENT python)
else()
  # Beside the package's .py files (git ignores it): python/ on the path is then all that an import needs.
  set(serrate_module_dir ${CMAKE_CURRENT_SOURCE_DIR}/python/serrate)
endif()
set_target_properties(_core PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${serrate_module_dir})

# What editors and type checkers read, from the module itself: it is imported for that.
file(GLOB serrate_package CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/python/serrate/*.py
  ${CMAKE_CURRENT_SOURCE_DIR}/python/serrate/vector/*.py)
add_custom_command(OUTPUT ${serrate_module_dir}/_core.pyi ${serrate_module_dir}/vector/__init__.pyi
  COMMAND ${Python_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/docs/make_stub.py $<TARGET_FILE:_core>
  DEPENDS _core docs/make_stub.py ${serrate_package} VERBATIM COMMENT "Writing _core.pyi, vector/__init__.pyi")
add_custom_target(_core_stub ALL DEPENDS ${serrate_module_dir}/_core.pyi)
