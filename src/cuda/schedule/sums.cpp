// Lengths as sums: see sums.h.
#include "cuda/schedule/sums.h"

#include "graph/evaluate.h"

namespace serrate::cuda {

using namespace graph;

namespace {

/// More are not worth it; and a sum of sums of itself has no end.
constexpr size_t kMostParts = 64;

bool add_parts(const ColumnRef& c, int sign, std::vector<LengthPart>& parts) {
  if (parts.size() >= kMostParts) return false;
  if (c->kind == ColumnKind::constant && is_integer(c->dtype)) {
    parts.push_back({nullptr, nullptr, c, sign});
    return true;
  }
  if (c->kind != ColumnKind::op || c->dtype != DType::int64) return false;
  if (c->op == Op::add)
    return add_parts(c->args[0], sign, parts) && add_parts(c->args[1], sign, parts);
  if (c->op != Op::subtract) return false;
  const Column *stops = loaded_offset(*c->args[0]), *starts = loaded_offset(*c->args[1]);
  if (stops != nullptr && starts != nullptr && is_offset_behind(*stops, *starts) &&
      is_each_once(*stops)) {
    parts.push_back({starts, stops, {}, sign});
    return true;
  }
  return add_parts(c->args[0], sign, parts) && add_parts(c->args[1], -sign, parts);
}

}  // namespace

const Column* loaded_offset(const Column& c) {
  const Column& x = c.kind == ColumnKind::cast ? *c.args[0] : c;
  return x.kind == ColumnKind::load ? &x : nullptr;
}

bool is_offset_behind(const Column& stops, const Column& starts) {
  return stops.dtype == starts.dtype && same(stops.args[0], starts.args[0]) &&
         stops.buffer.data() == starts.buffer.data() + itemsize(stops.dtype);
}

bool is_each_once(const Column& load) {
  return load.args[0]->kind == ColumnKind::position && is_stored(load.space);
}

std::vector<LengthPart> parts_of(const ColumnRef& length) {
  std::vector<LengthPart> parts;
  if (!add_parts(length, 1, parts)) return {};
  return parts;
}

}  // namespace serrate::cuda
