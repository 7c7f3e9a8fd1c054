// Methods of vectors that take numbers, tolerances, axes and boosts.
#include "common/checked.h"
#include "vectors/classes.h"

namespace serrate::python {
namespace {

using vectors::Vector;

template <class F>
auto with_tolerance(const char* name, F f) {
  return [name, f](nb::handle self, nb::handle other, nb::handle tolerance) {
    const graph::Operation operation;
    const Begun call;
    const Vector v = as_vector(self, name);
    const Vector w = as_vector(other, name);
    return wrap(f(v, w, as_array(tolerance, name)));
  };
}

nb::object close(nb::handle self, nb::handle other, double rtol, double atol, Truth equal_nan,
                 bool all) {
  const graph::Operation operation;
  const Begun call;
  const Vector v = as_vector(self, "isclose");
  const Array each = vectors::isclose(v, as_vector(other, "isclose"),
                                      {.rtol = rtol, .atol = atol, .equal_nan = equal_nan});
  return wrap(all ? serrate::all(each) : each);
}

auto boost_along(const char* name, int axis) {
  return [name, axis](nb::handle self, nb::handle beta, nb::handle gamma) {
    const graph::Operation operation;
    const Begun call;
    check<TypeError>(beta.is_none() != gamma.is_none(), "{}: expected beta or gamma, one of both",
                     name);
    const Vector v = as_vector(self, name);
    return wrap(gamma.is_none() ? boost_by_beta(v, axis, as_array(beta, name))
                                : boost_by_gamma(v, axis, as_array(gamma, name)));
  };
}

auto transform_by(const char* name, size_t n) {
  return [name, n](nb::handle self, nb::handle matrix) {
    const graph::Operation operation;
    const Begun call;
    const Vector v = as_vector(self, name);
    constexpr std::string_view letters = "xyzt";
    std::vector<Array> elements;
    for (const char row : letters.substr(0, n)) {
      for (const char column : letters.substr(0, n)) {
        const std::string key{row, column};
        elements.push_back(as_array(nb::object(matrix[key.c_str()]), name));
      }
    }
    return wrap(transform(v, elements));
  };
}

void bind_rotations() {
  const auto angle = "angle"_a;
  def_method(3, "rotateX", of_vector_and_number("rotateX", vectors::rotateX), angle,
             "Turned about the first axis by this angle, from y to z.");
  def_method(3, "rotateY", of_vector_and_number("rotateY", vectors::rotateY), angle,
             "Turned about the second axis by this angle, from z to x.");
  def_method(2, "rotateZ", of_vector_and_number("rotateZ", vectors::rotateZ), angle,
             "Turned about the third axis by this angle, from x to y.");
  def_method(
      3, "rotate_axis",
      [](nb::handle self, nb::handle axis, nb::handle by) {
        const graph::Operation operation;
        const Begun call;
        const Vector v = as_vector(self, "rotate_axis");
        const Vector about = as_vector(axis, "rotate_axis");
        return wrap(rotate_axis(v, about, as_array(by, "rotate_axis")));
      },
      "axis"_a, angle, "Turned about the axis, a vector of three dimensions and any length.");
  def_method(
      3, "rotate_euler",
      [](nb::handle self, nb::handle phi, nb::handle theta, nb::handle psi,
         const std::string& order) {
        const graph::Operation operation;
        const Begun call;
        const Vector v = as_vector(self, "rotate_euler");
        return wrap(rotate_euler(v, as_array(phi, "rotate_euler"), as_array(theta, "rotate_euler"),
                                 as_array(psi, "rotate_euler"), order));
      },
      "phi"_a, "theta"_a, "psi"_a, "order"_a = "zxz",
      "Turned by Euler's angles about the axes of `order`, with ROOT's signs.");
  def_method(
      3, "rotate_nautical",
      [](nb::handle self, nb::handle yaw, nb::handle pitch, nb::handle roll) {
        const graph::Operation operation;
        const Begun call;
        const char* name = "rotate_nautical";
        const Vector v = as_vector(self, name);
        return wrap(
            rotate_nautical(v, as_array(yaw, name), as_array(pitch, name), as_array(roll, name)));
      },
      "yaw"_a, "pitch"_a, "roll"_a, "Turned by yaw, pitch and roll: rotate_euler of order zyx.");
  def_method(
      3, "rotate_quaternion",
      [](nb::handle self, nb::handle u, nb::handle i, nb::handle j, nb::handle k) {
        const graph::Operation operation;
        const Begun call;
        const char* name = "rotate_quaternion";
        const Vector v = as_vector(self, name);
        return wrap(rotate_quaternion(v, as_array(u, name), as_array(i, name), as_array(j, name),
                                      as_array(k, name)));
      },
      "u"_a, "i"_a, "j"_a, "k"_a, "Turned by the quaternion u + i I + j J + k K of length 1.");
  def_method(2, "transform2D", transform_by("transform2D", 2), "obj"_a,
             "Times a matrix, whose elements are obj[\"xx\"], obj[\"xy\"] ...");
  def_method(3, "transform3D", transform_by("transform3D", 3), "obj"_a,
             "Times a matrix, whose elements are obj[\"xx\"], obj[\"xy\"] ... obj[\"zz\"].");
  def_method(4, "transform4D", transform_by("transform4D", 4), "obj"_a,
             "Times a matrix, whose elements are obj[\"xx\"], obj[\"xy\"] ... obj[\"tt\"].");
}

void bind_boosts() {
  const auto boost = [](const char* name, const char* argument, auto f, const char* doc) {
    def_method(4, name, of_vectors(name, f), nb::arg(argument), doc);
  };
  boost("boost_p4", "p4", vectors::boost_p4, "To a frame where what rested moves as p4 does.");
  boost("boost_beta3", "beta3", vectors::boost_beta3,
        "To a frame where what rested has this velocity.");
  boost("boost", "booster", vectors::boost,
        "boost_p4 by a vector of four dimensions, boost_beta3 by one of three.");
  boost("boostCM_of_p4", "p4", vectors::boostCM_of_p4, "To the frame where p4 rests.");
  boost("boostCM_of_beta3", "beta3", vectors::boostCM_of_beta3,
        "To the frame where what has this velocity rests.");
  boost("boostCM_of", "booster", vectors::boostCM_of,
        "boostCM_of_p4 of a vector of four dimensions, boostCM_of_beta3 of one of three.");
  int axis = 0;
  for (const char* name : {"boostX", "boostY", "boostZ"})
    def_method(4, name, boost_along(name, axis++), "beta"_a = nb::none(), "gamma"_a = nb::none(),
               "Along one axis by a velocity, or a Lorentz factor, negative for the other way.");
}

}  // namespace

void bind_vector_methods() {
  const auto of_two = [](int dimension, const char* name, auto f, const char* doc) {
    def_method(dimension, name, of_vectors(name, f), "other"_a, doc);
  };
  of_two(2, "add", vectors::add, "The sum; a.add(b) is a + b.");
  of_two(2, "subtract", vectors::subtract, "The difference; a.subtract(b) is a - b.");
  of_two(3, "cross", vectors::cross, "The vector product, of three dimensions.");
  const auto tolerance = "tolerance"_a = 1e-5;
  def_method(2, "is_parallel", with_tolerance("is_parallel", vectors::is_parallel), "other"_a,
             tolerance, "Whether the cosine of the angle is above 1 - tolerance.");
  def_method(2, "is_antiparallel", with_tolerance("is_antiparallel", vectors::is_antiparallel),
             "other"_a, tolerance, "Whether the cosine of the angle is below tolerance - 1.");
  def_method(2, "is_perpendicular", with_tolerance("is_perpendicular", vectors::is_perpendicular),
             "other"_a, tolerance, "Whether the cosine of the angle is within tolerance of 0.");
  def_method(
      2, "isclose",
      [](nb::handle self, nb::handle other, double rtol, double atol, Truth equal_nan) {
        return close(self, other, rtol, atol, equal_nan, false);
      },
      "other"_a, "rtol"_a = 1e-5, "atol"_a = 1e-8, "equal_nan"_a = false,
      "Whether all coordinates are within the tolerances.");
  def_method(
      2, "allclose",
      [](nb::handle self, nb::handle other, double rtol, double atol, Truth equal_nan) {
        return close(self, other, rtol, atol, equal_nan, true);
      },
      "other"_a, "rtol"_a = 1e-5, "atol"_a = 1e-8, "equal_nan"_a = false,
      "Whether all vectors are close.");
  def_method(4, "is_timelike", of_vector_and_number("is_timelike", vectors::is_timelike),
             "tolerance"_a = 0, "Whether tau2 is above the tolerance.");
  def_method(4, "is_spacelike", of_vector_and_number("is_spacelike", vectors::is_spacelike),
             "tolerance"_a = 0, "Whether tau2 is below minus the tolerance.");
  def_method(4, "is_lightlike", of_vector_and_number("is_lightlike", vectors::is_lightlike),
             "tolerance"_a = 1e-5, "Whether tau2 is within the tolerance of 0.");
  def_method(2, "scale", of_vector_and_number("scale", vectors::scale), "factor"_a,
             "All coordinates times a number.");
  def_method(2, "scale2D", of_vector_and_number("scale2D", vectors::scale2D), "factor"_a,
             "x and y times a number.");
  def_method(3, "scale3D", of_vector_and_number("scale3D", vectors::scale3D), "factor"_a,
             "x, y and z times a number.");
  def_method(4, "scale4D", of_vector_and_number("scale4D", vectors::scale4D), "factor"_a,
             "x, y, z and t times a number.");
  def_method(2, "unit", of_vector("unit", vectors::unit),
             "The vector of length 1: rho, mag or tau.");
  def_method(4, "to_beta3", of_vector("to_beta3", vectors::to_beta3),
             "The velocity, in three dimensions.");
  bind_rotations();
  bind_boosts();
  def_method(2, "__awkward_validation__", check_vectors,
             "TypeError unless the fields are coordinates of such vectors, each one once.");
  for (const nb::object& mixin : mixins_from(2))
    remember_check(nb::object(mixin.attr("__awkward_validation__")));
}

}  // namespace serrate::python
