# One libFuzzer program per *_fuzz.cpp, in bin.
foreach(source ${serrate_fuzz_sources})
  get_filename_component(program ${source} NAME_WE)
  add_executable(${program} ${source})
  target_link_libraries(${program} PRIVATE serrate serrate_options serrate_sanitize)
  target_link_options(${program} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/bin)
endforeach()
