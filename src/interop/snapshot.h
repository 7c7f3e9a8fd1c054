// Memory of others as memory of our own: what they write later changes nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "serrate/buffer.h"

namespace serrate::interop {

/// A copy of the bytes of b, made in parallel where there are many.
Buffer snapshot(const Buffer& b);
/// The items of strided memory, one after the other in C order. The first item is at `first`,
/// strides are in bytes.
Buffer packed(const std::byte* first, const std::vector<int64_t>& shape,
              const std::vector<int64_t>& strides, int64_t item_size);

/// What of a buffer's memory may change under us.
enum class Borrowed : uint8_t {
  no,
  indexes,  ///< numbers are shared all the same; what is checked once must not change afterwards
  all
};
/// The owner of such memory.
std::shared_ptr<const void> borrowed(std::shared_ptr<const void> owner, Borrowed what);
Borrowed borrowed(const Buffer& b);

/// b, or if it is borrowed a snapshot of it. Of offsets, indexes and masks the one that was made
/// before is taken as long as it is alive and nothing has changed: lists with the same offsets
/// share them afterwards too.
Buffer lasting(const Buffer& b, bool is_data);

}  // namespace serrate::interop
