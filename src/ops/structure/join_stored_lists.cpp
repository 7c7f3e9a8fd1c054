// concatenate of the lists of arrays that are stored already: runs of their memory are copied in
// turns.
#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "graph/evaluate.h"
#include "ops/structure/join_stored.h"
#include "ops/tree/contents.h"
#include "ops/tree/input.h"

namespace serrate::ops {

using namespace graph;

namespace {

/// What a list i takes of a part: positions bounds[i] .. bounds[i + 1] of the domain that the
/// part's columns load from.
struct Part {
  const Node* node;
  std::span<const int64_t> bounds;
  std::vector<int64_t> own;  // those, if they are no offsets that lie in memory
};
using Parts = std::vector<Part>;

/// Of the items of its lists.
Part items_of_lists(const Part& part) {
  const Space& s = *part.node->space;
  const auto b = part.bounds;
  Part out{part.node->contents[0].operator->(), {}, {}};
  out.own.reserve(b.size());
  if (s.kind == SpaceKind::fixed) {
    for (const int64_t i : b) out.own.push_back(i * s.size);
  } else {
    // What is not there has no offset, and what is behind the last list no start.
    const auto* starts = s.starts->buffer.as<int64_t>();
    const bool any = b.front() < b.back();
    const int64_t end = any ? s.stops->buffer.as<int64_t>()[b.back() - 1] : 0;
    for (const int64_t i : b) out.own.push_back(i < b.back() ? starts[i] : end);
  }
  out.bounds = out.own;
  return out;
}

int64_t lists_of(const Parts& parts) { return std::ssize(parts[0].bounds) - 1; }

int64_t items_of(const Parts& parts) {
  int64_t n = 0;
  for (const Part& p : parts) n += p.bounds.back() - p.bounds.front();
  return n;
}

/// Calls f(part, begin, end) of each run, in the order of the result.
template <class F>
void each_run(const Parts& parts, F&& f) {
  const int64_t lists = lists_of(parts);
  for (int64_t i = 0; i < lists; i++) {
    for (size_t k = 0; k < parts.size(); k++)
      f(k, parts[k].bounds[static_cast<size_t>(i)], parts[k].bounds[static_cast<size_t>(i) + 1]);
  }
}

template <size_t size>
void copy_runs(const Parts& parts, std::byte* out, const std::byte* out_end) {
  // Short runs are copied whole, whatever their length: what is too much is written again.
  constexpr int64_t kShort = 32;
  std::vector<std::pair<const std::byte*, int64_t>> columns;
  for (const Part& p : parts) {
    const Buffer& b = p.node->column->buffer;
    columns.emplace_back(b.data(), b.bytes());
  }
  each_run(parts, [&](size_t k, int64_t begin, int64_t end) {
    const int64_t from = begin * int64_t{size}, bytes = (end - begin) * int64_t{size};
    const auto& [data, there] = columns[k];
    if (bytes <= kShort && from + kShort <= there && out_end - out >= kShort)
      std::memcpy(out, data + from, kShort);
    else if (bytes > 0)
      std::memcpy(out, data + from, static_cast<size_t>(bytes));
    out += bytes;
  });
}

ColumnRef joined_column(const Parts& parts, const SpaceRef& to) {
  const DType t = parts[0].node->column->dtype;
  const int64_t bytes = items_of(parts) * itemsize(t);
  void* memory = nullptr;
  const Buffer out = Buffer::allocate(bytes, &memory);
  auto* const begin = static_cast<std::byte*>(memory);
  switch (itemsize(t)) {
    case 1:
      copy_runs<1>(parts, begin, begin + bytes);
      break;
    case 2:
      copy_runs<2>(parts, begin, begin + bytes);
      break;
    case 4:
      copy_runs<4>(parts, begin, begin + bytes);
      break;
    case 8:
      copy_runs<8>(parts, begin, begin + bytes);
      break;
    default:
      copy_runs<16>(parts, begin, begin + bytes);
      break;
  }
  return stored_column(out, t, to);
}

/// Lists of the parts, each shifted to where its items are in the result.
SpaceRef joined_offsets(const Parts& parts, const SpaceRef& to) {
  const Space& first = *parts[0].node->space;
  if (first.kind == SpaceKind::fixed) return stored_fixed(to, first.size);
  void* memory = nullptr;
  const Buffer out = Buffer::allocate((items_of(parts) + 1) * 8, &memory);
  auto* next = static_cast<int64_t*>(memory);
  *next++ = 0;
  int64_t total = 0;
  std::vector<std::pair<const int64_t*, const int64_t*>> of;
  for (const Part& p : parts) {
    of.emplace_back(p.node->space->starts->buffer.as<int64_t>(),
                    p.node->space->stops->buffer.as<int64_t>());
  }
  each_run(parts, [&](size_t k, int64_t begin, int64_t end) {
    if (begin == end) return;
    const auto [starts, stops] = of[k];
    const int64_t shift = total - starts[begin];
    for (int64_t i = begin; i < end; i++) *next++ = stops[i] + shift;
    total = next[-1];
  });
  return stored_list(to, out, DType::int64, {.first = 0, .size = total});
}

Parts contents(const Parts& parts) {
  Parts out;
  for (const Part& p : parts) out.push_back({p.node->contents[0].operator->(), p.bounds, {}});
  return out;
}

Parts items_of_lists(const Parts& parts) {
  Parts out;
  for (const Part& p : parts) out.push_back(items_of_lists(p));
  return out;
}

NodeRef joined(const Parts& parts, const SpaceRef& to) {
  const Node& first = *parts[0].node;
  if (first.kind == NodeKind::leaf)
    return leaf(joined_column(parts, to), first.unit, first.parameters);
  if (first.kind == NodeKind::option)
    return option_node(joined_column(parts, to), joined(contents(parts), to));
  const SpaceRef lists = joined_offsets(parts, to);
  return list_node(lists, joined(items_of_lists(parts), lists), first.size, first.parameters);
}

/// One column of numbers below lists and options. Of records a field may be all that is asked for.
bool is_one_column(const Node& n) {
  return n.kind == NodeKind::leaf || ((n.kind == NodeKind::list || n.kind == NodeKind::option) &&
                                      is_one_column(*n.contents[0]));
}

}  // namespace

NodeRef join_stored_lists(const std::vector<NodeRef>& parts) {
  note_look_at_values();
  std::vector<NodeRef> arrays;
  for (const auto& a : parts) arrays.push_back(with_wide_offsets(a));
  const int64_t n = arrays[0]->space->size;
  const auto size = static_cast<size_t>(n) + 1;
  Parts items;
  for (const auto& a : arrays) {
    const Node& lists = *a->contents[0];
    const Column& starts = *lists.space->starts;
    // Stops are offsets, too, from the second on.
    static constexpr int64_t kNothing = 0;
    const int64_t* bounds = n > 0 ? starts.buffer.as<int64_t>() : &kNothing;
    items.push_back({lists.contents[0].operator->(), {bounds, size}, {}});
  }
  void* memory = nullptr;
  const Buffer offsets = Buffer::allocate((n + 1) * 8, &memory);
  auto* const o = static_cast<int64_t*>(memory);
  for (int64_t i = 0; i <= n; i++) {
    o[i] = 0;
    for (const Part& p : items) o[i] += p.bounds[static_cast<size_t>(i)] - p.bounds[0];
  }
  const SpaceRef to = rows(n);
  const SpaceRef lists = stored_list(to, offsets, DType::int64, {.first = 0, .size = o[n]});
  return list_node(to,
                   list_node(lists, joined(items, lists), -1, arrays[0]->contents[0]->parameters));
}

bool can_join_stored_lists(const std::vector<NodeRef>& arrays) {
  if (!can_join_stored(arrays)) return false;
  return std::ranges::all_of(arrays, [&](const NodeRef& a) {
    const Node& lists = *a->contents[0];
    return a->space->size == arrays[0]->space->size && lists.kind == NodeKind::list &&
           lists.space->kind == SpaceKind::list && lists.size < 0 && !is_string(lists) &&
           is_one_column(*lists.contents[0]);
  });
}

}  // namespace serrate::ops
