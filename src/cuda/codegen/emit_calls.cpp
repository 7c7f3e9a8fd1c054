// Calls of users' functions as CUDA text.
#include <algorithm>

#include "core/link_codes.h"
#include "cuda/codegen/emit.h"
#include "serrate/error.h"
#include "serrate/function.h"

namespace serrate::cuda {

using namespace graph;

/// Outputs are variables whose names begin alike: the first one that is asked for has it called.
Text Emitter::call(const Column& c, Cursor& k, Scope& into) {
  const Function& f = *c.function;
  const Column* operands = c.args[0].get();
  std::string name;
  if (const Text* made = known(operands, k, into)) {
    name = made->str();
  } else {
    name = fresh("v");
    write_call(c, k, into, name);
    remember(operands, k, into, name);
  }
  const auto output = static_cast<size_t>(c.link);
  const bool truth = f.outputs()[output] == DType::boolean;
  return name + "_" + std::to_string(output) + (truth ? " != 0" : "");
}

void Emitter::write_call(const Column& c, Cursor& k, Scope& into, const std::string& name) {
  const Function& f = *c.function;
  if (f.cuda_name.empty()) throw TypeError(f.name + ": has no code for GPUs");
  if (std::ranges::find(functions_, c.function) == functions_.end())
    functions_.push_back(c.function);
  Text call = f.cuda_name + "(";
  for (const ColumnRef& a : call_arguments(c)) call += value(a, k, into) + ", ";
  const Text where = c.args[1] ? value(c.args[1], k, into) : Text();
  for (size_t i = 0; i < f.outputs().size(); i++) {
    const std::string out = name + "_" + std::to_string(i);
    line(into, std::string(cuda_type(f.outputs()[i])) + " " + out + " = 0;");
    call += (i > 0 ? ", &" : "&") + out;
  }
  call += ");";
  line(into, where.empty() ? call : "if (" + where + ") " + call);
}

std::string Emitter::function_texts() const {
  std::string out;
  for (const FunctionRef& f : functions_) {
    if (!f->cuda_code.empty()) out += link_line(f->cuda_name);
    out += f->cuda_text;
  }
  return out;
}

}  // namespace serrate::cuda
