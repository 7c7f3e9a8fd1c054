// A run of bytes on one device with its owner: what columns load from. Never copied silently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "serrate/dtype.h"

namespace serrate {

/// Where data lives. Data moves between devices only by to_backend.
enum class Device : uint8_t { cpu, cuda };

/// Immutable view of bytes kept alive by an owner (ours, NumPy's, Arrow's ...). Cheap to copy;
/// slices share the owner.
class Buffer {
 public:
  Buffer() = default;
  /// Foreign memory: `owner` keeps it alive.
  Buffer(const void* data, int64_t bytes, std::shared_ptr<const void> owner,
         Device device = Device::cpu)
      : data_(static_cast<const std::byte*>(data)),
        bytes_(bytes),
        owner_(std::move(owner)),
        device_(device) {}
  /// Fresh CPU memory, not zeroed, 64-byte aligned from 4 KiB on. `*writable` receives the address
  /// to fill before it is shared.
  static Buffer allocate(int64_t bytes, void** writable);
  /// A copy of `bytes` bytes.
  static Buffer copy_of(const void* data, int64_t bytes);

  const std::byte* data() const { return data_; }
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }
  int64_t bytes() const { return bytes_; }
  Device device() const { return device_; }
  /// Memory that allocate() made and that nobody else holds, to be written to; null of any other.
  std::byte* writable() const {
    return allocated_ && owner_.use_count() == 1 ? const_cast<std::byte*>(data_) : nullptr;
  }
  const std::shared_ptr<const void>& owner() const { return owner_; }
  /// The bytes from `offset` on (`bytes` of them, or all that follow).
  Buffer slice(int64_t offset, int64_t bytes = -1) const {
    Buffer part(data_ + offset, bytes < 0 ? bytes_ - offset : bytes, owner_, device_);
    part.allocated_ = allocated_;
    return part;
  }
  bool same_memory(const Buffer& o) const { return data_ == o.data_ && bytes_ == o.bytes_; }

 private:
  const std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
  std::shared_ptr<const void> owner_;
  Device device_ = Device::cpu;
  bool allocated_ = false;
};

}  // namespace serrate
