// What evaluation writes out: see store.h.
#include "graph/store.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "core/fill_items.h"
#include "core/types/load_scalar.h"
#include "graph/backend.h"
#include "graph/device.h"
#include "graph/inputs.h"
#include "graph/limits.h"
#include "serrate/error.h"

namespace serrate::graph {
namespace {

/// A single float16 that was computed as float64, as a constant.
ColumnRef column_on_host(const Written& w, DType t) {
  Scalar half = Scalar::of(*to_host(w.buffer).as<double>());
  half.dtype = t;
  return constant(half);
}

}  // namespace

KnownOffsets offsets_of_lengths(const Buffer& lengths, int64_t n) {
  void* out = nullptr;
  KnownOffsets made{Buffer::allocate(8 * (n + 1), &out), 0, 0};
  auto* o = static_cast<int64_t*>(out);
  const auto* of = lengths.as<int64_t>();
  for (int64_t i = 0; i < n; i++) {
    o[i] = made.total;
    made.total += of[i];
    made.longest = std::max(made.longest, of[i]);
  }
  check<ValueError>(made.total >= 0 && made.total <= kMaxItems,
                    "the lists of an array have more than {} items", kMaxItems);
  o[n] = made.total;
  return made;
}

bool has_equal_lists(const Space& s) {
  return s.kind == SpaceKind::list && s.starts->kind == ColumnKind::constant &&
         s.stops->kind == ColumnKind::constant;
}

const SpaceRef* joined_items(const Space& s) {
  if (s.kind != SpaceKind::flat || s.depth != 1) return nullptr;
  const SpaceRef* items = &s.bases[0];
  while ((*items)->kind == SpaceKind::flat) items = &(*items)->bases[0];
  return is_stored(*items) ? items : nullptr;
}

const ColumnRef& below_flats(const ColumnRef& c) {
  const bool is_joined = c->kind == ColumnKind::at && c->space->kind == SpaceKind::flat;
  return is_joined ? below_flats(c->args[0]) : c;
}

KnownOffsets offsets_in_place(const Buffer& lengths, std::byte* at, int64_t n) {
  auto* o = reinterpret_cast<int64_t*>(at);
  int64_t total = 0, longest = 0;
  for (int64_t i = 0; i < n; i++) {
    longest = std::max(longest, o[i]);
    total += std::exchange(o[i], total);
  }
  check<ValueError>(total >= 0 && total <= kMaxItems,
                    "the lists of an array have more than {} items", kMaxItems);
  o[n] = total;
  return {lengths.slice(0, 8 * (n + 1)), total, longest};
}

namespace {

/// How many columns and lists are made of an output.
int uses_of(int output, const StorePlan& p) {
  int n = (p.column == output) + (p.counts == output);
  for (const StorePlan& c : p.children) n += uses_of(output, c);
  return n;
}

/// A stored column of lists that s joins: one behind the other as they are.
bool is_of_joined(const ColumnRef& c, const Space& s) {
  return c->kind == ColumnKind::at && c->space.get() == &s && joined_items(s) != nullptr &&
         is_plain_load(below_flats(c));
}

}  // namespace

void Store::add(const NodeRef& root) {
  roots_.push_back(root);
  plans_.push_back(plan(root, unit(), true));
}

int Store::output(const ColumnRef& c, const SpaceRef& s, bool histogram, bool lengths) {
  for (size_t i = 0; i < outputs_.size(); i++) {
    if (outputs_[i].column != c || outputs_[i].space != s) continue;
    outputs_[i].lengths &= lengths;
    return static_cast<int>(i);
  }
  outputs_.push_back({c, s, histogram, lengths});
  return static_cast<int>(outputs_.size()) - 1;
}

void Store::demand(Nest& nest, std::span<const int> which) const {
  for (const int i : which) {
    const Output& o = outputs_[static_cast<size_t>(i)];
    o.histogram ? nest.store_histogram(o.column) : nest.store(o.column, o.space, o.lengths);
  }
}

void Store::demand(Nest& nest) const {
  std::vector<int> all(outputs_.size());
  std::iota(all.begin(), all.end(), 0);
  demand(nest, all);
}

std::vector<std::vector<int>> Store::parts(size_t most) const {
  std::vector<std::vector<int>> out;
  Inputs inputs;
  size_t words = 0;
  for (size_t i = 0; i < outputs_.size(); i++) {
    size_t more = words_of(outputs_[i], inputs);
    if (out.empty() || words + more > most) {
      if (!out.empty()) {
        inputs = Inputs();
        more = words_of(outputs_[i], inputs);
      }
      out.emplace_back();
      words = 0;
    }
    out.back().push_back(static_cast<int>(i));
    words += more;
  }
  return out;
}

// Each output is an address, and keeps a value until it is written.
size_t Store::words_of(const Output& o, Inputs& inputs) {
  return 3 + inputs.add(o.column) + inputs.add(o.space);
}

std::vector<ColumnRef> Store::broad(size_t most) const {
  std::vector<ColumnRef> out;
  for (const Output& o : outputs_) {
    Inputs all, parts(most / 2);
    if (words_of(o, all) <= most) continue;
    words_of(o, parts);
    for (const ColumnRef& c : parts.broad()) {
      if (c != o.column && std::find(out.begin(), out.end(), c) == out.end()) out.push_back(c);
    }
  }
  return out;
}

StorePlan Store::plan(const NodeRef& n, const SpaceRef& s, bool kept, bool equal) {
  StorePlan p;
  if (n->column) {
    const bool constant = s->kind == SpaceKind::unit && n->column->kind == ColumnKind::constant;
    p.reuse = constant || is_unmasked(*n) || (kept && is_plain_load(n->column));
    p.joined = !p.reuse && is_of_joined(n->column, *s);
    p.repeats = equal && is_plain_load(n->column);
    if (p.reuse || p.joined || p.repeats) {
    } else if (n->column->kind == ColumnKind::histogram) {
      p.column = output(n->column, n->column->space, true);
    } else if (s->kind == SpaceKind::unit && n->column->dtype == DType::float16) {
      // A single float16 becomes a constant, whose scalar is a double.
      p.column = output(cast(n->column, DType::float64), s);
    } else {
      p.column = output(n->column, s);
    }
  }
  if (n->kind == NodeKind::categorical || n->kind == NodeKind::unknown) return p;
  if (n->kind == NodeKind::list) {
    p.same_space = kept && is_stored(n->space);
    const bool is_single = s->kind == SpaceKind::unit;
    const bool known = n->space->kind == SpaceKind::rows ||
                       (n->space->kind == SpaceKind::fixed && (is_single || n->size >= 0)) ||
                       joined_items(*n->space) != nullptr || (n->size >= 0 && !is_single);
    p.as_first = kept && n->space->kind == SpaceKind::aligned && is_stored(n->space->bases[0]);
    // A GPU's are made where they are.
    p.equal = !known && !is_single && has_equal_lists(*n->space) && is_host(surrounding_device());
    if (!p.same_space && !p.as_first && !p.equal && !known)
      p.counts = output(count(n->space), s, false, true);
    p.children.push_back(plan(n->contents[0], n->space, p.same_space, p.equal));
    return p;
  }
  for (const auto& c : n->contents) p.children.push_back(plan(c, s, kept, equal));
  return p;
}

namespace {

// Bytes of lengths that are copied sooner than it is asked who reads them.
constexpr int64_t kSmall = 4096;

/// What outputs and other columns are made of.
struct Sources {
  const std::vector<Written>& written;
  const std::vector<StorePlan>& plans;
  std::span<const InPlace> in_place;

  const Written& operator[](int output) const { return written[static_cast<size_t>(output)]; }
  const ColumnRef& reused(const ColumnRef& c) const {
    for (const InPlace& x : in_place) {
      if (x.of == c.get()) return x.load;
    }
    return c;
  }
};

/// Items of all lists, which have the same ones of a loaded column each.
ColumnRef repeated_items(const Column& load, const Column& now, const SpaceRef& s) {
  const int64_t begin = load.space->starts->scalar.i, end = load.space->stops->scalar.i;
  const int64_t item = itemsize(load.dtype), bytes = stored_extent(s).size * item;
  void* p = nullptr;
  const Buffer out = Buffer::allocate(bytes, &p);
  if (bytes > 0) {
    auto* const to = static_cast<std::byte*>(p);
    const int64_t size = (end - begin) * item;
    std::memcpy(to, now.buffer.data() + begin * item, static_cast<size_t>(size));
    repeat_bytes(to, static_cast<size_t>(size), static_cast<size_t>(bytes));
  }
  return stored_column(out, load.dtype, s);
}

ColumnRef stored_column(const StorePlan& p, const Node& n, const SpaceRef& s,
                        const Sources& written) {
  if (p.reuse) return written.reused(n.column);
  if (p.repeats) return repeated_items(*n.column, *written.reused(n.column), s);
  if (p.joined) {
    const DType t = n.column->dtype;
    const Buffer& all = written.reused(below_flats(n.column))->buffer;
    const int64_t first = stored_first(*joined_items(*n.column->space));
    return stored_column(all.slice(first * itemsize(t)), t, s);
  }
  const Written& w = written[p.column];
  const DType t = n.column->dtype;
  if (s->kind == SpaceKind::unit) {
    if (t == DType::float16) return column_on_host(w, t);
    // A single value stays on a GPU until somebody looks.
    return on_host(w.buffer) ? constant(load_scalar(w.buffer.data(), t))
                             : stored_column(w.buffer, t, s);
  }
  const int64_t first = stored_first(s);
  const bool is_there = w.first == first;  // the CPU's outputs of known size
  const int64_t shift = first * itemsize(t);
  return stored_column(is_there ? before(w.buffer, shift) : behind_item_0(w.buffer, shift), t, s);
}

/// Offsets of the lists of s whose lengths this output is.
KnownOffsets offsets_in(const Sources& sources, int output, const SpaceRef& s) {
  const Written& lengths = sources[output];
  if (lengths.offsets.buffer.bytes() > 0) return lengths.offsets;
  const Buffer& b = lengths.buffer;
  if (!on_host(b)) return backend(b.device()).offsets(b, stored_extent(s).size);
  if (std::byte* const own = b.bytes() > kSmall ? b.writable() : nullptr) {
    int uses = 0;
    for (const StorePlan& p : sources.plans) uses += uses_of(output, p);
    if (uses == 1) return {offsets_in_place(b, own, lengths.size).buffer, -1, -1};
  }
  return {offsets_of_lengths(b, lengths.size).buffer, -1, -1};
}

/// Lists over s, all as long as those between two constants.
SpaceRef equal_lists(const Space& like, const SpaceRef& s) {
  const StoredExtent owners = stored_extent(s);
  const int64_t size = std::max<int64_t>(0, like.stops->scalar.i - like.starts->scalar.i);
  const int64_t total = items_of(owners.size, size);
  void* p = nullptr;
  const Buffer offsets = Buffer::allocate(8 * (owners.size + 1), &p);
  for (int64_t i = 0; i <= owners.size; i++) static_cast<int64_t*>(p)[i] = i * size;
  return stored_list(s, behind_item_0(offsets, owners.first * 8), DType::int64, {0, total, size});
}

NodeRef stored_tree(const StorePlan& p, const NodeRef& n, const SpaceRef& s,
                    const Sources& written) {
  if (n->kind == NodeKind::unknown) return n;
  auto* r = new Node(*n);
  NodeRef result = r;
  if (n->column) r->column = stored_column(p, *n, s, written);
  if (n->kind == NodeKind::categorical) return result;
  SpaceRef inner = s;
  if (n->kind == NodeKind::list) {
    if (p.same_space) {
      inner = n->space;
    } else if (p.as_first) {
      inner = n->space->bases[0];
    } else if (p.equal) {
      inner = equal_lists(*n->space, s);
    } else if (p.counts >= 0) {
      const Written& w = written[p.counts];
      if (s->kind == SpaceKind::unit) {
        inner = rows(*to_host(w.buffer).as<int64_t>());
      } else {
        const KnownOffsets offsets = offsets_in(written, p.counts, s);
        inner = stored_list(s, behind_item_0(offsets.buffer, stored_first(s) * 8), DType::int64,
                            {0, offsets.total, offsets.longest});
      }
    } else if (n->space->kind == SpaceKind::rows) {
      inner = n->space;
    } else if (const SpaceRef* items = joined_items(*n->space)) {
      inner = rows(stored_extent(*items).size);
    } else {
      const int64_t size = n->space->kind == SpaceKind::fixed ? n->space->size : n->size;
      inner = s->kind == SpaceKind::unit ? rows(size) : stored_fixed(s, size);
    }
    r->space = inner;
  }
  for (size_t i = 0; i < p.children.size(); i++)
    r->contents[i] = stored_tree(p.children[i], n->contents[i], inner, written);
  return result;
}

}  // namespace

std::vector<NodeRef> stored_trees(const std::vector<NodeRef>& roots,
                                  const std::vector<StorePlan>& plans,
                                  const std::vector<Written>& written,
                                  std::span<const InPlace> in_place) {
  std::vector<NodeRef> out;
  out.reserve(roots.size());
  for (size_t i = 0; i < roots.size(); i++)
    out.push_back(stored_tree(plans[i], roots[i], unit(), {written, plans, in_place}));
  return out;
}

}  // namespace serrate::graph
