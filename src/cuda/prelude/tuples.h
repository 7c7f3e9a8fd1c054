// Tuples of short lists, shared out among the lanes of a warp.
//
// Each lane counts the tuples of its own lists; a scan over the lanes says where they begin. Then
// the lanes take 32 tuples at a time, whatever lists these are of: a word has a bit for each that
// is the first of its list, and how many bits there are up to its own tells a lane whose tuple it
// has. Lanes with tuples of one list join what these gave, a segmented scan; the last of them adds
// it to what is known of the list.

// Calls list(k, l, mine) for the lists that a lane has as its own: number l of the warp's `lists`.
// Lanes without one get the last, and do nothing with it.
template <int each, class List>
SERRATE_FN void sr_own_lists(int lists, List list) {
  const int lane = threadIdx.x & 31;
#pragma unroll
  for (int k = 0; k < each; k++) {
    const int l = k * 32 + lane;
    list(k, min(l, lists - 1), l < lists);
  }
}

// The tuples of a warp's lists. count(k, l, mine, place) calls place(n) for a list of n tuples: its
// rank among those that have some. tuple(i, l, rank, p, some) is what tuple p of list l gives, or
// nothing. `known` is for each list; `owners` and `firsts` are memory for as many.
template <class Fold, class Count, int each, class Counting, class Tuple>
SERRATE_FN void sr_fold_tuples(int lists, int* owners, Count* firsts, Fold* known, Counting count,
                               Tuple tuple) {
  const int lane = threadIdx.x & 31;
  const unsigned upto = ~0u >> (31 - lane);  // this lane and those before it
  Count begin[each], total = 0;
  int ranks = 0;
  sr_own_lists<each>(lists, [&](int k, int l, bool mine) {
    if (mine) known[l] = Fold();
    count(k, l, mine, [&](Count n) {
      const Count scan = sr_warp_sum(n);
      begin[k] = n > 0 ? total + scan - n : -1;
      total += __shfl_sync(~0u, scan, 31);
      const unsigned filled = __ballot_sync(~0u, n > 0);
      const int rank = ranks + __popc(filled & upto >> 1);
      ranks += __popc(filled);
      if (n > 0) owners[rank] = l, firsts[rank] = begin[k];
      return rank;
    });
  });
  __syncwarp();
  int before = -1;
  for (Count p0 = 0; p0 < total; p0 += 32) {
    const unsigned heads = sr_heads(begin, p0);
    const int rank = before + __popc(heads & upto);
    before += __popc(heads);
    const int l = owners[rank];
    Fold fold = tuple(l, rank, p0 + lane - firsts[rank], p0 + lane < total);
    fold.settle();
    const int reach = lane - 31 + __clz((int)((heads | 1) & upto));
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      const Fold other = fold.handed([&](auto x) { return sr_lane_before(x, d); });
      if (reach >= d) fold.join(other);
    }
    if ((heads >> 1 | 1u << 31) >> lane & 1) {
      Fold all = known[l];
      all.join(fold);
      known[l] = all;
    }
    __syncwarp();
  }
}
