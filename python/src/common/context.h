// What goes from operands to results besides values: behaviours, attributes, classes by name.
#pragma once

#include <span>

#include "common/python.h"

namespace serrate::python {

/// What is remembered of operands. Plain pointers, not objects: a thread may end without the
/// interpreter lock.
struct Context {
  PyObject* behavior = nullptr;
  PyObject* attrs = nullptr;
  bool behavior_given = false, attrs_given = false, layout = false;
  TypeFacts operand;           ///< of the deepest array so far
  std::optional<Array> named;  ///< the first array with names

  void clear() {
    Py_CLEAR(behavior);
    Py_CLEAR(attrs);
    operand = {};
    named.reset();
    behavior_given = attrs_given = layout = false;
  }
};

/// Starts an operator or a method, which has no arguments behavior= and attrs=.
Context& begin();
/// A call of an operator or a method: begins, and forgets its operands in the end: nobody's arrays
/// are held.
struct Begun {
  Begun() : context(begin()) {}
  ~Begun() {
    if (context.behavior || context.attrs) context.clear();
  }
  Begun(const Begun&) = delete;
  Begun& operator=(const Begun&) = delete;
  Context& context;
};
/// The results take after this operand.
void remember(const Meta& meta);
/// The same of an array, with its axes.
void remember(const PyArray& a);
/// The operands' attributes and names are not looked at: results have none.
void forget_attrs();
/// While it lives a function of the module runs, maybe called by what another one calls, whose
/// operands it leaves alone.
class InnerCall {
 public:
  InnerCall();
  ~InnerCall();
  InnerCall(const InnerCall&) = delete;
  InnerCall& operator=(const InnerCall&) = delete;

 private:
  Context outer_;
};
/// What results get: given at the call, else from the operands, the first of which wins.
Meta current_meta();
/// The names of axes that results get, or null.
nb::object current_names();
/// From here on the results take after this operand alone, but for these names.
void remember_only(const Meta& meta, const nb::object& names);

/// Names for so many axes: a tuple, or a dict of positions; None takes names away. ValueError for
/// names of other axes.
void set_axis_names(Meta& meta, nb::handle names, int axes);
/// The same, of names that fit.
void set_axis_names(Meta& meta, const nb::object& names);
/// Its names of axes: a dict of positions by name.
nb::object axis_names_of(const Meta& meta);
/// The axis of that name; ValueError if `array` (or the first of a list of arrays) has none.
int named_axis(const std::string& name, nb::handle array);
/// The slicers that x[{name: slicer}] means; results get the names that are left.
nb::object named_slice(const Array& a, const Meta& meta, nb::handle where);

/// Of a tree; of an array, looked at once.
TypeFacts facts_of(const graph::Node& n);
const TypeFacts& facts_of(const PyArray& a);

/// Whether results are to be layouts: highlevel=False.
bool wants_layout();
/// What results get, if they are not to be layouts.
std::optional<Meta> meta_of_result();
void want_layout(bool yes);
/// The layout of an array or record.
nb::object as_layout(const Array& a);

/// An Array or a Record as Python's lists and dicts, by the __getitem__ of behaviours that have
/// their own.
nb::object listed(nb::handle x);

/// With what behaviours ("__typestr__", name) call the named types in it.
Type shown_type(const Type& t, const Meta& meta);
/// The same as an object of Python that knows them.
nb::object shown_type_object(const Type& t, const Meta& meta);

/// Are all records in it tuples, and is there nothing else?
bool holds_tuples(const Type& t);

/// ak.behavior
nb::handle global_behavior();
/// Is any behaviour known, to all or to the operands so far?
bool has_behavior();
/// Do results get names of axes from it?
bool has_names(const Meta& meta);
/// behavior[key], or null; `behavior` may be any mapping, and is looked at anew each time.
nb::object looked_up(nb::handle behavior, nb::handle key);
/// The same of an array's own behaviours before the global ones.
nb::object find_behavior(const Meta& meta, nb::handle key);

/// A name as the keys of behaviours have it, made once.
struct NameKeys {
  nb::handle name;    ///< "Name"
  nb::handle arrays;  ///< ("*", "Name")
};
const NameKeys& keys_of(std::string_view name);

/// The class of Python for an array or record by its __list__ and __record__.
PyTypeObject* class_of(const graph::Node& n, const Meta& meta);
/// Name of the list or record that decides about overloads: the outermost one of the purely nested
/// levels; "" if none. Lives as long as the tree.
std::string_view overload_name(const graph::Node& n);
/// Has it one, or has a member of a union in its lists?
bool has_overload_name(const graph::Node& n);
/// Where items along this tree may be missing: without them, and where there are some; the second
/// is null if there are none.
std::pair<graph::NodeRef, graph::NodeRef> without_missing(const graph::NodeRef& n);

/// Operands of a ufunc as they were given.
using Operands = std::span<PyObject* const>;
nb::object tuple_of(Operands operands);
/// Whether there may be one: behaviours are known, and an operand has a name. `in` is what is
/// given.
bool may_be_overloaded(const std::vector<Array>& in, Operands given);
/// What an overload makes of the operands as they were given, else the row's result.
nb::object result_of(Op op, nb::handle ufunc, const std::vector<Array>& in, Operands given);
/// The result of a ufunc that a behaviour overloads for these operands, if there is one.
std::optional<nb::object> overloaded(nb::handle ufunc, Operands inputs);
/// The same for reducers: behavior[ak.sum, "Name"].
std::optional<nb::object> overloaded_reducer(const char* name, nb::handle array, nb::handle axis,
                                             bool keepdims, bool mask_identity);

}  // namespace serrate::python
