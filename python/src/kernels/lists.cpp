// What kernels of functions of lists need: lists of what they stored, and where they say which list
// failed.
#include "kernels/lists.h"

#include <limits>

#include "common/checked.h"
#include "common/operands.h"
#include "cuda/device.h"
#include "graph/backend.h"
#include "graph/evaluate.h"

namespace serrate::python {
namespace {

using cuda::gpu;

/// The smallest number of a list that failed. Pinned memory of the host: who waits for a kernel has
/// it without a copy.
class FailedList {
 public:
  FailedList() : number_(static_cast<int64_t*>(gpu().allocate_pinned(8))) { *number_ = kNone; }
  FailedList(const FailedList&) = delete;
  FailedList& operator=(const FailedList&) = delete;
  ~FailedList() { gpu().release_pinned(number_); }

  int64_t address() const { return reinterpret_cast<intptr_t>(number_); }
  /// After all kernels that this thread has launched; -1: none.
  int64_t wait() const {
    without_lock([] { gpu().synchronize(); });
    return look();
  }
  int64_t look() const {
    const int64_t n = *static_cast<const volatile int64_t*>(number_);
    return n == kNone ? -1 : n;
  }

 private:
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
  int64_t* number_;
};

const Buffer& numbers_of(const Array& a) {
  evaluate(a);
  return a.node()->contents[0]->column->buffer;
}

/// Offsets of lists with these lengths, an int64 array on the GPU.
class ListOffsets {
 public:
  explicit ListOffsets(nb::handle lengths) {
    Array* const a = array_in(lengths.ptr());
    check<TypeError>(a != nullptr, "expected an Array");
    lists_ = length_of(*a);
    offsets_ = graph::backend(Device::cuda).offsets(numbers_of(*a), lists_).buffer;
    address_ = reinterpret_cast<intptr_t>(offsets_.data());
  }
  int64_t address() const { return address_; }
  /// How many items; waits for the lengths.
  int64_t total() {
    without_lock(
        [this] { sizes_ = graph::backend(Device::cuda).list_sizes(offsets_, lists_).value(); });
    return sizes_.total;
  }
  /// The items as lists. Call total() before.
  nb::object lists(nb::handle items) const {
    const Array* const a = array_in(items.ptr());
    check<TypeError>(a != nullptr, "expected an Array");
    const graph::NodeRef n = a->node();
    const graph::SpaceRef outer = graph::rows(lists_);
    const graph::SpaceRef inner =
        graph::stored_list(outer, offsets_, DType::int64, {0, sizes_.total, sizes_.longest});
    graph::NodeRef content =
        graph::rebase_pick(n->contents[0], inner, n->space, graph::position(inner));
    return wrap(Array(graph::list_node(outer, graph::list_node(inner, std::move(content)))));
  }

 private:
  Buffer offsets_;
  int64_t lists_ = 0, address_ = 0;
  graph::ListSizes sizes_;

  static int64_t length_of(const Array& a) { return graph::stored_extent(a.node()->space).size; }
};

}  // namespace

void bind_list_kernels(nb::module_& m) {
  nb::class_<FailedList>(m, "_FailedList")
      .def(nb::init<>())
      .def_prop_ro("address", &FailedList::address)
      .def("wait", &FailedList::wait)
      .def("look", &FailedList::look);
  nb::class_<ListOffsets>(m, "_ListOffsets")
      .def(nb::init<nb::handle>(), "lengths"_a)
      .def_prop_ro("address", &ListOffsets::address)
      .def("total", &ListOffsets::total)
      .def("lists", &ListOffsets::lists, "items"_a);
}

}  // namespace serrate::python
