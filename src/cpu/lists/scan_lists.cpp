// Running sums, products, minima and maxima list by list.
//
// Four items wait for one addition of what came before them, not for four. Lists longer than
// `seams().scanned` are summed in chunks from nothing, to which what came before is added: the same
// for one thread as for many.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <vector>

#include "core/seams.h"
#include "core/types/reducer_info.h"
#include "cpu/lists/list_tasks.h"
#include "cpu/machine/scratch.h"
#include "serrate/error.h"

namespace serrate::cpu {
namespace {

#include "cpu/lists/scan_operations.h"

// Lists of a task that are no longer than this on average are walked item by item.
constexpr int64_t kShort = 8;
constexpr int kParts = 8;

/// In: item type, A: what is computed with, Out: result type.
template <class Op, class In, class A, class Out>
class Scanner {
 public:
  Scanner(const void* in, const uint8_t* valid, const Lists& lists, void* out)
      : in_(static_cast<const In*>(in)),
        valid_(valid),
        lists_(lists),
        out_(static_cast<Out*>(out)) {}

  void run() {
    for_lists(
        lists_, [this](int64_t list) { giant(list); },
        [this](ListRange range) {
          const int64_t lists = range.end - range.begin;
          const int64_t n = lists_.offsets[range.end] - lists_.offsets[range.begin];
          if (n <= kShort * lists)
            return valid_ ? short_lists<true>(range) : short_lists<false>(range);
          for (int64_t l = range.begin; l < range.end; l++) {
            const int64_t begin = lists_.offsets[l], n = lists_.offsets[l + 1] - begin;
            n <= seams().scanned ? void(chunk(begin, n)) : chunks(begin, n);
          }
        });
  }

 private:
  static A identity() { return Op::template identity<A>(); }

  /// Parts of a list may be scanned by themselves: where a zero comes before one whose product is
  /// infinite, nothing is NaN.
  static constexpr bool has_parts() { return Op::kInAnyOrder || std::is_integral_v<A>; }
  /// Numbers that wrap around: any parts give the same bits, so one thread needs none.
  static constexpr bool is_exact() { return std::is_unsigned_v<A>; }

  A item(int64_t i) const { return valid_ && !valid_[i] ? identity() : load<A>(in_[i]); }

  /// A chunk from nothing; returns what all of it gives.
  A chunk(int64_t begin, int64_t n) {
    return valid_ ? scan<true>(begin, n) : scan<false>(begin, n);
  }

  template <bool masked>
  A scan(int64_t begin, int64_t n) {
    const auto get = [&](int64_t i) { return masked ? item(i) : load<A>(in_[i]); };
    if (n == 0) return identity();
    // Nothing but the items themselves: -0.0 stays -0.0.
    A acc = get(begin);
    out_[begin] = round_to<Out>(acc);
    int64_t i = begin + 1;
    const int64_t end = begin + n;
    for (; (Op::kInAnyOrder || is_exact()) && i + 4 <= end; i += 4) {
      const A a = get(i), b = Op::apply(a, get(i + 1)), c = get(i + 2);
      const A d = Op::apply(c, get(i + 3));
      out_[i] = round_to<Out>(Op::apply(acc, a));
      out_[i + 1] = round_to<Out>(Op::apply(acc, b));
      out_[i + 2] = round_to<Out>(Op::apply(acc, Op::apply(b, c)));
      acc = Op::apply(acc, Op::apply(b, d));
      out_[i + 3] = round_to<Out>(acc);
    }
    for (; i < end; i++) {
      acc = Op::apply(acc, get(i));
      out_[i] = round_to<Out>(acc);
    }
    return acc;
  }

  /// Item by item, as loops of a few items are mostly mispredicted ends.
  template <bool masked>
  void short_lists(ListRange range) {
    const int64_t begin = lists_.offsets[range.begin], n = lists_.offsets[range.end] - begin;
    if (n == 0) return;
    ScratchScope scope;
    auto* starts = scope.get<uint8_t>(static_cast<size_t>(n) + 1);
    memset(starts, 0, static_cast<size_t>(n));
    for (int64_t l = range.begin; l < range.end; l++) starts[lists_.offsets[l] - begin] = 1;
    // Parts of the lists side by side, as each item waits for the one before.
    A acc[kParts];
    int64_t at[kParts], ends[kParts], together = n;
    for (int p = 0; p < kParts; p++) {
      const auto cut = [&](int64_t k) {
        const int64_t* end = lists_.offsets + range.end;
        return *std::lower_bound(lists_.offsets + range.begin, end, begin + n * k / kParts);
      };
      acc[p] = identity();
      at[p] = cut(p);
      ends[p] = cut(p + 1);
      together = std::min(together, ends[p] - at[p]);
    }
    const auto step = [&](int p, int64_t i) {
      const A v = masked ? item(i) : load<A>(in_[i]);
      // Where lists begin is not to be guessed: a load instead of a branch.
      const A next[2] = {Op::apply(acc[p], v), v};
      acc[p] = next[starts[i - begin]];
      out_[i] = round_to<Out>(acc[p]);
    };
    for (int64_t k = 0; k < together; k++) {
#pragma GCC unroll 8
      for (int p = 0; p < kParts; p++) step(p, at[p] + k);
    }
    for (int p = 0; p < kParts; p++) {
      for (int64_t i = at[p] + together; i < ends[p]; i++) step(p, i);
    }
  }

  void add(A before, int64_t begin, int64_t n) {
    for (int64_t i = begin; i < begin + n; i++)
      out_[i] = round_to<Out>(Op::apply(before, load<A>(out_[i])));
  }

  /// A list by one thread.
  void chunks(int64_t begin, int64_t n) {
    if (!has_parts() || is_exact()) return void(chunk(begin, n));
    const int64_t most = seams().scanned;
    A before = chunk(begin, std::min(most, n));
    for (int64_t i = most; i < n; i += most) {
      const int64_t size = std::min(most, n - i);
      const A here = chunk(begin + i, size);
      add(before, begin + i, size);
      before = Op::apply(before, here);
    }
  }

  void giant(int64_t list) {
    const int64_t begin = lists_.offsets[list], n = lists_.offsets[list + 1] - begin;
    if (!has_parts() || num_threads() == 1) return chunks(begin, n);
    const int64_t most = seams().scanned, count = (n + most - 1) / most;
    const auto size = [n, most](int64_t k) { return std::min(most, n - k * most); };
    std::vector<A> before(static_cast<size_t>(count));
    parallel_for(count, [&](int64_t k, int) {
      before[static_cast<size_t>(k)] = chunk(begin + k * most, size(k));
    });
    A sum = before[0];
    for (size_t k = 1; k < before.size(); k++) {
      const A here = before[k];
      before[k] = sum;
      sum = Op::apply(sum, here);
    }
    parallel_for(count - 1, [&](int64_t k, int) {
      add(before[static_cast<size_t>(k) + 1], begin + (k + 1) * most, size(k + 1));
    });
  }

  const In* in_;
  const uint8_t* valid_;
  const Lists& lists_;
  Out* out_;
};

}  // namespace

void scan_lists(Reducer r, DType t, const void* items, const uint8_t* valid, const Lists& lists,
                void* out) {
  scan_as(r, t, [&]<class Op, class In, class A, class Out>() {
    Scanner<Op, In, A, Out>(items, valid, lists, out).run();
  });
}

}  // namespace serrate::cpu
