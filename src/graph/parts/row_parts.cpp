// Trees of some of the rows: see row_parts.h.
#include "graph/parts/row_parts.h"

#include <algorithm>
#include <stdexcept>

#include "graph/backend.h"
#include "graph/below.h"
#include "graph/evaluate.h"
#include "graph/parts/joined_rows.h"
#include "graph/store.h"

namespace serrate::graph {
namespace {

bool is_along_axis_0(const Space& s) {
  return s.kind != SpaceKind::unit && s.parent->kind == SpaceKind::unit;
}

/// Offsets from 0 on of lists that follow each other.
template <class T>
Buffer offsets_from_0(const Space& s, int64_t first, int64_t lists) {
  void* out = nullptr;
  const Buffer made = Buffer::allocate((lists + 1) * static_cast<int64_t>(sizeof(T)), &out);
  auto* const to = static_cast<T*>(out);
  const T *starts = s.starts->buffer.as<T>() + first, *stops = s.stops->buffer.as<T>() + first;
  to[0] = 0;
  for (int64_t i = 0; i < lists; i++) to[i + 1] = stops[i] - starts[0];
  return made;
}

Buffer offsets_from_0(const Space& s, int64_t first, int64_t lists) {
  switch (s.starts->dtype) {
    case DType::int32:
      return offsets_from_0<int32_t>(s, first, lists);
    case DType::uint32:
      return offsets_from_0<uint32_t>(s, first, lists);
    default:
      return offsets_from_0<int64_t>(s, first, lists);
  }
}

}  // namespace

RowParts::RowParts(const std::vector<NodeRef>& roots) : roots_(roots) {
  for (const NodeRef& n : roots) {
    const bool are_rows =
        n->kind == NodeKind::list && n->size < 0 && n->space->kind == SpaceKind::rows;
    if (!are_rows || (rows_ >= 0 && rows_ != n->space->size)) {
      alike_ = false;
      return;
    }
    rows_ = n->space->size;
    look(n->space);
    for (const NodeRef& c : n->contents) look(*c, true);
  }
}

void RowParts::look(const Node& n, bool is_result) {
  if (n.column) {
    // Sorts that are the result itself are not stored beside it.
    const bool is_barrier = n.column->kind == ColumnKind::barrier;
    if (is_result && is_barrier && !seen_.find(n.column.get())) {
      look(n.column->space);
      for (const ColumnRef& a : n.column->args) {
        if (a) look(a);
      }
      if (n.column->over) look(n.column->over);
    } else {
      look(n.column);
    }
  }
  if (n.kind == NodeKind::categorical) return;
  if (n.kind == NodeKind::list) look(n.space);
  for (const NodeRef& c : n.contents) look(*c, is_result);
}

void RowParts::look(const SpaceRef& s) {
  if (!alike_ || s->kind == SpaceKind::unit || seen_.find(s.get())) return;
  seen_.set(s.get(), true);
  if (is_along_axis_0(*s)) {
    // Rows of as many are the same rows.
    alike_ = s->kind == SpaceKind::rows && s->size == rows_;
    if (!alike_) return;
    items_ = std::max(items_, s->size);
    in_rows_.emplace(s.get(), lists_.size());
    lists_.push_back(s);
    return;
  }
  alike_ = s->grouping == nullptr;
  each_below(*s, [&](const auto& below) {
    const bool own = are_adjacent(*s) && static_cast<const void*>(below.get()) == s->starts.get();
    if (!own) look(below);
  });
  const bool stored = is_plain_list(*s) || are_adjacent(*s);
  if (!alike_ || !stored || !lies_in_rows(*s->parent)) {
    if (are_adjacent(*s)) look(s->starts);
    return;
  }
  items_ = std::max(items_, stored_extent(s).size);
  in_rows_.emplace(s.get(), lists_.size());
  lists_.push_back(s);
}

void RowParts::look(const ColumnRef& c) {
  if (!alike_ || c->kind == ColumnKind::constant || seen_.find(c.get())) return;
  seen_.set(c.get(), true);
  if (c->space) look(c->space);
  if (c->kind == ColumnKind::load && c->args[0]->kind == ColumnKind::position) {
    if (!alike_ || !lies_in_rows(*c->args[0]->space)) {
      look(c->args[0]);
    } else {
      loads_.push_back(c);
    }
    return;
  }
  switch (c->kind) {
    case ColumnKind::position:
      if (lies_in_rows(*c->space)) positions_.push_back(c);
      return;
    case ColumnKind::local:
      alike_ &= c->space->kind != SpaceKind::unit && !is_along_axis_0(*c->space);
      break;
    case ColumnKind::reduce:
    case ColumnKind::pick:
      alike_ &= !is_along_axis_0(*c->over);
      break;
    case ColumnKind::barrier:
      alike_ &= !is_along_axis_0(*c->space);
      stores_ = true;
      break;
    case ColumnKind::histogram:
    case ColumnKind::call:
      alike_ = false;
      return;
    default:
      break;
  }
  if (c->over) look(c->over);
  for (const ColumnRef& a : c->args) {
    if (a) look(a);
  }
}

SpaceRef RowParts::lists(const Space& s, const Range& owners, Range& items,
                         Substitution& to) const {
  const SpaceRef self(&s);
  if (s.kind == SpaceKind::fixed) {
    items = {owners.first * s.size, owners.last * s.size};
    return stored_fixed(to(s.parent), s.size);
  }
  const int64_t before = stored_first(s.parent);
  items = {stored_offset(self, owners.first - before), stored_offset(self, owners.last - before)};
  return stored_list(to(s.parent), offsets_from_0(s, owners.first, owners.last - owners.first),
                     s.starts->dtype);
}

RowParts::Part RowParts::part(int64_t first, int64_t last) const {
  Part out{{}, last - first, 0};
  Substitution to;
  std::vector<Range> ranges(lists_.size());
  const SpaceRef some = graph::rows(last - first);
  for (size_t i = 0; i < lists_.size(); i++) {
    const Space& s = *lists_[i];
    const auto end = lists_.begin() + static_cast<std::ptrdiff_t>(i);
    const auto alike =
        std::find_if(lists_.begin(), end, [&](const SpaceRef& o) { return same(o, lists_[i]); });
    if (s.kind == SpaceKind::rows) {
      ranges[i] = {first, last};
      to.set(&s, some);
    } else if (alike != end) {  // what is equal stays so
      ranges[i] = ranges[static_cast<size_t>(alike - lists_.begin())];
      to.set(&s, to(*alike));
    } else {
      const Range& owners = ranges[in_rows_.at(s.parent.get())];
      to.set(&s, lists(s, owners, ranges[i], to));
    }
    out.items = std::max(out.items, ranges[i].last - ranges[i].first);
  }
  for (const ColumnRef& c : loads_) {
    const Space& s = *c->args[0]->space;
    const int64_t skipped = ranges[in_rows_.at(&s)].first * itemsize(c->dtype);
    auto* made = new Column(*c);
    const ColumnRef result(made);
    made->space = to(c->space);
    made->args[0] = position(to(c->args[0]->space));
    made->buffer = c->buffer.slice(skipped);
    to.set(c.get(), result);
  }
  // Where an item stands is another number in a part.
  for (const ColumnRef& c : positions_) {
    const int64_t before = ranges[in_rows_.at(c->space.get())].first;
    to.set(c.get(), apply(Op::add, {position(to(c->space)), constant(before)}));
  }
  for (const NodeRef& n : roots_) out.trees.push_back(to(n));
  return out;
}

namespace {

constexpr int64_t kLong = 4096;  // lists of more items have barriers that take as long as a part

/// Evaluates parts in turn, as many at once as the back end has threads for.
class Parts {
 public:
  Parts(const std::vector<NodeRef>& roots, const RowParts& of, const Backend& b)
      : of_(of), backend_(b), joined_(roots, of.rows()) {}

  bool run(int64_t rows) {
    for (int64_t first = 0; first < of_.rows();) {
      // What the first one was made with is kept for the others.
      const size_t most = first == 0 ? 1 : static_cast<size_t>(backend_.parts_at_once());
      together_.clear();
      for (; first < of_.rows() && together_.size() < most; first += rows)
        together_.push_back(of_.part(first, std::min(first + rows, of_.rows())));
      if (!evaluate_together()) return false;
    }
    return true;
  }
  std::vector<NodeRef> results() { return joined_.results(); }

 private:
  bool evaluate_together() {
    std::vector<RowParts::Part*> shared;
    for (RowParts::Part& p : together_) {
      // Long lists are shared by all threads.
      const bool is_long = p.items / 4 > backend_.items_at_a_time();
      if (is_long || together_.size() == 1)
        p.trees = evaluate(p.trees);
      else
        shared.push_back(&p);
    }
    backend_.share(std::ssize(shared), [&](int64_t i) {
      const Surrounding here(backend_.device());
      RowParts::Part& p = *shared[static_cast<size_t>(i)];
      p.trees = evaluate(p.trees);
    });
    for (const RowParts::Part& p : together_) {
      if (!joined_.add(p.trees, p.rows)) return false;
    }
    backend_.share(static_cast<int64_t>(joined_.waiting()),
                   [&](int64_t i) { joined_.copy(static_cast<size_t>(i)); });
    joined_.clear();
    return true;
  }

  const RowParts& of_;
  const Backend& backend_;
  JoinedRows joined_;
  std::vector<RowParts::Part> together_;
};

}  // namespace

std::optional<std::vector<NodeRef>> evaluate_by_rows(const std::vector<NodeRef>& roots,
                                                     const Backend& b) {
  const int64_t at_a_time = b.items_at_a_time();
  if (at_a_time <= 0) return {};
  const RowParts of(roots);
  if (!of.are_worth_it() || of.items() / 2 < at_a_time) return {};
  if (of.items() / of.rows() > kLong) return {};
  const int64_t parts = (of.items() - 1) / at_a_time + 1;
  const int64_t rows = (of.rows() - 1) / parts + 1;
  if (rows == of.rows()) return {};
  try {
    Parts all(roots, of, b);
    if (all.run(rows)) return all.results();
  } catch (const std::invalid_argument&) {  // errors say which of all rows is wrong
  } catch (const std::out_of_range&) {
  }
  return {};
}

}  // namespace serrate::graph
