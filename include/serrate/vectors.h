// Vectors of two, three and four dimensions: arrays of records with coordinates for fields.
// Whatever is asked of them is an expression of the columns, so a chain of operations is one pass
// over the data.
//
// The fields of a record say which coordinates it has: x and y, or rho and phi; then z, theta or
// eta; then t or tau. Momenta may have px, py, pt, pz; E, e or energy for t; M, m or mass for tau.
// Other fields go along with what is made of one vector. All angles are in radians; lengths and
// energies have the unit that they came with, c = 1.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serrate/ops.h"

namespace serrate::vectors {

enum class Azimuthal : uint8_t { xy, rhophi };
enum class Longitudinal : uint8_t { none, z, theta, eta };
enum class Temporal : uint8_t { none, t, tau };

/// Which coordinates a vector has.
struct System {
  Azimuthal azimuthal = Azimuthal::xy;
  Longitudinal longitudinal = Longitudinal::none;
  Temporal temporal = Temporal::none;

  int dimension() const {
    return longitudinal == Longitudinal::none ? 2 : temporal == Temporal::none ? 3 : 4;
  }
  bool operator==(const System&) const = default;
};

/// What a vector's records are called and where its results belong.
struct Kind {
  int dimension = 0;      ///< 0: what the fields say
  bool momentum = false;  ///< results are called Momentum4D, not Vector4D
};
/// Of "Vector2D" ... "Momentum4D"; nothing of other names.
std::optional<Kind> kind_of(std::string_view record_name);
/// "Momentum4D"
std::string name_of(Kind kind);

/// An array of vectors, or one. Arrays of records are vectors without being asked.
class Vector {
 public:
  /// TypeError unless the fields are coordinates of one vector, and as many as the name says.
  Vector(const Array& records);
  Vector(const Array& records, Kind kind);

  const Array& records() const { return records_; }
  System system() const { return system_; }
  Kind kind() const { return {system_.dimension(), momentum_}; }
  int dimension() const { return system_.dimension(); }
  bool momentum() const { return momentum_; }
  /// The name of the records, such as "Momentum4D" or one of a user.
  const std::string& name() const { return name_; }
  /// What the records of a result are called that is made of this vector: as name_results says,
  /// else Momentum4D and the like.
  std::string result_name(Kind kind) const;
  /// Vectors of users have names of their own for their sums and projections. Empty: no such name.
  void name_results(std::function<std::string(Kind)> named) { named_ = std::move(named); }
  /// Whether records may be missing.
  bool optional() const { return optional_; }

  /// Coordinate i as it is stored.
  const Array& operator[](int i) const;
  bool xy() const { return system_.azimuthal == Azimuthal::xy; }
  bool has_z() const { return system_.longitudinal == Longitudinal::z; }
  bool has_theta() const { return system_.longitudinal == Longitudinal::theta; }
  bool has_t() const { return system_.temporal == Temporal::t; }
  /// Lists above the records.
  int depth() const { return depth_; }
  /// What f() gives, which is called once for this key: properties that others need are one
  /// expression.
  template <class F>
  Array once(const void* key, F&& f) const {
    for (const auto& [k, value] : known_)
      if (k == key) return value;
    Array value = f();
    known_.emplace_back(key, value);
    return value;
  }

 private:
  Array records_;
  System system_;
  std::array<std::string, 4> fields_;
  mutable std::array<std::optional<Array>, 4> coordinates_;
  mutable std::vector<std::pair<const void*, Array>> known_;
  std::string name_;
  std::function<std::string(Kind)> named_;
  int depth_ = 0;
  bool momentum_ = false, optional_ = false;
};

// -- making them ----------------------------------------------------------------------------------
using Columns = std::vector<std::pair<std::string, Array>>;
/// Records of the columns, broadcast together (down to depth_limit) and called by their dimension:
/// Momentum4D if some column has the name of a momentum (pt, mass), else Vector4D. Coordinates get
/// the names x, y, rho, phi, z, theta, eta, t, tau. TypeError unless they are those of one vector.
Array zip(const Columns& columns, std::optional<int> depth_limit = {});
/// Records that are there already, with these names.
Array as_vectors(const Array& records);

// -- numbers of one vector, and of two ------------------------------------------------------------
#define SERRATE_PROPERTY(name, dimension, flavor, formula, doc) Array name(const Vector& v);
#define SERRATE_SAME(name, dimension, flavor, of) \
  inline Array name(const Vector& v) { return of(v); }
#define SERRATE_OF_TWO(name, dimension, dimensions, formula, doc) \
  Array name(const Vector& v, const Vector& w);
#include "serrate/vectors.def"

/// Whether the angle's cosine is above 1 - tolerance, below tolerance - 1, or nearer to 0 than it.
Array is_parallel(const Vector& v, const Vector& w, const Array& tolerance = 1e-5);
Array is_antiparallel(const Vector& v, const Vector& w, const Array& tolerance = 1e-5);
Array is_perpendicular(const Vector& v, const Vector& w, const Array& tolerance = 1e-5);
/// All coordinates within the tolerances.
Array isclose(const Vector& v, const Vector& w, CloseOptions o = {});
/// Whether t^2 - mag^2 is above the tolerance, below minus the tolerance, or nearer to 0 than it.
Array is_timelike(const Vector& v, const Array& tolerance = 0);
Array is_spacelike(const Vector& v, const Array& tolerance = 0);
Array is_lightlike(const Vector& v, const Array& tolerance = 1e-5);

// -- vectors of vectors ---------------------------------------------------------------------------
/// Sums and differences, in the coordinates of both if these are the same; TypeError unless both
/// have equally many dimensions.
Array add(const Vector& v, const Vector& w);
Array subtract(const Vector& v, const Vector& w);
/// Vector product, of three dimensions.
Array cross(const Vector& v, const Vector& w);
/// Times a number: all coordinates, or those of two, three or four dimensions.
Array scale(const Vector& v, const Array& factor);
Array scale2D(const Vector& v, const Array& factor);
Array scale3D(const Vector& v, const Array& factor);
Array scale4D(const Vector& v, const Array& factor);
/// Of length 1: of rho, mag or tau.
Array unit(const Vector& v);
/// The velocity, in three dimensions.
Array to_beta3(const Vector& v);
/// In these coordinates; those that a vector has not are `longitudinal` and `temporal`.
Array to_system(const Vector& v, System system, const Array& longitudinal = 0.0,
                const Array& temporal = 0.0);
/// With as many dimensions, the coordinates as they are; new ones are z = 0 and t = 0.
Array to_dimension(const Vector& v, int dimension);

/// Turned by an angle about an axis, anticlockwise seen from its tip.
Array rotateX(const Vector& v, const Array& angle);
Array rotateY(const Vector& v, const Array& angle);
Array rotateZ(const Vector& v, const Array& angle);
Array rotate_axis(const Vector& v, const Vector& axis, const Array& angle);
/// By three angles about the axes of `order` ("zxz"), with ROOT's signs. ValueError for other
/// letters.
Array rotate_euler(const Vector& v, const Array& phi, const Array& theta, const Array& psi,
                   std::string_view order = "zxz");
/// Yaw, pitch and roll: Euler's angles of order "zyx", the last one first.
Array rotate_nautical(const Vector& v, const Array& yaw, const Array& pitch, const Array& roll);
/// By the quaternion u + i I + j J + k K of length 1.
Array rotate_quaternion(const Vector& v, const Array& u, const Array& i, const Array& j,
                        const Array& k);
/// The matrix row by row: of 2, 3 or 4 dimensions; other coordinates stay.
Array transform(const Vector& v, const std::vector<Array>& matrix);

/// To a frame in which what was at rest moves with the velocity of p4, or with beta3.
Array boost_p4(const Vector& v, const Vector& p4);
Array boost_beta3(const Vector& v, const Vector& beta3);
/// One of both, by the dimensions of the other vector.
Array boost(const Vector& v, const Vector& booster);
/// To the frame in which what moved with that velocity is at rest.
Array boostCM_of_p4(const Vector& v, const Vector& p4);
Array boostCM_of_beta3(const Vector& v, const Vector& beta3);
Array boostCM_of(const Vector& v, const Vector& booster);
/// Along one axis (0, 1, 2) by a velocity, or by a Lorentz factor, negative for the other
/// direction.
Array boost_by_beta(const Vector& v, int axis, const Array& beta);
Array boost_by_gamma(const Vector& v, int axis, const Array& gamma);

/// Sums of lists of vectors, as x, y, z, t.
Array sum(const Vector& v, ReduceOptions o = {});

// -- collections ----------------------------------------------------------------------------------
/// A distance of vectors and of others.
using Metric = std::function<Array(const Array&, const Array&)>;
struct MetricOptions {
  int axis = 1;        ///< of the lists
  Metric metric = {};  ///< deltaR, if none
};
struct Table {
  Array values;         ///< a list of distances to all of w for each of v
  Array first, second;  ///< the two vectors in the places of the values
};
/// The distances of each v of a list to each w of the list in its place: metric_table([[a, b]],
/// [[c]]) is
/// [[[ac], [bc]]].
Table metric_table(const Array& v, const Array& w, const MetricOptions& o = {});
struct Nearest {
  Array vectors;  ///< missing where there is none
  Array values;   ///< the distances
};
/// For each v the nearest w of the list in its place, if it is within the threshold.
Nearest nearest(const Array& v, const Array& w, std::optional<double> threshold = {},
                const MetricOptions& o = {});
/// Whether some w of the list in its place is nearer to a v than `radius`: ~overlaps(jets, leptons,
/// 0.4) keeps jets that are no leptons.
Array overlaps(const Array& v, const Array& w, double radius = 0.4, const MetricOptions& o = {});
/// Items of a list by their positions, missing where a position is negative or behind the list: a
/// parent by its index, or with an index that is a list, children.
Array by_index(const Array& items, const Array& index);
/// Of lists with the position of each item's parent the positions of each one's children:
/// children_index([[-1, 0, 0, 1]]) is [[[1, 2], [3], [], []]].
Array children_index(const Array& parents);
/// The first ancestor that is called differently, by the positions of parents; -1 of none:
/// distinct_parent_index([[-1, 0, 1]], [[23, 13, 13]]) is [[-1, 0, 0]]. Evaluates. ValueError if an
/// item is its own ancestor.
Array distinct_parent_index(const Array& parents, const Array& ids);

}  // namespace serrate::vectors

namespace serrate {

/// Arrays of vectors by columns, as vectors::zip, of exactly so many dimensions:
/// mass(vector4({{"pt", pt}, {"eta", eta}, {"phi", phi}, {"mass", m}})).
Array vector2(const vectors::Columns& columns);
Array vector3(const vectors::Columns& columns);
Array vector4(const vectors::Columns& columns);

}  // namespace serrate
