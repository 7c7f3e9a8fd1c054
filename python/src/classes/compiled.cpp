// Functions of users that are written down once: calls by what they are made with, results by what
// they are made of.
#include <algorithm>
#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "common/checked.h"
#include "common/class.h"
#include "ops/tree/traced.h"

namespace serrate::python {
namespace {

/// Arrays and constants in nested tuples, lists and dicts, as long as these live.
class Flattened {
 public:
  enum Kind : uint32_t { array, record, constant, tuple, list, dict };
  struct Holder {
    PyTypeObject* type;
    const Array* array;
    const Meta* meta;
  };

  Flattened() {
    shape.reserve(32);
    constants.reserve(16);
    holders.reserve(8);
  }
  void add(PyObject* o, int depth = 0) {
    if (const Array* const a = array_in(o)) {
      put(array, 0);
      holders.push_back({Py_TYPE(o), a, &static_cast<const PyArray*>(a)->meta});
    } else if (PyTuple_CheckExact(o)) {
      const Py_ssize_t n = PyTuple_Size(o);
      if (!goes_into(tuple, n, depth)) return;
      for (Py_ssize_t i = 0; i < n; ++i) add(PyTuple_GetItem(o, i), depth + 1);
    } else if (PyList_CheckExact(o)) {
      const Py_ssize_t n = PyList_Size(o);
      if (!goes_into(list, n, depth)) return;
      for (Py_ssize_t i = 0; i < n; ++i) add(PyList_GetItem(o, i), depth + 1);
    } else if (PyDict_CheckExact(o)) {
      if (!goes_into(dict, PyDict_Size(o), depth)) return;
      PyObject *key, *value;
      for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);) {
        add_constant(key);
        add(value, depth + 1);
      }
    } else if (const Record* const r = record_in(o)) {
      put(record, 0);
      holders.push_back({Py_TYPE(o), &r->value, &r->meta});
    } else {
      put(constant, 0);
      add_constant(o);
    }
  }
  std::vector<Array> arrays() const {
    std::vector<Array> out;
    out.reserve(holders.size());
    for (const Holder& h : holders) out.push_back(*h.array);
    return out;
  }

  std::vector<uint64_t> shape;  // in the order of a walk: a kind, a number of items
  std::vector<PyObject*> constants;
  std::vector<Holder> holders;
  bool is_complete = true;  // false where something is neither an array nor a constant

 private:
  void put(Kind k, Py_ssize_t n) { shape.push_back(static_cast<uint64_t>(n) << 8 | k); }
  bool goes_into(Kind k, Py_ssize_t n, int depth) {
    put(k, n);
    is_complete &= depth < kMaxTypeDepth;
    return depth < kMaxTypeDepth;
  }
  void add_constant(PyObject* o) {
    constants.push_back(o);
    is_complete &= o == Py_None || PyBool_Check(o) || PyLong_CheckExact(o) ||
                   PyFloat_CheckExact(o) || PyComplex_CheckExact(o) || PyUnicode_CheckExact(o) ||
                   PyBytes_CheckExact(o);
  }
};

bool is_same_constant(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (Py_TYPE(a) != Py_TYPE(b)) return false;
  const auto same = [](double x, double y) {  // -0.0 is not 0.0
    return std::bit_cast<uint64_t>(x) == std::bit_cast<uint64_t>(y);
  };
  if (PyFloat_CheckExact(a)) return same(PyFloat_AsDouble(a), PyFloat_AsDouble(b));
  if (PyComplex_CheckExact(a))
    return same(PyComplex_RealAsDouble(a), PyComplex_RealAsDouble(b)) &&
           same(PyComplex_ImagAsDouble(a), PyComplex_ImagAsDouble(b));
  return are_equal(a, b);
}

bool are_same_metas(const Meta& a, const Meta& b) {
  if (!a.behavior.is(b.behavior) || a.attrs.is_valid() != b.attrs.is_valid()) return false;
  return !a.attrs.is_valid() || a.attrs.is(b.attrs) || are_equal(a.attrs, b.attrs);
}

/// What lay flattened, without the arrays.
class Pattern {
 public:
  explicit Pattern(const Flattened& f) : shape_(f.shape) {
    for (PyObject* const o : f.constants) constants_.push_back(nb::borrow(o));
    for (const auto& h : f.holders) holders_.push_back({nb::borrow((PyObject*)h.type), *h.meta});
  }

  bool is_of(const Flattened& f) const {
    return shape_ == f.shape &&
           std::ranges::equal(holders_, f.holders,
                              [](const Holder& a, const Flattened::Holder& b) {
                                return a.type.ptr() == (PyObject*)b.type &&
                                       are_same_metas(a.meta, *b.meta);
                              }) &&
           std::ranges::equal(constants_, f.constants, [](const nb::object& a, PyObject* b) {
             return is_same_constant(a.ptr(), b);
           });
  }
  /// The same with arrays in it.
  nb::object with(std::vector<Array> arrays) const {
    Maker make{*this, std::move(arrays)};
    return make.next();
  }

 private:
  struct Holder {
    nb::object type;
    Meta meta;
  };
  /// A walk over the shape.
  struct Maker {
    const Pattern& of;
    std::vector<Array> arrays;
    size_t at = 0, holder_at = 0, constant_at = 0;

    template <class T>
    nb::object holder() {
      const size_t i = holder_at++;
      auto* const type = (PyTypeObject*)of.holders_[i].type.ptr();
      nb::object out = made(type, T{std::move(arrays[i]), of.holders_[i].meta});
      if (type != class_object<T>) validate(out);
      return out;
    }
    nb::object next() {
      const uint64_t word = of.shape_[at++];
      const auto n = static_cast<Py_ssize_t>(word >> 8);
      switch (word & 255) {
        case Flattened::array:
          return holder<PyArray>();
        case Flattened::record:
          return holder<Record>();
        case Flattened::constant:
          return of.constants_[constant_at++];
        case Flattened::tuple: {
          nb::object out = owned(PyTuple_New(n));
          for (Py_ssize_t i = 0; i < n; ++i) PyTuple_SetItem(out.ptr(), i, next().release().ptr());
          return out;
        }
        case Flattened::list: {
          nb::list out;
          for (Py_ssize_t i = 0; i < n; ++i) out.append(next());
          return std::move(out);
        }
        default: {
          nb::dict out;
          for (Py_ssize_t i = 0; i < n; ++i) {
            const nb::object key = of.constants_[constant_at++];
            out[key] = next();
          }
          return std::move(out);
        }
      }
    }
  };

  std::vector<uint64_t> shape_;
  std::vector<nb::object> constants_;
  std::vector<Holder> holders_;
};

/// The calls of a function of Python's that are kept. The function is Python's to hold.
class CompiledFunction {
 public:
  template <class F>
  nb::object call(const nb::args& args, const nb::kwargs& kwargs, F&& plain) {
    if (ops::Tracing::is_running()) return plain();
    Flattened given;
    given.add(args.ptr());
    given.add(kwargs.ptr());
    if (!given.is_complete) return computed(plain());
    const std::vector<Array> arrays = given.arrays();
    const std::shared_ptr<ops::Traced> traced = calls_like(given);
    std::optional<ops::Outcome> known;
    without_lock([&] { known = traced->again(arrays); });
    if (known) return static_cast<const Pattern*>(known->about.get())->with(known->arrays);
    std::optional<ops::Tracing> tracing;
    without_lock([&] { tracing.emplace(*traced, arrays); });
    nb::object result = plain();
    Flattened made;
    made.add(result.ptr());
    auto about = std::make_unique<Pattern>(made);
    Pattern* const pattern = about.get();
    const nb::capsule owner(about.release(),
                            [](void* p) noexcept { delete static_cast<Pattern*>(p); });
    const ops::Outcome outcome{made.arrays(), {keep(owner), pattern}};
    without_lock([&] { tracing->finish(outcome, made.is_complete); });
    return result;
  }

  int64_t kept() const {
    int64_t n = 0;
    for (const auto& c : calls_) n += c.second->size();
    return n;
  }

 private:
  static constexpr size_t kMost = 64;

  static nb::object computed(nb::object result) {
    Flattened made;
    made.add(result.ptr());
    if (!made.holders.empty()) evaluate_all(made.arrays());
    return result;
  }
  /// Those that were made with the same besides arrays.
  std::shared_ptr<ops::Traced> calls_like(const Flattened& given) {
    for (const auto& c : calls_) {
      if (c.first.is_of(given)) return c.second;
    }
    if (calls_.size() >= kMost) calls_.erase(calls_.begin());
    return calls_.emplace_back(Pattern(given), std::make_shared<ops::Traced>()).second;
  }

  std::vector<std::pair<Pattern, std::shared_ptr<ops::Traced>>> calls_;
};

}  // namespace

void bind_compile(nb::module_& m) {
  nb::class_<CompiledFunction>(m, "_CompiledFunction")
      .def(nb::init<>())
      .def("__call__",
           [](nb::handle self, const nb::args& args, const nb::kwargs& kwargs) {
             return nb::cast<CompiledFunction&>(self).call(args, kwargs, [&] {
               const nb::object function = self.attr("__wrapped__");
               return owned(PyObject_Call(function.ptr(), args.ptr(), kwargs.ptr()));
             });
           })
      .def_prop_ro("_kept", &CompiledFunction::kept);
}

}  // namespace serrate::python
