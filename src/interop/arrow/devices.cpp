// Arrow's device types and events: see devices.h.
#include "interop/arrow/devices.h"

#include <exception>

#include "graph/backend.h"
#include "serrate/error.h"

namespace serrate::interop::arrow {
namespace {

graph::Backend* reader_of(int32_t type) {
  for (graph::Backend* b : graph::backends()) {
    if (b->reads_device_type(type)) return b;
  }
  return nullptr;
}

}  // namespace

Device arrived(const ArrowDeviceArray& a) {
  if (a.device_type == ARROW_DEVICE_CPU) return Device::cpu;
  const bool pinned = a.device_type == ARROW_DEVICE_CUDA_HOST;
  graph::Backend* const b = reader_of(pinned ? ARROW_DEVICE_CUDA : a.device_type);
  check<ValueError>(b != nullptr,
                    "from_arrow: the array is on a device of Arrow's type {}; the CPU and CUDA are "
                    "supported",
                    a.device_type);
  if (pinned) {
    if (a.sync_event != nullptr) b->wait_for_event(a.sync_event, true);
    return Device::cpu;
  }
  b->require();
  const bool anywhere = a.device_type == ARROW_DEVICE_CUDA_MANAGED;
  check<ValueError>(anywhere || a.device_id == b->device_number(),
                    "from_arrow: the array is on GPU {}, but serrate works on GPU {}", a.device_id,
                    b->device_number());
  graph::use_other_memory();
  if (a.sync_event != nullptr) b->wait_for_event(a.sync_event, false);
  return b->device();
}

std::shared_ptr<const void> kept_until_read(std::shared_ptr<const void> owner, Device device) {
  if (is_host(device)) return owner;
  const void* p = owner.get();
  return {p, [owner = std::move(owner), device](const void*) mutable {
            try {
              graph::backend(device).finish_reading();
            } catch (const std::exception&) {  // the process is ending
            }
            owner.reset();
          }};
}

}  // namespace serrate::interop::arrow
