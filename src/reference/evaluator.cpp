// Values of columns at places, by the definitions in ir.h: see evaluator.h. Arithmetic is that of
// the CPU's programs, of one item.
#include "reference/evaluator.h"

#include <functional>
#include <map>
#include <span>

#include "cpu/program/program.h"
#include "graph/backend.h"
#include "graph/evaluate.h"
#include "serrate/error.h"
#include "serrate/function.h"

namespace serrate::reference {

using namespace graph;

namespace {

/// The operation and the types of operands and result of a program.
using Key = std::array<int, 5>;

/// Programs are made once.
Raw run(const Key& key, const std::function<int(cpu::ProgramBuilder&)>& value,
        std::span<const Raw> args) {
  static thread_local std::map<Key, cpu::Program> programs;
  auto known = programs.find(key);
  if (known == programs.end()) {
    cpu::ProgramBuilder b;
    const int v = value(b);
    b.store(v, static_cast<int>(args.size()));
    known = programs.emplace(key, std::move(b).finish()).first;
  }
  Raw out{};
  std::vector<void*> slots;
  for (const Raw& a : args) slots.push_back(const_cast<std::byte*>(a.data()));
  slots.push_back(out.data());
  known->second.run(slots.data(), 1);
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
  return run({-1, static_cast<int>(from), static_cast<int>(to)},
             [&](cpu::ProgramBuilder& b) { return b.cast(b.load(from, 0), to); }, {&r, 1});
}

Raw op_raw(Op op, const std::vector<DType>& types, const std::vector<Raw>& args) {
  Key key{static_cast<int>(op), -1, -1, -1, static_cast<int>(args.size())};
  for (size_t i = 0; i < types.size(); i++) key[i + 1] = static_cast<int>(types[i]);
  return run(
      key,
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

int64_t Evaluator::integer(const ColumnRef& c, const Place& p) {
  return as<int64_t>(cast_raw(eval(c, p), c->dtype, DType::int64));
}

const Raw& Evaluator::eval(const ColumnRef& c, const Place& p) {
  const std::pair<const void*, const void*> key(c.get(), &p);
  if (const auto known = values_.find(key); known != values_.end()) return known->second;
  const Raw value = compute(*c, p);
  return values_.emplace(key, value).first->second;
}

Raw Evaluator::compute(const Column& c, const Place& p) {
  switch (c.kind) {
    case ColumnKind::constant:
      return constant_raw(c.scalar);
    case ColumnKind::load: {
      const int64_t i = integer(c.args[0], p);
      if (c.buffer.bytes() == 0) return Raw{};
      return raw_of(c.buffer.data() + i * itemsize(c.dtype), c.dtype);
    }
    case ColumnKind::position:
      return raw_of(&p.domain, DType::int64);
    case ColumnKind::local:
      return raw_of(c.link < 0 ? &p.local : &p.links[static_cast<size_t>(c.link)]->local,
                    DType::int64);
    case ColumnKind::op: {
      std::vector<DType> types;
      std::vector<Raw> args;
      for (int i = 0; i < c.arity(); i++) {
        types.push_back(c.args[i]->dtype);
        args.push_back(eval(c.args[i], p));
      }
      return op_raw(c.op, types, args);
    }
    case ColumnKind::call:
      return call(c, p);
    case ColumnKind::operands:
      break;
    case ColumnKind::cast:
      return cast_raw(eval(c.args[0], p), c.args[0]->dtype, c.dtype);
    case ColumnKind::parent:
      return eval(c.args[0], *p.owner);
    case ColumnKind::at:
      return eval(c.args[0], *p.links[static_cast<size_t>(c.link)]);
    case ColumnKind::pick: {
      if (c.args[2] && !truth(c.args[2], p)) return Raw{};
      const Place* owner = &p;
      while (owner->space->depth > c.over->depth - 1) owner = owner->owner;
      const auto index = static_cast<size_t>(integer(c.args[1], p));
      return eval(c.args[0], *items(c.over, *owner).at(index));
    }
    case ColumnKind::reduce:
      return reduce(c, p);
    case ColumnKind::check: {
      const Raw value = eval(c.args[0], p);
      const bool counts = !c.args[2] || truth(c.args[2], p);
      if (counts && !truth(c.args[1], p))
        raise_check(*c.check, p.row(), c.dtype == DType::int64 ? as<int64_t>(value) : 0);
      return value;
    }
    case ColumnKind::histogram:
      return histogram(c, p);
    case ColumnKind::barrier:
      return barrier(c, p);
  }
  return Raw{};
}

Raw Evaluator::call(const Column& c, const Place& p) {
  const Function& f = *c.function;
  check<TypeError>(f.block != nullptr, "{}: has no code for CPUs", f.name);
  if (c.args[1] && !truth(c.args[1], p)) return Raw{};
  std::vector<Raw> args, out(f.outputs().size());
  for (const ColumnRef& a : call_arguments(c)) args.push_back(eval(a, p));
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
  for (const Raw& a : args) inputs.push_back(a.data());
  for (Raw& o : out) outputs.push_back(o.data());
  f.block(f.state, 1, inputs.data(), nullptr, outputs.data());
  return out[static_cast<size_t>(c.link)];
}

}  // namespace serrate::reference
