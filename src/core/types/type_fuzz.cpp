// Fuzzes the type strings: whatever is read must print, read again as the same type, and unify with
// itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "serrate/error.h"
#include "serrate/type.h"

namespace {

void require(bool ok) {
  if (!ok) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using serrate::parse_type;
  using serrate::Type;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const bool highlevel : {false, true}) {
    Type first;
    try {
      first = parse_type(text, highlevel);
    } catch (const serrate::ValueError&) {
      continue;
    }
    // Printing may drop what the notation cannot say (parameters of strings), but only once.
    const Type second = parse_type(first.str(), highlevel);
    require(second.str() == first.str());
    require(parse_type(second.str(), highlevel) == second);
    require(parse_type(second.pretty(), highlevel) == second);
    require(equivalent(second, second, /*all_parameters=*/true));
    if (highlevel) continue;
    try {
      const Type third = unify(second, second, /*mergebool=*/false);
      require(unify(third, third, /*mergebool=*/false) == third);
    } catch (const serrate::ValueError&) {
      // More than 128 types in one union.
    }
  }
  return 0;
}
