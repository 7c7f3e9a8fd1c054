// Barriers on stored lists, by the kernels of lists.h.
#include "graph/evaluation/barriers.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "core/memory.h"
#include "core/seams.h"
#include "core/types/reducer_info.h"
#include "cpu/backend.h"
#include "cpu/lists/groups/distinct.h"
#include "cpu/lists/groups/group_lists.h"
#include "cpu/lists/groups/members.h"
#include "cpu/lists/lists.h"
#include "cpu/lists/matrices/integer_products.h"
#include "cpu/lists/matrices/small_products.h"
#include "cpu/lists/select_lists.h"
#include "cpu/machine/blas.h"
#include "cpu/machine/pool.h"
#include "graph/selection.h"

namespace serrate::cpu {

using namespace graph;

namespace {

/// Lists of numbers, and where the results go.
struct NumberLists {
  DType type;
  const std::byte* keys;
  const uint8_t* valid;  // null: all are
  Lists lists;
  std::byte* out;
};

void run(const Column& c, const NumberLists& x) {
  auto* order = reinterpret_cast<int64_t*>(x.out);
  const bool sorts = c.barrier == Barrier::argsort || c.barrier == Barrier::sort;
  if (const bool values = c.barrier == Barrier::sort;
      sorts && select_lists(x.type, x.keys, x.valid, x.lists, c.descending, Places::of(c),
                            values ? x.out : nullptr, values ? nullptr : order))
    return;
  switch (c.barrier) {
    case Barrier::argsort:
      return argsort_lists(x.type, x.keys, x.valid, x.lists, c.descending, order);
    case Barrier::sort:
      return sort_lists(x.type, x.keys, x.valid, x.lists, c.descending, x.out);
    case Barrier::inverse:
      return invert_lists(reinterpret_cast<const int64_t*>(x.keys), x.lists, order);
    case Barrier::scan:
      return scan_lists(c.reducer, x.type, x.keys, x.valid, x.lists, x.out);
    case Barrier::op_scan:
      return scan_lists(c.op, x.type, x.keys, x.lists, x.out);
  }
}

/// Lists of one length some at a time: the offsets of these are those of the next ones.
void run_regular(const Column& c, NumberLists x, int64_t lists, int64_t size) {
  const int64_t some = 4 * seams().task * num_threads() / std::max<int64_t>(size, 1);
  const int64_t most = std::clamp<int64_t>(some, 1, std::max<int64_t>(lists, 1));
  void* p = nullptr;
  const Buffer memory = Buffer::allocate(8 * (most + 1), &p);
  auto* const offsets = static_cast<int64_t*>(p);
  for (int64_t i = 0; i <= most; i++) offsets[i] = i * size;
  for (int64_t first = 0; first < lists; first += most) {
    x.lists = {offsets, std::min(most, lists - first)};
    run(c, x);
    const int64_t items = most * size;
    x.keys += items * itemsize(x.type);
    x.out += items * itemsize(c.dtype);
    if (x.valid != nullptr) x.valid += items;
  }
}

void run(const Column& c, const BarrierInput& in, std::byte* out) {
  const int64_t count = stored_extent(in.space->parent).size;
  const auto* valid =
      in.take_part ? reinterpret_cast<const uint8_t*>(in.data(in.take_part)) : nullptr;
  const auto numbers = [&](const Lists& lists) {
    const ColumnRef& key = in.key->column;
    return NumberLists{key->dtype, in.data(key), valid, lists, out};
  };
  if (!c.over && in.space->kind == SpaceKind::fixed)
    return run_regular(c, numbers({}), count, in.space->size);
  const Buffer offsets = offsets_on_host(in.space);
  const Lists lists{offsets.as<int64_t>(), count};
  if (!c.over) return run(c, numbers(lists));
  const SpaceRef& bytes = in.key->space;
  const Buffer ends = offsets_on_host(bytes);
  const auto* text = reinterpret_cast<const uint8_t*>(in.data(in.key->contents[0]->column, bytes));
  argsort_strings(text, ends.as<int64_t>(), valid, lists, c.descending,
                  reinterpret_cast<int64_t*>(out), Places::of(c).first);
}

/// The items of a barrier's input, and what keeps their offsets.
struct HashedInput {
  GroupedItems items;
  Buffer ends;

  HashedInput(const BarrierInput& in, bool descending) {
    items.descending = descending;
    if (in.take_part) items.valid = reinterpret_cast<const uint8_t*>(in.data(in.take_part));
    if (in.key->kind == NodeKind::list) {
      const SpaceRef& bytes = in.key->space;
      ends = offsets_on_host(bytes);
      items.ends = ends.as<int64_t>();
      items.keys = in.data(in.key->contents[0]->column, bytes);
    } else {
      items.type = in.key->column->dtype;
      items.keys = in.data(in.key->column);
    }
  }
};

/// A vector's memory, which it keeps.
template <class Vector>
Buffer buffer_of(Vector&& v) {
  if (v.size() < v.capacity() / 2) v.shrink_to_fit();
  const auto owner = std::make_shared<const Vector>(std::move(v));
  return Buffer(owner->data(), static_cast<int64_t>(owner->size() * sizeof(owner->front())), owner);
}

}  // namespace

std::optional<ItemGroups> group(const Column& order, const BarrierInput& in, bool numbers) {
  const Buffer offsets = offsets_on_host(in.space);
  const Lists lists{offsets.as<int64_t>(), stored_extent(in.space->parent).size};
  const HashedInput items(in, order.descending);
  ItemGroups out;
  void* p = nullptr;
  if (numbers) out.numbers = Buffer::allocate(4 * in.items, &p);
  auto found = group_lists(items.items, lists, static_cast<int32_t*>(p));
  if (!found) return {};
  out.groups = static_cast<int64_t>(found->counts.size());
  out.offsets = Buffer::allocate(8 * (lists.count + 1), &p);
  auto* ends = static_cast<int64_t*>(p);
  ends[0] = 0;
  for (int64_t l = 0; l < lists.count; l++) {
    const int64_t size = found->sizes[static_cast<size_t>(l)];
    ends[l + 1] = ends[l] + size;
    out.most = std::max(out.most, size);
  }
  out.firsts = buffer_of(std::move(found->firsts));
  if (numbers && lists.count == 1) {
    out.order = std::move(found->order);
    auto& begins = found->counts;
    begins.push_back(0);
    std::exclusive_scan(begins.begin(), begins.end(), begins.begin(), int64_t{0});
    out.begins = buffer_of(std::move(begins));
  } else {
    out.counts = buffer_of(std::move(found->counts));
  }
  return out;
}

std::optional<Buffer> distinct(const Column& order, const BarrierInput& in) {
  if (order.over || order.descending || in.take_part || stored_extent(in.space->parent).size != 1)
    return {};
  const ColumnRef& key = in.key->column;
  return distinct_numbers(key->dtype, in.data(key), in.items);
}

namespace {

/// Whether both booleans of some pair are true, found at the first one.
bool any_pair(const void* left, const void* right, int64_t n) {
  constexpr int64_t kWords = 8, kItems = kWords * 8;
  const auto *x = static_cast<const uint8_t*>(left), *y = static_cast<const uint8_t*>(right);
  int64_t i = 0;
  for (; i + kItems <= n; i += kItems) {
    uint64_t a[kWords], b[kWords], both = 0;
    std::memcpy(a, x + i, sizeof a);
    std::memcpy(b, y + i, sizeof b);
    for (int k = 0; k < kWords; k++) both |= a[k] & b[k];
    if (both != 0) return true;
  }
  for (; i < n; i++)
    if ((x[i] & y[i]) != 0) return true;
  return false;
}

}  // namespace

std::optional<Buffer> matrix_product(const MatrixPair& of) {
  // Calls of a library cost as much as this many products of our own loop.
  constexpr int64_t kFewest = 300;
  const int64_t size = itemsize(of.type), left = of.rows * of.inner * size,
                right = of.inner * of.columns * size, result = of.rows * of.columns * size;
  void* p = nullptr;
  if (of.type == DType::boolean) {
    const bool is_dot = of.count == 1 && of.rows == 1 && of.columns == 1;
    if (is_dot) {
      if (of.inner > seams().giant) return {};
      const Buffer one = Buffer::allocate(1, &p);
      *static_cast<uint8_t*>(p) = any_pair(of.left, of.right, of.inner);
      return one;
    }
  }
  // Of few columns an expression is as fast.
  constexpr int64_t kShortRow = 16;  // bytes
  const bool is_exact = of.type == DType::boolean || is_integer(of.type);
  if (is_exact && of.columns * size < kShortRow) return {};
  const Buffer out = Buffer::allocate(of.count * result, &p);
  if (!is_exact && of.count == 1 && of.rows == 1 && of.columns == 1 && of.inner >= kFewest) {
    if (!dot_vectors(of.type, of.inner, of.left, of.right, of.conjugates, p)) return {};
    return out;
  }
  if (of.conjugates) return {};
  if (!is_exact && of.rows * of.inner * of.columns < kFewest) {
    small_products({of.type, of.left, of.right, of.count, of.rows, of.inner, of.columns}, p);
    return out;
  }
  for (int64_t i = 0; i < of.count; i++) {
    const std::byte *x = static_cast<const std::byte*>(of.left) + i * left,
                    *y = static_cast<const std::byte*>(of.right) + i * right;
    std::byte* const to = static_cast<std::byte*>(p) + i * result;
    if (is_exact)
      integer_product({of.type, x, y, of.rows, of.inner, of.columns}, to);
    else if (!multiply_matrices(of.type, of.rows, of.columns, of.inner, x, y, to))
      return {};
  }
  return out;
}

Buffer members(const BarrierInput& items, const BarrierInput& set) {
  const HashedInput x(items, false), of(set, false);
  void* p = nullptr;
  const Buffer out = Buffer::allocate(items.items, &p);
  find_members(x.items, items.items, of.items, set.items, static_cast<uint8_t*>(p));
  return out;
}

namespace {

/// Are few places of long lists written, pages apart?
bool is_sparse(const Column& c, const BarrierInput& in) {
  if (c.barrier != Barrier::sort && c.barrier != Barrier::argsort) return false;
  const Places places = Places::of(c);
  const int64_t items = in.items / std::max<int64_t>(1, stored_extent(in.space->parent).size);
  return items >= seams().sparse &&
         (places.part || (places.first > 0 && places.first <= items / 64));
}

Buffer sparse(int64_t bytes, void** out) {
  void* p = acquire_sparse(static_cast<size_t>(bytes));
  *out = p;
  return Buffer(p, bytes, std::shared_ptr<const void>(p, [bytes](const void* q) {
                  release_sparse(const_cast<void*>(q), static_cast<size_t>(bytes));
                }));
}

}  // namespace

Buffer materialise(const Column& barrier, const BarrierInput& in, int64_t skip) {
  const int64_t size = itemsize(barrier.dtype), bytes = skip + in.items * size;
  void* out = nullptr;
  const Buffer result =
      is_sparse(barrier, in) ? sparse(bytes, &out) : Buffer::allocate(bytes, &out);
  if (skip > 0) std::memset(out, 0, static_cast<size_t>(size));
  run(barrier, in, static_cast<std::byte*>(out) + skip);
  return result;
}

}  // namespace serrate::cpu
