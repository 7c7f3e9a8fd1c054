// One space for stored lists that have equal offsets.
#include "ops/tree/share_offsets.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "core/host.h"
#include "graph/absent.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/evaluation/barriers.h"
#include "serrate/ops.h"

namespace serrate::ops {
namespace {

using namespace graph;

/// Stored lists with offsets, which are there.
bool has_offsets(const SpaceRef& s) {
  return s->kind == SpaceKind::list && is_stored(s) && !is_absent(s->starts->buffer);
}

/// Offsets of the same type, in the host's memory.
bool are_equal_bytes(const Column& a, const Column& b, const StoredExtent& lists) {
  note_look_at_values();
  const int64_t item = itemsize(a.dtype);
  const auto of = [&](const Column& c) { return c.buffer.data() + lists.first * item; };
  return std::memcmp(of(a), of(b), static_cast<size_t>(lists.size * item)) == 0;
}

bool are_equal(const SpaceRef& a, const SpaceRef& b, bool wait) {
  if (!same(a->parent, b->parent) || a->starts->buffer.device() != b->starts->buffer.device())
    return false;
  const bool host = on_host(a->starts->buffer);
  if (!host && !wait) return false;
  const StoredExtent x = stored_extent(a), y = stored_extent(b);
  if (x.first != y.first || x.size != y.size) return false;
  // The lists lie end to end: their ends are other lists' starts.
  if (host && a->starts->dtype == b->starts->dtype)
    return are_equal_bytes(*a->starts, *b->starts, stored_extent(a->parent));
  const ColumnRef equal = apply(Op::equal, {a->starts, b->starts});
  return all(Array(lists_down_to(a->parent, leaf(equal))), {.axis = none}).item<bool>();
}

/// A number that no lists have; 0, and nothing is remembered any more, when all are used.
uint32_t fresh_number() {
  static std::atomic<uint32_t> last = 0;
  uint32_t number = last.load();
  while (number != UINT32_MAX && !last.compare_exchange_weak(number, number + 1)) {
  }
  return number == UINT32_MAX ? 0 : number + 1;
}

}  // namespace

bool have_equal_lists(const SpaceRef& a, const SpaceRef& b, bool wait) {
  if (same(a, b)) return true;
  if (!has_offsets(a) || !has_offsets(b)) return false;
  if (const uint32_t known = a->lists.get(); known != 0 && known == b->lists.get()) return true;
  if (!are_equal(a, b, wait)) return false;
  if (a->lists.get() == 0) a->lists.set(b->lists.get() != 0 ? b->lists.get() : fresh_number());
  b->lists.set(a->lists.get());
  return true;
}

void share_offsets(std::vector<SpaceRef>& spaces, std::vector<NodeRef>& contents, bool wait) {
  for (size_t i = 1; i < spaces.size(); i++) {
    if (!spaces[i]) continue;
    const auto end = spaces.begin() + static_cast<std::ptrdiff_t>(i);
    const auto first = std::find_if(spaces.begin(), end, [&](const SpaceRef& s) {
      return s && have_equal_lists(s, spaces[i], wait);
    });
    if (first == end || same(*first, spaces[i])) continue;
    contents[i] = is_stored(*contents[i], spaces[i])
                      ? over_equal_space(contents[i], spaces[i], *first)
                      : rebase_equal(contents[i], spaces[i], *first);
    spaces[i] = *first;
  }
}

}  // namespace serrate::ops
