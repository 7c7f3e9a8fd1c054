// The text of every operation and conversion compiles for a GPU, where NVRTC is installed.
#include <dlfcn.h>

#include "../../../tests/cpp/catch.h"
#include "cuda/codegen/functions_cases.h"
#include "cuda/codegen/prelude.h"
#include "graph/ir.h"

using namespace serrate;
using namespace serrate::cuda;

namespace {

// The few entry points that the tests need.
class Nvrtc {
 public:
  Nvrtc() {
    for (const char* name :
         {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"})
      if (!library_) library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library_) return;
    find(create_, "nvrtcCreateProgram"), find(compile_, "nvrtcCompileProgram");
    find(destroy_, "nvrtcDestroyProgram"), find(log_size_, "nvrtcGetProgramLogSize");
    find(log_, "nvrtcGetProgramLog"), find(ptx_size_, "nvrtcGetPTXSize");
    find(ptx_, "nvrtcGetPTX");
  }
  bool found() const { return library_; }

  struct Result {
    bool ok = false;
    std::string log, ptx;
  };
  Result compile(const std::string& text) const {
    Result r;
    void* program = nullptr;
    create_(&program, text.c_str(), "test.cu", 0, nullptr, nullptr);
    const char* options[] = {"--gpu-architecture=compute_80", "-fmad=false"};
    r.ok = compile_(program, 2, options) == 0;
    size_t size = 0;
    log_size_(program, &size);
    log_(program, (r.log.resize(size), r.log.data()));
    if (r.ok) {
      ptx_size_(program, &size);
      ptx_(program, (r.ptx.resize(size), r.ptx.data()));
    }
    destroy_(&program);
    return r;
  }

 private:
  template <class F>
  void find(F& f, const char* name) {
    f = reinterpret_cast<F>(dlsym(library_, name));
  }

  void* library_ = nullptr;
  int (*create_)(void**, const char*, const char*, int, const char* const*, const char* const*);
  int (*compile_)(void*, int, const char* const*);
  int (*destroy_)(void**);
  int (*log_size_)(void*, size_t*);
  int (*log_)(void*, char*);
  int (*ptx_size_)(void*, size_t*);
  int (*ptx_)(void*, char*);
};

std::string kernel(const Text& statements) {
  const Text body =
      "extern \"C\" __global__ void test(const void* const* in, void* const* out) {\n"
      "  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n" +
      statements + "}\n";
  std::string text;
  append_prelude(text, body.uses().names());
  return text + body.str();
}

Text statement(std::span<const DType> types, DType result, int slot, const Text& expression) {
  std::string out = "  {\n";
  for (size_t k = 0; k < types.size(); k++)
    out += fmt::format("    const {0} {1} = ((const {0}*)in[{2}])[i];\n", type_text(types[k]),
                       "abc"[k], k);
  return out + fmt::format("    (({}*)out[{}])[i] = ", type_text(result), slot) + expression +
         ";\n  }\n";
}

}  // namespace

TEST_CASE("cuda: every operation and conversion compiles") {
  const Nvrtc nvrtc;
  for (int t = 0; t < kDTypeCount; t++) {
    Text statements;
    int slot = 0;
    for (const auto& c : op_cases())
      if (c.types[c.op == Op::where ? 1 : 0] == DType(t))
        statements +=
            statement({c.types.data(), info(c.op).arity}, c.result, slot++, op_expression(c));
    for (const auto& c : cast_cases())
      if (c.from == DType(t))
        statements += statement({&c.from, 1}, c.to, slot++, cast_expression(c));
    INFO(name(DType(t)));
    CHECK(slot > kDTypeCount);
    if (!nvrtc.found()) continue;
    const auto r = nvrtc.compile(kernel(statements));
    INFO(r.log);
    CHECK(r.ok);
  }
  if (!nvrtc.found()) WARN("no libnvrtc: the text was made, not compiled");
}

TEST_CASE("cuda: float32 is computed in float32") {
  const Nvrtc nvrtc;
  for (const auto& c : op_cases()) {
    if (c.types[0] != DType::float32) continue;
    const std::string text =
        kernel(statement({c.types.data(), info(c.op).arity}, c.result, 0, op_expression(c)));
    CHECK(text.find("double") == text.npos);
    if (!nvrtc.found()) continue;
    const auto r = nvrtc.compile(text);
    INFO(text << r.log);
    CHECK(r.ok);
    // The reduction of huge angles is exact in float64.
    const bool angles = c.op == Op::sin || c.op == Op::cos || c.op == Op::tan;
    CHECK((angles || r.ptx.find(".f64") == r.ptx.npos));
  }
  if (!nvrtc.found()) WARN("no libnvrtc: the text was made, not compiled");
}
