// Fuzzer of ArrayBuilder: each byte is a call. Calls that do not nest are refused and change
// nothing; a snapshot at any time prints, and comes back the same from its buffers.
#include <cstdlib>
#include <map>
#include <string>

#include "serrate/builder.h"
#include "serrate/io.h"

namespace {

constexpr const char* kNames[] = {"x", "y", "", "\0z"};
constexpr const char* kUnits[] = {"s", "ns", "15us", "Y"};

void call(serrate::ArrayBuilder& b, uint8_t byte) {
  const int n = byte >> 4;  // what the call is made with
  switch (byte & 15) {
    case 0:
      return b.null();
    case 1:
      return b.boolean(n & 1);
    case 2:
      return b.integer(n == 15 ? INT64_MIN : n);
    case 3:
      return b.real(n == 15 ? 1e300 : 0.5 * n);
    case 4:
      return b.complex({1.0 * n, -0.5});
    case 5:
      return b.datetime(n == 15 ? INT64_MAX : n, kUnits[n & 3]);
    case 6:
      return b.timedelta(n, kUnits[n & 3]);
    case 7:
      return b.string(std::string(static_cast<size_t>(n), 'a'));
    case 8:
      return b.bytestring(std::string(static_cast<size_t>(n), '\xff'));
    case 9:
      return b.begin_list();
    case 10:
      return b.end_list();
    case 11:
      return b.begin_tuple(n & 3);
    case 12:
      return n & 8 ? b.end_tuple() : b.index((n & 7) - 2);
    case 13:
      return b.begin_record(kNames[n & 3]);
    case 14:
      return b.field(kNames[n & 3]);
    default:
      return b.end_record();
  }
}

void look(serrate::ArrayBuilder& b) {
  serrate::Array x;
  try {
    x = b.snapshot();
    x.type();
  } catch (const std::exception&) {
    return;  // times whose units do not meet, types too deep
  }
  const std::string text = serrate::to_string(x);
  const serrate::Buffers out = serrate::to_buffers(x);
  const std::map<std::string, serrate::Buffer> buffers(out.buffers.begin(), out.buffers.end());
  const serrate::Array y = serrate::from_buffers(
      out.form_json, out.length, [&](const std::string& key) { return buffers.at(key); });
  if (serrate::to_string(y) != text) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 2000) return 0;
  serrate::ArrayBuilder b;
  for (size_t i = 0; i < size; ++i) {
    try {
      call(b, data[i]);
    } catch (const std::exception&) {
    }
    if (i % 64 == 63) look(b);
  }
  look(b);
  return 0;
}
