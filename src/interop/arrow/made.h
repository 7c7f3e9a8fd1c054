// What is exported: a schema and an array in our own words, then as Arrow's structures.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "interop/arrow/schema.h"
#include "serrate/arrow.h"
#include "serrate/buffer.h"

namespace serrate::interop::arrow {

struct Made {
  // -- the field
  std::string format, name;
  int64_t flags = 0;
  Metadata metadata;
  // -- its array
  int64_t length = 0, null_count = 0;
  std::vector<Buffer> buffers;  // of no bytes and no address: null
  // -- both
  std::vector<Made> children;
  std::vector<Made> dictionary;  // one or none
};

/// Children and dictionaries can be moved out and released by themselves.
void write_schema(const Made& m, ArrowSchema* out);
/// Shares the buffers until it is released.
void write_array(Made m, ArrowArray* out);

}  // namespace serrate::interop::arrow
