// Count, scan, write: what kernels that append items of unknown number share.

// Items that a warp has side by side, 8 steps of 32, and what it appends of them. count(i) says how
// much that is of item i, and write(i, q) writes it from place q on. Gives the number of all.
template <class Count, class Write>
SERRATE_FN int sr_append_warp(long long first, long long end, long long begin, Count count,
                              Write write) {
  const int lane = threadIdx.x & 31;
  int all = 0;
#pragma unroll
  for (int j = 0; j < 8; j++) {
    const long long i = first + j * 32 + lane;
    const int n = i < end ? (int)count(i) : 0;
    const int scan = sr_warp_sum(n);
    if (i < end) write(i, begin + all + scan - n);
    all += __shfl_sync(~0u, scan, 31);
  }
  return all;
}

// The same of items of which each is kept or not. `bits`, if it is not 0, gets a word for each
// step: the bits of its items and, above, the number of those kept before.
template <class Keep, class Write>
SERRATE_FN int sr_filter_warp(long long first, long long end, long long begin,
                              unsigned long long* bits, Keep keep, Write write) {
  const int lane = threadIdx.x & 31;
  int all = 0;
#pragma unroll
  for (int j = 0; j < 8; j++) {
    const long long i = first + j * 32 + lane;
    const unsigned kept = __ballot_sync(~0u, i < end && keep(i) != 0);
    if (bits != 0 && lane == 0) bits[j] = (unsigned long long)all << 32 | kept;
    if (i < end) write(i, begin + all + __popc(kept & ((1u << lane) - 1)));
    all += __popc(kept);
  }
  return all;
}

// The number of items kept before item i. `begins` counts them before each 256 items.
SERRATE_FN long long sr_kept(const long long* begins, const unsigned long long* bits, long long i) {
  if (i % 256 == 0) return begins[i / 256];
  const unsigned long long word = bits[i / 32];
  return begins[i / 256] + (long long)(word >> 32) +
         __popc((unsigned)word & ((1u << (i % 32)) - 1));
}

// Offsets of what a filter leaves of lists, list l a thread's: where the items of one begin is the
// number of those kept before its first. Behind the offsets is the length of the longest; once all
// blocks are there, these two numbers are shown.
template <class Start, class Stop>
SERRATE_FN void sr_kept_lists(long long l, long long lists, Start start_of, Stop stop_of,
                              const long long* begins, const unsigned long long* bits,
                              long long* offsets, unsigned* arrived, long long blocks,
                              long long* seen) {
  long long start = 0;
  if (l < lists) offsets[l] = start = sr_kept(begins, bits, start_of(l));
  long long stop = __shfl_down_sync(~0u, start, 1);
  const bool last = l == lists - 1;
  if (l < lists && (last || (threadIdx.x & 31) == 31)) stop = sr_kept(begins, bits, stop_of(l));
  if (last) offsets[l + 1] = stop;
  long long length = l < lists ? stop - start : 0;
  for (int d = 16; d > 0; d /= 2) length = max(length, __shfl_xor_sync(~0u, length, d));
  // Most warps see that theirs is not the longest, and leave the one place alone.
  long long* const numbers = offsets + lists;
  if ((threadIdx.x & 31) == 0 && length > numbers[1]) atomicMax(numbers + 1, length);
  if (!sr_is_last(arrived, blocks) || threadIdx.x > 1) return;
  seen[threadIdx.x] = ((volatile long long*)numbers)[threadIdx.x];
}

// A block writes as many items as the others, `size` of `total`, whatever lists they are of: write(
// list, q, index) for item number q, the index-th of its list. begin(l) is where list l begins;
// visit(l, at) is told of all lists that begin among the block's items; and of number `lists`, at
// the end of all. There may be more blocks than items.
template <int threads, int size, class Begin, class Visit, class Write>
SERRATE_FN void sr_write_balanced(Begin begin, long long lists, long long total, Visit visit,
                                  Write write) {
  __shared__ unsigned owners[size];
  __shared__ long long ends[2];
  const long long first = (long long)blockIdx.x * size;
  if (first > 0 && first >= total) return;
  const int items = (int)min((long long)size, total - first);
  sr_find_owners<threads>(begin, lists, first, items, owners, ends, visit);
  // Behind the last item are empty lists, and the end.
  for (long long l = ends[1] + 1 + threadIdx.x; first + items == total && l <= lists;
       l += blockDim.x)
    visit(l, total);
    // Threads without an item do the last one again: nothing is in the way of several reads at
    // once.
#pragma unroll 4
  for (int u = 0; u < size / threads && items > 0; u++) {
    const int p = min(u * threads + (int)threadIdx.x, items - 1);
    const long long list = ends[0] + owners[p], q = first + p;
    write(list, q, q - begin(list));
  }
}
