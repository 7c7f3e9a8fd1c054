// Reductions, histograms and barriers, from all items of a list: see evaluator.h.
#include <algorithm>
#include <cmath>
#include <string>

#include "cpu/ragged.h"
#include "reference/evaluator.h"

namespace serrate::reference {

using namespace graph;

Raw Evaluator::reduce(const Column& c, const Place& p) {
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
  for (const Place* q : items(c.over, p)) {
    const int64_t local = q->local;
    if (!takes_part(c, *q)) continue;
    n++;
    if (!c.args[0]) continue;
    const Raw v = eval(c.args[0], *q);
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
        const auto holds = [&](Op op, const Raw& x, const Raw& y) {
          return as<uint8_t>(op_raw(op, {t, t}, {x, y})) != 0;
        };
        // NaN and NaT are passed over.
        const bool is_number = !first && holds(Op::not_equal, acc, acc) && holds(Op::equal, v, v);
        if (first || is_number || holds(less ? Op::less : Op::greater, v, acc)) {
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

Raw Evaluator::histogram(const Column& c, const Place& p) {
  const std::pair<const void*, const void*> key(&c, nullptr);
  auto known = of_lists_.find(key);
  if (known == of_lists_.end()) known = of_lists_.emplace(key, cells(c)).first;
  return known->second[static_cast<size_t>(p.local)];
}

std::vector<Raw> Evaluator::cells(const Column& c) {
  const bool floats = c.dtype == DType::float64;
  const bool extreme = c.reducer != Reducer::sum, least = c.reducer == Reducer::min;
  const int64_t n0 = !extreme ? 0 : least ? INT64_MAX : INT64_MIN;
  const double sum0 = !extreme ? 0 : least ? INFINITY : -INFINITY;
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
