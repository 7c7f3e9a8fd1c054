// The class ArrayBuilder of Python. Its list(), tuple(n) and record(name) are in _builder.py.
#include "serrate/builder.h"

#include "common/checked.h"
#include "common/context.h"
#include "serrate/io.h"

namespace serrate::python {
namespace {

struct PyBuilder : ArrayBuilder {
  Meta meta;

  /// The arrays made of it get its behaviours and attributes.
  Array taken() {
    remember(meta);
    return snapshot();
  }
};

Py_ssize_t dict_offset = 0;  // of builders
PyObject*& dict_of(PyObject* self) {
  return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(self) + dict_offset);
}

// What the collector sees of a builder: its behaviours and attributes may hold the builder itself.
int traverse(PyObject* self, visitproc visit, void* arg) noexcept {
  Py_VISIT((PyObject*)Py_TYPE(self));
  if (dict_offset > 0) Py_VISIT(dict_of(self));
  if (!nb::inst_ready(self)) return 0;
  const Meta& meta = nb::inst_ptr<PyBuilder>(self)->meta;
  Py_VISIT(meta.behavior.ptr());
  Py_VISIT(meta.attrs.ptr());
  return 0;
}
int clear(PyObject* self) noexcept {
  if (dict_offset > 0) Py_CLEAR(dict_of(self));
  if (!nb::inst_ready(self)) return 0;
  const Meta gone = std::exchange(nb::inst_ptr<PyBuilder>(self)->meta, {});
  return 0;
}
const PyType_Slot collected[] = {
    {Py_tp_traverse, (void*)traverse}, {Py_tp_clear, (void*)clear}, {0, nullptr}};

std::string_view utf8_of(nb::handle x) {
  Py_ssize_t n = 0;
  const char* text = PyUnicode_AsUTF8AndSize(x.ptr(), &n);
  if (!text) throw nb::python_error();
  return {text, static_cast<size_t>(n)};
}

void init(PyBuilder* b, nb::handle behavior, nb::handle attrs, int64_t, double) {
  new (b) PyBuilder();
  check<TypeError>(behavior.is_none() || PyMapping_Check(behavior.ptr()),
                   "behavior must be a mapping or None");
  if (!behavior.is_none()) b->meta.behavior = nb::borrow(behavior);
  if (!attrs.is_none()) b->meta.attrs = checked_attrs(attrs);
}

void complex_value(PyBuilder& b, nb::handle x) {
  const Scalar s = as_array(x, "complex").item_scalar();
  b.complex(is_complex(s.dtype) ? std::complex<double>(s.f, s.im) : s.as(DType::float64).f);
}

// Counts alone mean nothing without a unit.
void time_value(PyBuilder& b, const char* kind, nb::handle x) {
  const nb::object value = numpy(kind)(x);
  const nb::object unit = numpy("datetime_data")(value.attr("dtype"))[nb::int_(0)];
  check<ValueError>(nb::cast<std::string>(unit) != "generic",
                    "ArrayBuilder.{}: expected a time with a unit", kind);
  append(b, value);
}

void bind_values(nb::class_<PyBuilder>& c) {
  c.def("null", [](PyBuilder& b) { b.null(); })
      .def(
          "boolean", [](PyBuilder& b, nb::object x) { b.boolean(nb::cast<bool>(nb::bool_(x))); },
          "x"_a)
      .def(
          "integer", [](PyBuilder& b, int64_t x) { b.integer(x); }, "x"_a)
      .def(
          "real", [](PyBuilder& b, double x) { b.real(x); }, "x"_a)
      .def("complex", &complex_value, "x"_a)
      .def(
          "datetime", [](PyBuilder& b, nb::handle x) { time_value(b, "datetime64", x); }, "x"_a)
      .def(
          "timedelta", [](PyBuilder& b, nb::handle x) { time_value(b, "timedelta64", x); }, "x"_a)
      .def(
          "string", [](PyBuilder& b, nb::str x) { b.string(utf8_of(x)); }, "x"_a)
      .def(
          "bytestring", [](PyBuilder& b, nb::bytes x) { append(b, x); }, "x"_a)
      .def(
          "append", [](PyBuilder& b, nb::handle x) { append(b, x); }, "obj"_a.none())
      .def(
          "extend",
          [](PyBuilder& b, nb::handle o) {
            Signals signals;
            for (nb::handle x : nb::iter(o)) {
              append(b, x);
              signals.step();
            }
          },
          "iterable"_a);
}

void bind_nesting(nb::class_<PyBuilder>& c) {
  c.def("begin_list", [](PyBuilder& b) { b.begin_list(); })
      .def("end_list", [](PyBuilder& b) { b.end_list(); })
      .def(
          "begin_tuple", [](PyBuilder& b, int64_t n) { b.begin_tuple(n); }, "numfields"_a)
      .def(
          "index",
          [](nb::handle self, int64_t i) {
            nb::inst_ptr<PyBuilder>(self)->index(i);
            return nb::borrow(self);
          },
          "i"_a)
      .def("end_tuple", [](PyBuilder& b) { b.end_tuple(); })
      .def(
          "begin_record",
          [](PyBuilder& b, std::optional<std::string> name) { b.begin_record(name.value_or("")); },
          "name"_a = nb::none())
      .def(
          "field",
          [](nb::handle self, const std::string& key) {
            nb::inst_ptr<PyBuilder>(self)->field(key);
            return nb::borrow(self);
          },
          "key"_a)
      .def("end_record", [](PyBuilder& b) { b.end_record(); });
}

}  // namespace

std::optional<Array> built(nb::handle o) {
  if (!nb::isinstance<PyBuilder>(o)) return {};
  return new_array(nb::cast<PyBuilder&>(o).taken());
}

ArrayBuilder* builder_in(nb::handle o) {
  return nb::isinstance<PyBuilder>(o) ? nb::inst_ptr<PyBuilder>(o) : nullptr;
}

void bind_builder(nb::module_& m) {
  nb::class_<PyBuilder> c(m, "ArrayBuilder", nb::dynamic_attr(), nb::type_slots(collected),
                          "Appends values one by one; the type is found out on the way.\n\n"
                          ">>> b = ArrayBuilder(); b.append([1, 2]); b.append([])\n"
                          ">>> b.snapshot()\n<Array [[1, 2], []] type='2 * var * int64'>");
  dict_offset = nb::cast<Py_ssize_t>(nb::object(c.attr("__dictoffset__")));
  c.def("__init__", &init, nb::kw_only(), "behavior"_a = nb::none(), "attrs"_a = nb::none(),
        "initial"_a = 1024, "resize"_a = 8);
  bind_values(c);
  bind_nesting(c);
  c.def("snapshot",
        [](PyBuilder& b) {
          const Begun call;
          return wrap(new_array(b.taken()));
        })
      .def("to_list", [](PyBuilder& b) { return to_list(b.snapshot()); })
      .def("tolist", [](PyBuilder& b) { return to_list(b.snapshot()); })
      .def("to_numpy", [](PyBuilder& b) { return to_numpy(b.snapshot(), true); })
      .def(
          "__array__",
          [](PyBuilder& b, nb::handle dtype, nb::handle) {
            return numpy("asarray")(to_numpy(b.snapshot(), false), "dtype"_a = dtype);
          },
          "dtype"_a = nb::none(), "copy"_a = nb::none())
      .def_prop_ro("_numba_type_", [](PyBuilder&) { return numba_type_of_builder(); })
      .def_prop_ro("type", [](PyBuilder& b) { return type_object(b.type()); })
      .def_prop_ro("typestr", [](PyBuilder& b) { return b.type().str(); })
      .def_prop_rw(
          "behavior",
          [](PyBuilder& b) {
            return b.meta.behavior.is_valid() ? b.meta.behavior : nb::object(nb::none());
          },
          [](PyBuilder& b, nb::handle x) {
            b.meta.behavior = x.is_none() ? nb::object() : nb::borrow(x);
          },
          nb::for_setter(nb::arg("behavior").none()))
      .def_prop_rw(
          "attrs",
          [](PyBuilder& b) {
            if (!b.meta.attrs.is_valid()) b.meta.attrs = nb::dict();
            return b.meta.attrs;
          },
          [](PyBuilder& b, nb::handle x) { b.meta.attrs = checked_attrs(x); })
      .def("__repr__",
           [](PyBuilder& b) {
             std::string type = b.type().str();
             if (type.size() > 58) type = type.substr(0, 55) + "...";  // 80 columns in all
             return "<ArrayBuilder type='" + type + "'>";
           })
      .def("__copy__", [](nb::handle self) { return nb::borrow(self); })
      .def("__bool__",
           [](PyBuilder& b) {
             check<ValueError>(b.size() == 1,
                               "the truth value of a builder whose length is not 1 is ambiguous");
             const Begun call;
             return is_true(wrap(serrate::getitem(b.taken(), {int64_t{0}})));
           })
      .def("clear", [](PyBuilder& b) { b.clear(); })
      .def("__len__", [](PyBuilder& b) { return b.size(); });
}

}  // namespace serrate::python
