# libserrate_cuda.so: the plug-in that is opened at the first use of a GPU. Static CUDA run time, no symbol of ours
# but its entry, nothing of CUDA needed to load the library itself.
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  if(SERRATE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "SERRATE_CUDA=ON needs nvcc: put it on the PATH, or set CUDACXX or CMAKE_CUDA_COMPILER")
  endif()
  message(STATUS "No CUDA compiler: the plug-in for GPUs is not built")
  return()
endif()

set(SERRATE_CUDA_ARCHITECTURES "75-real;80-real;89-real;90-real;100-real;120" CACHE STRING
  "GPUs that the plug-in's own kernels are built for; the last one's PTX serves newer ones")
set(CMAKE_CUDA_ARCHITECTURES ${SERRATE_CUDA_ARCHITECTURES})
set(CMAKE_CUDA_STANDARD 17)
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
if(CCACHE_PROGRAM AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

file(GLOB serrate_cuda_sources CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_SOURCE_DIR}/src/cuda/plugin/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/src/cuda/plugin/*.cu)
add_library(serrate_cuda MODULE ${serrate_cuda_sources})
target_include_directories(serrate_cuda PRIVATE include src)
target_compile_options(serrate_cuda PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra>)
target_link_libraries(serrate_cuda PRIVATE fmt::fmt-header-only CUDA::cudart_static)
target_link_options(serrate_cuda PRIVATE LINKER:--no-undefined,--exclude-libs,ALL)
set_target_properties(serrate_cuda PROPERTIES
  CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)

if(SKBUILD)
  install(TARGETS serrate_cuda LIBRARY DESTINATION serrate COMPONENT python)
else()
  install(TARGETS serrate_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  if(SERRATE_BUILD_PYTHON)
    # Beside the Python module too, which looks for it there.
    add_custom_command(TARGET serrate_cuda POST_BUILD COMMAND
      ${CMAKE_COMMAND} -E copy_if_different $<TARGET_FILE:serrate_cuda> ${CMAKE_CURRENT_SOURCE_DIR}/python/serrate/)
  endif()
endif()
