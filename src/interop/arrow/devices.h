// Arrow's device types and events, as back ends know them.
#pragma once

#include <memory>

#include "serrate/arrow.h"
#include "serrate/buffer.h"

namespace serrate::interop::arrow {

/// Where an array is, once all work that reads it comes after its event. ValueError for devices
/// that no back end has.
Device arrived(const ArrowDeviceArray& a);
/// An owner of memory there, which gives it up once nothing that was begun reads it any more.
std::shared_ptr<const void> kept_until_read(std::shared_ptr<const void> owner, Device device);

}  // namespace serrate::interop::arrow
