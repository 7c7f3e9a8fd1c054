// Finding a BLAS at run time. Its C interface comes with sizes of 32 or 64 bits, the latter under
// other names.
#include "cpu/machine/blas.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <climits>
#include <string>
#include <string_view>

namespace serrate::cpu {
namespace {

// Of cblas.h.
constexpr int kRowMajor = 101, kNoTranspose = 111;

/// Functions of all types have the same form, but for factors, which complex ones take by address.
template <class Int, class Factor>
using Gemm = void (*)(int order, int transpose_left, int transpose_right, Int rows, Int columns,
                      Int inner, Factor alpha, const void* left, Int left_width, const void* right,
                      Int right_width, Factor beta, void* out, Int out_width);

/// Sums of products: real ones come back, complex ones are written.
template <class Int, class T>
using Dot = T (*)(Int n, const void* left, Int left_step, const void* right, Int right_step);
template <class Int>
using DotInto = void (*)(Int n, const void* left, Int left_step, const void* right, Int right_step,
                         void* out);

/// A function of each type.
struct OfTypes {
  void* float32 = nullptr;
  void* float64 = nullptr;
  void* complex64 = nullptr;
  void* complex128 = nullptr;

  bool has_all() const { return float32 && float64 && complex64 && complex128; }
};

/// The functions of a library, whose sizes are `wide` or int. Those that conjugate do so on the
/// left.
struct Blas {
  bool wide = false;
  OfTypes products, dots, conjugating;
};

/// How libraries that have sizes of 64 bits name these functions, and the others.
struct Names {
  const char *before, *after;
  bool wide;
};
constexpr Names kNames[] = {{"scipy_cblas_", "64_", true},
                            {"cblas_", "64_", true},
                            {"scipy_cblas_", "", false},
                            {"cblas_", "", false}};

const Blas* functions_of(void* library) {
  for (const Names& n : kNames) {
    const auto find = [&](const char* name) {
      return dlsym(library, (std::string(n.before) + name + n.after).c_str());
    };
    const OfTypes products = {find("sgemm"), find("dgemm"), find("cgemm"), find("zgemm")};
    void *single = find("sdot"), *wide = find("ddot");
    const Blas found{n.wide,
                     products,
                     {single, wide, find("cdotu_sub"), find("zdotu_sub")},
                     {single, wide, find("cdotc_sub"), find("zdotc_sub")}};
    if (found.products.has_all() && found.dots.has_all() && found.conjugating.has_all())
      return new Blas(found);  // as the library, it stays
  }
  return nullptr;
}

/// One that the process has loaded.
void* loaded_library() {
  std::string path;
  const auto look = [](dl_phdr_info* info, size_t, void* found) {
    const std::string_view name = info->dlpi_name;
    if (name.find("openblas") == std::string_view::npos) return 0;
    *static_cast<std::string*>(found) = name;
    return 1;
  };
  dl_iterate_phdr(look, &path);
  return path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
}

const Blas* find_blas() {
  if (void* library = loaded_library())
    if (const Blas* found = functions_of(library)) return found;
  for (const char* name : {"libopenblas.so.0", "libblas.so.3"})
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
      if (const Blas* found = functions_of(library)) return found;
  return nullptr;
}

/// Looked for once; two threads that do so at the same time find the same.
const Blas* blas() {
  static std::atomic<const Blas*> known = nullptr;
  static std::atomic<bool> looked = false;
  if (!looked) {
    known = find_blas();
    looked = true;
  }
  return known;
}

struct Shape {
  int64_t rows, columns, inner;
  const void *left, *right;
  void* out;
};

template <class Int, class Factor>
void call(void* function, const Shape& s, Factor one, Factor zero) {
  const auto rows = static_cast<Int>(s.rows), columns = static_cast<Int>(s.columns),
             inner = static_cast<Int>(s.inner);
  reinterpret_cast<Gemm<Int, Factor>>(function)(kRowMajor, kNoTranspose, kNoTranspose, rows,
                                                columns, inner, one, s.left, inner, s.right,
                                                columns, zero, s.out, columns);
}

template <class Int>
bool multiply(const Blas& b, DType t, const Shape& s) {
  const float ones[2] = {1, 0}, zeros[2] = {0, 0};
  const double wide_ones[2] = {1, 0}, wide_zeros[2] = {0, 0};
  switch (t) {
    case DType::float32:
      return call<Int>(b.products.float32, s, 1.0F, 0.0F), true;
    case DType::float64:
      return call<Int>(b.products.float64, s, 1.0, 0.0), true;
    case DType::complex64:
      return call<Int, const void*>(b.products.complex64, s, ones, zeros), true;
    case DType::complex128:
      return call<Int, const void*>(b.products.complex128, s, wide_ones, wide_zeros), true;
    default:
      return false;
  }
}

template <class Int>
bool dot(const OfTypes& functions, DType t, Int n, const void* left, const void* right, void* out) {
  const auto real = [&]<class T>(T, void* function) {
    *static_cast<T*>(out) = reinterpret_cast<Dot<Int, T>>(function)(n, left, 1, right, 1);
    return true;
  };
  const auto complex = [&](void* function) {
    reinterpret_cast<DotInto<Int>>(function)(n, left, 1, right, 1, out);
    return true;
  };
  switch (t) {
    case DType::float32:
      return real(0.0F, functions.float32);
    case DType::float64:
      return real(0.0, functions.float64);
    case DType::complex64:
      return complex(functions.complex64);
    case DType::complex128:
      return complex(functions.complex128);
    default:
      return false;
  }
}

}  // namespace

bool multiply_matrices(DType t, int64_t rows, int64_t columns, int64_t inner, const void* left,
                       const void* right, void* out) {
  const Blas* const b = blas();
  if (b == nullptr) return false;
  const Shape s{rows, columns, inner, left, right, out};
  if (b->wide) return multiply<int64_t>(*b, t, s);
  if (rows > INT_MAX || columns > INT_MAX || inner > INT_MAX) return false;
  return multiply<int>(*b, t, s);
}

bool dot_vectors(DType t, int64_t n, const void* left, const void* right, bool conjugates,
                 void* out) {
  const Blas* const b = blas();
  if (b == nullptr) return false;
  const OfTypes& functions = conjugates ? b->conjugating : b->dots;
  if (b->wide) return dot<int64_t>(functions, t, n, left, right, out);
  return n <= INT_MAX && dot<int>(functions, t, static_cast<int>(n), left, right, out);
}

}  // namespace serrate::cpu
