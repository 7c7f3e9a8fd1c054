// What is evaluated in several steps (graph/evaluation/fills.h), as one plan: which plans run one
// after the other, and on what. See docs/internals.md, "Steps, as one plan".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/evaluation/fills.h"
#include "graph/evaluation/plan_cache.h"
#include "graph/signature.h"
#include "graph/store.h"

namespace serrate::graph {

/// What stands for an object of the plan of a step: an object of the whole expression, a load that
/// a result brought, or what is always the same.
struct StandIn {
  enum Kind : uint8_t { none, whole, found, column, space } kind = none;
  int number = 0;
  bool operator==(const StandIn&) const = default;
};

/// The loads that columns of results are made of, and all else of them as words.
struct Brought {
  std::vector<ColumnRef> loads;
  std::vector<uint64_t> words;
  void add(const ColumnRef& c, const Signature& whole);
};

class Steps {
 public:
  /// The stored forms of trees that have this signature; nothing where what was not looked at
  /// before is not as it was.
  std::optional<std::vector<NodeRef>> run(const std::vector<NodeRef>& roots,
                                          const Signature& whole) const;
  /// Whether these are others, though nothing of the data is another.
  bool contradicts(const Steps& o) const;

 private:
  friend class StepsRecorder;
  class Run;
  /// Trees that are evaluated together.
  struct Part {
    std::shared_ptr<const KeptPlan> plan;
    Backend* backend = nullptr;
    std::vector<StandIn> objects;
    std::vector<std::pair<int, uint64_t>> facts;  // of spaces of the whole that have others there
    bool is_as(const Part& o) const;
  };
  struct Fill {
    int column = 0;  // of the whole
    bool is_pick = false;
    size_t input = 0;             // tree of the step
    std::vector<uint64_t> words;  // of the result
  };
  /// A result that trees of later parts have as it is.
  struct Passed {
    int column = 0;  // of the whole
    size_t fill = 0;
    size_t last = 0;  // part that has it
    bool operator==(const Passed&) const = default;
  };
  struct Step {
    Part part;
    std::vector<int> read;  // loads that no later part looks at
    std::vector<Fill> fills;
    std::vector<Passed> in_place;
  };
  Backend* backend_ = nullptr;
  std::vector<Step> steps_;
  Part last_;
  std::vector<ColumnRef> columns_;                 // constants
  std::vector<SpaceRef> spaces_;                   // of which plans see the kind only
  std::vector<std::pair<int, int64_t>> integers_;  // constants of the whole, with their values
  /// What the data may change, all of it.
  std::vector<std::pair<int, uint64_t>> depends_on() const;
};

/// Notes what an evaluation in steps does, while it is done.
class StepsRecorder {
 public:
  StepsRecorder(const std::vector<NodeRef>& roots, const Signature& whole, Backend& b);
  /// Fills were computed from `trees`, which had this signature before they were evaluated.
  void step(const Fills& fills, const std::vector<NodeRef>& trees, const Signature& s);
  /// Trees were replaced.
  void replaced(const Fills& fills);
  /// What was left was evaluated.
  void last(const std::vector<NodeRef>& rest, const Signature& s);
  /// Null where it cannot be said.
  std::shared_ptr<const Steps> done() const { return is_done_ && says_ ? steps_ : nullptr; }

 private:
  int number(const ColumnRef& c) const;
  int number(const Space* s) const;
  const Space& space(int number) const;
  const Column& column(int number) const;
  std::optional<Steps::Part> part(const Signature& s);
  StandIn stand_in(const Signature& s, const void* object);
  StandIn stand_in(const Space& s);
  StandIn stand_in(const Column& c);
  bool is_number_of_whole(const Scalar& s) const;
  bool are_alike(const StorePlan& p, const Node& whole, const Node& now);
  void note_lifetimes();
  void pair(const Node& whole, const Node& now);
  void pair(const SpaceRef& whole, const SpaceRef& now);

  const std::vector<NodeRef>& roots_;
  const Signature& whole_;
  std::shared_ptr<Steps> steps_ = std::make_shared<Steps>();
  bool says_ = true, is_done_ = false;
  Backend* part_backend_ = nullptr;                            // of the part that is noted
  std::vector<std::pair<int, const Column*>> loads_, checks_;  // of the whole
  Brought brought_;
  std::vector<size_t> last_reads_;  // of brought_: the part that looks at each last
  std::vector<InPlace> in_place_;
  std::vector<std::pair<size_t, size_t>> passed_;  // of in_place_: step and number in it
  std::unordered_map<const void*, int> origins_;   // of what fills and lists of trees became
  // So that their addresses stay theirs.
  std::vector<ColumnRef> kept_columns_;
  std::vector<SpaceRef> kept_spaces_;
};

}  // namespace serrate::graph
