# Highway's vectorised quicksort (libhwy_contrib), which chooses its instruction set when it runs: Debian ships no
# CMake target for it. Gives Highway::sort where it is found; without it long lists are sorted digit by digit.
find_path(Highway_INCLUDE_DIR hwy/contrib/sort/vqsort.h)
find_library(Highway_LIBRARY NAMES hwy)
find_library(Highway_SORT_LIBRARY NAMES hwy_contrib)
mark_as_advanced(Highway_INCLUDE_DIR Highway_LIBRARY Highway_SORT_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Highway REQUIRED_VARS Highway_SORT_LIBRARY Highway_LIBRARY Highway_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "on Debian and Ubuntu: apt-get install libhwy-dev")

if(Highway_FOUND AND NOT TARGET Highway::sort)
  add_library(Highway::sort INTERFACE IMPORTED)
  set_target_properties(Highway::sort PROPERTIES
    INTERFACE_LINK_LIBRARIES "${Highway_SORT_LIBRARY};${Highway_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Highway_INCLUDE_DIR}")
endif()
