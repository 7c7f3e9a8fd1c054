// Who releases what came by Arrow's interfaces: each thing once.
#pragma once

#include <memory>
#include <utility>

#include "serrate/arrow.h"

namespace serrate::interop::arrow {

/// A structure of another library, moved here; released when this goes.
template <class T>
class Owned {
 public:
  Owned() = default;
  /// Takes it over: `from` is released as far as its owner can tell.
  explicit Owned(T* from) : value(*from) { from->release = nullptr; }
  ~Owned() {
    if (value.release != nullptr) value.release(&value);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  T value{};
};

/// The same of an array that many buffers read.
inline std::shared_ptr<Owned<ArrowArray>> shared(ArrowArray* from) {
  return std::make_shared<Owned<ArrowArray>>(from);
}

}  // namespace serrate::interop::arrow
