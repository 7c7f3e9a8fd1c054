// Rectilinear arrays as NumPy arrays: copies, or views where the data are plain numbers.
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "common/checked.h"
#include "common/python.h"
#include "convert/numpy_text.h"
#include "core/host.h"
#include "graph/known.h"
#include "graph/materialise.h"
#include "interop/snapshot.h"
#include "serrate/io.h"
#include "serrate/visit.h"

namespace serrate::python {
namespace {

std::string numpy_dtype(DType t, const std::string& unit) {
  std::string s(name(t));
  if (is_time(t) && !unit.empty()) s += "[" + unit + "]";
  return s;
}

constexpr int64_t kLarge = int64_t{1} << 20;  // bytes whose copy lets other threads go on

nb::object bytes_at(const Buffer& b, bool writable) {
  auto* owner = new Buffer(b);
  nb::capsule capsule(owner, [](void* p) noexcept { delete static_cast<Buffer*>(p); });
  const size_t shape[] = {static_cast<size_t>(b.bytes())};
  auto* data = const_cast<std::byte*>(b.data());
  return writable ? nb::cast(nb::ndarray<nb::numpy, uint8_t>(data, 1, shape, capsule))
                  : nb::cast(nb::ndarray<nb::numpy, const uint8_t>(data, 1, shape, capsule));
}

class Rectilinear {
 public:
  Rectilinear(const ArrayView& a, bool allow_missing, Handed how)
      : array_(a), allow_missing_(allow_missing), how_(how) {}

  nb::object run() {
    return level(array_.item, array_.first, array_.length, {array_.length}, nb::none());
  }

 private:
  using Shape = std::vector<int64_t>;

  static nb::object shape_tuple(const Shape& shape) {
    nb::list l;
    for (const int64_t n : shape) l.append(n);
    return nb::tuple(l);
  }

  nb::object memory(const void* data, int64_t first, int64_t n, int64_t size, nb::handle dtype) {
    const auto* from = static_cast<const std::byte*>(data) + first * size;
    if (how_ == Handed::view) {
      const Buffer b(from, n * size, std::make_shared<Array>(array_.array));
      return bytes_at(b, false).attr("view")(dtype);
    }
    Buffer b;
    const auto copy = [&] { b = interop::snapshot(Buffer(from, n * size, nullptr)); };
    n* size >= kLarge ? without_lock(copy) : copy();
    return bytes_at(b, true).attr("view")(dtype);
  }

  // What is only looked at, to make another array of it.
  template <class F>
  auto looked_at(F&& f) {
    const Handed before = std::exchange(how_, Handed::view);
    auto out = f();
    how_ = before;
    return out;
  }

  // Items first .. first + n - 1 of a level, as an array of this shape; hidden: those missing.
  nb::object level(const View& v, int64_t first, int64_t n, Shape shape, nb::object hidden) {
    switch (v.kind) {
      case ViewKind::number: {
        const std::string type = numpy_dtype(v.dtype, v.unit);
        nb::object out = n == 0
                             ? nb::object(numpy("zeros")(0, type.c_str()))
                             : memory(v.data, first, n, itemsize(v.dtype), nb::str(type.c_str()));
        return finish(out, shape, hidden);
      }
      case ViewKind::string:
      case ViewKind::bytestring:
        return finish(numpy_text(v, first, n), shape, hidden);
      case ViewKind::list:
        return lists(v, first, n, std::move(shape), hidden);
      case ViewKind::option: {
        nb::object missing = numpy("zeros")(n, "bool");
        if (v.valid && n > 0)
          missing = numpy("logical_not")(
              looked_at([&] { return memory(v.valid, first, n, 1, nb::str("bool")); }));
        missing = missing.attr("reshape")(shape_tuple(shape));
        if (!allow_missing_)
          check<ValueError>(!nb::cast<bool>(nb::object(nb::bool_(missing.attr("any")()))),
                            "to_numpy: the array has missing values; allow_missing=True gives a "
                            "numpy.ma.MaskedArray");
        if (!hidden.is_none()) missing = numpy("logical_or")(missing, hidden);
        return level(v.contents[0], first, n, std::move(shape), missing);
      }
      case ViewKind::record:
      case ViewKind::tuple:
        return records(v, first, n, shape, hidden);
      case ViewKind::union_:
        return numbers_of_union(v, first, n, shape, hidden);
      case ViewKind::categorical: {
        nb::object index = numpy("empty")(n, "int64");
        for (int64_t i = 0; i < n; ++i) index[nb::int_(i)] = v.index(first + i);
        int64_t categories = 0;
        for (int64_t i = 0; i < n; ++i) categories = std::max(categories, v.index(first + i) + 1);
        const nb::object values = looked_at(
            [&] { return level(v.contents[0], 0, categories, {categories}, nb::none()); });
        return finish(values[index], shape, hidden);
      }
      case ViewKind::unknown:
        break;
    }
    return finish(numpy("zeros")(n), shape, hidden);
  }

  nb::object finish(nb::object flat, const Shape& shape, const nb::object& hidden) {
    nb::object out =
        shape.size() == 1 ? flat : nb::object(flat.attr("reshape")(shape_tuple(shape)));
    if (hidden.is_none() || !allow_missing_) return out;
    nb::object mask = hidden;
    // The mask of an outer level hides all that is inside.
    const auto depth = nb::cast<size_t>(nb::object(mask.attr("ndim")));
    for (size_t i = depth; i < shape.size(); ++i)
      mask = mask[nb::make_tuple(nb::ellipsis(), nb::none())];
    if (depth < shape.size()) mask = numpy("broadcast_to")(mask, shape_tuple(shape)).attr("copy")();
    return numpy("ma").attr("MaskedArray")(out, mask);
  }

  nb::object lists(const View& v, int64_t first, int64_t n, Shape shape, nb::object hidden) {
    int64_t size = v.offset_width ? 0 : v.size;
    int64_t begin = v.offset_width ? (n ? v.offset(first) : 0) : first * v.size;
    if (v.offset_width && n > 0) {
      // Under a missing list there is nothing to show: any length does.
      std::vector<bool> shown(static_cast<size_t>(n), true);
      if (!hidden.is_none()) {
        int64_t i = 0;
        for (nb::handle h : nb::object(hidden.attr("ravel")()))
          shown[static_cast<size_t>(i++)] = !nb::cast<bool>(nb::bool_(h));
      }
      size = -1;
      bool even = true;
      for (int64_t i = 0; i < n; ++i) {
        const int64_t other = v.offset(first + i + 1) - v.offset(first + i);
        if (size < 0 && shown[static_cast<size_t>(i)]) size = other;
        even = even && other == v.offset(first + 1) - v.offset(first);
        check<ValueError>(!shown[static_cast<size_t>(i)] || other == size,
                          "to_numpy: lists of different lengths ({} and {}) are not rectilinear; "
                          "try to_list, or pad_none with clip=True",
                          size, other);
      }
      size = std::max<int64_t>(size, 0);
      if (!even) return lists_shown(v, first, shown, size, shape, hidden);
    }
    shape.push_back(size);
    return level(v.contents[0], begin, n * size, std::move(shape), std::move(hidden));
  }

  /// Lists of this size where they are shown; any items stand for the others.
  nb::object lists_shown(const View& v, int64_t first, const std::vector<bool>& shown, int64_t size,
                         Shape shape, const nb::object& hidden) {
    const auto n = static_cast<int64_t>(shown.size());
    const int64_t begin = v.offset(first), total = v.offset(first + n) - begin;
    nb::list starts;
    for (int64_t i = 0; i < n; ++i)
      starts.append(shown[static_cast<size_t>(i)] ? v.offset(first + i) - begin : 0);
    const nb::object index = numpy("add").attr("outer")(numpy("array")(starts, "int64"),
                                                        numpy("arange")(std::min(size, total)));
    const nb::object items =
        looked_at([&] { return level(v.contents[0], begin, total, {total}, nb::none()); });
    const nb::object out = items[index];
    shape.push_back(size);
    for (nb::handle d : nb::object(
             nb::object(items.attr("shape"))[nb::slice(nb::int_(1), nb::none(), nb::none())]))
      shape.push_back(nb::cast<int64_t>(d));
    return finish(out, shape, hidden);
  }

  nb::object records(const View& v, int64_t first, int64_t n, const Shape& shape,
                     nb::object hidden) {
    nb::list dtype, parts;
    for (size_t k = 0; k < v.contents.size(); ++k) {
      nb::object part = looked_at([&] { return level(v.contents[k], first, n, {n}, nb::none()); });
      const std::string field = v.kind == ViewKind::tuple ? std::to_string(k) : v.names[k];
      const nb::object inner =
          nb::object(part.attr("shape"))[nb::slice(nb::int_(1), nb::none(), nb::none())];
      dtype.append(nb::make_tuple(field, part.attr("dtype"), inner));
      parts.append(part);
    }
    static const nb::handle masked = nb::object(numpy("ma").attr("MaskedArray")).release();
    bool missing = false;
    for (nb::handle part : parts) missing = missing || is_instance(part, masked);
    nb::object out = missing ? nb::object(numpy("ma").attr("zeros")(n, dtype))
                             : nb::object(numpy("empty")(n, dtype));
    for (size_t k = 0; k < v.contents.size(); ++k)
      out[nb::object(nb::object(dtype[k])[nb::int_(0)])] = nb::object(parts[k]);
    return finish(out, shape, hidden);
  }

  nb::object numbers_of_union(const View& v, int64_t first, int64_t n, const Shape& shape,
                              nb::object hidden) {
    nb::list types;
    for (const View& c : v.contents) {
      check<TypeError>(c.kind == ViewKind::number,
                       "to_numpy: a union of different types has no NumPy dtype");
      types.append(numpy("dtype")(numpy_dtype(c.dtype, c.unit).c_str()));
    }
    const auto has = [&](DType t) {
      return std::any_of(v.contents.begin(), v.contents.end(),
                         [t](const View& c) { return c.dtype == t; });
    };
    check<TypeError>(!has(DType::datetime64) || !has(DType::timedelta64),
                     "to_numpy: a union of times and time differences has no NumPy dtype");
    nb::object out = numpy("zeros")(n, numpy("result_type")(*nb::tuple(types)));
    const nb::object tags = looked_at([&] { return memory(v.tags, first, n, 1, nb::str("int8")); });
    for (size_t k = 0; k < v.contents.size(); ++k) {
      const nb::object here = tags.attr("__eq__")(k);
      const nb::object values =
          looked_at([&] { return level(v.contents[k], first, n, {n}, nb::none()); });
      out[here] = nb::object(values[here]);
    }
    return finish(out, shape, hidden);
  }

  const ArrayView& array_;
  bool allow_missing_;
  Handed how_;
};

}  // namespace

nb::object numpy_view(const Buffer& b, std::string_view dtype) {
  nb::object bytes = bytes_at(b, false);
  if (dtype == "uint8") return bytes;
  return bytes.attr("view")(nb::str(dtype.data(), dtype.size()));
}

nb::object typed_view(const Buffer& b, std::string_view dtype) {
  if (b.device() != Device::cuda) return numpy_view(b, dtype);
  std::string unit;
  const DType t = dtype_of_numpy(numpy("dtype")(nb::str(dtype.data(), dtype.size())), &unit);
  return wrap_array(from_strided(b, t, {b.bytes() / itemsize(t)}, {}, 0, unit));
}

/// Numbers that are a view of others, as NumPy has such, too; none of anything else.
static std::optional<nb::object> in_steps(const Array& a, Handed how) {
  const graph::NodeRef n = a.node();
  if (!graph::is_view(*n) || n->contents[0]->kind != graph::NodeKind::leaf || !is_computed(a))
    return {};
  const graph::Node& numbers = *n->contents[0];
  const graph::Column& c = *numbers.column;
  const graph::Line at = graph::line_of(*c.args[0]);
  if (!on_host(c.buffer) || n->space->size == 0 || at.step == 0) return {};
  const int64_t size = itemsize(c.dtype), last = at.at(n->space->size - 1);
  const int64_t first = std::min(at.first, last), items = std::abs(last - at.first) + 1;
  const nb::object all =
      numpy_view(c.buffer.slice(first * size, items * size), numpy_dtype(c.dtype, numbers.unit));
  const nb::object out = all[nb::slice(nb::int_(at.first - first), nb::none(), nb::int_(at.step))];
  return how == Handed::view ? out : nb::object(out.attr("copy")());
}

nb::object to_numpy(const Array& a, bool allow_missing, Handed how) {
  if (auto out = in_steps(a, how)) return *out;
  evaluate(a);
  const ArrayView v = view(a);
  if (v.is_scalar()) return numpy("asarray")(wrap(a));
  return Rectilinear(v, allow_missing, how).run();
}

}  // namespace serrate::python
