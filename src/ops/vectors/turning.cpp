// Rotations, matrices and boosts.
#include <algorithm>

#include "ops/vectors/coordinates.h"

namespace serrate::vectors {
namespace {

using Three = std::array<Array, 3>;

Three cartesian(const Vector& v) { return {x(v), y(v), z(v)}; }

Array inner(const Three& a, const Three& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// x, y, z, and the time or mass as it was.
Array with_space(const Vector& v, const Three& at) {
  System system{.longitudinal = Longitudinal::z, .temporal = v.system().temporal};
  return with_coordinates(v, system, {at[0], at[1], at[2]}, 3);
}

/// Turned about axis 0, 1 or 2.
Three turned(const Three& at, size_t axis, const Array& angle) {
  const Array c = cos(angle), s = sin(angle);
  const size_t i = (axis + 1) % 3, j = (axis + 2) % 3;
  Three out = at;
  out[i] = c * at[i] - s * at[j];
  out[j] = s * at[i] + c * at[j];
  return out;
}

/// The place and the time of what is boosted; masses stay.
Array boosted(const Vector& v, const Three& at, const Array& time) {
  std::vector<Array> out(at.begin(), at.end());
  out.push_back(v.has_t() ? time : v[3]);
  return with_coordinates(v, {.longitudinal = Longitudinal::z, .temporal = v.system().temporal},
                          std::move(out));
}

Array boost_by_momentum(const Vector& v, const Vector& p4, bool back, std::string_view name) {
  check_dimension(v, 4, 4, name);
  check_dimension(p4, 4, 4, name);
  // With velocities P / E and factors E / M, so that nothing is divided by 1 - beta^2.
  const Three at = cartesian(v), p = cartesian(p4);
  const Array time = t(v), energy = t(p4), mass = tau(p4);
  const Array along = back ? -inner(p, at) : inner(p, at);
  const Array more = (along / (energy + mass) + time) / mass;
  Three out;
  for (size_t i = 0; i < 3; ++i) out[i] = back ? at[i] - more * p[i] : at[i] + more * p[i];
  return boosted(v, out, (energy * time + along) / mass);
}

Array boost_by_velocity(const Vector& v, const Vector& beta3, bool back, std::string_view name) {
  check_dimension(v, 4, 4, name);
  check_dimension(beta3, 3, 3, name);
  const Three at = cartesian(v), b = cartesian(beta3);
  const Array factor = 1.0 / sqrt(1.0 - inner(b, b));
  const Array time = t(v);
  const Array along = back ? -inner(b, at) : inner(b, at);
  const Array more = factor * (factor / (1.0 + factor) * along + time);
  Three out;
  for (size_t i = 0; i < 3; ++i) out[i] = back ? at[i] - more * b[i] : at[i] + more * b[i];
  return boosted(v, out, factor * (time + along));
}

Array boost_along(const Vector& v, int axis, const Array& factor, const Array& factor_beta) {
  check_dimension(v, 4, 4, "boost");
  const auto k = static_cast<size_t>(axis);
  const Array time = t(v);
  if (axis == 2 && !v.xy()) {  // the plane of x and y is as it was
    const Array along = z(v);
    System system = v.system();
    system.longitudinal = Longitudinal::z;
    return with_coordinates(v, system,
                            {v[0], v[1], factor * along + factor_beta * time,
                             v.has_t() ? factor_beta * along + factor * time : v[3]});
  }
  Three at = cartesian(v);
  const Array later = factor_beta * at[k] + factor * time;
  at[k] = factor * at[k] + factor_beta * time;
  return boosted(v, at, later);
}

}  // namespace

Array rotateX(const Vector& v, const Array& angle) {
  check_dimension(v, 3, 4, "rotateX");
  return with_space(v, turned(cartesian(v), 0, angle));
}

Array rotateY(const Vector& v, const Array& angle) {
  check_dimension(v, 3, 4, "rotateY");
  return with_space(v, turned(cartesian(v), 1, angle));
}

Array rotateZ(const Vector& v, const Array& angle) {
  std::vector<Array> out;
  if (v.xy()) {
    const Array c = cos(angle), s = sin(angle);
    out = {c * v[0] - s * v[1], s * v[0] + c * v[1]};
  } else {
    out = {v[0], wrapped(v[1] + angle)};
  }
  return with_coordinates(v, v.system(), std::move(out), 2);
}

Array rotate_axis(const Vector& v, const Vector& axis, const Array& angle) {
  check_dimension(v, 3, 4, "rotate_axis");
  check_dimension(axis, 3, 3, "rotate_axis: the axis");
  // Rodrigues' formula.
  const Array length = mag(axis);
  const Three at = cartesian(v), u{x(axis) / length, y(axis) / length, z(axis) / length};
  const Array c = cos(angle), s = sin(angle);
  const Array along = inner(u, at) * (1.0 - c);
  Three out;
  for (size_t i = 0; i < 3; ++i) {
    const size_t j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = at[i] * c + (u[j] * at[k] - u[k] * at[j]) * s + u[i] * along;
  }
  return with_space(v, out);
}

Array rotate_euler(const Vector& v, const Array& phi, const Array& theta, const Array& psi,
                   std::string_view order) {
  check_dimension(v, 3, 4, "rotate_euler");
  std::array<size_t, 3> axes{};
  bool ok = order.size() == 3;
  for (size_t i = 0; ok && i < 3; ++i) {
    axes[i] = static_cast<size_t>((order[i] | 0x20) - 'x');  // capitals too
    ok = axes[i] < 3 && (i == 0 || axes[i] != axes[i - 1]);
  }
  check<ValueError>(
      ok, "rotate_euler: order must be three of x, y, z, neighbours different; got \"{}\"", order);
  Three at = turned(cartesian(v), axes[2], -phi);
  at = turned(at, axes[1], -theta);
  return with_space(v, turned(at, axes[0], -psi));
}

Array rotate_nautical(const Vector& v, const Array& yaw, const Array& pitch, const Array& roll) {
  return rotate_euler(v, roll, pitch, yaw, "zyx");
}

Array rotate_quaternion(const Vector& v, const Array& u, const Array& i, const Array& j,
                        const Array& k) {
  check_dimension(v, 3, 4, "rotate_quaternion");
  const Three at = cartesian(v);
  const Array uu = u * u, ii = i * i, jj = j * j, kk = k * k;
  const Array ij = i * j, ik = i * k, jk = j * k, ui = u * i, uj = u * j, uk = u * k;
  return with_space(v, {inner({uu + ii - jj - kk, 2 * (ij - uk), 2 * (ik + uj)}, at),
                        inner({2 * (ij + uk), uu - ii + jj - kk, 2 * (jk - ui)}, at),
                        inner({2 * (ik - uj), 2 * (jk + ui), uu - ii - jj + kk}, at)});
}

Array transform(const Vector& v, const std::vector<Array>& matrix) {
  const size_t n = matrix.size() == 4 ? 2 : matrix.size() == 9 ? 3 : 4;
  check<ValueError>(matrix.size() == n * n, "transform: expected 4, 9 or 16 numbers, got {}",
                    matrix.size());
  check_dimension(v, static_cast<int>(n), 4, "transform");
  std::vector<Array> at{x(v), y(v)};
  if (n > 2) at.push_back(z(v));
  if (n > 3) at.push_back(t(v));
  System system;
  if (n > 2)
    system.longitudinal = Longitudinal::z;
  else
    system.longitudinal = v.system().longitudinal;
  system.temporal = n > 3 ? Temporal::t : v.system().temporal;
  std::vector<Array> out;
  for (size_t row = 0; row < n; ++row) {
    Array sum = matrix[row * n] * at[0];
    for (size_t k = 1; k < n; ++k) sum = sum + matrix[row * n + k] * at[k];
    out.push_back(sum);
  }
  return with_coordinates(v, system, std::move(out), static_cast<int>(n));
}

Array boost_p4(const Vector& v, const Vector& p4) {
  return boost_by_momentum(v, p4, false, "boost_p4");
}
Array boost_beta3(const Vector& v, const Vector& beta3) {
  return boost_by_velocity(v, beta3, false, "boost_beta3");
}
Array boost(const Vector& v, const Vector& booster) {
  return booster.dimension() == 4 ? boost_by_momentum(v, booster, false, "boost")
                                  : boost_by_velocity(v, booster, false, "boost");
}
Array boostCM_of_p4(const Vector& v, const Vector& p4) {
  return boost_by_momentum(v, p4, true, "boostCM_of_p4");
}
Array boostCM_of_beta3(const Vector& v, const Vector& beta3) {
  return boost_by_velocity(v, beta3, true, "boostCM_of_beta3");
}
Array boostCM_of(const Vector& v, const Vector& booster) {
  return booster.dimension() == 4 ? boost_by_momentum(v, booster, true, "boostCM_of")
                                  : boost_by_velocity(v, booster, true, "boostCM_of");
}

Array boost_by_beta(const Vector& v, int axis, const Array& beta) {
  const Array factor = 1.0 / sqrt((1.0 - beta) * (1.0 + beta));
  return boost_along(v, axis, factor, beta * factor);
}

Array boost_by_gamma(const Vector& v, int axis, const Array& gamma) {
  const Array factor = absolute(gamma);
  return boost_along(v, axis, factor, copysign(sqrt((factor - 1.0) * (factor + 1.0)), gamma));
}

}  // namespace serrate::vectors
