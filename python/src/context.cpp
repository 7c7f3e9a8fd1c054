// What goes from operands to results besides values: behaviours, attributes, classes by name.
#include "context.h"

#include "class.h"
#include "ops/broadcast.h"
#include "ops/levels.h"

namespace serrate::python {
namespace {

thread_local Context context;

nb::object names_module() { return nb::module_::import_("serrate._named_axis"); }

bool has_names(PyObject* attrs) {
  return attrs && PyDict_GetItemString(attrs, "__named_axis__") != nullptr;
}

/// later's entries under those of `first`.
PyObject* merged(PyObject* first, PyObject* later) {
  if (first == later) return Py_NewRef(first);
  if (has_names(first) && has_names(later))
    return names_module().attr("unified")(nb::handle(first), nb::handle(later)).release().ptr();
  nb::object all = nb::steal(PyDict_New());
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

std::string name_in(const Parameters& p, std::string_view key) {
  for (const auto& [k, json] : p) {
    if (k == key && json.size() >= 2 && json.front() == '"') return json.substr(1, json.size() - 2);
  }
  return {};
}

using graph::Node;
using graph::NodeKind;

/// The first name on the way down through lists and options.
std::string deep_name(const Node& n) {
  if (std::string s = name_in(n.parameters, "__record__"); !s.empty()) return s;
  if (std::string s = name_in(n.parameters, "__list__"); !s.empty()) return s;
  if (n.kind == NodeKind::option || (n.kind == NodeKind::list && !graph::is_string(n)))
    return deep_name(*n.contents[0]);
  if (n.kind != NodeKind::union_) return {};
  const std::string first = deep_name(*n.contents[0]);
  for (const auto& c : n.contents) {
    if (deep_name(*c) != first) return {};
  }
  return first;
}

bool is_class(nb::handle o, nb::handle base) {
  return o.is_valid() && PyType_Check(o.ptr()) &&
         PyType_IsSubtype((PyTypeObject*)o.ptr(), (PyTypeObject*)base.ptr());
}

nb::object in_module(const char* name) {
  return nb::module_::import_("serrate._overloads").attr(name);
}

}  // namespace

void begin(bool highlevel, nb::handle behavior, nb::handle attrs) {
  if (context.behavior || context.attrs || context.behavior_given || context.attrs_given)
    context.clear();
  context.operand = {};
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

void begin() {
  context.layout = false;
  context.operand = {};
  if (context.behavior || context.attrs || context.attrs_given) context.clear();
}

InnerCall::InnerCall() : outer_(std::exchange(context, Context())) {}
InnerCall::~InnerCall() {
  context.clear();  // nobody's arrays are held
  context = std::exchange(outer_, Context());
}

bool wants_layout() { return context.layout; }
void want_layout(bool yes) { context.layout = yes; }

nb::object checked_attrs(nb::handle attrs) {
  check<TypeError>(nb::hasattr(attrs, "items"), "attrs must be a mapping of strings to values");
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
nb::object as_deep_as_others(const Array& a, nb::object attrs) {
  const graph::NodeRef n = a.node();
  const graph::NodeRef other = std::exchange(context.operand, n);
  const bool named = attrs.is_valid() && has_names(attrs.ptr());
  if (!other || !(named || has_names(context.attrs))) return attrs;
  const int more = dimensions(*other) - dimensions(*n);
  const bool regular = ops::purelist_isregular(*n) && ops::purelist_isregular(*other);
  const auto moved = [&](nb::handle names, const Node& shallow) {
    return nb::object(
        names_module().attr("broadcast")(names, dimensions(shallow), std::abs(more), regular));
  };
  if (more > 0) context.operand = other;
  if (more > 0 && named) return moved(attrs, *n);
  if (more < 0 && has_names(context.attrs)) {
    PyObject* before = context.attrs;
    context.attrs = moved(nb::handle(before), *other).release().ptr();
    Py_DECREF(before);
  }
  return attrs;
}

}  // namespace

void forget_attrs() {
  Py_CLEAR(context.attrs);
  context.attrs_given = true;
}

void remember(const Meta& meta, const Array* a) {
  add(context.behavior, context.behavior_given, meta.behavior);
  // Attributes that somebody holds may change: results get their own.
  nb::object attrs = meta.attrs;
  if (attrs.is_valid() && !PyDict_CheckExact(attrs.ptr()))
    attrs = nb::steal(PyDict_Copy(attrs.ptr()));
  if (a && !context.attrs_given) attrs = as_deep_as_others(*a, attrs);
  add(context.attrs, context.attrs_given, attrs);
}

namespace {

void set_attrs(nb::object attrs) {
  PyObject* before = context.attrs;
  context.attrs = attrs.is_none() ? nullptr : attrs.release().ptr();
  Py_XDECREF(before);
}

}  // namespace

nb::object current_names() {
  if (!has_names(context.attrs)) return {};
  return nb::borrow(PyDict_GetItemString(context.attrs, "__named_axis__"));
}

void remember_only(const Meta& meta, const nb::object& names) {
  if (!context.behavior_given) Py_CLEAR(context.behavior);
  if (!context.attrs_given) Py_CLEAR(context.attrs);
  remember(meta);
  if (context.attrs_given || !names.is_valid()) return;
  const nb::object attrs = context.attrs ? nb::borrow(context.attrs) : nb::none();
  set_attrs(names_module().attr("with_names")(attrs, names));
}

Meta current_meta() {
  context.operand = {};
  Meta m;
  if (context.behavior) m.behavior = nb::borrow(context.behavior);
  if (context.attrs) m.attrs = nb::borrow(context.attrs);
  return m;
}

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
  const Array* a = array_in(array);
  if (!has_names(context.attrs) || !a) return;
  static constexpr const char* functions[] = {"removed", "only",      "up_to",
                                              "singled", "flattened", "nested"};
  const nb::object at = axis ? nb::object(nb::int_(*axis)) : nb::none();
  set_attrs(names_module().attr(functions[static_cast<int>(rule)])(nb::handle(context.attrs), at,
                                                                   dimensions(*a->node())));
}

nb::object named_slice(const Array& a, const Meta& meta, nb::handle where) {
  const bool names = meta.attrs.is_valid() && has_names(meta.attrs.ptr());
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

nb::handle global_behavior() {
  static PyObject* behavior = PyDict_New();
  return behavior;
}

bool has_behavior() { return context.behavior || PyDict_Size(global_behavior().ptr()) > 0; }

nb::object find_behavior(const Meta& meta, nb::handle key) {
  if (meta.behavior.is_valid()) {
    PyObject* own = PyObject_GetItem(meta.behavior.ptr(), key.ptr());
    if (own) return nb::steal(own);
    PyErr_Clear();
  }
  PyObject* found = PyDict_GetItemWithError(global_behavior().ptr(), key.ptr());
  if (!found && PyErr_Occurred()) throw nb::python_error();
  return found ? nb::borrow(found) : nb::object();
}

namespace {

Type with_shown_names(const Type& t, const Meta& meta) {
  for (const char* key : {"__record__", "__list__"}) {
    const std::string name = name_in(t.parameters(), key);
    if (name.empty()) continue;
    const nb::object text = find_behavior(meta, nb::make_tuple("__typestr__", name));
    if (text.is_valid())
      return t.with_parameter("__typestr__", json_quote(nb::cast<std::string>(nb::str(text))));
  }
  const auto inner = [&](size_t i) { return with_shown_names(t.content(i), meta); };
  switch (t.kind()) {
    case Type::Kind::list:
      return Type::list(inner(0)).with_parameters(t.parameters());
    case Type::Kind::regular:
      return Type::regular(inner(0), t.size()).with_parameters(t.parameters());
    case Type::Kind::option:
      return Type::option(inner(0)).with_parameters(t.parameters());
    case Type::Kind::array:
      return Type::array(t.size(), inner(0));
    case Type::Kind::union_:
    case Type::Kind::record:
      break;
    default:
      return t;
  }
  std::vector<Type> contents;
  for (size_t i = 0; i < t.contents().size(); ++i) contents.push_back(inner(i));
  const Type out = t.is(Type::Kind::union_) ? Type::union_(std::move(contents))
                   : t.is_tuple()
                       ? Type::tuple(std::move(contents))
                       : Type::record({t.fields().begin(), t.fields().end()}, std::move(contents));
  return out.with_parameters(t.parameters());
}

// Without missing records, and where there were some; the second is null if there are none.
std::pair<graph::NodeRef, graph::NodeRef> without_missing(const graph::NodeRef& n) {
  const bool list = n->kind == NodeKind::list && !graph::is_string(*n);
  if (!list && n->kind != NodeKind::option) return {n, {}};
  const graph::NodeRef& content = n->contents[0];
  if (!list && content->kind == NodeKind::record) return {content, graph::leaf(n->column)};
  auto [plain, valid] = without_missing(content);
  if (!valid) return {n, {}};
  if (list)
    return {graph::list_node(n->space, plain, n->size, n->parameters),
            graph::list_node(n->space, valid, n->size)};
  return {graph::option_node(n->column, plain), graph::option_node(n->column, valid)};
}

}  // namespace

Type shown_type(const Type& t, const Meta& meta) {
  if (!meta.behavior.is_valid() && PyDict_Size(global_behavior().ptr()) == 0) return t;
  return with_shown_names(t, meta);
}

PyTypeObject* class_of(const Array& a, const Meta& meta) {
  const graph::NodeRef n = a.node();
  const bool is_record = n->kind == NodeKind::record;
  PyTypeObject* base = is_record ? class_object<Record> : class_object<PyArray>;
  if (!meta.behavior.is_valid() && PyDict_Size(global_behavior().ptr()) == 0) return base;
  // Behaviours keep the classes alive.
  auto known = [&](const nb::object& key) -> PyTypeObject* {
    const nb::object found = find_behavior(meta, key);
    return is_class(found, (PyObject*)base) ? (PyTypeObject*)found.ptr() : nullptr;
  };
  if (is_record) {
    const std::string name = name_in(n->parameters, "__record__");
    PyTypeObject* own = name.empty() ? nullptr : known(nb::str(name.c_str()));
    return own ? own : base;
  }
  const Node& top = *n->contents[0];
  if (const std::string name = name_in(top.parameters, "__list__"); !name.empty()) {
    if (PyTypeObject* own = known(nb::str(name.c_str()))) return own;
  }
  const std::string name = deep_name(top);
  PyTypeObject* own = name.empty() ? nullptr : known(nb::make_tuple("*", name));
  return own ? own : base;
}

namespace {

/// Is it a union (in lists) of which a member has a name?
bool has_named_members(const Node& n) {
  if (n.kind == NodeKind::option || (n.kind == NodeKind::list && !graph::is_string(n)))
    return has_named_members(*n.contents[0]);
  return n.kind == NodeKind::union_ &&
         std::any_of(n.contents.begin(), n.contents.end(),
                     [](const graph::NodeRef& c) { return !deep_name(*c).empty(); });
}

}  // namespace

bool has_overload_name(const Node& n) { return !deep_name(n).empty() || has_named_members(n); }

std::optional<nb::object> overloaded(nb::handle ufunc, nb::handle inputs) {
  const nb::object out = in_module("ufunc")(ufunc, inputs);
  if (out.is(Py_NotImplemented)) return {};
  return out;
}

std::optional<nb::object> overloaded_reducer(const char* name, nb::handle array, nb::handle axis,
                                             bool keepdims, nb::handle mask_identity) {
  nb::object x = nb::borrow(array);
  const bool layout = wants_layout();
  if (const std::optional<Array> a = from_layout(array); a && has_behavior()) {
    want_layout(false);
    x = wrap(*a);
    want_layout(layout);
  }
  const Array* a = array_in(x);
  if (!a || !(has_behavior() || meta_of(x)->behavior.is_valid())) return {};
  if (deep_name(*a->node()).empty()) return {};
  const nb::object out = in_module("reducer")(name, x, axis, keepdims, mask_identity);
  if (out.is(Py_NotImplemented)) return {};
  if (const Array* made = array_in(out); made && layout) return as_layout(*made);
  return out;
}

Array rows_of_one(const Array& x) {
  const graph::SpaceRef one = graph::rows(1);
  return Array(graph::list_node(one, ops::lift_node(x.node(), graph::unit(), one)));
}

namespace {

// The name of an operand, else the class of its numbers, else None.
nb::object overload_key(nb::handle x) {
  const Array& a = record_in(x) ? record_in(x)->value : *array_in(x);
  const std::string name = deep_name(*a.node());
  if (!name.empty()) return nb::str(name.c_str());
  const Node* n = a.node().operator->();
  while (n->kind == NodeKind::option || (n->kind == NodeKind::list && !graph::is_string(*n)))
    n = n->contents[0].operator->();
  if (n->kind != NodeKind::leaf) return nb::none();
  const DType t = n->column->dtype;
  return nb::borrow(numpy(t == DType::boolean ? "bool_" : serrate::name(t).data()));
}

/// The array with `with(union)` in place of the union inside its lists.
template <class F>
graph::NodeRef replaced_union(const graph::NodeRef& n, F&& with) {
  if (n->kind == NodeKind::union_) return with(*n);
  const graph::NodeRef inner = replaced_union(n->contents[0], with);
  return n->kind == NodeKind::option ? graph::option_node(n->column, inner)
                                     : graph::list_node(n->space, inner, n->size, n->parameters);
}

/// Of a union with named members: where each of them is, and its values everywhere.
nb::object members(nb::handle x) {
  const Array* a = array_in(x);
  nb::list out;
  if (!a || !has_named_members(*a->node())) return out;
  size_t count = 1;
  for (size_t k = 0; k < count; ++k) {
    const graph::NodeRef values = replaced_union(a->node(), [&](const Node& u) {
      count = u.contents.size();
      return u.contents[k];
    });
    const graph::NodeRef here =
        replaced_union(a->node(), [&](const Node& u) { return graph::leaf(ops::is_member(u, k)); });
    out.append(nb::make_tuple(wrap(Array(here)), wrap(Array(values))));
  }
  return out;
}

}  // namespace

void bind_context(nb::module_& m) {
  m.def("_members", [](nb::handle x) {
    begin();
    remember(meta_of(x) ? *meta_of(x) : Meta());
    return members(x);
  });
  m.def("_overload_key", &overload_key);
  m.def("_without_missing", [](nb::handle x) {
    begin();
    const auto [plain, valid] = without_missing(as_array(x, "records").node());
    return nb::make_tuple(wrap(Array(plain)), valid ? wrap(Array(valid)) : nb::none());
  });
  m.def("_one", [](nb::handle x) {
    begin();
    const Array a = as_array(x, "records");
    const graph::SpaceRef one = graph::rows(1);
    if (a.is_scalar()) return wrap(rows_of_one(a));
    // An array of one list: all items of x.
    return wrap(unflatten(a, Array(static_cast<int64_t>(a.size()))));
  });
}

}  // namespace serrate::python
