// ArrayBuilder in functions that Numba compiles: its methods as functions of C.
#include "serrate/builder.h"

#include "common/checked.h"
#include "serrate/error.h"

namespace serrate::python {
namespace {

// Runs f without the interpreter lock; -1 with Python's error set if it fails.
template <class F>
int done(F&& f) noexcept {
  try {
    f();
    return 0;
  } catch (...) {
    const nb::gil_scoped_acquire lock;
    set_python_error();
    return -1;
  }
}

/// A str of Numba's: `kind` bytes for each of its characters.
std::string utf8(const void* data, int64_t length, int32_t kind) {
  std::string out;
  for (int64_t i = 0; i < length; ++i) {
    const uint32_t c = kind == 1   ? static_cast<const uint8_t*>(data)[i]
                       : kind == 2 ? static_cast<const uint16_t*>(data)[i]
                                   : static_cast<const uint32_t*>(data)[i];
    const auto add = [&](uint32_t first, int more) {
      out.push_back(static_cast<char>(first | c >> 6 * more));
      while (more-- > 0) out.push_back(static_cast<char>(0x80 | (c >> 6 * more & 0x3F)));
    };
    if (c < 0x80)
      out.push_back(static_cast<char>(c));
    else if (c < 0x800)
      add(0xC0, 1);
    else if (c < 0x10000)
      add(0xE0, 2);
    else
      add(0xF0, 3);
  }
  return out;
}

std::string_view bytes(const char* data, int64_t size) { return {data, static_cast<size_t>(size)}; }

using B = ArrayBuilder*;
int null(B b) noexcept {
  return done([&] { b->null(); });
}
int boolean(B b, uint8_t x) noexcept {
  return done([&] { b->boolean(x != 0); });
}
int integer(B b, int64_t x) noexcept {
  return done([&] { b->integer(x); });
}
int real(B b, double x) noexcept {
  return done([&] { b->real(x); });
}
int complex(B b, double re, double im) noexcept {
  return done([&] { b->complex({re, im}); });
}
int datetime(B b, int64_t x, const char* unit) noexcept {
  return done([&] { b->datetime(x, unit); });
}
int timedelta(B b, int64_t x, const char* unit) noexcept {
  return done([&] { b->timedelta(x, unit); });
}
int text(B b, const void* data, int64_t length, int32_t kind) noexcept {
  return done([&] { b->string(utf8(data, length, kind)); });
}
int string(B b, const char* data, int64_t size) noexcept {
  return done([&] { b->string(bytes(data, size)); });
}
int bytestring(B b, const char* data, int64_t size) noexcept {
  return done([&] { b->bytestring(bytes(data, size)); });
}
int begin_list(B b) noexcept {
  return done([&] { b->begin_list(); });
}
int end_list(B b) noexcept {
  return done([&] { b->end_list(); });
}
int begin_tuple(B b, int64_t slots) noexcept {
  return done([&] { b->begin_tuple(slots); });
}
int index(B b, int64_t i) noexcept {
  return done([&] { b->index(i); });
}
int end_tuple(B b) noexcept {
  return done([&] { b->end_tuple(); });
}
int begin_record(B b, const void* name, int64_t length, int32_t kind) noexcept {
  return done([&] { b->begin_record(utf8(name, length, kind)); });
}
int field(B b, const void* key, int64_t length, int32_t kind) noexcept {
  return done([&] { b->field(utf8(key, length, kind)); });
}
int end_record(B b) noexcept {
  return done([&] { b->end_record(); });
}
int clear(B b) noexcept {
  return done([&] { b->clear(); });
}
int64_t size(B b) noexcept { return b->size(); }

// The builder of an object of Python's, which keeps it; null with an error set.
B address_of(PyObject* o) noexcept {
  try {
    B b = builder_in(o);
    check<TypeError>(b != nullptr, "expected an ArrayBuilder");
    return b;
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

}  // namespace

nb::object numba_type_of_builder() {
  static PyObject* type = nullptr;
  if (!type)
    type = nb::module_::import_("serrate._numba").attr("type_of_builder")().release().ptr();
  return nb::borrow(type);
}

void bind_numba_builder(nb::module_& m) {
  nb::object symbols = m.attr("_numba_symbols");
#define SERRATE_SYMBOL(f) \
  symbols["serrate_builder_" #f] = nb::int_(reinterpret_cast<uintptr_t>(&f));
  SERRATE_SYMBOL(null)
  SERRATE_SYMBOL(boolean)
  SERRATE_SYMBOL(integer)
  SERRATE_SYMBOL(real)
  SERRATE_SYMBOL(complex)
  SERRATE_SYMBOL(datetime)
  SERRATE_SYMBOL(timedelta)
  SERRATE_SYMBOL(text)
  SERRATE_SYMBOL(string)
  SERRATE_SYMBOL(bytestring)
  SERRATE_SYMBOL(begin_list)
  SERRATE_SYMBOL(end_list)
  SERRATE_SYMBOL(begin_tuple)
  SERRATE_SYMBOL(index)
  SERRATE_SYMBOL(end_tuple)
  SERRATE_SYMBOL(begin_record)
  SERRATE_SYMBOL(field)
  SERRATE_SYMBOL(end_record)
  SERRATE_SYMBOL(clear)
  SERRATE_SYMBOL(size)
  SERRATE_SYMBOL(address_of)
#undef SERRATE_SYMBOL
}

}  // namespace serrate::python
