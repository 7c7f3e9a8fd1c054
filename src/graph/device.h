// Where the data of value trees are.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "graph/ir.h"

namespace serrate::graph {

/// The device of all buffers that these trees load from; nothing where they have none, and while no
/// GPU is in use. ValueError, naming to_backend, if they are on several.
std::optional<Device> buffers_device(const std::vector<NodeRef>& roots);
/// Where some buffer of a tree is, found quickly: whether all are on one device is seen when it is
/// evaluated.
std::optional<Device> some_device(const NodeRef& n);

/// Calls f with each buffer that a stored tree loads from.
void each_buffer(const NodeRef& stored, const std::function<void(const Buffer&)>& f);

/// A number, which has no place.
bool is_everywhere(const Node& n);

/// The stored tree `n` over unit with its buffers on `to`: each once, trimmed to what is used.
NodeRef move_stored(const NodeRef& n, Device to);
/// A stored tree over the stored space `from` as one over `to`, which has the same positions.
NodeRef over_equal_space(const NodeRef& n, const SpaceRef& from, const SpaceRef& to);

/// The stored form of a tree, in RAM: for what the host must see to go on.
NodeRef evaluate_on_host(const NodeRef& n);
/// Value of a column over the unit space, as an integer: computed now, unless it is a constant.
int64_t look(const ColumnRef& c);
/// Items of a whole array, whose space is over the unit space. Counted now, and once, where only
/// the data tell; as SERRATE_EAGER=1 would know it when something is made of the array.
int64_t length_of(const SpaceRef& s);
/// The same with as many bytes of zeros before it.
Buffer behind_zeros(const Buffer& b, int64_t zeros);
/// As if it began so many bytes earlier; what is there is not looked at.
Buffer before(const Buffer& b, int64_t bytes);
/// Items of a space start late where lists that were passed on do: item 0 of the domain stands that
/// many bytes before what was written. It is made where the back end reads it.
Buffer behind_item_0(const Buffer& b, int64_t shift);
/// `host` on the device of these trees.
Buffer beside(const Buffer& host, const std::vector<NodeRef>& roots);

}  // namespace serrate::graph
