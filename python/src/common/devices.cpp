// Devices: where new arrays are made, what operands of other classes are put beside, moving.
#include <cstdlib>

#include "common/operands.h"
#include "core/host.h"
#include "graph/backend.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/operation.h"

namespace serrate::python {
namespace {

void make_default(Device d) {
  graph::backend(d).require();  // says what is missing
  graph::set_default_device(d);
}

// Of an Array or a Record; nothing where that is anywhere.
std::optional<Device> device_of(nb::handle o) {
  if (const Array* a = array_in(o)) return graph::place_of(*a);
  if (const Record* r = record_in(o)) return graph::place_of(r->value);
  return {};
}

// SERRATE_BACKEND; an unknown name is refused where the first array is made, not at import.
const char* unread_backend = [] {
  const char* e = std::getenv("SERRATE_BACKEND");
  return e == nullptr || *e == 0 ? nullptr : e;
}();

}  // namespace

Device default_device() {
  if (graph::default_device_of_thread()) return *graph::default_device_of_thread();
  if (unread_backend) [[unlikely]] {
    make_default(backend_named(unread_backend, "SERRATE_BACKEND"));
    unread_backend = nullptr;
  }
  return graph::default_device();
}

void set_default_device(Device d) {
  make_default(d);
  unread_backend = nullptr;
}

Device backend_named(std::string_view name, const char* op) {
  for (graph::Backend* const b : graph::backends()) {
    if (name == b->name()) return b->device();
  }
  throw ValueError(fmt::format("{}: expected backend 'cpu' or 'cuda', got '{}'", op, name));
}

Array move_to(const Array& a, Device d) {
  graph::backend(d).require();  // says what is missing, whatever `a` is
  if (a.device() == d) return a;
  Array out;
  without_lock([&] { out = to_backend(a, d); });
  return out;
}

Array place(Array a, nb::handle backend, const char* op) {
  if (!backend.is_none()) return move_to(a, backend_named(nb::cast<std::string>(backend), op));
  return new_array(std::move(a));
}

Array new_array(Array a) {
  const Device d = default_device();
  return is_host(d) ? a : move_to(a, d);
}

const Beside*& Beside::current() {
  static thread_local const Beside* innermost = nullptr;
  return innermost;
}

nb::list Beside::behaviors() {
  nb::list out;
  const auto add = [&](nb::handle o) {
    const Meta* meta = o.is_valid() ? meta_of(o) : nullptr;
    if (meta && meta->behavior.is_valid()) out.append(meta->behavior);
  };
  if (const Beside* here = current()) {
    for (nb::handle o : here->given_) add(o);
    for (nb::handle o : here->operands_) add(o);
  }
  return out;
}

std::optional<Device> Beside::device() const {
  if (device_) return device_;
  if (array_) return graph::place_of(*array_);
  for (nb::handle o : given_) {
    if (const auto d = device_of(o)) return d;
  }
  for (nb::handle o : operands_) {
    if (!o.is_valid()) continue;
    if (const auto d = device_of(o)) return d;
    if (PyDict_Check(o.ptr())) {
      for (auto [key, value] : nb::borrow<nb::dict>(o)) {
        if (const auto d = device_of(value)) return d;
      }
    } else if (PyList_Check(o.ptr()) || PyTuple_Check(o.ptr())) {
      for (nb::handle h : nb::iter(o)) {
        if (const auto d = device_of(h)) return d;
      }
    }
  }
  return {};
}

std::optional<Device> destination(bool is_literal) {
  const Device made = default_device();
  if (!graph::other_memory_in_use()) return {};
  const std::optional<Device> beside =
      Beside::current() ? Beside::current()->device() : std::nullopt;
  const Device there = beside.value_or(made);
  if (is_host(there) || !(is_literal || made == there)) return {};
  return there;
}

Array placed(Array a, bool is_literal) {
  const std::optional<Device> there = destination(is_literal);
  return there ? move_to(a, *there) : a;
}

Array looked_at(const Array& a) { return move_to(a, Device::cpu); }

void refuse_gpu(const Array& a, const char* op) {
  check<TypeError>(a.device() != Device::cuda,
                   "{}: the array is on the GPU (backend \"cuda\"), and data move only by "
                   "to_backend: use to_backend(x, \"cpu\") first",
                   op);
}

}  // namespace serrate::python
