// Lengths of runs of equal items: of what is stored by one pass over all items.
#include <algorithm>
#include <cstring>
#include <vector>

#include "core/host.h"
#include "core/seams.h"
#include "graph/evaluate.h"
#include "graph/evaluation/barriers.h"
#include "graph/operation.h"
#include "ops/lists/columns.h"
#include "ops/lists/list_items.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

/// Numbers or strings of the host's memory, many of them.
bool are_many_and_stored(const Node& list) {
  const SpaceRef &space = list.space, &owner = space->parent;
  if (!is_stored(list) || stored_extent(space).size < std::max<int64_t>(seams().block, 2))
    return false;
  if (space->kind != SpaceKind::rows) {
    if (!is_stored(owner) || looks_of_thread != nullptr) return false;
    if (stored_extent(owner).first != 0) return false;
  }
  const Node& n = *list.contents[0];
  const Node& values = is_string(n) ? *n.contents[0] : n;
  return values.kind == NodeKind::leaf && on_host(values.column->buffer);
}

/// Lengths of the runs of n items, which begin where items differ from their predecessors, and how
/// many runs there are.
void write_lengths(const uint8_t* differs, int64_t n, int64_t* out, int64_t runs) {
  int64_t run = 0;
  const auto look_at = [&](int64_t i) {
    out[run] = i + 1;
    run += differs[i] != 0;
  };
  constexpr int64_t kWord = sizeof(uint64_t);
  int64_t i = 0;
  for (; i + kWord < n; i += kWord) {
    uint64_t some;
    std::memcpy(&some, differs + i, sizeof some);
    if (some == 0) continue;
    for (int64_t k = i; k < i + kWord; k++) look_at(k);
  }
  for (; i < n - 1; i++) look_at(i);
  out[runs - 1] = n;
  // Where runs end becomes how long they are.
  for (int64_t k = runs - 1; k > 0; k--) out[k] -= out[k - 1];
}

int64_t ones(const uint8_t* bytes, int64_t n) {
  constexpr int64_t kFew = 32;
  if (n >= kFew) return std::count(bytes, bytes + n, uint8_t{1});
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) sum += bytes[i];
  return sum;
}

/// The last item of each list ends a run; where the runs of each list begin among all.
Buffer end_lists(const SpaceRef& lists, std::vector<uint8_t>& ends_run) {
  const int64_t n = stored_extent(lists->parent).size;
  const Buffer offsets = offsets_on_host(lists);
  const auto* off = offsets.as<int64_t>();
  void* memory = nullptr;
  Buffer begins = Buffer::allocate(8 * (n + 1), &memory);
  auto* out = static_cast<int64_t*>(memory);
  out[0] = 0;
  for (int64_t l = 0; l < n; l++) {
    if (off[l + 1] > off[l]) ends_run[static_cast<size_t>(off[l + 1] - 1)] = 1;
    out[l + 1] = out[l] + ones(ends_run.data() + off[l], off[l + 1] - off[l]);
  }
  return begins;
}

/// Which of all items differ from the next one, and the last. Neighbours are slices of all items,
/// not picks, and what differs is stored as truth values: derived lists would wait in scratch
/// memory. Empty where a comparison is no column.
std::vector<uint8_t> ends_of_runs(const NodeRef& list) {
  const bool is_one = list->space->kind == SpaceKind::rows;
  const SpaceRef items = is_one ? list->space : rows(stored_extent(list->space).size);
  const Array x(is_one ? list
                       : list_node(items, over_same_items(list->contents[0], list->space, items)));
  const NodeRef differs =
      input(not_equal(getitem(x, {Slice{1}}), getitem(x, {Slice{std::nullopt, -1}})).evaluate());
  const ColumnRef& c = differs->contents[0]->column;
  if (c->kind != ColumnKind::load || !is_stored(*differs)) return {};
  const StoredExtent extent = stored_extent(differs->space);
  const auto* truth = reinterpret_cast<const uint8_t*>(stored_data(c)) + extent.first;
  std::vector<uint8_t> ends_run;
  ends_run.reserve(static_cast<size_t>(extent.size) + 1);
  ends_run.assign(truth, truth + extent.size);
  ends_run.push_back(1);
  return ends_run;
}

/// Null where they cannot be found in one pass.
NodeRef lengths_of_runs(const NodeRef& list) {
  std::vector<uint8_t> ends_run = ends_of_runs(list);
  if (ends_run.empty()) return {};
  const bool is_one = list->space->kind == SpaceKind::rows;
  const auto n = static_cast<int64_t>(ends_run.size());
  const Buffer begins = is_one ? Buffer() : end_lists(list->space, ends_run);
  const int64_t runs = std::count(ends_run.begin(), ends_run.end(), uint8_t{1});
  void* memory = nullptr;
  const Buffer lengths = Buffer::allocate(8 * runs, &memory);
  write_lengths(ends_run.data(), n, static_cast<int64_t*>(memory), runs);
  const SpaceRef all =
      is_one ? rows(runs)
             : stored_list(list->space->parent, begins, DType::int64, {.first = 0, .size = runs});
  return list_node(all, leaf(stored_column(lengths, DType::int64, all)));
}

}  // namespace

Array run_lengths(const Array& x, Axis axis) {
  const graph::Operation operation;
  const auto runs = [](const SpaceRef&, const NodeRef& n, const ColumnRef&) {
    if (are_many_and_stored(*n)) {
      if (NodeRef lengths = lengths_of_runs(n)) return lengths;
    }
    const ColumnRef starts = starts_run(n->space, n->contents[0], false);
    const bool whole = n->space->parent->kind == SpaceKind::unit;
    const Runs r = !whole && should_store_runs(n->space) ? stored_runs_of(n->space, starts)
                                                         : runs_of(n->space, starts);
    return list_node(r.space, leaf(r.length));
  };
  return Array(lists_along(stored_input(x, Walks::many), "run_lengths", axis, false, runs));
}

}  // namespace serrate
