// The CPU as a back end: plans, the walker, and the kernels of lists behind graph/backend.h.
#pragma once

#include "graph/backend.h"

namespace serrate::cpu {

graph::Backend& cpu_backend();

/// See Backend::group.
std::optional<graph::ItemGroups> group(const graph::Column& order, const graph::BarrierInput& in,
                                       bool numbers);
/// See Backend::distinct.
std::optional<Buffer> distinct(const graph::Column& order, const graph::BarrierInput& in);
/// See Backend::members.
Buffer members(const graph::BarrierInput& items, const graph::BarrierInput& set);
/// See Backend::transposed.
std::optional<Buffer> transposed(const graph::Matrices& of);
/// See Backend::count_in_columns and those after it.
Buffer count_in_columns(const graph::ListColumns& c);
Buffer to_columns(const graph::ListColumns& c, const std::byte* items, int64_t itemsize);
void from_columns(const graph::ListColumns& c, const std::byte* items, int64_t itemsize,
                  std::byte* to);
Buffer lists_in_columns(const graph::ListColumns& c);
Buffer places_in_columns(const graph::ListColumns& c);
/// See Backend::folded.
std::optional<Buffer> folded(const graph::ColumnFold& of, const graph::Matrices& m);
std::optional<Buffer> folded(const graph::ColumnFold& of, const graph::ListColumns& c,
                             const std::byte* items);
/// See Backend::scanned.
std::optional<Buffer> scanned(const graph::ColumnScan& of, const graph::Matrices& m);
std::optional<Buffer> scanned(const graph::ColumnScan& of, const graph::ListColumns& c,
                              const std::byte* items);
/// See Backend::matrix_product.
std::optional<Buffer> matrix_product(const graph::MatrixPair& of);
/// See Backend::materialise.
Buffer materialise(const graph::Column& barrier, const graph::BarrierInput& in, int64_t skip);

}  // namespace serrate::cpu
