// Finding cuBLAS, and when to use it.
#include "cuda/runtime/matrices.h"

#include "core/seams.h"
#include "cuda/compiler/nvrtc.h"
#include "cuda/device.h"

namespace serrate::cuda {
namespace {

constexpr const char* kNames[] = {"libcublas.so.13", "libcublas.so.12"};

/// What the process has loaded comes first (a name without a folder), packages' and toolkits' next.
/// The first product looks for them.
const std::vector<std::string>& libraries() {
  static const auto& all = *[] {
    auto* const paths = new std::vector<std::string>(std::begin(kNames), std::end(kNames));
    for (const std::string& folder : nvidia_folders()) {
      for (const char* name : kNames) paths->push_back(folder + "/" + name);
    }
    return paths;
  }();
  return all;
}

}  // namespace

std::optional<Buffer> matrix_product(const graph::MatrixPair& of) {
  const double products = static_cast<double>(of.count) * static_cast<double>(of.rows) *
                          static_cast<double>(of.inner) * static_cast<double>(of.columns);
  if (of.columns <= 1 || of.conjugates || products <= static_cast<double>(seams().gpu_products))
    return {};
  void* p = nullptr;
  const Buffer out = allocate(of.count * of.rows * of.columns * itemsize(of.type), &p);
  const MatricesToMultiply m{of.type, of.left,  of.right,   p,
                             of.rows, of.inner, of.columns, of.count};
  if (!gpu().multiply(m, libraries())) return {};
  return out;
}

Buffer transposed(const graph::Matrices& of) {
  void* p = nullptr;
  const Buffer out = allocate(of.count * of.rows * of.columns * of.itemsize, &p);
  gpu().transpose({of.items, p, of.count, of.rows, of.columns, static_cast<int>(of.itemsize)});
  return out;
}

}  // namespace serrate::cuda
