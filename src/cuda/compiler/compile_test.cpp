// The cache of kernels, with a compiler that is none and with NVRTC.
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "catch.h"
#include "cuda/compiler/kernel_cache.h"
#include "cuda/compiler/nvrtc.h"

using namespace serrate;
using namespace serrate::cuda;
namespace fs = std::filesystem;

namespace {

/// A folder of its own for each test.
struct Folder {
  std::string path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "serrate-test-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path); }
  int64_t files() const {
    return std::distance(fs::directory_iterator(path), fs::directory_iterator());
  }
};

/// "compiles" by adding the arch, and counts.
struct Fake {
  int calls = 0;
  std::string version = "1";
  Compiler compiler() {
    return {[this] { return version; },
            [this](const std::string& text, int arch) {
              calls++;
              if (text == "bad") throw std::runtime_error("does not compile");
              return text + " for " + std::to_string(arch);
            }};
  }
};

constexpr int64_t kMiB = 1 << 20;

void overwrite(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}
std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("disk cache: what is stored is loaded", "[cuda][cache]") {
  const Folder f;
  const DiskCache c(f.path + "/made/below", kMiB);
  const Digest a = sha256("a"), b = sha256("b");
  const std::string bytes("one\0two", 7);
  REQUIRE(c.usable());
  CHECK_FALSE(c.load(a));
  c.store(a, bytes);
  c.store(b, "");
  CHECK(c.load(a) == bytes);
  CHECK(c.load(b) == "");
  CHECK(DiskCache(f.path + "/made/below", kMiB).load(a) == bytes);
}

TEST_CASE("disk cache: a damaged file is nothing and goes", "[cuda][cache]") {
  const Folder f;
  const DiskCache c(f.path, kMiB);
  const Digest a = sha256("a"), b = sha256("b");
  c.store(a, "content");
  const std::string good = content_of(c.path(a));
  std::string flipped = good;
  flipped.back() ^= 1;
  std::string longer = good + "x";
  for (const std::string& bad : {flipped, longer, good.substr(0, good.size() - 1),
                                 good.substr(0, 20), std::string(), "x" + good.substr(1)}) {
    overwrite(c.path(a), bad);
    CHECK_FALSE(c.load(a));
    CHECK_FALSE(fs::exists(c.path(a)));
  }
  // Another key's file under this name.
  overwrite(c.path(b), good);
  CHECK_FALSE(c.load(b));
  c.store(a, "content");
  CHECK(c.load(a) == "content");
}

TEST_CASE("disk cache: what was used longest ago goes first", "[cuda][cache]") {
  const Folder f;
  const std::string part(1000, 'x');
  const DiskCache c(f.path, 3500);  // three of them, with their headers
  const Digest keys[] = {sha256("0"), sha256("1"), sha256("2"), sha256("3")};
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < 3; i++) {
    c.store(keys[i], part);
    fs::last_write_time(c.path(keys[i]), now - std::chrono::hours(10 - i));
  }
  CHECK(c.load(keys[0]) == part);  // now 1 is the oldest
  c.store(keys[3], part);
  CHECK(c.load(keys[0]) == part);
  CHECK_FALSE(c.load(keys[1]));
  CHECK(c.load(keys[2]) == part);
  CHECK(c.load(keys[3]) == part);
  c.store(keys[1], std::string(4000, 'x'));  // more than all
  CHECK_FALSE(c.load(keys[1]));
  CHECK(f.files() == 3);
}

TEST_CASE("disk cache: what died processes left goes", "[cuda][cache]") {
  const Folder f;
  const DiskCache c(f.path, kMiB);
  overwrite(f.path + "/.tmp-1", "half a file");
  overwrite(f.path + "/.tmp-2", "somebody writes this now");
  overwrite(f.path + "/other", "not ours");
  fs::last_write_time(f.path + "/.tmp-1", fs::file_time_type::clock::now() - std::chrono::hours(2));
  c.store(sha256("a"), "content");
  CHECK_FALSE(fs::exists(f.path + "/.tmp-1"));
  CHECK(fs::exists(f.path + "/.tmp-2"));
  CHECK(fs::exists(f.path + "/other"));
}

TEST_CASE("disk cache: no folder, no bound, no right to write", "[cuda][cache]") {
  const Folder f;
  overwrite(f.path + "/file", "");
  std::string why;
  CHECK_FALSE(make_writable(f.path + "/file/below", &why));
  CHECK(why != "");
  for (const auto& c : {DiskCache("", kMiB), DiskCache(f.path + "/file/below", kMiB),
                        DiskCache(f.path + "/unused", 0)}) {
    CHECK_FALSE(c.usable());
    c.store(sha256("a"), "content");
    CHECK_FALSE(c.load(sha256("a")));
    Fake fake;
    KernelCache kernels(c, fake.compiler());
    CHECK(kernels.get("text", 90) == "text for 90");
    CHECK(kernels.get("text", 90) == "text for 90");
    CHECK(fake.calls == 1);
  }
  CHECK_FALSE(fs::exists(f.path + "/unused"));
}

TEST_CASE("disk cache: processes at once see whole files", "[cuda][cache]") {
  const Folder f;
  const std::string one(300'000, '1'), two(500'000, '2');
  const Digest key = sha256("key");
  std::vector<pid_t> children;
  for (int child = 0; child < 4; child++) {
    const pid_t pid = fork();
    if (pid == 0) {
      const DiskCache c(f.path, 2 * kMiB);
      bool good = true;
      for (int i = 0; i < 50; i++) {
        c.store(key, (i + child) % 2 == 0 ? one : two);
        const auto seen = c.load(key);
        good = good && (!seen || *seen == one || *seen == two);
      }
      _exit(good ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = -1;
    REQUIRE(waitpid(pid, &status, 0) == pid);
    CHECK(status == 0);
  }
  CHECK(f.files() == 1);  // no temporary is left
}

TEST_CASE("kernel cache: memory, then disk, then the compiler", "[cuda][cache]") {
  const Folder f;
  Fake fake;
  KernelCache first(DiskCache(f.path, kMiB), fake.compiler());
  CHECK(first.get("text", 90) == "text for 90");
  CHECK(first.get("text", 90) == "text for 90");
  CHECK(first.get("text", 80) == "text for 80");
  CHECK(first.statistics().compiled == 2);
  CHECK(first.statistics().from_memory == 1);
  KernelCache second(DiskCache(f.path, kMiB), fake.compiler());
  CHECK(second.get("text", 90) == "text for 90");
  CHECK(second.statistics().from_disk == 1);
  CHECK(fake.calls == 2);
  // Damaged on disk: compiled again, and whole again.
  overwrite(first.disk().path(first.key("text", 90)), "damage");
  KernelCache third(DiskCache(f.path, kMiB), fake.compiler());
  CHECK(third.get("text", 90) == "text for 90");
  CHECK(fake.calls == 3);
  CHECK(third.disk().load(third.key("text", 90)) == "text for 90");
}

TEST_CASE("kernel cache: the key is all that the code depends on", "[cuda][cache]") {
  Fake fake;
  const KernelCache c(DiskCache("", 0), fake.compiler());
  const Digest key = c.key("text", 90);
  CHECK(c.key("text", 90) == key);
  CHECK(c.key("Text", 90) != key);
  CHECK(c.key("text", 89) != key);
  fake.version = "2";
  CHECK(c.key("text", 90) != key);
}

TEST_CASE("kernel cache: what fails is tried again", "[cuda][cache]") {
  Fake fake;
  KernelCache c(DiskCache("", 0), fake.compiler());
  CHECK_THROWS_AS(c.get("bad", 90), std::runtime_error);
  CHECK_THROWS_AS(c.get("bad", 90), std::runtime_error);
  CHECK(fake.calls == 2);
}

TEST_CASE("kernel cache: threads that ask for one text compile it once", "[cuda][cache]") {
  std::atomic<int> calls{0};
  KernelCache c(DiskCache("", 0), {[] { return std::string("1"); },
                                   [&](const std::string& text, int) {
                                     calls++;
                                     return text;
                                   }});
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < 8; i++)
    threads.emplace_back([&] {
      for (int k = 0; k < 100; k++) {
        const std::string text = "text " + std::to_string(k);
        right += c.get(text, 90) == text;
      }
    });
  for (auto& t : threads) t.join();
  CHECK(right == 800);
  CHECK(calls == 100);
}

TEST_CASE("nvrtc: compiles for every GPU, or says how to get it", "[cuda][nvrtc]") {
  const std::string text = "extern \"C\" __global__ void twice(double* x) { x[0] *= 2; }\n";
  const CompilerInfo info = compiler_info();
  if (!info.found) {
    CHECK(info.why_not.find("nvidia-cuda-nvrtc") != std::string::npos);
    CHECK_THROWS_AS(nvrtc_compile(text, 90, Effort::full), std::runtime_error);
    return;
  }
  CHECK(info.version.find('.') != std::string::npos);
  CHECK(fs::exists(info.path));
  CHECK(nvrtc_file().build.size() >= 16);
  for (const Effort effort : {Effort::full, Effort::least}) {
    for (const int arch : compile_only_archs())
      CHECK(nvrtc_compile(text, arch, effort).substr(0, 4) ==
            "\x7f"
            "ELF");
    // Newer than this compiler: PTX.
    CHECK(nvrtc_compile(text, 990, effort).find(".entry twice") != std::string::npos);
    CHECK_THROWS_AS(nvrtc_compile(text, 20, effort), std::runtime_error);
    try {
      nvrtc_compile("extern \"C\" __global__ void bad() { nonsense(); }\n", 90, effort);
      FAIL("it compiles");
    } catch (const std::runtime_error& e) {
      const std::string said = e.what();
      CHECK(said.find("identifier \"nonsense\" is undefined") != std::string::npos);
      CHECK(said.find("void bad()") != std::string::npos);
    }
  }
  CHECK(nvrtc_options_text(Effort::full) != nvrtc_options_text(Effort::least));
}
