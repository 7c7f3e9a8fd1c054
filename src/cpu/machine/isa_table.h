// Tables of functions that are compiled once per instruction set, each into its own namespace.
#pragma once

#include "cpu/machine/isa.h"

#if defined(__x86_64__)
#define SERRATE_EACH_ISA(m) m(baseline) m(avx2) m(avx512)
#else
#define SERRATE_EACH_ISA(m) m(baseline)
#endif

/// In a switch over an Isa, in a function that returns a reference: namespace::make(), made once.
#define SERRATE_RETURN_TABLE(isa, make)    \
  case Isa::isa: {                         \
    static const auto table = isa::make(); \
    return table;                          \
  }
