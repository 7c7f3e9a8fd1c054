// Products of matrices by cuBLAS, which is opened when the first one is asked for.
#include <dlfcn.h>

#include <algorithm>
#include <climits>

#include "cuda/plugin/gpu.h"

namespace serrate::cuda {
namespace {

// Of cublas_v2.h, which a machine without a toolkit does not have.
using Handle = struct cublasContext*;
using Create = int (*)(Handle*);
using SetStream = int (*)(Handle, cudaStream_t);
constexpr int kSuccess = 0, kNoTranspose = 0;
/// Matrices column by column; factors and matrices of all types are pointers.
using Gemm = int (*)(Handle, int transpose_a, int transpose_b, int m, int n, int k,
                     const void* alpha, const void* a, int a_rows, const void* b, int b_rows,
                     const void* beta, void* c, int c_rows);
using GemmStridedBatched = int (*)(Handle, int transpose_a, int transpose_b, int m, int n, int k,
                                   const void* alpha, const void* a, int a_rows, long long a_stride,
                                   const void* b, int b_rows, long long b_stride, const void* beta,
                                   void* c, int c_rows, long long c_stride, int count);

struct Functions {
  Gemm one = nullptr;
  GemmStridedBatched many = nullptr;
};

constexpr DType kTypes[] = {DType::float32, DType::float64, DType::complex64, DType::complex128};
constexpr const char* kLetters[] = {"S", "D", "C", "Z"};

template <class F>
bool find(void* library, const std::string& name, F& f) {
  f = reinterpret_cast<F>(dlsym(library, name.c_str()));
  return f != nullptr;
}

}  // namespace

struct Gpu::Blas {
  Handle handle = nullptr;
  SetStream set_stream = nullptr;
  cudaStream_t stream = nullptr;  // CUDA's own is a new handle's
  Functions functions[4];         // of kTypes
};

Gpu::Blas* Gpu::open_blas(const std::vector<std::string>& libraries) {
  void* library = nullptr;
  for (const std::string& path : libraries) {
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
  }
  if (library == nullptr) return nullptr;
  auto found = std::make_unique<Blas>();
  Create create = nullptr;
  bool all = find(library, "cublasCreate_v2", create) &&
             find(library, "cublasSetStream_v2", found->set_stream);
  for (size_t i = 0; i < std::size(kTypes); ++i) {
    const std::string name = std::string("cublas") + kLetters[i] + "gemm";
    Functions& f = found->functions[i];
    all =
        all && find(library, name + "_v2", f.one) && find(library, name + "StridedBatched", f.many);
  }
  if (!all || create(&found->handle) != kSuccess) return nullptr;
  return found.release();
}

bool Gpu::multiply(const MatricesToMultiply& m, const std::vector<std::string>& libraries) {
  const auto* type = std::find(std::begin(kTypes), std::end(kTypes), m.dtype);
  if (type == std::end(kTypes) || std::max({m.rows, m.inner, m.columns, m.count}) > INT_MAX ||
      std::min({m.rows, m.inner, m.columns, m.count}) <= 0)
    return false;
  const Submission s(*this);
  const std::lock_guard hold(blas_mutex_);  // a handle is of one thread at a time
  if (!looked_for_blas_) {
    blas_ = open_blas(libraries);
    looked_for_blas_ = true;
  }
  if (blas_ == nullptr) return false;
  if (blas_->stream != s.stream()) {  // setting it prepares memory again
    if (blas_->set_stream(blas_->handle, s.stream()) != kSuccess) return false;
    blas_->stream = s.stream();
  }
  // Numbers and pairs of numbers whose first one is real.
  const float ones[2] = {1, 0}, zeros[2] = {0, 0};
  const double wide_ones[2] = {1, 0}, wide_zeros[2] = {0, 0};
  const bool is_wide = m.dtype == DType::float64 || m.dtype == DType::complex128;
  const void* const one = is_wide ? static_cast<const void*>(wide_ones) : ones;
  const void* const zero = is_wide ? static_cast<const void*>(wide_zeros) : zeros;
  // What lies row by row is the transposed matrix to cuBLAS: (x y)' = y' x'.
  const auto rows = static_cast<int>(m.rows), inner = static_cast<int>(m.inner),
             columns = static_cast<int>(m.columns);
  const Functions& f = blas_->functions[type - kTypes];
  if (m.count == 1)
    return f.one(blas_->handle, kNoTranspose, kNoTranspose, columns, rows, inner, one, m.right,
                 columns, m.left, inner, zero, m.out, columns) == kSuccess;
  return f.many(blas_->handle, kNoTranspose, kNoTranspose, columns, rows, inner, one, m.right,
                columns, m.inner * m.columns, m.left, inner, m.rows * m.inner, zero, m.out, columns,
                m.rows * m.columns, static_cast<int>(m.count)) == kSuccess;
}

}  // namespace serrate::cuda
