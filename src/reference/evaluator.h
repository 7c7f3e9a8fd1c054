// What the reference evaluator is made of: places in spaces, and the value of a column at a place.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <deque>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/ir.h"

namespace serrate::reference {

/// A place in a space: its index in its list, its position in the domain, its owner, its places in
/// base spaces.
struct Place {
  const graph::Space* space = nullptr;
  int64_t local = 0;
  int64_t domain = 0;
  const Place* owner = nullptr;
  std::vector<const Place*> links;
  /// Index along axis 0 of what this is part of.
  int64_t row() const {
    const Place* p = this;
    while (p->space->depth > 1) p = p->owner;
    return p->local;
  }
};
using Places = std::vector<const Place*>;

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

/// Values of columns at places. What it was asked once it remembers, so that an expression is
/// computed as often as it has places.
class Evaluator {
 public:
  /// A column at a place of its space; raises where a check fails.
  const Raw& eval(const graph::ColumnRef& c, const Place& p);
  bool truth(const graph::ColumnRef& c, const Place& p) { return as<uint8_t>(eval(c, p)) != 0; }
  int64_t integer(const graph::ColumnRef& c, const Place& p);

  /// The one position of the unit space.
  const Place& unit_place() const { return unit_; }
  /// The list of a space that a position of its parent has.
  const Places& items(const graph::SpaceRef& s, const Place& owner);
  /// Every place of a space, in order.
  Places all_items(const graph::SpaceRef& s);

 private:
  struct Hash {
    size_t operator()(const std::pair<const void*, const void*>& p) const {
      return std::hash<const void*>{}(p.first) * 31 + std::hash<const void*>{}(p.second);
    }
  };
  template <class T>
  using Memo = std::unordered_map<std::pair<const void*, const void*>, T, Hash>;

  Raw compute(const graph::Column& c, const Place& p);
  Raw call(const graph::Column& c, const Place& p);
  // Columns that see more than their own place.
  Raw reduce(const graph::Column& c, const Place& p);
  Raw histogram(const graph::Column& c, const Place& p);
  Raw barrier(const graph::Column& c, const Place& p);
  std::vector<Raw> barrier_of_list(const graph::Column& c, const Places& list);
  std::vector<Raw> sorted(const graph::Column& c, Places list);
  std::vector<Raw> scanned(const graph::Column& c, const Places& list);
  std::vector<Raw> cells(const graph::Column& c);
  bool takes_part(const graph::Column& c, const Place& p) {
    return !c.args[1] || truth(c.args[1], p);
  }
  bool comes_before(const graph::Column& c, const Place& a, const Place& b);
  void list_items(const graph::SpaceRef& s, const Place& owner, Places& out);

  const Place unit_{graph::unit().get(), 0, 0, nullptr, {}};
  std::deque<Place> places_;
  Memo<Raw> values_;                 // of a column at a place
  Memo<Places> lists_;               // of a space, of an owner
  Memo<std::vector<Raw>> of_lists_;  // barriers, of an owner; histograms
};

}  // namespace serrate::reference
