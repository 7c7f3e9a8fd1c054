# serrate_bench: all *_bench.cpp in one google-benchmark program.
find_package(benchmark REQUIRED)

if(serrate_bench_sources)
  add_executable(serrate_bench ${serrate_bench_sources})
  target_link_libraries(serrate_bench PRIVATE serrate serrate_options benchmark::benchmark_main)
endif()
