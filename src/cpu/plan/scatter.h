// Reductions cell by cell that are no sums.
#pragma once

#include "cpu/lists/ragged.h"
#include "cpu/plan/plan.h"

namespace serrate::cpu {

/// The smallest or largest weight of each cell; see HistogramArgs (one table).
void scatter_extremes(const HistogramArgs& args, bool smallest);
/// What a sink holds before anything is added to it.
uint64_t empty_word(const HistogramSink& sink);
/// to[i] is added to, or the smaller or larger one of both.
void join_words(const HistogramSink& sink, const uint64_t* from, int64_t n, uint64_t* to);

}  // namespace serrate::cpu
