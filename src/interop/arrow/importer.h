// Trees over Arrow's memory: what is looked up in it is checked while the tree is made, payload is
// read where it is.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/types/with_number.h"
#include "graph/ir.h"
#include "interop/arrow/awkward.h"
#include "interop/arrow/schema.h"
#include "serrate/arrow.h"

namespace serrate::interop::arrow {

/// Whose memory the buffers are, and where.
struct Source {
  std::shared_ptr<const void> owner;
  Device device = Device::cpu;
  bool copy = false;
};

class Importer {
 public:
  explicit Importer(Source source) : source_(std::move(source)) {}

  /// The rows of a whole array, or of none (null: no items). A tree over unit.
  graph::NodeRef root(const Field& f, const ArrowArray* a) const;

 private:
  // Items first .. first + n - 1 of an array, counted from where it begins by its own offset, as
  // values at positions 0 .. n - 1 of the domain of `s`.
  struct Items {
    const ArrowArray* array = nullptr;  // null: none
    int64_t first = 0, n = 0;
    graph::SpaceRef s;
    /// Position in the buffers of the first one.
    int64_t begin() const { return array == nullptr ? 0 : array->offset + first; }
    const ArrowArray* child(int64_t i) const {
      return array == nullptr ? nullptr : array->children[i];
    }
  };
  enum class Place : uint8_t { inside, top };

  graph::NodeRef build(const Field& f, const Items& x, Place place = Place::inside) const;
  /// The value without what says that it is missing.
  graph::NodeRef value(const Field& f, const Items& x, const std::optional<AwkwardNode>& ak) const;
  static void check_array(const Field& f, const Items& x);
  /// Null where nothing is missing.
  graph::ColumnRef validity(const Field& f, const Items& x) const;
  graph::NodeRef optional(const Field& f, const graph::ColumnRef& valid,
                          const graph::NodeRef& content, const std::optional<AwkwardNode>& ak,
                          Place place) const;

  // -- memory: importer.cpp
  /// n items of `size` bytes of a buffer, from item `first` on.
  Buffer memory(const Field& f, const Items& x, int64_t buffer, int64_t first, int64_t n,
                int64_t size, int64_t alignment) const;
  Buffer memory(const Field& f, const Items& x, int64_t buffer, DType t) const {
    return memory(f, x, buffer, x.begin(), x.n, itemsize(t), itemsize(t));
  }
  /// No bytes, where the others are.
  Buffer nothing() const;
  /// What was made on the host.
  Buffer placed(const Buffer& b) const;
  graph::ColumnRef bits(const Field& f, const Items& x, int64_t buffer) const;

  // -- values: importer_values.cpp
  graph::NodeRef number(const Field& f, const Items& x) const;
  graph::NodeRef decimal(const Field& f, const Items& x) const;
  graph::NodeRef interval(const Field& f, const Items& x) const;
  graph::NodeRef text(const Field& f, const Items& x) const;
  graph::NodeRef text_view(const Field& f, const Items& x) const;
  graph::NodeRef fixed_bytes(const Field& f, const Items& x) const;

  // -- lists and records: importer_lists.cpp
  /// Offsets of x.n lists (or of none) on the host after they were checked, and as they are.
  struct Offsets {
    Buffer buffer;
    int64_t first = 0, last = 0;
  };
  Offsets offsets(const Field& f, const Items& x, int64_t most) const;
  graph::NodeRef list(const Field& f, const Items& x) const;
  graph::NodeRef list_view(const Field& f, const Items& x) const;
  graph::NodeRef fixed_list(const Field& f, const Items& x) const;
  graph::NodeRef tensor(const Field& f, const Items& x, const std::vector<int64_t>& shape) const;
  graph::NodeRef record(const Field& f, const Items& x, bool is_tuple) const;
  graph::NodeRef table(const Field& f, const Items& x, const AwkwardTable& t) const;

  // -- indexes: importer_indexes.cpp
  graph::NodeRef union_of(const Field& f, const Items& x) const;
  graph::NodeRef dictionary(const Field& f, const Items& x, const graph::ColumnRef& valid) const;
  graph::NodeRef run_ends(const Field& f, const Items& x) const;

  Source source_;
};

/// Names of fields, equal ones with "_1", "_2" ... behind.
std::vector<std::string> different_names(const Field& f);
/// Parameters that say what serrate's types do not: "__arrow__", "timezone", "__extension__".
Parameters parameters_of(const Field& f);
/// "shape" of arrow.fixed_shape_tensor, whose items are in that order; else nothing.
std::vector<int64_t> tensor_shape(const Field& f);
/// Calls g with the items of a buffer of integers on the host.
template <class G>
auto with_integers(const Buffer& b, DType t, G&& g) {
  return with_integer(t, [&]<class T>(T) { return g(b.as<T>()); });
}

}  // namespace serrate::interop::arrow
