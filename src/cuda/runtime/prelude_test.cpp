// The templates of the prelude as CUDA: called by kernels that are written here, by hand, on a GPU
// or the emulated one.
#include <initializer_list>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "cuda/device.h"
#include "cuda/kernels/generate.h"
#include "cuda/runtime/module.h"

using namespace serrate;
using namespace serrate::cuda;

namespace {

constexpr int kSegment = 16;

// A sum and how many items it is of; what begins, ends and keeps a list.
const char* const kText = R"(
struct Fold {
  long long sum = 0;
  int items = 0;
  void settle() {}
  void join(const Fold& other) { sum += other.sum, items += other.items; }
  template <class Hand>
  Fold handed(Hand hand) const { return {hand(sum), hand(items)}; }
};
struct Arguments {
  const long long* offsets;
  const long long* x;
  long long* sums;
  long long lists;
  unsigned long long* number;
  Segment* segments;
  int* arrived;
  Fold* parts;
};
using Cut = Segments<Fold, 16>;

extern "C" __global__ void __launch_bounds__(256) lists(const __grid_constant__ Arguments a) {
  const auto start_of = [&](long long r) { return a.offsets[r]; };
  const auto stop_of = [&](long long r) { return a.offsets[r + 1]; };
  const auto one = [&](long long, long long start, long long stop) {
    Fold f;
    for (long long i = start; i < stop; i++) f.sum += a.x[i], f.items++;
    return f;
  };
  const auto some = [&](long long, long long start, long long stop, int lane, int log) {
    Fold f;
    for (long long i = start + lane; i < stop; i += 1 << log) f.sum += a.x[i], f.items++;
    return f;
  };
  const auto leave = [&](long long r, long long start, long long stop, const Fold& f) {
    a.sums[r] = f.items == stop - start ? f.sum : -1;
  };
  sr_fold_binned<Fold, int, Lengths<2, 8, 64, 24, 100>, 64>(
      0, a.lists, 64, start_of, stop_of, one, some, leave,
      Cut{a.number, a.segments, a.arrived, a.parts});
}

extern "C" __global__ void __launch_bounds__(256) segments(const __grid_constant__ Arguments a) {
  const auto start_of = [&](long long r) { return a.offsets[r]; };
  const auto stop_of = [&](long long r) { return a.offsets[r + 1]; };
  const auto part = [&](long long, long long, long long, long long from, long long to, int lane) {
    Fold f;
    for (long long i = from + lane; i < to; i += 32) f.sum += a.x[i], f.items++;
    return f;
  };
  const auto leave = [&](long long r, long long start, long long stop, const Fold& f) {
    a.sums[r] = f.items == stop - start ? f.sum : -1;
  };
  sr_fold_segments(Cut{a.number, a.segments, a.arrived, a.parts}, start_of, stop_of, part, leave);
}

extern "C" __global__ void __launch_bounds__(256) pairs(const __grid_constant__ Arguments a) {
  __shared__ __align__(16) unsigned char rooms[8 * 64 * (2 * sizeof(int) + sizeof(Fold))];
  int* const owners = (int*)(rooms + (threadIdx.x >> 5) * sizeof(rooms) / 8);
  int* const firsts = owners + 64;
  Fold* const known = (Fold*)(firsts + 64);
  const long long first = ((long long)blockIdx.x * 8 + (threadIdx.x >> 5)) * 64;
  if (first >= a.lists) return;
  const int lists = (int)min(64ll, a.lists - first);
  const auto length = [&](int l) { return (int)(a.offsets[first + l + 1] - a.offsets[first + l]); };
  int counts[2];
  const auto count = [&](int k, int l, bool mine, auto place) {
    counts[k] = mine ? length(l) * (length(l) - 1) / 2 : 0;
    place(counts[k]);
  };
  const auto tuple = [&](int l, int, int p, bool some) {
    Fold f;
    if (!some) return f;
    int i, j;
    sr_pair(p, length(l), i, j);
    const long long* const x = a.x + a.offsets[first + l];
    f.sum = x[i] * x[j], f.items = 1;
    return f;
  };
  sr_fold_tuples<Fold, int, 2>(lists, owners, firsts, known, count, tuple);
  sr_own_lists<2>(lists, [&](int k, int l, bool mine) {
    if (mine) a.sums[first + l] = known[l].items == counts[k] ? known[l].sum : -1;
  });
}

// Of triples, or some of those of long lists, how many are found by their number.
extern "C" __global__ void __launch_bounds__(256) triples(const __grid_constant__ Arguments a) {
  const long long l = (long long)blockIdx.x * 256 + threadIdx.x;
  if (l >= a.lists) return;
  const long long n = a.offsets[l + 1] - a.offsets[l], all = sr_choose(n, 3);
  long long found = 0, i, j, k;
  int i0, j0, k0;
  for (long long p = 0; p < all; p += n < 50 ? 1 : 9973) {
    sr_triple(p, n, i, j, k);
    if (n < 200) {
      sr_triple((int)p, (int)n, i0, j0, k0);
      if (i0 != i || j0 != j || k0 != k) continue;
    }
    const long long before = all - sr_choose(n - i, 3) + sr_choose(n - i - 1, 2) - sr_choose(n - j, 2);
    found += 0 <= i && i < j && j < k && k < n && before + k - j - 1 == p;
  }
  a.sums[l] = found;
}
)";

struct Arguments {
  const void *offsets, *x, *sums;
  int64_t lists;
  const void *number, *segments, *arrived, *parts;
};

class Lists {
 public:
  explicit Lists(const std::vector<int64_t>& lengths) : sums(lengths.size()) {
    offsets.resize(lengths.size() + 1);
    std::partial_sum(lengths.begin(), lengths.end(), offsets.begin() + 1);
    x.resize(static_cast<size_t>(offsets.back()));
    std::mt19937 random(7);
    for (int64_t& v : x) v = static_cast<int64_t>(random() % 1000) + 1;
  }

  std::vector<int64_t> run(std::initializer_list<std::pair<const char*, int64_t>> kernels) {
    const std::string_view names[] = {"sr_fold_binned", "sr_fold_segments", "sr_fold_tuples",
                                      "sr_own_lists",   "sr_pair",          "sr_triple",
                                      "sr_choose",      "Segments",         "Lengths"};
    Module& module = module_of(kText, names);
    const size_t parts = x.size() / kSegment + sums.size() + 1;
    const Arguments a{put(offsets),
                      put(x),
                      put(sums),
                      static_cast<int64_t>(sums.size()),
                      put(std::vector<int64_t>(2)),
                      put(std::vector<int64_t>(2 * parts)),
                      put(std::vector<int64_t>(parts)),
                      put(std::vector<int64_t>(2 * parts))};
    for (const auto& [name, blocks] : kernels)
      gpu().launch(module.kernel(name), blocks, kThreads, 0, &a, sizeof a);
    gpu().download(sums.data(), a.sums, static_cast<int64_t>(8 * sums.size()));
    return sums;
  }

  template <class F>
  std::vector<int64_t> expected(F of_list) const {
    std::vector<int64_t> out;
    for (size_t l = 0; l < sums.size(); l++)
      out.push_back(of_list(std::span(x.data() + offsets[l], x.data() + offsets[l + 1])));
    return out;
  }

 private:
  const void* put(const std::vector<int64_t>& v) {
    const auto bytes = static_cast<int64_t>(8 * v.size());
    void* p = nullptr;
    memory_.push_back(allocate(bytes + 8, &p));
    gpu().upload(p, v.data(), bytes);
    return p;
  }

  std::vector<int64_t> offsets, x, sums;
  std::vector<Buffer> memory_;
};

std::vector<int64_t> skewed(size_t n, int64_t longest) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<int64_t> out(n);
  for (int64_t& v : out) v = static_cast<int64_t>(random() % 8 == 0 ? random() % 40 : random() % 4);
  if (!out.empty()) out[n / 2] = longest;
  return out;
}

bool has_gpu() { return gpu_available() && !compile_only(); }

}  // namespace

TEST_CASE("prelude: folds of lists by as many threads as they ask for", "[cuda][prelude]") {
  if (!has_gpu()) {
    WARN("no GPU: nothing was run");
    return;
  }
  // Segments in one group of 64, in several, and in groups of groups.
  for (const size_t n : {1, 63, 64, 65, 1000})
    for (const int64_t longest : {0, 64, 65, 16 * 64 - 1, 16 * 64 + 1, 16 * 64 * 64 + 17}) {
      Lists lists(skewed(n, longest));
      CAPTURE(n, longest);
      CHECK(lists.run({{"lists", static_cast<int64_t>((n + 63) / 64)}, {"segments", 2}}) ==
            lists.expected([](auto x) { return std::accumulate(x.begin(), x.end(), int64_t{0}); }));
    }
}

TEST_CASE("prelude: tuples shared out among the lanes of a warp", "[cuda][prelude]") {
  if (!has_gpu()) {
    WARN("no GPU: nothing was run");
    return;
  }
  for (const size_t n : {1, 31, 64, 65, 513, 1000}) {
    Lists lists(skewed(n, 50));
    CAPTURE(n);
    CHECK(lists.run({{"pairs", static_cast<int64_t>((n + 511) / 512)}}) ==
          lists.expected([](auto x) {
            int64_t sum = 0;
            for (size_t i = 0; i < x.size(); i++)
              for (size_t j = i + 1; j < x.size(); j++) sum += x[i] * x[j];
            return sum;
          }));
  }
}

TEST_CASE("prelude: triples by their number", "[cuda][prelude]") {
  if (!has_gpu()) {
    WARN("no GPU: nothing was run");
    return;
  }
  for (const int64_t longest : {3, 49, 199, 255, 256, 700, 3000}) {
    Lists lists(skewed(50, longest));
    CAPTURE(longest);
    CHECK(lists.run({{"triples", 1}}) == lists.expected([](auto x) {
      const auto n = static_cast<int64_t>(x.size()), step = int64_t{n < 50 ? 1 : 9973};
      return (n * (n - 1) / 2 * (n - 2) / 3 + step - 1) / step;
    }));
  }
}
