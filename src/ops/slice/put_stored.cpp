// Writing to places of stored numbers: see put_stored.h.
#include "ops/slice/put_stored.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <type_traits>

#include "core/fill_items.h"
#include "core/host.h"
#include "core/types/load_scalar.h"
#include "core/types/with_number.h"
#include "core/unsigned_of_size.h"
#include "graph/backend.h"
#include "graph/evaluate.h"
#include "graph/held_once.h"
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

namespace {

/// Lists of numbers: the innermost list. Null for anything else.
const Node* innermost(const Node& root) {
  if (!is_list(root)) return nullptr;
  const Node* n = &root;
  while (is_list(*n->contents[0])) n = n->contents[0].get();
  return n->contents[0]->kind == NodeKind::leaf ? n : nullptr;
}

NodeRef with_leaf(const Node& n, NodeRef leaf) {
  if (!is_list(n)) return leaf;
  return list_node(n.space, with_leaf(*n.contents[0], std::move(leaf)), n.size, n.parameters);
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

/// f of a value of a type of numbers that arithmetic here is done with; false for others.
template <class F>
bool with_type(DType t, F&& f) {
  switch (t) {
    case DType::boolean:
      return f(bool{}), true;
    case DType::complex64:
      return f(std::complex<float>{}), true;
    case DType::complex128:
      return f(std::complex<double>{}), true;
    default:
      if (!is_integer(t) && t != DType::float32 && t != DType::float64) return false;
      return with_number(t, f), true;
  }
}

/// What integers are computed with, so that they wrap around.
template <class T>
struct WideOf {
  using type = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
};
template <>
struct WideOf<float> {
  using type = float;
};
template <>
struct WideOf<double> {
  using type = double;
};
template <class T>
struct WideOf<std::complex<T>> {
  using type = std::complex<T>;
};

template <class T>
inline constexpr bool is_complex_number = false;
template <class T>
inline constexpr bool is_complex_number<std::complex<T>> = true;

/// f of the function of an operation whose results have the type of its operands; false for others.
template <class T, class F>
bool with_operation(Op op, F&& f) {
  using W = typename WideOf<T>::type;
  if constexpr (is_complex_number<T>) {  // others are not those of std::complex
    if (op != Op::add && op != Op::subtract) return false;
  }
  if (std::is_same_v<T, bool> && op == Op::subtract) return false;
  switch (op) {
    case Op::add:
      return f([](T x, T y) { return T(W(x) + W(y)); }), true;
    case Op::subtract:
      return f([](T x, T y) { return T(W(x) - W(y)); }), true;
    case Op::multiply:
      return f([](T x, T y) { return T(W(x) * W(y)); }), true;
    default:
      break;
  }
  if constexpr (!is_complex_number<T>) {
    if (op == Op::maximum) return f([](T x, T y) { return ((x > y) | (x != x)) ? x : y; }), true;
    if (op == Op::minimum) return f([](T x, T y) { return ((x < y) | (x != x)) ? x : y; }), true;
  }
  return false;
}

bool has_update(Op op, DType t) {
  bool has = false;
  with_type(t, [&]<class T>(T) { has = with_operation<T>(op, [](auto) {}); });
  return has;
}

/// Places below 0 are counted from the end.
struct Places {
  const int64_t* at;  // null: first, first + step ...
  int64_t size;
  int64_t items;  // of the array
  int64_t first = 0, step = 1;
};

bool all_inside(const Places& places) {
  // By signs: comparisons of 64 bits are no instructions of SSE2. What wraps around has one, too.
  uint64_t signs = 0;
  const auto n = static_cast<uint64_t>(places.items);
  for (int64_t i = 0; i < places.size; i++) {
    const auto at = static_cast<uint64_t>(places.at[i]);
    signs |= (at + n) | (n - 1 - at);
  }
  return static_cast<int64_t>(signs) >= 0;
}

/// out[place] = f(out[place], value) for each place and its value, or the one value of all.
template <class T, class V = T, class F>
void each_place(const Places& places, const std::byte* from, bool one, std::byte* to, F&& f) {
  const V* values = reinterpret_cast<const V*>(from);
  T* const begin[] = {reinterpret_cast<T*>(to), reinterpret_cast<T*>(to) + places.items};
  const int64_t step = one ? 0 : 1;
  if (places.at == nullptr) {
    for (int64_t i = 0; i < places.size; i++) {
      T& x = begin[0][places.first + i * places.step];
      x = f(x, values[i * step]);
    }
    return;
  }
  for (int64_t i = 0; i < places.size; i++) {
    T& x = begin[places.at[i] < 0][places.at[i]];
    x = f(x, values[i * step]);
  }
}

/// Types of items and of the values that come to them, which are others for booleans alone.
struct Types {
  DType items, values;
};

void write(Types types, std::optional<Op> op, const Places& places, const std::byte* values,
           bool one, std::byte* out) {
  const DType t = types.items;
  if (!op) {
    with_bytes(itemsize(t), [&]<class T>(T) {
      if (places.at == nullptr && places.step == 1) {
        const T* from = reinterpret_cast<const T*>(values);
        T* to = reinterpret_cast<T*>(out) + places.first;
        if (one)
          fill_items(to, from, sizeof(T), static_cast<size_t>(places.size));
        else
          std::copy_n(from, places.size, to);
        return;
      }
      each_place<T>(places, values, one, out, [](const T&, const T& v) { return v; });
    });
    return;
  }
  if (types.values != t) {  // whether what numbers give is not 0, at each step
    with_type(types.values, [&]<class V>(V) {
      with_operation<V>(*op, [&](auto f) {
        each_place<bool, V>(places, values, one, out,
                            [f](bool x, V v) { return f(static_cast<V>(x), v) != V{}; });
      });
    });
    return;
  }
  with_type(t, [&]<class T>(T) {
    with_operation<T>(*op, [&](auto f) { each_place<T>(places, values, one, out, f); });
  });
}

bool is_flat(const Node& n) { return is_list(n) && !is_list(*n.contents[0]); }

/// Places and values, one for each of them, or one value.
struct Updates {
  Numbers places, values;
};

std::optional<Updates> updates(const Array& places, const Array& values, DType t) {
  const bool as_they_are =
      values.is_scalar() || (is_flat(*places.node()) && is_flat(*values.node()));
  for (const bool broadcast : {false, true}) {
    if (!broadcast && !as_they_are) continue;
    const std::vector<Array> both =
        broadcast ? broadcast_arrays({places, values}) : std::vector{places, values};
    auto at = numbers(both[0], DType::int64);
    auto with = numbers(both[1], t);
    if (!at || !with) return {};
    if (values.is_scalar() || at->size == with->size) return Updates{std::move(*at), *with};
  }
  return {};
}

const ColumnRef* number_of(const Node& n) {
  const Node* list = innermost(n);
  if (list != nullptr) return &list->contents[0]->column;
  return n.kind == NodeKind::leaf ? &n.column : nullptr;
}

/// Can numbers be written to x, as far as types say?
std::optional<Types> writable(const Array& x, const Array& values, std::optional<Op> op) {
  const Node* list = innermost(*x.node());
  const NodeRef value = input(values);
  const ColumnRef* number = number_of(*value);
  if (list == nullptr || number == nullptr) return {};
  const DType t = list->contents[0]->column->dtype;
  const DType v = (*number)->dtype;
  // NumPy computes with numbers, and of what they give writes whether it is not 0.
  if (op && t == DType::boolean && takes(t, **number, false))
    return has_update(*op, v) ? std::optional(Types{t, v}) : std::nullopt;
  if (!takes(t, **number, op.has_value()) || (op && !has_update(*op, t))) return {};
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

/// x with other numbers at places of it, by a device whose memory is not the host's.
std::optional<Array> put_elsewhere(const Array& x, const Numbers& own, const Updates& with,
                                   bool is_one, int64_t handles) {
  if (with.places.device != own.device || own.data != column_of(own).buffer.data() ||
      (is_one ? !is_host(with.values.device) : with.values.device != own.device))
    return {};
  for (const Numbers* n : {&own, &with.places}) settle(column_of(*n).buffer);
  if (!is_one) settle(column_of(with.values).buffer);
  const Column& old = column_of(own);
  const bool is_free = own_column(x, own, handles) != nullptr;
  const std::optional<Buffer> out = backend(own.device)
                                        .put({old.buffer, own.data, own.size, itemsize(old.dtype),
                                              reinterpret_cast<const int64_t*>(with.places.data),
                                              with.places.size, with.values.data, is_one, is_free});
  if (!out) return {};
  if (out->same_memory(old.buffer)) return x;
  return with_buffer(own, *out);
}

/// x with other numbers, which `fill` writes over its own or a copy of them.
template <class F>
Array with_numbers(const Array& x, const Numbers& own, int64_t handles, F&& fill) {
  const Column* const numbers = own_column(x, own, handles);
  if (numbers != nullptr && numbers->buffer.writable() != nullptr) {
    fill(const_cast<std::byte*>(own.data));
    return x;
  }
  // Positions stay those of the domain, of which items before the first one are not read.
  const int64_t size = itemsize(column_of(own).dtype);
  const int64_t before = stored_extent(innermost(*own.keep)->space).first * size;
  void* memory = nullptr;
  const Buffer out = Buffer::allocate(before + own.size * size, &memory);
  auto* to = static_cast<std::byte*>(memory) + before;
  std::memset(memory, 0, static_cast<size_t>(std::min(before, size)));
  if (own.size > 0) std::memcpy(to, own.data, static_cast<size_t>(own.size * size));
  fill(to);
  return with_buffer(own, out);
}

}  // namespace

std::optional<Array> put_stored(const Array& x, const Array& places, const Array& values,
                                std::optional<Op> op, int64_t handles) {
  const std::optional<Types> t = writable(x, values, op);
  if (!t || number_of(*input(places)) == nullptr) return {};
  const auto own = stored_numbers(x.evaluate().node());
  if (!own || (op && !is_host(own->device))) return {};
  const auto found = updates(places, values, t->values);
  if (!found) return {};
  if (!is_host(own->device)) return put_elsewhere(x, *own, *found, values.is_scalar(), handles);
  if (!is_host(found->places.device) || !is_host(found->values.device)) return {};
  const Places at{reinterpret_cast<const int64_t*>(found->places.data), found->places.size,
                  own->size};
  if (!all_inside(at)) return {};
  return with_numbers(x, *own, handles, [&](std::byte* to) {
    write(*t, op, at, found->values.data, values.is_scalar(), to);
  });
}

std::optional<Array> put_range(const Array& x, int64_t first, int64_t size, int64_t step,
                               const Array& values, int64_t handles) {
  const std::optional<Types> t = writable(x, values, {});
  if (!t || !is_flat(*x.node())) return {};
  const auto own = stored_numbers(x.evaluate().node());
  const auto with = own ? numbers(values, t->values) : std::nullopt;
  const int64_t last = first + (size - 1) * step;
  if (!with || !is_host(own->device) || !is_host(with->device) ||
      (!values.is_scalar() && with->size != size) ||
      (size > 0 && (std::min(first, last) < 0 || std::max(first, last) >= own->size)))
    return {};
  const Places at{nullptr, size, own->size, first, step};
  return with_numbers(x, *own, handles, [&](std::byte* to) {
    write(*t, {}, at, with->data, values.is_scalar(), to);
  });
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
