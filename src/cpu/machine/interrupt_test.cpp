// Work that is told to stop stops, and the next one runs as ever.
#include "core/interrupt.h"

#include "catch.h"
#include "cpu/machine/pool.h"
#include "serrate/io.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

struct Stopped {};
void stop() { throw Stopped(); }

struct Hook {
  explicit Hook(void (*hook)()) { set_interrupt_hook(hook); }
  ~Hook() { set_interrupt_hook(nullptr); }
};

TEST_CASE("a long walk stops when it must", "[interrupt]") {
  const std::vector<double> numbers(800);
  const Array lists = from_strided(Buffer::copy_of(numbers.data(), 6400), DType::float64, {1, 800});
  const Array x = sum(exp(combinations(lists, 3)["0"]));
  {
    const Hook hook(stop);
    REQUIRE_THROWS_AS(x.evaluate(), Stopped);
  }
  CHECK(x.evaluate().item<double>() > 0);
}

TEST_CASE("tasks stop when they must", "[interrupt]") {
  const Hook hook(stop);
  int64_t begun = 0;
  REQUIRE_THROWS_AS(
      [&] {
        for (;;) cpu::parallel_for(1, [&](int64_t, int) { begun++; });
      }(),
      Stopped);
  CHECK(begun > 0);
}

}  // namespace
}  // namespace serrate
