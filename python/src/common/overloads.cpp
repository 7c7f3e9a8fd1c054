// Overloads of ufuncs and reducers: what behaviours define for records and lists of a name. Keys
// are made for each call and looked up in the dicts themselves, which may change at any time.
#include <algorithm>

#include "common/checked.h"
#include "common/class.h"
#include "common/context.h"
#include "common/vectors.h"
#include "graph/operation.h"
#include "ops/elementwise/elementwise.h"
#include "ops/tree/broadcast.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"

namespace serrate::python {
namespace {

using graph::Node;
using graph::NodeKind;
using graph::NodeRef;

nb::object in_module(const char* name) {
  return nb::module_::import_("serrate._overloads").attr(name);
}

bool is_text(nb::handle o) { return PyUnicode_Check(o.ptr()); }
bool is_one(nb::handle x) { return array_in(x) || record_in(x); }
const Array& value_in(nb::handle x) { return record_in(x) ? record_in(x)->value : *array_in(x); }

// What stands for an operand in the key of an overload: its name, else the class of its numbers or
// its own; None of what no key can mean.
nb::object overload_key(nb::handle x) {
  if (!is_one(x)) {
    static const nb::handle ndarray = numpy("ndarray");
    return is_instance(x, ndarray) ? nb::object(x.attr("dtype").attr("type"))
                                   : nb::borrow(x.type());
  }
  const NodeRef top = value_in(x).node();
  const std::string_view name = overload_name(*top);
  if (!name.empty()) return nb::borrow(keys_of(name).name);
  const Node* n = top.get();
  while (n->kind == NodeKind::option || ops::is_list(*n)) n = n->contents[0].get();
  if (n->kind != NodeKind::leaf) return nb::none();
  const DType t = n->column->dtype;
  return nb::borrow(numpy(t == DType::boolean ? "bool_" : serrate::name(t).data()));
}

// What `find` finds first: in the behaviours of the operands, then in the global ones.
template <class F>
nb::object first_found(Operands inputs, F&& find) {
  nb::object before;
  for (nb::handle x : inputs) {
    const Meta* meta = meta_of(x);
    if (!meta || !meta->behavior.is_valid() || meta->behavior.is(before)) continue;
    before = meta->behavior;
    if (nb::object found = find(before); found.is_valid()) return found;
  }
  return find(global_behavior());
}

// Whether a key's classes are those of the signature or above them, and its names the same.
bool matches(nb::handle key, nb::handle signature) {
  for (Py_ssize_t i = 1, n = PyTuple_Size(signature.ptr()); i < n; ++i) {
    PyObject* k = PyTuple_GetItem(key.ptr(), i);
    PyObject* s = PyTuple_GetItem(signature.ptr(), i);
    const bool classes = PyType_Check(k) && PyType_Check(s);
    if (!are_equal(k, s) && !(classes && answered(PyObject_IsSubclass(s, k)))) return false;
  }
  return true;
}

// The first overload of a mapping that is for these classes.
nb::object by_classes(nb::handle behavior, nb::handle signature) {
  const Py_ssize_t size = PyTuple_Size(signature.ptr());
  PyObject* ufunc = PyTuple_GetItem(signature.ptr(), 0);
  std::vector<std::pair<nb::object, nb::object>> of_ufunc;
  const auto add = [&](nb::handle key, nb::handle value) {
    PyObject* k = key.ptr();
    if (PyTuple_Check(k) && PyTuple_Size(k) == size && PyTuple_GetItem(k, 0) == ufunc)
      of_ufunc.emplace_back(nb::borrow(key), nb::borrow(value));
  };
  if (PyDict_CheckExact(behavior.ptr())) {
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(behavior.ptr(), &at, &key, &value);) add(key, value);
  } else {
    for (nb::handle pair : nb::iter(nb::object(behavior.attr("items")())))
      add(nb::object(pair[nb::int_(0)]), nb::object(pair[nb::int_(1)]));
  }
  for (const auto& [key, value] : of_ufunc)
    if (matches(key, signature)) return value;
  return {};
}

// The function for exactly these operands, or for classes above theirs.
nb::object of_signature(nb::handle signature, Operands inputs) {
  bool names = true;
  for (Py_ssize_t i = 1, n = PyTuple_Size(signature.ptr()); i < n; ++i) {
    PyObject* part = PyTuple_GetItem(signature.ptr(), i);
    if (part == Py_None) return {};
    names = names && is_text(part);
  }
  nb::object found = first_found(inputs, [&](nb::handle b) { return looked_up(b, signature); });
  if (found.is_valid() || names) return found;
  return first_found(inputs, [&](nb::handle b) { return by_classes(b, signature); });
}

// The function that any use of one of these names in this ufunc, or in any, goes to.
nb::object of_name(nb::handle signature, Operands inputs) {
  nb::handle before;
  for (Py_ssize_t i = 1, n = PyTuple_Size(signature.ptr()); i < n; ++i) {
    const nb::handle part = PyTuple_GetItem(signature.ptr(), i);
    if (!is_text(part) || part.is(before)) continue;
    before = part;
    const nb::object one = owned(PyTuple_Pack(2, PyTuple_GetItem(signature.ptr(), 0), part.ptr()));
    const nb::object any = owned(PyTuple_Pack(2, numpy("ufunc").ptr(), part.ptr()));
    const nb::object found = first_found(inputs, [&](nb::handle b) {
      for (const nb::object& key : {one, any}) {
        nb::object f = looked_up(b, key);
        if (f.is_valid() && !f.is_none()) return f;
      }
      return nb::object();
    });
    if (found.is_valid()) return found;
  }
  return {};
}

// Lists of the same spaces down to records or numbers, of which none can be missing.
bool match(const Node& a, const Node& b) {
  const Node *x = &a, *y = &b;
  while (ops::is_list(*x) && ops::is_list(*y)) {
    if (x->size != y->size || x->parameters != y->parameters || !same(x->space, y->space))
      return false;
    x = x->contents[0].get();
    y = y->contents[0].get();
  }
  const auto ends = [](const Node& n) {
    return n.kind == NodeKind::record || n.kind == NodeKind::leaf;
  };
  return ends(*x) && ends(*y);
}

// Whether broadcasting would leave the operands as they are: arrays alike, beside plain values.
bool are_broadcast(Operands inputs) {
  NodeRef first;
  bool names = false;  // of axes, which are to be joined
  for (nb::handle x : inputs) {
    if (record_in(x)) return false;
    const Array* a = array_in(x);
    if (!a) continue;
    const NodeRef n = a->node();
    names = names || has_names(*meta_of(x));
    if (!match(first ? *first : *n, *n) || (first && names)) return false;
    first = n;
  }
  return true;
}

// Is it a union (in lists) of which a member has a name?
bool has_named_members(const Node& n) {
  if (n.kind == NodeKind::option || ops::is_list(n)) return has_named_members(*n.contents[0]);
  return n.kind == NodeKind::union_ &&
         std::any_of(n.contents.begin(), n.contents.end(),
                     [](const NodeRef& c) { return !overload_name(*c).empty(); });
}

// The array with `with(union)` in place of the union inside its lists.
template <class F>
NodeRef replaced_union(const NodeRef& n, F&& with) {
  if (n->kind == NodeKind::union_) return with(*n);
  const NodeRef inner = replaced_union(n->contents[0], with);
  return n->kind == NodeKind::option ? graph::option_node(n->column, inner)
                                     : graph::list_node(n->space, inner, n->size, n->parameters);
}

// Of a union with named members: where each of them is, and its values everywhere.
nb::list members(nb::handle x) {
  const Array* a = array_in(x);
  nb::list out;
  if (!a || !has_named_members(*a->node())) return out;
  begin();
  remember(*meta_of(x));
  size_t count = 1;
  for (size_t k = 0; k < count; ++k) {
    const NodeRef values = replaced_union(a->node(), [&](const Node& u) {
      count = u.contents.size();
      return u.contents[k];
    });
    const NodeRef here =
        replaced_union(a->node(), [&](const Node& u) { return graph::leaf(ops::is_member(u, k)); });
    out.append(nb::make_tuple(wrap(Array(here)), wrap(Array(values))));
  }
  return out;
}

/// List levels above what has the name that overloads ask for.
int levels_above_name(const Node& top) {
  int levels = 0;
  for (const Node* n = &top; ops::is_list(*n) || n->kind == NodeKind::option;) {
    const std::string_view name = overload_name(*n);
    n = n->contents[0].get();
    if (name.empty() || overload_name(*n) != name) break;
    levels += ops::is_list(*n) || n->kind != NodeKind::option;
  }
  return levels;
}

/// Records of lists as lists of records, `above` levels further in.
nb::object pushed_in(const Array& out, int above) {
  const Node* n = out.node().get();
  int levels = 0;
  for (; ops::is_list(*n) && levels < above; ++levels) n = n->contents[0].get();
  if (levels == above || n->kind != NodeKind::record) return {};
  std::vector<std::pair<std::string, Array>> fields;
  for (const auto& name : ops::field_names(*n))
    fields.emplace_back(name, Array(ops::get_field(graph::unit(), out.node(), name)));
  const ZipOptions together{.depth_limit = above, .parameters = n->parameters};
  if (!n->is_tuple) return wrap(zip(fields, together));
  std::vector<Array> slots;
  for (auto& [name, slot] : fields) slots.push_back(slot);
  return wrap(zip(slots, together));
}

/// What an overload gave for these operands, as an array of a result for each record: a layout may
/// stand for it, and a record of the columns for records.
nb::object settled(nb::object out, Operands inputs) {
  const std::optional<Array> made = from_layout(out);
  const Array* a = made ? &*made : array_in(out);
  if (!a) return out;
  int above = 0;
  for (nb::handle x : inputs)
    if (array_in(x)) above = std::max(above, levels_above_name(*array_in(x)->node()));
  if (!made && above < 2) return out;
  begin();
  remember(made || !meta_of(out) ? Meta() : *meta_of(out));
  for (nb::handle x : inputs)
    if (is_one(x)) remember(*meta_of(x));
  if (nb::object deep = pushed_in(*a, above); deep.is_valid()) return deep;
  return made ? wrap(*made) : out;
}

}  // namespace

nb::object tuple_of(Operands operands) {
  nb::object out = owned(PyTuple_New(static_cast<Py_ssize_t>(operands.size())));
  for (size_t i = 0; i < operands.size(); ++i)
    PyTuple_SetItem(out.ptr(), static_cast<Py_ssize_t>(i), Py_NewRef(operands[i]));
  return out;
}

bool has_overload_name(const Node& n) { return !overload_name(n).empty() || has_named_members(n); }

bool may_be_overloaded(const std::vector<Array>& in, Operands given) {
  const bool has_names = std::any_of(given.begin(), given.end(), [](PyObject* x) {
    const Array* a = array_in(x);
    if (!a) return !PyFloat_CheckExact(x) && !PyLong_CheckExact(x);
    return facts_of(*static_cast<const PyArray*>(a)).has_names;
  });
  if (!has_names) return false;
  const bool behaves = has_behavior();
  return std::any_of(in.begin(), in.end(), [behaves](const Array& a) {
    const NodeRef n = a.node();
    const std::string_view name = overload_name(*n);
    if (!name.empty()) return behaves || vector_classes(name);
    return has_named_members(*n);
  });
}

nb::object result_of(Op op, nb::handle ufunc, const std::vector<Array>& in, Operands given) {
  if (may_be_overloaded(in, given)) {
    if (auto out = overloaded(ufunc, given)) return *out;
  }
  check<TypeError>(in.size() == info(op).arity, "{}: expected {} arguments, got {}", info(op).name,
                   info(op).arity, in.size());
  NodeRef n;
  Array made = [&] {
    const graph::Operation operation;
    n = ops::elementwise_over(graph::unit(), op, ops::inputs(in));
    return Array(n);
  }();
  return wrap(std::move(made), n);
}

std::optional<nb::object> overloaded(nb::handle ufunc, Operands inputs) {
  const bool vectors =
      std::any_of(inputs.begin(), inputs.end(), [](nb::handle x) { return vector_kind(x); });
  const auto built_in = [&] { return vector_ufunc(ufunc, inputs); };
  if (vectors && !has_behavior()) return built_in();
  const nb::object signature = owned(PyTuple_New(static_cast<Py_ssize_t>(inputs.size()) + 1));
  PyTuple_SetItem(signature.ptr(), 0, Py_NewRef(ufunc.ptr()));
  for (size_t i = 0; i < inputs.size(); ++i)
    PyTuple_SetItem(signature.ptr(), static_cast<Py_ssize_t>(i) + 1,
                    overload_key(inputs[i]).release().ptr());
  const nb::object custom = of_signature(signature, inputs);
  if (custom.is_valid() && !custom.is_none() && !(vectors && is_of_vector_package(custom))) {
    if (!are_broadcast(inputs)) return in_module("called")(custom, tuple_of(inputs));
    return settled(
        owned(nb::detail::vectorcall(custom.ptr(), inputs.data(), inputs.size(), nullptr)), inputs);
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (PyTuple_GetItem(signature.ptr(), static_cast<Py_ssize_t>(i) + 1) != Py_None) continue;
    if (const nb::list parts = members(inputs[i]); nb::len(parts) > 0)
      return in_module("by_member")(ufunc, tuple_of(inputs), i, parts);
  }
  const nb::object general = of_name(signature, inputs);
  if (!general.is_valid() || (vectors && is_of_vector_package(general))) {
    if (vectors) return built_in();
    return {};
  }
  return in_module("called")(in_module("of_any_ufunc")(general, ufunc), tuple_of(inputs));
}

std::optional<nb::object> overloaded_reducer(const char* name, nb::handle array, nb::handle axis,
                                             bool keepdims, bool mask_identity) {
  nb::object x = nb::borrow(array);
  const bool layout = wants_layout();
  if (const std::optional<Array> a = from_layout(array); a && has_behavior()) {
    want_layout(false);
    x = wrap(*a);
    want_layout(layout);
  }
  const Array* a = array_in(x);
  const bool vectors = a && vector_kind(x);
  const auto built_in = [&]() -> std::optional<nb::object> {
    if (!vectors) return {};
    return vector_reducer(name, x, axis, keepdims, mask_identity);
  };
  if (!a || !(has_behavior() || meta_of(x)->behavior.is_valid())) return built_in();
  const NodeRef n = a->node();
  const std::string_view record = overload_name(*n);
  if (record.empty()) return {};
  const nb::object function = nb::module_::import_("serrate._core").attr(name);
  const nb::object key = owned(PyTuple_Pack(2, function.ptr(), keys_of(record).name.ptr()));
  PyObject* input = x.ptr();
  const nb::object custom =
      first_found(Operands(&input, 1), [&](nb::handle b) { return looked_up(b, key); });
  if (!custom.is_valid() || (vectors && is_of_vector_package(custom))) return built_in();
  const nb::object out = in_module("reduced")(custom, name, x, axis, keepdims, mask_identity);
  if (const Array* made = array_in(out); made && layout) return as_layout(*made);
  return out;
}

Array rows_of_one(const Array& x) {
  const graph::SpaceRef one = graph::rows(1);
  return Array(graph::list_node(one, ops::lift_node(x.node(), graph::unit(), one)));
}

Array at_least_one_row(const Array& x) {
  const NodeRef n = x.node();
  const Node& value = n->kind == NodeKind::option ? *n->contents[0] : *n;
  return x.is_scalar() && value.kind == NodeKind::leaf ? rows_of_one(x) : x;
}

void bind_overloads(nb::module_& m) {
  m.def("_overload_key", &overload_key);
  m.def("_settled", [](nb::object out, nb::tuple inputs) {
    std::vector<PyObject*> operands;
    for (nb::handle x : inputs) operands.push_back(x.ptr());
    return settled(std::move(out), operands);
  });
  m.def("_without_missing", [](nb::handle x) {
    begin();
    const auto [plain, valid] = without_missing(as_array(x, "records").node());
    return nb::make_tuple(wrap(Array(plain)), valid ? wrap(Array(valid)) : nb::none());
  });
  m.def("_one", [](nb::handle x) {
    begin();
    const Array a = as_array(x, "records");
    if (a.is_scalar()) return wrap(rows_of_one(a));
    // An array of one list: all items of x.
    return wrap(unflatten(a, Array(static_cast<int64_t>(a.size()))));
  });
}

}  // namespace serrate::python
