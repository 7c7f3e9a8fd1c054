// Arrays to Arrow's C data, stream, device and device stream interfaces.
#include <cerrno>
#include <new>

#include "graph/backend.h"
#include "graph/evaluate.h"
#include "interop/arrow/exporter.h"
#include "interop/arrow/owners.h"
#include "serrate/arrow.h"
#include "serrate/error.h"

namespace serrate {
namespace interop::arrow {
namespace {

Made made_of(const Array& x, const ToArrowOptions& o) {
  x.evaluate();
  const graph::NodeRef root = x.node();
  check<TypeError>(root->kind == graph::NodeKind::list && !graph::is_string(*root),
                   "to_arrow: expected an array, got {}", x.type().str());
  const graph::StoredExtent e = graph::stored_extent(root->space);
  std::optional<Field> want;
  if (o.requested != nullptr) want = read_schema(*o.requested);
  const Exporter exporter(o, x.device());
  const Field* f = want ? &*want : nullptr;
  return o.table ? exporter.table(*root->contents[0], e.first, e.size, f)
                 : exporter.make(*root->contents[0], e.first, e.size, f);
}

void refuse_far(const Array& x) {
  check<TypeError>(is_host(x.device()),
                   "to_arrow: the array is on a GPU: to_backend(x, \"cpu\") first, or take it by "
                   "__arrow_c_device_array__");
}

void write_device_array(Made m, Device device, ArrowDeviceArray* out) {
  *out = {};
  graph::Backend& b = graph::backend(device);
  out->device_type = b.device_type();
  out->device_id = b.device_number();
  std::shared_ptr<void> event = is_host(device) ? nullptr : b.record_event();
  out->sync_event = event.get();
  // The event lives as long as the array: beside its buffers, as one of no bytes.
  if (event) {
    const Buffer& first = m.buffers.empty() ? Buffer() : m.buffers[0];
    struct Both {
      std::shared_ptr<const void> memory;
      std::shared_ptr<void> event;
    };
    auto both = std::make_shared<Both>(Both{first.owner(), event});
    if (m.buffers.empty()) {
      // Nothing is read: nothing is to be waited for.
      out->sync_event = nullptr;
    } else {
      m.buffers[0] = Buffer(first.data(), first.bytes(), both, first.device());
    }
  }
  write_array(std::move(m), &out->array);
}

/// A stream of one array.
template <class A>
struct StreamData {
  ArrowSchema schema{};
  A array{};
  Made made;
  std::string error;
};

void move_next(ArrowArray& from, ArrowArray* out) {
  *out = from;
  from = {};
}
void move_next(ArrowDeviceArray& from, ArrowDeviceArray* out) {
  *out = from;
  from = {};
}
void release_next(ArrowArray& a) {
  if (a.release != nullptr) a.release(&a);
}
void release_next(ArrowDeviceArray& a) { release_next(a.array); }

template <class Stream, class A>
void fill_stream(std::unique_ptr<StreamData<A>> data, Stream* out) {
  using Data = StreamData<A>;
  out->get_schema = [](Stream* s, ArrowSchema* to) {
    auto& d = *static_cast<Data*>(s->private_data);
    try {
      write_schema(d.made, to);
      return 0;
    } catch (const std::bad_alloc&) {
      d.error = "no memory";
      return ENOMEM;
    }
  };
  out->get_next = [](Stream* s, A* to) {
    move_next(static_cast<Data*>(s->private_data)->array, to);
    return 0;
  };
  out->get_last_error = [](Stream* s) -> const char* {
    const auto& d = *static_cast<Data*>(s->private_data);
    return d.error.empty() ? nullptr : d.error.c_str();
  };
  out->release = [](Stream* s) {
    const std::unique_ptr<Data> d(static_cast<Data*>(s->private_data));
    release_next(d->array);
    s->release = nullptr;
  };
  out->private_data = data.release();
}

/// The field alone.
Made without_memory(const Made& m) {
  Made out = m;
  const auto strip = [](auto&& self, Made& x) -> void {
    x.buffers.clear();
    for (Made& c : x.children) self(self, c);
    for (Made& c : x.dictionary) self(self, c);
  };
  strip(strip, out);
  return out;
}

}  // namespace
}  // namespace interop::arrow

using namespace interop::arrow;

void to_arrow(const Array& x, ArrowArray* array, ArrowSchema* schema, const ToArrowOptions& o) {
  refuse_far(x);
  Made m = made_of(x, o);
  refuse_far(x);  // where it is may be known only now
  write_schema(m, schema);
  write_array(std::move(m), array);
}

void to_arrow(const Array& x, ArrowArrayStream* stream, const ToArrowOptions& o) {
  auto data = std::make_unique<StreamData<ArrowArray>>();
  refuse_far(x);
  Made m = made_of(x, o);
  data->made = without_memory(m);
  write_array(std::move(m), &data->array);
  fill_stream(std::move(data), stream);
}

void to_arrow(const Array& x, ArrowDeviceArray* array, ArrowSchema* schema,
              const ToArrowOptions& o) {
  Made m = made_of(x, o);
  write_schema(m, schema);
  write_device_array(std::move(m), x.device(), array);
}

void to_arrow(const Array& x, ArrowDeviceArrayStream* stream, const ToArrowOptions& o) {
  auto data = std::make_unique<StreamData<ArrowDeviceArray>>();
  Made m = made_of(x, o);
  data->made = without_memory(m);
  write_device_array(std::move(m), x.device(), &data->array);
  stream->device_type = graph::backend(x.device()).device_type();
  fill_stream(std::move(data), stream);
}

}  // namespace serrate
