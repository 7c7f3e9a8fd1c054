// Values written to places of numbers on a GPU: see put.h.
#include "cuda/runtime/put.h"

#include <cstring>

#include "cuda/device.h"
#include "cuda/runtime/gpu_memory.h"

namespace serrate::cuda {

std::optional<Buffer> put(const graph::ItemUpdates& of) {
  GpuMemory* const own = of.may_overwrite && of.memory.owner().use_count() == 1
                             ? std::get_deleter<GpuMemory>(of.memory.owner())
                             : nullptr;
  const int64_t bytes = of.size * of.itemsize;
  Buffer out = of.memory;
  void* items = const_cast<std::byte*>(of.numbers);
  if (own == nullptr) {
    out = allocate(bytes, &items);
    gpu().copy(items, of.numbers, bytes);
  } else {
    own->lengths.reset();
    own->shown = {};
  }
  ItemsToPut p{items, of.size, of.itemsize, of.places, of.count, of.is_one ? nullptr : of.values};
  if (of.is_one) std::memcpy(p.value, of.values, static_cast<size_t>(of.itemsize));
  if (!gpu().put(p)) return {};
  return out;
}

}  // namespace serrate::cuda
