// Reading values one by one: a plain view of an evaluated array, and a walk that makes nested lists
// of anything (Python objects, text, JSON) from it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "serrate/array.h"

namespace serrate {

/// What one level of a view holds.
enum class ViewKind : uint8_t {
  number,       // data: items of dtype
  string,       // text of bytes data[offset(i)] .. data[offset(i + 1)], UTF-8
  bytestring,   // bytes, as string
  list,         // items offset(i) .. offset(i + 1) of contents[0]
  option,       // contents[0] at i where valid(i)
  record,       // names and contents at i
  tuple,        // contents at i
  union_,       // contents[tag(i)] at i
  categorical,  // contents[0] at index(i)
  unknown       // no values
};

/// One level of an evaluated array as bare pointers; positions are those of the buffers. Valid as
/// long as the ArrayView or the Array it came from.
struct View {
  ViewKind kind = ViewKind::unknown;
  DType dtype = DType::int64;      // number; of the index of categoricals
  uint8_t offset_width = 0;        // bytes of an offset: 4, 8 (signed), 5 (uint32), 0: i * size
  int64_t size = 0;                // list, string: fixed size where offset_width is 0
  const void* data = nullptr;      // number, string, index of categoricals
  const void* offsets = nullptr;   // list, string
  const uint8_t* valid = nullptr;  // option; null: all valid
  const int8_t* tags = nullptr;    // union
  std::vector<std::string> names;  // record
  std::vector<View> contents;
  std::string unit;            // times: "s", "10us" ...
  std::string record_name;     // record: __record__, "" if none
  const void* node = nullptr;  // identifies the level (its graph::Node)

  int64_t offset(int64_t i) const {
    switch (offset_width) {
      case 4:
        return static_cast<const int32_t*>(offsets)[i];
      case 5:
        return static_cast<const uint32_t*>(offsets)[i];
      case 8:
        return static_cast<const int64_t*>(offsets)[i];
      default:
        return i * size;
    }
  }
  bool is_valid(int64_t i) const { return !valid || valid[i]; }
  /// Position in contents[0] of item i of a categorical.
  int64_t index(int64_t i) const;
  template <class T>
  T number(int64_t i) const {
    return static_cast<const T*>(data)[i];
  }
  std::string_view text(int64_t i) const {
    const int64_t a = offset(i), b = offset_width ? offset(i + 1) : a + size;
    return {static_cast<const char*>(data) + a, static_cast<size_t>(b - a)};
  }
};

/// An evaluated array: `item` holds its rows at positions first .. first + length - 1. A scalar has
/// length -1 and its value at `first`.
struct ArrayView {
  Array array;
  std::shared_ptr<const void> keep;  // what the pointers point into, besides array
  View item;
  int64_t first = 0;
  int64_t length = 0;
  bool is_scalar() const { return length < 0; }
};
/// Evaluates x and gives a view of it.
ArrayView view(const Array& x);

/// float16 bits as a double.
double half_to_double(uint16_t bits);
/// The nearest float16, ties to even.
uint16_t double_to_half(double x);

/// Makes nested values with a Maker: see make_list.
///
/// struct Maker {
///   using Value = ...;                            // moved, never copied
///   using List = ...;
///   List begin_list(int64_t n);                   // list of n items to be set in order
///   void set(List&, int64_t i, Value);
///   Value end_list(List);
///   using Record = ...;
///   Record begin_record(const View&, int64_t i);  // record or tuple
///   void field(Record&, const View&, size_t k, Value);
///   Value end_record(Record, const View&);
///   Value none();
///   Value boolean(bool); Value integer(int64_t); Value unsigned_integer(uint64_t);
///   Value real(double); Value complex(double re, double im);
///   Value datetime(int64_t, const View&); Value timedelta(int64_t, const View&);
///   Value string(std::string_view); Value bytestring(std::string_view);
/// };
template <class Maker>
typename Maker::Value make_value(const View& v, int64_t i, Maker& m);

/// The list of items begin .. end - 1: one choice of the element type per list, not per item.
template <class Maker>
typename Maker::Value make_list(const View& v, int64_t begin, int64_t end, Maker& m);

/// All of an array: a list of its rows, or the value of a scalar.
template <class Maker>
typename Maker::Value make(const ArrayView& a, Maker& m) {
  if (a.is_scalar()) return make_value(a.item, a.first, m);
  return make_list(a.item, a.first, a.first + a.length, m);
}

// -- implementation -------------------------------------------------------------------------------
namespace detail {

// Calls f with a function (position) -> Value for the element type of a number level.
template <class Maker, class F>
decltype(auto) with_number(const View& v, Maker& m, F&& f) {
  const void* p = v.data;
  switch (v.dtype) {
    case DType::boolean:
      return f([&m, p](int64_t i) { return m.boolean(static_cast<const uint8_t*>(p)[i] != 0); });
    case DType::int8:
      return f([&m, p](int64_t i) { return m.integer(static_cast<const int8_t*>(p)[i]); });
    case DType::int16:
      return f([&m, p](int64_t i) { return m.integer(static_cast<const int16_t*>(p)[i]); });
    case DType::int32:
      return f([&m, p](int64_t i) { return m.integer(static_cast<const int32_t*>(p)[i]); });
    case DType::uint8:
      return f([&m, p](int64_t i) { return m.integer(static_cast<const uint8_t*>(p)[i]); });
    case DType::uint16:
      return f([&m, p](int64_t i) { return m.integer(static_cast<const uint16_t*>(p)[i]); });
    case DType::uint32:
      return f([&m, p](int64_t i) { return m.integer(static_cast<const uint32_t*>(p)[i]); });
    case DType::uint64:
      return f(
          [&m, p](int64_t i) { return m.unsigned_integer(static_cast<const uint64_t*>(p)[i]); });
    case DType::float16:
      return f([&m, p](int64_t i) {
        return m.real(half_to_double(static_cast<const uint16_t*>(p)[i]));
      });
    case DType::float32:
      return f([&m, p](int64_t i) { return m.real(static_cast<const float*>(p)[i]); });
    case DType::float64:
      return f([&m, p](int64_t i) { return m.real(static_cast<const double*>(p)[i]); });
    case DType::complex64:
      return f([&m, p](int64_t i) {
        return m.complex(static_cast<const float*>(p)[2 * i],
                         static_cast<const float*>(p)[2 * i + 1]);
      });
    case DType::complex128:
      return f([&m, p](int64_t i) {
        return m.complex(static_cast<const double*>(p)[2 * i],
                         static_cast<const double*>(p)[2 * i + 1]);
      });
    case DType::datetime64:
      return f([&m, &v, p](int64_t i) { return m.datetime(static_cast<const int64_t*>(p)[i], v); });
    case DType::timedelta64:
      return f(
          [&m, &v, p](int64_t i) { return m.timedelta(static_cast<const int64_t*>(p)[i], v); });
    default:
      return f([&m, p](int64_t i) { return m.integer(static_cast<const int64_t*>(p)[i]); });
  }
}

}  // namespace detail

template <class Maker>
typename Maker::Value make_value(const View& v, int64_t i, Maker& m) {
  switch (v.kind) {
    case ViewKind::number:
      return detail::with_number(v, m, [i](auto&& get) { return get(i); });
    case ViewKind::string:
      return m.string(v.text(i));
    case ViewKind::bytestring:
      return m.bytestring(v.text(i));
    case ViewKind::list: {
      const int64_t a = v.offset(i);
      return make_list(v.contents[0], a, v.offset_width ? v.offset(i + 1) : a + v.size, m);
    }
    case ViewKind::option:
      return v.is_valid(i) ? make_value(v.contents[0], i, m) : m.none();
    case ViewKind::record:
    case ViewKind::tuple: {
      auto r = m.begin_record(v, i);
      for (size_t k = 0; k < v.contents.size(); ++k)
        m.field(r, v, k, make_value(v.contents[k], i, m));
      return m.end_record(std::move(r), v);
    }
    case ViewKind::union_:
      return make_value(v.contents[static_cast<size_t>(v.tags[i])], i, m);
    case ViewKind::categorical:
      return make_value(v.contents[0], v.index(i), m);
    case ViewKind::unknown:
      break;
  }
  return m.none();
}

template <class Maker>
typename Maker::Value make_list(const View& v, int64_t begin, int64_t end, Maker& m) {
  auto list = m.begin_list(end - begin);
  auto each = [&](auto&& get) {
    for (int64_t i = begin; i < end; ++i) m.set(list, i - begin, get(i));
  };
  const bool optional = v.kind == ViewKind::option && v.contents[0].kind == ViewKind::number;
  if (v.kind == ViewKind::number) {
    detail::with_number(v, m, each);
  } else if (optional) {
    detail::with_number(v.contents[0], m, [&](auto&& get) {
      each([&](int64_t i) { return v.is_valid(i) ? get(i) : m.none(); });
    });
  } else if (v.kind == ViewKind::list) {
    const View& inner = v.contents[0];
    auto lists = [&](auto&& offset) {
      each([&](int64_t i) { return make_list(inner, offset(i), offset(i + 1), m); });
    };
    switch (v.offset_width) {
      case 4:
        lists([p = static_cast<const int32_t*>(v.offsets)](int64_t i) {
          return static_cast<int64_t>(p[i]);
        });
        break;
      case 5:
        lists([p = static_cast<const uint32_t*>(v.offsets)](int64_t i) {
          return static_cast<int64_t>(p[i]);
        });
        break;
      case 8:
        lists([p = static_cast<const int64_t*>(v.offsets)](int64_t i) { return p[i]; });
        break;
      default:
        lists([n = v.size](int64_t i) { return i * n; });
    }
  } else {
    each([&](int64_t i) { return make_value(v, i, m); });
  }
  return m.end_list(std::move(list));
}

}  // namespace serrate
