// What a GPU must do, asked of the GPU where there is one and of its stand-in everywhere.
#include "cuda/device.h"

#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include "catch.h"
#include "cuda/runtime/compile_only.h"
#include "serrate/error.h"

using namespace serrate;
using namespace serrate::cuda;

namespace {

std::vector<GpuDevice*> devices() {
  std::vector<GpuDevice*> out{&compile_only_gpu()};
  if (gpu_available() && &gpu() != out[0]) out.push_back(&gpu());
  return out;
}

/// A vector's values on the device.
template <class T>
struct OnGpu {
  GpuDevice& g;
  int64_t n;
  void* p;
  OnGpu(GpuDevice& d, const std::vector<T>& v)
      : g(d), n(static_cast<int64_t>(v.size())), p(d.allocate(bytes())) {
    g.upload(p, v.data(), bytes());
  }
  OnGpu(GpuDevice& d, size_t size) : OnGpu(d, std::vector<T>(size)) {}
  ~OnGpu() { g.release(p, bytes()); }
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;
  int64_t bytes() const { return n * static_cast<int64_t>(sizeof(T)); }
  T* get() const { return static_cast<T*>(p); }
  std::vector<T> host() const {
    std::vector<T> v(static_cast<size_t>(n));
    g.download(v.data(), p, bytes());
    return v;
  }
};

std::vector<int64_t> numbers(size_t n, int64_t low, int64_t high) {
  std::mt19937_64 r(n);
  std::uniform_int_distribution<int64_t> any(low, high);
  std::vector<int64_t> v(n);
  for (auto& x : v) x = any(r);
  return v;
}

}  // namespace

TEST_CASE("gpu: bytes there and back", "[cuda]") {
  for (GpuDevice* g : devices()) {
    // Less than a staging chunk, one, several and a part, by one thread, two and all.
    for (const size_t n :
         {0, 1, 31, 8192, 8193, 524'288, 524'289, 1'500'001, 2'097'153, 9'000'001}) {
      std::vector<int64_t> v = numbers(n, -9, 9);
      const std::vector<int64_t> before = v;
      const OnGpu<int64_t> a(*g, n), b(*g, n);
      g->upload(a.p, v.data(), a.bytes());
      std::fill(v.begin(), v.end(), 0);  // allowed at once
      g->copy(b.p, a.p, a.bytes());
      CHECK(b.host() == before);
      g->fill(b.p, 0xff, b.bytes());
      CHECK(b.host() == std::vector<int64_t>(n, -1));
      CHECK(a.host() == before);
    }
  }
}

TEST_CASE("gpu: memory is counted, bounded and comes back", "[cuda]") {
  for (GpuDevice* g : devices()) {
    const int64_t before = g->memory().used;
    void* p = g->allocate(1 << 20);
    CHECK(g->memory().used == before + (1 << 20));
    CHECK(g->memory().used_high >= before + (1 << 20));
    g->set_memory_limit(before + (3 << 20));
    void* q = g->allocate(1 << 20);
    CHECK_THROWS_AS(g->allocate(2 << 20), MemoryError);
    g->release(q, 1 << 20);
    q = g->allocate(2 << 20);
    g->set_memory_limit(0);
    g->release(p, 1 << 20);
    g->release(q, 2 << 20);
    g->trim_memory();
    CHECK(g->memory().used == before);
    CHECK(g->allocate(0) == nullptr);
    g->release(nullptr, 0);
    try {
      g->allocate(int64_t{1} << 60);
      FAIL("there is an exbibyte");
    } catch (const MemoryError& e) {
      CHECK(std::string(e.what()).find("asked for") != std::string::npos);
    }
    CHECK(g->memory().used == before);
    void* again = g->allocate(100);
    CHECK(again != nullptr);
    g->release(again, 100);
  }
}

TEST_CASE("gpu: offsets of lists, and the longest", "[cuda]") {
  for (GpuDevice* g : devices()) {
    for (const size_t n : {0, 1, 31, 33, 1000, 300'000}) {
      const std::vector<int64_t> v = numbers(n, 0, 100);
      std::vector<int64_t> sums{0};
      int64_t largest = n > 0 ? 0 : -1;
      for (const int64_t x : v) {
        sums.push_back(sums.back() + x);
        largest = std::max(largest, x);
      }
      const OnGpu<int64_t> lengths(*g, v), offsets(*g, n + 1);
      auto* seen = static_cast<Lengths*>(g->allocate_pinned(sizeof(Lengths)));
      g->offsets(lengths.get(), lengths.n, offsets.get(), seen);
      g->synchronize();
      CHECK(seen->total == sums.back());
      CHECK(seen->longest == largest);
      CHECK(offsets.host() == sums);
      g->release_pinned(seen);
    }
  }
}

TEST_CASE("gpu: argsort is stable, NaN last, -0.0 is 0.0", "[cuda]") {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  for (GpuDevice* g : devices()) {
    auto order = [&]<class T>(const std::vector<T>& v, DType t, bool descending) {
      const OnGpu<T> keys(*g, v);
      const OnGpu<int64_t> offsets(*g, {0, keys.n}), out(*g, v.size());
      g->argsort({t, keys.p, offsets.get(), 1, keys.n, -1, descending}, out.get());
      return out.host();
    };
    const std::vector<double> d{1, nan, -0.0, -inf, 0.0, inf, -2, 1, -nan};
    CHECK(order(d, DType::float64, false) == std::vector<int64_t>{3, 6, 2, 4, 0, 7, 5, 1, 8});
    CHECK(order(d, DType::float64, true) == std::vector<int64_t>{5, 0, 7, 2, 4, 6, 3, 1, 8});
    const std::vector<float> f(d.begin(), d.end());
    CHECK(order(f, DType::float32, false) == std::vector<int64_t>{3, 6, 2, 4, 0, 7, 5, 1, 8});
    CHECK(order(f, DType::float32, true) == std::vector<int64_t>{5, 0, 7, 2, 4, 6, 3, 1, 8});
    // 1, NaN, -0, -inf, 0, inf, -2
    const std::vector<uint16_t> h{0x3c00, 0x7e00, 0x8000, 0xfc00, 0, 0x7c00, 0xc000};
    CHECK(order(h, DType::float16, false) == std::vector<int64_t>{3, 6, 2, 4, 0, 5, 1});
    CHECK(order(h, DType::float16, true) == std::vector<int64_t>{5, 0, 2, 4, 6, 3, 1});
    const std::vector<int8_t> i{3, -128, 127, 0, -1, 3};
    CHECK(order(i, DType::int8, false) == std::vector<int64_t>{1, 4, 3, 0, 5, 2});
    CHECK(order(i, DType::int8, true) == std::vector<int64_t>{2, 0, 5, 3, 4, 1});
    const std::vector<uint8_t> u{3, 128, 127, 0, 255, 3};
    CHECK(order(u, DType::uint8, false) == std::vector<int64_t>{3, 0, 5, 2, 1, 4});
    const std::vector<int64_t> t{5, INT64_MIN, -5, 0};  // NaT is last
    CHECK(order(t, DType::datetime64, false) == std::vector<int64_t>{2, 3, 0, 1});
    CHECK(order(t, DType::datetime64, true) == std::vector<int64_t>{0, 3, 2, 1});
    CHECK(order(t, DType::int64, false) == std::vector<int64_t>{1, 2, 3, 0});
  }
}

TEST_CASE("gpu: argsort of many, and list by list", "[cuda]") {
  for (GpuDevice* g : devices()) {
    for (const size_t n : {0, 1, 33, 5000, 200'000}) {
      const std::vector<int64_t> v = numbers(n, -1000, 1000);
      std::vector<int64_t> offsets{0};  // empty lists, short ones, one that has the rest
      for (int64_t i = 0; offsets.back() < static_cast<int64_t>(n); i++)
        offsets.push_back(std::min<int64_t>(static_cast<int64_t>(n),
                                            offsets.back() + (i > 300 ? 1'000'000 : i % 5)));
      offsets.push_back(offsets.back());
      const OnGpu<int64_t> keys(*g, v), bounds(*g, offsets), out(*g, n);
      const auto lists = static_cast<int64_t>(offsets.size()) - 1;
      for (const bool descending : {false, true}) {
        std::vector<int64_t> order(n), sorted = v;
        for (size_t i = 0; i + 1 < offsets.size(); i++) {
          const int64_t first = offsets[i], last = offsets[i + 1];
          std::iota(order.begin() + first, order.begin() + last, int64_t{0});
          std::stable_sort(order.begin() + first, order.begin() + last, [&](int64_t a, int64_t b) {
            if (descending) std::swap(a, b);
            return v[static_cast<size_t>(first + a)] < v[static_cast<size_t>(first + b)];
          });
          std::sort(sorted.begin() + first, sorted.begin() + last);
          if (descending) std::reverse(sorted.begin() + first, sorted.begin() + last);
        }
        const ListsToSort l{DType::int64, keys.p, bounds.get(), lists, keys.n, -1, descending};
        g->argsort(l, out.get());
        CHECK(out.host() == order);
        g->sort(l, out.get());
        CHECK(out.host() == sorted);
      }
    }
  }
}

TEST_CASE("gpu: threads at once", "[cuda]") {
  for (GpuDevice* g : devices()) {
    std::vector<std::thread> threads;
    std::atomic<int> right{0};
    for (int i = 0; i < 4; i++)
      threads.emplace_back([&, i] {
        for (int k = 0; k < 20; k++) {
          const std::vector<int64_t> v = numbers(static_cast<size_t>(1000 * i + k + 1), 0, 9);
          const OnGpu<int64_t> a(*g, v), b(*g, v.size());
          g->copy(b.p, a.p, a.bytes());
          right += b.host() == v;
        }
      });
    for (auto& t : threads) t.join();
    CHECK(right == 80);
  }
}

TEST_CASE("gpu: one that can't be used says why", "[cuda]") {
  std::string why;
  if (gpu_available(&why)) {
    CHECK(gpu().info().arch >= 75);
    const Buffer host = Buffer::copy_of("ragged", 6), there = to_gpu(host), back = to_host(there);
    CHECK(there.device() == Device::cuda);
    CHECK(back.device() == Device::cpu);
    CHECK(std::string(back.as<char>(), 6) == "ragged");
    return;
  }
  CHECK(why.size() > 20);
  try {
    to_gpu(Buffer::copy_of("ragged", 6));
    FAIL("there is no GPU");
  } catch (const std::runtime_error& e) {
    CHECK(std::string(e.what()) == "cuda: no GPU can be used: " + why);
  }
}
