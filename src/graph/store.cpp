// What evaluation writes out: see store.h.
#include "graph/store.h"

#include <numeric>
#include <unordered_set>

#include "core/load_scalar.h"
#include "cuda/offsets.h"
#include "serrate/error.h"

namespace serrate::graph {
namespace {

bool is_plain_load(const ColumnRef& c) {
  return c->kind == ColumnKind::load && c->args[0]->kind == ColumnKind::position;
}

/// A single float16 that was computed as float64, as a constant.
ColumnRef column_on_host(const Written& w, DType t) {
  Scalar half = Scalar::of(*cuda::to_host(w.buffer).as<double>());
  half.dtype = t;
  return constant(half);
}

/// Stored lists whose items are the rows of s, so that nobody needs to count them.
const SpaceRef* joined_items(const Space& s) {
  const bool joins = s.kind == SpaceKind::flat && s.depth == 1 && is_stored(s.bases[0]);
  return joins ? &s.bases[0] : nullptr;
}

}  // namespace

void Store::add(const NodeRef& root) {
  roots_.push_back(root);
  plans_.push_back(plan(root, unit(), true));
}

int Store::output(const ColumnRef& c, const SpaceRef& s, bool histogram) {
  for (size_t i = 0; i < outputs_.size(); i++) {
    if (outputs_[i].column == c && outputs_[i].space == s) return static_cast<int>(i);
  }
  outputs_.push_back({c, s, histogram});
  return static_cast<int>(outputs_.size()) - 1;
}

void Store::demand(Nest& nest, std::span<const int> which) const {
  for (const int i : which) {
    const Output& o = outputs_[static_cast<size_t>(i)];
    o.histogram ? nest.store_histogram(o.column) : nest.store(o.column, o.space);
  }
}

void Store::demand(Nest& nest) const {
  std::vector<int> all(outputs_.size());
  std::iota(all.begin(), all.end(), 0);
  demand(nest, all);
}

namespace {

/// Counts the loads, constants and spaces that are seen for the first time.
class Inputs {
 public:
  size_t add(const ColumnRef& c) {
    if (!c || !seen_.insert(c.get()).second) return 0;
    size_t n = words_of(*c) + add(c->space) + add(c->over);
    for (const auto& a : c->args) n += add(a);
    return n;
  }
  size_t add(const SpaceRef& s) {
    if (!s || !seen_.insert(s.get()).second) return 0;
    size_t n = 1 + add(s->parent);
    for (const ColumnRef* c : {&s->starts, &s->stops, &s->predicate}) n += add(*c);
    for (const auto& b : s->bases) n += add(b);
    return n;
  }

 private:
  static size_t words_of(const Column& c) {
    switch (c.kind) {
      case ColumnKind::load:
      case ColumnKind::constant:
        return 1;
      case ColumnKind::reduce:  // joining a block's threads is much text
        return c.space->kind == SpaceKind::unit ? 8 : 0;
      case ColumnKind::histogram:
        return 8;
      default:
        return 0;
    }
  }
  std::unordered_set<const void*> seen_;
};

}  // namespace

std::vector<std::vector<int>> Store::parts(size_t most) const {
  std::vector<std::vector<int>> out;
  Inputs inputs;
  size_t words = 0;
  for (size_t i = 0; i < outputs_.size(); i++) {
    // Each output is an address, and keeps a value until it is written.
    const auto words_of = [&] {
      return 3 + inputs.add(outputs_[i].column) + inputs.add(outputs_[i].space);
    };
    size_t more = words_of();
    if (out.empty() || words + more > most) {
      if (!out.empty()) {
        inputs = {};
        more = words_of();
      }
      out.emplace_back();
      words = 0;
    }
    out.back().push_back(static_cast<int>(i));
    words += more;
  }
  return out;
}

StorePlan Store::plan(const NodeRef& n, const SpaceRef& s, bool kept) {
  StorePlan p;
  if (n->column) {
    const bool constant = s->kind == SpaceKind::unit && n->column->kind == ColumnKind::constant;
    p.reuse = constant || is_unmasked(*n) || (kept && is_plain_load(n->column));
    if (p.reuse) {
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
    const bool known =
        n->space->kind == SpaceKind::rows || (n->space->kind == SpaceKind::fixed && n->size >= 0) ||
        joined_items(*n->space) != nullptr || (n->size >= 0 && s->kind != SpaceKind::unit);
    p.as_first = kept && n->space->kind == SpaceKind::aligned && is_stored(n->space->bases[0]);
    if (!p.same_space && !p.as_first && !known) p.counts = output(count(n->space), s);
    p.children.push_back(plan(n->contents[0], n->space, p.same_space));
    return p;
  }
  for (const auto& c : n->contents) p.children.push_back(plan(c, s, kept));
  return p;
}

namespace {

ColumnRef stored_column(const StorePlan& p, const Node& n, const SpaceRef& s,
                        const std::vector<Written>& written) {
  if (p.reuse) return n.column;
  const Written& w = written[static_cast<size_t>(p.column)];
  const DType t = n.column->dtype;
  const bool on_gpu = w.buffer.device() == Device::cuda;
  if (s->kind == SpaceKind::unit) {
    // A single value stays on the GPU until somebody looks.
    if (on_gpu && t != DType::float16) return stored_column(w.buffer, t, s);
    if (on_gpu) return column_on_host(w, t);
    if (t == DType::float16) {
      Scalar half = Scalar::of(*w.buffer.as<double>());
      half.dtype = t;
      return constant(half);
    }
    return constant(load_scalar(w.buffer.data(), t));
  }
  // Items of s start late where lists that were passed on do: item 0 of the domain then stands that
  // many items before what was written; nobody looks there.
  const int64_t shift = stored_first(s) * itemsize(t);
  if (shift == 0) return stored_column(w.buffer, t, s);
  return stored_column(Buffer(w.buffer.data() - shift, w.buffer.bytes() + shift, w.buffer.owner(),
                              w.buffer.device()),
                       t, s);
}

NodeRef stored_tree(const StorePlan& p, const NodeRef& n, const SpaceRef& s,
                    const std::vector<Written>& written) {
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
    } else if (p.counts >= 0) {
      const Written& w = written[static_cast<size_t>(p.counts)];
      if (s->kind == SpaceKind::unit) {
        inner = rows(*cuda::to_host(w.buffer).as<int64_t>());
      } else if (w.offsets.buffer.bytes() > 0 || w.buffer.device() == Device::cuda) {
        const KnownOffsets offsets = w.offsets.buffer.bytes() > 0
                                         ? w.offsets
                                         : cuda::offsets_of(w.buffer, stored_extent(s).size);
        const int64_t shift = stored_first(s) * 8;
        inner = stored_list(s,
                            Buffer(offsets.buffer.data() - shift, offsets.buffer.bytes() + shift,
                                   offsets.buffer.owner(), Device::cuda),
                            DType::int64, {0, offsets.total, offsets.longest});
      } else {
        void* out = nullptr;
        const Buffer offsets = Buffer::allocate(8 * (w.size + 1), &out);
        auto* o = static_cast<int64_t*>(out);
        const auto* lengths = w.buffer.as<int64_t>();
        int64_t total = 0;
        for (int64_t i = 0; i < w.size; i++) {
          o[i] = total;
          total += lengths[i];
        }
        o[w.size] = total;
        // Where the items of s start late, so do their offsets: see stored_column().
        const int64_t shift = stored_extent(s).first * 8;
        inner =
            stored_list(s, Buffer(offsets.data() - shift, offsets.bytes() + shift, offsets.owner()),
                        DType::int64);
      }
    } else if (n->space->kind == SpaceKind::rows) {
      inner = n->space;
    } else if (const SpaceRef* items = joined_items(*n->space)) {
      inner = rows(stored_extent(*items).size);
    } else {
      inner = stored_fixed(s, n->space->kind == SpaceKind::fixed ? n->space->size : n->size);
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
                                  const std::vector<Written>& written) {
  std::vector<NodeRef> out;
  out.reserve(roots.size());
  for (size_t i = 0; i < roots.size(); i++)
    out.push_back(stored_tree(plans[i], roots[i], unit(), written));
  return out;
}

}  // namespace serrate::graph
