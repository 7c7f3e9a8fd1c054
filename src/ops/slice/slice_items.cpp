// The items of x[...]: which kind of indexing each one is, and which may stand together.
#include <algorithm>
#include <array>

#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/type_text.h"
#include "ops/slice/slice.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "serrate/error.h"

namespace serrate::ops {
namespace {

using namespace graph;
using Kind = SliceStep::Kind;

[[noreturn]] void cannot_slice(const Node& n) {
  throw TypeError(fmt::format(
      "getitem: an array that slices must hold integers or booleans, got {}", type_text(n)));
}

/// Lists of nothing known select as lists of integers do.
NodeRef integers_for_unknown(const NodeRef& n) {
  if (n->kind == NodeKind::unknown) return leaf(constant(0));
  const NodeRef content = integers_for_unknown(n->contents[0]);
  return n->kind == NodeKind::option ? option_node(n->column, content)
                                     : list_node(n->space, content, n->size, n->parameters);
}

/// NumPy's kinds need regular lists and no missing values; everything else goes list by list.
SliceStep classify(const NodeRef& tree) {
  SliceStep step;
  step.tree = tree;
  int depth = 1;
  bool regular = true, option = false;
  const Node* n = tree->contents[0].get();
  while (true) {
    if (n->kind == NodeKind::option) {
      option = true;
    } else if (is_list(*n)) {
      regular = regular && n->size >= 0;
      depth++;
    } else {
      break;
    }
    n = n->contents[0].get();
  }
  bool boolean = false;
  if (n->kind == NodeKind::leaf) {
    boolean = n->column->dtype == DType::boolean;
    if (!boolean && !is_integer(n->column->dtype)) cannot_slice(*tree);
  } else if (n->kind != NodeKind::unknown) {
    cannot_slice(*tree);
  }
  const bool unknown = n->kind == NodeKind::unknown;
  if (!regular || (depth > 1 && (option || unknown))) {
    step.kind = Kind::jagged;
  } else if (boolean) {
    step.kind = Kind::mask;
  } else {
    step.kind = option ? Kind::missing : Kind::array;
  }
  if (unknown) step.tree = integers_for_unknown(tree);
  return step;
}

/// The strings of an array of strings.
std::vector<std::string> texts(const NodeRef& array) {
  const NodeRef n = evaluate_on_host(array);
  const Node& strings = *n->contents[0];
  const auto* bytes = static_cast<const char*>(stored_data(strings.contents[0]->column));
  std::vector<std::string> out;
  for (int64_t i = 0; i < stored_extent(n->space).size; i++) {
    const int64_t from = stored_offset(strings.space, i), to = stored_offset(strings.space, i + 1);
    out.emplace_back(bytes + from, bytes + to);
  }
  return out;
}

bool has_missing(const SliceStep& s) {
  return s.kind == Kind::mask && s.tree->contents[0]->kind == NodeKind::option;
}

bool is_separator(const SliceStep& s) {
  return s.kind == Kind::range || s.kind == Kind::ellipsis || s.kind == Kind::newaxis;
}

void check_mixtures(const std::vector<SliceStep>& steps) {
  int ragged = 0, integers = 0, arrays = 0, groups = 0;
  bool inside = false;
  for (const auto& s : steps) {
    if (is_separator(s)) {
      inside = false;
      continue;
    }
    if (s.kind == Kind::jagged || s.kind == Kind::missing || has_missing(s)) {
      ragged++;
    } else {
      (s.kind == Kind::at ? integers : arrays)++;
      if (!inside) groups++;
      inside = true;
    }
  }
  check<ValueError>(ragged == 0 || (ragged == 1 && integers + arrays == 0),
                    "getitem: an array with missing values or lists of variable length can't be "
                    "mixed with other arrays or integers in one slice; slice in two steps");
  check<ValueError>(arrays == 0 || groups <= 1,
                    "getitem: arrays and integers separated by a slice, newaxis or ellipsis are "
                    "not supported next to array indexing");
}

/// On the device of `like`.
NodeRef integers(const std::vector<int64_t>& v, const NodeRef& like) {
  const SpaceRef s = rows(static_cast<int64_t>(v.size()));
  const Buffer b =
      beside(Buffer::copy_of(v.data(), static_cast<int64_t>(v.size() * sizeof(int64_t))), {like});
  return list_node(s, leaf(stored_column(b, DType::int64, s)));
}

/// Lists that may be missing inside of others.
bool has_missing_lists(const Node& n) {
  if (n.kind == NodeKind::option && is_list(*n.contents[0])) return true;
  return std::any_of(n.contents.begin(), n.contents.end(),
                     [](const NodeRef& c) { return has_missing_lists(*c); });
}

bool true_at(const ColumnRef& c, int64_t i) {
  if (c->kind == ColumnKind::constant) return c->scalar.i != 0;
  return static_cast<const uint8_t*>(stored_data(c))[i] != 0;
}

}  // namespace

std::vector<SliceStep> nonzero(const SliceStep& mask) {
  const NodeRef tree = evaluate_on_host(mask.tree);
  std::vector<int64_t> sizes;
  const Node* n = tree.get();
  int64_t total = 1, first = 0;
  while (is_list(*n)) {
    const StoredExtent e = stored_extent(n->space);
    sizes.push_back(n == tree.get() ? e.size : n->size);
    total = e.size;
    first = e.first;
    n = n->contents[0].get();
  }
  ColumnRef valid;
  if (n->kind == NodeKind::option) {
    valid = n->column;
    n = n->contents[0].get();
  }
  std::vector<std::vector<int64_t>> found(sizes.size());
  std::vector<uint8_t> present;
  for (int64_t i = 0; i < total; i++) {
    const bool here = !valid || true_at(valid, first + i);
    if (here && !true_at(n->column, first + i)) continue;
    int64_t rest = i;
    for (size_t d = sizes.size(); d-- > 0;) {
      found[d].push_back(rest % sizes[d]);
      rest /= sizes[d];
    }
    present.push_back(here);
  }
  std::vector<SliceStep> out;
  for (const auto& f : found) {
    SliceStep s;
    s.kind = valid ? Kind::missing : Kind::array;
    s.tree = integers(f, mask.tree);
    if (valid) {
      const SpaceRef& space = s.tree->space;
      const Buffer b = beside(Buffer::copy_of(present.data(), static_cast<int64_t>(present.size())),
                              {mask.tree});
      s.tree = list_node(space,
                         option_node(stored_column(b, DType::boolean, space), s.tree->contents[0]));
    }
    out.push_back(std::move(s));
  }
  return out;
}

namespace {

/// Beside a mask, one index for each of its items may stand: those where it is true count.
void pair_with_mask(std::vector<SliceStep>& steps, int64_t items, const SliceStep& found) {
  const auto length = [](const SliceStep& s) {
    const bool flat = s.kind == Kind::array && !is_list(*s.tree->contents[0]);
    return flat ? shown_size(*s.tree) : -1;
  };
  const int64_t kept = length(found);
  if (kept == 1 || kept == items) return;  // NumPy takes them as they are
  for (SliceStep& s : steps) {
    if (items == 1 || length(s) != items) continue;
    const SpaceRef& to = found.tree->space;
    s.tree = list_node(
        to, rebase_pick(s.tree->contents[0], to, s.tree->space, found.tree->contents[0]->column));
  }
}

}  // namespace

SlicePlan plan_slice(const std::vector<SliceItem>& items) {
  SlicePlan plan;
  plan.steps.reserve(items.size());
  int arrays = 0;
  for (const auto& item : items) {
    SliceStep step;
    if (const auto* i = std::get_if<int64_t>(&item)) {
      step.index = constant(*i);
    } else if (const auto* s = std::get_if<Slice>(&item)) {
      step.kind = Kind::range;
      step.slice = *s;
    } else if (std::holds_alternative<Ellipsis>(item)) {
      check<IndexError>(std::none_of(plan.steps.begin(), plan.steps.end(),
                                     [](const auto& s) { return s.kind == Kind::ellipsis; }),
                        "getitem: only one ellipsis (...) can stand in a slice");
      step.kind = Kind::ellipsis;
    } else if (std::holds_alternative<NewAxis>(item)) {
      step.kind = Kind::newaxis;
    } else if (const auto* a = std::get_if<Array>(&item)) {
      const NodeRef n = input(*a);
      if (n->kind == NodeKind::leaf && is_integer(n->column->dtype)) {
        step.index = cast(n->column, DType::int64);
      } else if (is_list(*n) && is_string(*n->contents[0])) {
        plan.fields.push_back(&plan.names.emplace_back(texts(n)));
        continue;
      } else if (is_list(*n)) {
        step = classify(n);
        arrays += step.kind == Kind::array || step.kind == Kind::mask;
      } else {
        cannot_slice(*n);
      }
    } else {
      plan.fields.push_back(&item);
      continue;
    }
    plan.steps.push_back(std::move(step));
  }
  check_mixtures(plan.steps);
  // A mask of the outermost axis keeps rows without being looked at; others become the indices that
  // are true.
  for (size_t i = 0; i < plan.steps.size(); i++) {
    if (plan.steps[i].kind != Kind::mask || (i == 0 && arrays <= 1)) continue;
    std::vector<SliceStep> found = nonzero(plan.steps[i]);
    if (found.size() == 1) pair_with_mask(plan.steps, shown_size(*plan.steps[i].tree), found[0]);
    plan.steps.erase(plan.steps.begin() + static_cast<std::ptrdiff_t>(i));
    plan.steps.insert(plan.steps.begin() + static_cast<std::ptrdiff_t>(i), found.begin(),
                      found.end());
    i += found.size() - 1;
  }
  return plan;
}

void integers_as_arrays(SlicePlan& plan, const NodeRef& sliced) {
  const auto kind = [](Kind k) { return [k](const SliceStep& s) { return s.kind == k; }; };
  const auto begin = plan.steps.begin(), end = plan.steps.end();
  if (std::none_of(begin, end, kind(Kind::array)) || std::none_of(begin, end, kind(Kind::at)) ||
      !(has_records(*sliced) || has_missing_lists(*sliced)))
    return;
  for (auto& s : plan.steps) {
    if (s.kind != Kind::at) continue;
    s.tree = integers({look(s.index)}, sliced);
    s.kind = Kind::array;
  }
}

}  // namespace serrate::ops
