// Large blocks come back; small ones are not kept.
#include "core/memory.h"

#include <cstring>

#include "../../tests/cpp/catch.h"
#include "serrate/buffer.h"
#include "serrate/error.h"

namespace serrate {

TEST_CASE("large blocks are used again") {
  trim_memory();
  void* a = acquire_memory(1000000);
  std::memset(a, 1, 1000000);
  REQUIRE(reinterpret_cast<uintptr_t>(a) % 64 == 0);
  release_memory(a, 1000000);
  REQUIRE(cached_memory() >= 1000000);
  void* b = acquire_memory(990000);  // the same size class
  REQUIRE(a == b);
  REQUIRE(cached_memory() == 0);
  release_memory(b, 990000);
  trim_memory();
  REQUIRE(cached_memory() == 0);
  void* small = acquire_memory(100);
  release_memory(small, 100);
  REQUIRE(cached_memory() == 0);
}

TEST_CASE("sparse memory is zeros that nobody keeps") {
  for (const size_t bytes : {size_t{0}, size_t{5000}, size_t{1} << 23}) {
    trim_memory();
    auto* p = static_cast<unsigned char*>(acquire_sparse(bytes));
    for (size_t i = 0; i < bytes; i += 1 << 20) REQUIRE(p[i]++ == 0);
    release_sparse(p, bytes);
    REQUIRE(cached_memory() == 0);
  }
}

TEST_CASE("memory that grows takes the largest block") {
  trim_memory();
  void* small = acquire_memory(1 << 20);
  void* large = acquire_memory(1 << 23);
  release_memory(large, 1 << 23);
  release_memory(small, 1 << 20);
  size_t few = 1 << 20;
  void* same = acquire_growing(few);
  REQUIRE(same == small);
  REQUIRE(few == 1 << 20);
  release_memory(same, few);
  size_t bytes = 1 << 22;
  void* p = acquire_growing(bytes);
  REQUIRE(p == large);
  REQUIRE(bytes == 1 << 23);
  size_t more = 1 << 22;  // the block left is too small
  void* q = acquire_growing(more);
  REQUIRE(q != small);
  REQUIRE(more == 1 << 22);
  release_memory(q, more);
  release_memory(p, bytes);
  trim_memory();
}

TEST_CASE("memory that is known to be enough takes the smallest block") {
  trim_memory();
  void* blocks[3];
  for (int i = 0; i < 3; i++) blocks[i] = acquire_memory(size_t{1} << (20 + i));
  for (int i : {1, 0, 2}) release_memory(blocks[i], size_t{1} << (20 + i));
  size_t bytes = (1 << 20) + 1;
  void* p = acquire_growing(bytes, true);
  REQUIRE(p == blocks[1]);
  REQUIRE(bytes == 1 << 21);
  size_t more = 1 << 21;
  void* q = acquire_growing(more, true);
  REQUIRE(q == blocks[2]);
  release_memory(q, more);
  release_memory(p, bytes);
  trim_memory();
}

TEST_CASE("memory is extended, with what is in it") {
  for (const size_t before : {100, 1 << 19, 1 << 21, 3 << 20, 33 << 20}) {
    for (const size_t after : {before + 1, 2 * before, before + (5 << 20)}) {
      trim_memory();
      size_t bytes = before;
      void* p = acquire_growing(bytes);
      for (size_t i = 0; i < before; i++) static_cast<unsigned char*>(p)[i] = i % 251;
      size_t more = after;
      void* q = extend_memory(p, bytes, more);
      REQUIRE(more >= after);
      REQUIRE(reinterpret_cast<uintptr_t>(q) % 64 == 0);
      size_t wrong = 0;
      for (size_t i = 0; i < before; i++) wrong += static_cast<unsigned char*>(q)[i] != i % 251;
      REQUIRE(wrong == 0);
      std::memset(q, 1, more);
      release_memory(q, more);
      trim_memory();
      REQUIRE(cached_memory() == 0);
    }
  }
}

TEST_CASE("buffers of more memory than the machine has are refused") {
  void* p = nullptr;
  for (const int64_t bytes : {int64_t{1} << 50, int64_t{1} << 61})
    REQUIRE_THROWS_AS(Buffer::allocate(bytes, &p), MemoryError);
  REQUIRE(p == nullptr);
}

TEST_CASE("buffers give their memory back with their last owner") {
  trim_memory();
  void* p = nullptr;
  {
    const Buffer b = Buffer::allocate(1 << 20, &p);
    const Buffer part = b.slice(64);
    REQUIRE(cached_memory() == 0);
  }
  REQUIRE(cached_memory() >= (1 << 20));
  trim_memory();
}

}  // namespace serrate
