# simdjson, which chooses its instruction set when it runs. Gives Simdjson::simdjson where it is found; without it the
# tokens of JSON are found byte by byte. (Debian's own CMake files name a folder that is not there.)
find_path(Simdjson_INCLUDE_DIR simdjson.h)
find_library(Simdjson_LIBRARY NAMES simdjson)
mark_as_advanced(Simdjson_INCLUDE_DIR Simdjson_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Simdjson REQUIRED_VARS Simdjson_LIBRARY Simdjson_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "on Debian and Ubuntu: apt-get install libsimdjson-dev")

if(Simdjson_FOUND AND NOT TARGET Simdjson::simdjson)
  add_library(Simdjson::simdjson INTERFACE IMPORTED)
  set_target_properties(Simdjson::simdjson PROPERTIES
    INTERFACE_LINK_LIBRARIES "${Simdjson_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Simdjson_INCLUDE_DIR}")
endif()
