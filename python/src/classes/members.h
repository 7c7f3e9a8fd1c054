// What the classes Array and Record of Python have in common.
#pragma once

#include <string>

#include "common/class.h"
#include "common/context.h"
#include "convert/construct.h"
#include "ops/tree/levels.h"

namespace serrate::python {

inline const Array& inside(const PyArray& x) { return x; }
inline const Array& inside(const Record& x) { return x.value; }
inline Array& inside(PyArray& x) { return x; }
inline Array& inside(Record& x) { return x.value; }

/// Bytes of buffers that are in use, of a single value as an array of one; evaluates.
int64_t bytes_of(const Array& a);
/// What pickle stores: form, length and trimmed buffers, which from protocol 5 on can stay out of
/// the stream.
nb::object reduced(const Array& a, const Meta& meta, int protocol);
/// Names for dir(self): those of the class, and the fields.
nb::object names_in(nb::handle self, const Array& a);
/// <Name [...] type='...'>, with the names of axes in between.
std::string text_of(nb::handle self, const Array& a, const Meta& meta);
/// The attributes, as an object that notes changes.
nb::object attrs_of(Meta& meta);
/// A function of _show.py.
nb::object in_show(const char* name);
nb::object copied(nb::handle self);
/// With buffers of its own.
nb::object deep_copied(nb::handle self, nb::handle memo);

template <class T>
void set_layout(nb::handle self, nb::handle layout) {
  const std::optional<Array> a = from_layout(layout);
  constexpr bool record = std::is_same_v<T, Record>;
  check<TypeError>(a && (a->node()->kind == graph::NodeKind::record) == record,
                   "layout must be a subclass of {}",
                   record ? "serrate.record.Record" : "serrate.contents.Content");
  change<T>(self, [&](T& x) { inside(x) = *a; });
}

/// `make` is what makes a T of data: array_from or record_from.
template <class T>
void bind_members(Class<T>& c, T (*make)(nb::handle, const Construction&)) {
  c.def_init(
      [make](nb::handle self, nb::handle data, nb::handle behavior, std::optional<std::string> name,
             bool check_valid, nb::handle backend, nb::handle attrs, nb::handle named_axis,
             nb::handle copy) {
        T made =
            make(data, {behavior, std::move(name), check_valid, backend, attrs, named_axis, copy});
        T& x = value_of<T>(self.ptr());
        x = std::move(made);
        update_class(self, inside(x), x.meta);
      },
      "data"_a.none(), nb::kw_only(), "behavior"_a = nb::none(), "with_name"_a = nb::none(),
      "check_valid"_a = false, "backend"_a = nb::none(), "attrs"_a = nb::none(),
      "named_axis"_a = nb::none(), "copy"_a = nb::none());
  c.def_prop_ro(
       "fields", [](const T& x) { return inside(x).fields(); },
       "Names of the record fields, or numbers of the tuple slots.")
      .def_prop_ro(
          "type", [](const T& x) { return shown_type_object(inside(x).type(), x.meta); },
          "The type.")
      .def_prop_rw(
          "layout",
          [](nb::handle self) {
            return nb::module_::import_("serrate._content").attr("layout_of")(self);
          },
          [](nb::handle self, nb::handle layout) { set_layout<T>(self, layout); },
          "Its buffers and their structure (serrate.contents); evaluates.")
      .def_prop_ro(
          "typestr", [](const T& x) { return shown_type(inside(x).type(), x.meta).str(); },
          "The type as text: '3 * var * int64'.")
      .def_prop_ro("is_tuple", [](const T& x) { return holds_tuples(inside(x).type()); })
      .def_prop_ro(
          "nbytes", [](const T& x) { return bytes_of(inside(x)); },
          "Bytes of its buffers that it uses; evaluates.")
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
          "attrs", [](T& x) { return attrs_of(x.meta); },
          [](T& x, nb::handle attrs) { x.meta.attrs = checked_attrs(attrs); },
          "Notes that results take over; those whose names begin with @ are not pickled.")
      .def_prop_ro("named_axis", [](const T& x) { return axis_names_of(x.meta); })
      .def_prop_ro("positional_axis",
                   [](const T& x) {
                     nb::list axes;
                     const int n = std::max(0, ops::levels(*inside(x).node()).max);
                     for (int i = 0; i < n; ++i) axes.append(i);
                     return nb::tuple(axes);
                   })
      .def(
          "to_list", [](nb::handle self) { return listed(self); }, "As nested Python lists.")
      .def(
          "tolist", [](nb::handle self) { return listed(self); }, "As nested Python lists.")
      .def(
          "to_numpy",
          [](const T& x, bool m) {
            refuse_gpu(inside(x), "to_numpy");
            return to_numpy(inside(x), m);
          },
          "allow_missing"_a = true, "As a NumPy array of its own.")
      .def("_repr_html_", [](nb::handle self) { return in_show("html")(self); })
      .def(
          "_repr_mimebundle_",
          [](nb::handle self, nb::handle, nb::handle) { return in_show("mimebundle")(self); },
          "include"_a = nb::none(), "exclude"_a = nb::none())
      .def("_ipython_key_completions_", [](const T& x) { return inside(x).fields(); })
      .def("__reduce_ex__",
           [](const T& x, int protocol) { return reduced(inside(x), x.meta, protocol); })
      .def("__repr__",
           [](nb::handle self) {
             const T& x = value_of<T>(self.ptr());
             return text_of(self, inside(x), x.meta);
           })
      .def("__str__", &text_of_values)
      .def("__copy__", &copied)
      .def("__deepcopy__", &deep_copied)
      .def("__dir__",
           [](nb::handle self) { return names_in(self, inside(value_of<T>(self.ptr()))); });
  c.type().attr("show") = in_show("show");
}

}  // namespace serrate::python
