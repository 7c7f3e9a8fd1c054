// NVRTC for the emulated GPU: the functions that serrate takes from it, over the host's compiler.
//
// What it gives as a cubin is a shared library. SERRATE_NVRTC names this library to serrate.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Program {
  std::string text, log, code;
};

/// What is linked: the text of a kernel, and object files of functions.
struct Linking {
  Program kernel;
  std::vector<std::string> objects;
};

constexpr int kFailed = 6;  // NVRTC_ERROR_COMPILATION

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The folder of temporary files, removed with all that is in it.
struct Folder {
  std::string path;
  std::vector<std::string> objects;
  Folder() {
    char name[] = "/tmp/serrate-emulated-XXXXXX";
    if (const char* made = mkdtemp(name)) path = made;
  }
  ~Folder() {
    for (const char* file : {"/kernel.cpp", "/kernel.so", "/log"}) unlink((path + file).c_str());
    for (const std::string& file : objects) unlink((path + "/" + file).c_str());
    rmdir(path.c_str());
  }
};

std::string size_and_copy(const std::string& s, size_t* size, char* to) {
  if (size != nullptr) *size = s.size();
  if (to != nullptr) std::copy(s.begin(), s.end(), to);
  return s;
}

/// The text as a shared library, with these object files inside.
int compile(Program* p, const std::vector<std::string>& objects) {
  if (getenv("SERRATE_EMULATOR_SHOW") != nullptr) fprintf(stderr, "%s\n", p->text.c_str());
  Folder folder;
  // An argument by reference, so that its size need not be known to the caller.
  std::ofstream(folder.path + "/kernel.cpp") << replaced(
      replaced(p->text, "const __grid_constant__ Arguments a", "const Arguments& a"),
      "const volatile Arguments* arguments", "const volatile Arguments* const& arguments");
  // Errors of functions have memory; the rest is named where Numba would tell the interpreter.
  if (!objects.empty())
    std::ofstream(folder.path + "/kernel.cpp", std::ios::app)
        << "extern \"C\" void* malloc(size_t);\n"
           "extern \"C\" void* NRT_Allocate(size_t n) { return malloc(n); }\n"
           "extern \"C\" void numba_gil_ensure() {}\n"
           "extern \"C\" void numba_gil_release() {}\n"
           "extern \"C\" void* numba_unpickle() { return 0; }\n";
  std::string files;
  for (const std::string& object : objects) {
    folder.objects.push_back("function" + std::to_string(folder.objects.size()) + ".o");
    std::ofstream(folder.path + "/" + folder.objects.back(), std::ios::binary) << object;
    files += " " + folder.objects.back();
  }
  const std::string command =
      "cd " + folder.path +
      " && " SERRATE_EMULATOR_COMPILE " -include " SERRATE_EMULATOR_HEADER
      // Few maps each: a process may have 65,530, and loads thousands of these.
      " -shared -nostdlib -nostartfiles -Wl,-z,noseparate-code,-z,norelro"
      " -o kernel.so kernel.cpp" +
      files + " -lgcc 2> log";
  const int status = system(command.c_str());
  p->log = content(folder.path + "/log");
  p->code = content(folder.path + "/kernel.so");
  return status == 0 && !p->code.empty() ? 0 : kFailed;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return 0;
}
const char* nvrtcGetErrorString(int e) { return e == 0 ? "no error" : "the compiler failed"; }
int nvrtcGetNumSupportedArchs(int* n) {
  *n = 1;
  return 0;
}
int nvrtcGetSupportedArchs(int* archs) {
  *archs = 90;
  return 0;
}
int nvrtcCreateProgram(Program** p, const char* text, const char*, int, const char* const*,
                       const char* const*) {
  *p = new Program{text, {}, {}};
  return 0;
}
int nvrtcDestroyProgram(Program** p) {
  delete *p;
  return 0;
}
int nvrtcCompileProgram(Program* p, int n, const char* const* options) {
  const bool is_linked = std::any_of(options, options + n,
                                     [](const char* o) { return std::string_view(o) == "-dlto"; });
  return is_linked ? 0 : compile(p, {});
}
int nvrtcGetProgramLogSize(Program* p, size_t* n) { return size_and_copy(p->log, n, nullptr), 0; }
int nvrtcGetProgramLog(Program* p, char* to) { return size_and_copy(p->log, nullptr, to), 0; }
int nvrtcGetCUBINSize(Program* p, size_t* n) { return size_and_copy(p->code, n, nullptr), 0; }
int nvrtcGetCUBIN(Program* p, char* to) { return size_and_copy(p->code, nullptr, to), 0; }
int nvrtcGetPTXSize(Program*, size_t* n) { return *n = 0, 0; }
int nvrtcGetPTX(Program*, char*) { return 0; }
// What is linked later stays text.
int nvrtcGetLTOIRSize(Program* p, size_t* n) { return size_and_copy(p->text, n, nullptr), 0; }
int nvrtcGetLTOIR(Program* p, char* to) { return size_and_copy(p->text, nullptr, to), 0; }

int nvJitLinkCreate(Linking** l, unsigned, const char**) {
  *l = new Linking;
  return 0;
}
int nvJitLinkDestroy(Linking** l) {
  delete *l;
  return 0;
}
int nvJitLinkAddData(Linking* l, int, const void* data, size_t size, const char* name) {
  std::string code(static_cast<const char*>(data), size);
  if (std::string_view(name) == "kernel")
    l->kernel.text = std::move(code);
  else
    l->objects.push_back(std::move(code));
  return 0;
}
int nvJitLinkComplete(Linking* l) { return compile(&l->kernel, l->objects); }
int nvJitLinkGetLinkedCubinSize(Linking* l, size_t* n) { return nvrtcGetCUBINSize(&l->kernel, n); }
int nvJitLinkGetLinkedCubin(Linking* l, void* to) {
  return nvrtcGetCUBIN(&l->kernel, static_cast<char*>(to));
}
int nvJitLinkGetErrorLogSize(Linking* l, size_t* n) {
  return nvrtcGetProgramLogSize(&l->kernel, n);
}
int nvJitLinkGetErrorLog(Linking* l, char* to) { return nvrtcGetProgramLog(&l->kernel, to); }
}
#pragma GCC visibility pop
