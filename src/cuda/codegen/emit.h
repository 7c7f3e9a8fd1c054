// CUDA text for the frames of a nest: nested scalar loops over cursors, written by demand.
//
// A cursor is a place in a space inside the text: the names of the variables that say where.
// Columns are written where they are first needed, as far out as they can be: a column of the owner
// goes before the loop over its list. Nothing of a derived space is stored; a filter is an `if`, a
// combination is loops inside loops.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/pointer_map.h"
#include "cuda/codegen/arguments.h"
#include "cuda/codegen/code.h"
#include "cuda/schedule/ranked.h"
#include "graph/nest.h"

namespace serrate::cuda {

/// Statements of one block of the text, with the values already computed in it.
struct Scope {
  Block code{};
  Scope* up = nullptr;
  std::vector<std::pair<std::pair<const graph::Column*, int>, Text>> values{};
  std::string leave{};    // what a failed check does behind its message; empty: as further out
  bool together = false;  // all lanes of a warp are here and wait for each other: they leave as one
};

struct Cursor {
  graph::SpaceRef space;
  int id = 0;
  Text domain;        // position in the domain
  Text base, offset;  // if given, the sum of these; the offset is an int
  Text local;         // index in its list ("" where only counting in order tells)
  Text number;        // of all items of the space, where it is not the domain's
  Text staged;        // place among the items in shared memory, if they are there
  Cursor* owner = nullptr;
  std::vector<Cursor*> links;
  Scope* scope = nullptr;  // what is known here goes no further out
};

/// Variables of one fold.
struct Accumulator {
  const graph::Column* column = nullptr;
  Text name;             // the value
  Text index;            // argmin, argmax: the result
  bool narrow = false;   // that is an int
  bool settled = false;  // no NaN is left that would have to be told from others
  bool whole = false;    // its thread sees all of the list, in order
  Text first{};          // keeps_first: of the first item twice the index, and 1 if it is no NaN
  /// What an argmin or argmax carries along: the picks (Nest::carried) and their values.
  std::vector<std::pair<const graph::Column*, Text>> carried{};

  /// All its variables.
  std::vector<Text> variables() const;
  /// The same as members of a struct.
  Accumulator of(const Text& variable) const;
};

/// How the outermost loop of something is shared by threads: `for (i = begin + first; i < end; i +=
/// step)`; begin and end are the list's own, if not given. Where steps are
/// counted beforehand, several loads can be on their way: `divide` is how to divide by a variable
/// step. With `in_order` every thread has a range of its own, the first thread the first one.
struct Share {
  std::string first = "0", step = "1", begin{}, end{}, divide{};
  bool in_order = false;
  int unroll = 4;         // with `divide`
  bool narrow = false;    // steps are an int
  bool straight = false;  // no step of those unrolled is done under a condition
  bool active() const { return step != "1"; }
};

class Emitter {
 public:
  Emitter(graph::Nest& nest, Arguments& arguments) : nest_(nest), a_(arguments) {}

  using Body = std::function<void(Cursor&, Scope&)>;

  const graph::Nest& nest() const { return nest_; }

  // -- text
  std::string fresh(const char* prefix) { return prefix + std::to_string(next_++); }
  static void line(Scope& s, Text text) { s.code.add(std::move(text)); }
  /// A scope inside s; its code is appended to s by close().
  static Scope inside(Scope& s) { return {.up = &s}; }
  static void close(Scope& outer, Text head, Scope& inner);
  /// The statement of a failed check in this scope: that leaves the thread, if nothing else is
  /// said.
  static std::string leave(const Scope& s);
  /// The same as a function called at once, that a failed check leaves; if the condition holds.
  static void call(Scope& outer, Scope& inner, const Text& condition = {});

  // -- places
  Cursor& cursor(const graph::SpaceRef& s, Cursor* owner, Scope* scope);
  Cursor& unit_cursor(Scope& scope);
  /// Loops over the list that `owner` has in space s; behind `after`, an item of it, if given.
  void each(const graph::SpaceRef& s, Cursor& owner, Scope& scope, const Share& share,
            const Body& body, Cursor* after = nullptr, bool with_it = false);
  /// Is `base` an item of s, a filter of its space? Then body. `counter` counts those that are.
  void filter(const graph::SpaceRef& s, Cursor& base, Scope& scope, const Text& counter,
              const Body& body);
  /// A variable that counts items of a sequential space.
  std::string counter(Scope& scope);
  /// Item number `i` (a name; an int, if narrow) of a list of a ranked space.
  void ranked(const graph::SpaceRef& s, Cursor& owner, Scope& scope, const std::string& i,
              bool narrow, const Body& body);
  /// The tuple of the items at these indexes (names) of its bases' lists, number `local` (text).
  void tuple_at(const graph::SpaceRef& s, Cursor& owner, Scope& scope,
                const std::vector<std::string>& indexes, bool narrow, const std::string& local,
                const Body& body);
  /// The list of `owner` that begins at `starts` does so at this int.
  void begins_at(const graph::Column* starts, const Cursor& owner, std::string at) {
    begins_.push_back({starts, owner.id, std::move(at)});
  }
  /// So many items the list of `owner` in a space has.
  void has_length(const graph::Space* s, const Cursor& owner, std::string n) {
    lengths_.push_back({s, owner.id, std::move(n)});
  }
  /// A plain space's cursor at index `local` (a name; an int, if narrow) of the list of `owner`.
  Cursor& at_index(const graph::SpaceRef& s, Cursor& owner, Scope& scope, const std::string& local,
                   bool narrow = false);
  /// Writes the check that aligned lists are of one length, which it gives.
  std::string check_lengths(const graph::SpaceRef& s, Cursor& owner, Scope& scope);
  /// Number of items in the list of `owner`; of those that counts_in_int holds for, as an int.
  Text length(const graph::SpaceRef& s, Cursor& owner, bool narrow = false);
  /// A number of a space that is no part of the structure: one argument, whoever asks.
  std::string number(Source::Kind kind, const graph::Space& of);

  // -- values
  /// Text of column c at cursor k, for use in `into`, a scope inside that of k.
  Text value(const graph::ColumnRef& c, Cursor& k, Scope& into);
  /// The same as long long.
  Text integer(const graph::ColumnRef& c, Cursor& k, Scope& into);
  void remember(const graph::Column* c, const Cursor& k, Scope& scope, Text text);
  const Text* known(const graph::Column* c, const Cursor& k, const Scope& scope) const;

  // -- folds
  /// Variables of a thread that sees the whole list.
  Accumulator declare(const graph::Column* c, Scope& scope);
  /// Variables of these names; the index only where the reduction has one, and behind it what is
  /// carried along.
  Accumulator declare_as(Accumulator acc, Scope& scope);
  void update(const Accumulator& acc, Cursor& item, Scope& scope);
  /// acc = acc joined with the other state, whose items come later or are mixed among its own.
  void join(Scope& s, const Accumulator& acc, const Accumulator& other);
  /// Where a thread has seen all that it sees of a list, which others may have parts of: makes
  /// joining argmin and argmax easy.
  void settle(Accumulator& acc, Scope& scope) const;
  /// What the reduction gives, of the column's type.
  static Text result(const Accumulator& acc);
  /// It, and what it carried, is what is known of the owner of the list.
  void remember(const Accumulator& acc, const Cursor& owner, Scope& scope);
  /// Of equal reductions the one that came first: one accumulator does for all.
  const graph::Column* first_like(const graph::Column* reduction);
  /// Type of Accumulator::name.
  static std::string_view value_type(const graph::Column* c);

  // -- checks
  const std::vector<const graph::Column*>& checks() const { return checks_; }
  /// What defines or declares the functions of users that were called.
  std::string function_texts() const;
  /// Are rows that failed checks tell those of the result?
  bool knows_rows() const { return knows_rows_; }
  const std::vector<graph::SpaceRef>& aligned() const { return aligned_; }
  /// Text that says where along axis 0 the cursor is.
  Text row(const Cursor& k);

  /// Results of reductions into the unit space: where later kernels read them.
  std::vector<std::pair<const graph::Column*, std::string>> unit_results;
  /// Text of the error word; checks leave through it.
  std::string error_field;
  /// Columns whose items are in shared memory, as the pointers that these names are.
  struct Staged {
    std::string input, type, name;
    int size;  // of an item
  };
  std::vector<Staged> staged;
  /// Whoever folds a list sees its first item first.
  bool begins_lists = false;
  /// Aligned lists that were found to be of one length before their items are walked.
  const graph::Space* agreed = nullptr;

 private:
  Text load(const graph::Column& c, Cursor& k, Scope& into);
  /// The pointer to a column's items in shared memory.
  std::string stage(const std::string& input, const std::string& type, int size);
  /// Column c at item `index` of a derived list, found by counting.
  Text counted(const graph::SpaceRef& over, const graph::ColumnRef& c, Cursor& owner,
               const Text& index, const Text& guard);
  Text reduction(const graph::ColumnRef& c, Cursor& k);
  /// What an argmin or argmax carried.
  Text carried(const graph::Column& pick, Cursor& k, Scope& into);
  Text check(const graph::Column& c, Cursor& k, Scope& into);
  Text operation(const graph::Column& c, Cursor& k, Scope& into);
  /// Where a column of tuples is computed: in the loop over the last of the items that it needs.
  Scope& outermost(const graph::Column& c, Cursor& k, Scope& into);
  /// That item's number; INT_MAX of what is not known before the whole tuple.
  int last_link(const graph::Column& c);
  Text call(const graph::Column& c, Cursor& k, Scope& into);
  void write_call(const graph::Column& c, Cursor& k, Scope& into, const std::string& name);
  /// Index of an item in its list: schedules are such that it is known (demands.h).
  static const Text& local(const Cursor& k);
  /// A loop from begin to end, or a thread's share of it.
  struct Loop {
    Text from, end, step;
  };
  Loop loop(const Share& share, const Text& begin, const Text& end, Scope& scope);
  static Text head(const std::string& type, const Text& i, const Loop& l);
  void each_plain(const graph::SpaceRef& s, Cursor& owner, Scope& scope, const Share& share,
                  const Body& body, Cursor* after, bool with_it);
  void each_aligned(const graph::SpaceRef& s, Cursor& owner, Scope& scope, const Share& share,
                    const Body& body);
  void each_tuple(const graph::SpaceRef& s, Cursor& owner, Scope& scope, const Share& share,
                  std::vector<Cursor*>& chosen, const Text& counter, const Body& body);
  /// How many tuples come before those that begin with this item; "" where nobody knows.
  Text tuples_before(const graph::SpaceRef& s, Cursor& owner, const Cursor& first);
  static bool counts_exactly(const graph::Space& s);
  int check_number(const graph::Column* c);

  /// What is known of the list that an owner has, by its column of starts or its space.
  struct Known {
    const void* of;
    int owner;
    std::string text;
  };
  static const std::string* find(const std::vector<Known>& known, const void* of, int owner);

  graph::Nest& nest_;
  Arguments& a_;
  std::vector<Known> begins_, lengths_;
  int next_ = 0;
  bool knows_rows_ = true;
  std::deque<Cursor> cursors_;
  struct Number {
    const graph::Space* of;
    Source::Kind kind;
    std::string text;
  };
  std::vector<Number> numbers_;
  std::vector<std::pair<graph::SpaceRef, graph::ColumnRef>> counts_;  // of derived lists
  std::vector<std::shared_ptr<const Function>> functions_;
  std::vector<const graph::Column*> checks_, reductions_;
  PointerMap<int> last_links_;
  std::vector<graph::SpaceRef> aligned_;
};

}  // namespace serrate::cuda
