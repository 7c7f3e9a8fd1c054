// Text of values with formatters and classes of users; the rest of show() is serrate/_show.py.
#include <algorithm>
#include <utility>

#include "common/class.h"
#include "common/context.h"
#include "serrate/io.h"

namespace serrate::python {
namespace {

// Names in a dict of formatters, as NumPy's print options call them.
std::pair<const char*, const char*> formatter_names(const View& v) {
  switch (v.kind) {
    case ViewKind::string:
      return {"str", "str_kind"};
    case ViewKind::bytestring:
      return {"bytes", "str_kind"};
    case ViewKind::number:
      break;
    default:
      return {nullptr, nullptr};
  }
  if (v.dtype == DType::boolean) return {"bool", nullptr};
  if (v.dtype == DType::datetime64) return {"datetime", nullptr};
  if (v.dtype == DType::timedelta64) return {"timedelta", nullptr};
  if (is_complex(v.dtype)) return {"complexfloat", "complex_kind"};
  if (is_floating(v.dtype)) return {"float", "float_kind"};
  return {"int", "int_kind"};
}

nb::object value_of(const View& v, int64_t i) {
  if (v.kind == ViewKind::number)
    return numpy_scalar(
        read_scalar(v.dtype, static_cast<const std::byte*>(v.data) + i * itemsize(v.dtype)),
        v.unit);
  const std::string_view text = v.text(i);
  if (v.kind == ViewKind::bytestring) return nb::bytes(text.data(), text.size());
  return nb::str(text.data(), text.size());
}

FormatHook hook_of(nb::handle formatter) {
  if (formatter.is_none()) return {};
  const nb::dict all = nb::cast<nb::dict>(formatter);
  return [all](const View& v, int64_t i, std::string& out) {
    const auto [name, kind] = formatter_names(v);
    for (const char* key : {name, kind}) {
      if (!key || !all.contains(key)) continue;
      out = nb::cast<std::string>(nb::str(nb::object(all[key](value_of(v, i)))));
      return true;
    }
    return false;
  };
}

bool has_own(nb::handle x, PyTypeObject* base, const char* name) {
  const nb::object own(x.type().attr(name)), plain(nb::handle((PyObject*)base).attr(name));
  return !own.is(plain);
}

// Text of the items whose classes say it themselves.
FormatHook text_of_classes(nb::handle self) {
  const Meta meta = *meta_of(self);
  if (!meta.behavior.is_valid() && PyDict_Size(global_behavior().ptr()) == 0) return {};
  bool is_self = record_in(self) != nullptr;  // a record is the first item to be asked for
  return [meta, is_self](const View& v, int64_t i, std::string& out) mutable {
    if (std::exchange(is_self, false)) return false;
    const bool record = v.kind == ViewKind::record || v.kind == ViewKind::tuple;
    if (!record && v.kind != ViewKind::list) return false;
    begin();
    remember(meta);
    const nb::object x = item_at(graph::NodeRef(static_cast<const graph::Node*>(v.node)), i);
    PyTypeObject* base = record ? class_object<Record> : class_object<PyArray>;
    if (Py_TYPE(x.ptr()) == base) return false;
    const bool has_str = has_own(x, base, "__str__");
    if (!has_str && !has_own(x, base, "__repr__")) return false;
    out = nb::cast<std::string>(has_str ? nb::str(x) : nb::repr(x));
    return true;
  };
}

FormatHook either(FormatHook a, FormatHook b) {
  if (!a || !b) return a ? a : b;
  return
      [a, b](const View& v, int64_t i, std::string& out) { return a(v, i, out) || b(v, i, out); };
}

// As in Awkward, rows of records that have a line each are written as plain ones.
bool has_record_rows(const Array& x) {
  const graph::NodeRef root = x.node();
  if (root->kind != graph::NodeKind::list) return false;
  const graph::Node* n = root->contents[0].get();
  while (n->kind == graph::NodeKind::option) n = n->contents[0].get();
  return n->kind == graph::NodeKind::record;
}

const Array& inside(nb::handle x) { return record_in(x) ? record_in(x)->value : *array_in(x); }

}  // namespace

std::string text_of_values(nb::handle x) {
  return show(inside(x), {.limit_rows = 1, .hook = text_of_classes(x)});
}

void bind_show(nb::module_& m) {
  m.def(
      "_show",
      [](nb::handle x, int64_t rows, int64_t cols, nb::handle formatter, int precision) {
        const bool plain = rows > 1 && has_record_rows(inside(x));
        const FormatHook classes = plain ? FormatHook() : text_of_classes(x);
        return show(inside(x), {.limit_rows = rows,
                                .limit_cols = cols,
                                .precision = precision,
                                .hook = either(hook_of(formatter), classes)});
      },
      "array"_a, "rows"_a, "cols"_a, "formatter"_a.none(), "precision"_a);
  m.def("_repr", [](nb::handle x, const std::string& name, const std::string& type,
                    const std::string& between) {
    return repr(inside(x),
                {.name = name, .type = type, .between = between, .hook = text_of_classes(x)});
  });
}

}  // namespace serrate::python
