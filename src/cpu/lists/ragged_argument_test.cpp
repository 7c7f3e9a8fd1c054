// Positions of extremes in long lists, for every instruction set of this CPU: equal items, NaN,
// items that only rise or fall, nothing but the reducer's identity, sizes around registers.
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "../../../tests/cpp/catch.h"
#include "cpu/lists/ragged.h"
#include "cpu/lists/ragged_testing.h"

namespace serrate::cpu {
namespace {

using namespace testing;

enum class Shape { rising, falling, equal, few_values, lowest, highest, one_nan, mostly_nan };
constexpr Shape kShapes[] = {Shape::rising, Shape::falling, Shape::equal,   Shape::few_values,
                             Shape::lowest, Shape::highest, Shape::one_nan, Shape::mostly_nan};

template <class T>
void fill(Shape shape, T* x, size_t n, std::mt19937& random) {
  using L = std::numeric_limits<T>;
  constexpr bool kReal = std::is_floating_point_v<T>;
  const T lowest = kReal ? -L::infinity() : L::lowest(), highest = kReal ? L::infinity() : L::max();
  const T nan = kReal ? L::quiet_NaN() : T(1);
  for (size_t i = 0; i < n; i++) {
    const T any = static_cast<T>(random() % 100);
    const T item[] = {static_cast<T>(i),
                      static_cast<T>(n - i),
                      T(7),
                      static_cast<T>(random() % 3),
                      lowest,
                      highest,
                      i == n / 2 ? nan : any,
                      i > 0 && random() % 64 == 0 ? any : nan};
    x[i] = item[static_cast<int>(shape)];
  }
}

TEMPLATE_TEST_CASE("positions of extremes", "", int8_t, uint16_t, int32_t, uint32_t, int64_t,
                   uint64_t, float, double) {
  std::mt19937 random(3);
  constexpr DType t = dtype_of<TestType>::value;
  for (const Isa isa : isas())
    for (const Reducer reducer : {Reducer::argmin, Reducer::argmax})
      for (const Shape shape : kShapes)
        for (const size_t n :
             {1, 31, 64, 127, 128, 129, 255, 256, 257, 511, 513, 2047, 2048, 2049, 4097, 70'001}) {
          // The first list and those behind it go other ways.
          const std::vector<int> lengths = {static_cast<int>(n), static_cast<int>(n), 3};
          Guarded<int32_t> off = offsets_of(lengths);
          Guarded<TestType> values(2 * n + 3), acc(3);
          fill(shape, values.data(), n, random);
          fill(shape, values.data() + n, n, random);
          fill(Shape::equal, values.data() + 2 * n, 3, random);
          std::vector<int64_t> index(3, -1);
          fill_identity(reducer, t, acc.data(), index.data(), 3);
          FoldArgs x;
          x.values = values.data();
          x.off = off.data();
          x.lists = 3;
          x.acc = acc.data();
          x.index = index.data();
          ragged(isa).fold(reducer, t)(x);
          for (int list = 0; list < 2; list++) {
            const TestType* v = values.data() + static_cast<size_t>(list) * n;
            size_t at = 0;
            for (size_t i = 1; i < n; i++)
              if (reducer == Reducer::argmin ? v[i] < v[at] : v[i] > v[at]) at = i;
            INFO(name(isa) << " " << name(t) << " shape " << static_cast<int>(shape) << ", " << n
                           << " items, list " << list);
            REQUIRE(index[static_cast<size_t>(list)] == static_cast<int64_t>(at));
          }
        }
}

}  // namespace
}  // namespace serrate::cpu
