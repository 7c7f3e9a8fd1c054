// Writing to places of stored numbers: see put_stored.h.
#include "ops/slice/put_stored.h"

#include <algorithm>
#include <vector>

#include "core/host.h"
#include "core/seams.h"
#include "core/types/load_scalar.h"
#include "graph/backend.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/held_once.h"
#include "graph/limits.h"
#include "graph/store.h"
#include "ops/tree/input.h"
#include "serrate/error.h"
#include "serrate/ops.h"

namespace serrate::ops {

using namespace graph;

bool takes(DType t, const Column& number, bool updates) {
  const DType value = number.dtype;
  if (is_time(t) || is_time(value)) return false;
  // Of a number NumPy and we write whether it is not 0; a boolean is no number.
  if ((t == DType::boolean) != (value == DType::boolean))
    return t == DType::boolean && !updates && !is_complex(value);
  if (is_complex(value) && !is_complex(t)) return false;
  return !updates || (number.weak ? promote_weak(t, value) : promote(t, value)) == t;
}

void check_places(int64_t places, int64_t values) {
  check<ValueError>(places == values, "{} values can't be written to {} places", values, places);
}

namespace {

/// Lists of numbers: the innermost list. Null for anything else.
const Node* innermost(const Node& root) {
  if (!is_list(root)) return nullptr;
  const Node* n = &root;
  while (is_list(*n->contents[0])) n = n->contents[0].get();
  return n->contents[0]->kind == NodeKind::leaf ? n : nullptr;
}

/// Numbers side by side in some memory, and what keeps them.
struct Numbers {
  NodeRef keep;
  const std::byte* data;
  int64_t size;
  Device device = Device::cpu;
};

/// The items of a stored tree of lists of numbers.
std::optional<Numbers> stored_numbers(const NodeRef& stored) {
  const Node* n = innermost(*stored);
  if (n == nullptr) return {};
  const ColumnRef& c = n->contents[0]->column;
  if (c->kind != ColumnKind::load) return {};
  const StoredExtent e = stored_extent(n->space);
  const auto* data = static_cast<const std::byte*>(stored_data(c));
  return Numbers{stored, data + e.first * itemsize(c->dtype), e.size, c->buffer.device()};
}

/// All numbers of an array, or the one number that it is, as another type.
std::optional<Numbers> numbers(const Array& values, DType t) {
  NodeRef flat = input(values);
  const bool is_number = flat->kind == NodeKind::leaf && flat->column->kind == ColumnKind::constant;
  if (is_number && t != DType::float16) {
    void* item = nullptr;
    const Buffer b = Buffer::allocate(itemsize(t), &item);
    store_scalar(flat->column->scalar.as(t), item);
    return Numbers{leaf(load(b, t, position(rows(1)))), b.data(), 1};
  }
  if (!is_list(*flat)) {
    const SpaceRef one = rows(1);
    flat = list_node(one, rebase_lift(flat, unit(), one));
  } else if (is_list(*flat->contents[0])) {
    flat = input(ravel(values));
  }
  if (innermost(*flat) == nullptr) return {};
  return stored_numbers(
      evaluate(list_node(flat->space, leaf(cast(flat->contents[0]->column, t)), flat->size)));
}

bool is_flat(const Node& n) { return is_list(n) && !is_list(*n.contents[0]); }

/// The numbers of an item of an array, if all have as many: 1 of a flat one, of a matrix a row's. 0
/// where lists are not regular, or nothing is in them.
int64_t numbers_of_item(const Node& root) {
  if (innermost(root) == nullptr || root.space->kind != SpaceKind::rows) return 0;
  int64_t numbers = 1;
  for (const Node* n = root.contents[0].get(); is_list(*n); n = n->contents[0].get())
    numbers = n->size < 0 ? 0 : items_of(numbers, n->size);
  return numbers;
}

/// Have lists of numbers these sizes below a list? The same below both.
bool have_same_sizes(const Node& a, const Node& b) {
  if (!is_list(a) || !is_list(b)) return !is_list(a) && !is_list(b);
  return a.size >= 0 && a.size == b.size && have_same_sizes(*a.contents[0], *b.contents[0]);
}

/// One value, or one for each number of `count` items of x: theirs, or those of the one item.
bool are_for_items(const Array& x, const Array& values, int64_t count) {
  if (values.is_scalar()) return true;
  const Node &item = *x.node()->contents[0], &given = *values.node();
  if (!is_list(given) || given.space->kind != SpaceKind::rows) return false;
  if (length_of(given.space) == count && have_same_sizes(item, *given.contents[0])) return true;
  return count == 1 && is_list(item) && item.size == length_of(given.space) &&
         have_same_sizes(*item.contents[0], *given.contents[0]);
}

/// Places and values, one for each of them, or one value.
struct Updates {
  Numbers places, values;
};

std::optional<Updates> updates(const Array& places, const Array& values, DType t) {
  const bool as_they_are =
      values.is_scalar() || (is_flat(*places.node()) && is_flat(*values.node()));
  for (const bool broadcast : {false, true}) {
    if (!broadcast && !as_they_are) continue;
    const Array given = broadcast ? places.evaluate() : places;
    const std::vector<Array> both =
        broadcast ? broadcast_arrays({given, values}) : std::vector{given, values};
    auto at = numbers(both[0], DType::int64);
    auto with = numbers(both[1], t);
    if (!at || !with) return {};
    if (const auto before = broadcast ? numbers(given, DType::int64) : at)
      check_places(before->size, at->size);
    if (values.is_scalar() || at->size == with->size) return Updates{std::move(*at), *with};
  }
  return {};
}

const ColumnRef* number_of(const Node& n) {
  const Node* list = innermost(n);
  if (list != nullptr) return &list->contents[0]->column;
  return n.kind == NodeKind::leaf ? &n.column : nullptr;
}

/// Types of items and of the values that come to them, which are others for booleans alone.
struct Types {
  DType items, values;
};

/// Can numbers be written to x, as far as types say?
std::optional<Types> writable(const Array& x, const Array& values, std::optional<Op> op) {
  const Node* list = innermost(*x.node());
  const NodeRef value = input(values);
  const ColumnRef* number = number_of(*value);
  if (list == nullptr || number == nullptr) return {};
  const DType t = list->contents[0]->column->dtype;
  // NumPy computes with numbers, and of what they give writes whether it is not 0.
  if (op && t == DType::boolean && takes(t, **number, false)) return Types{t, (*number)->dtype};
  if (!takes(t, **number, op.has_value())) return {};
  return Types{t, t};
}

constexpr int kHolders = 2;  // of x's root: x and `own`

/// The column of x's numbers, which `own` holds, if no expression or array besides has it.
const Column* own_column(const Array& x, const Numbers& own, int64_t handles) {
  return x.handles() == handles ? numbers_held_once(*own.keep, kHolders) : nullptr;
}

/// The column of what stored_numbers() found.
const Column& column_of(const Numbers& n) { return *innermost(*n.keep)->contents[0]->column; }

/// The lists of `own` with the numbers of a buffer, whose positions are those of their domain.
Array with_buffer(const Numbers& own, const Buffer& b) {
  const Node& list = *innermost(*own.keep);
  const Node& old = *list.contents[0];
  return Array(with_leaf(
      *own.keep, leaf(stored_column(b, old.column->dtype, list.space), old.unit, old.parameters)));
}

/// x with values that the device of its numbers writes.
std::optional<Array> written(const Array& x, const Numbers& own, const Numbers& values, bool is_one,
                             int64_t handles, ItemUpdates u) {
  if (is_one ? !is_host(values.device) : values.device != own.device) return {};
  const Column& old = column_of(own);
  if (!is_host(own.device)) {
    settle(old.buffer);
    if (!is_one) settle(column_of(values).buffer);
  }
  u.numbers = own.data;
  u.size = own.size;
  u.type = old.dtype;
  u.values = values.data;
  u.is_one = is_one;
  u.may_overwrite = own_column(x, own, handles) != nullptr;
  const std::optional<Buffer> out = backend(own.device).put(old.buffer, u);
  if (!out) return {};
  if (out->same_memory(old.buffer)) return x;
  return with_buffer(own, *out);
}

}  // namespace

std::optional<Array> put_stored(const Array& x, const Array& places, const Array& values,
                                std::optional<Op> op, int64_t handles) {
  const std::optional<Types> t = writable(x, values, op);
  if (!t || number_of(*input(places)) == nullptr) return {};
  const auto own = stored_numbers(x.evaluate().node());
  if (!own) return {};
  const auto found = updates(places, values, t->values);
  if (!found || found->places.device != own->device) return {};
  if (!is_host(own->device)) settle(column_of(found->places).buffer);
  return written(x, *own, found->values, values.is_scalar(), handles,
                 {.places = reinterpret_cast<const int64_t*>(found->places.data),
                  .count = found->places.size,
                  .op = op,
                  .value_type = t->values});
}

std::optional<Array> put_items(const Array& x, const Array& places, const Array& values,
                               int64_t handles) {
  const std::optional<Types> t = writable(x, values, {});
  const int64_t run = t ? numbers_of_item(*x.node()) : 0;
  if (run == 0 || !are_for_items(x, values, places.size())) return {};
  const auto own = stored_numbers(x.evaluate().node());
  const auto at = numbers(places, DType::int64);
  const auto with = own && at ? numbers(values, t->values) : std::nullopt;
  if (!with || at->device != own->device || !is_host(own->device)) return {};
  return written(x, *own, *with, values.is_scalar(), handles,
                 {.places = reinterpret_cast<const int64_t*>(at->data),
                  .count = at->size,
                  .run = run,
                  .value_type = t->values});
}

std::optional<Array> put_range(const Array& x, int64_t first, int64_t size, int64_t step,
                               const Array& values, int64_t handles) {
  const std::optional<Types> t = writable(x, values, {});
  const int64_t run = t ? numbers_of_item(*x.node()) : 0;
  if (run == 0 || !are_for_items(x, values, size)) return {};
  const auto own = stored_numbers(x.evaluate().node());
  const auto with = own ? numbers(values, t->values) : std::nullopt;
  if (!with) return {};
  ItemUpdates u{.count = size, .first = first, .step = step, .value_type = t->values};
  if (size == 1 || step == 1) {  // neighbours: as of a flat array
    u.count *= run;
    u.first *= run;
    u.step = 1;
  } else {
    u.run = run;
  }
  return written(x, *own, *with, values.is_scalar(), handles, u);
}

std::optional<Array> put_box(const Array& x, std::span<const IndexRange> ranges, const Array& value,
                             int64_t handles) {
  const std::optional<Types> t = writable(x, value, {});
  if (!t || numbers_of_item(*x.node()) == 0 || !value.is_scalar()) return {};
  const auto own = stored_numbers(x.evaluate().node());
  const auto with = own ? numbers(value, t->values) : std::nullopt;
  if (!with) return {};
  // From the last dimension on: how many numbers an index there stands for, and those dimensions
  // that go on where the next one ends as one.
  std::vector<int64_t> sizes, strides;
  int64_t first = 0, numbers_below = 1;
  const auto add = [&](auto&& self, const Node& lists, size_t d) -> bool {
    if (!is_list(lists)) return d >= ranges.size();
    if (!self(self, *lists.contents[0], d + 1)) return false;
    const int64_t length = d == 0 ? length_of(lists.space) : lists.size;
    const IndexRange r = d < ranges.size() ? ranges[d] : IndexRange{0, length, 1};
    const int64_t stride = r.step * numbers_below;
    first += r.first * numbers_below;
    numbers_below *= length;
    if (r.size == 1) return true;
    if (!sizes.empty() && stride == strides.back() * sizes.back()) {
      sizes.back() *= r.size;
    } else {
      sizes.push_back(r.size);
      strides.push_back(stride);
    }
    return true;
  };
  if (!add(add, *x.node(), 0)) return {};
  if (sizes.empty()) {
    sizes.push_back(1);
    strides.push_back(1);
  }
  std::ranges::reverse(sizes);
  std::ranges::reverse(strides);
  return written(x, *own, *with, true, handles,
                 {.first = first, .sizes = sizes, .strides = strides, .value_type = t->values});
}

std::optional<Array> put_under_mask(const Array& x, const Array& mask, const Array& value,
                                    int64_t handles) {
  const std::optional<Types> t = writable(x, value, {});
  if (!t || !value.is_scalar() || x.handles() != handles) return {};
  {
    const NodeRef root = input(x), masks = input(mask);
    const int64_t run = numbers_of_item(*root);
    if (run == 0 || !is_list(*masks) || masks->space->kind != SpaceKind::rows ||
        !have_same_sizes(*root->contents[0], *masks->contents[0]) || !is_stored(*root))
      return {};
    const Column& old = *innermost(*root)->contents[0]->column;
    const ColumnRef* const chosen = number_of(*masks);
    if (old.kind != ColumnKind::load || !on_host(old.buffer)) return {};
    if (chosen == nullptr || (*chosen)->dtype != DType::boolean) return {};
    // Few are written by what reads them.
    if (root->space->size * run < seams().block || masks->space->size != root->space->size)
      return {};
  }
  // Expressions of the numbers hold them until they are evaluated.
  const auto chosen = stored_numbers(mask.evaluate().node());
  const auto own = stored_numbers(x.node());
  const auto with = numbers(value, t->values);
  if (!chosen || !own || !with || !is_host(chosen->device)) return {};
  const Column* const alone = own_column(x, *own, handles);
  if (alone == nullptr || alone->buffer.writable() == nullptr) return {};
  return written(x, *own, *with, true, handles,
                 {.mask = reinterpret_cast<const uint8_t*>(chosen->data), .value_type = t->values});
}

std::optional<Array> put_selected(const Array& x, const Array& mask, const Array& value) {
  const NodeRef root = input(x), chosen = input(mask), one = input(value);
  if (!value.is_scalar() || one->kind != NodeKind::leaf) return {};
  const Node *n = root.get(), *m = chosen.get();
  while (is_list(*n) && is_list(*m) && same(n->space, m->space))
    n = n->contents[0].get(), m = m->contents[0].get();
  if (n == root.get() || m->kind != NodeKind::leaf || m->column->dtype != DType::boolean) return {};
  const Node* list = innermost(*root);
  if (list == nullptr) return {};
  const Node& old = *list->contents[0];
  const DType t = old.column->dtype;
  if (!takes(t, *one->column, false)) return {};
  // The mask is over the items of a list of x, or over lists of them.
  const Node* masked = root.get();
  while (masked->contents[0].get() != n) masked = masked->contents[0].get();
  const ColumnRef where = lift(m->column, masked->space, list->space);
  const ColumnRef written = lift(cast(one->column, t), unit(), list->space);
  return Array(with_leaf(
      *root, leaf(apply(Op::where, {where, written, old.column}), old.unit, old.parameters)));
}

}  // namespace serrate::ops
