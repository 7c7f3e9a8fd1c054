// Columns as CUDA text: see emit.h.
#include <array>
#include <stdexcept>

#include "core/where.h"
#include "cuda/codegen/emit.h"
#include "cuda/codegen/functions.h"
#include "graph/evaluate.h"
#include "serrate/error.h"

namespace serrate::cuda {

using namespace graph;

namespace {

bool is_integer_constant(const Column& c) {
  return c.kind == ColumnKind::constant && (is_integer(c.dtype) || c.dtype == DType::boolean);
}

/// An index that is 0 where a guard does not hold.
bool is_guarded(const Column& c) {
  return c.kind == ColumnKind::op && c.op == Op::where && is_integer_constant(*c.args[2]) &&
         c.args[2]->scalar.i == 0;
}

}  // namespace

void Emitter::close(Scope& outer, Text head, Scope& inner) {
  outer.code.add(std::move(head), std::move(inner.code));
}

std::string Emitter::leave(const Scope& s) {
  for (const Scope* at = &s; at != nullptr; at = at->up) {
    if (!at->leave.empty()) return at->leave;
  }
  return "return;";
}

void Emitter::call(Scope& outer, Scope& inner, const Text& condition) {
  const Text head = condition.empty() ? "" : "if (" + condition + ") ";
  outer.code.add(head + "[&]()", std::move(inner.code), "}();");
}

void Emitter::remember(const Column* c, const Cursor& k, Scope& scope, Text text) {
  scope.values.emplace_back(std::pair{c, k.id}, std::move(text));
}

const Text* Emitter::known(const Column* c, const Cursor& k, const Scope& scope) const {
  for (const Scope* s = &scope; s != nullptr; s = s->up) {
    for (const auto& [key, text] : s->values) {
      if (key.first == c && key.second == k.id) return &text;
    }
  }
  return nullptr;
}

Text Emitter::integer(const ColumnRef& c, Cursor& k, Scope& into) {
  const Text v = value(c, k, into);
  return c->dtype == DType::int64 ? v : "(long long)" + v;
}

const Text& Emitter::local(const Cursor& k) {
  if (k.local.empty()) throw std::logic_error("cuda: an item's index is not known");
  return k.local;
}

Text Emitter::value(const ColumnRef& c, Cursor& k, Scope& into) {
  if (c->kind == ColumnKind::constant) {
    const Scalar& s = c->scalar;
    if (is_integer_constant(*c) && (s.i == 0 || s.i == 1 || s.i == -1)) return literal(s);
    const Source real = a_.source(Source::real, c.get());
    if (const Text* v = known(c.get(), Cursor{}, into)) return *v;
    Text text;
    if (is_complex(c->dtype)) {
      const std::string re = a_.number("double", real);
      const std::string im = a_.number("double", a_.source(Source::imaginary, c.get()));
      const std::string part(
          type_text(c->dtype == DType::complex64 ? DType::float32 : DType::float64));
      text =
          std::string(type_text(c->dtype)) + "{(" + part + ")" + re + ", (" + part + ")" + im + "}";
    } else if (is_floating(c->dtype)) {
      const std::string n = a_.number("double", real);
      if (c->dtype == DType::float64) {
        text = n;
      } else {
        text = cast_text(DType::float64, c->dtype, n);
      }
    } else {
      text = "(" + std::string(type_text(c->dtype)) + ")" + a_.number("long long", real);
    }
    Scope* outermost = &into;
    while (outermost->up != nullptr) outermost = outermost->up;
    remember(c.get(), Cursor{}, *outermost, text);
    return text;
  }
  if (const Text* v = known(c.get(), k, into)) return *v;
  if (Scope& out = outermost(*c, k, into); &out != &into) return value(c, k, out);
  Text text;
  switch (c->kind) {
    case ColumnKind::constant:
      break;
    case ColumnKind::load:
      text = load(*c, k, into);
      break;
    case ColumnKind::position:
      return k.space->kind == SpaceKind::unit ? "0ll" : k.domain;
    case ColumnKind::local:
      return local(c->link < 0 ? k : *k.links[static_cast<size_t>(c->link)]);
    case ColumnKind::op:
      text = operation(*c, k, into);
      break;
    case ColumnKind::call:
      return call(*c, k, into);
    case ColumnKind::cast:
      text = cast_text(c->args[0]->dtype, c->dtype, value(c->args[0], k, into));
      break;
    case ColumnKind::parent:
      return value(c->args[0], *k.owner, *k.owner->scope);
    case ColumnKind::at: {
      const auto link = static_cast<size_t>(c->link);
      if (k.links[link] == nullptr) {  // aligned with a derived list
        text = counted(k.space->bases[link], c->args[0], *k.owner, local(k), "");
        break;
      }
      Cursor& base = *k.links[link];
      // A filter's base is computed behind the `if`; the bases of tuples in their own loops.
      return value(
          c->args[0], base,
          k.scope != nullptr && base.scope != k.scope && k.links.size() > 1 ? *base.scope : into);
    }
    case ColumnKind::pick: {
      if (nest_.carrier(*c) != nullptr) return carried(*c, k, into);
      const Text guard = c->args[2] ? value(c->args[2], k, into) : "";
      const Text index = integer(c->args[1], k, into);
      Cursor* owner = &k;
      while (owner->space->depth >= c->over->depth) owner = owner->owner;
      text = counted(c->over, c->args[0], *owner, index, guard);
      break;
    }
    case ColumnKind::reduce: {
      const Column* const first = first_like(c.get());
      return first == c.get() ? reduction(c, k) : value(ColumnRef(first), k, into);
    }
    case ColumnKind::check:
      return check(*c, k, into);
    case ColumnKind::operands:
    case ColumnKind::histogram:
    case ColumnKind::barrier:
      throw ValueError("cuda: histograms and barriers must be filled before");
  }
  const std::string name = fresh("v");
  line(into, "const " + std::string(type_text(c->dtype)) + " " + name + " = " + text + ";");
  remember(c.get(), k, into, name);
  return name;
}

Text Emitter::load(const Column& c, Cursor& k, Scope& into) {
  // A guarded gather of nothing: an empty buffer has no item 0. Its index may be checked.
  if (c.buffer.bytes() < itemsize(c.dtype)) {
    value(c.args[0], k, into);
    return zero(c.dtype);
  }
  // What is chosen where a guard holds is read only there: item 0 may lie before the memory, where
  // lists start late.
  ColumnRef at = c.args[0];
  Text guard;
  while (is_guarded(*at)) {
    if (!guard.empty()) guard += " && ";
    guard += value(at->args[0], k, into);
    at = at->args[1];
  }
  // A pointer and the same number for all lanes, and an int: one instruction finds the place.
  const bool split = at->kind == ColumnKind::position && !k.base.empty();
  const Text index = split ? k.base + " + " + k.offset : value(at, k, into);
  const bool truth = c.dtype == DType::boolean;
  const std::string b = a_.input(c);
  const bool is_staged = !k.staged.empty() && at->kind == ColumnKind::position && guard.empty() &&
                         itemsize(c.dtype) <= 8;
  // What is read is never written meanwhile: the read-only path may fetch ahead of stores.
  const bool plain = c.dtype != DType::float16 && !is_complex(c.dtype);
  Text item = plain ? "__ldg(" + b + " + " + index + ")" : b + "[" + index + "]";
  if (is_staged)
    item = stage(b, truth ? "unsigned char" : std::string(type_text(c.dtype)),
                 static_cast<int>(itemsize(c.dtype))) +
           "[" + k.staged + "]";
  if (truth) item += " != 0";
  if (guard.empty()) return item;
  return "(" + guard + " ? " + item + " : " + zero(c.dtype) + ")";
}

std::string Emitter::stage(const std::string& input, const std::string& type, int size) {
  for (const Staged& s : staged) {
    if (s.input == input) return s.name;
  }
  staged.push_back({input, type, fresh("t"), size});
  return staged.back().name;
}

Text Emitter::counted(const SpaceRef& over, const ColumnRef& c, Cursor& owner, const Text& index,
                      const Text& guard) {
  const std::string type(type_text(c->dtype));
  Scope outer;  // written inside an expression of the scope that asks: see value()
  outer.up = owner.scope;
  const std::string n = counter(outer);
  outer.leave = "return {};";
  if (!guard.empty()) line(outer, "if (!(" + guard + ")) return {};");
  each(over, owner, outer, {}, [&](Cursor& item, Scope& s) {
    Scope found = inside(s);
    line(found, "return " + value(c, item, found) + ";");
    close(s, "if (" + n + "++ == " + index + ")", found);
  });
  line(outer, "return {};");
  std::string lines;
  outer.code.print(lines, 1);
  return "[&]() -> " + type + " {\n" + Text(std::move(lines), outer.code.uses()) + "}()";
}

Text Emitter::operation(const Column& c, Cursor& k, Scope& into) {
  std::array<Text, 3> args;
  std::array<DType, 3> types{};
  const auto n = static_cast<size_t>(c.arity());
  // x ** 2 and the like: the exponent is part of the structure, as the instruction differs.
  if (c.op == Op::power && c.args[1]->kind == ColumnKind::constant) {
    const Scalar& e = c.args[1]->scalar;
    const bool floating = is_floating(c.dtype);
    if ((floating && e.f == 2.0) || (is_integer(c.dtype) && e.i == 2)) {
      args[0] = value(c.args[0], k, into);
      types[0] = c.args[0]->dtype;
      return op_text(Op::square, std::span(types.data(), 1), std::span(args.data(), 1));
    }
    if (floating && e.f == 1.0) return value(c.args[0], k, into);
  }
  for (size_t i = 0; i < n; i++) {
    args[i] = value(c.args[i], k, into);
    types[i] = c.args[i]->dtype;
  }
  return op_text(c.op, std::span(types.data(), n), std::span(args.data(), n));
}

int Emitter::check_number(const Column* c) {
  for (size_t i = 0; i < checks_.size(); i++) {
    if (checks_[i] == c) return static_cast<int>(i);
  }
  checks_.push_back(c);
  return static_cast<int>(checks_.size()) - 1;
}

Text Emitter::row(const Cursor& k) {
  const Cursor* c = &k;
  while (c->space->depth > 1 && c->owner != nullptr) c = c->owner;
  if (c != &k) knows_rows_ = false;  // but not which of a row's lists comes first
  if (c->space->depth == 1 && c->space->kind != SpaceKind::rows) {
    if (!c->local.empty()) return c->local;
    knows_rows_ = false;
  }
  // A derived walk over axis 0 whose threads do not know how many rows are before theirs tells the
  // row that it looks at.
  while (c->domain.empty() && !c->links.empty()) {
    if (c->links[0] == nullptr) return c->local;  // lists of which nothing is stored, side by side
    c = c->links[0];
  }
  while (c->space->depth > 1 && c->owner != nullptr) c = c->owner;
  return c->space->depth == 0 || c->domain.empty() ? "0ll" : c->domain;
}

Text Emitter::check(const Column& c, Cursor& k, Scope& into) {
  const Text ok = value(c.args[1], k, into);
  Text bad = "!(" + ok + ")";
  if (c.args[2]) bad = "(" + value(c.args[2], k, into) + ") && " + bad;
  // The value that is checked comes first: the message tells it.
  const Text v = value(c.args[0], k, into);
  const bool number = is_integer(c.dtype);
  const Text fail = prelude_call("sr_fail", {error_field, std::to_string(check_number(&c)), row(k),
                                             number ? "(long long)" + v : "0ll"}) +
                    "; ";
  if (into.together) {
    const std::string fails = fresh("v");
    line(into, "const bool " + fails + " = " + bad + ";");
    line(into, "if (" + fails + ") " + fail);
    line(into, "if (__any_sync(~0u, " + fails + ")) " + leave(into));
  } else {
    line(into, "if (" + bad + ") { " + fail + leave(into) + " }");
  }
  remember(&c, k, into, v);
  return v;
}

}  // namespace serrate::cuda
