// Values written to places of numbers on a GPU: see put.h.
#include "cuda/runtime/put.h"

#include <cstring>

#include "cuda/device.h"
#include "cuda/runtime/gpu_memory.h"

namespace serrate::cuda {

std::optional<Buffer> put(const Buffer& memory, const graph::ItemUpdates& of) {
  if (of.places == nullptr || of.op || of.run != 1 || of.numbers != memory.data()) return {};
  GpuMemory* const own = of.may_overwrite && memory.owner().use_count() == 1
                             ? std::get_deleter<GpuMemory>(memory.owner())
                             : nullptr;
  const int size = itemsize(of.type);
  const int64_t bytes = of.size * size;
  Buffer out = memory;
  void* items = const_cast<std::byte*>(of.numbers);
  if (own == nullptr) {
    out = allocate(bytes, &items);
    gpu().copy(items, of.numbers, bytes);
  } else {
    own->lengths.reset();
    own->shown = {};
  }
  ItemsToPut p{items, of.size, size, of.places, of.count, of.is_one ? nullptr : of.values};
  if (of.is_one) std::memcpy(p.value, of.values, static_cast<size_t>(size));
  if (!gpu().put(p)) return {};
  return out;
}

}  // namespace serrate::cuda
