// Finds out what the CPU can run, and lets SERRATE_ISA force a choice.
#include "cpu/machine/isa.h"

#include <cstdlib>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "serrate/error.h"

namespace serrate::cpu {

std::string_view name(Isa isa) {
  constexpr std::string_view names[] = {"baseline", "avx2", "avx512"};
  return names[static_cast<int>(isa)];
}

bool isa_available(Isa isa) {
#if defined(__x86_64__)
  // These ask for the registers to be saved by the operating system too.
  __builtin_cpu_init();
  // Clang has no name for F16C before version 19. Asked once: a virtual machine takes the time of
  // many programs for it.
  static const bool f16c = [] {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
  }();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi2") && f16c;
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return isa == Isa::baseline || (isa == Isa::avx2 && avx2) ||
         (isa == Isa::avx512 && avx2 && avx512);
#else
  return isa == Isa::baseline;
#endif
}

static Isa choose() {
  if (const char* forced = std::getenv("SERRATE_ISA"); forced && *forced) {
    for (int i = 0; i < kIsaCount; i++) {
      const Isa isa = static_cast<Isa>(i);
      if (name(isa) != forced) continue;
      check<ValueError>(isa_available(isa), "SERRATE_ISA={}: not available on this CPU", forced);
      return isa;
    }
    throw ValueError(fmt::format("SERRATE_ISA={}: expected baseline, avx2 or avx512", forced));
  }
  for (Isa isa : {Isa::avx512, Isa::avx2})
    if (isa_available(isa)) return isa;
  return Isa::baseline;
}

Isa best_isa() {
  static const Isa isa = choose();
  return isa;
}

bool has_slow_compressing_stores() {
#if defined(__x86_64__)
  static const bool slow = isa_available(Isa::avx512) && __builtin_cpu_is("amdfam19h");
  return slow;
#else
  return false;
#endif
}

bool has_fast_gathers() {
#if defined(__x86_64__)
  static const bool fast = [] {
    unsigned a = 0, b = 0, c = 0, d = 0;
    constexpr unsigned kFp16 = 1u << 23;  // older compilers have no name for it
    return isa_available(Isa::avx512) && __builtin_cpu_is("intel") &&
           __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & kFp16) != 0;
  }();
  return fast;
#else
  return false;
#endif
}

bool compresses_16_bits() {
#if defined(__x86_64__)
  static const bool can = isa_available(Isa::avx512) && __builtin_cpu_supports("avx512vbmi2");
  return can;
#else
  return false;
#endif
}

#if defined(__x86_64__)
__attribute__((target("avx"))) static void zero_upper_halves() { __builtin_ia32_vzeroupper(); }

void clear_upper_halves() {
  if (best_isa() != Isa::baseline) zero_upper_halves();
}
#else
void clear_upper_halves() {}
#endif

}  // namespace serrate::cpu
