// Arrays and records as arguments of functions that Numba compiles, and what these give back.
#include <fmt/format.h>

#include <map>
#include <mutex>
#include <unordered_map>

#include "common/checked.h"
#include "common/class.h"
#include "common/context.h"
#include "core/host.h"
#include "numba/table.h"
#include "serrate/error.h"

namespace serrate::python {
namespace {

using numba::Table;

constexpr const char* kOnCpu = "the array is on the CPU; to_backend(array, \"cuda\") copies it";

/// A table with the type that its form has in Numba.
struct Viewed : Attached {
  std::unique_ptr<Table> table;
  PyObject* type = nullptr;  // lives as long as the process
  bool gpu = false;
  Meta* meta = nullptr;  // of the object that it is attached to
  ~Viewed() override;
};

/// Where the tables lie, by the address of their last word.
struct Registry {
  std::mutex lock;
  std::map<uintptr_t, Viewed*> tables;

  static Registry& get() {
    static auto& r = *new Registry();
    return r;
  }
  static uintptr_t key(const Viewed& v) {
    return reinterpret_cast<uintptr_t>(&v.table->words.back());
  }
  void add(Viewed* v) {
    const std::lock_guard guard(lock);
    tables[key(*v)] = v;
  }
  void remove(Viewed* v) {
    const std::lock_guard guard(lock);
    tables.erase(key(*v));
  }
  Viewed& at(int64_t words) {
    const std::lock_guard guard(lock);
    const auto found = tables.lower_bound(static_cast<uintptr_t>(words));
    check<ValueError>(found != tables.end() &&
                          reinterpret_cast<intptr_t>(found->second->table->words.data()) <= words,
                      "the array that was looked at is gone");
    return *found->second;
  }
};

Viewed::~Viewed() {
  if (table) Registry::get().remove(this);
}

// -- types ----------------------------------------------------------------------------------------

// One type for equal forms, kept for ever as Numba keeps what it compiles for it.
PyObject* type_for(const Table& t, bool record, const Meta& meta) {
  static auto& types = *new std::unordered_map<std::string, PyObject*>();
  const void* own = meta.behavior.is_valid() ? meta.behavior.ptr() : nullptr;
  const std::string key =
      fmt::format("{}{} {} {}", record ? "record" : "list", t.form, json_quote(t.list_name), own);
  PyObject*& type = types[key];
  if (!type) {
    const nb::object make = nb::module_::import_("serrate._numba").attr("type_of");
    type = make(t.form, t.list_name, record, own ? meta.behavior : nb::object(nb::none()))
               .release()
               .ptr();
  }
  return type;
}

const Array& inside(const PyArray& a) { return a; }
const Array& inside(const Record& r) { return r.value; }

void attach(Attached*& place, Array rows, const graph::NodeRef& of, Meta& meta, bool record) {
  evaluate(rows);
  auto v = std::make_unique<Viewed>();
  auto table = numba::table_of(rows.node());
  table->tree = of;
  v->gpu = !is_host(rows.device());
  if (!v->gpu) v->type = type_for(*table, record, meta);
  v->meta = &meta;
  v->table = std::move(table);
  Registry::get().add(v.get());
  delete place;
  place = v.release();
}

/// The table of what the object holds now.
template <class T>
Viewed& viewed(PyObject* self) {
  auto& o = *reinterpret_cast<Object<T>*>(self);
  auto* v = static_cast<Viewed*>(o.attached);
  if (v && v->table->tree == inside(o.value).node()) [[likely]]
    return *v;
  const Array& a = inside(o.value);
  if constexpr (std::is_same_v<T, PyArray>) evaluate(a);
  const graph::NodeRef tree = a.node();
  attach(o.attached, std::is_same_v<T, Record> ? rows_of_one(a) : a, tree, o.value.meta,
         std::is_same_v<T, Record>);
  return *static_cast<Viewed*>(o.attached);
}

Viewed& viewed_object(PyObject* o) {
  if (PyType_IsSubtype(Py_TYPE(o), class_object<PyArray>)) [[likely]]
    return viewed<PyArray>(o);
  check<TypeError>(PyType_IsSubtype(Py_TYPE(o), class_object<Record>),
                   "expected an Array or a Record");
  return viewed<Record>(o);
}

// -- what compiled code calls ---------------------------------------------------------------------

// Runs f; -1 with Python's error set if it fails.
template <class F>
int status_of(F&& f) noexcept {
  try {
    f();
    return 0;
  } catch (...) {
    set_python_error();
    return -1;
  }
}

int view_of(PyObject* o, int64_t* out) noexcept {
  return status_of([&] {
    const Viewed& v = viewed_object(o);
    check<TypeError>(!v.gpu, "the array is on a GPU");
    const Table& t = *v.table;
    out[0] = t.start;
    out[1] = t.stop;
    out[2] = reinterpret_cast<intptr_t>(t.words.data());
  });
}

struct Found {
  graph::NodeRef level;
  const Meta& meta;
};
Found found(int64_t words, const char* form) {
  const Viewed& v = Registry::get().at(words);
  const int64_t place = (words - reinterpret_cast<intptr_t>(v.table->words.data())) / 8;
  Found f{numba::level_at(*v.table, place, form), *v.meta};
  check<ValueError>(static_cast<bool>(f.level), "a view of another array");
  return f;
}

PyObject* boxed_list(int64_t start, int64_t stop, int64_t words, const char* form,
                     const char* name) noexcept {
  return guarded([&] {
    const Found f = found(words, form);
    const Begun call;
    remember(f.meta);
    Parameters p;
    if (*name) p.emplace_back("__list__", json_quote(name));
    return wrap_array(rows_at(f.level, start, stop - start, std::move(p)));
  });
}

PyObject* boxed_record(int64_t at, int64_t words, const char* form) noexcept {
  return guarded([&] {
    const Found f = found(words, form);
    const Begun call;
    remember(f.meta);
    return item_at(f.level, at);
  });
}

// UTF-8 as a str, as to_list makes it.
PyObject* text_of(const char* data, int64_t size) noexcept {
  return PyUnicode_DecodeUTF8(data, static_cast<Py_ssize_t>(size), "surrogateescape");
}

// Field of an array, which is given up.
PyObject* field_of(PyObject* array, const char* name) noexcept {
  return guarded([&] {
    const nb::object from = owned(array);
    return nb::object(from[name]);
  });
}

// Of an array on a GPU: (form, list_name, is a record, its behaviours).
nb::object parts_on_gpu(nb::handle o) {
  const Viewed& v = viewed_object(o.ptr());
  check<TypeError>(v.gpu, "{}", kOnCpu);
  return nb::make_tuple(v.table->form, v.table->list_name, record_in(o) != nullptr,
                        v.meta->behavior.is_valid() ? v.meta->behavior : nb::object(nb::none()));
}

// Of an array on any device.
nb::object form_of(nb::handle o) { return nb::cast(viewed_object(o.ptr()).table->form); }

// (start, stop, word, ...)
nb::object words_of(nb::handle o) {
  const GpuWords w = gpu_words(o);
  std::vector<int64_t> all{w.start, w.stop};
  all.insert(all.end(), w.words.begin(), w.words.end());
  return nb::tuple(nb::cast(all));
}

template <class F>
nb::int_ address(F* f) {
  return nb::int_(reinterpret_cast<uintptr_t>(f));
}

}  // namespace

GpuWords gpu_words(nb::handle array) {
  const Viewed& v = viewed_object(array.ptr());
  check<TypeError>(v.gpu, "{}", kOnCpu);
  return {v.table->form, v.table->words, v.table->start, v.table->stop};
}

template <class T>
PyObject* numba_type(PyObject* self, void*) noexcept {
  return guarded([&] {
    PyObject* const type = viewed<T>(self).type;
    if (type) [[likely]]
      return nb::borrow(type);
    const nb::object there =
        nb::module_::import_("serrate._numba").attr("type_on_gpu")(nb::borrow(self));
    if (!there.is_none()) return there;
    PyErr_SetString(PyExc_AttributeError, "_numba_type_");
    throw nb::python_error();
  });
}
template PyObject* numba_type<PyArray>(PyObject*, void*) noexcept;
template PyObject* numba_type<Record>(PyObject*, void*) noexcept;

void bind_numba(nb::module_& m) {
  nb::dict symbols;
  symbols["serrate_numba_view"] = address(&view_of);
  symbols["serrate_numba_list"] = address(&boxed_list);
  symbols["serrate_numba_record"] = address(&boxed_record);
  symbols["serrate_numba_field"] = address(&field_of);
  symbols["serrate_numba_text"] = address(&text_of);
  m.attr("_numba_symbols") = symbols;
  m.def("_numba_words", &words_of, "array"_a);
  m.def("_numba_form", &form_of, "array"_a);
  m.def("_numba_parts", &parts_on_gpu, "array"_a);
}

}  // namespace serrate::python
