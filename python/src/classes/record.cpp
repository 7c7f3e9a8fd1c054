// The class Record of Python.
#include "classes/members.h"
#include "classes/operators.h"
#include "common/operands.h"

namespace serrate::python {

void bind_record(nb::module_& m) {
  Class<Record> c(m, "Record", "serrate._core.Record",
                  "One record or tuple of an array.\n\n"
                  ">>> Array([{\"x\": 1, \"y\": [2, 3]}])[0].y\n"
                  "<Array [2, 3] type='2 * int64'>",
                  record_slots);
  bind_members(c, &record_from);
  c.def(
       "__getitem__",
       [](const Record& r, nb::handle where) {
         const Begun call;
         remember(r.meta);
         return getitem(r.value, named_slice(r.value, r.meta, where));
       },
       "where"_a.none())
      .def(
          "__setitem__",
          [](nb::handle self, nb::handle where, nb::handle what) {
            const Begun call;
            change<Record>(self, [&](Record& r) {
              const Beside beside(r.value);
              r.value = with_field(r.value, field_value(what), field_path(where, "x[...] = ..."));
            });
          },
          "where"_a, "what"_a.none())
      .def("__delitem__", [](nb::handle self, nb::handle where) {
        change<Record>(self, [&](Record& r) {
          r.value = without_field(r.value, field_path(where, "del x[...]"));
        });
      });
  // Without this, Python would iterate by calling x[0], x[1] ...
  c.type().attr("__iter__") = nb::none();
}

}  // namespace serrate::python
