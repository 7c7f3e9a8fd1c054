// The operations on float16 that are not float32's rounded: neighbours in its own grid of numbers.
#include <cmath>
#include <cstdint>
#include <cstring>

#include "cpu/program/kernels.h"

namespace serrate::cpu {

namespace {

#include "cpu/program/half.h"

using LoopFn = void (*)(const Instruction*, char* const*);

Half next_after(Half x, Half y) {
  const float fx = to_float(x), fy = to_float(y);
  if (std::isnan(fx)) return x;
  if (std::isnan(fy)) return y;
  if (fx == fy) return y;  // as C has it, and NumPy from 2.5 on
  if (fx == 0) return {static_cast<uint16_t>(fy < 0 ? 0x8001 : 1)};
  const bool grows = (fy > fx) == (fx > 0);
  return {static_cast<uint16_t>(x.bits + (grows ? 1 : -1))};
}

// As NumPy's: inf and NaN give NaN; the last finite numbers give infinity.
Half spacing(Half x) {
  const float f = to_float(x);
  if (!std::isfinite(f)) return {0x7e00};
  if (f == 0) return {1};
  const Half away{static_cast<uint16_t>(x.bits + 1)};
  return to_half(to_float(away) - f);
}

void nextafter_step(const Instruction* ip, char* const* mem) {
  const Half *x = reinterpret_cast<const Half*>(mem[ip->a]),
             *y = reinterpret_cast<const Half*>(mem[ip->b]);
  Half* out = reinterpret_cast<Half*>(mem[ip->out]);
  for (int i = 0; i < ip->items; i++) out[i] = next_after(x[i], y[i]);
  return reinterpret_cast<LoopFn>(ip[1].run)(ip + 1, mem);
}
void spacing_step(const Instruction* ip, char* const* mem) {
  const Half* x = reinterpret_cast<const Half*>(mem[ip->a]);
  Half* out = reinterpret_cast<Half*>(mem[ip->out]);
  for (int i = 0; i < ip->items; i++) out[i] = spacing(x[i]);
  return reinterpret_cast<LoopFn>(ip[1].run)(ip + 1, mem);
}

}  // namespace

Step half_loop(Op op) {
  if (op == Op::nextafter) return reinterpret_cast<Step>(&nextafter_step);
  if (op == Op::spacing) return reinterpret_cast<Step>(&spacing_step);
  return nullptr;
}

}  // namespace serrate::cpu
