// The C++ of the pages: each block is one of examples/cpp, which compiles and prints what the page
// says.
#include <serrate/serrate.h>

#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"

#define main tour
#include "../../examples/cpp/tour.cpp"
#undef main
#define main errors
#include "../../examples/cpp/errors.cpp"
#undef main
#define main find_peaks
#include "../../examples/cpp/peaks.cpp"
#undef main
#define main show_vectors
#include "../../examples/cpp/vectors.cpp"
#undef main
#include "../../examples/cpp/heaviest.cpp"

namespace {

/// Of the sources that this was built from, or of the copy that it runs in.
std::string read(const std::string& path) {
  std::ifstream in(std::string(SERRATE_SOURCE) + "/" + path);
  if (!in) in.open(path);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// From the first line that includes something.
std::string code(const std::string& name) {
  const std::string text = read("examples/cpp/" + name + ".cpp");
  return text.substr(text.find("#include"));
}

std::string printed(const std::function<int()>& example) {
  std::ostringstream out;
  std::streambuf* before = std::cout.rdbuf(out.rdbuf());
  const int status = example();
  std::cout.rdbuf(before);
  REQUIRE(status == 0);
  return out.str();
}

int blocks(const std::string& page) {
  int n = 0;
  for (size_t i = 0; (i = page.find("```cpp\n", i)) != std::string::npos; ++i) ++n;
  return n;
}

}  // namespace

TEST_CASE("examples of the pages", "[docs]") {
  const std::string cpp = read("docs/cpp.md"), kernels = read("docs/kernels.md");
  const std::string of_vectors = read("docs/vectors.md");
  struct Example {
    const std::string& page;
    const char* name;
    int (*run)();
  };
  for (const auto& [page, name, run] : {Example{cpp, "tour", tour},
                                        {cpp, "errors", errors},
                                        {kernels, "peaks", find_peaks},
                                        {of_vectors, "vectors", show_vectors}}) {
    CAPTURE(name);
    const std::string said =
        "```cpp\n" + code(name) + "```\n\nIt prints\n\n```text\n" + printed(run) + "```\n";
    INFO(said);
    CHECK(page.find(said) != std::string::npos);
  }
  CHECK(blocks(cpp) == 2);
  CHECK(blocks(kernels) == 1);
  CHECK(blocks(of_vectors) == 1);
}

TEST_CASE("the example of the README", "[docs]") {
  const std::string readme = read("README.md");
  CHECK(readme.find("```cpp\n" + code("heaviest") + "```\n") != std::string::npos);
  CHECK(blocks(readme) == 1);
  const serrate::Array number = serrate::from_values<double>({45, 42, 30});
  const serrate::Array flat =
      serrate::zip({{"pt", number}, {"eta", number / 90}, {"phi", number / 10}});
  const serrate::Array muons = serrate::unflatten(flat, serrate::from_values<int>({2, 0, 1}));
  CHECK(printed([&] { return print_heaviest(muons), 0; }) == "[13.1,\n None,\n None]\n");
}

TEST_CASE("no page but these has C++", "[docs]") {
  for (const char* page : {"guide", "index", "install", "first_steps", "performance", "errors",
                           "gpu", "coming_from_awkward", "classes_and_layouts", "accuracy"})
    CHECK(blocks(read(std::string("docs/") + page + ".md")) == 0);
}
