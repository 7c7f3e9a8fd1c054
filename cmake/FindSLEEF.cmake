# SLEEF, the SIMD maths library: Debian ships no CMake package for it. Gives SLEEF::sleef. A wheel takes the static
# library where there is one.
find_path(SLEEF_INCLUDE_DIR sleef.h)
if(SKBUILD)
  find_library(SLEEF_LIBRARY NAMES libsleef.a sleef)
else()
  find_library(SLEEF_LIBRARY NAMES sleef)
endif()
mark_as_advanced(SLEEF_INCLUDE_DIR SLEEF_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SLEEF REQUIRED_VARS SLEEF_LIBRARY SLEEF_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "on Debian and Ubuntu: apt-get install libsleef-dev")

if(SLEEF_FOUND AND NOT TARGET SLEEF::sleef)
  add_library(SLEEF::sleef UNKNOWN IMPORTED)
  set_target_properties(SLEEF::sleef PROPERTIES
    IMPORTED_LOCATION "${SLEEF_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${SLEEF_INCLUDE_DIR}")
endif()
