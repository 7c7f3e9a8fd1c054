// Tables of functions that are compiled once per instruction set, each into its own namespace.
#pragma once

#include "cpu/machine/isa.h"
#include "serrate/error.h"

/// m(isa, ...) of each.
#if defined(__x86_64__)
#define SERRATE_EACH_ISA(m, ...)                                            \
  m(baseline __VA_OPT__(, ) __VA_ARGS__) m(avx2 __VA_OPT__(, ) __VA_ARGS__) \
      m(avx512 __VA_OPT__(, ) __VA_ARGS__)
#else
#define SERRATE_EACH_ISA(m, ...) m(baseline __VA_OPT__(, ) __VA_ARGS__)
#endif

/// In a switch over an Isa, in a function that returns a reference: namespace::make(), made once.
#define SERRATE_RETURN_TABLE(isa, make)    \
  case Isa::isa: {                         \
    static const auto table = isa::make(); \
    return table;                          \
  }

/// In a function that returns a function: namespace::name of an Isa.
#define SERRATE_RETURN_FUNCTION(which, name)               \
  switch (which) {                                         \
    SERRATE_EACH_ISA(SERRATE_FUNCTION_CASE, name)          \
    default:                                               \
      throw ValueError(#name ": no such instruction set"); \
  }
#define SERRATE_FUNCTION_CASE(isa, name) \
  case Isa::isa:                         \
    return &isa::name;
