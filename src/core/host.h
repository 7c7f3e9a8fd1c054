// Which memory the host reads as it is. What is on other devices must be brought there first.
#pragma once

#include "serrate/buffer.h"

namespace serrate {

constexpr bool is_host(Device d) { return d == Device::cpu; }
inline bool on_host(const Buffer& b) { return is_host(b.device()); }

}  // namespace serrate
