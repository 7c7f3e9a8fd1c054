// The class Array of Python: its construction, properties and protocols.
#include <memory>
#include <nlohmann/json.hpp>

#include "class.h"
#include "context.h"
#include "graph/evaluate.h"
#include "operands.h"
#include "operators.h"
#include "ops/levels.h"
#include "serrate/io.h"

namespace serrate::python {
namespace {

int depth_of(const Type& t);

// x.mask[keep]
struct MaskGetter {
  PyArray array;
};

Array columns(nb::handle dict) {
  std::vector<std::pair<std::string, Array>> fields;
  for (auto [key, value] : nb::borrow<nb::dict>(dict)) {
    const std::string name = field_name(key, "Array");
    Array column = as_array(value, "Array");
    check<TypeError>(!column.is_scalar(), "Array: the column '{}' is not a list of values", name);
    check<ValueError>(fields.empty() || column.size() == fields[0].second.size(),
                      "Array: columns have lengths {} and {}",
                      fields.empty() ? 0 : fields[0].second.size(), column.size());
    fields.emplace_back(name, std::move(column));
  }
  check<TypeError>(!fields.empty(), "Array: a dict of columns must not be empty");
  return zip(fields, {.depth_limit = 1});
}

// Fields of a record; whole arrays are regular lists.
Array one_record(nb::handle mapping) {
  const Beside beside(mapping);
  std::vector<std::pair<std::string, Array>> fields;
  for (nb::handle pair : nb::iter(nb::object(mapping.attr("items")()))) {
    const nb::object value(pair[nb::int_(1)]);
    Array one =
        value.is_none() ? from_iter(nb::make_tuple(value)) : rows_of_one(as_array(value, "Record"));
    if (!array_in(value) && !record_in(value)) one = placed(one, true);
    fields.emplace_back(field_name(nb::object(pair[nb::int_(0)]), "Record"), one);
  }
  if (fields.empty()) return placed(from_iter(nb::dict()), true);
  return serrate::getitem(zip(fields, {.depth_limit = 1}), {int64_t{0}});
}

// A str is JSON text.
nb::object from_json(nb::handle text) {
  try {
    return nb::module_::import_("json").attr("loads")(text);
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_ValueError)) throw;
    throw ValueError(
        fmt::format("Array: a str is read as JSON text: {}. An array of strings is "
                    "made from a list of them",
                    nb::cast<std::string>(nb::str(e.value()))));
  }
}

Array construct(nb::handle data) {
  if (PyDict_Check(data.ptr())) return columns(data);
  if (PyUnicode_Check(data.ptr())) {
    const nb::object values = from_json(data);
    check<TypeError>(PyList_Check(values.ptr()), "Array: the JSON text is not a list");
    return new_array(from_iter(values));
  }
  if (PyBytes_Check(data.ptr())) {
    const Array bytes = from_numpy(numpy("frombuffer")(data, "dtype"_a = "uint8"));
    return new_array(with_parameter(bytes, "__array__", "\"byte\""));
  }
  if (PyList_Check(data.ptr()) || PyTuple_Check(data.ptr())) return new_array(from_iter(data));
  if (const auto a = from_layout(data)) return new_array(*a);
  Array a = as_array(data, "Array");
  check<TypeError>(!a.is_scalar(), "Array: expected a list of values, got a scalar of class {}",
                   nb::cast<std::string>(nb::str(nb::type_name(data.type()))));
  return a;
}

// Of a layout; other data are checked when they come in.
void check_buffers(nb::handle data) {
  if (from_layout(data))
    nb::module_::import_("serrate._validity").attr("validity_error")(data, "exception"_a = true);
}

void set_named_axis(Meta& meta, nb::handle named_axis, int ndim) {
  const nb::module_ m = nb::module_::import_("serrate._named_axis");
  const nb::object attrs = meta.attrs.is_valid() ? meta.attrs : nb::none();
  const nb::object out =
      m.attr("with_names")(attrs, nb::object(m.attr("checked")(named_axis, ndim)));
  meta.attrs = out.is_none() ? nb::object() : out;
}

void init(nb::handle self, nb::handle data, nb::handle behavior,
          std::optional<std::string> with_name_, bool check_valid, nb::handle backend,
          nb::handle attrs, nb::handle named_axis) {
  if (check_valid) check_buffers(data);
  begin(true, behavior, attrs);
  Array a = construct(data);
  if (!backend.is_none()) a = move_to(a, backend_named(nb::cast<std::string>(backend), "Array"));
  if (with_name_) a = with_name(a, *with_name_);
  PyArray& x = value_of<PyArray>(self.ptr());
  x = PyArray(std::move(a), current_meta());
  if (!named_axis.is_none())
    set_named_axis(x.meta, named_axis, std::max(1, ops::levels(*x.node()).max));
  update_class(self, x, x.meta);
}

int64_t bytes_of(const graph::Node& n, const graph::SpaceRef& space = graph::unit()) {
  int64_t total = n.column ? n.column->buffer.bytes() : 0;
  if (total > 0 && n.column->buffer.device() == Device::cuda) {
    // There may be room for more items than have come.
    const graph::StoredExtent e = graph::stored_extent(space);
    total = std::min(total, (e.first + e.size) * itemsize(n.column->dtype));
  }
  if (n.kind == graph::NodeKind::list && n.space->starts) total += n.space->starts->buffer.bytes();
  for (const auto& c : n.contents) total += bytes_of(*c, n.space ? n.space : space);
  return total;
}

// Lists down to numbers, strings and records. Where a union has different ones, that level counts
// -2, so that an array of such values has the -1 dimensions that it has in Awkward.
int depth_of(const Type& t) {
  if (t.is_list_like()) return 1 + depth_of(t.content());
  if (t.is(Type::Kind::option)) return depth_of(t.content());
  if (t.is(Type::Kind::array)) return 1 + depth_of(t.content());
  if (!t.is(Type::Kind::union_) || t.contents().empty()) return 0;
  const int first = depth_of(t.content(0));
  for (const Type& c : t.contents())
    if (depth_of(c) != first) return -2;
  return first;
}

nb::object iterate(const PyArray& on_device) {
  evaluate(on_device);
  begin();
  remember(on_device.meta);
  const Array a = looked_at(on_device);
  const Type content = a.type().content();
  // Plain numbers: NumPy's iteration gives its scalars; strings come out as to_list gives them.
  if (content.is(Type::Kind::number)) return nb::iter(to_numpy(a, true));
  if (content.is_string_like()) return nb::iter(to_list(a));
  nb::list out;
  for (int64_t i = 0, n = a.size(); i < n; ++i) out.append(item(a, i));
  return nb::iter(out);
}

nb::object as_numpy(const PyArray& a, nb::handle dtype, nb::handle copy) {
  refuse_gpu(a, "np.asarray");
  // Where a masked array is not asked for, its mask would be lost.
  nb::object out = to_numpy(a, false);
  const bool must = PyObject_IsTrue(copy.ptr()) == 1;
  const bool same = dtype.is_none() || nb::object(out.attr("dtype")).equal(numpy("dtype")(dtype));
  check<ValueError>(same || copy.ptr() != Py_False, "np.asarray: {} can't be had without a copy",
                    nb::cast<std::string>(nb::str(dtype)));
  if (!dtype.is_none()) return out.attr("astype")(dtype, "copy"_a = must);
  return must ? nb::object(out.attr("copy")()) : out;
}

// Pickled as form, length and trimmed buffers; from protocol 5 on these can stay out of the stream.
nb::object reduce(const Array& a, const Meta& meta, int protocol) {
  refuse_gpu(a, "pickle");
  const nb::object convert = nb::module_::import_("serrate._convert");
  const bool record = a.node()->kind == graph::NodeKind::record;
  evaluate(a);
  const Buffers b = to_buffers(record ? rows_of_one(a) : a);
  const nb::object pickle = nb::module_::import_("pickle");
  nb::dict container;
  for (const auto& [key, buffer] : b.buffers) {
    nb::object bytes = numpy_view(buffer, "uint8");
    container[key.c_str()] = protocol >= 5 ? nb::object(pickle.attr("PickleBuffer")(bytes))
                                           : nb::object(bytes.attr("tobytes")());
  }
  const nb::object behavior = meta.behavior.is_valid() ? meta.behavior : nb::none();
  const nb::object attrs = convert.attr("lasting")(meta.attrs.is_valid() ? meta.attrs : nb::none());
  return nb::make_tuple(convert.attr("unpickle"),
                        nb::make_tuple(b.form_json, b.length, container, record, behavior, attrs));
}

nb::object dir(nb::handle self, const Array& a) {
  nb::object names = nb::module_::import_("builtins").attr("object").attr("__dir__")(self);
  nb::set all(names);
  for (const std::string& f : a.fields()) all.add(nb::str(f.c_str()));
  return nb::list(all);
}

bool contains(const PyArray& a, nb::handle x) {
  const nb::object all = iterate(a);
  for (nb::handle y : nb::iter(all)) {
    const nb::object same = nb::steal(PyObject_RichCompare(y.ptr(), x.ptr(), Py_EQ));
    if (!same.is_valid()) throw nb::python_error();
    if (const Array* r = array_in(same)) {
      if (r->size() == 0) continue;
      return nb::cast<bool>(nb::object(nb::bool_(wrap(any(*r)))));
    }
    const int yes = PyObject_IsTrue(same.ptr());
    if (yes < 0) throw nb::python_error();
    if (yes) return true;
  }
  return false;
}

nb::object in_show(const char* name) { return nb::module_::import_("serrate._show").attr(name); }

// <Name [...] type='...'>, with the names of axes in between.
std::string text_of(nb::handle self, const Array& a, const Meta& meta) {
  const bool plain = !meta.attrs.is_valid() && !has_behavior() && !meta.behavior.is_valid();
  if (plain) return serrate::repr(a);
  return nb::cast<std::string>(nb::object(in_show("repr_of")(self)));
}

nb::object copied(nb::handle self) {
  begin();
  return wrap(as_array(self, "copy"));
}

// With buffers of its own.
nb::object deep_copied(nb::handle self, nb::handle) {
  return nb::module_::import_("serrate._core").attr("copy")(self);
}

template <class T>
nb::object attrs_of(T& x) {
  if (!x.meta.attrs.is_valid() || PyDict_CheckExact(x.meta.attrs.ptr())) {
    const nb::object own = nb::module_::import_("serrate._convert").attr("Attrs")();
    if (x.meta.attrs.is_valid()) own.attr("update")(x.meta.attrs);
    x.meta.attrs = own;
  }
  return x.meta.attrs;
}

Array& inside(PyArray& x) { return x; }
Array& inside(Record& x) { return x.value; }

template <class T>
void set_layout(nb::handle self, nb::handle layout) {
  const std::optional<Array> a = from_layout(layout);
  const bool record = std::is_same_v<T, Record>;
  check<TypeError>(a && (a->node()->kind == graph::NodeKind::record) == record,
                   "layout must be a subclass of {}",
                   record ? "serrate.record.Record" : "serrate.contents.Content");
  change<T>(self, [&](T& x) { inside(x) = *a; });
}

nb::object names_of(const Meta& meta) {
  return nb::module_::import_("serrate._named_axis")
      .attr("names_of")(meta.attrs.is_valid() ? meta.attrs : nb::none());
}

// What Array and Record have in common.
template <class T, class Get>
void bind_common(Class<T>& c, Get get) {
  c.def_prop_ro(
       "fields", [get](const T& x) { return get(x).fields(); },
       "Names of the record fields, or numbers of the tuple slots.")
      .def_prop_ro(
          "type", [get](const T& x) { return shown_type_object(get(x).type(), x.meta); },
          "The type.")
      .def_prop_rw(
          "layout",
          [](nb::handle self) {
            return nb::module_::import_("serrate._content").attr("layout_of")(self);
          },
          [](nb::handle self, nb::handle layout) { set_layout<T>(self, layout); },
          "Its buffers and their structure (serrate.contents); evaluates.")
      .def_prop_ro(
          "typestr", [get](const T& x) { return shown_type(get(x).type(), x.meta).str(); },
          "The type as text: '3 * var * int64'.")
      .def_prop_ro("is_tuple", [get](const T& x) { return holds_tuples(get(x).type()); })
      .def_prop_ro(
          "nbytes",
          [get](const T& x) {
            // A single value is counted as an array of one.
            const Array a = get(x).is_scalar() ? rows_of_one(get(x)) : get(x);
            evaluate(a);
            return bytes_of(*a.node());
          },
          "Bytes of all buffers; evaluates.")
      .def_prop_rw(
          "behavior",
          [](const T& x) {
            return x.meta.behavior.is_valid() ? x.meta.behavior : nb::object(nb::none());
          },
          [](nb::handle self, nb::handle behavior) {
            check<TypeError>(behavior.is_none() || PyMapping_Check(behavior.ptr()),
                             "behavior must be a mapping or None");
            change<T>(self, [&](T& x) {
              x.meta.behavior = behavior.is_none() ? nb::object() : nb::borrow(behavior);
            });
          },
          "Its own behaviours by name, or None; looked up before serrate.behavior.")
      .def_prop_rw(
          "attrs", [](T& x) { return attrs_of(x); },
          [](T& x, nb::handle attrs) { x.meta.attrs = checked_attrs(attrs); },
          "Notes that results take over; those whose names begin with @ are not pickled.")
      .def_prop_ro("named_axis", [](const T& x) { return names_of(x.meta); })
      .def_prop_ro("positional_axis",
                   [get](const T& x) {
                     nb::list axes;
                     const int n = std::max(0, ops::levels(*get(x).node()).max);
                     for (int i = 0; i < n; ++i) axes.append(i);
                     return nb::tuple(axes);
                   })
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
      .def("_repr_html_", [](nb::handle self) { return in_show("html")(self); })
      .def(
          "_repr_mimebundle_",
          [](nb::handle self, nb::handle, nb::handle) { return in_show("mimebundle")(self); },
          "include"_a = nb::none(), "exclude"_a = nb::none())
      .def("_ipython_key_completions_", [get](const T& x) { return get(x).fields(); })
      .def("__reduce_ex__",
           [get](const T& x, int protocol) { return reduce(get(x), x.meta, protocol); })
      .def("__repr__",
           [get](nb::handle self) {
             const T& x = value_of<T>(self.ptr());
             return text_of(self, get(x), x.meta);
           })
      .def("__str__", &text_of_values);
  c.type().attr("show") = in_show("show");
}

}  // namespace

void update_class(nb::handle o, const Array& a, const Meta& meta) {
  PyTypeObject* type = class_of(*a.node(), meta);
  if (Py_TYPE(o.ptr()) != type) nb::setattr(o, "__class__", (PyObject*)type);
  validate(o);
}

void validate(nb::handle o) {
  thread_local bool validating = false;  // what is made meanwhile is not asked
  if (validating || !nb::type_lookup(o.type(), "__awkward_validation__").is_valid()) return;
  validating = true;
  const std::unique_ptr<bool, void (*)(bool*)> end(&validating, [](bool* b) { *b = false; });
  o.attr("__awkward_validation__")();
}

void bind_array(nb::module_& m) {
  nb::class_<MaskGetter>(m, "_MaskGetter")
      .def("__getitem__", [](const MaskGetter& g, nb::handle keep) {
        begin();
        remember(g.array.meta);
        const Beside beside(g.array);
        return wrap(mask(g.array, as_array(keep, "mask")));
      });
  Class<PyArray> c(m, "Array", "serrate._core.Array",
                   "A nested, variable-length array; computed when it is looked at.\n\n"
                   ">>> Array([[1, 2, 3], [], [4]]) + 10\n"
                   "<Array [[11, 12, 13], [], [14]] type='3 * var * int64'>",
                   array_slots);
  c.def_init(&init, "data"_a.none(), nb::kw_only(), "behavior"_a = nb::none(),
             "with_name"_a = nb::none(), "check_valid"_a = false, "backend"_a = nb::none(),
             "attrs"_a = nb::none(), "named_axis"_a = nb::none());
  bind_common(c, [](const PyArray& a) -> const Array& { return a; });
  c.def_prop_ro(
       "ndim", [](const PyArray& a) { return depth_of(a.type()); }, "Levels of nesting.")
      .def_prop_ro(
          "mask", [](const PyArray& a) { return MaskGetter{a}; }, "x.mask[keep] is mask(x, keep).")
      .def("__iter__", &iterate)
      .def("__contains__", &contains, nb::arg("x").none())
      .def("__reversed__",
           [](const PyArray& a) {
             return nb::module_::import_("builtins").attr("reversed")(nb::list(iterate(a)));
           })
      .def("__array__", &as_numpy, "dtype"_a = nb::none(), "copy"_a = nb::none())
      .def_prop_ro("__cuda_array_interface__", [](const PyArray& a) { return gpu_interface(a); })
      .def("__dlpack_device__",
           [](const PyArray& a) {
             return a.device() == Device::cpu ? nb::make_tuple(1, 0)
                                              : nb::make_tuple(2, gpu_number());
           })
      .def("__dlpack__",
           [](const PyArray& a, nb::kwargs kwargs) {
             if (a.device() == Device::cuda) return gpu_dlpack(a, kwargs);
             nb::object n = to_numpy(a, false);
             // Older consumers cannot be told that memory is read-only; they get a copy.
             if (!kwargs.contains("max_version")) n = n.attr("copy")();
             return n.attr("__dlpack__")(**kwargs);
           })
      .def("__copy__", &copied)
      .def("__deepcopy__", &deep_copied)
      .def("__dir__", [](nb::handle self) { return dir(self, *array_in(self)); });
}

void bind_record(nb::module_& m) {
  Class<Record> c(m, "Record", "serrate._core.Record",
                  "One record or tuple of an array.\n\n"
                  ">>> Array([{\"x\": 1, \"y\": [2, 3]}])[0].y\n"
                  "<Array [2, 3] type='2 * int64'>",
                  record_slots);
  c.def_init(
      [](nb::handle self, nb::handle data, nb::handle behavior, std::optional<std::string> name,
         bool check_valid, nb::handle backend, nb::handle attrs, nb::handle named_axis) {
        if (check_valid) check_buffers(data);
        begin(true, behavior, attrs);
        const bool text = PyUnicode_Check(data.ptr());
        const nb::object from = text ? from_json(data) : nb::borrow(data);
        const bool mapping = PyMapping_Check(from.ptr()) && nb::hasattr(from, "items");
        Array a = text && mapping ? placed(from_iter(from), true)
                  : mapping       ? one_record(from)
                                  : as_array(from, "Record");
        check<TypeError>(a.node()->kind == graph::NodeKind::record,
                         "Record: expected a mapping or a record");
        if (!backend.is_none())
          a = move_to(a, backend_named(nb::cast<std::string>(backend), "Record"));
        if (name) a = with_name(a, *name);
        Record& r = value_of<Record>(self.ptr());
        r = Record{std::move(a), current_meta()};
        if (!named_axis.is_none()) set_named_axis(r.meta, named_axis, 1);
        update_class(self, r.value, r.meta);
      },
      "data"_a, nb::kw_only(), "behavior"_a = nb::none(), "with_name"_a = nb::none(),
      "check_valid"_a = false, "backend"_a = nb::none(), "attrs"_a = nb::none(),
      "named_axis"_a = nb::none());
  bind_common(c, [](const Record& r) -> const Array& { return r.value; });
  c.def(
       "__getitem__",
       [](const Record& r, nb::handle where) {
         begin();
         remember(r.meta);
         return getitem(r.value, named_slice(r.value, r.meta, where));
       },
       "where"_a.none())
      .def(
          "__setitem__",
          [](nb::handle self, nb::handle where, nb::handle what) {
            begin();
            change<Record>(self, [&](Record& r) {
              const Beside beside(r.value);
              r.value = with_field(r.value, field_value(what), field_path(where, "x[...] = ..."));
            });
          },
          "where"_a, "what"_a.none())
      .def("__delitem__",
           [](nb::handle self, nb::handle where) {
             change<Record>(self, [&](Record& r) {
               r.value = without_field(r.value, field_path(where, "del x[...]"));
             });
           })
      .def("__copy__", &copied)
      .def("__deepcopy__", &deep_copied)
      .def("__dir__", [](nb::handle self) { return dir(self, record_in(self)->value); });
  // Without this, Python would iterate by calling x[0], x[1] ...
  c.type().attr("__iter__") = nb::none();
}

}  // namespace serrate::python
