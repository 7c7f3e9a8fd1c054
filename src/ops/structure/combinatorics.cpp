// combinations and argcombinations: k items of a list at a time.
#include <algorithm>

#include "graph/limits.h"
#include "graph/operation.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "serrate/error.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;

/// How many combinations of k out of n; regular lists have that many.
int64_t choose_count(int64_t n, int k, bool replacement) {
  const int64_t items = n;
  if (replacement) n += k - 1;
  if (n < k) return 0;
  __int128 out = 1;
  for (int64_t i = 0; i < std::min<int64_t>(k, n - k); i++) {
    out = out * (n - i) / (i + 1);
    check<ValueError>(out <= kMaxItems,
                      "combinations: {} at a time of lists with {} items are too many", k, items);
  }
  return static_cast<int64_t>(out);
}

NodeRef tuples(const CombinationOptions& o, std::vector<NodeRef> contents) {
  Parameters p;
  if (!o.with_name.empty()) p.emplace_back("__record__", json_quote(o.with_name));
  if (o.fields.empty()) return tuple_node(std::move(contents), std::move(p));
  return record_node(o.fields, std::move(contents), std::move(p));
}

Array combine(const Array& x, int k, const CombinationOptions& o, bool indices) {
  const graph::Operation operation;
  const char* where = indices ? "argcombinations" : "combinations";
  check<ValueError>(k >= 1, "{}: n must be at least 1, got {}", where, k);
  check<ValueError>(k <= kMostCombined, "{}: n must be at most {}, got {}", where, kMostCombined,
                    k);
  check<ValueError>(o.fields.empty() || o.fields.size() == static_cast<size_t>(k),
                    "{}: expected {} fields, got {}", where, k, o.fields.size());
  auto combine_list = [&](const NodeRef& list, const ColumnRef&) {
    const NodeRef n = ops::tuple_base(list);
    const SpaceRef v = combinations_space(n->space, k, o.replacement);
    std::vector<NodeRef> contents;
    for (int i = 0; i < k; i++) {
      contents.push_back(indices ? leaf(local(v, i)) : rebase_at(n->contents[0], n->space, v, i));
    }
    const int64_t size = n->size < 0 ? -1 : choose_count(n->size, k, o.replacement);
    return list_node(v, tuples(o, std::move(contents)), size, n->parameters);
  };
  return Array(ops::at_axis(ops::input(x), o.axis, where, combine_list, {.unknown = true}));
}

}  // namespace

Array combinations(const Array& x, int n, CombinationOptions o) { return combine(x, n, o, false); }
Array argcombinations(const Array& x, int n, CombinationOptions o) {
  const graph::Operation operation;
  return combine(x, n, o, true);
}

}  // namespace serrate
