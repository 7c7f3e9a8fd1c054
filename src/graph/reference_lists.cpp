// Reductions, histograms and barriers, from all items of a list: see reference.cpp.
#include <algorithm>
#include <cmath>
#include <string>

#include "cpu/ragged.h"
#include "graph/reference_values.h"

namespace serrate::graph::reference {

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

namespace {

/// By the bytes of string keys, or by numbers.
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

}  // namespace

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

}  // namespace serrate::graph::reference
