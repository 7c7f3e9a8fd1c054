// Folds over lists of any lengths, each by as many threads as suit it.
//
// A block has some consecutive lists. Short ones are folded by a thread each; longer ones are
// queued in shared memory and folded by 8 or 32 threads each, so that no thread waits for a long
// list. Giant ones are cut into segments, which the warps of a second kernel take; the warp that
// comes last to 64 of a list's segments joins what they left, and so on, always in the same order.
// So what a list gives depends on nothing but itself.

// A part of a long list for a warp: the list, and the number of its first part.
struct Segment {
  alignas(16) long long list;
  long long first;
};

// The lists that are cut. `number`: of segments, and of those that somebody has taken; `arrived`:
// how many of some that follow each other are done; `parts`: what they gave.
template <class Fold, int size>
struct Segments {
  static constexpr bool some = true;
  unsigned long long* number;
  Segment* segments;
  int* arrived;
  Fold* parts;
  // Leaves a list to the second kernel; done by a block.
  SERRATE_FN void cut(long long r, long long length) const {
    __shared__ long long first;
    const long long n = (length + size - 1) / size;
    if (threadIdx.x == 0) first = (long long)atomicAdd(number, (unsigned long long)n);
    __syncthreads();
#pragma unroll 1
    for (long long k = threadIdx.x; k < n; k += blockDim.x) {
      segments[first + k] = Segment{r, first};
      if (k % 64 == 0) arrived[first + k] = 0;
    }
    __syncthreads();
  }
};

// No list is long enough.
struct NoSegments {
  static constexpr bool some = false;
  SERRATE_FN void cut(long long, long long) const {}
};

// Lists of up to `alone` items are a thread's, up to `few` 8 threads'. Those of more than `most`
// are cut, or of more than `most_of_full` in blocks of more than `full` items.
template <int alone_, int few_, int most_, int most_of_full_, int full_>
struct Lengths {
  static constexpr int alone = alone_, few = few_, most = most_, most_of_full = most_of_full_;
  static constexpr int full = full_;
};

// The lists of a block that ask for more than a thread: those for 8 threads first, those for a warp
// from the end.
template <int room>
struct Queue {
  unsigned short lists[room];
  int ends[2];
  SERRATE_FN void clear() {
    if (threadIdx.x < 2) ends[threadIdx.x] = 0;
  }
  SERRATE_FN void add(int l, bool few) {
    if (few)
      lists[atomicAdd(&ends[0], 1)] = (unsigned short)l;
    else
      lists[room - 1 - atomicAdd(&ends[1], 1)] = (unsigned short)l;
  }
  // Calls fold(l, mine, lane, log) for all of them: 1 << log lanes have a list, if it is theirs.
  template <class Fold>
  SERRATE_FN void each(Fold fold) const {
    for (int bin = 0; bin < 2; bin++) {
      const int log = bin == 0 ? 3 : 5;
      const int lane = threadIdx.x & ((1 << log) - 1);
      for (int q0 = (threadIdx.x & ~31) >> log; q0 < ends[bin]; q0 += (int)blockDim.x >> log) {
        const int q = q0 + ((threadIdx.x & 31) >> log);
        const bool mine = q < ends[bin];
        fold(mine ? lists[bin == 0 ? q : room - 1 - q] : -1, mine, lane, log);
      }
    }
  }
};

// A block's lists: `per` of `number`, from number `first` on. start_of(r), stop_of(r) are bounds of
// list r; one(r, start, stop) folds all of it, some(r, start, stop, lane, log) what one of 1 << log
// lanes has of it; leave(r, start, stop, fold) keeps what it gave. Int counts a block's items.
template <class Fold, class Int, class L, int room, class Start, class Stop, class One, class Some,
          class Leave, class Cut>
SERRATE_FN void sr_fold_binned(long long first, long long number, long long per, Start start_of,
                               Stop stop_of, One one, Some some, Leave leave, Cut segments) {
  __shared__ Queue<room> queue;
  __shared__ unsigned short giant[Cut::some ? room : 1];
  __shared__ int giants;
  __shared__ Int starts[room], lengths[room];
  if (threadIdx.x == 0) giants = 0;
  queue.clear();
  __syncthreads();
  const long long list0 = blockIdx.x * per, r0 = first + list0;
  const int lists = (int)min(per, number - list0);
  const long long base = start_of(r0);
  const int most =
      Cut::some && stop_of(r0 + lists - 1) - base > L::full ? L::most_of_full : L::most;
  // All reads are on their way at once.
#pragma unroll 4
  for (int l = threadIdx.x; l < lists; l += blockDim.x) {
    const long long start = start_of(r0 + l);
    starts[l] = (Int)(start - base);
    lengths[l] = (Int)(stop_of(r0 + l) - start);
  }
  __syncthreads();
  for (int l = threadIdx.x; l < lists; l += blockDim.x) {
    const long long n = lengths[l], start = base + starts[l];
    if (n <= L::alone)
      leave(r0 + l, start, start + n, one(r0 + l, start, start + n));
    else if (!Cut::some || n <= L::few || n <= most)
      queue.add(l, n <= L::few);
    else
      giant[atomicAdd(&giants, 1)] = (unsigned short)l;
  }
  __syncthreads();
  queue.each([&](int l, bool mine, int lane, int log) {
    if (!mine) l = 0;
    const long long start = base + starts[l], stop = start + lengths[l];
    Fold fold;
    if (mine) fold = some(r0 + l, start, stop, lane, log);
    fold.settle();
    sr_join_lanes(fold, 1 << log, ~0u);
    if (mine && lane == 0) leave(r0 + l, start, stop, fold);
  });
  if (Cut::some)
    for (int q = 0; q < giants; q++) segments.cut(r0 + giant[q], lengths[giant[q]]);
}

// The segments of lists that were cut, each a warp's: part(r, start, stop, from, to, lane) is what
// a lane has of items from ... to - 1. 64 parts are joined by the warp that comes last to them, 64
// such joined ones again: number k of n, `apart` segments apart.
template <class Fold, int size, class Start, class Stop, class Part, class Leave>
SERRATE_FN void sr_fold_segments(Segments<Fold, size> s, Start start_of, Stop stop_of, Part part,
                                 Leave leave) {
  const int lane = threadIdx.x & 31, warps_here = (int)(blockDim.x >> 5);
  const long long segments = (long long)s.number[0], warps = gridDim.x * warps_here;
  // What the next segment is, is asked for while this one is folded, and so is the one behind it.
  long long q = (long long)blockIdx.x * warps_here + (threadIdx.x >> 5), next = q + warps;
  Segment one = {0, 0};
  if (q < segments) one = s.segments[q];
  long long begin = 0, end = 0;
  if (q < segments) begin = start_of(one.list), end = stop_of(one.list);
  while (q < segments) {
    const long long r = one.list, first = one.first, start = begin, stop = end;
    const long long from = start + (q - first) * size, to = min(stop, from + size);
    long long later = 0;
    if (lane == 0) later = 2 * warps + (long long)atomicAdd(s.number + 1, 1ull);
    if (next < segments) one = s.segments[next];
    Fold fold = part(r, start, stop, from, to, lane);
    if (next < segments) begin = start_of(one.list), end = stop_of(one.list);
    fold.settle();
    sr_join_lanes(fold, 32, ~0u);
    long long k = q - first, n = (stop - start + size - 1) / size, apart = 1;
    for (int shift = 0; n > 1; shift += 8) {
      const long long group = k / 64, head = first + group * 64 * apart;
      const int parts = (int)min(64ll, n - group * 64);
      int before = 0;
      if (lane == 0) {
        s.parts[first + k * apart] = fold;
        __threadfence();
        before = atomicAdd(&s.arrived[head], 1 << shift) >> shift & 127;
      }
      if (__shfl_sync(~0u, before, 0) + 1 < parts) break;
      __threadfence();
      fold = Fold();
      for (int i = lane; i < parts; i += 32) fold.join(s.parts[head + i * apart]);
      sr_join_lanes(fold, 32, ~0u);
      k = group;
      n = (n + 63) / 64;
      apart *= 64;
    }
    if (n == 1 && lane == 0) leave(r, start, stop, fold);
    q = next;
    next = __shfl_sync(~0u, later, 0);
  }
}
