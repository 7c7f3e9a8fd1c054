// The class Array of Python: its construction, properties and protocols.
#include <nlohmann/json.hpp>

#include "graph/evaluate.h"
#include "operators.h"
#include "serrate/io.h"

namespace serrate::python {
namespace {

// x.mask[keep]
struct MaskGetter {
  Array array;
};

Array columns(nb::handle dict) {
  std::vector<std::pair<std::string, Array>> fields;
  for (auto [key, value] : nb::borrow<nb::dict>(dict)) {
    const std::string name = field_name(key, "Array");
    Array column = as_array(value, "Array");
    check<TypeError>(!column.is_scalar(), "Array: the column '{}' is not a list of values", name);
    fields.emplace_back(name, std::move(column));
  }
  return zip(fields, {.depth_limit = 1});
}

Array construct(nb::handle data) {
  if (PyDict_Check(data.ptr())) return columns(data);
  check<TypeError>(!PyUnicode_Check(data.ptr()) && !PyBytes_Check(data.ptr()),
                   "Array: reading JSON text is not supported yet; use json.loads, or a list of "
                   "strings for an array of strings");
  if (PyList_Check(data.ptr()) || PyTuple_Check(data.ptr())) return new_array(from_iter(data));
  Array a = as_array(data, "Array");
  check<TypeError>(!a.is_scalar(), "Array: expected a list of values, got a scalar of class {}",
                   nb::cast<std::string>(nb::str(nb::type_name(data.type()))));
  return a;
}

void init(Array* self, nb::handle data, nb::handle, std::optional<std::string> with_name_, bool,
          nb::handle backend, nb::handle, nb::handle) {
  Array a = construct(data);
  if (!backend.is_none()) a = move_to(a, backend_named(nb::cast<std::string>(backend), "Array"));
  if (with_name_) a = with_name(a, *with_name_);
  new (self) Array(std::move(a));
}

int64_t bytes_of(const graph::Node& n) {
  int64_t total = n.column ? n.column->buffer.bytes() : 0;
  if (n.kind == graph::NodeKind::list && n.space->starts) total += n.space->starts->buffer.bytes();
  for (const auto& c : n.contents) total += bytes_of(*c);
  return total;
}

int depth_of(const Type& t) {
  if (t.is_list_like()) return 1 + depth_of(t.content());
  if (t.is(Type::Kind::option)) return depth_of(t.content());
  if (t.is(Type::Kind::array)) return 1 + depth_of(t.content());
  if (t.is(Type::Kind::union_) || t.is(Type::Kind::record)) {
    int deepest = 0;
    for (const Type& c : t.contents()) deepest = std::max(deepest, depth_of(c));
    return deepest;
  }
  return 0;
}

const Type* record_in_type(const Type& t) {
  if (t.is(Type::Kind::record)) return &t;
  if (t.is_string_like() || t.is(Type::Kind::union_)) return nullptr;
  return t.contents().size() == 1 ? record_in_type(t.content()) : nullptr;
}

nb::object iterate(const Array& on_device) {
  evaluate(on_device);
  const Array a = looked_at(on_device);
  const Type content = a.type().content();
  // Plain numbers: NumPy's iteration gives its scalars; strings come out as to_list gives them.
  if (content.is(Type::Kind::number)) return nb::iter(to_numpy(a, true));
  if (content.is_string_like()) return nb::iter(to_list(a));
  nb::list out;
  for (int64_t i = 0, n = a.size(); i < n; ++i) out.append(item(a, i));
  return nb::iter(out);
}

nb::object as_numpy(const Array& a, nb::handle dtype, nb::handle copy) {
  refuse_gpu(a, "np.asarray");
  nb::object out = to_numpy(a, true);
  const bool must = PyObject_IsTrue(copy.ptr()) == 1;
  if (!dtype.is_none()) return out.attr("astype")(dtype, "copy"_a = must);
  return must ? nb::object(out.attr("copy")()) : out;
}

std::string show_text(const Array& a, int64_t rows, int64_t cols, bool type, int precision) {
  return show(a, {.limit_rows = rows, .limit_cols = cols, .precision = precision, .type = type});
}

nb::object print_or_return(std::string text, nb::handle stream) {
  if (stream.is_none()) return nb::str(text.c_str());
  stream.attr("write")(text + "\n");
  return nb::none();
}

nb::object show_array(const Array& a, int64_t limit_rows, int64_t limit_cols, bool type,
                      nb::handle stream, int precision) {
  const bool to_stdout = PyBool_Check(stream.ptr());
  const nb::object out =
      to_stdout ? nb::module_::import_("sys").attr("stdout") : nb::borrow(stream);
  return print_or_return(show_text(a, limit_rows, limit_cols, type, precision), out);
}

std::string html(const Array& a) {
  std::string text = show_text(a, 20, 80, true, 3), out = "<pre>";
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out + "</pre>";
}

nb::object reduce(const Array& a) {
  refuse_gpu(a, "pickle");
  const Buffers b = to_buffers(a);
  nb::dict container;
  for (const auto& [key, buffer] : b.buffers)
    container[key.c_str()] = nb::bytes(buffer.data(), static_cast<size_t>(buffer.bytes()));
  const nb::object rebuild = nb::module_::import_("serrate._convert").attr("unpickle");
  return nb::make_tuple(rebuild, nb::make_tuple(b.form_json, b.length, container));
}

nb::object dir(nb::handle self, const Array& a) {
  nb::object names = nb::module_::import_("builtins").attr("object").attr("__dir__")(self);
  nb::set all(names);
  for (const std::string& f : a.fields()) all.add(nb::str(f.c_str()));
  return nb::list(all);
}

bool contains(const Array& a, nb::handle x) {
  const nb::object all = iterate(a);
  for (nb::handle y : nb::iter(all)) {
    const nb::object same = nb::steal(PyObject_RichCompare(y.ptr(), x.ptr(), Py_EQ));
    if (!same.is_valid()) throw nb::python_error();
    if (const Array* r = array_in(same)) {
      if (r->size() == 0) continue;
      return nb::cast<bool>(nb::object(nb::bool_(wrap(any(*r)))));
    }
    if (PyObject_IsTrue(same.ptr()) == 1) return true;
  }
  return false;
}

// What Array and Record have in common.
template <class T, class Get>
void bind_common(nb::class_<T>& c, Get get) {
  c.def_prop_ro(
       "fields", [get](const T& x) { return get(x).fields(); },
       "Names of the record fields, or numbers of the tuple slots.")
      .def_prop_ro(
          "type", [get](const T& x) { return get(x).type(); }, "The type.")
      .def_prop_ro(
          "typestr", [get](const T& x) { return get(x).type().str(); },
          "The type as text: '3 * var * int64'.")
      .def_prop_ro("is_tuple",
                   [get](const T& x) {
                     const Type t = get(x).type();
                     const Type* r = record_in_type(t);
                     return r && r->is_tuple();
                   })
      .def_prop_ro(
          "nbytes",
          [get](const T& x) {
            evaluate(get(x));
            return bytes_of(*get(x).node());
          },
          "Bytes of all buffers; evaluates.")
      .def(
          "to_list", [get](const T& x) { return to_list(get(x)); }, "As nested Python lists.")
      .def(
          "tolist", [get](const T& x) { return to_list(get(x)); }, "As nested Python lists.")
      .def(
          "to_numpy",
          [get](const T& x, bool m) {
            refuse_gpu(get(x), "to_numpy");
            return to_numpy(get(x), m);
          },
          "allow_missing"_a = true, "As a NumPy array, without a copy if it can be.")
      .def(
          "show",
          [get](const T& x, int64_t rows, int64_t cols, nb::handle, bool type, bool, bool, bool,
                bool all, nb::handle stream, nb::handle, int precision) {
            return show_array(get(x), rows, cols, type || all, stream, precision);
          },
          "limit_rows"_a = 20, "limit_cols"_a = 80, nb::kw_only(), "formatter_"_a = nb::none(),
          "type"_a = false, "named_axis"_a = false, "nbytes"_a = false, "backend"_a.none() = false,
          "all"_a = false, "stream"_a.none() = true, "formatter"_a = nb::none(), "precision"_a = 3,
          "Prints the values, shortened; with stream=None, returns the text.")
      .def("_repr_html_", [get](const T& x) { return html(get(x)); })
      .def("__repr__", [get](const T& x) { return serrate::repr(get(x)); })
      .def("__str__", [get](const T& x) { return serrate::str(get(x)); });
}

}  // namespace

void bind_array(nb::module_& m) {
  nb::class_<MaskGetter>(m, "_MaskGetter")
      .def("__getitem__", [](const MaskGetter& g, nb::handle keep) {
        return wrap(mask(g.array, as_array(keep, "mask")));
      });
  nb::class_<Array> c(m, "Array", nb::type_slots(array_slots), nb::is_weak_referenceable(),
                      nb::pooled(),
                      "A nested, variable-length array; computed when it is looked at.\n\n"
                      ">>> Array([[1, 2, 3], [], [4]]) + 10\n"
                      "<Array [[11, 12, 13], [], [14]] type='3 * var * int64'>");
  c.def("__init__", &init, "data"_a, nb::kw_only(), "behavior"_a = nb::none(),
        "with_name"_a = nb::none(), "check_valid"_a = false, "backend"_a = nb::none(),
        "attrs"_a = nb::none(), "named_axis"_a = nb::none());
  bind_common(c, [](const Array& a) -> const Array& { return a; });
  c.def_prop_ro(
       "ndim", [](const Array& a) { return depth_of(a.type()); }, "Levels of nesting.")
      .def_prop_ro(
          "mask", [](const Array& a) { return MaskGetter{a}; }, "x.mask[keep] is mask(x, keep).")
      .def("__array_ufunc__", &array_ufunc)
      .def("__iter__", &iterate)
      .def("__contains__", &contains)
      .def("__array__", &as_numpy, "dtype"_a = nb::none(), "copy"_a = nb::none())
      .def_prop_ro("__cuda_array_interface__", &gpu_interface)
      .def("__dlpack_device__",
           [](const Array& a) {
             return a.device() == Device::cpu ? nb::make_tuple(1, 0)
                                              : nb::make_tuple(2, gpu_number());
           })
      .def("__dlpack__",
           [](const Array& a, nb::kwargs kwargs) {
             if (a.device() == Device::cuda) return gpu_dlpack(a, kwargs);
             nb::object n = to_numpy(a, false);
             // Older consumers cannot be told that memory is read-only; they get a copy.
             if (!kwargs.contains("max_version")) n = n.attr("copy")();
             return n.attr("__dlpack__")(**kwargs);
           })
      .def("__copy__", [](const Array& a) { return wrap_array(a); })
      .def("__deepcopy__", [](const Array& a, nb::handle) { return wrap_array(a); })
      .def("__reduce__", &reduce)
      .def("__dir__", [](nb::handle self) { return dir(self, *array_in(self)); });
}

void bind_record(nb::module_& m) {
  nb::class_<Record> c(m, "Record", nb::type_slots(record_slots), nb::is_weak_referenceable(),
                       "One record or tuple of an array.\n\n"
                       ">>> Array([{\"x\": 1, \"y\": [2, 3]}])[0].y\n"
                       "<Array [2, 3] type='2 * int64'>");
  c.def(
      "__init__",
      [](Record* self, nb::handle data, nb::handle, std::optional<std::string> name) {
        const Array one = from_iter(nb::make_tuple(nb::borrow(data)));
        Array a = serrate::getitem(one, {int64_t{0}});
        check<TypeError>(a.node()->kind == graph::NodeKind::record,
                         "Record: expected a dict or tuple");
        if (name) a = with_name(a, *name);
        new (self) Record{std::move(a)};
      },
      "data"_a, nb::kw_only(), "behavior"_a = nb::none(), "with_name"_a = nb::none());
  bind_common(c, [](const Record& r) -> const Array& { return r.value; });
  c.def("__getitem__", [](const Record& r, nb::handle where) { return getitem(r.value, where); })
      .def("__setitem__",
           [](Record& r, nb::handle where, nb::handle what) {
             r.value = with_field(r.value, as_array(what, "x[...] = ..."),
                                  field_path(where, "x[...] = ..."));
           })
      .def("__delitem__",
           [](Record& r, nb::handle where) {
             r.value = without_field(r.value, field_path(where, "del x[...]"));
           })
      .def("__copy__", [](const Record& r) { return nb::cast(Record{r.value}); })
      .def("__deepcopy__", [](const Record& r, nb::handle) { return nb::cast(Record{r.value}); })
      .def("__dir__", [](nb::handle self) { return dir(self, record_in(self)->value); })
      .def("__reduce__", [](nb::handle self) {
        return nb::make_tuple(self.type(), nb::make_tuple(to_list(record_in(self)->value)));
      });
  // Without this, Python would iterate by calling x[0], x[1] ...
  c.attr("__iter__") = nb::none();
}

}  // namespace serrate::python
