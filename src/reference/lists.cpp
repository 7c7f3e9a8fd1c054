// Reductions, histograms and barriers, from all items of a list: see evaluator.h.
#include <algorithm>
#include <cmath>
#include <string>

#include "core/types/reducer_info.h"
#include "reference/evaluator.h"

namespace serrate::reference {

using namespace graph;

Raw Evaluator::reduce(const Column& c, const Place& p) {
  const ReducerInfo& row = info(c.reducer);
  const bool counts = row.item == ReducerInfo::Item::one;
  const DType state = row.has_index() ? c.args[0]->dtype : c.dtype;
  int64_t n = 0, best = -1;
  Raw acc = constant_raw(identity(c.reducer, is_time(state) ? DType::int64 : state));
  bool first = true;
  for (const Place* q : items(c.over, p)) {
    const int64_t local = q->local;
    if (!takes_part(c, *q)) continue;
    n++;
    if (counts) continue;
    const Raw v = eval(c.args[0], *q);
    const DType t = c.args[0]->dtype;
    if (!row.is_extreme()) {
      const DType item = row.item == ReducerInfo::Item::truth ? DType::boolean : c.dtype;
      acc = op_raw(row.join, {state, state}, {acc, cast_raw(cast_raw(v, t, item), item, state)});
      continue;
    }
    const auto holds = [&](Op op, const Raw& x, const Raw& y) {
      return as<uint8_t>(op_raw(op, {t, t}, {x, y})) != 0;
    };
    // NaN and NaT are passed over.
    const bool is_number = !first && holds(Op::not_equal, acc, acc) && holds(Op::equal, v, v);
    if (first || is_number || holds(row.is_least() ? Op::less : Op::greater, v, acc)) {
      acc = v;
      best = local;
    }
    first = false;
  }
  if (counts) return raw_of(&n, DType::int64);
  return row.has_index() ? raw_of(&best, DType::int64) : acc;
}

Raw Evaluator::histogram(const Column& c, const Place& p) {
  const std::pair<const void*, const void*> key(&c, nullptr);
  auto known = of_lists_.find(key);
  if (known == of_lists_.end()) known = of_lists_.emplace(key, cells(c)).first;
  return known->second[static_cast<size_t>(p.local)];
}

std::vector<Raw> Evaluator::cells(const Column& c) {
  const bool floats = c.dtype == DType::float64;
  const bool extreme = info(c.reducer).is_extreme(), least = info(c.reducer).is_least();
  const int64_t n0 = identity(c.reducer, DType::int64).i;
  const double sum0 = identity(c.reducer, DType::float64).f;
  const auto size = static_cast<size_t>(c.space->size);
  std::vector<int64_t> n(size, n0);
  std::vector<double> sum(size, sum0);
  for (const Place* q : all_items(c.over)) {
    const int64_t cell = integer(c.args[0], *q);
    if (cell < 0 || cell >= c.space->size) continue;
    const auto at = static_cast<size_t>(cell);
    if (!c.args[1]) {
      n[at]++;
    } else if (floats) {
      const auto v = as<double>(eval(c.args[1], *q));
      const bool is_better = least ? v < sum[at] : v > sum[at];
      sum[at] = !extreme ? sum[at] + v : is_better ? v : sum[at];
    } else {
      const auto v = as<int64_t>(eval(c.args[1], *q));
      n[at] = !extreme ? n[at] + v : least ? std::min(n[at], v) : std::max(n[at], v);
    }
  }
  std::vector<Raw> out(size);
  for (size_t i = 0; i < size; i++)
    out[i] = floats ? raw_of(&sum[i], DType::float64) : raw_of(&n[i], DType::int64);
  return out;
}

/// By the bytes of string keys, or by numbers.
bool Evaluator::comes_before(const Column& c, const Place& a, const Place& b) {
  if (c.over) {
    const auto bytes = [&](const Place& p) {
      std::string s;
      for (const Place* q : items(c.over, p))
        s += static_cast<char>(as<uint8_t>(eval(c.args[0], *q)));
      return s;
    };
    return c.descending ? bytes(b) < bytes(a) : bytes(a) < bytes(b);
  }
  const DType t = c.args[0]->dtype;
  const Raw x = eval(c.args[0], a), y = eval(c.args[0], b);
  const auto is_last = [&](const Raw& v) {
    return (is_floating(t) || is_time(t)) && as<uint8_t>(op_raw(Op::isnan, {t}, {v})) != 0;
  };
  if (is_last(x) || is_last(y)) return !is_last(x) && is_last(y);
  return as<uint8_t>(
      op_raw(Op::less, {t, t}, c.descending ? std::vector{y, x} : std::vector{x, y}));
}

std::vector<Raw> Evaluator::sorted(const Column& c, Places list) {
  std::stable_sort(list.begin(), list.end(), [&](const Place* a, const Place* b) {
    if (!takes_part(c, *a) || !takes_part(c, *b)) return takes_part(c, *a) && !takes_part(c, *b);
    return comes_before(c, *a, *b);
  });
  std::vector<Raw> out;
  out.reserve(list.size());
  for (const Place* p : list)
    out.push_back(c.barrier == Barrier::sort ? eval(c.args[0], *p)
                                             : raw_of(&p->local, DType::int64));
  return out;
}

std::vector<Raw> Evaluator::scanned(const Column& c, const Places& list) {
  const DType t = c.dtype;
  const bool by_op = c.barrier == Barrier::op_scan;
  // What stands where no item took part yet.
  Raw acc = constant_raw(by_op ? Scalar::of(int64_t{0}, t)
                               : identity(c.reducer, is_time(t) ? DType::int64 : t));
  bool first = by_op || info(c.reducer).is_extreme();
  const Op op = by_op ? c.op : info(c.reducer).running;
  std::vector<Raw> out;
  out.reserve(list.size());
  for (const Place* q : list) {
    if (takes_part(c, *q)) {
      const Raw v = cast_raw(eval(c.args[0], *q), c.args[0]->dtype, t);
      acc = first ? v : op_raw(op, {t, t}, {acc, v});
      first = false;
    }
    out.push_back(acc);
  }
  return out;
}

std::vector<Raw> Evaluator::barrier_of_list(const Column& c, const Places& list) {
  switch (c.barrier) {
    case Barrier::argsort:
    case Barrier::sort:
      return sorted(c, list);
    case Barrier::inverse: {
      std::vector<Raw> out(list.size());
      for (const Place* q : list)
        out.at(static_cast<size_t>(integer(c.args[0], *q))) = raw_of(&q->local, DType::int64);
      return out;
    }
    default:
      return scanned(c, list);
  }
}

Raw Evaluator::barrier(const Column& c, const Place& p) {
  const std::pair<const void*, const void*> key(&c, p.owner);
  auto known = of_lists_.find(key);
  if (known == of_lists_.end())
    known = of_lists_.emplace(key, barrier_of_list(c, items(c.space, *p.owner))).first;
  return known->second[static_cast<size_t>(p.local)];
}

}  // namespace serrate::reference
