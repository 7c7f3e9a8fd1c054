// Rows that are evaluated some at a time: what steps store on the way is as long as a part of them.
#pragma once

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/ir.h"
#include "graph/parts/substitution.h"
#include "graph/pointer_flags.h"

namespace serrate::graph {

class Backend;

/// Trees of rows that do not depend on one another, as the same trees of some of the rows.
class RowParts {
 public:
  explicit RowParts(const std::vector<NodeRef>& roots);
  /// Does each row depend on itself alone, and is something stored on the way that is no result?
  bool are_worth_it() const { return alike_ && stores_; }
  int64_t rows() const { return rows_; }
  /// Items of the lists that have most.
  int64_t items() const { return items_; }
  /// Trees of some rows, and the items of their lists that have most.
  struct Part {
    std::vector<NodeRef> trees;
    int64_t rows = 0, items = 0;
  };
  Part part(int64_t first, int64_t last) const;

 private:
  /// Where lists of stored ones are: their items are `first` to `last`.
  struct Range {
    int64_t first = 0, last = 0;
  };
  void look(const Node& n, bool is_result);
  void look(const SpaceRef& s);
  void look(const ColumnRef& c);
  /// Rows, and stored lists in them: loads of their items are where these are.
  bool lies_in_rows(const Space& s) const { return in_rows_.contains(&s); }
  SpaceRef lists(const Space& s, const Range& owners, Range& items, Substitution& to) const;

  const std::vector<NodeRef>& roots_;
  bool alike_ = true, stores_ = false;
  int64_t rows_ = -1, items_ = 0;
  PointerFlags seen_;
  std::unordered_map<const Space*, size_t> in_rows_;  // their numbers in lists_
  std::vector<SpaceRef> lists_;                       // each after its parent
  std::vector<ColumnRef> loads_;                      // of their items
  std::vector<ColumnRef> positions_;                  // that are asked for by others
};

/// The stored forms of trees, evaluated in parts of about as many items as the back end asks for;
/// nothing where rows depend on one another, or where there are no more items than that.
std::optional<std::vector<NodeRef>> evaluate_by_rows(const std::vector<NodeRef>& roots,
                                                     const Backend& b);

}  // namespace serrate::graph
