// Seams as text.
#include "core/seams.h"

#include "catch.h"
#include "serrate/error.h"

using namespace serrate;

TEST_CASE("seams: one number for all, or one for each") {
  CHECK(read_seams("").block == 4096);
  const Seams smallest = read_seams("min");
  CHECK(smallest.block == 1);
  CHECK(smallest.balanced == 256);
  CHECK(smallest.large == 0);
  const Seams eight = read_seams("8");
  CHECK(eight.task == 8);
  CHECK(eight.shown == 7);  // none becomes larger
  CHECK(eight.height == 100);
  const Seams some = read_seams("16,block=64,balanced=300");
  CHECK(some.block == 64);
  CHECK(some.stream == 16);
  CHECK(some.balanced == 512);
}

TEST_CASE("seams: what is none is an error") {
  CHECK_THROWS_AS(read_seams("blocks=3"), ValueError);
  CHECK_THROWS_AS(read_seams("few"), ValueError);
  CHECK_THROWS_AS(read_seams("block=-1"), ValueError);
}
