// Functions of users as element-wise operations: what computes a block of items on a CPU, and the
// CUDA text of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "serrate/array.h"
#include "serrate/dtype.h"
#include "serrate/error.h"

namespace serrate {

/// Computes n items: inputs[k][i] are numbers of type arguments[k], bool as a byte 0 or 1.
/// `where`, one byte an item, may be null: where it is 0 nothing is computed, and outputs get 0.
/// Outputs are the results, one behind the other: the values, and a byte 0 or 1 behind those that
/// may be missing; at the end of all, where the whole may be missing, a byte, and where it may
/// fail, an int32 that is 0 where it did not. Several threads call at once.
using BlockFunction = void (*)(const void* state, int64_t n, const void* const* inputs,
                               const uint8_t* where, void* const* outputs);

/// What a function gives an item.
struct FunctionResult {
  DType dtype = DType::float64;
  bool may_be_missing = false;
  std::string field;  ///< of records
};

/// A function as it is described by who makes it.
struct FunctionParts {
  std::string name;  ///< for messages and explain()
  std::vector<DType> arguments;
  std::vector<FunctionResult> results;
  enum class Shape : uint8_t { number, tuple, record } shape = Shape::number;
  bool may_be_missing = false;  ///< the whole
  bool may_fail = false;
  BlockFunction block = nullptr;  ///< null: not for CPUs
  const void* state = nullptr;    ///< handed to it
  /// Keeps code and state alive.
  std::shared_ptr<const void> owner;
  /// Name of a `__device__` function of the arguments and pointers to the outputs, in the order of
  /// BlockFunction's, that gives nothing; the text that declares or defines it. Empty: not for
  /// GPUs. The name says what it computes: equal names, equal functions.
  std::string cuda_name, cuda_text;
  /// LTO-IR that defines it, if the text only declares it.
  std::string cuda_code;
  /// LLVM's text of a function `item_name` of one item, which is compiled with the operations
  /// around it: of a pointer to the outputs as one struct, a pointer that is not used, and the
  /// arguments, bool as i8; it gives an i32. Empty where there is none, or where it may fail or
  /// loops. The name is one of what it computes.
  std::string item_name, item_code;
};

/// A function that can be applied to arrays; it has a number of its own.
class Function : public FunctionParts {
 public:
  /// TypeError for a function without arguments, results or any code.
  explicit Function(FunctionParts parts);
  uint64_t number() const { return number_; }
  /// Types of the outputs of a block.
  const std::vector<DType>& outputs() const { return outputs_; }

 private:
  uint64_t number_;
  std::vector<DType> outputs_;
};
using FunctionRef = std::shared_ptr<const Function>;

/// Raises the error of the first item that failed, if it can; called by who looks, in his thread.
using Replay = std::function<void()>;

/// A function of users failed. `replay`, which may be null, raises what it raised.
struct FunctionError : ValueError {
  FunctionError(const std::string& text, Replay r) : ValueError(text), replay(std::move(r)) {}
  Replay replay;
};

/// f(x, y, ...) of the numbers in broadcast arrays, cast to the types of its arguments: an
/// operation like add, lazily evaluated and fused with what is around it. Where an argument is
/// missing it is not called, and the result is missing. TypeError for texts, times and another
/// number of arguments; where arrays are on a device that it has no code for, when it is evaluated.
Array apply(const FunctionRef& f, const std::vector<Array>& args, Replay replay = {});

/// How CUDA texts of users call a type. TypeError for complex numbers, times and float16.
std::string_view cuda_type(DType t);

/// A block function that was made at run time, and what keeps its code.
struct CompiledBlock {
  BlockFunction block = nullptr;
  std::shared_ptr<const void> owner;
};
/// Compiles LLVM's text of a module that defines a block function of this name; without a block if
/// it can't.
using BlockCompiler = std::function<CompiledBlock(const std::string& text, const char* name)>;
/// Whoever can compile says so once, before there are functions with an `item_code`.
void set_block_compiler(BlockCompiler compiler);
const BlockCompiler& block_compiler();

/// A maths function for code of functions, of this CPU's vectors: `vector` takes and gives vectors
/// of `lanes` numbers in registers, as C compilers pass them, `scalar` one number, with equal
/// results.
struct VectorFunction {
  const char* name;  ///< C's: "exp"
  DType dtype;       ///< float32 or float64
  int arity, lanes;
  const void *vector, *scalar;
};
/// All of them: those that operations of arrays use.
struct VectorFunctions {
  const VectorFunction* first;
  int count;
};
VectorFunctions vector_functions();

/// The status of each item, for functions that may fail: int32, 0 where it did not.
Array apply_status(const FunctionRef& f, const std::vector<Array>& args);

namespace detail {

template <class T>
struct Signature : Signature<decltype(&T::operator())> {};
template <class F, class R, class... A>
struct Signature<R (F::*)(A...) const> : Signature<R (*)(A...)> {};
template <class R, class... A>
struct Signature<R (*)(A...)> {
  using Result = R;
  using Arguments = std::tuple<std::decay_t<A>...>;
};

template <class R>
struct Results {
  using Tuple = std::tuple<R>;
  static Tuple of(R r) { return {r}; }
};
template <class... R>
struct Results<std::tuple<R...>> {
  using Tuple = std::tuple<R...>;
  static Tuple of(Tuple r) { return r; }
};

template <class F, size_t... i, size_t... j>
void call_block(const F& f, int64_t n, const void* const* inputs, const uint8_t* where,
                void* const* outputs, std::index_sequence<i...>, std::index_sequence<j...>) {
  using S = Signature<F>;
  using Given = Results<typename S::Result>;
  for (int64_t k = 0; k < n; k++) {
    typename Given::Tuple r{};
    if (where == nullptr || where[k] != 0)
      r = Given::of(
          f(static_cast<const std::tuple_element_t<i, typename S::Arguments>*>(inputs[i])[k]...));
    ((static_cast<std::tuple_element_t<j, typename Given::Tuple>*>(outputs[j])[k] = std::get<j>(r)),
     ...);
  }
}

template <class... T>
std::vector<DType> dtypes(const std::tuple<T...>*) {
  return {dtype_of<T>::value...};
}

/// "double a0, double* o0": parameters of a `__device__` function of these types. TypeError for
/// those that such functions do not take.
std::string cuda_parameters(const std::vector<DType>& arguments, const std::vector<DType>& outputs);

/// The text of a `__device__` function of users', called with pointers to its results.
void set_cuda_text(FunctionParts& parts, const std::string& text);

}  // namespace detail

/// A C++ function of numbers (a lambda, not generic), which gives a number or a std::tuple of them,
/// as one that can be applied: make_function("hypotenuse", [](double x, double y) { return
/// std::sqrt(x * x + y * y); }). `cuda` is the text of one function of that name for GPUs: "double
/// hypotenuse(double x, double y) { ... }"; results of a tuple are written through pointers that
/// are the last arguments. What f throws arrives as it is.
template <class F>
FunctionRef make_function(std::string name, F f, const std::string& cuda = {}) {
  using S = detail::Signature<F>;
  using Given = detail::Results<typename S::Result>;
  FunctionParts parts;
  parts.name = std::move(name);
  parts.arguments = detail::dtypes(static_cast<typename S::Arguments*>(nullptr));
  for (const DType t : detail::dtypes(static_cast<typename Given::Tuple*>(nullptr)))
    parts.results.push_back({t, false, {}});
  if (!std::is_same_v<typename Given::Tuple, std::tuple<typename S::Result>>)
    parts.shape = FunctionParts::Shape::tuple;
  auto kept = std::make_shared<const F>(std::move(f));
  parts.state = kept.get();
  parts.owner = std::move(kept);
  parts.block = [](const void* state, int64_t n, const void* const* inputs, const uint8_t* where,
                   void* const* outputs) {
    detail::call_block(*static_cast<const F*>(state), n, inputs, where, outputs,
                       std::make_index_sequence<std::tuple_size_v<typename S::Arguments>>(),
                       std::make_index_sequence<std::tuple_size_v<typename Given::Tuple>>());
  };
  if (!cuda.empty()) detail::set_cuda_text(parts, cuda);
  return std::make_shared<const Function>(std::move(parts));
}

/// apply(f, {x, y, ...}) of a C++ function.
template <class F>
requires requires { &F::operator(); }
Array apply(F f, const std::vector<Array>& args) {
  return serrate::apply(make_function("apply", std::move(f)), args);
}

}  // namespace serrate
