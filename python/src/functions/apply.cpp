// Functions of users as Python describes them (serrate/_apply), and what applies them.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "common/operands.h"
#include "core/link_codes.h"
#include "cuda/compiler/compile.h"
#include "cuda/compiler/linker.h"
#include "functions/bind.h"
#include "ops/tree/input.h"
#include "serrate/function.h"

namespace serrate::python {
namespace {

/// Python's object as what raises an error: it calls it.
Replay replay_of(nb::handle o) {
  if (o.is_none()) return {};
  auto kept = keep(o);
  PyObject* f = o.ptr();
  return [kept, f] {
    const nb::handle function(f);
    function();
  };
}

DType dtype_named(const std::string& name) {
  for (int i = 0; i < kDTypeCount; i++) {
    const auto t = static_cast<DType>(i);
    if (serrate::name(t) == name) return t;
  }
  throw TypeError("apply: functions do not take or give " + name);
}

using Results = std::vector<std::tuple<std::string, bool, std::string>>;

FunctionParts described(const std::string& name, const std::vector<std::string>& arguments,
                        const Results& results, const std::string& shape) {
  FunctionParts f;
  f.name = name;
  for (const auto& a : arguments) f.arguments.push_back(dtype_named(a));
  for (const auto& [type, may_be_missing, field] : results)
    f.results.push_back({dtype_named(type), may_be_missing, field});
  using Shape = FunctionParts::Shape;
  f.shape = shape == "number" ? Shape::number : shape == "tuple" ? Shape::tuple : Shape::record;
  return f;
}

/// NumPy's inner loop of a ufunc.
using UfuncLoop = void (*)(char** args, const intptr_t* n, const intptr_t* steps, void* data);

struct Loop {
  UfuncLoop function;
  void* data;
  std::vector<intptr_t> steps;  // of inputs and outputs
  size_t inputs;
  std::shared_ptr<const void> owner;

  void operator()(int64_t n, const void* const* in, const uint8_t* where, void* const* out) const {
    std::vector<char*> args;
    for (size_t i = 0; i < steps.size(); i++)
      args.push_back(static_cast<char*>(i < inputs ? const_cast<void*>(in[i]) : out[i - inputs]));
    const intptr_t count = n;
    function(args.data(), &count, steps.data(), data);
    for (size_t i = inputs; where != nullptr && i < steps.size(); i++) {
      for (int64_t k = 0; k < n; k++) {
        if (where[k] == 0) std::memset(args[i] + k * steps[i], 0, static_cast<size_t>(steps[i]));
      }
    }
  }
};

void set_loop(FunctionParts& f, uintptr_t loop, uintptr_t data, nb::handle owner) {
  auto made =
      std::make_shared<Loop>(reinterpret_cast<UfuncLoop>(loop), reinterpret_cast<void*>(data),
                             std::vector<intptr_t>(), f.arguments.size(), keep(owner));
  for (const DType t : f.arguments) made->steps.push_back(itemsize(t));
  for (const FunctionResult& r : f.results) made->steps.push_back(itemsize(r.dtype));
  f.block = [](const void* state, int64_t n, const void* const* in, const uint8_t* where,
               void* const* out) { (*static_cast<const Loop*>(state))(n, in, where, out); };
  f.state = made.get();
  f.owner = std::move(made);
}

std::vector<Array> operands_of(nb::tuple args) {
  std::vector<PyObject*> given;
  for (nb::handle a : args) given.push_back(a.ptr());
  const Beside beside{std::span<PyObject* const>(given)};
  std::vector<Array> arrays;
  for (nb::handle a : args) arrays.push_back(as_array(a, "apply"));
  return arrays;
}

struct Held {
  FunctionRef function;
};

/// The type of the numbers that a function is called with.
DType type_of_numbers(nb::handle x) {
  if (PyBool_Check(x.ptr())) return DType::boolean;
  if (PyLong_Check(x.ptr())) return DType::int64;
  if (PyFloat_Check(x.ptr())) return DType::float64;
  if (PyComplex_Check(x.ptr())) return DType::complex128;
  const Array* const known = array_in(x);
  const Array a = known != nullptr ? *known : as_array(x, "apply");
  const graph::Node* n = a.node().get();
  while (n->kind == graph::NodeKind::option || ops::is_list(*n)) n = n->contents[0].get();
  if (n->kind == graph::NodeKind::unknown) return DType::float64;
  check<TypeError>(
      n->kind == graph::NodeKind::leaf,
      "apply: functions are called with numbers; unions, records and strings are none");
  const DType t = n->column->dtype;
  check<TypeError>(!is_time(t), "apply: functions are called with numbers, got {}", name(t));
  return t == DType::float16 ? DType::float32 : t;
}

/// The name of it, of which there is one object, as it is a key.
nb::object named_type_of(nb::handle x) {
  static std::array<PyObject*, kDTypeCount> names{};
  const DType t = type_of_numbers(x);
  PyObject*& s = names[static_cast<size_t>(t)];
  if (s == nullptr) {
    s = PyUnicode_InternFromString(std::string(name(t)).c_str());
    if (s == nullptr) throw nb::python_error();
  }
  return nb::borrow(s);
}

nb::tuple types_of_arguments(nb::tuple args) {
  const auto n = static_cast<Py_ssize_t>(args.size());
  const auto types = nb::steal<nb::tuple>(PyTuple_New(n));
  if (!types.is_valid()) throw nb::python_error();
  for (Py_ssize_t i = 0; i < n; ++i)
    PyTuple_SetItem(types.ptr(), i, named_type_of(PyTuple_GetItem(args.ptr(), i)).release().ptr());
  return types;
}

void bind_making(nb::module_& m) {
  nb::class_<Held>(m, "_Function", "A compiled function of numbers.")
      .def_prop_ro("cuda_name", [](const Held& h) { return h.function->cuda_name; });
  m.def(
      "_function",
      [](const std::string& name, const std::vector<std::string>& arguments, const Results& results,
         const std::string& shape, bool may_be_missing, bool may_fail, uintptr_t block,
         nb::handle owner, const std::string& cuda_name, const std::string& cuda_text,
         nb::bytes cuda_code, const std::string& item_name, const std::string& item_code) {
        FunctionParts f = described(name, arguments, results, shape);
        f.may_be_missing = may_be_missing;
        f.may_fail = may_fail;
        f.block = reinterpret_cast<BlockFunction>(block);
        f.owner = keep(owner);
        f.cuda_name = cuda_name;
        f.cuda_text = cuda_text;
        f.cuda_code = std::string(static_cast<const char*>(cuda_code.data()), cuda_code.size());
        f.item_name = item_name;
        f.item_code = item_code;
        return Held{std::make_shared<const Function>(std::move(f))};
      },
      "name"_a, "arguments"_a, "results"_a, "shape"_a, "may_be_missing"_a, "may_fail"_a, "block"_a,
      "owner"_a, "cuda_name"_a, "cuda_text"_a, "cuda_code"_a, "item_name"_a, "item_code"_a);
  m.def(
      "_set_block_compiler",
      [](nb::handle f) {
        set_block_compiler([kept = keep(f), f](const std::string& text, const char* name) {
          const nb::gil_scoped_acquire lock;
          const nb::object made = f(text, name);
          if (made.is_none()) return CompiledBlock{};
          const auto [address, owner] = nb::cast<std::pair<uintptr_t, nb::object>>(made);
          return CompiledBlock{reinterpret_cast<BlockFunction>(address), keep(owner)};
        });
      },
      "compiler"_a);
  m.def(
      "_text_function",
      [](const std::string& name, const std::vector<std::string>& arguments, const Results& results,
         const std::string& shape, const std::string& text, const std::string& entry) {
        FunctionParts f = described(entry, arguments, results, shape);
        detail::set_cuda_text(f, text);
        f.name = name;
        return Held{std::make_shared<const Function>(std::move(f))};
      },
      "name"_a, "arguments"_a, "results"_a, "shape"_a, "text"_a, "entry"_a);
  m.def(
      "_loop_function",
      [](const std::string& name, const std::vector<std::string>& arguments, const Results& results,
         const std::string& shape, uintptr_t loop, uintptr_t data, nb::handle owner) {
        FunctionParts f = described(name, arguments, results, shape);
        set_loop(f, loop, data, owner);
        return Held{std::make_shared<const Function>(std::move(f))};
      },
      "name"_a, "arguments"_a, "results"_a, "shape"_a, "loop"_a, "data"_a, "owner"_a);
}

}  // namespace

void bind_apply(nb::module_& m) {
  bind_making(m);
  m.def("_link_format", [] { return cuda::link_format(); });
  m.def("_vector_functions", [] {
    nb::list out;
    const VectorFunctions all = vector_functions();
    for (int i = 0; i < all.count; i++) {
      const VectorFunction& f = all.first[i];
      out.append(nb::make_tuple(f.name, std::string(name(f.dtype)), f.arity, f.lanes,
                                reinterpret_cast<uintptr_t>(f.vector),
                                reinterpret_cast<uintptr_t>(f.scalar)));
    }
    return out;
  });
  m.def("_is_evaluated", [](nb::handle a) { return graph::is_evaluated(as_array(a, "apply")); });
  m.def("_keep_link_code", [](const std::string& name, nb::bytes code) {
    keep_link_code(name, std::string(static_cast<const char*>(code.data()), code.size()));
  });
  m.def("_link_line", [](const std::string& name) { return link_line(name); });
  m.def("_cache_directory", [] { return cuda::cache_directory(); });
  def(m, "_apply_type", &named_type_of, "x"_a);
  def(m, "_apply_types", &types_of_arguments, "args"_a);
  def(
      m, "_apply_status",
      [](const Held& f, nb::tuple args) { return apply_status(f.function, operands_of(args)); },
      "function"_a, "args"_a);
  def(
      m, "_apply",
      [](const Held& f, nb::tuple args, nb::handle replay) {
        return apply(f.function, operands_of(args), replay_of(replay));
      },
      "function"_a, "args"_a, "replay"_a.none());
}

}  // namespace serrate::python
