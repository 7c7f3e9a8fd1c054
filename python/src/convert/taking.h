// Memory of others: when it is copied as it comes in, and when it is shared.
#pragma once

#include "common/python.h"

namespace serrate::python {

/// An array means what its operands held when it was written. So memory that others can write to
/// is taken as a snapshot, and what is read-only is shared.
enum class Taking : uint8_t {
  snapshot,  ///< the rule
  share,     ///< copy=False: nobody writes to it
  copy       ///< copy=True: read-only memory too
};
/// How this thread takes memory now.
Taking taking();
/// What copy= of a function asks for: None, False or True.
Taking as_taking(nb::handle copy, const char* op);

class TakingScope {
 public:
  explicit TakingScope(Taking t);
  ~TakingScope();
  TakingScope(const TakingScope&) = delete;
  TakingScope& operator=(const TakingScope&) = delete;

 private:
  Taking before_;
};

/// Whether somebody can write to the memory of a NumPy array, which says of itself whether it is
/// read-only: views of writable arrays may be, too.
bool others_can_write(nb::handle ndarray, bool read_only);

}  // namespace serrate::python
