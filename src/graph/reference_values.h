// What the reference evaluator is made of: places in spaces, and the value of a column at a place.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "graph/ir.h"

namespace serrate::graph::reference {

/// A place in a space: its index in its list, its position in the domain, its owner, its positions
/// in base spaces.
struct Place {
  SpaceRef space;
  int64_t local = 0;
  int64_t domain = 0;
  std::shared_ptr<const Place> owner;
  std::vector<std::shared_ptr<const Place>> links;
};
using PlaceRef = std::shared_ptr<const Place>;

/// One value of any type: its bytes, and zeros.
using Raw = std::array<std::byte, 16>;

template <class T>
T as(const Raw& r) {
  T v;
  std::memcpy(&v, r.data(), sizeof(T));
  return v;
}

Raw raw_of(const void* p, DType t);
Raw constant_raw(const Scalar& s);
Raw cast_raw(const Raw& r, DType from, DType to);
/// Operands are of op's compute types.
Raw op_raw(Op op, const std::vector<DType>& types, const std::vector<Raw>& args);

/// A column at a place of its space; raises where a check fails.
Raw eval(const ColumnRef& c, const PlaceRef& p);
bool truth(const ColumnRef& c, const PlaceRef& p);
int64_t integer(const ColumnRef& c, const PlaceRef& p);

/// The one position of the unit space.
PlaceRef unit_place();
/// The list of a space that a position of its parent has.
std::vector<PlaceRef> items(const SpaceRef& s, const PlaceRef& owner);
/// Every place of a space, in order, below that of the unit space.
std::vector<PlaceRef> all_items(const SpaceRef& s, const PlaceRef& root);

/// Columns that see more than their own place.
Raw reduce_raw(const Column& c, const PlaceRef& p);
Raw histogram_raw(const Column& c, const PlaceRef& p);
Raw barrier_raw(const Column& c, const PlaceRef& p);

}  // namespace serrate::graph::reference
