// Behaviours by name: looking them up, the classes and the texts of types that they give.
#include <algorithm>
#include <unordered_map>

#include "common/checked.h"
#include "common/class.h"
#include "common/context.h"
#include "common/vectors.h"
#include "graph/known.h"

namespace serrate::python {
namespace {

using graph::Node;
using graph::NodeKind;

std::string_view name_in(const Parameters& p, std::string_view key) {
  for (const auto& [k, json] : p) {
    if (k == key && json.size() >= 2 && json.front() == '"')
      return std::string_view(json).substr(1, json.size() - 2);
  }
  return {};
}

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

nb::handle global_behavior() {
  static PyObject* behavior = PyDict_New();
  return behavior;
}

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

namespace {

/// Does the class that an array or a record has, or one inside of it, look items up in its own way?
bool has_own_items(const Node& n, const Meta& meta) {
  if (graph::is_string(n) || n.kind == NodeKind::leaf) return false;
  if (n.kind == NodeKind::list || n.kind == NodeKind::record) {
    const nb::handle type = (PyObject*)class_of(n, meta);
    const nb::handle base =
        (PyObject*)(n.kind == NodeKind::list ? class_object<PyArray> : class_object<Record>);
    if (!type.is(base)) {
      const nb::object own = type.attr("__getitem__");
      if (!own.is(nb::object(base.attr("__getitem__"))) &&
          !is_true(nb::getattr(own, "ignore_in_to_list", nb::bool_(false))))
        return true;
    }
  }
  return std::any_of(n.contents.begin(), n.contents.end(),
                     [&](const graph::NodeRef& c) { return has_own_items(*c, meta); });
}

}  // namespace

nb::object listed(nb::handle x) {
  const Record* r = record_in(x);
  const Array& a = r ? r->value : *array_in(x);
  const Meta& meta = *meta_of(x);
  if ((meta.behavior.is_valid() || PyDict_Size(global_behavior().ptr()) > 0) &&
      has_own_items(*a.node(), meta))
    return nb::module_::import_("serrate._overloads").attr("listed")(x);
  return to_list(a);
}

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
  if (!graph::facts_of_tree(n).has_parameters) return base;
  const bool behaves = meta.behavior.is_valid() || PyDict_Size(global_behavior().ptr()) > 0;
  // Behaviours keep the classes alive.
  auto known = [&](nb::handle key) -> PyTypeObject* {
    const nb::object found = find_behavior(meta, key);
    return is_class(found, (PyObject*)base) ? (PyTypeObject*)found.ptr() : nullptr;
  };
  const std::string_view name =
      is_record ? name_in(n.parameters, "__record__") : deep_name(*n.contents[0]);
  if (behaves) {
    if (!is_record) {
      const std::string_view list = name_in(n.contents[0]->parameters, "__list__");
      if (PyTypeObject* own = list.empty() ? nullptr : known(keys_of(list).name)) return own;
    }
    if (!name.empty()) {
      const NameKeys& keys = keys_of(name);
      if (PyTypeObject* own = known(is_record ? keys.name : keys.arrays)) return own;
    }
  }
  if (name.empty()) return base;
  const VectorClasses* vectors = vector_classes(name);
  return !vectors ? base : is_record ? vectors->record : vectors->array;
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
