// The host's functions that CUDA has by the same names, for numbers of 64 and 32 bits.
#pragma once

using size_t = decltype(sizeof 0);

extern "C" void* memcpy(void*, const void*, size_t);
extern "C" void* memset(void*, int, size_t);
extern "C" int memcmp(const void*, const void*, size_t);

#define NAN __builtin_nanf("")
#define INFINITY __builtin_inff()

#define SERRATE_FUNCTION_OF_1(name) \
  extern "C" double name(double);   \
  extern "C" float name##f(float);  \
  inline float name(float x) { return name##f(x); }
#define SERRATE_FUNCTION_OF_2(name)       \
  extern "C" double name(double, double); \
  extern "C" float name##f(float, float); \
  inline float name(float x, float y) { return name##f(x, y); }
#define SERRATE_QUESTION(name)                               \
  inline bool name(double x) { return __builtin_##name(x); } \
  inline bool name(float x) { return __builtin_##name(x); }

SERRATE_FUNCTION_OF_1(acos)
SERRATE_FUNCTION_OF_1(acosh)
SERRATE_FUNCTION_OF_1(asin)
SERRATE_FUNCTION_OF_1(asinh)
SERRATE_FUNCTION_OF_1(atan)
SERRATE_FUNCTION_OF_1(atanh)
SERRATE_FUNCTION_OF_1(cbrt)
SERRATE_FUNCTION_OF_1(ceil)
SERRATE_FUNCTION_OF_1(cos)
SERRATE_FUNCTION_OF_1(cosh)
SERRATE_FUNCTION_OF_1(erf)
SERRATE_FUNCTION_OF_1(erfc)
SERRATE_FUNCTION_OF_1(exp)
SERRATE_FUNCTION_OF_1(exp2)
SERRATE_FUNCTION_OF_1(expm1)
SERRATE_FUNCTION_OF_1(fabs)
SERRATE_FUNCTION_OF_1(floor)
SERRATE_FUNCTION_OF_1(j0)
SERRATE_FUNCTION_OF_1(j1)
SERRATE_FUNCTION_OF_1(lgamma)
SERRATE_FUNCTION_OF_1(log)
SERRATE_FUNCTION_OF_1(log10)
SERRATE_FUNCTION_OF_1(log1p)
SERRATE_FUNCTION_OF_1(log2)
SERRATE_FUNCTION_OF_1(logb)
SERRATE_FUNCTION_OF_1(nearbyint)
SERRATE_FUNCTION_OF_1(rint)
SERRATE_FUNCTION_OF_1(round)
SERRATE_FUNCTION_OF_1(sin)
SERRATE_FUNCTION_OF_1(sinh)
SERRATE_FUNCTION_OF_1(sqrt)
SERRATE_FUNCTION_OF_1(tan)
SERRATE_FUNCTION_OF_1(tanh)
SERRATE_FUNCTION_OF_1(tgamma)
SERRATE_FUNCTION_OF_1(trunc)
SERRATE_FUNCTION_OF_1(y0)
SERRATE_FUNCTION_OF_1(y1)
SERRATE_FUNCTION_OF_2(atan2)
SERRATE_FUNCTION_OF_2(copysign)
SERRATE_FUNCTION_OF_2(fdim)
SERRATE_FUNCTION_OF_2(fmax)
SERRATE_FUNCTION_OF_2(fmin)
SERRATE_FUNCTION_OF_2(fmod)
SERRATE_FUNCTION_OF_2(hypot)
SERRATE_FUNCTION_OF_2(nextafter)
SERRATE_FUNCTION_OF_2(pow)
SERRATE_FUNCTION_OF_2(remainder)
SERRATE_QUESTION(isfinite)
SERRATE_QUESTION(isinf)
SERRATE_QUESTION(isnan)
SERRATE_QUESTION(signbit)

extern "C" double fma(double, double, double);
extern "C" float fmaf(float, float, float);
inline float fma(float x, float y, float z) { return fmaf(x, y, z); }

extern "C" double ldexp(double, int);
extern "C" float ldexpf(float, int);
inline float ldexp(float x, int y) { return ldexpf(x, y); }
extern "C" double scalbn(double, int);
extern "C" float scalbnf(float, int);
inline float scalbn(float x, int y) { return scalbnf(x, y); }
extern "C" double frexp(double, int*);
extern "C" float frexpf(float, int*);
inline float frexp(float x, int* y) { return frexpf(x, y); }
extern "C" double modf(double, double*);
extern "C" float modff(float, float*);
inline float modf(float x, float* y) { return modff(x, y); }

inline int abs(int x) { return x < 0 ? -x : x; }
inline long long abs(long long x) { return x < 0 ? -x : x; }
inline double abs(double x) { return fabs(x); }
inline float abs(float x) { return fabsf(x); }

#undef SERRATE_FUNCTION_OF_1
#undef SERRATE_FUNCTION_OF_2
#undef SERRATE_QUESTION
