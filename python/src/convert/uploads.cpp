// Arrays on their way to a GPU: one thread copies, another one computes.
#include <utility>

#include "common/context.h"
#include "common/operands.h"
#include "core/host.h"
#include "cuda/device.h"

namespace serrate::python {
namespace {

/// An array whose copies may still go on. Nobody has it before the thread that asks for it, or lets
/// it go, has let its stream wait for them: memory that is released is used again at once.
class Upload {
 public:
  Upload(Array array, void* event) : array_(std::move(array)), event_(event) {}
  ~Upload() {
    try {
      arrive();
    } catch (...) {  // the process is ending
    }
  }
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  Array array() {
    arrive();
    return array_;
  }

 private:
  void arrive() {
    void* const event = std::exchange(event_, nullptr);
    if (event == nullptr) return;
    cuda::gpu().wait_for_event(event);
    cuda::gpu().release_event(event);
  }
  Array array_;
  void* event_;
};

// By a thread that may have a stream of its own (_use_copy_stream).
Upload* uploaded(nb::handle array, const std::string& backend) {
  const Device d = backend_named(backend, "_upload");
  Array there = move_to(as_array(array, "_upload"), d);
  void* const event = d == Device::cuda ? cuda::gpu().record_event() : nullptr;
  return new Upload(std::move(there), event);
}

}  // namespace

void bind_uploads(nb::module_& m) {
  nb::class_<Upload>(m, "_Upload").def("array", [](Upload& u) {
    const Begun call;
    return wrap(u.array());
  });
  m.def("_upload", &uploaded, "array"_a, "backend"_a, nb::rv_policy::take_ownership);
  m.def("_use_copy_stream", [] { cuda::gpu().use_copy_stream(); });
}

}  // namespace serrate::python
