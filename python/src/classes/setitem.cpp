// x[...] = y, but for fields: numbers, ranges, indexes and masks of flat and regular arrays are
// written at once; all else goes by the numbers of the leaves that x[...] would give.
#include "common/checked.h"
#include "common/class.h"
#include "common/operands.h"
#include "convert/taking.h"
#include "graph/backend.h"
#include "graph/evaluate.h"
#include "graph/inputs.h"
#include "ops/tree/input.h"
#include "serrate/ufunc.h"

namespace serrate::python {
namespace {

constexpr const char* kName = "x[...] = ...";

// What checks on a GPU found of a stored tree.
void raise_checks_of(const graph::Node& n) {
  if (n.column) graph::settle(n.column->buffer);
  for (const graph::NodeRef& c : n.contents) raise_checks_of(*c);
}

std::optional<IndexRange> range_in(int64_t rows, nb::handle where) {
  if (!PySlice_Check(where.ptr())) {
    const Py_ssize_t at = PyNumber_AsSsize_t(where.ptr(), PyExc_IndexError);
    if (at == -1 && PyErr_Occurred()) throw nb::python_error();
    if (at < -rows || at >= rows) return {};
    return IndexRange{at < 0 ? at + rows : at, 1, 1};
  }
  for (const char* part : {"start", "stop", "step"}) {
    const nb::object x = where.attr(part);
    if (!x.is_none() && !PyLong_Check(x.ptr())) return {};
  }
  Py_ssize_t start = 0, stop = 0, step = 0;
  if (PySlice_Unpack(where.ptr(), &start, &stop, &step) < 0) throw nb::python_error();
  const Py_ssize_t size = PySlice_AdjustIndices(rows, &start, &stop, step);
  return IndexRange{start, size, step};
}

// x[i, a:b, ..., j] of regular lists, for one value: the ranges of its first dimensions.
std::optional<std::vector<IndexRange>> ranges_in(const Array& x, nb::handle where) {
  std::vector<int64_t> sizes;
  const graph::NodeRef root = x.node();
  const graph::Node* n = root.get();
  for (; ops::is_list(*n) && (sizes.empty() || n->size >= 0); n = n->contents[0].get())
    sizes.push_back(sizes.empty() ? x.size() : n->size);
  const bool are_all = n->kind == graph::NodeKind::leaf;
  const auto given = nb::borrow<nb::tuple>(where);
  std::vector<IndexRange> ranges;
  bool is_filled_up = false;
  for (const nb::handle one : given) {
    if (one.ptr() == Py_Ellipsis && !std::exchange(is_filled_up, true)) {
      if (!are_all || given.size() > sizes.size() + 1) return {};
      for (size_t left = sizes.size() + 1 - given.size(); left > 0; left--)
        ranges.push_back({0, sizes[ranges.size()], 1});
      continue;
    }
    if (!(is_integer(one) || PySlice_Check(one.ptr())) || ranges.size() == sizes.size()) return {};
    const auto range = range_in(sizes[ranges.size()], one);
    if (!range) return {};
    ranges.push_back(*range);
  }
  return ranges.empty() ? std::nullopt : std::optional(std::move(ranges));
}

// What is written at once, if it is.
std::optional<Array> written(const Array& x, nb::handle where, nb::handle value) {
  const TakingScope shared(Taking::share);  // they are read at once
  if (is_integer(where) || PySlice_Check(where.ptr())) {
    // Held once, or it could not be written to.
    if (value.is_none() || !ops::is_list(*x.node())) return {};
    const auto range = range_in(x.size(), where);
    if (!range) return {};
    return put_every(x, range->first, range->size, range->step, as_array(value, kName), kReplaced);
  }
  if (PyTuple_Check(where.ptr()) && is_number(value)) {
    const auto ranges = ranges_in(x, where);
    return ranges ? put_ranges(x, *ranges, as_array(value, kName), kReplaced) : std::nullopt;
  }
  const char kind = kind_of_numbers(where);
  if (kind == 'i') return put_at(x, as_array(where, kName), as_array(value, kName), {}, kReplaced);
  if (kind != 'b' || !is_number(value)) return {};
  if (auto done = put_masked(x, as_array(where, kName), as_array(value, kName), kReplaced))
    return done;
  // The mask becomes a part of an expression.
  const TakingScope snapshot(Taking::snapshot);
  return put_where(x, as_array(where, kName), as_array(value, kName));
}

}  // namespace

char kind_of_numbers(nb::handle o) {
  static const nb::handle ndarray = numpy("ndarray");
  if (const Array* a = array_in(o)) {
    const graph::Node* n = a->node().get();
    while (n->kind == graph::NodeKind::option || ops::is_list(*n)) n = n->contents[0].get();
    if (n->kind != graph::NodeKind::leaf) return 0;
    const DType t = n->column->dtype;
    return t == DType::boolean ? 'b' : is_integer(t) ? 'i' : 'f';
  }
  if (!is_instance(o, ndarray)) return 0;
  const nb::object kind = o.attr("dtype").attr("kind");
  const char k = text_in(kind).front();
  return k == 'u' ? 'i' : k;
}

bool is_number(nb::handle o) {
  static const nb::handle generic = numpy("generic");
  return PyLong_Check(o.ptr()) || PyFloat_Check(o.ptr()) || PyComplex_Check(o.ptr()) ||
         is_instance(o, generic);
}

void replace(nb::handle target, const Array& next) {
  Array* a = array_in(target);
  check<TypeError>(a, "only an Array can be written to");
  // What was there must not be lost to an error that shows later.
  if (graph::may_fail(next.node())) {
    evaluate(next);
    without_lock([n = next.node()] { raise_checks_of(*n); });
  }
  *a = next;
  static_cast<PyArray*>(a)->facts = {};
}

void set_items(nb::handle self, nb::handle where, nb::handle value) {
  const Beside beside(self, where, value);
  const auto simple = [&] {
    const Array x = *array_in(self);
    return written(x, where, value);
  }();
  if (simple) return replace(self, *simple);
  const Array x = *array_in(self);
  const nb::object numbered = wrap_array(leaf_positions(x));
  const nb::object places = numbered[where];
  replace(self, put(x, as_array(places, kName), as_array(value, kName), kReplaced));
}

}  // namespace serrate::python
