// Vectors of records: which fields are coordinates, what results are called, one value of each
// kind.
#include "serrate/vectors.h"

#include <cmath>
#include <string>

#include "catch.h"
#include "serrate/io.h"

using namespace serrate;

namespace {

Array momenta() {
  return vector4({{"px", from_values<double>({3, 0})},
                  {"py", from_values<double>({4, 0})},
                  {"pz", from_values<double>({12, 5})},
                  {"E", from_values<double>({20, 13})},
                  {"charge", from_values<int>({1, -1})}});
}

bool near(double x, double y) { return std::abs(x - y) < 1e-12; }

double number(const Array& x, int64_t i) { return getitem(x, {i}).item<double>(); }

}  // namespace

TEST_CASE("numbers of vectors", "[vectors]") {
  const Array v = momenta();
  CHECK(number(vectors::pt(v), 0) == 5);
  CHECK(number(vectors::mag(v), 0) == 13);
  CHECK(number(vectors::mass2(v), 0) == 231);
  CHECK(number(vectors::mass(v), 1) == 12);
  CHECK(near(number(vectors::eta(v), 0), std::asinh(12.0 / 5)));
  CHECK(std::isinf(number(vectors::eta(v), 1)));
  CHECK(number(vectors::dot(v, v), 1) == 144);
  CHECK(near(number(vectors::deltaphi(v, vectors::neg2D(v)), 0), -M_PI));
}

TEST_CASE("vectors of vectors", "[vectors]") {
  const Array v = momenta();
  CHECK(v.type().str() ==
        "2 * Momentum4D[x: float64, y: float64, z: float64, t: float64, charge: int32]");
  CHECK(vectors::to_system(v, {vectors::Azimuthal::rhophi}).type().str() ==
        "2 * Momentum2D[rho: float64, phi: float64, charge: int32]");
  CHECK(vectors::add(v, v).type().str() ==
        "2 * Momentum4D[x: float64, y: float64, z: float64, t: float64]");
  const Array rest = vectors::boostCM_of(v, v);
  CHECK(near(number(vectors::mag(rest), 0), 0));
  CHECK(near(number(vectors::t(rest), 1), 12));
  const Array turned = vectors::rotate_euler(v, 0.3, 0.2, 0.1, "zyx");
  CHECK(near(number(vectors::mag(turned), 0), 13));
  const Array total = vectors::sum(v, {.axis = 0});
  CHECK(vectors::z(total).item<double>() == 17);
}

TEST_CASE("what is no vector", "[vectors]") {
  const Array one = from_values<double>({1});
  CHECK_THROWS_AS(vectors::zip({{"x", one}, {"phi", one}}), TypeError);
  CHECK_THROWS_AS(vectors::zip({{"x", one}, {"px", one}, {"y", one}}), TypeError);
  CHECK_THROWS_AS(vector4({{"x", one}, {"y", one}}), TypeError);
  CHECK_THROWS_AS(vectors::x(one), TypeError);
  const Array flat = vector2({{"x", one}, {"y", one}});
  CHECK_THROWS_AS(vectors::eta(flat), TypeError);
  CHECK_THROWS_AS(vectors::dot(flat, momenta()), TypeError);
  CHECK_THROWS_AS(vectors::x(with_name(flat, "Vector3D")), TypeError);
  CHECK_THROWS_AS(vectors::rotate_euler(momenta(), 0, 0, 0, "xxy"), ValueError);
}
