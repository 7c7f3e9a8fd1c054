// Which coordinates records have, and records of vectors by columns.
#include <algorithm>

#include "graph/type_text.h"
#include "ops/vectors/coordinates.h"

namespace serrate::vectors {
namespace {

constexpr uint8_t kXY = 0, kRhoPhi = 1;
constexpr uint8_t kZ = 1, kTheta = 2, kEta = 3;
constexpr uint8_t kT = 1, kTau = 2;

constexpr Coordinate kCoordinates[] = {
    {"x", "x", 0, kXY, false},         {"px", "x", 0, kXY, true},
    {"y", "y", 1, kXY, false},         {"py", "y", 1, kXY, true},
    {"rho", "rho", 0, kRhoPhi, false}, {"pt", "rho", 0, kRhoPhi, true},
    {"phi", "phi", 1, kRhoPhi, false}, {"z", "z", 2, kZ, false},
    {"pz", "z", 2, kZ, true},          {"theta", "theta", 2, kTheta, false},
    {"eta", "eta", 2, kEta, false},    {"t", "t", 3, kT, false},
    {"E", "t", 3, kT, true},           {"e", "t", 3, kT, true},
    {"energy", "t", 3, kT, true},      {"tau", "tau", 3, kTau, false},
    {"M", "tau", 3, kTau, true},       {"m", "tau", 3, kTau, true},
    {"mass", "tau", 3, kTau, true},
};

// Of each place, with the names as arguments of the package vector's.
constexpr const char* kChoices[] = {
    "x= or rho=", "y= or phi=", "z= or theta= or eta=", "t= or tau="};

constexpr const char* kAllowed =
    "a vector has x and y, or rho and phi; then it may have z, theta or eta; then t or tau (as a "
    "momentum px, py, pt, pz, E, e, energy, M, m, mass)";

std::string listed(std::span<const std::string> names) {
  std::string out;
  for (const auto& n : names) out += (out.empty() ? "" : ", ") + n;
  return out;
}

/// The record below lists and options, how many lists are above it and whether some of it may be
/// missing.
struct Below {
  const graph::Node* record;
  int lists = 0;
  bool optional = false;
};

Below record_in(const graph::Node& top) {
  Below out{&top};
  while (out.record->kind == graph::NodeKind::option ||
         (out.record->kind == graph::NodeKind::list && !graph::is_string(*out.record))) {
    out.lists += out.record->kind == graph::NodeKind::list;
    out.optional = out.optional || out.record->kind == graph::NodeKind::option;
    out.record = out.record->contents[0].get();
  }
  return out;
}

std::string record_name(const graph::Node& record) {
  for (const auto& [key, json] : record.parameters)
    if (key == "__record__" && json.size() >= 2) return json.substr(1, json.size() - 2);
  return {};
}

}  // namespace

const Coordinate* coordinate_named(std::string_view field) {
  for (const Coordinate& c : kCoordinates)
    if (c.name == field) return &c;
  return nullptr;
}

std::string_view name_of(System system, int place) {
  const auto which = place < 2    ? static_cast<uint8_t>(system.azimuthal)
                     : place == 2 ? static_cast<uint8_t>(system.longitudinal)
                                  : static_cast<uint8_t>(system.temporal);
  for (const Coordinate& c : kCoordinates)
    if (c.place == place && c.which == which) return c.generic;
  return {};
}

std::optional<Kind> kind_of(std::string_view name) {
  const bool momentum = name.starts_with("Momentum");
  if (!momentum && !name.starts_with("Vector")) return {};
  const std::string_view rest = name.substr(momentum ? 8 : 6);
  if (rest.size() != 2 || rest[1] != 'D' || rest[0] < '2' || rest[0] > '4') return {};
  return Kind{rest[0] - '0', momentum};
}

std::string name_of(Kind kind) {
  return fmt::format("{}{}D", kind.momentum ? "Momentum" : "Vector", kind.dimension);
}

Found find_coordinates(std::span<const std::string> fields) {
  Found out;
  std::array<const Coordinate*, 4> found{};
  for (const std::string& field : fields) {
    const Coordinate* c = coordinate_named(field);
    if (!c) continue;
    const auto place = static_cast<size_t>(c->place);
    if (const Coordinate* before = found[place]) {
      check<TypeError>(before->generic != c->generic,
                       "duplicate coordinates: {} and {} are one; {}", before->name, c->name,
                       kAllowed);
      throw TypeError(fmt::format("specify {}, but not more than one: got {} and {}; {}",
                                  kChoices[place], before->name, c->name, kAllowed));
    }
    found[place] = c;
    out.fields[place] = field;
    out.momentum = out.momentum || c->momentum;
  }
  const auto [a, b, longitudinal, temporal] = found;
  check<TypeError>(a && b && a->which == b->which && (longitudinal || !temporal),
                   "these fields are no vector: {}; {}", listed(fields), kAllowed);
  out.system.azimuthal = static_cast<Azimuthal>(a->which);
  if (longitudinal) out.system.longitudinal = static_cast<Longitudinal>(longitudinal->which);
  if (temporal) out.system.temporal = static_cast<Temporal>(temporal->which);
  return out;
}

void check_fields(std::span<const std::string> fields, Kind kind) {
  const Found found = find_coordinates(fields);
  check<TypeError>(kind.dimension == found.system.dimension(),
                   "these are the coordinates of a {}D vector, not of a {}D vector",
                   found.system.dimension(), kind.dimension);
  check<TypeError>(kind.momentum || !found.momentum,
                   "momentum-aliases are not allowed in a generic vector: {}", listed(fields));
}

Vector::Vector(const Array& records) : Vector(records, Kind{}) {}

Vector::Vector(const Array& records, Kind kind)
    : records_(is_union(records) ? of_one_system(records) : records) {
  const graph::NodeRef top = records_.node();
  const Below below = record_in(*top);
  check<TypeError>(below.record->kind == graph::NodeKind::record && !below.record->is_tuple,
                   "expected vectors, which are records of coordinates, got {}",
                   graph::type_text(*top));
  Found found = find_coordinates(*below.record->fields);
  system_ = found.system;
  fields_ = std::move(found.fields);
  name_ = record_name(*below.record);
  depth_ = below.lists;
  optional_ = below.optional;
  momentum_ = kind.dimension > 0 ? kind.momentum : found.momentum;
  if (const auto named = kind_of(name_); named && kind.dimension == 0) kind = *named;
  if (kind.dimension == 0) return;
  momentum_ = kind.momentum;
  check<TypeError>(kind.dimension == dimension(),
                   "the fields {} are those of a {}D vector, not of {}",
                   listed(*below.record->fields), dimension(),
                   name_.empty() ? fmt::format("a {}D vector", kind.dimension) : name_);
}

const Array& Vector::operator[](int i) const {
  auto& slot = coordinates_[static_cast<size_t>(i)];
  if (!slot) slot = records_[fields_[static_cast<size_t>(i)]];
  return *slot;
}

std::string Vector::result_name(Kind kind) const {
  std::string own = named_ ? named_(kind) : std::string();
  return own.empty() ? name_of(kind) : own;
}

// -- records --------------------------------------------------------------------------------------

Array with_coordinates(const Vector& like, System system, std::vector<Array> coordinates,
                       int computed) {
  Columns columns;
  int depth = like.depth();
  for (int place = 0; place < std::min(computed, system.dimension()); ++place) {
    Array& c = coordinates[static_cast<size_t>(place)];
    depth = std::max(depth, record_in(*c.node()).lists);
    columns.emplace_back(std::string(name_of(system, place)), std::move(c));
  }
  // The others go along as they are called, in their order.
  for (const std::string& field : like.records().fields()) {
    const Coordinate* c = coordinate_named(field);
    if (c && (c->place < computed || c->place >= system.dimension())) continue;
    columns.emplace_back(field, like.records()[field]);
  }
  const Kind kind{system.dimension(), like.momentum()};
  const std::string plain = name_of(kind), named = like.result_name(kind);
  const bool own = named == plain && like.dimension() == kind.dimension && !like.name().empty();
  ZipOptions o{.with_name = own ? like.name() : named,
               .optiontype_outside_record = like.optional()};
  if (depth > 0) o.depth_limit = depth;
  return serrate::zip(columns, o);
}

Array of_both(const Vector& v, const Vector& w, System system, std::vector<Array> coordinates) {
  Columns columns;
  int place = 0;
  for (Array& c : coordinates)
    columns.emplace_back(std::string(name_of(system, place++)), std::move(c));
  const Kind kind{system.dimension(), v.momentum() || w.momentum()};
  return serrate::zip(columns, {.with_name = v.result_name(kind),
                                .optiontype_outside_record = v.optional() || w.optional()});
}

namespace {

bool is_number(const Array& column) {
  const graph::Node* n = column.node().get();
  while (n->kind == graph::NodeKind::option ||
         (n->kind == graph::NodeKind::list && !graph::is_string(*n)))
    n = n->contents[0].get();
  if (n->kind == graph::NodeKind::unknown) return true;
  if (n->kind != graph::NodeKind::leaf) return false;
  const DType t = n->column->dtype;
  return is_integer(t) || is_floating(t);
}

}  // namespace

Array zip(const Columns& columns, std::optional<int> depth_limit) {
  std::vector<std::string> names;
  for (const auto& [name, column] : columns) names.push_back(name);
  const Found found = find_coordinates(names);
  Columns renamed;
  for (int place = 0; place < found.system.dimension(); ++place) {
    const auto& field = found.fields[static_cast<size_t>(place)];
    for (const auto& [name, column] : columns)
      if (name == field) {
        check<TypeError>(is_number(column),
                         "the coordinate {} must be integers or floating-point numbers, got {}",
                         name, graph::type_text(*column.node()));
        renamed.emplace_back(std::string(name_of(found.system, place)), column);
      }
  }
  for (const auto& column : columns)
    if (!coordinate_named(column.first)) renamed.push_back(column);
  return serrate::zip(renamed,
                      {.depth_limit = depth_limit,
                       .with_name = name_of(Kind{found.system.dimension(), found.momentum})});
}

Array as_vectors(const Array& records) {
  const Vector v(records, Kind{});
  Columns columns;
  for (const std::string& field : records.fields()) columns.emplace_back(field, records[field]);
  return zip(columns, v.depth() > 0 ? std::optional(v.depth()) : std::nullopt);
}

void check_alike(const Vector& v, const Vector& w, std::string_view operation) {
  check<TypeError>(v.dimension() == w.dimension(),
                   "{}: the vectors have {} and {} dimensions; a.like(b) makes them the same",
                   operation, v.dimension(), w.dimension());
}

void check_dimension(const Vector& v, int at_least, int at_most, std::string_view operation) {
  check<TypeError>(v.dimension() >= at_least && v.dimension() <= at_most,
                   "{}: expected a vector of {} dimensions{}, got one of {}", operation, at_least,
                   at_most > at_least ? fmt::format(" to {}", at_most) : "", v.dimension());
}

}  // namespace serrate::vectors

namespace serrate {
namespace {

Array of_dimension(const vectors::Columns& columns, int dimension) {
  const Array out = vectors::zip(columns);
  check<TypeError>(vectors::Vector(out).dimension() == dimension,
                   "vector{}: the columns are those of a {}D vector", dimension,
                   vectors::Vector(out).dimension());
  return out;
}

}  // namespace

Array vector2(const vectors::Columns& columns) { return of_dimension(columns, 2); }
Array vector3(const vectors::Columns& columns) { return of_dimension(columns, 3); }
Array vector4(const vectors::Columns& columns) { return of_dimension(columns, 4); }

}  // namespace serrate
