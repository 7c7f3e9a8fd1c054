// The slow, obvious evaluator: one position at a time, straight from the definitions in ir.h. An
// oracle for tests.
#include "graph/reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>

#include "cpu/program.h"
#include "cpu/ragged.h"
#include "graph/evaluate.h"
#include "serrate/error.h"

namespace serrate::graph {
namespace {

/// A place in a space: its index in its list, its position in the domain, its owner, its positions
/// in base spaces.
struct Place {
  SpaceRef space;
  int64_t local = 0;
  int64_t domain = 0;
  std::shared_ptr<const Place> owner;
  std::vector<std::shared_ptr<const Place>> links;
};
using PlaceRef = std::shared_ptr<const Place>;
using Raw = std::array<std::byte, 16>;

template <class T>
T as(const Raw& r) {
  T v;
  std::memcpy(&v, r.data(), sizeof(T));
  return v;
}

Raw raw_of(const void* p, DType t) {
  Raw r{};
  std::memcpy(r.data(), p, static_cast<size_t>(itemsize(t)));
  return r;
}

Raw eval(const ColumnRef& c, const PlaceRef& p);

Raw run(const std::function<int(cpu::ProgramBuilder&)>& value, const std::vector<Raw>& args) {
  cpu::ProgramBuilder b;
  const int v = value(b);
  b.store(v, static_cast<int>(args.size()));
  const cpu::Program program = std::move(b).finish();
  Raw out{};
  std::vector<void*> slots;
  for (const Raw& a : args) slots.push_back(const_cast<std::byte*>(a.data()));
  slots.push_back(out.data());
  program.run(slots.data(), 1);
  return out;
}

Raw cast_raw(const Raw& r, DType from, DType to) {
  if (from == to) return r;
  return run([&](cpu::ProgramBuilder& b) { return b.cast(b.load(from, 0), to); }, {r});
}

Raw op_raw(Op op, const std::vector<DType>& types, const std::vector<Raw>& args) {
  return run(
      [&](cpu::ProgramBuilder& b) {
        int v[3];
        for (size_t i = 0; i < args.size(); i++) v[i] = b.load(types[i], static_cast<int>(i));
        return b.op(op, types[op == Op::where ? 1 : 0], std::span<const int>(v, args.size()));
      },
      args);
}

Raw constant_raw(const Scalar& s) {
  Raw r{};
  if (s.dtype == DType::float64 || s.dtype == DType::complex128) {
    std::memcpy(r.data(), &s.f, 8);
    std::memcpy(r.data() + 8, &s.im, 8);
    return r;
  }
  if (is_floating(s.dtype) || is_complex(s.dtype)) {
    const DType wide = is_complex(s.dtype) ? DType::complex128 : DType::float64;
    std::memcpy(r.data(), &s.f, 8);
    std::memcpy(r.data() + 8, &s.im, 8);
    return cast_raw(r, wide, s.dtype);
  }
  std::memcpy(r.data(), &s.i, 8);  // little-endian: the low bytes are the narrow integer
  return r;
}

bool truth(const ColumnRef& c, const PlaceRef& p) { return as<uint8_t>(eval(c, p)) != 0; }

int64_t integer(const ColumnRef& c, const PlaceRef& p) {
  return as<int64_t>(cast_raw(eval(c, p), c->dtype, DType::int64));
}

PlaceRef place(const SpaceRef& s, const PlaceRef& owner, int64_t local, int64_t domain,
               std::vector<PlaceRef> links = {}) {
  return std::make_shared<const Place>(Place{s, local, domain, owner, std::move(links)});
}

std::vector<PlaceRef> items(const SpaceRef& s, const PlaceRef& owner);

void tuples(const SpaceRef& s, const std::vector<std::vector<PlaceRef>>& lists,
            std::vector<PlaceRef>& chosen, size_t from, std::vector<std::vector<PlaceRef>>& out) {
  const size_t k = chosen.size();
  if (k == static_cast<size_t>(s->k)) {
    out.push_back(chosen);
    return;
  }
  const bool pairs = s->kind == SpaceKind::combinations;
  const auto& candidates = lists[pairs ? 0 : k];
  for (size_t i = pairs ? from : 0; i < candidates.size(); i++) {
    chosen.push_back(candidates[i]);
    tuples(s, lists, chosen, s->replacement ? i : i + 1, out);
    chosen.pop_back();
  }
}

std::vector<PlaceRef> items(const SpaceRef& s, const PlaceRef& owner) {
  std::vector<PlaceRef> out;
  auto add = [&](int64_t domain, std::vector<PlaceRef> links) {
    out.push_back(place(s, owner, static_cast<int64_t>(out.size()), domain, std::move(links)));
  };
  switch (s->kind) {
    case SpaceKind::unit:
      break;
    case SpaceKind::rows:
      for (int64_t i = 0; i < s->size; i++) add(i, {});
      break;
    case SpaceKind::list:
      for (int64_t i = integer(s->starts, owner), n = integer(s->stops, owner); i < n; i++)
        add(i, {});
      break;
    case SpaceKind::fixed:
      for (int64_t i = 0, start = integer(s->starts, owner); i < s->size; i++) add(start + i, {});
      break;
    case SpaceKind::select:
      for (const auto& q : items(s->bases[0], owner)) {
        if (truth(s->predicate, q)) add(0, {q});
      }
      break;
    case SpaceKind::flat:
      for (const auto& q : items(s->bases[0]->parent, owner)) {
        for (const auto& r : items(s->bases[0], q)) add(0, {r});
      }
      break;
    case SpaceKind::combinations:
    case SpaceKind::cartesian: {
      std::vector<std::vector<PlaceRef>> lists, found;
      for (const auto& b : s->bases) lists.push_back(items(b, owner));
      std::vector<PlaceRef> chosen;
      tuples(s, lists, chosen, 0, found);
      for (auto& f : found) add(0, std::move(f));
      break;
    }
    case SpaceKind::aligned: {
      std::vector<std::vector<PlaceRef>> lists;
      for (const auto& b : s->bases) lists.push_back(items(b, owner));
      for (const auto& l : lists)
        if (l.size() != lists[0].size())
          raise_unequal(s->where, static_cast<int64_t>(lists[0].size()),
                        static_cast<int64_t>(l.size()), owner->domain);
      for (size_t i = 0; i < lists[0].size(); i++) {
        std::vector<PlaceRef> links;
        for (const auto& l : lists) links.push_back(l[i]);
        add(0, std::move(links));
      }
      break;
    }
  }
  return out;
}

/// Every place of a space, in order.
std::vector<PlaceRef> all_items(const SpaceRef& s, const PlaceRef& root) {
  if (s->kind == SpaceKind::unit) return {root};
  std::vector<PlaceRef> out;
  for (const auto& p : all_items(s->parent, root)) {
    for (auto& q : items(s, p)) out.push_back(q);
  }
  return out;
}

Raw reduce_raw(const Column& c, const PlaceRef& p) {
  int64_t n = 0, best = -1;
  Raw acc =
      constant_raw(Scalar::of(int64_t{c.reducer == Reducer::prod || c.reducer == Reducer::all}));
  if (c.reducer == Reducer::sum || c.reducer == Reducer::prod)
    acc = cast_raw(acc, DType::int64, c.dtype);
  if ((c.reducer == Reducer::min || c.reducer == Reducer::max) && c.dtype != DType::float16) {
    const DType t = is_time(c.dtype) ? DType::int64 : c.dtype;
    cpu::fill_identity(static_cast<cpu::Reducer>(c.reducer), t, acc.data(), nullptr, 1);
  }
  bool first = true;
  for (const auto& q : items(c.over, p)) {
    const int64_t local = q->local;
    if (c.args[1] && !truth(c.args[1], q)) continue;
    n++;
    if (!c.args[0]) continue;
    const Raw v = eval(c.args[0], q);
    const DType t = c.args[0]->dtype;
    switch (c.reducer) {
      case Reducer::sum:
      case Reducer::prod:
        acc = op_raw(c.reducer == Reducer::sum ? Op::add : Op::multiply, {c.dtype, c.dtype},
                     {acc, cast_raw(v, t, c.dtype)});
        break;
      case Reducer::any:
      case Reducer::all:
      case Reducer::count_nonzero: {
        const int64_t b = as<uint8_t>(cast_raw(v, t, DType::boolean)) != 0;
        int64_t a = as<int64_t>(acc);
        a = c.reducer == Reducer::any ? (a | b) : c.reducer == Reducer::all ? (a & b) : a + b;
        acc = raw_of(&a, DType::int64);
        break;
      }
      default: {
        const bool less = c.reducer == Reducer::min || c.reducer == Reducer::argmin;
        if (first || as<uint8_t>(op_raw(less ? Op::less : Op::greater, {t, t}, {v, acc}))) {
          acc = v;
          best = local;
        }
        first = false;
      }
    }
  }
  if (c.reducer == Reducer::count) return raw_of(&n, DType::int64);
  if (c.reducer == Reducer::argmin || c.reducer == Reducer::argmax)
    return raw_of(&best, DType::int64);
  return acc;
}

Raw histogram_raw(const Column& c, const PlaceRef& p) {
  PlaceRef root = p;
  while (root->owner) root = root->owner;
  const bool extreme = c.reducer != Reducer::sum, least = c.reducer == Reducer::min;
  int64_t n = !extreme ? 0 : least ? INT64_MAX : INT64_MIN;
  double sum = !extreme ? 0 : least ? INFINITY : -INFINITY;
  for (const auto& q : all_items(c.over, root)) {
    const Raw cell = cast_raw(eval(c.args[0], q), c.args[0]->dtype, DType::int64);
    if (as<int64_t>(cell) != p->local) continue;
    if (extreme) {
      const Raw v = eval(c.args[1], q);
      if (least ? as<double>(v) < sum : as<double>(v) > sum) sum = as<double>(v);
      n = least ? std::min(n, as<int64_t>(v)) : std::max(n, as<int64_t>(v));
    } else if (c.dtype == DType::float64)
      sum += as<double>(eval(c.args[1], q));
    else
      n += c.args[1] ? as<int64_t>(eval(c.args[1], q)) : 1;
  }
  return c.dtype == DType::float64 ? raw_of(&sum, DType::float64) : raw_of(&n, DType::int64);
}

/// The bytes of a string key, or a number's.
bool comes_before(const Column& c, const PlaceRef& a, const PlaceRef& b) {
  if (c.over) {
    auto bytes = [&](const PlaceRef& p) {
      std::string s;
      for (const auto& q : items(c.over, p))
        s += static_cast<char>(as<uint8_t>(eval(c.args[0], q)));
      return s;
    };
    return c.descending ? bytes(b) < bytes(a) : bytes(a) < bytes(b);
  }
  const DType t = c.args[0]->dtype;
  const Raw x = eval(c.args[0], a), y = eval(c.args[0], b);
  auto is_last = [&](const Raw& v) {
    return (is_floating(t) || is_time(t)) && as<uint8_t>(op_raw(Op::isnan, {t}, {v})) != 0;
  };
  if (is_last(x) || is_last(y)) return !is_last(x) && is_last(y);
  return as<uint8_t>(
      op_raw(Op::less, {t, t}, c.descending ? std::vector{y, x} : std::vector{x, y}));
}

Raw scan_raw(const Column& c, const PlaceRef& p, const std::vector<PlaceRef>& list) {
  const DType t = c.dtype;
  const bool adds = c.barrier == Barrier::sum_scan, multiplies = c.barrier == Barrier::prod_scan;
  Raw acc = cast_raw(constant_raw(Scalar::of(int64_t{multiplies})), DType::int64,
                     is_time(t) ? DType::int64 : t);
  bool first = !adds && !multiplies;
  if (first && t != DType::float16 && c.barrier != Barrier::op_scan)
    cpu::fill_identity(c.barrier == Barrier::min_scan ? cpu::Reducer::min : cpu::Reducer::max,
                       is_time(t) ? DType::int64 : t, acc.data(), nullptr, 1);
  const Op op = adds                             ? Op::add
                : multiplies                     ? Op::multiply
                : c.barrier == Barrier::min_scan ? Op::minimum
                : c.barrier == Barrier::max_scan ? Op::maximum
                                                 : c.op;
  for (const auto& q : list) {
    if (q->local > p->local) break;
    if (c.args[1] && !truth(c.args[1], q)) continue;
    const Raw v = cast_raw(eval(c.args[0], q), c.args[0]->dtype, t);
    acc = first ? v : op_raw(op, {t, t}, {acc, v});
    first = false;
  }
  return acc;
}

Raw barrier_raw(const Column& c, const PlaceRef& p) {
  std::vector<PlaceRef> list = items(c.space, p->owner);
  const auto here = static_cast<size_t>(p->local);
  switch (c.barrier) {
    case Barrier::argsort:
    case Barrier::sort: {
      auto stays_out = [&](const PlaceRef& q) { return c.args[1] && !truth(c.args[1], q); };
      std::stable_sort(list.begin(), list.end(), [&](const PlaceRef& a, const PlaceRef& b) {
        if (stays_out(a) || stays_out(b)) return !stays_out(a) && stays_out(b);
        return comes_before(c, a, b);
      });
      if (c.barrier == Barrier::sort) return eval(c.args[0], list[here]);
      return raw_of(&list[here]->local, DType::int64);
    }
    case Barrier::inverse:
      for (const auto& q : list) {
        if (integer(c.args[0], q) == p->local) return raw_of(&q->local, DType::int64);
      }
      return Raw{};
    default:
      return scan_raw(c, p, list);
  }
}

Raw eval(const ColumnRef& c, const PlaceRef& p) {
  switch (c->kind) {
    case ColumnKind::constant:
      return constant_raw(c->scalar);
    case ColumnKind::load: {
      const int64_t i = integer(c->args[0], p);
      if (c->buffer.bytes() == 0) return Raw{};
      return raw_of(c->buffer.data() + i * itemsize(c->dtype), c->dtype);
    }
    case ColumnKind::position:
      return raw_of(&p->domain, DType::int64);
    case ColumnKind::local:
      return raw_of(c->link < 0 ? &p->local : &p->links[static_cast<size_t>(c->link)]->local,
                    DType::int64);
    case ColumnKind::op: {
      std::vector<DType> types;
      std::vector<Raw> args;
      for (int i = 0; i < c->arity(); i++) {
        types.push_back(c->args[i]->dtype);
        args.push_back(eval(c->args[i], p));
      }
      return op_raw(c->op, types, args);
    }
    case ColumnKind::cast:
      return cast_raw(eval(c->args[0], p), c->args[0]->dtype, c->dtype);
    case ColumnKind::parent:
      return eval(c->args[0], p->owner);
    case ColumnKind::at:
      return eval(c->args[0], p->links[static_cast<size_t>(c->link)]);
    case ColumnKind::pick: {
      if (c->args[2] && !truth(c->args[2], p)) return Raw{};
      PlaceRef owner = p;
      while (owner->space->depth > c->over->depth - 1) owner = owner->owner;
      return eval(c->args[0], items(c->over, owner)[static_cast<size_t>(integer(c->args[1], p))]);
    }
    case ColumnKind::reduce:
      return reduce_raw(*c, p);
    case ColumnKind::check: {
      const bool counts = !c->args[2] || truth(c->args[2], p);
      if (counts && !truth(c->args[1], p)) {
        const std::string text = c->check->where + ": " + c->check->text;
        c->check->raise(text);
      }
      return eval(c->args[0], p);
    }
    case ColumnKind::histogram:
      return histogram_raw(*c, p);
    case ColumnKind::barrier:
      return barrier_raw(*c, p);
  }
  return Raw{};
}

Buffer store(const ColumnRef& c, const std::vector<PlaceRef>& at) {
  void* out = nullptr;
  const int size = itemsize(c->dtype);
  Buffer b = Buffer::allocate(static_cast<int64_t>(at.size()) * size, &out);
  for (size_t i = 0; i < at.size(); i++)
    std::memcpy(static_cast<std::byte*>(out) + i * size, eval(c, at[i]).data(), size);
  return b;
}

NodeRef store(const NodeRef& n, const SpaceRef& to, const std::vector<PlaceRef>& at) {
  if (n->kind == NodeKind::unknown) return n;
  auto* r = new Node(*n);
  NodeRef result = r;
  if (n->column) r->column = stored_column(store(n->column, at), n->column->dtype, to);
  if (n->kind == NodeKind::categorical) return result;
  std::vector<PlaceRef> inner = at;
  SpaceRef inner_space = to;
  if (n->kind == NodeKind::list) {
    inner.clear();
    void* out = nullptr;
    Buffer offsets = Buffer::allocate(8 * (static_cast<int64_t>(at.size()) + 1), &out);
    auto* o = static_cast<int64_t*>(out);
    o[0] = 0;
    for (size_t i = 0; i < at.size(); i++) {
      for (auto& q : items(n->space, at[i])) inner.push_back(q);
      o[i + 1] = static_cast<int64_t>(inner.size());
    }
    if (to->kind == SpaceKind::unit) {
      inner_space = rows(static_cast<int64_t>(inner.size()));
    } else if (n->size >= 0) {
      inner_space = stored_fixed(to, n->size);
    } else {
      inner_space = stored_list(to, offsets, DType::int64);
    }
    r->space = inner_space;
  }
  for (auto& c : r->contents) c = store(c, inner_space, inner);
  return result;
}

}  // namespace

NodeRef reference_evaluate(const NodeRef& root) {
  const PlaceRef p = place(unit(), nullptr, 0, 0);
  return store(root, unit(), {p});
}

}  // namespace serrate::graph
