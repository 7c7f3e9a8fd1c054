// Lists of different lengths as one NumPy array: padded to the longest of each level.
#include <algorithm>
#include <cstring>

#include "common/checked.h"
#include "common/operands.h"
#include "core/unsigned_of_size.h"
#include "graph/limits.h"
#include "serrate/io.h"
#include "serrate/visit.h"

namespace serrate::python {
namespace {

/// The levels from the outermost items down to the numbers: shown where no list above is missing.
class Padded {
 public:
  Padded(const ArrayView& a, std::string_view pad, int64_t itemsize)
      : array_(a), pad_(pad), itemsize_(itemsize) {
    shape_.push_back(a.length);
    add_levels(a.item);
    measure(a.item, 1, a.first, a.length);
    strides_.assign(shape_.size(), itemsize);
    for (size_t k = shape_.size(); k-- > 1;)
      strides_[k - 1] = graph::items_of(strides_[k], shape_[k]);
    bytes_ = graph::items_of(strides_[0], shape_[0]);
  }
  const std::vector<int64_t>& shape() const { return shape_; }
  int64_t bytes() const { return bytes_; }
  void write(std::byte* to) const {
    if (bytes_ > 0) fill(array_.item, 1, array_.first, array_.length, to);
  }

 private:
  static const View& inside(const View& v) {
    return v.kind == ViewKind::option ? v.contents[0] : v;
  }
  static bool may_miss(const View& v) { return v.kind == ViewKind::option && v.valid; }

  void add_levels(const View& v) {
    const View& x = inside(v);
    if (x.kind == ViewKind::number || x.kind == ViewKind::unknown) return;
    check<TypeError>(x.kind == ViewKind::list,
                     "to_numpy: pad= is for numbers in lists, got an array of type '{}'",
                     array_.array.type().str());
    shape_.push_back(0);
    add_levels(x.contents[0]);
  }

  // The longest lists of the levels from `level` on, of n items from `first` on.
  void measure(const View& v, size_t level, int64_t first, int64_t n) {
    const View& x = inside(v);
    if (x.kind != ViewKind::list || n == 0) return;
    int64_t longest = shape_[level];
    const bool all = !may_miss(v);
    for (int64_t i = first; i < first + n; ++i) {
      if (all || v.is_valid(i)) longest = std::max(longest, end(x, i) - x.offset(i));
    }
    shape_[level] = longest;
    if (inside(x.contents[0]).kind != ViewKind::list) return;
    if (all) {
      measure(x.contents[0], level + 1, x.offset(first), end(x, first + n - 1) - x.offset(first));
      return;
    }
    for (int64_t i = first; i < first + n; ++i) {
      if (v.is_valid(i)) measure(x.contents[0], level + 1, x.offset(i), end(x, i) - x.offset(i));
    }
  }
  static int64_t end(const View& x, int64_t i) {
    return x.offset_width ? x.offset(i + 1) : x.offset(i) + x.size;
  }

  void fill(const View& v, size_t level, int64_t first, int64_t n, std::byte* to) const {
    const View& x = inside(v);
    if (x.kind == ViewKind::unknown) return put_pad(to, n);
    if (x.kind == ViewKind::number) return numbers(v, first, n, to);
    const int64_t stride = strides_[level - 1], inner = strides_[level];
    for (int64_t i = 0; i < n; ++i, to += stride) {
      int64_t m = 0;
      if (v.kind != ViewKind::option || v.is_valid(first + i)) {
        const int64_t begin = x.offset(first + i);
        m = end(x, first + i) - begin;
        fill(x.contents[0], level + 1, begin, m, to);
      }
      put_pad(to + m * inner, (shape_[level] - m) * (inner / itemsize_));
    }
  }
  void numbers(const View& v, int64_t first, int64_t n, std::byte* to) const {
    const auto* from = static_cast<const std::byte*>(inside(v).data) + first * itemsize_;
    if (n > 0) std::memcpy(to, from, static_cast<size_t>(n * itemsize_));
    if (!may_miss(v)) return;
    for (int64_t i = 0; i < n; ++i) {
      if (!v.is_valid(first + i)) std::memcpy(to + i * itemsize_, pad_.data(), pad_.size());
    }
  }
  void put_pad(std::byte* to, int64_t n) const {
    const auto by = [&]<class T>(T value) {
      std::memcpy(&value, pad_.data(), sizeof value);
      std::fill_n(reinterpret_cast<T*>(to), n, value);
    };
    if (itemsize_ <= 8) return with_unsigned(itemsize_, by);
    for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * itemsize_, pad_.data(), pad_.size());
  }

  const ArrayView& array_;
  std::string_view pad_;
  int64_t itemsize_;
  std::vector<int64_t> shape_, strides_;
  int64_t bytes_ = 0;
};

const View& innermost(const View& v) {
  const View* x = &v;
  while (x->kind == ViewKind::list || x->kind == ViewKind::option) x = &x->contents[0];
  return *x;
}

std::string dtype_text(const View& v) {
  if (v.kind != ViewKind::number) return "float64";
  return std::string(name(v.dtype)) + (v.unit.empty() ? "" : "[" + v.unit + "]");
}

}  // namespace

nb::object to_padded_numpy(const Array& a, nb::handle pad) {
  evaluate(a);
  ArrayView v = view(a);
  const View* leaf = &innermost(v.item);
  const nb::object own = numpy("dtype")(dtype_text(*leaf).c_str());
  const nb::object dtype = numpy("result_type")(own, pad);
  std::string unit;
  const DType type = dtype_of_numpy(dtype, &unit);
  check<TypeError>(leaf->kind == ViewKind::number || leaf->kind == ViewKind::unknown,
                   "to_numpy: pad= is for numbers in lists, got an array of type '{}'",
                   a.type().str());
  if (leaf->kind == ViewKind::number && (type != leaf->dtype || unit != leaf->unit)) {
    check<TypeError>(!is_time(type),
                     "to_numpy: {} does not hold the pad, which is a {}; values_astype first",
                     dtype_text(*leaf), nb::cast<std::string>(nb::str(dtype)));
    const Array wider = values_astype(a, type);
    evaluate(wider);
    v = view(wider);
  }
  const nb::object one = numpy("asarray")(pad, dtype);
  check<TypeError>(nb::cast<int>(nb::object(one.attr("ndim"))) == 0,
                   "to_numpy: pad must be one value");
  const auto bytes = nb::cast<nb::bytes>(nb::object(one.attr("tobytes")()));
  const Padded p(v, {bytes.c_str(), bytes.size()}, itemsize(type));
  nb::list shape;
  for (const int64_t n : p.shape()) shape.append(n);
  const nb::object out = numpy("empty")(nb::tuple(shape), dtype);
  const auto address = nb::cast<uintptr_t>(
      nb::object(nb::object(out.attr("__array_interface__")["data"])[nb::int_(0)]));
  without_lock([&] { p.write(reinterpret_cast<std::byte*>(address)); });
  return out;
}

}  // namespace serrate::python
