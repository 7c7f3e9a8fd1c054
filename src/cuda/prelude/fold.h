// What threads know of a list, joined. A fold is a struct of accumulators that the kernel's text
// declares: settle() once its thread has seen all that it will, join(other), and handed(hand), the
// same with hand(x) for each member x.

// Lanes of a warp, `size` of them side by side, know together what each of them knew: a butterfly.
template <class Fold>
SERRATE_FN void sr_join_lanes(Fold& fold, int size, unsigned mask) {
  const int lane = threadIdx.x & 31;
  for (int d = 1; d < size; d *= 2)
    fold.join(fold.handed([&](auto x) { return sr_lane(mask, x, lane ^ d, 32); }));
}

// Thread 0 knows what all threads of the block knew. Warps are joined in their order.
template <class Fold>
SERRATE_FN void sr_join_block(Fold& fold) {
  __shared__ __align__(16) unsigned char room[32 * sizeof(Fold)];
  Fold* const warps = (Fold*)room;
  sr_join_lanes(fold, 32, ~0u);
  if ((threadIdx.x & 31) == 0) warps[threadIdx.x >> 5] = fold;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int w = 1; w < (int)(blockDim.x >> 5); w++) fold.join(warps[w]);
  __syncthreads();
}

// Parts that other blocks have left, joined by a block; its thread 0 knows them all.
template <class Fold>
SERRATE_FN Fold sr_join_parts(const Fold* parts, long long number) {
  Fold all;
  for (long long k = threadIdx.x; k < number; k += blockDim.x) all.join(parts[k]);
  sr_join_block(all);
  return all;
}

// Is this block the last of so many to come here? It sees what the others have written.
SERRATE_FN bool sr_is_last(unsigned* arrived, long long blocks) {
  __shared__ bool is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    is_last = atomicAdd(arrived, 1u) == blocks - 1;
    if (is_last) *arrived = 0;
  }
  __syncthreads();
  __threadfence();
  return is_last;
}

// Few long lists, each split among `number` blocks: fold(list, part) is what a thread sees of a
// part. The block that comes last to a list joins its parts; leave(list, all) is its thread 0's.
template <class Fold, class Part, class Leave>
SERRATE_FN void sr_fold_split(long long lists, long long number, Fold* parts, unsigned* arrived,
                              Part part, Leave leave) {
  const long long list = blockIdx.x / number;
  if (list >= lists) return;
  Fold fold = part(list, blockIdx.x % number);
  fold.settle();
  sr_join_block(fold);
  if (threadIdx.x == 0) parts[blockIdx.x] = fold;
  if (!sr_is_last(arrived + list, number)) return;
  const Fold all = sr_join_parts(parts + list * number, number);
  if (threadIdx.x == 0) leave(list, all);
}
