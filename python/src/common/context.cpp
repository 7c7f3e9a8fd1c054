// What goes from operands to results besides values: behaviours, attributes, names of axes.
#include "common/context.h"

#include <algorithm>

#include "common/checked.h"
#include "common/operands.h"
#include "graph/known.h"
#include "ops/tree/levels.h"

namespace serrate::python {
namespace {

thread_local Context of_thread;

/// This thread's, to be asked for once a function: it takes a call to find it.
[[gnu::noinline]] Context& here() { return of_thread; }

nb::object names_module() { return nb::module_::import_("serrate._named_axis"); }

bool has_names(PyObject* attrs) {
  return attrs && PyDict_GetItemString(attrs, "__named_axis__") != nullptr;
}

/// later's entries under those of `first`.
PyObject* merged(PyObject* first, PyObject* later) {
  if (first == later) return Py_NewRef(first);
  if (has_names(first) && has_names(later))
    return names_module().attr("unified")(nb::handle(first), nb::handle(later)).release().ptr();
  nb::object all = owned(PyDict_New());
  nb::object update = all.attr("update");
  update(nb::handle(later));
  update(nb::handle(first));
  return all.release().ptr();
}

void add(PyObject*& slot, bool given, const nb::object& more) {
  if (given || !more.is_valid()) return;
  PyObject* next = slot ? merged(slot, more.ptr()) : Py_NewRef(more.ptr());
  PyObject* before = slot;
  slot = next;
  Py_XDECREF(before);
}

Meta meta_in(const Context& context) {
  Meta m;
  if (context.behavior) m.behavior = nb::borrow(context.behavior);
  if (context.attrs) m.attrs = nb::borrow(context.attrs);
  return m;
}

using graph::Node;
using graph::NodeKind;

}  // namespace

void begin(bool highlevel, nb::handle behavior, nb::handle attrs) {
  Context& context = here();
  if (context.behavior || context.attrs || context.behavior_given || context.attrs_given)
    context.clear();
  context.operand = {};
  context.named.reset();
  context.layout = !highlevel;
  if (!behavior.is_none()) {
    check<TypeError>(PyMapping_Check(behavior.ptr()), "behavior must be a mapping or None");
    context.behavior = behavior.inc_ref().ptr();
    context.behavior_given = true;
  }
  if (!attrs.is_none()) {
    context.attrs = checked_attrs(attrs).release().ptr();
    context.attrs_given = true;
  }
}

Context& begin() {
  Context& context = here();
  context.layout = false;
  context.operand = {};
  context.named.reset();
  if (context.behavior || context.attrs || context.attrs_given) context.clear();
  return context;
}

InnerCall::InnerCall() : outer_(std::exchange(here(), Context())) {}
InnerCall::~InnerCall() {
  Context& context = here();
  context.clear();  // nobody's arrays are held
  context = std::exchange(outer_, Context());
}

bool wants_layout() { return here().layout; }
std::optional<Meta> meta_of_result() {
  const Context& context = here();
  if (context.layout) return {};
  return meta_in(context);
}
void want_layout(bool yes) { here().layout = yes; }

nb::object checked_attrs(nb::handle attrs) {
  check<TypeError>(has(attrs, "items"), "attrs must be a mapping of strings to values");
  nb::dict out;
  for (nb::handle pair : nb::iter(nb::object(attrs.attr("items")()))) {
    const nb::object key(pair[nb::int_(0)]);
    check<TypeError>(PyUnicode_Check(key.ptr()), "'attrs' keys must be strings");
    out[key] = nb::object(pair[nb::int_(1)]);
  }
  return out;
}

namespace {

int dimensions(const Node& n) { return ops::levels(n).max; }

/// The attributes of one of several operands with its names where its axes are when it is
/// broadcast; names so far move likewise.
nb::object as_deep_as_others(Context& context, const PyArray& a, nb::object attrs) {
  const TypeFacts &own = facts_of(a), other = context.operand;
  if (own.depth > other.depth) context.operand = own;
  const bool named = attrs.is_valid() && has_names(attrs.ptr());
  const auto note = [&] {
    if (named && !context.named) context.named = a;
  };
  if (other.depth < 0 || !(named || has_names(context.attrs))) {
    note();
    return attrs;
  }
  const int more = other.depth - own.depth;
  // One row is stretched along axis 0; where its axes have names that are others' it is, as in
  // Awkward, an item of each row of theirs.
  const auto is_one_row = [&] {
    if (!context.named || !named || !context.attrs || more == 0) return false;
    if (!nb::cast<bool>(
            nb::object(names_module().attr("differ")(attrs, nb::handle(context.attrs)))))
      return false;
    const Array &one = a, &other_one = *context.named;
    const Array &shallow = more > 0 ? one : other_one, &deep = more > 0 ? other_one : one;
    return shallow.size() == 1 && deep.size() != 1;
  };
  const bool one_row = is_one_row();
  note();
  const auto moved = [&](nb::handle given, int depth) {
    const nb::object broadcast = names_module().attr("broadcast");
    int axes = std::abs(more);
    nb::object names = nb::borrow(given);
    if (one_row) {
      names = broadcast(names, depth++, 1, true);
      axes--;
    }
    return nb::object(broadcast(names, depth, axes, own.regular && other.regular && !one_row));
  };
  if (more > 0 && named) return moved(attrs, own.depth);
  if (more < 0 && has_names(context.attrs)) {
    PyObject* before = context.attrs;
    context.attrs = moved(nb::handle(before), other.depth).release().ptr();
    Py_DECREF(before);
  }
  return attrs;
}

}  // namespace

void forget_attrs() {
  Context& context = here();
  Py_CLEAR(context.attrs);
  context.attrs_given = true;
}

TypeFacts facts_of(const Node& array) {
  const graph::TreeFacts of_all = graph::facts_of_tree(array);
  const Node* n = &array;
  while (n->kind == NodeKind::option) n = n->contents[0].get();
  if (n->kind == NodeKind::list && !graph::is_string(*n)) n = n->contents[0].get();
  return {.depth = of_all.depth,
          .regular = graph::facts_of_tree(*n).is_regular,
          .has_names = of_all.has_parameters && has_overload_name(array)};
}

const TypeFacts& facts_of(const PyArray& a) {
  if (a.facts.depth < 0) a.facts = facts_of(*a.node());
  return a.facts;
}

namespace {

void remember_operand(const Meta& meta, const PyArray* a) {
  Context& context = here();
  add(context.behavior, context.behavior_given, meta.behavior);
  // Attributes that somebody holds may change: results get their own.
  nb::object attrs = meta.attrs;
  if (attrs.is_valid() && !PyDict_CheckExact(attrs.ptr())) attrs = owned(PyDict_Copy(attrs.ptr()));
  if (a && !context.attrs_given) attrs = as_deep_as_others(context, *a, attrs);
  add(context.attrs, context.attrs_given, attrs);
}

}  // namespace

void remember(const Meta& meta) { remember_operand(meta, nullptr); }
void remember(const PyArray& a) { remember_operand(a.meta, &a); }

namespace {

void set_attrs(nb::object attrs) {
  Context& context = here();
  PyObject* before = context.attrs;
  context.attrs = attrs.is_none() ? nullptr : attrs.release().ptr();
  Py_XDECREF(before);
}

}  // namespace

nb::object current_names() {
  const Context& context = here();
  if (!has_names(context.attrs)) return {};
  return nb::borrow(PyDict_GetItemString(context.attrs, "__named_axis__"));
}

void remember_only(const Meta& meta, const nb::object& names) {
  Context& context = here();
  if (!context.behavior_given) Py_CLEAR(context.behavior);
  if (!context.attrs_given) Py_CLEAR(context.attrs);
  remember(meta);
  if (context.attrs_given || !names.is_valid()) return;
  const nb::object attrs = context.attrs ? nb::borrow(context.attrs) : nb::none();
  set_attrs(names_module().attr("with_names")(attrs, names));
}

void set_axis_names(Meta& meta, const nb::object& names) {
  const nb::object attrs = meta.attrs.is_valid() ? meta.attrs : nb::none();
  meta.attrs = names_module().attr("with_names")(attrs, names);
  if (meta.attrs.is_none()) meta.attrs = nb::object();
}

void set_axis_names(Meta& meta, nb::handle names, int axes) {
  if (names.is_none()) return set_axis_names(meta, nb::none());
  set_axis_names(meta, nb::object(names_module().attr("checked")(names, std::max(1, axes))));
}

nb::object axis_names_of(const Meta& meta) {
  return names_module().attr("names_of")(meta.attrs.is_valid() ? meta.attrs : nb::none());
}

std::array<Array, 2> operands_named_by_first(const char* op, nb::handle x, nb::handle y) {
  const Beside beside(x, y);
  const Array first = as_array(x, op);
  Array second;
  Meta meta;
  {
    const InnerCall inner;
    second = as_array(y, op);
    meta = current_meta();
  }
  if (meta.attrs.is_valid()) set_axis_names(meta, nb::none());
  remember(meta);
  return {first, second};
}

Meta current_meta() { return meta_in(here()); }

int named_axis(const std::string& name, nb::handle array) {
  nb::object first = nb::borrow(array);
  if (PyDict_Check(array.ptr())) first = nb::list(array.attr("values")());
  if (!PyList_Check(first.ptr()) && !PyTuple_Check(first.ptr())) first = nb::make_tuple(first);
  nb::object attrs = nb::none();  // of the first one that has the name
  for (nb::handle x : nb::iter(first)) {
    const Meta* meta = meta_of(x);
    if (!meta || !meta->attrs.is_valid()) continue;
    if (attrs.is_none()) attrs = meta->attrs;
    if (!nb::cast<bool>(nb::object(names_module().attr("has")(meta->attrs, name.c_str()))))
      continue;
    attrs = meta->attrs;
    break;
  }
  return nb::cast<int>(nb::object(names_module().attr("position")(attrs, name.c_str())));
}

void name_axes(nb::handle array, Names rule, Axis axis) {
  const Context& context = here();
  const Array* a = array_in(array);
  if (!has_names(context.attrs) || !a) return;
  static constexpr const char* functions[] = {"removed", "only",      "up_to",
                                              "singled", "flattened", "nested"};
  const nb::object at = axis ? nb::object(nb::int_(*axis)) : nb::none();
  set_attrs(names_module().attr(functions[static_cast<int>(rule)])(nb::handle(context.attrs), at,
                                                                   dimensions(*a->node())));
}

nb::object named_slice(const Array& a, const Meta& meta, nb::handle where) {
  const bool names = has_names(meta);
  if (!names && !PyDict_Check(where.ptr())) return nb::borrow(where);
  const nb::object attrs = meta.attrs.is_valid() ? meta.attrs : nb::none();
  int ndim = 0;
  for (const Node* n = a.node().operator->();
       n->kind == NodeKind::list || n->kind == NodeKind::option; n = n->contents[0].operator->())
    ndim += n->kind == NodeKind::list && !graph::is_string(*n);
  nb::object items = nb::borrow(where);
  if (PyDict_Check(where.ptr())) items = names_module().attr("positions")(attrs, where, ndim);
  if (names) set_attrs(names_module().attr("sliced")(attrs, items, ndim));
  return items;
}

bool has_names(const Meta& meta) { return has_names(meta.attrs.ptr()); }

bool has_behavior() { return here().behavior || PyDict_Size(global_behavior().ptr()) > 0; }

}  // namespace serrate::python
