// Functions of users on broadcast arrays: see serrate/function.h.
#include <algorithm>
#include <functional>

#include "core/where.h"
#include "graph/operation.h"
#include "ops/tree/broadcast.h"
#include "ops/tree/input.h"
#include "serrate/error.h"
#include "serrate/function.h"

namespace serrate {

namespace {

using namespace graph;
using namespace ops;

/// The outputs of one call as the tree of its result.
class Outputs {
 public:
  Outputs(const Function& f, std::vector<ColumnRef> columns, ColumnRef counts, const Replay& replay)
      : f_(f), columns_(std::move(columns)), counts_(std::move(counts)) {
    if (!f_.may_fail) return;
    ok_ =
        graph::apply(Op::equal, {columns_.back(), constant(Scalar::of(int64_t{0}, DType::int32))});
    auto about = std::make_shared<CheckInfo>();
    about->family = CheckInfo::Family::function;
    about->text = f_.name + " raised an error of an item of row {position}";
    about->where = current_where("apply");
    about->replay = replay;
    about_ = std::move(about);
  }

  NodeRef tree() {
    std::vector<NodeRef> parts;
    std::vector<std::string> fields;
    for (const FunctionResult& r : f_.results) {
      parts.push_back(result(r));
      fields.push_back(r.field);
    }
    using Shape = FunctionParts::Shape;
    NodeRef all = f_.shape == Shape::number  ? parts[0]
                  : f_.shape == Shape::tuple ? tuple_node(parts)
                                             : record_node(std::move(fields), parts);
    return f_.may_be_missing ? option_node(next(), std::move(all)) : all;
  }

 private:
  ColumnRef next() {
    ColumnRef c = columns_[at_++];
    return about_ ? check_column(std::move(c), ok_, counts_, about_) : c;
  }
  NodeRef result(const FunctionResult& r) {
    NodeRef value = leaf(next());
    return r.may_be_missing ? option_node(next(), std::move(value)) : value;
  }

  const Function& f_;
  std::vector<ColumnRef> columns_;
  ColumnRef counts_, ok_;
  std::shared_ptr<const CheckInfo> about_;
  size_t at_ = 0;
};

std::string kind_of(const Node& n) {
  if (is_string(n)) return "strings";
  return n.kind == NodeKind::leaf ? std::string(name(n.column->dtype)) : "records";
}

/// The columns of leaves that are numbers.
std::vector<ColumnRef> numbers(const Function& f, const std::vector<NodeRef>& nodes) {
  std::vector<ColumnRef> out;
  for (const NodeRef& n : nodes) {
    check<TypeError>(n->kind == NodeKind::leaf && !is_time(n->column->dtype),
                     "apply: {} is called with numbers, got {}", f.name, kind_of(*n));
    out.push_back(n->column);
  }
  return out;
}

}  // namespace

namespace {

using MakeResult = std::function<NodeRef(std::vector<ColumnRef>, const ColumnRef& counts)>;

Array broadcast(const FunctionRef& f, const std::vector<Array>& args, const MakeResult& result) {
  const Operation operation;
  check<TypeError>(args.size() == f->arguments.size(), "apply: {} takes {} arguments, got {}",
                   f->name, f->arguments.size(), args.size());
  BroadcastOptions options;
  options.where = "apply";
  options.rule = BroadcastOptions::Rule::none;
  ColumnRef counts;
  options.guard = &counts;
  const auto at_leaves = [&](const SpaceRef&,
                             const std::vector<NodeRef>& nodes) -> std::optional<NodeRef> {
    const auto ends = [](const NodeRef& n) {
      return n->kind == NodeKind::leaf || n->kind == NodeKind::record || is_string(*n);
    };
    if (!std::ranges::all_of(nodes, ends)) return std::nullopt;
    return result(call(f, numbers(*f, nodes), counts), counts);
  };
  return Array(broadcast_apply(unit(), inputs(args), options, at_leaves));
}

}  // namespace

Array apply(const FunctionRef& f, const std::vector<Array>& args, Replay replay) {
  return broadcast(f, args, [&](std::vector<ColumnRef> outputs, const ColumnRef& counts) {
    return Outputs(*f, std::move(outputs), counts, replay).tree();
  });
}

Array apply_status(const FunctionRef& f, const std::vector<Array>& args) {
  check<TypeError>(f->may_fail, "apply: {} does not fail", f->name);
  return broadcast(f, args, [](std::vector<ColumnRef> outputs, const ColumnRef&) {
    return leaf(outputs.back());
  });
}

}  // namespace serrate
