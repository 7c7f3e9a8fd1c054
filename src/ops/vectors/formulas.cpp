// The table's numbers of one vector and of two.
#include <cmath>
#include <limits>

#include "ops/vectors/coordinates.h"

namespace serrate::vectors {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// log((t + z) / (t - z)) / 2, of small z as of those near t, which masses tell better than t - z.
Array rapidity_of(const Vector& v) {
  const Array along = absolute(z(v)), time = t(v);
  const Array plain = 1.0 / (time - along);
  const auto with_mass = [&] {
    const Array across = tau2(v) + rho2(v);
    return chosen(across > 0, (time + along) / across, plain);
  };
  return copysign(Array(0.5), z(v)) * log1p(2.0 * along * (v.has_t() ? plain : with_mass()));
}

/// By the product across, so that small angles keep their digits; NaN where a vector has no
/// direction.
Array angle_between(const Vector& v, const Vector& w) {
  const Array ax = x(v), ay = y(v), az = z(v), bx = x(w), by = y(w), bz = z(w);
  const Array across =
      sqrt(square(ay * bz - az * by) + square(az * bx - ax * bz) + square(ax * by - ay * bx));
  const Array along = ax * bx + ay * by + az * bz;
  return chosen((across == 0) & (along == 0), std::nan(""), arctan2(across, along));
}

Array product_of(const Vector& v, const Vector& w) {
  if (v.dimension() < 4) return spatial_product(v, w, v.dimension());
  return t(v) * t(w) - spatial_product(v, w, 3);
}

/// Pairs of numbers that are equal if the vectors are: in the coordinates of both, else in
/// Cartesian ones (of two angles to the axis, eta).
std::vector<std::pair<Array, Array>> compared(const Vector& v, const Vector& w) {
  std::vector<std::pair<Array, Array>> out;
  const System a = v.system(), b = w.system();
  if (a.azimuthal == Azimuthal::rhophi && b.azimuthal == Azimuthal::rhophi)
    out = {{v[0], w[0]}, {v[1], w[1]}};
  else
    out = {{x(v), x(w)}, {y(v), y(w)}};
  if (a.longitudinal != Longitudinal::none) {
    if (a.longitudinal == b.longitudinal)
      out.emplace_back(v[2], w[2]);
    else if (v.has_z() || w.has_z())
      out.emplace_back(z(v), z(w));
    else
      out.emplace_back(eta(v), eta(w));
  }
  if (a.temporal != Temporal::none) {
    if (a.temporal == b.temporal)
      out.emplace_back(v[3], w[3]);
    else
      out.emplace_back(t(v), t(w));
  }
  return out;
}

Array all_equal(const Vector& v, const Vector& w) {
  std::optional<Array> out;
  for (const auto& [a, b] : compared(v, w)) out = out ? *out & (a == b) : a == b;
  return *out;
}

}  // namespace

Array wrapped(const Array& angle) {
  // What is between -pi and pi already keeps all its digits. The product comes last: where it was
  // fused with a sum, pi itself would stay on a GPU and become -pi on a CPU.
  return angle - 2 * kPi * floor((angle + kPi) * (0.5 / kPi));
}

Array signed_root(const Array& x) { return copysign(sqrt(absolute(x)), x); }

Array chosen(const Array& condition, const Array& x, const Array& y) {
  return elementwise(Op::where, {condition, x, y});
}

Array unless_nan(const Array& x, const Array& value) { return chosen(isnan(x), value, x); }

Array spatial_product(const Vector& v, const Vector& w, int dimension) {
  const Array flat = v.xy() || w.xy() ? x(v) * x(w) + y(v) * y(w) : v[0] * w[0] * cos(v[1] - w[1]);
  return dimension == 2 ? flat : unless_nan(flat + z(v) * z(w), 0.0);
}

#define SERRATE_PROPERTY(name, least, flavor, formula, doc)  \
  Array name(const Vector& v) {                              \
    check_dimension(v, least, 4, #name);                     \
    static const char key = 0;                               \
    return v.once(&key, [&]() -> Array { return formula; }); \
  }
#define SERRATE_SAME(name, dimension, flavor, of)
#define SERRATE_OF_TWO(name, least, dimensions, formula, doc) \
  Array name(const Vector& v, const Vector& w) {              \
    constexpr bool any = false, alike = true;                 \
    (void)any, (void)alike;                                   \
    if (dimensions) check_alike(v, w, #name);                 \
    check_dimension(v, least, 4, #name);                      \
    check_dimension(w, least, 4, #name);                      \
    return formula;                                           \
  }
#include "serrate/vectors.def"

namespace {

Array lengths(const Vector& v, const Vector& w) {
  return v.dimension() == 2 ? rho(v) * rho(w) : mag(v) * mag(w);
}

Array product_along(const Vector& v, const Vector& w, std::string_view operation) {
  check_alike(v, w, operation);
  return spatial_product(v, w, std::min(v.dimension(), 3));
}

}  // namespace

Array is_parallel(const Vector& v, const Vector& w, const Array& tolerance) {
  return product_along(v, w, "is_parallel") > (1 - absolute(tolerance)) * lengths(v, w);
}

Array is_antiparallel(const Vector& v, const Vector& w, const Array& tolerance) {
  return product_along(v, w, "is_antiparallel") < (absolute(tolerance) - 1) * lengths(v, w);
}

Array is_perpendicular(const Vector& v, const Vector& w, const Array& tolerance) {
  return absolute(product_along(v, w, "is_perpendicular")) < absolute(tolerance) * lengths(v, w);
}

Array isclose(const Vector& v, const Vector& w, CloseOptions o) {
  check_alike(v, w, "isclose");
  std::optional<Array> out;
  for (const auto& [a, b] : compared(v, w)) {
    const Array close = serrate::isclose(a, b, o);
    out = out ? *out & close : close;
  }
  return *out;
}

Array is_timelike(const Vector& v, const Array& tolerance) { return tau2(v) > absolute(tolerance); }

Array is_spacelike(const Vector& v, const Array& tolerance) {
  return tau2(v) < -absolute(tolerance);
}

Array is_lightlike(const Vector& v, const Array& tolerance) {
  return absolute(tau2(v)) < absolute(tolerance);
}

}  // namespace serrate::vectors
