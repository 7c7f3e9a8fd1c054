// The instruction sets the CPU kernels are compiled for, and the one used on this machine.
#pragma once

#include <cstdint>
#include <string_view>

namespace serrate::cpu {

/// Each kernel file of src/cpu/isa is compiled once per instruction set, into a namespace of that
/// name.
enum class Isa : uint8_t { baseline, avx2, avx512 };
inline constexpr int kIsaCount = 3;

/// "baseline", "avx2" or "avx512".
std::string_view name(Isa isa);

/// True when kernels for `isa` were compiled and this CPU (and operating system) can run them.
bool isa_available(Isa isa);

/// The fastest available instruction set, or the one named by the environment variable SERRATE_ISA,
/// read once. Throws ValueError when that name is unknown or not available here.
Isa best_isa();

/// AMD's first CPUs with AVX-512 (Zen 4) take over a hundred cycles to store a compressed vector of
/// 16 items.
bool has_slow_compressing_stores();
/// Intel's CPUs with FP16 arithmetic (from Sapphire Rapids on) gather a register in about as many
/// cycles as it has items. Microcode made it far slower on most before (Gather Data Sampling).
bool has_fast_gathers();
/// Registers of items of 16 bits can be compressed (AVX-512 VBMI2).
bool compresses_16_bits();

/// Programs leave the upper halves of vector registers as they are. To code of others that is not
/// compiled for vectors (the C library's) that is up to ten times slower, so it is asked for
/// before.
void clear_upper_halves();

}  // namespace serrate::cpu
