// Arrays of Arrow's C data and stream interfaces.
#include <stdexcept>
#include <vector>

#include "graph/backend.h"
#include "graph/evaluate.h"
#include "interop/arrow/devices.h"
#include "interop/arrow/dictionaries.h"
#include "interop/arrow/importer.h"
#include "interop/arrow/owners.h"
#include "serrate/arrow.h"
#include "serrate/error.h"
#include "serrate/ops.h"

namespace serrate {
namespace interop::arrow {
namespace {

bool is_scalar_record(const Field& f) {
  if (f.extension() == "awkward") {
    const auto ak = read_awkward(f.meta("ARROW:extension:metadata"));
    return ak && ak->is_scalar;
  }
  const auto t = read_awkward_table(f.meta("ak:parameters"));
  return t && t->is_scalar;
}

Array finished(const Field& f, const Array& a) {
  return is_scalar_record(f) && a.size() > 0 ? getitem(a, {int64_t{0}}) : a;
}

Array imported(const Field& f, ArrowArray* array, Device device, const FromArrowOptions& o) {
  check<ValueError>(array->release != nullptr, "from_arrow: the array is released");
  const auto owner = shared(array);
  const ArrowArray& a = owner->value;
  return Array(Importer({kept_until_read(owner, device), device, o.copy}).root(f, &a));
}

template <class Stream>
void check_stream(Stream& s, int status, const char* what) {
  if (status == 0) return;
  const char* text = s.get_last_error != nullptr ? s.get_last_error(&s) : nullptr;
  throw std::runtime_error(fmt::format("from_arrow: the stream's {} failed with {}: {}", what,
                                       status, text != nullptr ? text : "nobody says why"));
}

/// Stored pieces end to end: what is read where it is (bits, say) would be chosen item by item.
Array joined(const std::vector<Array>& pieces) {
  Dictionaries d;
  const std::vector<Array> parts = d.numbered(pieces);
  for (const Array& p : parts) p.evaluate();
  return d.restored(concatenate(parts, 0));
}

/// `next(Owned<A>&, f)` imports what has been received.
template <class A, class Stream, class F>
Array all_of(Stream* from, F&& import) {
  check<ValueError>(from->release != nullptr, "from_arrow: the stream is released");
  Owned<Stream> stream(from);
  Stream& s = stream.value;
  check<ValueError>(s.get_schema != nullptr && s.get_next != nullptr,
                    "from_arrow: the stream has no functions");
  Owned<ArrowSchema> schema;
  check_stream(s, s.get_schema(&s, &schema.value), "get_schema");
  const Field f = read_schema(schema.value);
  std::vector<Array> pieces;
  while (true) {
    A next{};
    check_stream(s, s.get_next(&s, &next), "get_next");
    std::optional<Array> piece = import(f, s, next);
    if (!piece) break;
    // Of empty ones the first one is kept: it has the type.
    if (pieces.empty() || piece->size() > 0) pieces.push_back(std::move(*piece));
  }
  if (pieces.size() > 1 && pieces[0].size() == 0) pieces.erase(pieces.begin());
  if (pieces.empty()) return finished(f, Array(Importer(Source{}).root(f, nullptr)));
  return finished(f, pieces.size() == 1 ? pieces[0] : joined(pieces));
}

}  // namespace
}  // namespace interop::arrow

using namespace interop::arrow;

Array from_arrow(ArrowArray* array, ArrowSchema* schema, const FromArrowOptions& o) {
  const Owned<ArrowSchema> s(schema);
  Owned<ArrowArray> a(array);
  const Field f = read_schema(s.value);
  return finished(f, imported(f, &a.value, Device::cpu, o));
}

Array from_arrow(ArrowDeviceArray* array, ArrowSchema* schema, const FromArrowOptions& o) {
  const Owned<ArrowSchema> s(schema);
  Owned<ArrowArray> a(&array->array);
  const Field f = read_schema(s.value);
  const Device device = arrived(*array);
  return finished(f, imported(f, &a.value, device, o));
}

Array from_arrow(ArrowArrayStream* stream, const FromArrowOptions& o) {
  return all_of<ArrowArray>(stream, [&](const Field& f, const ArrowArrayStream&, ArrowArray& next) {
    return next.release == nullptr ? std::optional<Array>() : imported(f, &next, Device::cpu, o);
  });
}

Array from_arrow(ArrowDeviceArrayStream* stream, const FromArrowOptions& o) {
  return all_of<ArrowDeviceArray>(
      stream, [&](const Field& f, const ArrowDeviceArrayStream& s, ArrowDeviceArray& next) {
        if (next.array.release == nullptr) return std::optional<Array>();
        Owned<ArrowArray> a(&next.array);
        check<ValueError>(next.device_type == s.device_type,
                          "from_arrow: a stream of device type {} gives an array of type {}",
                          s.device_type, next.device_type);
        const Device device = arrived(next);
        return std::optional<Array>(imported(f, &a.value, device, o));
      });
}

Array from_arrow(ArrowSchema* schema) {
  const Owned<ArrowSchema> s(schema);
  const Field f = read_schema(s.value);
  return Array(Importer(Source{}).root(f, nullptr));
}

}  // namespace serrate
