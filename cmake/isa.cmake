# src/cpu/isa/*.cpp, once per instruction set, each time in namespace serrate::cpu::SERRATE_ISA.
# These are the inner loops: always optimised (their tail calls need it) and never under a sanitizer.
set(serrate_isas baseline)
set(serrate_flags_baseline "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  list(APPEND serrate_isas avx2 avx512)
  set(serrate_flags_avx2 -mavx2 -mfma -mf16c -mbmi2)
  set(serrate_flags_avx512 ${serrate_flags_avx2}
    -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512)
endif()

# Loops over maths functions have several registers under way: their steps take turns, but for as many as there are
# registers for.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set_source_files_properties(src/cpu/isa/flat/float16.cpp src/cpu/isa/flat/float32.cpp
    src/cpu/isa/flat/float64.cpp PROPERTIES COMPILE_OPTIONS "-fschedule-insns;-fsched-pressure")
endif()

set(serrate_isa_objects "")
if(serrate_isa_sources)
  foreach(isa ${serrate_isas})
    add_library(serrate_isa_${isa} OBJECT ${serrate_isa_sources})
    target_compile_definitions(serrate_isa_${isa} PRIVATE SERRATE_ISA=${isa})
    target_compile_options(serrate_isa_${isa} PRIVATE
      $<IF:$<CONFIG:Debug>,-O2,-O3> -fno-math-errno -fno-trapping-math ${serrate_flags_${isa}})
    target_link_libraries(serrate_isa_${isa} PRIVATE serrate_options)
    list(APPEND serrate_isa_objects $<TARGET_OBJECTS:serrate_isa_${isa}>)
  endforeach()
endif()
