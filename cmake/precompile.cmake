# serrate_precompile(TARGET [HEADER...]): headers of the standard library, of fmt and those named are parsed once for
# all files of a target: a second of each file's two or three. None of ours: they change.
function(serrate_precompile target)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  target_precompile_headers(${target} PRIVATE
    ${ARGN} <fmt/format.h> <algorithm> <array> <atomic> <cmath> <complex> <cstdint> <cstring> <functional> <limits>
    <map> <memory> <mutex> <numeric> <optional> <span> <string> <string_view> <tuple> <unordered_map> <unordered_set>
    <utility> <variant> <vector>)
  # GCC forgets that these are system headers: it warns of their macros (offsetof), and GCC 12 of copies inside
  # std::string + that cannot be.
  target_compile_options(${target} PRIVATE -Wno-invalid-offsetof
    "$<$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>:-Wno-stringop-overflow;-Wno-array-bounds>")
  # Without it ccache does not see what a precompiled header was made of.
  target_compile_options(${target} PRIVATE -fpch-preprocess)
endfunction()
