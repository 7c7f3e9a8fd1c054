// Between arrays and layouts: the classes are those of contents.py, here are their parts.
#include "common/checked.h"
#include "common/class.h"
#include "common/context.h"
#include "convert/construct.h"
#include "graph/evaluate.h"
#include "serrate/io.h"

namespace serrate::python {
namespace {

// The classes Content and Record, and what gives (form, length, buffers, place or None) of one.
PyObject* classes = nullptr;
PyObject* parts_of_layout = nullptr;

Array from_parts(nb::handle parts) {
  const Array a = from_whole_container(nb::cast<std::string>(parts[nb::int_(0)]),
                                       nb::cast<int64_t>(nb::object(parts[nb::int_(1)])),
                                       nb::object(parts[nb::int_(2)]));
  const nb::object at(parts[nb::int_(3)]);
  return at.is_none() ? a : serrate::getitem(a, {nb::cast<int64_t>(at)});
}

// While layouts are made, results are arrays.
struct ArraysAgain {
  bool before = wants_layout();
  ArraysAgain() { want_layout(false); }
  ~ArraysAgain() { want_layout(before); }
};

// Form, length and buffers where the array lies; of a record, those of one row.
nb::object parts_of(nb::handle x) {
  const ArraysAgain guard;
  const Record* r = record_in(x);
  const Array a = r ? rows_of_one(r->value) : *array_in(x);
  evaluate(a);
  const Buffers b = to_buffers(a);
  nb::dict container;
  put_views(b, container);
  return nb::make_tuple(b.form_json, b.length, container, r ? nb::object(nb::int_(0)) : nb::none());
}

}  // namespace

void put_views(const Buffers& b, nb::object container) {
  for (size_t i = 0; i < b.buffers.size(); ++i)
    container[b.buffers[i].first.c_str()] = typed_view(b.buffers[i].second, b.dtypes[i]);
}

std::optional<Array> from_layout(nb::handle o) {
  // Python's isinstance takes a tenth of a call.
  if (!classes || array_in(o) || !is_instance(o, classes)) return {};
  return not_too_deep("the layout",
                      [&] { return from_parts(nb::object(nb::borrow(parts_of_layout)(o))); });
}

nb::object as_layout(const Array& a) {
  const ArraysAgain guard;
  const bool record = a.node()->kind == graph::NodeKind::record;
  return nb::module_::import_("serrate._content")
      .attr("layout_of")(record ? made(class_object<Record>, Record{a})
                                : made(class_object<PyArray>, PyArray(a)));
}

void bind_layout(nb::module_& m) {
  m.def("_parts", &parts_of, "array"_a);
  m.def("_array_of", [](nb::handle layout) {
    const ArraysAgain guard;
    const std::optional<Array> a = from_layout(layout);
    check<TypeError>(a.has_value(), "expected a layout, got an object of class {}",
                     nb::cast<std::string>(nb::str(nb::type_name(layout.type()))));
    return wrap(*a);
  });
  m.def("_set_layouts", [](nb::object of, nb::object parts) {
    classes = of.release().ptr();
    parts_of_layout = parts.release().ptr();
  });
}

}  // namespace serrate::python
