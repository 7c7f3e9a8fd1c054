// Choice of the instruction set at run time.
#include <cstdlib>

#include "cpu/kernels.h"
#include "serrate/error.h"

namespace serrate::cpu {

namespace baseline {
extern const Steps steps;
}
#if defined(__x86_64__)
namespace avx2 {
extern const Steps steps;
}
namespace avx512 {
extern const Steps steps;
}
#endif

std::string_view name(Isa isa) {
  constexpr std::string_view names[] = {"baseline", "avx2", "avx512"};
  return names[static_cast<int>(isa)];
}

bool available(Isa isa) {
  if (isa == Isa::baseline) return true;
#if defined(__x86_64__)
  if (isa == Isa::avx2)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi2");
  return available(Isa::avx2) && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

Isa best_isa() {
  static const Isa best = [] {
    constexpr Isa all[] = {Isa::avx512, Isa::avx2, Isa::baseline};
    const char* wanted = std::getenv("SERRATE_ISA");
    if (wanted == nullptr || *wanted == '\0') {
      for (Isa isa : all)
        if (available(isa)) return isa;
    } else {
      for (Isa isa : all)
        if (name(isa) == wanted) {
          check(available(isa), "SERRATE_ISA={}: this CPU or this build does not have it", wanted);
          return isa;
        }
      check(false, "SERRATE_ISA={}: expected baseline, avx2 or avx512", wanted);
    }
    return Isa::baseline;
  }();
  return best;
}

const Steps& steps([[maybe_unused]] Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::avx512) return avx512::steps;
  if (isa == Isa::avx2) return avx2::steps;
#endif
  return baseline::steps;
}

}  // namespace serrate::cpu
