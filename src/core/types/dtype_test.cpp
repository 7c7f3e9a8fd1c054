// Tests of promotion, against NumPy 2, and of single values.
#include "serrate/dtype.h"

#include <cmath>
#include <limits>

#include "../../../tests/cpp/catch.h"
#include "serrate/error.h"

using serrate::DType;
using serrate::promote;
using serrate::promote_weak;
using serrate::Scalar;

namespace {

/// One letter for each number type, in the order of the enumerators.
constexpr std::string_view kLetters = "b1248ABCDhfdFG";

/// np.promote_types(row, column) of NumPy 2.
constexpr std::string_view kPromote[] = {
    "b1248ABCDhfdFG",  // bool
    "11248248dhfdFG",  // int8
    "22248248dffdFG",  // int16
    "44448448ddddGG",  // int32
    "88888888ddddGG",  // int64
    "A2248ABCDhfdFG",  // uint8
    "B4448BBCDffdFG",  // uint16
    "C8888CCCDdddGG",  // uint32
    "DddddDDDDdddGG",  // uint64
    "hhfddhfddhfdFG",  // float16
    "fffddffddffdFG",  // float32
    "ddddddddddddGG",  // float64
    "FFFGGFFGGFFGFG",  // complex64
    "GGGGGGGGGGGGGG",  // complex128
};

/// (array of the row + True, 1, 1.0, 1j).dtype of NumPy 2.
constexpr std::string_view kWeak[] = {
    "b8dG",  // bool
    "11dG",  // int8
    "22dG",  // int16
    "44dG",  // int32
    "88dG",  // int64
    "AAdG",  // uint8
    "BBdG",  // uint16
    "CCdG",  // uint32
    "DDdG",  // uint64
    "hhhF",  // float16
    "fffF",  // float32
    "dddG",  // float64
    "FFFF",  // complex64
    "GGGG",  // complex128
};

char letter(DType t) { return kLetters[static_cast<int>(t)]; }

}  // namespace

TEST_CASE("promote follows NumPy's table") {
  for (size_t i = 0; i < kLetters.size(); ++i) {
    for (size_t j = 0; j < kLetters.size(); ++j) {
      const DType a = static_cast<DType>(i), b = static_cast<DType>(j);
      INFO(name(a) << " with " << name(b));
      CHECK(letter(promote(a, b)) == kPromote[i][j]);
    }
  }
  for (const DType t : {DType::datetime64, DType::timedelta64}) {
    CHECK(promote(t, t) == t);
    CHECK_THROWS_AS(promote(t, DType::int64), serrate::TypeError);
    CHECK_THROWS_AS(promote_weak(t, DType::int64), serrate::TypeError);
  }
}

TEST_CASE("Python's numbers are weak") {
  const DType kinds[] = {DType::boolean, DType::int64, DType::float64, DType::complex128};
  for (size_t i = 0; i < kLetters.size(); ++i) {
    for (size_t j = 0; j < 4; ++j) {
      const DType t = static_cast<DType>(i);
      INFO(name(t) << " with " << name(kinds[j]));
      CHECK(letter(promote_weak(t, kinds[j])) == kWeak[i][j]);
    }
  }
  CHECK_THROWS_AS(promote_weak(DType::int64, DType::int8), serrate::TypeError);
}

TEST_CASE("scalars convert as C++ converts") {
  CHECK(Scalar::of(int64_t{300}, DType::int8).i == 44);
  CHECK(Scalar::of(int64_t{-1}, DType::uint16).u == 65535);
  CHECK(Scalar::of(int64_t{-1}, DType::uint64).u == UINT64_MAX);
  CHECK(Scalar::of(int64_t{-1}).as(DType::uint64).as(DType::float64).f == 0x1p64);
  CHECK(Scalar::of(2.75, DType::int64).i == 2);
  CHECK(Scalar::of(-2.75, DType::int8).i == -2);
  CHECK(Scalar::of(0x1p63, DType::uint64).u == uint64_t{1} << 63);
  CHECK(Scalar::of(1e300, DType::int64).i == INT64_MIN);
  CHECK(Scalar::of(std::nan(""), DType::int64).i == INT64_MIN);
  CHECK(Scalar::of(0.1, DType::float32).f == static_cast<double>(0.1f));
  CHECK(Scalar::of(int64_t{(1 << 30) + 65}, DType::float32).f == 1073741952.0);
  CHECK(Scalar::of(0.5, DType::boolean) == Scalar::boolean(true));
  CHECK(Scalar::of(int64_t{0}, DType::boolean) == Scalar::boolean(false));
  Scalar z = Scalar::of(3.0, DType::complex128);
  z.im = 4;
  CHECK(z.as(DType::complex64).im == 4);
  CHECK(z.as(DType::float64) == Scalar::of(3.0));
}

TEST_CASE("scalars round to half precision, ties to even") {
  const auto half = [](double v) { return Scalar::of(v, DType::float16).f; };
  CHECK(half(0.1) == 0.0999755859375);
  CHECK(half(2049) == 2048);
  CHECK(half(2051) == 2052);
  CHECK(half(65519) == 65504);
  CHECK(std::isinf(half(65520)));
  CHECK(half(0x1p-24) == 0x1p-24);
  CHECK(half(0x1p-25) == 0);
  CHECK(half(-1e-320) == 0);
}

TEST_CASE("scalars are equal when they are interchangeable") {
  CHECK(Scalar::of(std::nan("")) == Scalar::of(std::nan("")));
  CHECK_FALSE(Scalar::of(0.0) == Scalar::of(-0.0));
  CHECK_FALSE(Scalar::of(int64_t{1}) == Scalar::of(1.0));
  CHECK_FALSE(Scalar::of(int64_t{1}) == Scalar::of(int64_t{2}));
  CHECK(Scalar::of(int64_t{7}, DType::uint8) == Scalar::of(7.0, DType::uint8));
}
