// Sums, multiples and other coordinates of vectors.
#include <algorithm>

#include "ops/vectors/coordinates.h"

namespace serrate::vectors {
namespace {

Array zero_if_nan(const Array& x) { return unless_nan(x, 0.0); }

/// Both in the coordinates that both have, else in Cartesian ones. Two masses stay a mass.
System together(const Vector& v, const Vector& w) {
  const System a = v.system(), b = w.system();
  System out;
  if (a.azimuthal == b.azimuthal) out.azimuthal = a.azimuthal;
  if (a.longitudinal != Longitudinal::none) {
    const bool alike = a.azimuthal == b.azimuthal && a.longitudinal == b.longitudinal;
    out.longitudinal = alike ? a.longitudinal : Longitudinal::z;
    if (!alike) out.azimuthal = Azimuthal::xy;
  }
  if (a.temporal != Temporal::none)
    out.temporal = a.temporal == b.temporal ? a.temporal : Temporal::t;
  return out;
}

Array combined(const Vector& v, const Vector& w, Op op, std::string_view name) {
  check_alike(v, w, name);
  const System system = together(v, w);
  const auto joined = [&](const Array& a, const Array& b) { return elementwise(op, {a, b}); };
  const Array X = joined(x(v), x(w)), Y = joined(y(v), y(w));
  const bool flat = system.azimuthal == Azimuthal::xy;
  std::vector<Array> out{X, Y};
  // Cartesian coordinates with the time are sums alone: most sums are, and each node takes time.
  std::optional<Array> squared;
  const auto rho2 = [&]() -> const Array& {
    if (!squared) squared = X * X + Y * Y;
    return *squared;
  };
  if (!flat) out = {sqrt(rho2()), arctan2(Y, X)};
  if (system.dimension() == 2) return of_both(v, w, system, std::move(out));
  const Array Z = joined(z(v), z(w));
  switch (system.longitudinal) {
    case Longitudinal::theta:
      out.push_back(unless_nan(arctan2(sqrt(rho2()), Z), 0.0));
      break;
    case Longitudinal::eta:
      out.push_back(where(Z == 0, Z, arcsinh(Z / sqrt(rho2()))));
      break;
    default:
      out.push_back(Z);
  }
  if (system.dimension() == 3) return of_both(v, w, system, std::move(out));
  const Array T = joined(t(v), t(w));
  out.push_back(system.temporal == Temporal::t ? T : signed_root((T - Z) * (T + Z) - rho2()));
  return of_both(v, w, system, std::move(out));
}

/// Coordinates up to `dimension` times a number, the others as they are.
Array scaled(const Vector& v, const Array& factor, int dimension, std::string_view name) {
  check_dimension(v, dimension, 4, name);
  std::vector<Array> out;
  const Array back = factor < 0;
  if (v.xy())
    out = {v[0] * factor, v[1] * factor};
  else
    out = {v[0] * absolute(factor), wrapped(where(back, v[1] + kPi, v[1]))};
  if (dimension > 2) {
    if (v.has_z())
      out.push_back(v[2] * factor);
    else if (v.has_theta())
      out.push_back(where(back, kPi - v[2], v[2]));
    else
      out.push_back(where(back, -v[2], v[2]));
  }
  if (dimension > 3) out.push_back(v[3] * (v.has_t() ? factor : absolute(factor)));
  return with_coordinates(v, v.system(), std::move(out), dimension);
}

}  // namespace

Array add(const Vector& v, const Vector& w) { return combined(v, w, Op::add, "add"); }
Array subtract(const Vector& v, const Vector& w) {
  return combined(v, w, Op::subtract, "subtract");
}

Array cross(const Vector& v, const Vector& w) {
  check_dimension(v, 3, 3, "cross");
  check_dimension(w, 3, 3, "cross");
  const Array ax = x(v), ay = y(v), az = z(v), bx = x(w), by = y(w), bz = z(w);
  return of_both(v, w, {.longitudinal = Longitudinal::z},
                 {ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx});
}

Array scale(const Vector& v, const Array& factor) {
  return scaled(v, factor, v.dimension(), "scale");
}
Array scale2D(const Vector& v, const Array& factor) { return scaled(v, factor, 2, "scale2D"); }
Array scale3D(const Vector& v, const Array& factor) { return scaled(v, factor, 3, "scale3D"); }
Array scale4D(const Vector& v, const Array& factor) { return scaled(v, factor, 4, "scale4D"); }

Array unit(const Vector& v) {
  const int dimension = v.dimension();
  const Array length = dimension == 2   ? (v.xy() ? rho(v) : absolute(v[0]))
                       : dimension == 3 ? mag(v)
                       : v.has_t()      ? sqrt(absolute(tau2(v)))
                                        : absolute(v[3]);
  std::vector<Array> out{zero_if_nan(v[0] / length)};
  out.push_back(v.xy() ? zero_if_nan(v[1] / length) : v[1]);
  if (dimension > 2) out.push_back(v.has_z() ? zero_if_nan(v[2] / length) : v[2]);
  if (dimension > 3)
    out.push_back(v.has_t() ? zero_if_nan(v[3] / length) : copysign(Array(1.0), v[3]));
  return with_coordinates(v, v.system(), std::move(out));
}

Array to_beta3(const Vector& v) {
  check_dimension(v, 4, 4, "to_beta3");
  const Array T = t(v);
  System system = v.system();
  system.temporal = Temporal::none;
  return with_coordinates(v, system,
                          {v[0] / T, v.xy() ? v[1] / T : v[1], v.has_z() ? v[2] / T : v[2]});
}

Array to_system(const Vector& v, System system, const Array& longitudinal, const Array& temporal) {
  const bool flat = system.azimuthal == Azimuthal::xy;
  std::vector<Array> out{flat ? x(v) : rho(v), flat ? y(v) : phi(v)};
  if (system.dimension() > 2) {
    if (v.dimension() == 2)
      out.push_back(longitudinal);
    else
      out.push_back(system.longitudinal == Longitudinal::z       ? z(v)
                    : system.longitudinal == Longitudinal::theta ? theta(v)
                                                                 : eta(v));
  }
  if (system.dimension() > 3) {
    if (v.dimension() < 4)
      out.push_back(temporal);
    else
      out.push_back(system.temporal == Temporal::t ? t(v) : tau(v));
  }
  return with_coordinates(v, system, std::move(out));
}

Array to_dimension(const Vector& v, int dimension) {
  System system = v.system();
  if (dimension < 4) system.temporal = Temporal::none;
  if (dimension < 3) system.longitudinal = Longitudinal::none;
  if (dimension > 2 && v.dimension() < 3) system.longitudinal = Longitudinal::z;
  if (dimension > 3 && v.dimension() < 4) system.temporal = Temporal::t;
  return to_system(v, system);
}

Array sum(const Vector& v, ReduceOptions o) {
  ReduceOptions each = o;
  each.mask_identity = {};
  std::vector<Array> out{serrate::sum(x(v), each), serrate::sum(y(v), each)};
  System system;
  if (v.dimension() > 2) {
    system.longitudinal = Longitudinal::z;
    out.push_back(serrate::sum(z(v), each));
  }
  if (v.dimension() > 3) {
    system.temporal = Temporal::t;
    out.push_back(serrate::sum(t(v), each));
  }
  Columns columns;
  for (int i = 0; i < v.dimension(); ++i)
    columns.emplace_back(std::string(name_of(system, i)), out[static_cast<size_t>(i)]);
  const std::string name = v.name().empty() ? name_of(v.kind()) : v.name();
  const Array sums =
      serrate::zip(columns, {.with_name = name, .optiontype_outside_record = v.optional()});
  if (!o.mask_identity.value_or(false)) return sums;
  return mask(sums, serrate::count(v[0], {.axis = o.axis, .keepdims = o.keepdims}) > 0);
}

}  // namespace serrate::vectors
