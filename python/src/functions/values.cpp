// Functions on the values of arrays: their parts, rounding, types, categories.
#include <utility>
#include <vector>

#include "common/context.h"
#include "common/operands.h"
#include "core/host.h"
#include "functions/bind.h"
#include "graph/absent.h"
#include "graph/evaluate.h"
#include "interop/whole.h"
#include "ops/elementwise/strings_astype.h"
#include "ops/tree/input.h"
#include "serrate/io.h"

namespace serrate::python {
namespace {

// Functions of one array and nothing else.
// Options are given by name, but where NumPy has a function of this name.
auto of_one_array(const char* name, Array (*f)(const Array&)) {
  return [name, f](nb::handle array) { return f(as_array(array, name)); };
}

Array from_parts(const Buffers& b) {
  return interop::from_whole_buffers(b.form_json, b.length, [&](const std::string& key) {
    for (const auto& [name, buffer] : b.buffers) {
      if (name == key) return buffer;
    }
    return Buffer();
  });
}

Array packed(const Array& x) {
  if (x.is_scalar() || !is_host(x.device())) return x.evaluate();
  return from_parts(to_buffers(x));
}

// A stored tree of buffers of its own, which need no look at what is in them; null for some, as
// items of slices that begin late.
class CopiedTree {
 public:
  graph::NodeRef operator()(const graph::NodeRef& n) {
    if (!graph::is_stored(*n)) return {};
    return copied(n, graph::unit(), graph::unit());
  }

 private:
  // `over` became `to`.
  graph::NodeRef copied(const graph::NodeRef& n, const graph::SpaceRef& over,
                        const graph::SpaceRef& to) {
    using namespace graph;
    if (n->kind == NodeKind::categorical || n->kind == NodeKind::unknown) return {};
    auto* made = new Node(*n);
    const NodeRef result(made);
    if (n->column && n->column->kind != ColumnKind::constant) {
      made->column = copied(*n->column, over, to);
      if (!made->column) return {};
    }
    SpaceRef inside = over, inside_to = to;
    if (n->kind == NodeKind::list) {
      inside = n->space;
      inside_to = made->space = copied(n->space, to);
      if (!inside_to) return {};
    }
    for (auto& c : made->contents) {
      c = copied(c, inside, inside_to);
      if (!c) return {};
    }
    return result;
  }

  static graph::ColumnRef copied(const graph::Column& c, const graph::SpaceRef& over,
                                 const graph::SpaceRef& to) {
    using namespace graph;
    const StoredExtent e = stored_extent(over);
    if (over->kind == SpaceKind::unit || c.kind != ColumnKind::load || e.first != 0 ||
        is_absent(c.buffer))
      return {};
    return stored_column(Buffer::copy_of(c.buffer.data(), e.size * itemsize(c.dtype)), c.dtype, to);
  }

  graph::SpaceRef copied(const graph::SpaceRef& s, const graph::SpaceRef& parent) {
    using namespace graph;
    for (const auto& [of, copy] : spaces_) {
      if (of == s) return copy;
    }
    return spaces_.emplace_back(s, copied_lists(*s, parent)).second;
  }

  static graph::SpaceRef copied_lists(const graph::Space& s, const graph::SpaceRef& parent) {
    using namespace graph;
    if (s.kind == SpaceKind::rows) return SpaceRef(&s);
    if (s.kind == SpaceKind::fixed) return stored_fixed(parent, s.size);
    const StoredExtent lists = stored_extent(s.parent);
    const int64_t item = itemsize(s.starts->dtype);
    const Buffer &starts = s.starts->buffer, &stops = s.stops->buffer;
    if (is_absent(starts) || lists.first != 0 || lists.size == 0 ||
        s.stops->dtype != s.starts->dtype || stops.data() != starts.data() + item)
      return {};
    const Buffer offsets = Buffer::copy_of(starts.data(), (lists.size + 1) * item);
    return stored_list(parent, offsets, s.starts->dtype, s.extent);
  }

  std::vector<std::pair<graph::SpaceRef, graph::SpaceRef>> spaces_;
};

// With buffers that nobody else writes to.
Array copied(const Array& x) {
  const bool record = x.node()->kind == graph::NodeKind::record;
  if ((x.is_scalar() && !record) || !is_host(x.device())) return x.evaluate();
  if (const auto tree = CopiedTree()(x.node())) return Array(tree);
  Buffers b = to_buffers(record ? rows_of_one(x) : x);
  for (auto& [name, buffer] : b.buffers) buffer = Buffer::copy_of(buffer.data(), buffer.bytes());
  const Array all = from_parts(b);
  return record ? serrate::getitem(all, {int64_t{0}}) : all;
}

// As NumPy's, whose angle of a boolean is that of an integer.
Array angles(const Array& x, bool degrees) {
  using namespace graph;
  const auto map = [](const Array& a, auto&& f) {
    return Array(ops::map_leaves(unit(), a.node(), [&](const SpaceRef&, const NodeRef& n) {
      return n->kind == NodeKind::leaf ? leaf(f(n->column)) : n;
    }));
  };
  const Array out = angle(map(x, [](const ColumnRef& c) {
    return c->dtype == DType::boolean ? cast(c, DType::int64) : c;
  }));
  if (!degrees) return out;
  return map(out, [](const ColumnRef& c) { return apply(Op::rad2deg, {c}); });
}

Type as_type(nb::handle type) {
  if (nb::isinstance<Type>(type)) return nb::cast<Type>(type);
  check<TypeError>(PyUnicode_Check(type.ptr()), "enforce_type: expected a type or its text");
  return parse_type(std::string(text_in(type)), false);
}

void bind_numbers(nb::module_& m) {
  def_made<"real">(m, of_one_array, real);
  def_made<"imag">(m, of_one_array, imag);
  def<"angle">(m, [](nb::handle val, Truth deg) { return angles(as_array(val, "angle"), deg); });
  def<"round">(m, [](nb::handle array, int decimals, nb::handle out) {
    check<TypeError>(out.is_none(), "round: out= is not supported");
    return round(as_array(array, "round"), decimals);
  });
  def<"clip">(m, [](nb::handle array, nb::handle min, nb::handle max) {
    const Beside beside(array, min, max);
    const std::optional<Array> lo = optional_array(min, "clip");
    const std::optional<Array> hi = optional_array(max, "clip");
    return clip(as_array(array, "clip"), lo ? &*lo : nullptr, hi ? &*hi : nullptr);
  });
  def<"isclose">(m, [](nb::handle a, nb::handle b, double rtol, double atol, Truth equal_nan) {
    const auto [x, y] = as_operands("isclose", a, b);
    return at_least_one_row(isclose(x, y, {.rtol = rtol, .atol = atol, .equal_nan = equal_nan}));
  });
  def<"nan_to_num">(m, [](nb::handle array, Truth, nb::handle nan, nb::handle posinf,
                          nb::handle neginf) {
    const Beside beside(array);
    const std::optional<Array> high = optional_array(posinf, "nan_to_num");
    const std::optional<Array> low = optional_array(neginf, "nan_to_num");
    return at_least_one_row(nan_to_num(as_array(array, "nan_to_num"), as_array(nan, "nan_to_num"),
                                       high ? &*high : nullptr, low ? &*low : nullptr));
  });
  def_made<"nan_to_none">(m, of_one_array, nan_to_none);
}

void bind_types(nb::module_& m) {
  def<"strings_astype">(m, [](nb::handle array, nb::handle to) {
    std::string unit;
    const DType t = dtype_of_numpy(to, &unit);
    return ops::strings_astype(as_array(array, "strings_astype"), t, unit);
  });
  def<"enforce_type">(m, [](nb::handle array, nb::handle type) {
    return at_least_one_row(enforce_type(as_array(array, "enforce_type"), as_type(type)));
  });
  def<"is_categorical">(
      m, [](nb::handle array) { return is_categorical(as_array(array, "is_categorical")); });
  def<"categories">(
      m,
      [](nb::handle array, Truth highlevel, nb::handle behavior, nb::handle attrs) -> nb::object {
        begin(highlevel, behavior, attrs);
        const std::optional<Array> c = categories(as_array(array, "categories"));
        if (Meta meta = current_meta(); meta.attrs.is_valid()) {
          set_axis_names(meta, nb::none());  // those of the array are not the categories'
          remember_only(meta, {});
        }
        return c ? wrap(*c) : nb::none();
      });
  def_made<"from_categorical">(m, of_one_array, from_categorical);
}

}  // namespace

void bind_values(nb::module_& m) {
  bind_numbers(m);
  bind_types(m);
  def_made<"to_packed">(m, of_one_array, packed);
  def_made<"materialize">(m, of_one_array, [](const Array& x) { return x.evaluate(); });
  def<"copy">(m, [](nb::handle array) {
    begin(true, nb::none(), nb::none());
    const Array a = as_array(array, "copy");
    evaluate(a);
    return wrap(copied(a));
  });
}

}  // namespace serrate::python
