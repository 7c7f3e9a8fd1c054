// The class Array of Python: its properties and protocols.
#include <algorithm>

#include "classes/members.h"
#include "classes/operators.h"
#include "common/checked.h"
#include "common/operands.h"
#include "convert/dlpack.h"
#include "graph/type_text.h"

namespace serrate::python {
namespace {

// x.mask[keep]
struct MaskGetter {
  PyArray array;
};

// The rows of an array, each made when it is its turn: a row takes as much memory as a hundred
// numbers.
struct Rows {
  PyArray array;
  Array rows;  // the array, looked at
  int64_t next = 0;
};

template <class T>
int traverse(PyObject* self, visitproc visit, void* arg) noexcept {
  Py_VISIT((PyObject*)Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  const Meta& meta = nb::inst_ptr<T>(self)->array.meta;
  Py_VISIT(meta.behavior.ptr());
  Py_VISIT(meta.attrs.ptr());
  return 0;
}
template <class T>
int clear(PyObject* self) noexcept {
  if (nb::inst_ready(self)) {
    const Meta gone = std::exchange(nb::inst_ptr<T>(self)->array.meta, {});
  }
  return 0;
}
template <class T>
const PyType_Slot collected[] = {
    {Py_tp_traverse, (void*)traverse<T>}, {Py_tp_clear, (void*)clear<T>}, {0, nullptr}};

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
  const Begun call;
  remember(on_device.meta);
  const Array a = looked_at(on_device);
  const Type content = a.type().content();
  // Plain numbers: NumPy's iteration gives its scalars; strings come out as to_list gives them.
  if (content.is(Type::Kind::number)) return nb::iter(to_numpy(a, true, Handed::view));
  if (content.is_string_like()) return nb::iter(to_list(a));
  return nb::cast(Rows{on_device, a});
}

nb::object next_row(Rows& r) {
  if (r.next >= r.rows.size()) throw nb::stop_iteration();
  const Begun call;
  remember(r.array.meta);
  return item(r.rows, r.next++);
}

// Lists whose lengths are not in the type: what other libraries would take for regular ones as long
// as their lengths happen to be equal.
bool has_var_lists(const graph::Node& n, bool outermost = true) {
  if (n.kind == graph::NodeKind::list) {
    if (graph::is_string(n)) return false;
    if (!outermost && n.size < 0) return true;
  }
  return std::any_of(n.contents.begin(), n.contents.end(),
                     [](const graph::NodeRef& c) { return has_var_lists(*c, false); });
}

nb::object as_numpy(const PyArray& a, nb::handle dtype, nb::handle copy) {
  refuse_gpu(a, "np.asarray");
  check<ValueError>(!has_var_lists(*a.node()),
                    "np.asarray: the lists of an array of type '{}' have no fixed length; "
                    "to_numpy(array) makes a NumPy array of them if their lengths are equal, "
                    "to_regular(array) a regular one",
                    graph::type_text(*a.node()));
  // Where a masked array is not asked for, its mask would be lost.
  const Handed how = copy.ptr() == Py_False ? Handed::view : Handed::copy;
  nb::object out = to_numpy(a, false, how);
  const bool same = dtype.is_none() || nb::object(out.attr("dtype")).equal(numpy("dtype")(dtype));
  check<ValueError>(same || copy.ptr() != Py_False, "np.asarray: {} can't be had without a copy",
                    nb::cast<std::string>(nb::str(dtype)));
  return same ? out : nb::object(out.attr("astype")(dtype));
}

std::string not_regular(const char* op, const Type& t) {
  return fmt::format(
      "{}: expected numbers in lists of fixed lengths, got '{}'; to_regular(array) makes such of "
      "lists of equal lengths, to_numpy(array) a NumPy array",
      op, t.str());
}

// What DLPack can say of an array: numbers in lists of fixed lengths.
bool is_regular(const Type& t) {
  if (t.is(Type::Kind::array) || t.is(Type::Kind::regular)) return is_regular(t.content());
  return t.is(Type::Kind::number);
}

bool contains(const PyArray& a, nb::handle x) {
  const nb::object all = iterate(a);
  Signals signals;
  for (nb::handle y : nb::iter(all)) {
    signals.step();
    const nb::object same = owned(PyObject_RichCompare(y.ptr(), x.ptr(), Py_EQ));
    if (const Array* r = array_in(same)) {
      if (r->size() == 0) continue;
      return nb::cast<bool>(nb::object(nb::bool_(wrap(any(*r)))));
    }
    if (is_true(same)) return true;
  }
  return false;
}

}  // namespace

void bind_array(nb::module_& m) {
  nb::class_<Rows>(m, "_Rows", nb::type_slots(collected<Rows>))
      .def("__iter__", [](nb::handle self) { return nb::borrow(self); })
      .def("__next__", &next_row)
      .def("__length_hint__", [](const Rows& r) { return r.rows.size() - r.next; });
  nb::class_<MaskGetter>(m, "_MaskGetter", nb::type_slots(collected<MaskGetter>))
      .def(
          "__init__",
          [](MaskGetter* self, nb::handle array) {
            const Array* a = array_in(array);
            check<TypeError>(a != nullptr, "Mask: expected an Array");
            new (self) MaskGetter{*static_cast<const PyArray*>(a)};
          },
          "array"_a)
      .def("__getitem__", [](const MaskGetter& g, nb::handle keep) {
        const Begun call;
        remember(g.array.meta);
        const Beside beside(g.array);
        return wrap(mask(g.array, as_array(keep, "mask")));
      });
  Class<PyArray> c(m, "Array", "serrate._core.Array",
                   "A nested, variable-length array; computed when it is looked at.\n\n"
                   ">>> Array([[1, 2, 3], [], [4]]) + 10\n"
                   "<Array [[11, 12, 13], [], [14]] type='3 * var * int64'>",
                   array_slots);
  bind_members(c, &array_from);
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
      // Awkward Array asks whether it is there, and takes what is not regular item by item.
      .def_prop_ro("__dlpack_device__",
                   [](const PyArray& a) {
                     const Type t = a.type();
                     if (!is_regular(t))
                       throw nb::attribute_error(not_regular("__dlpack_device__", t).c_str());
                     const nb::object device = a.device() == Device::cuda
                                                   ? nb::make_tuple(2, gpu_number())
                                                   : nb::make_tuple(1, 0);
                     return nb::cpp_function([device] { return device; });
                   })
      .def("__dlpack__", [](const PyArray& a, nb::kwargs kwargs) {
        const Type t = a.type();
        if (!is_regular(t)) throw TypeError(not_regular("__dlpack__", t));
        return to_dlpack(a, kwargs);
      });
}

}  // namespace serrate::python
