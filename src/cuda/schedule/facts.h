// What chooses schedules and is no structure: how many items lists have.
#pragma once

#include <utility>
#include <vector>

#include "graph/ir.h"
#include "graph/signature.h"

namespace serrate::cuda {

/// Rounded, but for numbers up to 32, so that arrays of similar sizes share their kernels, which
/// then do not depend on whose came first. Nothing else of the data may decide what kernels are.
struct Facts {
  bool from_zero = true;  // the first item's domain position is 0
  bool fits_int = true;   // int32 holds all domain positions
  double items = 0;       // of the walk over it by itself, rounded down: 0 if that must be computed
  double average = 0;     // of a stored list, or the one it is a part of, rounded down
  double longest = -1;    // rounded up; -1: not known
  bool is_short = false;  // lists that are not stored: short for sure (graph/lengths.h)
};
Facts facts_of(const graph::SpaceRef& s);

/// Is it read from an array that is large for one block? The key has that of each load.
bool is_large(const graph::Column& c);

/// The facts of a space as a word.
uint64_t fact_word(const graph::Space& s);

/// Adds what kernels depend on besides structure to the key that they are kept by.
void add_facts(graph::Signature& s);
/// The spaces of a signature that have facts, with those that were added to it.
std::vector<std::pair<const graph::Space*, uint64_t>> facts_in(const graph::Signature& s);

}  // namespace serrate::cuda
