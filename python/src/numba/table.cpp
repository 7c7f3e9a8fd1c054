// The walk over a stored tree that makes forms and words.
#include "numba/table.h"

#include <fmt/format.h>

#include <utility>

#include "core/host.h"
#include "core/json_text.h"
#include "graph/evaluate.h"
#include "graph/evaluation/text_lists.h"
#include "serrate/error.h"

namespace serrate::python::numba {
namespace {

using graph::ColumnRef;
using graph::Node;
using graph::NodeKind;
using graph::NodeRef;
using graph::SpaceRef;

std::string parameter(const Node& n, std::string_view name) {
  for (const auto& [key, json] : n.parameters) {
    if (key == name) return core::json_string(json).value_or("");
  }
  return {};
}

// Writes the form of a level and all below it; says to `out` where which words are.
class Walk {
 public:
  explicit Walk(Table* out) : out_(out) {}
  virtual ~Walk() = default;

  std::string form(const NodeRef& n) {
    at_level(n);
    switch (n->kind) {
      case NodeKind::leaf:
        return leaf(*n);
      case NodeKind::list:
        return list(*n);
      case NodeKind::option:
        return option(*n);
      case NodeKind::record:
        return record(*n);
      case NodeKind::categorical:
        return categorical(*n);
      case NodeKind::union_:
        word(nullptr);
        return fmt::format(R"(["no",{}])", json_quote(type_of(*n).str()));
      case NodeKind::unknown:
        break;
    }
    word(nullptr);
    return R"(["num","float64"])";  // no value is ever read
  }

 protected:
  virtual void at_level(const NodeRef&) {}

 private:
  void word(const void* address) {
    if (out_) out_->words.push_back(reinterpret_cast<intptr_t>(address));
  }

  void column(const ColumnRef& c) {
    if (c->kind == graph::ColumnKind::load || !out_) return word(c->buffer.data());
    throw TypeError("values of this array are not in memory");
  }

  std::string leaf(const Node& n) {
    column(n.column);
    const std::string_view type = name(n.column->dtype);
    if (n.column->dtype != DType::datetime64 && n.column->dtype != DType::timedelta64)
      return fmt::format(R"(["num","{}"])", type);
    return fmt::format(R"(["time","{}","{}"])", type, n.unit);
  }

  // The offsets' type, or the size of lists that have none.
  std::string width(const SpaceRef& s) {
    if (s->kind == graph::SpaceKind::fixed || s->kind == graph::SpaceKind::rows)
      return fmt::format("{}", s->size);
    offsets(s);
    return fmt::format(R"("{}")", name(s->starts->dtype));
  }

  void offsets(const SpaceRef& s) {
    if (!out_) return word(nullptr);
    const auto* starts = static_cast<const std::byte*>(graph::stored_data(s->starts));
    const auto* stops = static_cast<const std::byte*>(graph::stored_data(s->stops));
    check<TypeError>(
        s->stops->dtype == s->starts->dtype && stops == starts + itemsize(s->starts->dtype),
        "lists that do not follow each other: to_packed(array) makes such");
    word(starts);
  }

  std::string list(const Node& n) {
    const graph::TextKind text = graph::text_kind(n);
    const std::string w = width(n.space);
    if (text != graph::TextKind::none) {
      const ColumnRef& bytes = n.contents[0]->column;
      word(bytes && bytes->kind == graph::ColumnKind::load ? bytes->buffer.data() : nullptr);
      return fmt::format(R"(["{}",{}])", text == graph::TextKind::string ? "str" : "bytes", w);
    }
    return fmt::format(R"(["list",{},{},{}])", w, form(n.contents[0]),
                       json_quote(parameter(n, "__list__")));
  }

  std::string option(const Node& n) {
    if (n.contents[0]->kind == NodeKind::unknown) {
      word(nullptr);
      return R"(["none"])";
    }
    const bool all = graph::is_unmasked(n);
    if (!all) column(n.column);
    return fmt::format(R"(["{}",{}])", all ? "all" : "opt", form(n.contents[0]));
  }

  std::string record(const Node& n) {
    std::string names, contents;
    if (n.contents.empty()) word(nullptr);
    for (size_t k = 0; k < n.contents.size(); ++k) {
      const std::string name = n.is_tuple ? fmt::format("{}", k) : (*n.fields)[k];
      names += (k ? "," : "") + json_quote(name);
      contents += (k ? "," : "") + form(n.contents[k]);
    }
    return fmt::format(R"(["{}",[{}],[{}],{}])", n.is_tuple ? "tuple" : "rec", names, contents,
                       json_quote(parameter(n, "__record__")));
  }

  std::string categorical(const Node& n) {
    column(n.column);
    const NodeRef values = graph::evaluate(graph::list_node(n.space, n.contents[0]));
    if (out_) out_->nodes.push_back(values);
    return fmt::format(R"(["cat","{}",{}])", name(n.column->dtype), form(values->contents[0]));
  }

  Table* out_;
};

// Stops at the level whose words begin at a place, and whose form is the one looked for.
class Find : public Walk {
 public:
  Find(Table* scratch, int64_t place, std::string_view form)
      : Walk(scratch), scratch_(scratch), place_(place), form_(form) {}
  NodeRef found;

 private:
  void at_level(const NodeRef& n) override {
    if (found || static_cast<int64_t>(scratch_->words.size()) != place_) return;
    if (Walk(nullptr).form(n) == form_) found = n;
  }
  Table* scratch_;
  int64_t place_;
  std::string_view form_;
};

}  // namespace

std::unique_ptr<Table> table_of(const NodeRef& tree) {
  check<TypeError>(tree->kind == NodeKind::list, "expected an array or a record, got one value");
  auto t = std::make_unique<Table>();
  t->tree = tree;
  t->item = tree->contents[0];
  t->list_name = parameter(*tree, "__list__");
  t->form = Walk(t.get()).form(t->item);
  const graph::StoredExtent e = graph::stored_extent(tree->space);
  t->start = e.first;
  t->stop = e.first + e.size;
  return t;
}

NodeRef level_at(const Table& t, int64_t place, std::string_view form) {
  Table scratch;
  Find find(&scratch, place, form);
  find.form(t.item);
  return find.found;
}

}  // namespace serrate::python::numba
