// Building programs: values, their types, and the identities that need no instruction.
#include <algorithm>
#include <array>

#include "cpu/program/kernels.h"
#include "cpu/program/program.h"
#include "serrate/error.h"

namespace serrate::cpu {

using Value = ProgramBuilder::Value;

// Local value numbering (Cocke and Schwartz, 1970): a node like one that is there is that one.
Value ProgramBuilder::add(const Node& node) {
  constexpr size_t kFewest = 32;
  if (2 * (nodes_.size() + 1) > numbers_.size()) {
    numbers_.assign(std::max(kFewest, 2 * numbers_.size()), -1);
    nodes_.reserve(numbers_.size() / 2);
    for (size_t i = 0; i < nodes_.size(); i++) number_of(nodes_[i]) = static_cast<Value>(i);
  }
  Value& number = number_of(node);
  if (number < 0) {
    number = static_cast<Value>(nodes_.size());
    nodes_.push_back(node);
  }
  return number;
}

Value& ProgramBuilder::number_of(const Node& node) {
  const auto same = [&](const Node& n) {
    return n.kind == node.kind && n.type == node.type && n.op == node.op &&
           std::ranges::equal(n.args, node.args);
  };
  size_t hash = static_cast<size_t>(node.kind) | static_cast<size_t>(node.type) << 8 |
                static_cast<size_t>(node.op) << 16;
  for (const int arg : node.args)
    hash = (hash ^ (hash >> 29) ^ static_cast<uint32_t>(arg)) * 0x9e3779b97f4a7c15u;
  // Linear probing; half of the places are free.
  const size_t mask = numbers_.size() - 1;
  for (size_t at = (hash >> 32) & mask;; at = (at + 1) & mask) {
    Value& number = numbers_[at];
    if (number < 0 || same(nodes_[static_cast<size_t>(number)])) return number;
  }
}

Value ProgramBuilder::load(DType t, int slot) {
  return add({.kind = Kind::load, .type = t, .args = {slot, -1, -1}});
}

Value ProgramBuilder::gather(DType t, int slot, int index_slot, DType index_type) {
  check<TypeError>(index_type == DType::int32 || index_type == DType::int64,
                   "gather: expected an int32 or int64 index, got {}", serrate::name(index_type));
  return add({.kind = Kind::gather,
              .type = t,
              .args = {slot, index_slot, static_cast<int>(index_type)},
              .height = 1});
}

Value ProgramBuilder::scalar(DType t, int slot) {
  return add({.kind = Kind::scalar, .type = t, .args = {slot, -1, -1}});
}

Value ProgramBuilder::iota(int slot) {
  return add({.kind = Kind::iota, .type = DType::int64, .args = {slot, -1, -1}, .height = 1});
}

Value ProgramBuilder::cast(Value v, DType to) {
  const Node& from = nodes_[static_cast<size_t>(v)];
  if (from.type == to) return v;
  if (is_complex(from.type) && !is_complex(to) && to != DType::boolean) {
    // NumPy drops the imaginary part.
    const Value args[] = {v};
    return cast(op(Op::real, from.type, args), to);
  }
  if (from.type == DType::float16 && is_complex(to)) v = cast(v, DType::float32);
  return add({.kind = Kind::cast, .type = to, .args = {v, -1, -1}, .height = from.height});
}

Value ProgramBuilder::op(Op op, DType compute, std::span<const Value> args) {
  check<TypeError>(args.size() == info(op).arity, "{}: expected {} arguments, got {}",
                   info(op).name, info(op).arity, args.size());
  const Value principal = args[op == Op::where ? 1 : 0];
  check<TypeError>(type(principal) == compute, "{}: expected an argument of type {}, got {}",
                   info(op).name, serrate::name(compute), serrate::name(type(principal)));
  if (keeps(op, compute)) return principal;
  switch (op) {
    case Op::add: {
      // -x + y is y - x, exactly: one instruction less, and no place for -x.
      if (!is_integer(compute) && !is_floating(compute)) break;
      for (int i : {0, 1}) {
        const Node& n = nodes_[static_cast<size_t>(args[static_cast<size_t>(i)])];
        if (n.kind != Kind::op || n.op != Op::negative) continue;
        const Value both[] = {args[static_cast<size_t>(1 - i)], n.args[0]};
        return this->op(Op::subtract, compute, both);
      }
      break;
    }
    case Op::multiply:
      if (args[0] == args[1] && (is_integer(compute) || is_floating(compute))) {
        op = Op::square;
        args = args.first(1);
      }
      break;
    default:
      break;
  }
  DType types[3] = {};
  for (size_t i = 0; i < args.size(); i++) types[i] = type(args[i]);
  const DType result = result_type(op, {types, args.size()});

  // float16 is a storage type: each operation is done in float32 and rounded back.
  const bool native_half = op == Op::where || (info(op).flags & kOwnHalf);
  if (compute == DType::float16 && !native_half) {
    Value wide[3];
    for (size_t i = 0; i < args.size(); i++)
      wide[i] = type(args[i]) == DType::float16 ? cast(args[i], DType::float32) : args[i];
    const Value r = this->op(op, DType::float32, {wide, args.size()});
    return cast(r, result);
  }

  Node node{.kind = Kind::op, .type = result, .op = op};
  int heights[3] = {};
  for (size_t i = 0; i < args.size(); i++) {
    node.args[i] = args[i];
    heights[i] = nodes_[static_cast<size_t>(args[i])].height;
  }
  std::ranges::sort(heights, std::greater<>());
  // The higher one first; its result waits in scratch while the other is computed.
  node.height = std::max({heights[0], heights[1] > 0 ? heights[1] + 1 : 0, 1});
  return add(node);
}

void ProgramBuilder::store(Value v, int slot) { stores_.push_back({v, slot}); }

}  // namespace serrate::cpu
