// What the walks of all kernels call: the error word, positions of pairs, owners of items, and
// values handed from lane to lane.

// The first failure: row << 8 | number of the check, and the numbers of its message. Host memory,
// all bits set where nothing failed.
struct Error {
  volatile unsigned long long first;
  unsigned long long lock;
  volatile long long index, size;
};

SERRATE_FN void sr_fail_at(Error* e, unsigned long long key, long long index, long long size) {
  // Host memory is far: of lanes that fail together those go there that may be the first.
  const unsigned active = __activemask();
  const int leader = __ffs((int)active) - 1;
  const unsigned long long first = __shfl_sync(active, key, leader);
  if (leader != (int)(threadIdx.x & 31) && key >= first) return;
  while (key < e->first) {
    if (atomicCAS(&e->lock, ~0ull, 0ull) != ~0ull) continue;
    __threadfence();
    if (key < e->first) {
      e->index = index;
      e->size = size;
      e->first = key;
    }
    __threadfence();
    atomicExch(&e->lock, ~0ull);
    return;
  }
}

SERRATE_FN void sr_fail(Error* e, int check, long long row, long long index) {
  sr_fail_at(e, (unsigned long long)row << 8 | (unsigned long long)check, index, 0);
}

SERRATE_FN void sr_fail_lengths(Error* e, int check, long long row, long long a, long long b) {
  sr_fail_at(e, (unsigned long long)row << 8 | 128 | (unsigned long long)check, a, b);
}

// Pair p of n items in the order (0, 1), (0, 2) ... (n - 2, n - 1).
SERRATE_FN void sr_pair(long long p, long long n, long long& i, long long& j) {
  // Pairs behind p, in rows of 1, 2, 3 ... pairs from the end.
  if (n < 2048) {
    const int m = (int)n, behind = m * (m - 1) / 2 - 1 - (int)p;
    int row = (int)((sqrtf(8.0f * (float)behind + 1.0f) - 1.0f) * 0.5f);
    if (row * (row + 1) / 2 > behind) --row;
    if ((row + 1) * (row + 2) / 2 <= behind) ++row;
    i = m - 2 - row;
    j = m - 1 - (behind - row * (row + 1) / 2);
    return;
  }
  const long long behind = n * (n - 1) / 2 - 1 - p;
  long long row = (long long)((sqrt(8.0 * (double)behind + 1.0) - 1.0) * 0.5);
  while (row * (row + 1) / 2 > behind) --row;
  while ((row + 1) * (row + 2) / 2 <= behind) ++row;
  i = n - 2 - row;
  j = n - 1 - (behind - row * (row + 1) / 2);
}

SERRATE_FN void sr_pair(int p, int n, int& i, int& j) {
  long long first, second;
  sr_pair((long long)p, (long long)n, first, second);
  i = (int)first;
  j = (int)second;
}

// Triple p of n items, in order: i < j < k. Those behind it are C(a, 3) + C(b, 2) + c, a > b > c.
template <class Int>
SERRATE_FN void sr_find_triple(Int p, Int n, Int& i, Int& j, Int& k) {
  const Int behind = n * (n - 1) / 2 * (n - 2) / 3 - 1 - p;
  // C(x + 1, 3) is (x^3 - x) / 6.
  Int x = (Int)(n < 256 ? cbrtf(6.0f * (float)behind) : cbrt(6.0 * (double)behind));
  while (x * x * x - x > 6 * behind) --x;
  while ((x + 1) * (x + 1) * (x + 1) - (x + 1) <= 6 * behind) ++x;
  // Pairs of the x + 1 items behind the first of the triple.
  Int first, second;
  sr_pair((x + 1) * x / 2 - 1 - (behind - (x * x * x - x) / 6), x + 1, first, second);
  i = n - 2 - x;
  j = i + 1 + first;
  k = i + 1 + second;
}
SERRATE_FN void sr_triple(long long p, long long n, long long& i, long long& j, long long& k) {
  sr_find_triple(p, n, i, j, k);
}
SERRATE_FN void sr_triple(int p, int n, int& i, int& j, int& k) { sr_find_triple(p, n, i, j, k); }

// How many times k of n items can be chosen.
SERRATE_FN long long sr_choose(long long n, int k) {
  if (n < k) return 0;
  long long times = 1;
  for (int i = 0; i < k; ++i) times = times * (n - i) / (i + 1);
  return times;
}

// An error of three in the last place does no harm.
#ifdef __CUDACC_RTC__
SERRATE_FN float sr_near_sqrt(float x) {
  asm("sqrt.approx.ftz.f32 %0, %0;" : "+f"(x));
  return x;
}
SERRATE_FN float sr_near_reciprocal(float x) {
  asm("rcp.approx.ftz.f32 %0, %0;" : "+f"(x));
  return x;
}
#else
SERRATE_FN float sr_near_sqrt(float x) { return sqrtf(x); }
SERRATE_FN float sr_near_reciprocal(float x) { return 1.0f / x; }
#endif

// The same of up to 1024 items. Pairs behind p that begin a row are squares of half-integers, less
// a quarter, twice: a number in the middle between two of these is in the right row.
SERRATE_FN void sr_short_pair(int p, int n, int& i, int& j) {
  const unsigned behind = (unsigned)(n * (n - 1)) / 2 - 1 - (unsigned)p;
  const unsigned row = (unsigned)(int)(sr_near_sqrt(2.0f * (float)(int)behind + 1.25f) - 0.5f);
  i = n - 2 - (int)row;
  j = n - 1 - (int)(behind - (row * row + row) / 2);
}

// p / n for p < 2^20.
SERRATE_FN int sr_short_ratio(int p, int n) {
  return (int)(((float)p + 0.5f) * sr_near_reciprocal((float)n));
}

// The last r in [lo, hi) with offsets[r] <= i: the list that item i is in.
template <class T>
SERRATE_FN long long sr_search(const T* offsets, long long lo, long long hi, long long i) {
  while (hi - lo > 1) {
    const long long m = (lo + hi) / 2;
    if ((long long)offsets[m] <= i)
      lo = m;
    else
      hi = m;
  }
  return lo;
}

// The last r in [lo, hi) with begin(r) <= i; done by all lanes of a warp.
template <class Begin>
SERRATE_FN long long sr_warp_search(Begin begin, long long lo, long long hi, long long i) {
  const int lane = threadIdx.x & 31;
  while (hi - lo > 1) {
    const long long step = (hi - lo + 31) / 32, at = lo + lane * step;
    const bool before = lane == 0 || (at < hi && begin(at) <= i);
    lo += (__popc(__ballot_sync(~0u, before)) - 1) * step;
    hi = lo + step < hi ? lo + step : hi;
  }
  return lo;
}

// Done by a block, of `size` items of lists that begin one behind the other: which list each is
// of, counted from ends[0]. That is the last list that begins before the first item, which is
// number `first`, or -1; ends[1] is the last one that begins before the item behind them. `visit`
// is told of the lists between, and where they begin.
template <int threads, int size, class Begin, class Visit>
SERRATE_FN void sr_find_owners(Begin begin, long long lists, long long first, int items,
                               unsigned (&owners)[size], long long (&ends)[2], Visit visit) {
  constexpr int each = size / threads;
  __shared__ unsigned most[threads / 32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (warp < 2) {
    const long long end = first + (warp == 0 ? 0 : items);
    const long long list = end > 0 ? sr_warp_search(begin, 0, lists, end - 1) : -1;
    if (lane == 0) ends[warp] = list;
  }
  for (int k = threadIdx.x; k < size; k += threads) owners[k] = 0;
  __syncthreads();
  const long long list = ends[0], others = ends[1] - list;
  // Of lists that begin at one place, all but the last are empty.
  for (long long l = 1 + threadIdx.x; l <= others; l += threads) {
    const long long at = begin(list + l);
    visit(list + l, at);
    atomicMax(&owners[at - first], (unsigned)l);
  }
  __syncthreads();
  unsigned mine[each], last = 0;
  for (int k = 0; k < each; k++) mine[k] = last = max(last, owners[threadIdx.x * each + k]);
  for (int d = 1; d < 32; d *= 2) {
    const unsigned other = __shfl_up_sync(~0u, last, d);
    if (lane >= d) last = max(last, other);
  }
  if (lane == 31) most[warp] = last;
  unsigned before = __shfl_up_sync(~0u, last, 1);
  if (lane == 0) before = 0;
  __syncthreads();
  for (int k = 0; k < warp; k++) before = max(before, most[k]);
  for (int k = 0; k < each; k++) owners[threadIdx.x * each + k] = max(before, mine[k]);
  __syncthreads();
}

// Done by all threads of a kernel at its end: the block that comes last shows the number of all
// items and the longest length. Nobody waits for others' writes but those of the lengths.
SERRATE_FN void sr_tell_lengths(long long longest, long long total, unsigned* arrived,
                                long long* seen) {
  long long* const all = (long long*)(arrived + 2);
  for (int d = 16; d > 0; d /= 2) longest = max(longest, __shfl_xor_sync(~0u, longest, d));
  // Most warps see that theirs is not the longest.
  if ((threadIdx.x & 31) == 0 && longest > *(volatile long long*)all) atomicMax(all, longest);
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(arrived, 1u) != gridDim.x - 1) return;
  *arrived = 0;
  longest = (long long)atomicExch((unsigned long long*)all, 0ull);
  if (seen == 0) return;
  seen[0] = total;
  seen[1] = longest;
}

// a / b, of numbers above 0 that are mostly small.
SERRATE_FN long long sr_quotient(long long a, long long b) {
  return ((a | b) >> 32) == 0 ? (long long)((unsigned)a / (unsigned)b) : a / b;
}

template <class T>
SERRATE_FN bool sr_is_nan(T x) {
  return x != x;
}

// argmin and argmax: a NaN at index 0 stays.
template <class T>
SERRATE_FN bool sr_stays(T x, long long index) {
  return index == 0 && x != x;
}

// The same where not all items take part, and those that do are seen in parts: `first` is twice the
// index of the first one, and 1 if that is no NaN.
template <class T>
SERRATE_FN unsigned long long sr_earlier(unsigned long long first, T x, unsigned long long index) {
  const unsigned long long own = 2 * index + !sr_is_nan(x);
  return own < first ? own : first;
}

SERRATE_FN long long sr_first_or(unsigned long long first, long long best) {
  return (first & 1) != 0 ? best : (long long)(first >> 1);
}

// A value of any size, its words handed from lane to lane.
template <class T, class Hand>
SERRATE_FN T sr_words(T x, Hand hand) {
  constexpr int n = (int)((sizeof(T) + 3) / 4);
  union Words {
    T value;
    unsigned word[n];
    SERRATE_FN Words() {}
  } in, out;
  for (int k = 0; k < n; k++) in.word[k] = 0;
  in.value = x;
  for (int k = 0; k < n; k++) out.word[k] = hand(in.word[k]);
  return out.value;
}

// The value of another lane of the warp.
template <class T>
SERRATE_FN T sr_lane(unsigned mask, T x, int lane, int width) {
  return sr_words(x, [&](unsigned word) { return __shfl_sync(mask, word, lane, width); });
}

// The value of the lane d before this one.
template <class T>
SERRATE_FN T sr_lane_before(T x, int d) {
  return sr_words(x, [&](unsigned word) { return __shfl_up_sync(~0u, word, (unsigned)d); });
}

// Sum over the threads of a block before this one; `total` is that over all of them. Blocks of up
// to 1024 threads.
SERRATE_FN long long sr_block_before(long long x, long long& total) {
  __shared__ long long sums[33];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = (blockDim.x + 31) >> 5;
  long long scan = x;
  for (int d = 1; d < 32; d *= 2) {
    const long long other = __shfl_up_sync(~0u, scan, d);
    if (lane >= d) scan += other;
  }
  if (lane == 31) sums[warp] = scan;
  __syncthreads();
  if (warp == 0) {
    long long s = lane < warps ? sums[lane] : 0;
    for (int d = 1; d < 32; d *= 2) {
      const long long other = __shfl_up_sync(~0u, s, d);
      if (lane >= d) s += other;
    }
    sums[lane] = s;
  }
  __syncthreads();
  total = sums[warps - 1];
  const long long before = (warp == 0 ? 0 : sums[warp - 1]) + scan - x;
  __syncthreads();
  return before;
}

// Done by a block: the end of lists whose offsets are written, and what is known of them.
SERRATE_FN void sr_end_lists(long long total, long long lists, long long longest, long long* begins,
                             long long* seen) {
  __shared__ long long most[32];
  for (int d = 16; d > 0; d /= 2) {
    const long long other = __shfl_xor_sync(~0u, longest, d);
    longest = longest < other ? other : longest;
  }
  __syncthreads();
  if ((threadIdx.x & 31) == 0) most[threadIdx.x >> 5] = longest;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < (int)(blockDim.x >> 5); w++) longest = max(longest, most[w]);
  begins[lists] = total;
  if (seen == 0) return;
  seen[2] = lists;
  seen[1] = longest;
  seen[0] = total;
}

// Done by a block: where the items of each tile begin; `seen` gets their number.
SERRATE_FN void sr_add_up(const long long* counts, long long n, long long* begins,
                          long long* seen) {
  long long before = 0;
  for (long long base = 0; base < n; base += 4 * blockDim.x) {
    const long long i = base + 4 * threadIdx.x;
    long long count[4], sum = 0, total;
    for (int k = 0; k < 4; k++) {
      count[k] = i + k < n ? ((const volatile long long*)counts)[i + k] : 0;
      sum += count[k];
    }
    long long at = before + sr_block_before(sum, total);
    for (int k = 0; k < 4; k++) {
      if (i + k < n) begins[i + k] = at;
      at += count[k];
    }
    before += total;
  }
  if (threadIdx.x != 0) return;
  begins[n] = before;
  seen[0] = before;
  seen[1] = 0;
}

// Sums over the lanes of a warp, each with those before it.
template <class T>
SERRATE_FN T sr_warp_sum(T x) {
  for (int d = 1; d < 32; d *= 2) {
    const T other = __shfl_up_sync(~0u, x, d);
    if ((threadIdx.x & 31) >= d) x += other;
  }
  return x;
}

// Bits that any lane of the warp has.
SERRATE_FN unsigned sr_warp_or(unsigned x) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(~0u, x);
#else
  for (int d = 1; d < 32; d *= 2) x |= __shfl_xor_sync(~0u, x, d);
  return x;
#endif
}

// Bit number d, if a word has it.
SERRATE_FN unsigned sr_bit(int d) { return __funnelshift_lc(0u, 1u, (unsigned)d); }
SERRATE_FN unsigned sr_bit(long long d) { return d >= 0 && d < 32 ? 1u << d : 0u; }

// Which of the 32 tuples from p0 on are the first of their list, where each lane has some lists.
template <class T, int lists>
SERRATE_FN unsigned sr_heads(const T (&begin)[lists], T p0) {
  unsigned heads = 0;
  for (int k = 0; k < lists; k++) heads |= sr_bit(begin[k] - p0);
  return sr_warp_or(heads);
}

// The smaller or larger of a cell and v; NaN is passed over.
SERRATE_FN void sr_atomic_min(double* cell, double v) {
  unsigned long long* at = (unsigned long long*)cell;
  unsigned long long old = *at;
  while (v < __longlong_as_double((long long)old)) {
    const unsigned long long seen = old;
    old = atomicCAS(at, seen, (unsigned long long)__double_as_longlong(v));
    if (old == seen) break;
  }
}
SERRATE_FN void sr_atomic_max(double* cell, double v) {
  unsigned long long* at = (unsigned long long*)cell;
  unsigned long long old = *at;
  while (v > __longlong_as_double((long long)old)) {
    const unsigned long long seen = old;
    old = atomicCAS(at, seen, (unsigned long long)__double_as_longlong(v));
    if (old == seen) break;
  }
}
