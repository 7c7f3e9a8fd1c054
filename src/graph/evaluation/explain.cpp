// The plan of an evaluation, drawn as text.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/host.h"
#include "core/seams.h"
#include "core/types/reducer_info.h"
#include "graph/backend.h"
#include "graph/evaluate.h"
#include "graph/evaluation/barriers.h"
#include "graph/evaluation/fills.h"
#include "graph/evaluation/stored_lists.h"
#include "graph/nest.h"
#include "graph/parts/outer_lists.h"
#include "graph/pointer_flags.h"
#include "graph/signature.h"
#include "graph/store.h"
#include "serrate/function.h"
#include "serrate/io.h"

namespace serrate::graph {
namespace {

constexpr size_t kMaxText = 160;

class Drawing {
 public:
  explicit Drawing(Explanation& out) : out_(out) {}

  /// What is stored before the rest can be computed: their inputs, then they themselves.
  void step(const Nest& inputs, std::span<const Fills::Fill> fills) {
    if (++steps_ > 1) line("", fmt::format("step {}", steps_));
    draw(inputs);
    for (const Fills::Fill& f : fills) {
      const Column& c = *f.column;
      if (c.kind != ColumnKind::barrier) continue;
      out_.passes++;
      line("", "store " + text(f.column));
      read(f.column->args[0]);
      if (is_stored(c.space)) out_.bytes_written += stored_extent(c.space).size * itemsize(c.dtype);
    }
  }

  void last(const Nest& nest) {
    if (steps_ > 0 && !nest.outputs().empty()) line("", fmt::format("step {}", ++steps_));
    draw(nest);
    for (const auto& [data, bytes] : seen_) out_.bytes_read += bytes;
    line("", fmt::format("reads {} bytes, writes {} bytes of known size", out_.bytes_read,
                         out_.bytes_written));
    for (const std::string& note : notes_) line("", note);
    const std::string in_steps =
        steps_ > 1 ? fmt::format(", in {} steps\nstep 1", steps_) : std::string();
    out_.text = fmt::format("{} pass{} over the data{}\n", out_.passes,
                            out_.passes == 1 ? "" : "es", in_steps) +
                out_.text;
  }

 private:
  void draw(const Nest& nest) {
    nest_ = &nest;
    if (nest.outputs().empty()) return;
    out_.passes += nest.passes();
    for (int c : nest.frames()[0].children) frame(c, "");
    for (const auto& o : nest.outputs()) {
      if (o.space->kind == SpaceKind::unit && !o.histogram)
        line("", "store " + text(o.column) + " as a scalar");
    }
    for (const auto& o : nest.outputs()) {
      read(o.column);
      if (o.histogram) {
        out_.bytes_written += 8 * o.column->space->size;
      } else if (o.space->kind == SpaceKind::unit || is_stored(o.space)) {
        out_.bytes_written += stored_extent(o.space).size * itemsize(o.column->dtype);
      }
    }
    for (const auto& f : nest.frames()) {
      read(f.space->starts);
      read(f.space->stops);
      read(f.space->predicate);
    }
  }

  void line(const std::string& indent, std::string what) {
    if (what.size() > kMaxText) {
      what.resize(kMaxText - 3);
      what += "...";
    }
    out_.text += indent + what + "\n";
  }

  static const char* list_head(const Frame& f) {
    if (f.repeats >= 0) return "for each item of its owner's list";
    return f.space->contiguous ? "for each item of its list" : "for each item of a part of a list";
  }

  void frame(int id, const std::string& indent) {
    const Frame& f = nest_->frames()[id];
    std::string head;
    switch (f.space->kind) {
      case SpaceKind::rows:
        head = f.space->size < 0 ? "for each row that is left"
                                 : fmt::format("for each of {} rows", f.space->size);
        break;
      case SpaceKind::list:
        head = list_head(f);
        break;
      case SpaceKind::fixed:
        head = fmt::format("for each of its {} items", f.space->size);
        break;
      case SpaceKind::select:
        head = "if " + text(f.space->predicate);
        break;
      case SpaceKind::flat:
        head = "as one flat list";
        break;
      case SpaceKind::combinations:
        head = fmt::format("for each combination of {} of its items{}", f.space->k,
                           f.space->replacement ? ", with replacement" : "");
        break;
      case SpaceKind::cartesian:
        head = fmt::format("for each combination of one item of each of {} lists", f.space->k);
        break;
      case SpaceKind::aligned:
        head = fmt::format("for each item of {} lists of equal length", f.space->bases.size());
        break;
      case SpaceKind::unit:
        break;
    }
    if (f.time > 0) head += fmt::format(" (walk {})", f.time + 1);
    line(indent, head);
    const std::string inner = indent + "  ";
    std::vector<int> inside = f.children;
    inside.insert(inside.end(), f.filters.begin(), f.filters.end());
    for (int c : inside) frame(c, inner);
    std::vector<const Column*> told;
    for (const Fold& x : f.folds) {
      if (std::find(told.begin(), told.end(), x.column) != told.end()) continue;
      told.push_back(x.column);
      line(inner, text(ColumnRef(x.column)));
    }
    for (const Column* c : f.histograms)
      line(inner, fmt::format("count in {} cells by {}", c->space->size, text(c->args[0])));
    for (const auto& o : nest_->outputs()) {
      if (o.frame == id && !o.histogram) line(inner, "store " + text(o.column));
    }
  }

  std::string buffer(const Column& c) {
    for (size_t i = 0; i < names_.size(); i++) {
      if (names_[i].data() == c.buffer.data()) return fmt::format("{}#{}", name(c.dtype), i);
    }
    names_.push_back(c.buffer);
    return fmt::format("{}#{}", name(c.dtype), names_.size() - 1);
  }

  std::string text(const ColumnRef& c) {
    left_ = kMaxText;
    return text(c, 0);
  }

  std::string text(const ColumnRef& c, int depth) {
    if (depth > 12 || left_ == 0) return "...";
    left_--;
    auto arg = [&](int i) { return text(c->args[i], depth + 1); };
    switch (c->kind) {
      case ColumnKind::constant:
        return is_floating(c->dtype) ? fmt::format("{}", c->scalar.f)
                                     : fmt::format("{}", c->scalar.i);
      case ColumnKind::load:
        return c->args[0]->kind == ColumnKind::position ? buffer(*c)
                                                        : fmt::format("{}[{}]", buffer(*c), arg(0));
      case ColumnKind::position:
        return "position";
      case ColumnKind::local:
        return c->link < 0 ? "index" : fmt::format("index{}", c->link);
      case ColumnKind::cast:
        return fmt::format("{}({})", name(c->dtype), arg(0));
      case ColumnKind::parent:
        return fmt::format("outer {}", arg(0));
      case ColumnKind::at:
        return c->space->bases.size() + static_cast<size_t>(c->space->k) > 1
                   ? fmt::format("{}'{}", arg(0), c->link + 1)
                   : arg(0);
      case ColumnKind::pick:
        return fmt::format("{}[{}]", arg(0), arg(1));
      case ColumnKind::check:
        return arg(0);
      case ColumnKind::histogram:
        return fmt::format("histogram({})", arg(0));
      case ColumnKind::barrier: {
        constexpr const char* names[] = {"argsort", "sort", "inverse"};
        if (c->barrier == Barrier::scan)
          return fmt::format("{}_scan({})", info(c->reducer).name, arg(0));
        if (c->barrier == Barrier::op_scan)
          return fmt::format("{}_scan({})", info(c->op).name, arg(0));
        return fmt::format("{}({})", names[static_cast<int>(c->barrier)], arg(0));
      }
      case ColumnKind::reduce:
        return fmt::format("{}({})", info(c->reducer).name, c->args[0] ? arg(0) : "");
      case ColumnKind::call: {
        std::string s;
        for (const ColumnRef& a : call_arguments(*c))
          s += (s.empty() ? "" : ", ") + text(a, depth + 1);
        return fmt::format("{}({})", c->function->name, s);
      }
      case ColumnKind::operands:
      case ColumnKind::op:
        break;
    }
    std::string s = fmt::format("{}(", info(c->op).name);
    for (int i = 0; i < c->arity(); i++) s += (i ? ", " : "") + arg(i);
    return s + ")";
  }

  /// Notes the stored buffers below a column.
  void read(const ColumnRef& c) {
    if (!c || c->kind == ColumnKind::constant) return;
    if (visited_.find(c.get())) return;
    visited_.set(c.get(), true);
    if (c->kind == ColumnKind::load) {
      if (c->check) notes_.insert(fmt::format("{} was {}", buffer(*c), c->check->text));
      const auto* p = c->buffer.data();
      int64_t bytes = c->buffer.bytes();
      if (c->args[0]->kind == ColumnKind::position && c->space && is_stored(c->space))
        bytes = std::min(bytes, stored_extent(c->space).size * itemsize(c->dtype));
      if (std::none_of(seen_.begin(), seen_.end(), [&](const auto& s) { return s.first == p; }))
        seen_.emplace_back(p, bytes);
    }
    for (const auto& a : c->args) read(a);
  }

  const Nest* nest_ = nullptr;
  Explanation& out_;
  int steps_ = 0;
  std::vector<Buffer> names_;  // held: what is drawn is let go, and others would have its address
  std::vector<std::pair<const std::byte*, int64_t>> seen_;
  PointerFlags visited_;
  size_t left_ = 0;              // columns that the line has room for
  std::set<std::string> notes_;  // why the engine had stored what is read
};

}  // namespace

namespace {

/// Lengths of unknown number that are added up: the host must know it.
int lengths_to_add_up(const StorePlan& p, const std::vector<bool>& summed) {
  int n = p.counts >= 0 && !summed[static_cast<size_t>(p.counts)] ? 1 : 0;
  for (const auto& c : p.children) n += lengths_to_add_up(c, summed);
  return n;
}

/// Why the engine had stored the columns of a tree.
void add_notes(const Node& n, std::set<std::string>& notes) {
  if (n.column && n.column->kind == ColumnKind::load && n.column->check)
    notes.insert("they were " + n.column->check->text);
  for (const auto& c : n.contents) add_notes(*c, notes);
}

/// The nest of these trees.
void plan(const std::vector<NodeRef>& roots, Nest& nest) {
  Store store;
  for (const auto& r : roots) store.add(r);
  store.demand(nest);
  nest.finish();
}

/// Derived lists as if they were stored: how long they are is not known.
SpaceRef as_if_stored(const SpaceRef& lists) {
  return stored_list(lists->parent, no_offsets(), DType::int64, {.first = 0, .size = 0});
}

/// As evaluation goes on: few outer lists, then fills, what needs them, and so on until there is
/// none. Are there outer lists?
bool draw_steps(std::vector<NodeRef> rest, Backend& b, Explanation& out) {
  const Capabilities& can = b.capabilities();
  Drawing drawing(out);
  const int64_t bytes = Signature(rest).most_bytes();
  const bool is_large = bytes > seams().again;
  bool has_outer = false;
  OuterLists outer(bytes, [&](const SpaceRef& lists) {
    Nest nest(can.repeats_lists, can.carries_picks);
    plan({lists_down_to(lists->parent, list_node(lists, unknown_node()))}, nest);
    drawing.step(nest, {});
    return as_if_stored(lists);
  });
  if (can.stores_outer_lists) {
    if (auto over_stored = outer(rest)) {
      rest = std::move(*over_stored);
      has_outer = true;
    }
  }
  std::vector<ColumnRef> first;
  for (;;) {
    const bool asked = !first.empty();
    Fills fills(can, std::exchange(first, {}));
    for (const auto& r : rest) fills.find(*r);
    Nest nest(can.repeats_lists, can.carries_picks);
    if (!fills.any()) {
      plan(rest, nest);
      if (!asked) first = b.stored_before(nest);
      if (first.empty()) {
        drawing.last(nest);
        return has_outer;
      }
      continue;
    }
    std::vector<NodeRef> inputs = fills.inputs();
    std::optional<StoredLists> lists;
    if (is_large) {
      lists.emplace(fills, inputs, rest).pretend();
      for (NodeRef& n : lists->others()) inputs.push_back(std::move(n));
    }
    plan(inputs, nest);
    drawing.step(nest, fills.fills());
    fills.pretend();
    for (auto& r : rest) {
      NodeRef behind = lists ? (*lists)(r) : NodeRef();
      r = behind ? std::move(behind) : fills.replace(r);
    }
  }
}

}  // namespace

Explanation explain(const std::vector<NodeRef>& roots, bool kernels, Device device) {
  Backend& b = backend(is_host(device) ? device_of(roots) : device);
  const Capabilities& can = b.capabilities();
  Nest nest(can.repeats_lists, can.carries_picks);
  Store store;
  for (const auto& r : roots) store.add(r);
  store.demand(nest);
  nest.finish();
  Explanation e;
  if (nest.outputs().empty()) {
    e.text = "0 passes over the data\nnothing to do: all values are stored\n";
    std::set<std::string> notes;
    for (const auto& r : roots) add_notes(*r, notes);
    for (const std::string& note : notes) e.text += note + "\n";
    return e;
  }
  if (draw_steps(roots, b, e) || !can.describes_plans || nest.needs_fills() ||
      nest.has_long_picks() || !b.stored_before(nest).empty())
    return e;
  std::vector<bool> summed(store.size());
  for (const auto& part : store.parts(can.most_inputs)) {
    Nest own(false, can.carries_picks);
    store.demand(own, part);
    own.finish();
    const Description d = b.describe(own);
    for (size_t i = 0; i < part.size(); i++) summed[static_cast<size_t>(part[i])] = d.summed[i];
    e.waits += d.waits;
    e.kernels += d.text;
  }
  for (const auto& p : store.plans()) e.waits += lengths_to_add_up(p, summed);
  e.text += e.waits == 0 ? "does not wait for the GPU\n"
                         : fmt::format("waits for the GPU {} time{}, to make room\n", e.waits,
                                       e.waits == 1 ? "" : "s");
  if (kernels) {
    e.text += "\n" + e.kernels;
  } else {
    e.kernels.clear();
  }
  return e;
}

}  // namespace serrate::graph

namespace serrate {

std::string explain(const std::vector<Array>& arrays, std::optional<Device> on) {
  std::vector<graph::NodeRef> roots;
  for (const Array& a : arrays) roots.push_back(a.node());
  const Device device = on.value_or(graph::device_of(roots));
  return graph::explain(roots, !is_host(device), device).text;
}

}  // namespace serrate
