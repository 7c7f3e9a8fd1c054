// Finding the device of trees; moving stored trees to another.
#include "graph/device.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "graph/backend.h"
#include "graph/below.h"
#include "graph/evaluate.h"
#include "graph/lengths.h"
#include "serrate/error.h"

namespace serrate::graph {
namespace {

class Finder {
 public:
  void find(const Node& n) {
    if (n.column) find(n.column);
    if (n.space) find(n.space);
    for (const auto& c : n.contents) find(*c);
  }
  std::optional<Device> found;

 private:
  void find(const SpaceRef& s) {
    if (seen_.insert(s.get()).second) each_below(*s, [&](const auto& x) { find(x); });
  }
  void find(const ColumnRef& c) {
    if (c->kind == ColumnKind::constant || !seen_.insert(c.get()).second) return;
    each_below(*c, [&](const auto& x) { find(x); });
    if (c->kind != ColumnKind::load) return;
    const Device d = c->buffer.device();
    check<ValueError>(!found || *found == d,
                      "an expression has arrays on the CPU and on the GPU: move them to one device "
                      "with to_backend(x, \"cpu\") or to_backend(x, \"cuda\")");
    found = d;
  }

  std::unordered_set<const void*> seen_;
};

/// Looks for one buffer along a few columns: enough for most trees.
class Glance {
 public:
  std::optional<Device> at(const Node& n) {
    if (auto d = at(n.column.get())) return d;
    if (auto d = at(n.space.get())) return d;
    for (const auto& c : n.contents) {
      if (auto d = at(*c)) return d;
    }
    return {};
  }
  bool saw_all() const { return steps_ > 0; }

 private:
  std::optional<Device> at(const Space* s) {
    for (; s != nullptr && steps_ > 0; s = s->parent.get()) {
      steps_--;
      if (auto d = at(s->starts.get())) return d;
      for (const auto& b : s->bases) {
        if (auto d = at(b.get())) return d;
      }
      if (auto d = at(s->predicate.get())) return d;
    }
    return {};
  }
  std::optional<Device> at(const Column* c) {
    if (c == nullptr || c->kind == ColumnKind::constant || steps_ <= 0) return {};
    steps_--;
    if (c->kind == ColumnKind::load) return c->buffer.device();
    for (const auto& a : c->args) {
      if (auto d = at(a.get())) return d;
    }
    if (auto d = at(c->over.get())) return d;
    return at(c->space.get());
  }

  int steps_ = 100;
};

class Mover {
 public:
  explicit Mover(Device to) : to_(to) {}

  // n is over the stored space `from`, the result over `s`.
  NodeRef run(const NodeRef& n, const SpaceRef& from, const SpaceRef& s) {
    const NodeRef out = move(n, from, s);
    if (uploads_) uploads_->finish();
    if (downloads_) downloads_->finish();
    return out;
  }

 private:
  NodeRef move(const NodeRef& n, const SpaceRef& from, const SpaceRef& s) {
    auto* out = new Node(*n);
    const NodeRef result(out);
    if (n->column && n->column->kind == ColumnKind::load)
      out->column = stored_column(items(n->column, stored_extent(from)), n->column->dtype, s);
    if (n->kind == NodeKind::categorical) {
      const NodeRef values = evaluate(list_node(n->space, n->contents[0]));
      out->space = values->space;
      out->contents[0] = move(values->contents[0], values->space, values->space);
      return result;
    }
    SpaceRef old = from, inner = s;
    if (n->kind == NodeKind::list) {
      old = n->space;
      inner = out->space = move(old, s);
    }
    for (auto& c : out->contents) c = move(c, old, inner);
    return result;
  }

  // Bounds of what is made of these lists are asked for where only their offsets are at hand.
  void tell_lengths(const Buffer& from, const Buffer& offsets, int64_t lists, const Extent& e) {
    if (on_host(from) && !is_host(to_) && e.first == 0)
      backend(to_).note_list_sizes(offsets, lists, {e.size, e.longest});
  }

  // Lists s over `parent`, which stands for the parent of s.
  SpaceRef move(const SpaceRef& s, const SpaceRef& parent) {
    SpaceRef& known = spaces_[s.get()];
    if (known) return known;
    if (s->kind == SpaceKind::unit || s->kind == SpaceKind::rows) return known = s;
    if (s->kind == SpaceKind::fixed) return known = stored_fixed(parent, s->size);
    const StoredExtent p = stored_extent(s->parent);
    if (p.size == 0) {
      const int64_t zero = 0;
      return known = stored_list(parent, moved(Buffer::copy_of(&zero, sizeof zero)), DType::int64,
                                 {0, 0, 0});
    }
    const DType t = s->starts->dtype;
    const Buffer &starts = s->starts->buffer, &stops = s->stops->buffer;
    if (stops.data() == starts.data() + itemsize(t) && s->stops->dtype == t) {
      const Buffer both(starts.data(), stops.bytes() + itemsize(t), starts.owner(),
                        starts.device());
      const Buffer offsets = region(both, p.first, p.size + 1, itemsize(t));
      const Extent extent = extent_of(s);
      tell_lengths(starts, offsets, p.size, extent);
      return known = stored_list(parent, offsets, t, extent);
    }
    // Of a foreign tree, whose stops lie elsewhere.
    void* out = nullptr;
    const Buffer offsets = Buffer::allocate(8 * (p.size + 1), &out);
    for (int64_t i = 0; i <= p.size; i++) static_cast<int64_t*>(out)[i] = stored_offset(s, i);
    return known = stored_list(parent, moved(offsets, p.first * 8), DType::int64, extent_of(s));
  }

  // What a GPU's plans want to know without looking.
  Extent extent_of(const SpaceRef& s) const {
    if (s->extent.known() || is_host(to_)) return s->extent;
    const StoredExtent all = stored_extent(s);
    return {.first = all.first, .size = all.size, .longest = look_for_longest(s)};
  }

  Buffer items(const ColumnRef& c, const StoredExtent& e) {
    return region(c->buffer, e.first, e.size, itemsize(c->dtype));
  }

  // n items from item `first` on; item 0 of the result stands that many items before what is there.
  // No kernel looks there.
  Buffer region(const Buffer& b, int64_t first, int64_t n, int64_t size) {
    if (b.device() == to_) return b;
    const auto key = std::tuple(b.data() + first * size, n * size, first * size);
    auto known = regions_.find(key);
    if (known == regions_.end()) {
      const Buffer part = b.slice(first * size, n * size);
      const bool later = is_host(to_) && first * size == 0;
      const Buffer there = later ? downloads(b).add(part) : moved(part, first * size);
      known = regions_.emplace(key, there).first;
    }
    return known->second;
  }
  Buffer moved(const Buffer& b, int64_t shift = 0) {
    if (b.device() == to_) return b;
    // Zeros are put before what is there already.
    if (is_host(to_) || (shift != 0 && backend(to_).capabilities().reads_item_0))
      return behind_item_0(to_device(to_host(b), to_), shift);
    if (!uploads_) uploads_ = backend(to_).uploads();
    return behind_item_0(uploads_->add(to_host(b)), shift);
  }
  // Of one device: that is seen before anything is evaluated, let alone moved.
  Downloads& downloads(const Buffer& b) {
    if (!downloads_) downloads_ = backend(b.device()).downloads();
    return *downloads_;
  }

  Device to_;
  std::unique_ptr<Uploads> uploads_;
  std::unique_ptr<Downloads> downloads_;
  std::unordered_map<const Space*, SpaceRef> spaces_;
  std::map<std::tuple<const std::byte*, int64_t, int64_t>, Buffer> regions_;
};

}  // namespace

// Programs of the CPU read item 0 where a guard does not hold, and maybe what it says after that.
// Zeros that nobody writes take no memory, if they are many.
Buffer behind_zeros(const Buffer& b, int64_t zeros) {
  if (zeros == 0) return b;
  const int64_t bytes = zeros + b.bytes();
  const std::shared_ptr<std::byte> all(
      static_cast<std::byte*>(std::calloc(static_cast<size_t>(bytes), 1)), std::free);
  if (!all) throw std::bad_alloc();
  std::memcpy(all.get() + zeros, b.data(), static_cast<size_t>(b.bytes()));
  return Buffer(all.get(), bytes, all, b.device());
}

Buffer before(const Buffer& b, int64_t bytes) {
  return Buffer(b.data() - bytes, b.bytes() + bytes, b.owner(), b.device());
}

Buffer behind_item_0(const Buffer& b, int64_t shift) {
  if (shift == 0) return b;
  return backend(b.device()).capabilities().reads_item_0 ? behind_zeros(b, shift)
                                                         : before(b, shift);
}

std::optional<Device> buffers_device(const std::vector<NodeRef>& roots) {
  if (!other_memory_in_use()) return {};
  Finder f;
  for (const auto& r : roots) f.find(*r);
  return f.found;
}

std::optional<Device> some_device(const NodeRef& n) {
  if (!other_memory_in_use()) return {};
  Glance glance;
  const std::optional<Device> found = glance.at(*n);
  return found || glance.saw_all() ? found : buffers_device({n});
}

const Capabilities& capabilities_of(const NodeRef& n) {
  return backend(some_device(n).value_or(surrounding_device())).capabilities();
}

void each_buffer(const NodeRef& stored, const std::function<void(const Buffer&)>& f) {
  const auto of = [&](const ColumnRef& c) {
    if (c && c->kind == ColumnKind::load) f(c->buffer);
  };
  of(stored->column);
  if (stored->space) of(stored->space->starts);
  for (const NodeRef& c : stored->contents) each_buffer(c, f);
}

bool is_everywhere(const Node& n) {
  return n.kind == NodeKind::leaf && n.column->kind == ColumnKind::constant;
}

NodeRef evaluate_on_host(const NodeRef& n) {
  const NodeRef stored = evaluate(n);
  return is_host(buffers_device({stored}).value_or(Device::cpu)) ? stored
                                                                 : move_stored(stored, Device::cpu);
}

int64_t look(const ColumnRef& c) {
  if (c->kind == ColumnKind::constant) return c->scalar.as(DType::int64).i;
  const ColumnRef seen = evaluate_on_host(leaf(cast(c, DType::int64)))->column;
  return seen->kind == ColumnKind::constant ? seen->scalar.i : *seen->buffer.as<int64_t>();
}

int64_t length_of(const SpaceRef& s) {
  const ColumnRef n = count(s);
  if (n->kind == ColumnKind::constant) return n->scalar.i;
  const std::atomic_ref known(const_cast<int64_t&>(s->extent.longest));
  int64_t length = known.load(std::memory_order_relaxed);
  if (length < 0) known.store(length = look(n), std::memory_order_relaxed);
  return length;
}

Buffer beside(const Buffer& host, const std::vector<NodeRef>& roots) {
  return to_device(host, device_of(roots));
}

NodeRef move_stored(const NodeRef& n, Device to) { return Mover(to).run(n, unit(), unit()); }

NodeRef over_equal_space(const NodeRef& n, const SpaceRef& from, const SpaceRef& to) {
  return Mover(from->starts->buffer.device()).run(n, from, to);
}

}  // namespace serrate::graph
