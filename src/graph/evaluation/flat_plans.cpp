// Plans of flat expressions: see flat_plans.h.
#include "graph/evaluation/flat_plans.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <utility>
#include <vector>

#include "core/process_mutex.h"
#include "core/types/load_scalar.h"
#include "graph/absent.h"
#include "graph/backend.h"
#include "graph/evaluate.h"
#include "graph/known.h"
#include "graph/parts/dense.h"
#include "graph/store.h"

namespace serrate::graph {

namespace {

// What stands for an object of a plan, if no leaf does.
constexpr int16_t kUnused = -3, kUnit = -2, kRows = -1;
constexpr int kMostObjects = 64;

/// Of stored lists that begin at the first item of what they are of, how many there are; else -1.
int64_t items_side_by_side(const Space& s) {
  switch (s.kind) {
    case SpaceKind::rows:
      return s.size;
    case SpaceKind::fixed: {
      const int64_t owners = are_adjacent(s) ? items_side_by_side(*s.parent) : -1;
      int64_t all = 0;
      return owners < 0 || __builtin_mul_overflow(owners, s.size, &all) ? -1 : all;
    }
    case SpaceKind::list: {
      if (!is_plain_list(s) || !on_host(s.starts->buffer) || items_side_by_side(*s.parent) <= 0)
        return -1;
      const StoredExtent items = stored_extent(SpaceRef(&s));
      return items.first == 0 ? items.size : -1;
    }
    default:
      return -1;
  }
}

/// A plan with what stands for each of its objects.
struct FlatPlan {
  std::vector<uint64_t> words;
  std::shared_ptr<const KeptPlan> plan;
  std::vector<int16_t> leaves;
};

}  // namespace

/// Each hash has one place.
struct FlatPlans {
  static constexpr size_t kPlaces = 256;
  ProcessMutex mutex;
  std::array<std::shared_ptr<const FlatPlan>, kPlaces> places;

  std::shared_ptr<const FlatPlan> find(const FlatExpression& x) {
    const std::lock_guard hold(mutex);
    const auto& found = places[hash_of(x.words()) % kPlaces];
    if (!found || !std::ranges::equal(found->words, x.words())) return {};
    return found;
  }
  void keep(const FlatExpression& x, std::shared_ptr<const FlatPlan> plan) {
    const std::lock_guard hold(mutex);
    std::swap(places[hash_of(x.words()) % kPlaces], plan);  // what goes ends behind the lock
  }
};

namespace {

// Never destroyed: arrays may be looked at while static objects end.
FlatPlans& plans() {
  static FlatPlans& p = *new FlatPlans;
  return p;
}

}  // namespace

FlatExpression::FlatExpression(const NodeRef& root) : root_(root) {
  const Node& n = *root;
  if (n.kind == NodeKind::list) {
    const Node* lists = &n;
    while (lists->contents[0]->kind == NodeKind::list) lists = lists->contents[0].get();
    is_flat_ = n.size < 0 && is_over_rows(lists->space.get()) && add_items(lists->contents[0], 1);
  } else {
    is_flat_ = (!is_option() || is_true(*n.column)) && add_items(value(), 2);
  }
  is_flat_ = is_flat_ && rows_ != nullptr && count_of_rows_ > 0;
  // Numbers alone are wherever arrays are made.
  if (!has_loads_) is_flat_ = is_flat_ && !other_memory_in_use() && is_host(surrounding_device());
}

bool FlatExpression::add_items(const NodeRef& items, uint64_t word) {
  const Node& n = *items;
  items_ = &n;
  const bool is_one = rows_ == nullptr;
  // A single float16 is stored by another plan than others.
  return n.kind == NodeKind::leaf && n.column->kind != ColumnKind::load &&
         !(is_one && n.column->dtype == DType::float16) && put(word) && add(*n.column, !is_one);
}

bool FlatExpression::put(uint64_t word) {
  if (size_ == kMostWords) return false;
  words_[size_++] = word;
  return true;
}

bool FlatExpression::is_over_rows(const Space* s) {
  if (s == rows_) return true;
  const int64_t count = items_side_by_side(*s);
  if (rows_ == nullptr) {
    rows_ = s;
    count_of_rows_ = count;
  }
  return count >= 0 && count == count_of_rows_;
}

bool FlatExpression::add(const Column& c, bool is_row) {
  const uint64_t word = static_cast<uint64_t>(c.kind) | static_cast<uint64_t>(c.dtype) << 8 |
                        static_cast<uint64_t>(c.op) << 16 | static_cast<uint64_t>(c.reducer) << 24;
  const auto add_arguments = [&](bool of_rows) {
    for (const ColumnRef& a : c.args) {
      if (a && !add(*a, of_rows)) return false;
    }
    return true;
  };
  switch (c.kind) {
    case ColumnKind::constant:
      return add_constant(c);
    case ColumnKind::load:
      return is_row && add_load(c);
    case ColumnKind::op:
    case ColumnKind::cast:
      return put(word | static_cast<uint64_t>(c.arity()) << 32) && add_arguments(is_row);
    case ColumnKind::reduce:
      return !is_row && c.space->kind == SpaceKind::unit && is_over_rows(c.over.get()) &&
             put(word | static_cast<uint64_t>(c.arity()) << 32) && add_arguments(true);
    default:
      return false;
  }
}

bool FlatExpression::add_leaf(const Column& c, uint64_t word) {
  if (count_ == kMostLeaves) return false;
  leaves_[count_++] = &c;
  return put(static_cast<uint64_t>(c.kind) | static_cast<uint64_t>(c.dtype) << 8 | word);
}

/// The first leaf with the same items, as that of a Signature.
bool FlatExpression::add_load(const Column& c) {
  const Buffer& b = c.buffer;
  if (c.args[0]->kind != ColumnKind::position || !is_over_rows(c.space.get()) || !on_host(b) ||
      is_absent(b))
    return false;
  uint64_t same = 0;
  while (same < count_ &&
         (leaves_[same]->kind != ColumnKind::load || leaves_[same]->buffer.data() != b.data()))
    same++;
  has_loads_ = true;
  const bool as_long = same < count_ && leaves_[same]->buffer.bytes() == b.bytes();
  return add_leaf(c, same << 16 | uint64_t{as_long} << 32);
}

bool FlatExpression::add_constant(const Column& c) {
  const Scalar& s = c.scalar;
  const uint64_t weak = uint64_t{c.weak} << 48;
  if (is_structural(s)) return add_leaf(c, weak | uint64_t{1} << 49) && put(s.u);
  const auto is_same = [&](const Column* x) {
    return x->kind == ColumnKind::constant && x->scalar.u == s.u && x->scalar.dtype == s.dtype &&
           std::bit_cast<uint64_t>(x->scalar.im) == std::bit_cast<uint64_t>(s.im);
  };
  uint64_t same = 0;
  while (same < count_ && !is_same(leaves_[same])) same++;
  return add_leaf(c, weak | same << 16);
}

/// By the plan that was kept, to memory() that is asked for once it is found.
template <class F>
bool FlatExpression::run(bool shortly, F&& memory, std::span<const StridedColumn> strided) const {
  const std::shared_ptr<const FlatPlan> found = is_flat_ ? plans().find(*this) : nullptr;
  if (!found) return false;
  const Executable& executable = *found->plan->parts[0].executable;
  if (!executable.runs_flat(rows(), shortly)) return false;
  std::array<const void*, kMostObjects> objects;
  const size_t count = found->leaves.size();
  for (size_t i = 0; i < count; i++) {
    const int16_t leaf = found->leaves[i];
    objects[i] = leaf >= 0       ? static_cast<const void*>(leaves_[static_cast<size_t>(leaf)])
                 : leaf == kRows ? rows_
                                 : unit().get();
  }
  if (strided.empty()) {
    executable.run_flat({objects.data(), count}, rows(), memory());
    return true;
  }
  std::array<const StridedItems*, kMostObjects> items{};
  for (size_t i = 0; i < count; i++)
    for (const StridedColumn& c : strided)
      if (objects[i] == c.load) items[i] = &c.items;
  executable.run_strided({objects.data(), count}, {items.data(), count}, rows(), memory());
  return true;
}

NodeRef FlatExpression::evaluate(bool shortly) const {
  const DType t = is_flat_ ? items_->column->dtype : DType::boolean;
  ColumnRef column;
  if (root_->kind == NodeKind::list) {
    Buffer b;
    const auto memory = [&] {
      void* items = nullptr;
      b = Buffer::allocate(rows() * itemsize(t), &items);
      return items;
    };
    if (!run(shortly, memory)) return {};
    column = stored_column(b, t, SpaceRef(rows_));
  } else {
    alignas(16) std::byte item[16];
    if (!run(shortly, [&] { return item; })) return {};
    column = constant(load_scalar(item, t));
  }
  NodeRef stored = leaf(std::move(column), items_->unit, items_->parameters);
  if (has_lists()) return with_leaf(*root_, std::move(stored));
  return root_.get() == items_ ? stored : with_content(std::move(stored));
}

bool FlatExpression::evaluate_to(std::byte* out, std::span<const StridedColumn> strided) const {
  const auto memory = [&] { return out; };
  return root_->kind == NodeKind::list && run(false, memory, strided);
}

NodeRef FlatExpression::without_lists() const {
  const SpaceRef all = graph::rows(rows());
  return list_node(all, leaf(over(items_->column, all)));
}

ColumnRef FlatExpression::over(const ColumnRef& c, const SpaceRef& rows) const {
  if (c->kind == ColumnKind::constant) return c;
  if (c->kind == ColumnKind::load) return stored_column(c->buffer, c->dtype, rows);
  return operation_over(c, rows, [&](const ColumnRef& a) { return over(a, rows); });
}

NodeRef FlatExpression::with_lists(const NodeRef& stored) const {
  const ColumnRef& c = stored->contents[0]->column;
  return with_leaf(*root_, leaf(stored_column(c->buffer, c->dtype, SpaceRef(rows_)), items_->unit,
                                items_->parameters));
}

NodeRef FlatExpression::with_content(NodeRef stored) const {
  auto* whole = new Node(*root_);
  const NodeRef result = whole;
  whole->contents[0] = std::move(stored);
  if (is_option()) whole->column = constant(Scalar::boolean(true));
  return result;
}

void FlatExpression::keep(const Signature& s, const std::shared_ptr<const KeptPlan>& plan) const {
  if (plan->parts.size() != 1 || !plan->parts[0].outputs.empty() ||
      !plan->parts[0].executable->runs_flat(1, false))
    return;
  auto kept = std::make_shared<FlatPlan>();
  const std::span<const void* const> objects = s.objects();
  if (!plan->used.empty() && plan->used.back() >= kMostObjects) return;
  kept->leaves.assign(plan->used.empty() ? 0 : static_cast<size_t>(plan->used.back()) + 1, kUnused);
  for (const int number : plan->used) {
    const void* object = objects[static_cast<size_t>(number)];
    int16_t& stands = kept->leaves[static_cast<size_t>(number)];
    for (size_t i = 0; i < count_ && stands < 0; i++)
      if (leaves_[i] == object) stands = static_cast<int16_t>(i);
    if (s.is_space(object)) stands = object == unit().get() ? kUnit : kRows;
    if (stands == kUnused) return;
  }
  kept->words.assign(words().begin(), words().end());
  kept->plan = plan;
  plans().keep(*this, std::move(kept));
}

}  // namespace serrate::graph
