// Copies of strided boxes: see strided_box.h.
#include "cpu/lists/flat/strided_box.h"

#include <algorithm>

#include "core/unsigned_of_size.h"
#include "cpu/lists/flat/strided.h"

namespace serrate::cpu {
namespace {

/// Shorter rows are copied item by item: a call costs as much as so many.
constexpr int64_t kShort = 16;

template <class T>
class Copy {
 public:
  Copy(const StridedBox& of, void* out)
      : sizes_(of.sizes), strides_(of.strides), out_(static_cast<T*>(out)) {}

  void run(const T* from, size_t dimension) {
    if (sizes_.size() - dimension > 2) {
      for (int64_t i = 0; i < sizes_[dimension]; i++)
        run(from + i * strides_[dimension], dimension + 1);
    } else if (sizes_.size() - dimension == 2) {
      rows(from, sizes_[dimension], strides_[dimension], sizes_[dimension + 1],
           strides_[dimension + 1]);
    } else {
      row(from, dimension < sizes_.size() ? sizes_[dimension] : 1,
          dimension < sizes_.size() ? strides_[dimension] : 1);
    }
  }

 private:
  void rows(const T* from, int64_t rows, int64_t to_next, int64_t n, int64_t step) {
    if (n >= kShort) {
      for (int64_t i = 0; i < rows; i++) row(from + i * to_next, n, step);
      return;
    }
    for (int64_t i = 0; i < rows; i++, from += to_next)
      for (int64_t j = 0; j < n; j++) *out_++ = from[j * step];
  }

  void row(const T* from, int64_t n, int64_t step) {
    if (step == 1)
      std::copy_n(from, n, out_);
    else if (step == 0)
      std::fill_n(out_, n, *from);
    else
      copy_(sizeof(T), from, step, n, out_);
    out_ += n;
  }

  const std::span<const int64_t> sizes_;
  const int64_t* const strides_;
  T* out_;
  const CopyStrided copy_ = copy_strided();
};

}  // namespace

void copy_box(const StridedBox& of, void* out) {
  with_bytes(of.size,
             [&]<class T>(T) { Copy<T>(of, out).run(static_cast<const T*>(of.items), 0); });
}

}  // namespace serrate::cpu
