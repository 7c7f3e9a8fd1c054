// Joins stored parts: see joined_rows.h.
#include "graph/parts/joined_rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/memory.h"
#include "graph/evaluate.h"

namespace serrate::graph {
namespace {

constexpr size_t kBehind = 64;  // a vector store or load may finish its last lane there

/// Where lists of a stored space end, behind `total` items.
template <class T>
void copy_offsets(const Space& s, int64_t total, int64_t lists, int64_t* to) {
  const int64_t first = stored_first(s.parent);
  const T *starts = s.starts->buffer.as<T>() + first, *stops = s.stops->buffer.as<T>() + first;
  for (int64_t i = 0; i < lists; i++) to[i] = total + static_cast<int64_t>(stops[i] - starts[0]);
}

}  // namespace

void Joined::swap_numbers(Joined& o) {
  std::swap(room_, o.room_);
  std::swap(before_, o.before_);
  std::swap(bytes_, o.bytes_);
}

Joined::~Joined() {
  if (p_ != nullptr) release_memory(p_, room_);
}

void Joined::make_room(int64_t before, int64_t bytes) {
  before_ = before;
  room_ = static_cast<size_t>(before + bytes) + kBehind;
  p_ = static_cast<std::byte*>(acquire_memory(room_));
  // Item 0 of the domain: see Capabilities::reads_item_0.
  std::memset(p_, 0, static_cast<size_t>(std::min<int64_t>(before, 64)));
}

int64_t Joined::add(int64_t bytes) {
  const size_t end = static_cast<size_t>(before_ + bytes_ + bytes) + kBehind;
  if (end > room_) {
    size_t more = end + end / 8;
    p_ = static_cast<std::byte*>(extend_memory(p_, room_, more));
    room_ = more;
  }
  return std::exchange(bytes_, bytes_ + bytes);
}

Buffer Joined::take() {
  if (p_ == nullptr) return {};
  std::byte* const p = std::exchange(p_, nullptr);
  const size_t room = room_;
  return Buffer(p + before_, bytes_, std::shared_ptr<const void>(p, [room](const void* q) {
                  release_memory(const_cast<void*>(q), room);
                }));
}

JoinedRows::JoinedRows(const std::vector<NodeRef>& roots, int64_t rows)
    : roots_(roots), rows_(rows) {
  for (const NodeRef& n : roots) store_.add(n);
  store_.each_output([&](const ColumnRef& c, const SpaceRef& s) {
    Output& o = outputs_.emplace_back();
    o.item = itemsize(c->dtype);
    if (!is_stored(s)) return;
    const StoredExtent e = stored_extent(s);
    o.before = e.first * o.item;
    o.known = e.size * o.item;
  });
}

int64_t JoinedRows::expected(int64_t bytes) const {
  const double all =
      static_cast<double>(bytes) / static_cast<double>(part_) * static_cast<double>(rows_);
  return std::max(bytes, static_cast<int64_t>(1.02 * all)) + 64;
}

bool JoinedRows::add(const std::vector<NodeRef>& stored, int64_t rows) {
  part_ = rows;
  for (Output& o : outputs_) o.added = o.offsets_added = false;
  for (size_t i = 0; i < stored.size(); i++) {
    if (!add(store_.plans()[i], *stored[i], unit())) return false;
  }
  return true;
}

bool JoinedRows::add(const StorePlan& p, const Node& n, const SpaceRef& s) {
  if (p.joined || p.repeats) return false;
  if (p.column >= 0 && !add_column(p.column, *n.column, s)) return false;
  if (n.kind == NodeKind::categorical) return true;
  const SpaceRef& inner = n.kind == NodeKind::list ? n.space : s;
  if (p.counts >= 0 && !add_offsets(p.counts, inner)) return false;
  for (size_t i = 0; i < p.children.size(); i++) {
    if (!add(p.children[i], *n.contents[i], inner)) return false;
  }
  return true;
}

bool JoinedRows::add_column(int output, const Column& c, const SpaceRef& s) {
  Output& o = outputs_[static_cast<size_t>(output)];
  if (c.kind != ColumnKind::load || c.args[0]->kind != ColumnKind::position ||
      itemsize(c.dtype) != o.item)
    return false;
  if (std::exchange(o.added, true)) return true;
  const StoredExtent e = stored_extent(s);
  const int64_t bytes = e.size * o.item;
  if (!o.values.has_room()) o.values.make_room(o.before, o.known >= 0 ? o.known : expected(bytes));
  copies_.push_back({static_cast<size_t>(output),
                     o.values.add(bytes),
                     bytes,
                     c.buffer.slice(e.first * o.item),
                     {},
                     0});
  return true;
}

bool JoinedRows::add_offsets(int output, const SpaceRef& s) {
  Output& o = outputs_[static_cast<size_t>(output)];
  if (!is_plain_list(*s)) return false;
  if (std::exchange(o.offsets_added, true)) return true;
  const int64_t bytes = stored_extent(s->parent).size * 8;
  if (!o.offsets.has_room()) {
    o.offsets.make_room(0, 8 + (o.known >= 0 ? o.known : expected(bytes)));
    std::memset(o.offsets.at(o.offsets.add(8)), 0, 8);
  }
  const int64_t items = stored_extent(s).size;
  copies_.push_back({static_cast<size_t>(output), o.offsets.add(bytes), bytes, {}, s, o.total});
  o.total += items;
  return true;
}

void JoinedRows::copy(size_t i) {
  const Copy& c = copies_[i];
  if (c.bytes == 0) return;
  const Output& o = outputs_[c.output];
  if (!c.lists) {
    std::memcpy(o.values.at(c.at), c.values.data(), static_cast<size_t>(c.bytes));
    return;
  }
  auto* const to = reinterpret_cast<int64_t*>(o.offsets.at(c.at));
  switch (c.lists->starts->dtype) {
    case DType::int32:
      return copy_offsets<int32_t>(*c.lists, c.total, c.bytes / 8, to);
    case DType::uint32:
      return copy_offsets<uint32_t>(*c.lists, c.total, c.bytes / 8, to);
    default:
      return copy_offsets<int64_t>(*c.lists, c.total, c.bytes / 8, to);
  }
}

std::vector<NodeRef> JoinedRows::results() {
  std::vector<Written> written;
  for (Output& o : outputs_) {
    Written& w = written.emplace_back();
    w.size = o.values.bytes() / o.item;
    w.first = o.before / o.item;
    w.buffer = o.values.take();
    w.offsets = {o.offsets.take(), o.total, -1};
  }
  return stored_trees(roots_, store_.plans(), written);
}

}  // namespace serrate::graph
