// Items of a block's lists in shared memory: one copy brings them all, so that nobody waits for
// single reads. Lists that are too long are left out; `longs` are their numbers, in order.

// The items of list l lie so much further to the front there, if lists a ... l are brought. Whole
// 16 items, so that what is aligned stays so.
SERRATE_FN int sr_forward(const int* starts, const unsigned short* longs, int cuts, int a, int l) {
  int by = starts[a] & ~15;
#pragma unroll 1
  for (int c = 0; c < cuts && longs[c] < l; c++) {
    const int k = longs[c];
    if (k >= a) by += ((starts[k + 1] - starts[k]) & ~15) - 16;
  }
  return by;
}

// Puts what several threads have found in order.
SERRATE_FN void sr_order(unsigned short* longs, int cuts) {
  int before[2];
  unsigned short mine[2];
  for (int u = 0, c = threadIdx.x; u < 2 && c < cuts; u++, c += blockDim.x) {
    mine[u] = longs[c];
    before[u] = 0;
#pragma unroll 1
    for (int k = 0; k < cuts; k++) before[u] += longs[k] < mine[u];
  }
  __syncthreads();
  for (int u = 0, c = threadIdx.x; u < 2 && c < cuts; u++, c += blockDim.x)
    longs[before[u]] = mine[u];
  __syncthreads();
}

// Calls bring(first item, number of items, where to) for what lies between the long lists.
template <class Bring>
SERRATE_FN void sr_each_run(const int* starts, const unsigned short* longs, int cuts, int a, int b,
                            Bring bring) {
  int at = starts[a], by = at & ~15;
#pragma unroll 1
  for (int c = 0; c <= cuts; c++) {
    const int l = c < cuts ? min((int)longs[c], b) : b;
    if (l < a) continue;
    const int end = starts[l];
    if (end > at) bring(at, end - at, at - by);
    if (l == b) return;
    at = starts[l + 1];
    by += ((at - end) & ~15) - 16;
  }
}

// How far behind a whole 16 bytes an item lies.
template <class T>
SERRATE_FN int sr_behind(const T* at) {
  return (int)((unsigned long long)at % 16 / sizeof(T));
}

// One of 32 threads waits for nobody, and all for what these have brought.
SERRATE_FN void sr_begin_arrival(unsigned long long* arrival) {
#if __CUDA_ARCH__ >= 900
  if (threadIdx.x == 0) {
    const unsigned at = (unsigned)__cvta_generic_to_shared(arrival);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(at) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
#endif
}

// Brings n items; those that are no whole 16 bytes one by one.
template <class T>
SERRATE_FN void sr_bring(T* to, const T* from, int n, unsigned long long* arrival) {
#if __CUDA_ARCH__ >= 900
  if (threadIdx.x >= 32) return;
  constexpr int each = 16 / sizeof(T);
  const int head = min(n, (each - sr_behind(from)) % each), whole = (n - head) / each * each;
  const int t = threadIdx.x;
  if (t == 0 && whole > 0) {
    const unsigned at = (unsigned)__cvta_generic_to_shared(arrival);
    const unsigned there = (unsigned)__cvta_generic_to_shared(to + head);
    const unsigned bytes = (unsigned)(whole * sizeof(T));
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(bytes)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(there),
        "l"(from + head), "r"(bytes), "r"(at)
        : "memory");
  }
  const int i = t <= head ? t - 1 : t - 1 + whole;
  if (t > 0 && i < n) to[i] = from[i];
#else
  for (int i = threadIdx.x; i < n; i += blockDim.x) to[i] = from[i];
#endif
}

// Waits for what was brought in this turn, the first of which is 0.
SERRATE_FN void sr_wait_arrival(unsigned long long* arrival, int turn) {
#if __CUDA_ARCH__ >= 900
  const unsigned at = (unsigned)__cvta_generic_to_shared(arrival);
  if (threadIdx.x < 32)
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");
  unsigned done = 0;
  while (done == 0)
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(at), "r"(turn & 1)
        : "memory");
#else
  __syncthreads();
#endif
}

// What was brought is not needed any more.
SERRATE_FN void sr_end_arrival() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
  __syncthreads();
}
