// The bump allocator behind Scratch: blocks that double in size, kept until trim().
#include "cpu/machine/scratch.h"

#include <algorithm>
#include <new>

#include "serrate/error.h"

namespace serrate::cpu {

namespace {
constexpr size_t kAlignment = 64;
constexpr size_t kFirstBlock = size_t{1} << 18;
}  // namespace

Scratch::~Scratch() {
  trim();
  delete[] blocks_;
}

void* Scratch::bytes(size_t bytes) {
  const auto out_of_memory = [bytes] {
    throw MemoryError(fmt::format("{} bytes of memory to work in could not be had", bytes));
  };
  if (bytes > SIZE_MAX / 4) out_of_memory();
  const size_t need = (bytes + kScratchPadding + kAlignment - 1) / kAlignment * kAlignment;
  // Blocks behind the current one are empty: use the next that is large enough.
  while (block_ < block_count_ && used_ + need > blocks_[block_].size) {
    if (block_ + 1 == block_count_) break;
    block_++;
    used_ = 0;
  }
  if (block_ >= block_count_ || used_ + need > blocks_[block_].size) {
    if (block_count_ == block_room_) {
      const size_t room = std::max<size_t>(8, block_room_ * 2);
      Block* wider = new Block[room];
      std::copy(blocks_, blocks_ + block_count_, wider);
      delete[] blocks_;
      blocks_ = wider;
      block_room_ = room;
    }
    const size_t last = block_count_ ? blocks_[block_count_ - 1].size : kFirstBlock / 2;
    const size_t size = std::max(need, std::min(last * 2, size_t{1} << 26));
    char* data =
        static_cast<char*>(::operator new (size, std::align_val_t{kAlignment}, std::nothrow));
    if (data == nullptr) out_of_memory();
    blocks_[block_count_] = {data, size};
    block_ = block_count_++;
    used_ = 0;
  }
  char* at = blocks_[block_].data + used_;
  used_ += need;
  return at;
}

void Scratch::release(Mark mark) {
  block_ = mark.block;
  used_ = mark.used;
}

void Scratch::trim() {
  for (size_t i = 0; i < block_count_; i++)
    ::operator delete (blocks_[i].data, std::align_val_t{kAlignment});
  block_count_ = block_ = used_ = 0;
}

size_t Scratch::capacity() const {
  size_t sum = 0;
  for (size_t i = 0; i < block_count_; i++) sum += blocks_[i].size;
  return sum;
}

Scratch& thread_scratch() {
  static thread_local Scratch scratch;
  return scratch;
}

}  // namespace serrate::cpu
