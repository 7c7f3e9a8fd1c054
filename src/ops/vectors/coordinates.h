// Names of coordinates, and records made of coordinates.
#pragma once

#include <span>

#include "serrate/vectors.h"

namespace serrate::vectors {

/// What the name of a field means: its place, and which of the coordinates of that place it is.
struct Coordinate {
  std::string_view name, generic;
  int place;
  uint8_t which;  ///< Azimuthal, Longitudinal or Temporal
  bool momentum;
};
/// Null: no coordinate.
const Coordinate* coordinate_named(std::string_view field);
/// "x", "y", "z", "t"
std::string_view name_of(System system, int place);

/// Fields of coordinates with the system that they are of; TypeError unless they are one vector's.
struct Found {
  System system;
  std::array<std::string, 4> fields;
  bool momentum = false;
};
Found find_coordinates(std::span<const std::string> fields);
/// TypeError unless these are the fields of vectors of this kind.
void check_fields(std::span<const std::string> fields, Kind kind);

/// A vector with these coordinates, which takes after `like`: its flavor, its name if the
/// dimensions are the same, its other fields, and its coordinates behind the first `computed` ones.
Array with_coordinates(const Vector& like, System system, std::vector<Array> coordinates,
                       int computed = 4);
/// The same of two vectors, which has no other fields.
Array of_both(const Vector& v, const Vector& w, System system, std::vector<Array> coordinates);

/// TypeError unless both have equally many dimensions.
void check_alike(const Vector& v, const Vector& w, std::string_view operation);
/// TypeError unless it has so many.
void check_dimension(const Vector& v, int at_least, int at_most, std::string_view operation);

/// Whether some vectors are of other coordinates than others: unions of records.
bool is_union(const Array& records);
/// These as records: in the coordinates of all, or Cartesian where they differ, with the other
/// fields that all have. TypeError unless they have equally many dimensions.
Array of_one_system(const Array& records);

/// x - 2 pi n, from -pi to pi.
Array wrapped(const Array& angle);
/// sqrt(x), and -sqrt(-x) of negative numbers.
Array signed_root(const Array& x);
/// condition ? x : y; a number takes the type of the other one.
Array chosen(const Array& condition, const Array& x, const Array& y);
/// x, and `value` where it is NaN.
Array unless_nan(const Array& x, const Array& value);
/// x x' + y y' (+ z z').
Array spatial_product(const Vector& v, const Vector& w, int dimension);

inline constexpr double kPi = 3.141592653589793;

}  // namespace serrate::vectors
