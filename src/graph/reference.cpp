// The slow, obvious evaluator: one position at a time, straight from the definitions in ir.h. An
// oracle for tests.
#include "graph/reference.h"

#include <functional>
#include <span>
#include <string>
#include <unordered_map>

#include "cpu/program.h"
#include "graph/evaluate.h"
#include "graph/reference_values.h"

namespace serrate::graph {
namespace reference {
namespace {

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

}  // namespace

Raw raw_of(const void* p, DType t) {
  Raw r{};
  std::memcpy(r.data(), p, static_cast<size_t>(itemsize(t)));
  return r;
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

namespace {

/// The values at one place, so that what is used twice is computed once.
struct Known {
  const Place* place;
  std::unordered_map<const Column*, Raw> values;
};
thread_local Known* known_here = nullptr;

Raw eval_at(const ColumnRef& c, const PlaceRef& p);

}  // namespace

Raw eval(const ColumnRef& c, const PlaceRef& p) {
  if (c->height < 2) return eval_at(c, p);
  Known own{p.get(), {}};
  Known* const outer = known_here;
  const bool is_there = outer != nullptr && outer->place == p.get();
  Known& known = is_there ? *outer : own;
  if (const auto seen = known.values.find(c.get()); seen != known.values.end()) return seen->second;
  struct Restore {
    Known* before;
    ~Restore() { known_here = before; }
  } const restore{outer};
  known_here = &known;
  return known.values[c.get()] = eval_at(c, p);
}

namespace {

Raw eval_at(const ColumnRef& c, const PlaceRef& p) {
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
}  // namespace reference

NodeRef reference_evaluate(const NodeRef& root) {
  return reference::store(root, unit(), {reference::unit_place()});
}

}  // namespace serrate::graph
