// Where numbers of a launch come from that differ between arrays of the same structure (read by
// runtime/values.h).
#pragma once

#include <cstdint>

#include "graph/evaluate.h"
#include "graph/ir.h"

namespace serrate::cuda {

/// A word that is read from the trees at hand whenever kernels run: their objects have numbers, as
/// in the plans for the CPU.
struct Source {
  enum Kind : uint8_t {
    given,      // `bits`: part of the structure, or set by the run
    address,    // of a load's buffer
    real,       // of a constant: an integer's bits or a double's
    imaginary,  // of a constant
    first,      // of a space whose items have numbers: the first one's, in a stored space its
                // domain position,
    items,      // their number,
    end,        // the position behind the last
    size,       // Space::size
    positions,  // of a space with known_size()
    most,       // of any space: most_positions()
    driven      // driver_size()
  };
  Kind kind = given;
  int object = -1;
  uint64_t bits = 0;
};

/// As many as a source says: `each` for every `per` of them, and for `more`.
struct Amount {
  Source of;
  int64_t each = 1, per = 1, more = 0;
};

/// Positions of a space, where they can be told without a walk; else -1.
int64_t known_size(const graph::SpaceRef& s);
/// The items of a numbered space (graph/evaluate.h), from number `first` on.
graph::StoredExtent numbered(const graph::SpaceRef& s);
/// Items of the outermost loop over a space of axis 0, or of a stored list.
int64_t driver_size(const graph::Space& s);

}  // namespace serrate::cuda
