// Vectors as Python sees them: kinds by class, operands, ufuncs and reducers.
#include "common/vectors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "common/checked.h"
#include "common/class.h"
#include "common/operands.h"
#include "ops/vectors/coordinates.h"

namespace serrate::python {
namespace {

using vectors::Kind;
using vectors::Vector;

size_t index_of(Kind k) { return static_cast<size_t>(2 * (k.dimension - 2) + k.momentum); }

std::array<VectorClasses, 6>& all_classes() {
  static std::array<VectorClasses, 6> classes;
  return classes;
}

}  // namespace

VectorClasses* vector_classes(std::string_view name) {
  const auto kind = vectors::kind_of(name);
  return kind ? &all_classes()[index_of(*kind)] : nullptr;
}

std::optional<Kind> vector_kind(nb::handle x) {
  PyTypeObject* type = Py_TYPE(x.ptr());
  if (type == class_object<PyArray> || type == class_object<Record> || !meta_of(x)) return {};
  // Momenta are vectors, too: they are asked first.
  for (const int dimension : {4, 3, 2}) {
    for (const bool momentum : {true, false}) {
      const Kind kind{dimension, momentum};
      PyTypeObject* mixin = all_classes()[index_of(kind)].mixin;
      if (mixin && PyType_IsSubtype(type, mixin)) return kind;
    }
  }
  return {};
}

bool is_foreign_vector(nb::handle x) {
  return !meta_of(x) && has(x, "azimuthal") && has(x, "to_Vector4D");
}

Array from_foreign_vector(nb::handle x) {
  const nb::object made = nb::module_::import_("serrate.vector._foreign").attr("taken")(x);
  if (const Record* r = record_in(made)) return r->value;
  const Array* a = array_in(made);
  check<TypeError>(a, "expected a vector, got an object of class {}",
                   nb::cast<std::string>(nb::str(nb::type_name(x.type()))));
  return *a;
}

namespace {

bool is_built_in(PyTypeObject* type) {
  return std::ranges::any_of(
      all_classes(), [&](const VectorClasses& c) { return type == c.array || type == c.record; });
}

nb::object class_in(nb::handle type, const std::string& attribute) {
  nb::object found = nb::getattr(type, attribute.c_str(), nb::none());
  return PyType_Check(found.ptr()) ? found : nb::object();
}

/// What a class of a user says of its results, as for the package vector: its MomentumClass (of
/// vectors that are none: its GenericClass) has ProjectionClass2D and so on, by whose names, less
/// Array, results are called.
std::string name_by_class(nb::handle type, Kind kind) {
  const nb::object flavor = class_in(type, kind.momentum ? "MomentumClass" : "GenericClass");
  if (!flavor.is_valid()) return {};
  const nb::object found = class_in(flavor, fmt::format("ProjectionClass{}D", kind.dimension));
  if (!found.is_valid() || is_built_in((PyTypeObject*)found.ptr()) || is_of_vector_package(found))
    return {};
  std::string name(text_in(found.attr("__name__")));
  for (const std::string_view end : {"Array", "Record"})
    if (name.ends_with(end)) {
      name.resize(name.size() - end.size());
      return name;
    }
  return name;
}

}  // namespace

Vector as_vector(nb::handle x, const char* op) {
  if (is_foreign_vector(x)) return Vector(from_foreign_vector(x));
  const auto kind = vector_kind(x);
  Vector v(as_array(x, op), kind.value_or(Kind{}));
  const nb::handle type = x.type();
  // The class is that of an operand, which outlives the call.
  if (kind && !is_built_in((PyTypeObject*)type.ptr()))
    v.name_results([type](Kind of) { return name_by_class(type, of); });
  return v;
}

// -- whether fields are those of vectors ----------------------------------------------------------

namespace {

using Fields = std::shared_ptr<const std::vector<std::string>>;

/// Fields that are known to be right, as most arrays have those of one before; never freed.
class Known {
 public:
  bool has(const Fields& fields, Kind kind) const {
    return std::ranges::any_of(
        known_, [&](const auto& k) { return k.first == fields && k.second == index_of(kind); });
  }
  void add(const Fields& fields, Kind kind) {
    known_[next_] = {fields, index_of(kind)};
    next_ = (next_ + 1) % known_.size();
  }

 private:
  std::array<std::pair<Fields, size_t>, 16> known_;
  size_t next_ = 0;
};

void check_records(nb::handle x, const graph::Node& n, Kind kind) {
  if (n.kind != graph::NodeKind::record) {
    // Of a union each kind of records by itself.
    if (graph::is_string(n)) return;
    for (const auto& c : n.contents) check_records(x, *c, kind);
    return;
  }
  static auto& known = *new Known;
  if (n.is_tuple || known.has(n.fields, kind)) return;
  try {
    vectors::check_fields(*n.fields, kind);
  } catch (const TypeError& e) {
    std::string names;
    for (const std::string& f : *n.fields)
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", f);
    const nb::object of = x.type().attr("__name__");
    throw TypeError(fmt::format("{} with fields [{}]: {}", text_in(of), names, e.what()));
  }
  known.add(n.fields, kind);
}

std::vector<PyObject*>& checks() {
  static auto& all = *new std::vector<PyObject*>;
  return all;
}

}  // namespace

void check_vectors(nb::handle x) {
  const auto kind = vector_kind(x);
  if (!kind) return;
  const Record* record = record_in(x);
  check_records(x, *(record ? record->value : *array_in(x)).node(), *kind);
}

bool checks_vectors(nb::handle method) { return std::ranges::count(checks(), method.ptr()) > 0; }

void remember_check(nb::object method) { checks().push_back(method.release().ptr()); }

bool is_of_vector_package(nb::handle function) {
  const nb::object module = nb::getattr(function, "__module__", nb::none());
  return PyUnicode_Check(module.ptr()) && text_in(module).starts_with("vector.");
}

// -- ufuncs ---------------------------------------------------------------------------------------

namespace {

Array length_squared(const Vector& v) {
  return v.dimension() == 2 ? rho2(v) : v.dimension() == 3 ? mag2(v) : tau2(v);
}
Array length(const Vector& v) {
  return v.dimension() == 2 ? rho(v) : v.dimension() == 3 ? mag(v) : tau(v);
}

Array to_power(const Vector& v, const Array& exponent) {
  const graph::NodeRef n = exponent.node();
  const bool square = n->kind == graph::NodeKind::leaf &&
                      n->column->kind == graph::ColumnKind::constant &&
                      n->column->scalar.dtype == DType::int64 && n->column->scalar.i == 2;
  return square ? length_squared(v) : power(length(v), exponent);
}

using Unary = Array (*)(const Vector&);
using Binary = Array (*)(const Vector&, const Vector&);
using Scaled = Array (*)(const Vector&, const Array&);

const std::unordered_map<PyObject*, Unary>& unary() {
  static const auto* table = new std::unordered_map<PyObject*, Unary>{
      {numpy("negative").ptr(), [](const Vector& v) { return scale(v, -1); }},
      {numpy("positive").ptr(), [](const Vector& v) { return v.records(); }},
      {numpy("absolute").ptr(), length},
      {numpy("square").ptr(), length_squared},
      {numpy("sqrt").ptr(), [](const Vector& v) { return power(length_squared(v), 0.25); }},
      {numpy("cbrt").ptr(), [](const Vector& v) { return power(length_squared(v), 1.0 / 6); }}};
  return *table;
}

const std::unordered_map<PyObject*, Binary>& binary() {
  static const auto* table =
      new std::unordered_map<PyObject*, Binary>{{numpy("add").ptr(), vectors::add},
                                                {numpy("subtract").ptr(), vectors::subtract},
                                                {numpy("equal").ptr(), vectors::equal},
                                                {numpy("not_equal").ptr(), vectors::not_equal},
                                                {numpy("matmul").ptr(), vectors::dot}};
  return *table;
}

bool is_vector(nb::handle x) { return vector_kind(x) || is_foreign_vector(x); }

}  // namespace

std::optional<nb::object> vector_ufunc(nb::handle ufunc, Operands inputs) {
  begin();
  const Beside beside(inputs);
  if (inputs.size() == 1) {
    const auto found = unary().find(ufunc.ptr());
    if (found == unary().end()) return {};
    return wrap(found->second(as_vector(inputs[0], "operator")));
  }
  if (inputs.size() != 2) return {};
  const nb::handle a = inputs[0], b = inputs[1];
  if (is_vector(a) && is_vector(b)) {
    const auto found = binary().find(ufunc.ptr());
    if (found == binary().end()) return {};
    const Vector v = as_vector(a, "operator");
    return wrap(found->second(v, as_vector(b, "operator")));
  }
  const bool first = is_vector(a);
  const nb::handle vector = first ? a : b, number = first ? b : a;
  Scaled f = nullptr;
  if (ufunc.is(numpy("multiply")))
    f = vectors::scale;
  else if (first && ufunc.is(numpy("divide")))
    f = [](const Vector& v, const Array& by) { return scale(v, 1.0 / by); };
  else if (first && ufunc.is(numpy("power")))
    f = to_power;
  if (!f) return {};
  const Vector v = as_vector(vector, "operator");
  const Array by = as_array(number, "operator");
  if (!by.fields().empty()) return {};
  return wrap(f(v, by));
}

// -- reducers -------------------------------------------------------------------------------------

std::optional<nb::object> vector_reducer(std::string_view name, nb::handle array, nb::handle axis,
                                         bool keepdims, bool mask_identity) {
  if (name != "sum" && name != "count" && name != "count_nonzero") return {};
  const ReduceOptions o{.axis = as_axis(axis, name.data(), array),
                        .keepdims = keepdims,
                        .mask_identity = mask_identity};
  const Vector v = as_vector(array, name.data());
  if (!keepdims) name_axes(array, Names::remove, o.axis);
  if (name == "sum") return wrap(vectors::sum(v, o));
  if (name == "count") return wrap(count(v[0], o));
  Array nonzero = rho2(v) != 0;
  if (v.dimension() > 2) nonzero = nonzero | (z(v) != 0);
  if (v.dimension() > 3) nonzero = nonzero | (t2(v) != 0);
  return wrap(count_nonzero(nonzero, o));
}

}  // namespace serrate::python
