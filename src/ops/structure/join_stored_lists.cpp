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

/// What the lists of a piece take of their content: where each begins, where the last one ends.
Part content_of(const Piece& p) {
  const Node& lists = *p.node;
  Part out{lists.contents[0].operator->(), {}, {}};
  if (lists.space->kind == SpaceKind::fixed) {
    for (int64_t i = 0; i <= p.size; i++) out.own.push_back((p.first + i) * lists.space->size);
    out.bounds = out.own;
    return out;
  }
  // Stops are offsets, too, from the second on.
  static constexpr int64_t kNothing = 0;
  const Column& starts = *lists.space->starts;
  out.bounds = {p.size > 0 ? starts.buffer.as<int64_t>() + p.first : &kNothing,
                static_cast<size_t>(p.size) + 1};
  return out;
}

/// The lists of all pieces, if each is as long as those of the others. Pieces become their items.
SpaceRef equal_lists(Pieces& pieces, const SpaceRef& to) {
  const Space& first = *pieces[0].node->space;
  if (first.kind == SpaceKind::fixed) {
    for (Piece& p : pieces)
      p = {p.node->contents[0].operator->(), p.first * first.size, p.size * first.size};
    return stored_fixed(to, first.size);
  }
  const int64_t n = pieces[0].size;
  void* memory = nullptr;
  const Buffer out = Buffer::allocate((n + 1) * 8, &memory);
  auto* const offsets = static_cast<int64_t*>(memory);
  for (size_t k = 0; k < pieces.size(); k++) {
    const Part part = content_of(pieces[k]);
    const int64_t begin = part.bounds[0];
    for (int64_t i = 0; i <= n; i++) {
      const int64_t offset = part.bounds[static_cast<size_t>(i)] - begin;
      if (k == 0) offsets[i] = offset;
      if (offset != offsets[i]) return {};
    }
    pieces[k] = {part.node, begin, offsets[n]};
  }
  return stored_list(to, out, DType::int64, {.first = 0, .size = offsets[n]});
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

/// Of all of the parts the content k.
Parts contents(const Parts& parts, size_t k) {
  Parts out;
  for (const Part& p : parts) out.push_back({p.node->contents[k].operator->(), p.bounds, {}});
  return out;
}

/// Lists as long as those of all parts together.
SpaceRef joined_lengths(const Parts& parts, const SpaceRef& to) {
  const int64_t n = lists_of(parts);
  void* memory = nullptr;
  const Buffer offsets = Buffer::allocate((n + 1) * 8, &memory);
  auto* const o = static_cast<int64_t*>(memory);
  for (int64_t i = 0; i <= n; i++) {
    o[i] = 0;
    for (const Part& p : parts) o[i] += p.bounds[static_cast<size_t>(i)] - p.bounds[0];
  }
  return stored_list(to, offsets, DType::int64, {.first = 0, .size = o[n]});
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
  if (first.kind == NodeKind::list) {
    const SpaceRef lists = joined_offsets(parts, to);
    return list_node(lists, joined(items_of_lists(parts), lists), first.size, first.parameters);
  }
  std::vector<NodeRef> values;
  for (size_t k = 0; k < first.contents.size(); k++)
    values.push_back(joined(contents(parts, k), to));
  if (first.kind == NodeKind::record) return record_like(first, std::move(values));
  const ColumnRef chosen = joined_column(parts, to);
  if (first.kind == NodeKind::option) return option_node(chosen, std::move(values[0]));
  return union_node(chosen, std::move(values), first.parameters);
}

/// Of records a field may be all that is asked for. So many are copied in the time in which the
/// items of one are chosen, each by itself.
constexpr int kMostColumns = 7;

int columns_of(const Node& n) {
  int columns = n.column ? 1 : 0;
  for (const auto& c : n.contents) columns += columns_of(*c);
  return columns;
}

}  // namespace

NodeRef join_stored_lists(const std::vector<NodeRef>& parts, int level) {
  note_look_at_values();
  std::vector<NodeRef> arrays;
  Pieces pieces;
  for (const auto& a : parts) {
    arrays.push_back(with_wide_offsets(a));
    pieces.push_back({arrays.back()->contents[0].operator->(), 0, a->space->size});
  }
  const Node* outer = arrays[0].operator->();
  std::vector<const Node*> around = {outer};
  std::vector<SpaceRef> spaces = {rows(outer->space->size)};  // of these, in the result
  for (int k = 1; k < level; k++) {
    around.push_back(pieces[0].node);
    spaces.push_back(equal_lists(pieces, spaces.back()));
    if (!spaces.back()) return {};
  }
  Parts items;
  int64_t regular = 0;  // of lists of one length each, that of the result
  for (const Piece& p : pieces) {
    items.push_back(content_of(p));
    regular += p.node->size;
  }
  const bool is_regular = std::ranges::all_of(
      pieces, [](const Piece& p) { return p.node->space->kind == SpaceKind::fixed; });
  const SpaceRef lists =
      is_regular ? stored_fixed(spaces.back(), regular) : joined_lengths(items, spaces.back());
  NodeRef n =
      list_node(lists, joined(items, lists), is_regular ? regular : -1, pieces[0].node->parameters);
  for (size_t k = spaces.size(); k-- > 0;)
    n = list_node(spaces[k], std::move(n), around[k]->size, around[k]->parameters);
  return n;
}

bool can_join_stored_lists(const std::vector<NodeRef>& arrays, int level, bool types) {
  if (level == 0 || !can_join_stored(arrays, level, types)) return false;
  return std::ranges::all_of(arrays, [&](const NodeRef& a) {
    if (a->space->size != arrays[0]->space->size) return false;
    const Node* n = a.operator->();
    for (int k = 0; k < level; k++) {
      n = n->contents[0].operator->();
      if (n->kind != NodeKind::list || is_string(*n)) return false;
      const bool is_fixed = n->space->kind == SpaceKind::fixed;
      if (is_fixed ? n->size != n->space->size : n->space->kind != SpaceKind::list || n->size >= 0)
        return false;
    }
    return columns_of(*n->contents[0]) <= kMostColumns;
  });
}

}  // namespace serrate::ops
