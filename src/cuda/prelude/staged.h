// Folds over lists of any lengths whose items are brought to shared memory first.
//
// Reads by the threads that fold wait for memory several times one after the other: there are not
// registers enough to have more of them on their way. One copy of all items of a block's lists
// waits once, and needs none. Lists that do not fit all at once come in turns; long ones are cut
// into segments for the second kernel (binned.h).

// bring(first, n, to, arrival) copies n items from number `first` on, counted from `base`, to place
// `to`; one(r, start, stop, at, n) folds those from `at` on, some(r, start, stop, at, n, lane,
// size) every size-th of them.
template <class Fold, class L, int room, int items, int threads, class Start, class Stop,
          class Bring, class One, class Some, class Leave, class Cut>
SERRATE_FN void sr_fold_staged(long long first, long long list0, long long number, long long base,
                               Start start_of, Stop stop_of, Bring bring, One one, Some some,
                               Leave leave, Cut segments) {
  constexpr int each = (room + threads - 1) / threads;
  __shared__ __align__(8) unsigned long long arrival;
  __shared__ int starts[room + 1];
  __shared__ Queue<room> queue;
  __shared__ unsigned short longs[Cut::some ? room : 1];
  __shared__ int long_lists;
  const long long r0 = first + list0;
  const int lists = (int)min((long long)room, number - list0);
  int from[each], length[each];
#pragma unroll
  for (int u = 0; u < each; u++) {
    const int l = u * threads + (int)threadIdx.x;
    const bool mine = l < lists;
    const long long start = mine ? start_of(r0 + l) : base;
    const long long stop = mine ? stop_of(r0 + l) : base;
    from[u] = (int)(start - base);
    length[u] = (int)(stop - start);
  }
  sr_begin_arrival(&arrival);
  queue.clear();
  if (threadIdx.x == 0) long_lists = 0;
  __syncthreads();
#pragma unroll
  for (int u = 0; u < each; u++) {
    const int l = u * threads + (int)threadIdx.x;
    if (l < lists) starts[l] = from[u];
    if (l == lists - 1) starts[lists] = from[u] + length[u];
    if (Cut::some && length[u] > L::most) longs[atomicAdd(&long_lists, 1)] = (unsigned short)l;
  }
  __syncthreads();
  const int cuts = Cut::some ? long_lists : 0;
  if (Cut::some && cuts > 1) sr_order(longs, cuts);
  // A turn has lists lo ... hi - 1, whose items fit, but for those that are cut.
  for (int lo = 0, turn = 0;; turn++) {
    int hi = lists;
    while (starts[hi] - sr_forward(starts, longs, cuts, lo, hi) > items)
      hi = lo + (hi - lo + 1) / 2;
    sr_each_run(starts, longs, cuts, lo, hi,
                [&](int item, int n, int to) { bring(base + item, n, to, &arrival); });
    for (int c = 0; c < cuts; c++) {
      const int l = longs[c];
      if (l >= lo && l < hi) segments.cut(r0 + l, starts[l + 1] - starts[l]);
    }
    sr_wait_arrival(&arrival, turn);
    for (int l = lo + (int)threadIdx.x; l < hi; l += threads) {
      const int n = starts[l + 1] - starts[l];
      if (n > L::alone) {
        if (!Cut::some || n <= L::most) queue.add(l, n <= L::few);
        continue;
      }
      const int at = starts[l] - sr_forward(starts, longs, cuts, lo, l);
      const long long start = base + starts[l];
      leave(r0 + l, start, start + n, one(r0 + l, start, start + n, at, n));
    }
    __syncthreads();
    queue.each([&](int l, bool mine, int lane, int log) {
      if (!mine) l = lo;
      const int n = mine ? starts[l + 1] - starts[l] : 0;
      const int at = starts[l] - sr_forward(starts, longs, cuts, lo, l);
      const long long start = base + starts[l];
      Fold fold = some(r0 + l, start, start + n, at, n, lane, 1 << log);
      fold.settle();
      sr_join_lanes(fold, 1 << log, ~0u);
      if (mine && lane == 0) leave(r0 + l, start, start + n, fold);
    });
    lo = hi;
    if (lo == lists) break;
    sr_end_arrival();
    queue.clear();
  }
}
