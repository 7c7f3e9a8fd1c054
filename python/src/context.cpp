// What goes from operands to results besides values: behaviours, attributes, classes by name.
#include "context.h"

#include <unordered_map>

#include "class.h"
#include "operands.h"
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

std::string_view name_in(const Parameters& p, std::string_view key) {
  for (const auto& [k, json] : p) {
    if (k == key && json.size() >= 2 && json.front() == '"')
      return std::string_view(json).substr(1, json.size() - 2);
  }
  return {};
}

using graph::Node;
using graph::NodeKind;

/// The first name on the way down through lists and options.
std::string_view deep_name(const Node& n) {
  if (!n.parameters.empty()) {
    if (const auto s = name_in(n.parameters, "__record__"); !s.empty()) return s;
    if (const auto s = name_in(n.parameters, "__list__"); !s.empty()) return s;
  }
  if (n.kind == NodeKind::leaf) return {};
  if (n.kind == NodeKind::option || (n.kind == NodeKind::list && !graph::is_string(n)))
    return deep_name(*n.contents[0]);
  if (n.kind != NodeKind::union_) return {};
  const std::string_view first = deep_name(*n.contents[0]);
  for (const auto& c : n.contents) {
    if (deep_name(*c) != first) return {};
  }
  return first;
}

bool is_class(nb::handle o, nb::handle base) {
  return o.is_valid() && PyType_Check(o.ptr()) &&
         PyType_IsSubtype((PyTypeObject*)o.ptr(), (PyTypeObject*)base.ptr());
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

Axes axes_of(const Node& array) {
  Axes axes{.depth = 0};
  const Node* n = &array;
  while (n->kind == NodeKind::option || (n->kind == NodeKind::list && !graph::is_string(*n))) {
    if (n->kind == NodeKind::list && axes.depth++ > 0) axes.regular &= n->size >= 0;
    n = n->contents[0].get();
  }
  axes.regular &= n->kind != NodeKind::list;
  return axes;
}

/// The attributes of one of several operands with its names where its axes are when it is
/// broadcast; names so far move likewise.
nb::object as_deep_as_others(const Array& a, nb::object attrs) {
  const Axes own = axes_of(*a.node()), other = context.operand;
  if (own.depth > other.depth) context.operand = own;
  const bool named = attrs.is_valid() && has_names(attrs.ptr());
  if (other.depth < 0 || !(named || has_names(context.attrs))) return attrs;
  const int more = other.depth - own.depth;
  const auto moved = [&](nb::handle names, int depth) {
    return nb::object(names_module().attr("broadcast")(names, depth, std::abs(more),
                                                       own.regular && other.regular));
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
  if (meta.attrs.is_valid()) {
    meta.attrs = names_module().attr("with_names")(meta.attrs, nb::none());
    if (meta.attrs.is_none()) meta.attrs = nb::object();
  }
  remember(meta);
  return {first, second};
}

Meta current_meta() {
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

nb::handle global_behavior() {
  static PyObject* behavior = PyDict_New();
  return behavior;
}

bool has_behavior() { return context.behavior || PyDict_Size(global_behavior().ptr()) > 0; }

nb::object looked_up(nb::handle behavior, nb::handle key) {
  if (PyDict_CheckExact(behavior.ptr())) {
    PyObject* found = PyDict_GetItemWithError(behavior.ptr(), key.ptr());
    if (!found && PyErr_Occurred()) throw nb::python_error();
    return found ? nb::borrow(found) : nb::object();
  }
  // Of classes of users: some make what is asked for, so whether it is there is asked first.
  const int has = PySequence_Contains(behavior.ptr(), key.ptr());
  PyErr_Clear();
  PyObject* found = has == 0 ? nullptr : PyObject_GetItem(behavior.ptr(), key.ptr());
  if (!found) PyErr_Clear();
  return nb::steal(found);
}

nb::object find_behavior(const Meta& meta, nb::handle key) {
  if (meta.behavior.is_valid()) {
    if (nb::object own = looked_up(meta.behavior, key); own.is_valid()) return own;
  }
  return looked_up(global_behavior(), key);
}

const NameKeys& keys_of(std::string_view name) {
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  // Never freed: the interpreter may be gone when static objects are.
  static auto& known = *new std::unordered_map<std::string, NameKeys, Hash, std::equal_to<>>;
  if (const auto found = known.find(name); found != known.end()) return found->second;
  nb::object text = nb::str(name.data(), name.size());
  nb::object arrays = nb::make_tuple("*", text);
  return known.emplace(name, NameKeys{text.release(), arrays.release()}).first->second;
}

namespace {

Type with_shown_names(const Type& t, const Meta& meta) {
  for (const char* key : {"__record__", "__list__"}) {
    const std::string_view name = name_in(t.parameters(), key);
    if (name.empty()) continue;
    const nb::object text = find_behavior(meta, nb::make_tuple("__typestr__", keys_of(name).name));
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

}  // namespace

Type shown_type(const Type& t, const Meta& meta) {
  if (!meta.behavior.is_valid() && PyDict_Size(global_behavior().ptr()) == 0) return t;
  return with_shown_names(t, meta);
}

nb::object shown_type_object(const Type& t, const Meta& meta) {
  const Type shown = shown_type(t, meta);
  const bool is_array = shown.is(Type::Kind::array);
  nb::object out = is_array ? type_object(shown) : scalar_type_object(shown);
  if (meta.behavior.is_valid()) out.attr("behavior") = meta.behavior;
  return out;
}

PyTypeObject* class_of(const Node& n, const Meta& meta) {
  const bool is_record = n.kind == NodeKind::record;
  PyTypeObject* base = is_record ? class_object<Record> : class_object<PyArray>;
  if (!meta.behavior.is_valid() && PyDict_Size(global_behavior().ptr()) == 0) return base;
  // Behaviours keep the classes alive.
  auto known = [&](nb::handle key) -> PyTypeObject* {
    const nb::object found = find_behavior(meta, key);
    return is_class(found, (PyObject*)base) ? (PyTypeObject*)found.ptr() : nullptr;
  };
  if (is_record) {
    const std::string_view name = name_in(n.parameters, "__record__");
    PyTypeObject* own = name.empty() ? nullptr : known(keys_of(name).name);
    return own ? own : base;
  }
  const Node& top = *n.contents[0];
  if (const std::string_view name = name_in(top.parameters, "__list__"); !name.empty()) {
    if (PyTypeObject* own = known(keys_of(name).name)) return own;
  }
  const std::string_view name = deep_name(top);
  PyTypeObject* own = name.empty() ? nullptr : known(keys_of(name).arrays);
  return own ? own : base;
}

std::string_view overload_name(const Node& n) { return deep_name(n); }

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

}  // namespace serrate::python
