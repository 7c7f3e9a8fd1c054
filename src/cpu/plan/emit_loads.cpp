// Loads: in place, from places that are equally far apart, and gathered by indexes.
#include <algorithm>

#include "cpu/plan/emit.h"
#include "graph/known.h"

namespace serrate::cpu {

int Emitter::get_load(const ColumnRef& c, int f) {
  const ColumnRef& index = c->args[0];
  if (index->kind == ColumnKind::position && cpu(f).consecutive)
    return add(c, f, 0, 0, direct_slot(*c, f));
  if (const int e = get_strided(c, f); e >= 0) return e;
  if (const int e = get_outer_load(c, f); e >= 0) return e;
  const bool lists = cpu(f).starts >= 0 && is_only_folded(f);
  if (index->kind == ColumnKind::position && lists)
    return add(c, f, 0, 0, direct_slot(*c, f, Slot::lists));
  if (const int e = get_lines(c, f); e >= 0) return e;
  if (const int e = get_gathered(c, f); e >= 0) return e;
  looks_up_[static_cast<size_t>(f)] = true;
  const int i = get(index, f);
  const Entry& x = entries_[static_cast<size_t>(i)];
  const bool narrow = x.dtype == DType::int32;
  int index_slot;
  uint8_t time = x.time, stage = x.stage;
  if (x.scalar) {
    index_slot = vector_of(i);
    stage++;
  } else {
    const bool computed = x.slot < 0 || x.segment >= 0;
    index_slot = slot_of(i);
    if (computed) stage++;
  }
  const int s = segment(f, time, stage);
  assert_bounds(f, time, stage,
                {index_slot, narrow ? DType::int32 : DType::int64, object(c.get()), -1});
  return add_value(c, f, s,
                   segments_[static_cast<size_t>(s)].builder.gather(
                       c->dtype, base_slot(*c), index_slot, narrow ? DType::int32 : DType::int64));
}

int Emitter::get_outer_load(const ColumnRef& c, int f) {
  const ColumnRef& index = c->args[0];
  const int p = frame(f).parent;
  if (index->kind != ColumnKind::parent || index->args[0]->kind != ColumnKind::position ||
      frame(f).space->kind != SpaceKind::fixed || p == 0 || !cpu(p).consecutive)
    return -1;
  return add(c, f, 0, 0, expanded(direct_slot(*c, p), c->dtype, f));
}

int Emitter::get_strided(const ColumnRef& c, int f) {
  if (!cpu(f).consecutive || !graph::is_line(c->args[0])) return -1;
  Strided load{base_slot(*c), object(c.get()), c->dtype, {}};
  add_steps(c->args[0], load);
  if (load.index.size() > Strided::kMost) return -1;
  plan_.strided.push_back(std::move(load));
  return made_of(c, f, BlockOp::strided, plan_.strided.size() - 1);
}

int Emitter::get_lines(const ColumnRef& c, int f) {
  const Frame& fr = frame(f);
  if (fr.space->kind != SpaceKind::fixed || fr.repeats >= 0) return -1;
  const ColumnRef& index = c->args[0];
  if (index_kind(index, f) != IndexKind::line) return -1;
  Lines lines{{base_slot(*c), object(c.get()), c->dtype, {}}, -1};
  add_steps(index, lines.index);
  if (lines.index.index.size() > Strided::kMost) return -1;
  if (has_owner(index)) lines.first = vector_of(first_of_list(index, f));
  if (lines.first >= 0 || !cpu(f).consecutive || cpu(f).starts >= 0)
    cpu(f).needs_offsets = cpu(f).needs_local = true;
  plan_.lines.push_back(std::move(lines));
  return made_of(c, f, BlockOp::lines, plan_.lines.size() - 1);
}

int Emitter::get_gathered(const ColumnRef& c, int f) {
  const Frame& fr = frame(f);
  const ColumnRef& index = c->args[0];
  if (fr.space->kind != SpaceKind::fixed || fr.repeats >= 0 || index->kind != ColumnKind::op ||
      index->op != Op::add || index->dtype != DType::int64)
    return -1;
  const auto is_place = [](const ColumnRef& x) {
    return x->kind == ColumnKind::load && x->dtype == DType::int64 &&
           x->args[0]->kind == ColumnKind::local && x->args[0]->link < 0;
  };
  const int at = is_place(index->args[1]) ? 1 : 0;
  const ColumnRef &place = index->args[at], &outer = index->args[1 - at];
  if (!is_place(place) || index_kind(outer, f) != IndexKind::of_list || !has_owner(outer))
    return -1;
  const int first = vector_of(first_of_list(outer, f));
  cpu(f).needs_offsets = cpu(f).needs_local = true;
  plan_.gathered.push_back(
      {base_slot(*c), object(c.get()), c->dtype, first, base_slot(*place), object(place.get())});
  return made_of(c, f, BlockOp::gathered, plan_.gathered.size() - 1);
}

int Emitter::made_of(const ColumnRef& c, int f, BlockOp::Kind kind, size_t number) {
  const int out = slot(Slot::vector, c->dtype, f);
  block_ops_[static_cast<size_t>(f)].push_back({0, 0, 0, {kind, static_cast<int>(number), out}});
  return add(c, f, 0, 0, out);
}

void Emitter::add_steps(const ColumnRef& index, Strided& load) {
  if (index->kind == ColumnKind::op) {
    for (int i = 0; i < 2; i++) add_steps(index->args[i], load);
    load.index.push_back({index->op, Strided::Step::combined});
  } else if (index->kind == ColumnKind::constant) {
    load.index.push_back({Op{}, Strided::Step::constant, constant_slot(*index)});
  } else {
    const bool is_owner = index->kind == ColumnKind::parent;
    load.index.push_back({Op{}, is_owner ? Strided::Step::zero : Strided::Step::position});
  }
}

Emitter::IndexKind Emitter::index_kind(const ColumnRef& c, int f) {
  if (c->dtype != DType::int64) return IndexKind::other;
  switch (c->kind) {
    case ColumnKind::constant:
      return IndexKind::constant;
    case ColumnKind::parent:
      return IndexKind::of_list;
    case ColumnKind::local:
      return c->link < 0 ? IndexKind::line : IndexKind::other;
    case ColumnKind::position:
      return cpu(f).starts >= 0 ? IndexKind::line : IndexKind::other;
    case ColumnKind::op:
      break;
    default:
      return IndexKind::other;
  }
  if (c->op != Op::add && c->op != Op::subtract && c->op != Op::multiply) return IndexKind::other;
  const auto [least, most] = std::minmax({index_kind(c->args[0], f), index_kind(c->args[1], f)});
  const bool is_bent =
      c->op == Op::multiply && most == IndexKind::line && least != IndexKind::constant;
  return is_bent ? IndexKind::other : most;
}

bool Emitter::has_owner(const ColumnRef& c) {
  if (c->kind == ColumnKind::op) return has_owner(c->args[0]) || has_owner(c->args[1]);
  return c->kind == ColumnKind::parent || c->kind == ColumnKind::position;
}

int Emitter::first_of_list(const ColumnRef& c, int f) {
  const int p = frame(f).parent;
  switch (c->kind) {
    case ColumnKind::constant:
      return get(c, p);
    case ColumnKind::parent:
      return get(c->args[0], p);
    case ColumnKind::position:
      return get(wide_starts(f), p);
    case ColumnKind::op:
      break;
    default:
      return -1;
  }
  const int a = first_of_list(c->args[0], f), b = first_of_list(c->args[1], f);
  if (c->op == Op::multiply && (a < 0 || b < 0)) return -1;
  if (b < 0) return a;
  if (a < 0 && c->op == Op::add) return b;
  const auto [time, stage] = known_at({a, b});
  const int s = segment(p, time, stage);
  const int zero = a < 0 ? constant_slot(Scalar::of(int64_t{0})) : -1;
  const int x = a < 0 ? segments_[static_cast<size_t>(s)].builder.scalar(DType::int64, zero)
                      : in_segment(a, s);
  const int both[] = {x, in_segment(b, s)};
  return add_value(c, p, s,
                   segments_[static_cast<size_t>(s)].builder.op(c->op, DType::int64, both));
}

}  // namespace serrate::cpu
