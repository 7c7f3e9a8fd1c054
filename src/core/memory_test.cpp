// Large blocks come back; small ones are not kept.
#include "core/memory.h"

#include <cstring>

#include "../../tests/cpp/catch.h"
#include "serrate/buffer.h"

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

TEST_CASE("memory that grows takes the largest block") {
  trim_memory();
  void* small = acquire_memory(1 << 20);
  void* large = acquire_memory(1 << 23);
  release_memory(large, 1 << 23);
  release_memory(small, 1 << 20);
  size_t bytes = 1 << 20;
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
