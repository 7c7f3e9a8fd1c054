// Which programs are one loop: see inner_loop.h.
#include <utility>

#include "cpu/program/inner_loop.h"
#include "cpu/program/scheduler.h"

namespace serrate::cpu {

InnerLoop InnerLoop::of(const ProgramBuilder& builder, Isa isa) {
  return Scheduler::inner_loop(builder, isa);
}

InnerLoop Scheduler::inner_loop(const ProgramBuilder& builder, Isa isa) {
  InnerLoop loop;
  if (builder.stores_.size() != 1) return loop;
  const auto& [value, out] = builder.stores_[0];
  const auto node = [&](Value v) -> const Node& { return builder.nodes_[static_cast<size_t>(v)]; };
  const auto is_leaf = [](const Node& n) { return n.kind == Kind::load || n.kind == Kind::scalar; };
  const auto stride = [](const Node& n) {
    return static_cast<uint8_t>(n.kind == Kind::scalar ? 0 : itemsize(n.type));
  };
  const auto number = [](DType t) { return is_time(t) ? DType::int64 : t; };
  const Node& n = node(value);
  loop.out_ = out;
  loop.out_size_ = static_cast<uint8_t>(itemsize(n.type));
  loop.step_ = steps(isa).items;
  if (is_leaf(n)) {
    loop.kind_ = n.kind == Kind::scalar ? InnerLoop::fill : InnerLoop::copy;
    loop.x_ = loop.y_ = n.args[0];
    return loop;
  }
  if (n.kind == Kind::cast && node(n.args[0]).kind == Kind::load) {
    const Node& x = node(n.args[0]);
    loop.run_ = cast_loop(isa, number(x.type), number(n.type));
    loop.kind_ = loop.run_ == nullptr ? InnerLoop::none : InnerLoop::loop;
    loop.x_ = loop.y_ = x.args[0];
    loop.x_size_ = stride(x);
    return loop;
  }
  // Of float16 an operation on float32 stands between conversions, which are parts of the loop.
  const bool is_half = n.kind == Kind::cast && n.type == DType::float16;
  const Node& f = is_half ? node(n.args[0]) : n;
  if (f.kind != Kind::op || f.op == Op::where) return loop;
  const int arity = info(f.op).arity;
  // What is computed with, and what it is made of where that is converted before.
  const auto argument = [&](int i) -> const Node& {
    const Node& a = node(f.args[i]);
    if (!is_half) return a;
    if (a.kind != Kind::cast) return a;
    const Node& half = node(a.args[0]);
    return half.type == DType::float16 ? half : a;
  };
  const Node &x = argument(0), &y = argument(arity - 1);
  const auto is_converted = [&](const Node& v) {
    return v.kind == Kind::cast && node(v.args[0]).kind == Kind::load;
  };
  const Node& from_x = is_converted(x) ? node(x.args[0]) : x;
  const Node& from_y = is_converted(y) ? node(y.args[0]) : y;
  if (!is_leaf(from_x) || !is_leaf(from_y) ||
      (from_x.kind == Kind::scalar && from_y.kind == Kind::scalar))
    return loop;
  for (const DType t : {x.type, y.type})
    if ((t == DType::float16) != is_half || is_time(t) != is_time(x.type)) return loop;
  const auto [op, type] = row(f.op, x.type);
  // Not of halves, whose steps keep the order, which tells one zero from another; of two complex
  // numbers with a NaN it is seen which is returned.
  const bool first = x.kind == Kind::scalar,
             swap = first && !is_half && !is_complex(type) && (info(op).flags & kCommutative);
  const Operands operands = y.kind == Kind::scalar || swap ? Operands::second_is_one
                            : first                        ? Operands::first_is_one
                                                           : Operands::arrays;
  loop.run_ = steps_loop(isa, op, type, operands);
  if (loop.run_ == nullptr) return loop;
  const auto cast_of = [&](const Node& from, const Node& v) {
    return is_converted(v) ? cast_loop(isa, number(from.type), v.type) : nullptr;
  };
  loop.x_ = from_x.args[0], loop.x_size_ = stride(from_x);
  loop.y_ = from_y.args[0], loop.y_size_ = stride(from_y);
  loop.cast_x_ = cast_of(from_x, x), loop.cast_y_ = arity == 1 ? nullptr : cast_of(from_y, y);
  loop.wide_x_ = loop.wide_y_ = static_cast<uint8_t>(itemsize(x.type));
  const bool has_casts = (!is_converted(x) || loop.cast_x_ != nullptr) &&
                         (arity == 1 || !is_converted(y) || loop.cast_y_ != nullptr);
  if (!has_casts) return loop;
  loop.kind_ = InnerLoop::loop;
  if (swap) {
    std::swap(loop.x_, loop.y_);
    std::swap(loop.x_size_, loop.y_size_);
    std::swap(loop.cast_x_, loop.cast_y_);
  }
  return loop;
}

}  // namespace serrate::cpu
