// What the classes Array and Record of Python have in common: see members.h.
#include "classes/members.h"

#include <memory>
#include <set>
#include <utility>

#include "common/vectors.h"
#include "graph/evaluate.h"
#include "serrate/io.h"

namespace serrate::python {
namespace {

// Bytes of buffers that values over a stored space use; what several share counts once.
class Used {
 public:
  int64_t total = 0;

  void add(const graph::Node& n, const graph::SpaceRef& space) {
    const graph::StoredExtent e = graph::stored_extent(space);
    if (n.column) add(n.column, e.first, e.size);
    if (n.kind == graph::NodeKind::list && n.space->starts)
      add(n.space->starts, 0, e.size + (e.size > 0));
    for (const auto& c : n.contents) add(*c, n.space ? n.space : space);
  }

 private:
  void add(const graph::ColumnRef& c, int64_t first, int64_t items) {
    if (c->kind != graph::ColumnKind::load || items == 0) return;
    const int64_t size = itemsize(c->dtype);
    const std::pair<const void*, int64_t> place(c->buffer.data() + first * size, items * size);
    if (seen_.insert(place).second) total += place.second;
  }

  std::set<std::pair<const void*, int64_t>> seen_;
};

}  // namespace

int64_t bytes_of(const Array& x) {
  const Array a = x.is_scalar() ? rows_of_one(x) : x;
  evaluate(a);
  Used used;
  used.add(*a.node(), graph::unit());
  return used.total;
}

nb::object reduced(const Array& on_device, const Meta& meta, int protocol) {
  refuse_gpu(on_device, "pickle");
  const Array a = looked_at(on_device);
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

nb::object names_in(nb::handle self, const Array& a) {
  nb::object names = nb::module_::import_("builtins").attr("object").attr("__dir__")(self);
  nb::set all(names);
  for (const std::string& f : a.fields()) all.add(nb::str(f.c_str()));
  return nb::list(all);
}

nb::object in_show(const char* name) { return nb::module_::import_("serrate._show").attr(name); }

std::string text_of(nb::handle self, const Array& a, const Meta& meta) {
  const PyTypeObject* type = Py_TYPE(self.ptr());
  const bool own = type == class_object<PyArray> || type == class_object<Record>;
  if (own && !meta.attrs.is_valid() && !has_behavior() && !meta.behavior.is_valid())
    return serrate::repr(a);
  return nb::cast<std::string>(nb::object(in_show("repr_of")(self)));
}

nb::object copied(nb::handle self) {
  const Begun call;
  return wrap(as_array(self, "copy"));
}

nb::object deep_copied(nb::handle self, nb::handle) {
  return nb::module_::import_("serrate._core").attr("copy")(self);
}

nb::object attrs_of(Meta& meta) {
  if (!meta.attrs.is_valid() || PyDict_CheckExact(meta.attrs.ptr())) {
    const nb::object own = nb::module_::import_("serrate._convert").attr("Attrs")();
    if (meta.attrs.is_valid()) own.attr("update")(meta.attrs);
    meta.attrs = own;
  }
  return meta.attrs;
}

void update_class(nb::handle o, const Array& a, const Meta& meta) {
  PyTypeObject* type = class_of(*a.node(), meta);
  if (Py_TYPE(o.ptr()) != type) nb::setattr(o, "__class__", (PyObject*)type);
  validate(o);
}

void validate(nb::handle o) {
  thread_local bool validating = false;  // what is made meanwhile is not asked
  if (validating) return;
  const nb::object check = nb::type_lookup(o.type(), "__awkward_validation__");
  if (!check.is_valid()) return;
  if (checks_vectors(check)) return check_vectors(o);
  validating = true;
  const std::unique_ptr<bool, void (*)(bool*)> end(&validating, [](bool* b) { *b = false; });
  o.attr("__awkward_validation__")();
}

}  // namespace serrate::python
