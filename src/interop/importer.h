// Trees over foreign buffers: everything is checked while the tree is made, nothing is copied that
// can be used as it is.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "graph/ir.h"
#include "graph/limits.h"
#include "interop/form.h"
#include "serrate/io.h"

namespace serrate::interop {

using graph::kMaxItems;

// Calls g with the items of an index buffer.
template <class G>
auto with_items(const Buffer& b, DType t, G&& g) {
  switch (t) {
    case DType::int32:
      return g(b.as<int32_t>());
    case DType::uint32:
      return g(b.as<uint32_t>());
    default:
      return g(b.as<int64_t>());
  }
}

class Importer {
 public:
  // Which positions belong to some list above; null: all.
  using Used = std::shared_ptr<const std::vector<bool>>;

  struct How {
    bool leave_numbers;  // on a GPU, where they are there
    bool only_used;      // lists that no list above holds need not make sense
    bool whole;          // buffers are as long as what they hold
  };
  Importer(const Container& container, const BufferKey& key, ByteOrder order, How how)
      : container_(container), key_(key), swap_(order == ByteOrder::big), how_(how) {}

  /// Values at positions 0 .. n - 1 of the domain of s.
  graph::NodeRef build(const Form& f, int64_t n, const graph::SpaceRef& s,
                       const Used& used = {}) const;
  /// Whether a buffer was on the GPU.
  Device device() const { return device_; }

 private:
  /// The first n items of a buffer, in this machine's byte order.
  Buffer get(const Form& f, const char* attribute, DType t, int64_t n) const;
  graph::NodeRef numbers(const Form& f, int64_t n, graph::SpaceRef s) const;
  Buffer byte_mask(const Form& f, int64_t n) const;
  Buffer bit_mask(const Form& f, int64_t n) const;

  // -- lists: importer_lists.cpp
  Buffer get_offsets(const Form& f, int64_t n) const;
  /// Items of all lists.
  int64_t check_offsets(const Form& f, const Buffer& b, int64_t n) const;
  graph::NodeRef offset_lists(const Form& f, int64_t n, const graph::SpaceRef& s) const;
  graph::NodeRef lists(const Form& f, int64_t n, const graph::SpaceRef& s) const;
  /// Lists of which only those that belong to lists above need to make sense: others are empty.
  graph::NodeRef used_lists(const Form& f, int64_t n, const graph::SpaceRef& s,
                            const Used& used) const;

  // -- indexes and tags: importer_indexes.cpp
  struct Index {
    Buffer buffer;
    Buffer valid;          // bytes: index >= 0; made for options
    int64_t length = 0;    // of the content: the largest index and one
    bool identity = true;  // item i is content i wherever there is one
  };
  Index get_index(const Form& f, int64_t n, bool optional) const;
  /// How many items the buffers hold; -1 where none says so.
  int64_t items_in_buffers(const Form& f) const;
  /// Values of the content over rows of their own, chosen by an index.
  graph::NodeRef category(const Form& f, const Index& x, const graph::SpaceRef& s) const;
  graph::NodeRef indexed(const Form& f, int64_t n, const graph::SpaceRef& s) const;
  graph::NodeRef indexed_option(const Form& f, int64_t n, const graph::SpaceRef& s) const;
  graph::NodeRef union_of(const Form& f, int64_t n, const graph::SpaceRef& s) const;

  const Container& container_;
  const BufferKey& key_;
  bool swap_;
  How how_;
  mutable Device device_ = Device::cpu;
};

/// The content with the form's parameters instead of its own of the same names.
graph::NodeRef with_parameters_of(const Form& f, const graph::NodeRef& n);
graph::NodeRef option_of(const Form& f, const graph::ColumnRef& valid,
                         const graph::NodeRef& content);

}  // namespace serrate::interop
