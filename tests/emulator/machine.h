// What a kernel asks of the machine that runs it.
#pragma once

namespace emulated {

struct Index {
  unsigned x, y, z;
};

struct Machine {
  Index thread, block, block_size, blocks;
  void (*wait_block)(Machine&);
  /// Waits for the lanes of `mask`; gives the address at which a lane of this warp has left bytes.
  void (*wait_warp)(Machine&, unsigned mask);
  void* (*left)(Machine&, unsigned mask, unsigned lane);
};

}  // namespace emulated
