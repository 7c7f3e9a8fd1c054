// Functions of users: their numbers, and the CUDA text around those that are text.
#include "serrate/function.h"

#include <fmt/format.h>

#include <atomic>

#include "core/link_codes.h"
#include "core/sha256.h"
#include "serrate/error.h"

namespace serrate {

namespace {

std::vector<DType> outputs_of(const FunctionParts& f) {
  std::vector<DType> out;
  for (const FunctionResult& r : f.results) {
    out.push_back(r.dtype);
    if (r.may_be_missing) out.push_back(DType::boolean);
  }
  if (f.may_be_missing) out.push_back(DType::boolean);
  if (f.may_fail) out.push_back(DType::int32);
  return out;
}

uint64_t next_number() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

}  // namespace

Function::Function(FunctionParts parts)
    : FunctionParts(std::move(parts)), number_(next_number()), outputs_(outputs_of(*this)) {
  check<TypeError>(!arguments.empty(), "{}: a function of arrays has an argument", name);
  check<TypeError>(!results.empty(), "{}: gives nothing", name);
  check<TypeError>(block != nullptr || !cuda_name.empty(), "{}: has no code", name);
  if (!cuda_code.empty()) keep_link_code(cuda_name, cuda_code);
}

namespace {
BlockCompiler& known_compiler() {
  static BlockCompiler& c = *new BlockCompiler;
  return c;
}
}  // namespace

void set_block_compiler(BlockCompiler compiler) { known_compiler() = std::move(compiler); }

const BlockCompiler& block_compiler() { return known_compiler(); }

std::string_view cuda_type(DType t) {
  switch (t) {
    case DType::boolean:
    case DType::uint8:
      return "unsigned char";
    case DType::int8:
      return "signed char";
    case DType::int16:
      return "short";
    case DType::uint16:
      return "unsigned short";
    case DType::int32:
      return "int";
    case DType::uint32:
      return "unsigned int";
    case DType::int64:
      return "long long";
    case DType::uint64:
      return "unsigned long long";
    case DType::float32:
      return "float";
    case DType::float64:
      return "double";
    default:
      throw TypeError(
          fmt::format("functions on GPUs take numbers and bool, not {}", serrate::name(t)));
  }
}

std::string detail::cuda_parameters(const std::vector<DType>& arguments,
                                    const std::vector<DType>& outputs) {
  std::string out;
  const auto add = [&](DType t, const char* kind, size_t i) {
    out += fmt::format("{}{}{}{}", out.empty() ? "" : ", ", cuda_type(t), kind, i);
  };
  for (size_t i = 0; i < arguments.size(); i++) add(arguments[i], " a", i);
  for (size_t i = 0; i < outputs.size(); i++) add(outputs[i], "* o", i);
  return out;
}

/// A namespace of its own, so that several may have one name.
void detail::set_cuda_text(FunctionParts& parts, const std::string& text) {
  const std::vector<DType> outputs = outputs_of(parts);
  const std::string parameters = cuda_parameters(parts.arguments, outputs);
  const std::string hash = hex(sha256(parts.name + parameters + text)).substr(0, 24);
  std::string given;
  const auto give = [&](const char* kind, size_t i) {
    given += fmt::format("{}{}{}", given.empty() ? "" : ", ", kind, i);
  };
  for (size_t i = 0; i < parts.arguments.size(); i++) give("a", i);
  const bool returns = parts.shape == FunctionParts::Shape::number && outputs.size() == 1;
  for (size_t i = 0; !returns && i < outputs.size(); i++) give("o", i);
  parts.cuda_name = "sr_call_" + hash;
  const std::string called = fmt::format("sr_text_{}::{}({})", hash, parts.name, given);
  parts.cuda_text = fmt::format(
      "namespace sr_text_{} {{\n{}\n}}\nstatic __device__ inline void {}({}) {{ {}{}; }}\n", hash,
      text, parts.cuda_name, parameters, returns ? "*o0 = " : "", called);
}

}  // namespace serrate
