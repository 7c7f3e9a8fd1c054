// The symbolic array: spaces (index domains), columns (scalars at a position of a space) and the
// value tree over them.
//
// Every space but `unit` has a parent: each parent position owns one list of the space's positions.
// An array of n things is a list of the unit space (space kind `rows`), so axis 0 is a list level
// like any other. Nothing here evaluates anything; see docs/internals.md for how each operation is
// written in these terms.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/one_or_more.h"
#include "core/pointer_map.h"
#include "core/ref.h"
#include "core/relaxed.h"
#include "core/types/reducer.h"
#include "serrate/buffer.h"
#include "serrate/dtype.h"
#include "serrate/op.h"
#include "serrate/type.h"

namespace serrate {
class Function;  // serrate/function.h
}  // namespace serrate

namespace serrate::graph {

struct Space;
struct Column;
struct Node;
struct Grouping;
using SpaceRef = Ref<Space>;
using ColumnRef = Ref<Column>;
using NodeRef = Ref<Node>;

enum class SpaceKind : uint8_t {
  unit,    // one position
  rows,    // positions 0 .. size-1; parent is unit
  list,    // per parent position p: positions starts(p) .. stops(p)-1 of a domain that loads index
           // into
  fixed,   // per parent position p: starts(p) .. starts(p)+size-1
  select,  // the positions of bases[0] where predicate holds, list by list
  flat,    // the positions of bases[0], owned by the parent of its parent: one list level less
  combinations,  // k positions of bases[0] per position, i < j < ... (or <= with replacement), list
                 // by list
  cartesian,     // one position of each of bases, the last varies fastest, list by list
  aligned        // bases must have equal list lengths (checked when evaluated): position i of each
};

/// What is known of stored lists without looking at their offsets (which may be on a GPU).
struct Extent {
  int64_t first = -1;    // domain position of the first item
  int64_t size = -1;     // number of items
  int64_t longest = -1;  // length of the longest list, or -1
  bool known() const { return size >= 0; }
};

/// An index domain. Derived kinds (select ... aligned) have links: link k of a position is a
/// position in bases[k] (combinations: k links, all into bases[0]).
struct Space : Counted, Pooled<Space> {
  SpaceKind kind = SpaceKind::unit;
  bool contiguous = false;          // list/fixed: stops(p) == starts(p+1), known
  bool repeats_contiguous = false;  // list: that of an outer owner, for each position of the
                                    // parent; the owners' lists are contiguous (graph/repeats.h)
  bool replacement = false;         // combinations
  uint8_t walks = 0;                // see Column::walks
  bool reduces = false;             // see Column::reduces
  Relaxed<uint16_t> copied;         // see Column::copied
  Relaxed<uint32_t> origin;         // see Column::origin
  Relaxed<uint32_t> lists;          // stored lists with the same number were found equal; 0: none
  int depth = 0;                    // number of parents above (unit: 0)
  int k = 0;                        // combinations
  int64_t size = 0;                 // rows, fixed
  Extent extent;                    // stored lists
  SpaceRef parent;
  ColumnRef starts, stops;  // list, fixed (starts only): int64 or int32 columns over parent
  ColumnRef predicate;      // select: boolean column over bases[0]
  std::vector<SpaceRef> bases;
  std::string where;  // aligned: the operation and the user's line, for the message
  std::shared_ptr<const Grouping> grouping;  // list: of group_by; folds may scatter the items
};

/// Lists of equal items of a whole array, which picks find in it: item i of the lists is the one at
/// order[i].
struct Grouping {
  SpaceRef items;    // of the array
  ColumnRef order;   // over items: their indexes, list by list
  ColumnRef number;  // over items: which list each is in
};

enum class ColumnKind : uint8_t {
  constant,  // scalar
  load,      // buffer[args[0]]; args[0] is an integer column over the same space
  position,  // rows: 0.. ; list, fixed: the position in the domain (int64)
  local,     // link < 0: index of the position inside its list; link k: index of link k inside its
             // list (int64)
  op,        // op(args...); all args over the same space, already of op's compute types
  call,      // output `link` of `function`, of arguments of its types: args[0], `operands`; args[1]
             // optional guard: where false it is not called, and gives 0
  operands,  // no value: two arguments of a call in args[0] and args[1], more of them in args[2]
  cast,      // args[0] as dtype
  parent,    // args[0] is over space->parent: its value at the owner of this position
  at,    // args[0] is over the base that `link` of this derived space points into: its value there
  pick,  // args[0] is over `over` (whose parent is this space or an ancestor of it); args[1] over
         // this space is an index inside the list of `over` that this position's owner has; args[2]
         // optional guard: where false, any value may come. The index must be in range where the
         // guard holds (use checked_index).
  reduce,  // reducer over each list of `over` (a space whose parent is this space); args[0] over
           // `over` is the value (none for count), args[1] optional boolean: items to take part
  check,   // args[0] with an assertion: args[1] boolean must hold at every position (where args[2]
          // holds, if given), else IndexError/ValueError `message` with the position; see CheckInfo
  histogram,  // a sink: items of `over` (any space) are counted in the cells of `space` = rows(n);
              // args[0] is the cell of an item (int32 or int64), no cell if it is not in 0 .. n-1;
              // args[1] weight (int64 or float64) or none: cells sum them
  barrier  // depends on all items of its list: see Barrier. args[0] over the same space is the key
           // (over `over`, lists of bytes owned by this space, where keys are strings); args[1]
           // optional boolean: items to take part
};

/// What a barrier gives at the items of a list, from all keys of the list. Evaluation resolves
/// barriers before it makes a loop nest: see graph/evaluation/barriers.h. NaN and NaT come last in
/// any order, items that take no part after them, equal ones stay in order.
enum class Barrier : uint8_t {
  argsort,  // int64: index of the item that comes here in order
  sort,     // its key
  inverse,  // int64: keys are a permutation of 0 .. n-1; where this index is among them
  scan,     // the reducer sum, prod, min or max of the keys up to here; items that take no part add
            // nothing. NaN stays, unlike in the reducers min and max.
  op_scan   // op(op(first, second), third) ... up to here; the first item itself
};

struct CheckInfo;

/// A scalar expression evaluated at a position of `space` (null for constants: any space).
struct Column : Counted, Pooled<Column> {
  ColumnKind kind = ColumnKind::constant;
  DType dtype = DType::int64;
  Op op{};
  Reducer reducer{};  // reduce, histogram, barrier: scan
  Barrier barrier{};
  bool descending = false;  // barrier: argsort, sort
  int16_t link = -1;
  bool weak =
      false;  // constant from a Python or C++ literal: takes the other operand's type (NEP 50)
  uint8_t walks = 0;  // about how many walks after one another it takes (see graph/materialise.h)
  bool reduces = false;  // lists are reduced for each position (see graph/materialise.h)
  uint16_t height =
      0;  // longest path below, so that passes may recurse safely (evaluation cuts at kMaxHeight)
  Relaxed<uint16_t> copied;  // no less than what rewrites have made again below, in additions
  Relaxed<uint32_t> origin;  // rewritten copies and what they are copies of have the same; 0: none
  SpaceRef space;
  SpaceRef over;
  ColumnRef args[3];
  Buffer buffer;
  Scalar scalar;
  std::shared_ptr<const CheckInfo> check;    // load: why it was stored, if the engine chose to
  std::shared_ptr<const Function> function;  // call
  int arity() const { return args[0] ? args[1] ? args[2] ? 3 : 2 : 1 : 0; }
};
inline constexpr int kMaxHeight = 400;
/// `a`, a space or column, is part of what x is made of.
template <class To, class From>
void add_below(To& x, const From& a) {
  if (a.copied.get() != 0)
    x.copied.set(static_cast<uint16_t>(std::min(x.copied.get() + a.copied.get(), 0xffff)));
  x.walks = std::max(x.walks, a.walks);
  x.reduces |= a.reduces;
}
/// x is walked after, or inside, what it is made of. A walk for which whole lists must be known
/// makes all below them again.
inline constexpr int kWalkInside = 1, kWalkAfter = 3;
template <class SpaceOrColumn>
void add_walk(SpaceOrColumn& x, int walk) {
  x.walks = static_cast<uint8_t>(std::min(x.walks + walk, 0xff));
}
/// walks and copied of a space, of its parts.
void add_parts(Space& s);
/// walks, copied and height of a column, of its parts.
void add_parts(Column& c);

/// What a failed check says: the exception's family and a text with {index}, {size}, {position} to
/// be filled in.
struct CheckInfo {
  enum class Family : uint8_t { index, value, overflow, function } family = Family::value;
  std::string text;
  std::string where;             // operation and the user's line
  std::function<void()> replay;  // function: raises what a function of users raised, or null
  [[noreturn]] void raise(const std::string& filled) const;
};

// -- spaces
// ---------------------------------------------------------------------------------------------------------
const SpaceRef& unit();
SpaceRef rows(int64_t n);
SpaceRef list(const SpaceRef& parent, ColumnRef starts, ColumnRef stops, bool contiguous = false);
SpaceRef fixed(const SpaceRef& parent, ColumnRef starts, int64_t size, bool contiguous = false);
SpaceRef select(const SpaceRef& base, ColumnRef predicate);
SpaceRef flat(const SpaceRef& base);
SpaceRef combinations_space(const SpaceRef& base, int k, bool replacement);
SpaceRef cartesian_space(std::vector<SpaceRef> bases);
/// The first of equal spaces, or a checked `aligned` space over different ones. All must have the
/// same parent.
SpaceRef align(const std::vector<SpaceRef>& spaces, std::string where);
/// Same index domain, list by list (structural; never looks at data).
bool same(const SpaceRef& a, const SpaceRef& b);
/// a is b or b is above a in the chain of parents.
bool is_under(const SpaceRef& a, const SpaceRef& b);

// -- columns (constructors simplify: constants fold, parent of a constant is the constant, ...)
// ------------------------
ColumnRef constant(Scalar s, bool weak = false);
ColumnRef constant(int64_t v);
ColumnRef load(const Buffer& b, DType t, ColumnRef index);
ColumnRef position(const SpaceRef& s);
ColumnRef local(const SpaceRef& s, int link = -1);
/// One to three columns.
struct Operands {
  Operands(ColumnRef a) : columns{std::move(a)}, size(1) {}
  Operands(ColumnRef a, ColumnRef b) : columns{std::move(a), std::move(b)}, size(2) {}
  Operands(ColumnRef a, ColumnRef b, ColumnRef c)
      : columns{std::move(a), std::move(b), std::move(c)}, size(3) {}
  Operands(std::vector<ColumnRef> v) : size(v.size()) { std::move(v.begin(), v.end(), columns); }
  ColumnRef columns[3];
  size_t size;
};
/// op on columns of any dtypes: casts inserted as NumPy does. Throws TypeError.
ColumnRef apply(Op op, Operands args);
ColumnRef cast(ColumnRef c, DType t);
/// All outputs of f of these columns, which are cast to the types of its arguments, where the
/// guard, which may be null, holds.
std::vector<ColumnRef> call(const std::shared_ptr<const Function>& f, std::vector<ColumnRef> args,
                            ColumnRef guard);
/// The arguments of a call.
std::vector<ColumnRef> call_arguments(const Column& call);
ColumnRef parent(const SpaceRef& child, ColumnRef c);
/// c, a column over `from`, seen from `to`, a space under it (any number of parent steps).
ColumnRef lift(ColumnRef c, const SpaceRef& from, const SpaceRef& to);
ColumnRef at(const SpaceRef& derived, int link, ColumnRef c);
ColumnRef pick(const SpaceRef& space, const SpaceRef& over, ColumnRef c, ColumnRef index,
               ColumnRef guard = {});
ColumnRef reduce(Reducer r, const SpaceRef& over, ColumnRef value, ColumnRef take_part = {});
/// Length of each list of `over`: int64 over its parent.
ColumnRef count(const SpaceRef& over);
ColumnRef check_column(ColumnRef value, ColumnRef ok, ColumnRef guard,
                       std::shared_ptr<const CheckInfo> info);
/// index (over `space`) into lists of `over`, negatives wrapped, out of range raises IndexError
/// when evaluated.
ColumnRef checked_index(const SpaceRef& space, const SpaceRef& over, ColumnRef index,
                        ColumnRef guard, std::string where);
/// Sums of the weights (of integers exact; without them: int64 counts) of the items in each of n
/// cells.
ColumnRef histogram(const SpaceRef& over, ColumnRef cell, ColumnRef weight, int64_t n);
/// Something of the whole lists of `space`; keys may be constant. TypeError for keys without order.
ColumnRef barrier(Barrier b, const SpaceRef& space, ColumnRef key, ColumnRef take_part = {},
                  bool descending = false);
/// The running reducer (sum, prod, min or max) of the items of each list of `space`: Barrier::scan.
ColumnRef scan(Reducer r, const SpaceRef& space, ColumnRef key, ColumnRef take_part = {});
/// Does `take_part` hold wherever the key is not NaN, and nowhere else? Sorts are the same without.
bool is_all_but_nan(const Column& take_part, const Column& key);
/// barrier() of strings: the lists `bytes` over `space`. For argsort only.
ColumnRef barrier_of_strings(const SpaceRef& bytes, ColumnRef key, ColumnRef take_part = {},
                             bool descending = false);
/// Barrier::op_scan of keys of op's own compute and result type; TypeError for others.
ColumnRef scan_by(Op op, const SpaceRef& space, ColumnRef key);
bool same(const ColumnRef& a, const ColumnRef& b);

// -- values
// -----------------------------------------------------------------------------------------------------------
enum class NodeKind : uint8_t {
  leaf,    // column
  list,    // space (child); contents[0] over it. size >= 0: regular. parameters say string,
           // bytestring ...
  option,  // column: boolean, valid; contents[0] over the same space: anything where not valid
  record,  // contents over the same space; fields empty and is_tuple for tuples
  union_,  // column: int8 tag; contents over the same space: content i is meaningful where tag == i
  unknown,     // Awkward's EmptyArray: no values
  categorical  // column: index; contents[0] over `space` (a rows space): the distinct values
};

/// One level of a value. All columns of one Node are over the same space (its owner's child space).
struct Node : Counted, Pooled<Node> {
  NodeKind kind = NodeKind::leaf;
  bool is_tuple = false;
  RelaxedOwn<uint32_t> facts;  // see graph/known.h
  int64_t size = -1;           // list: >= 0 for regular lists
  std::string unit;            // leaf of datetime64/timedelta64: "s", "ns", "15us" ...
  ColumnRef column;
  SpaceRef space;
  OneOrMore<NodeRef> contents;
  std::shared_ptr<const std::vector<std::string>> fields;  // record
  Parameters parameters;                                   // from type.h
};

NodeRef leaf(ColumnRef c);
NodeRef leaf(ColumnRef c, std::string unit, Parameters p = {});
NodeRef list_node(const SpaceRef& child, NodeRef content, int64_t size = -1);
NodeRef list_node(const SpaceRef& child, NodeRef content, int64_t size, Parameters p);
/// Merges with an option content (validities are and-ed); unknown content stays option.
NodeRef option_node(ColumnRef valid, NodeRef content);
NodeRef record_node(std::vector<std::string> fields, std::vector<NodeRef> contents,
                    Parameters p = {});
NodeRef tuple_node(std::vector<NodeRef> contents, Parameters p = {});
NodeRef union_node(ColumnRef tag, std::vector<NodeRef> contents, Parameters p = {});
NodeRef unknown_node();
Type type_of(const Node& n);

bool is_string(const Node& n);  // list with __array__ "string" or "bytestring"
int64_t field_index(const Node& record, std::string_view name);  // -1 if absent

/// How columns over one space are seen from another. `over` and everything owned by it is rebuilt.
class Rebase {
 public:
  virtual ~Rebase() = default;
  Rebase(SpaceRef from, SpaceRef to) : from_(std::move(from)), to_(std::move(to)) {}
  NodeRef operator()(const NodeRef& n);
  ColumnRef operator()(const ColumnRef& c);
  SpaceRef operator()(const SpaceRef& s);

 protected:
  virtual ColumnRef wrap(const ColumnRef& c) = 0;  // c is over from; the result over to
  virtual ColumnRef replacement(const ColumnRef&) {
    return {};
  }  // of this very column, if it has one
  /// Nothing below is replaced: it stays the same object.
  virtual bool untouched(const void*) const { return false; }
  ColumnRef rebuild(const ColumnRef& c);  // the same column of rebuilt arguments
  SpaceRef from_, to_;
  bool keeps_order_ = false;  // one to one, in order: contiguous lists below stay contiguous
  bool repeats_ = false;      // to_ is under from_: lists of a position are those of many
  ColumnRef guard_;           // over to: where false there is no item, and nothing may be read

 private:
  ColumnRef guarded(ColumnRef c, const SpaceRef& s) const;  // 0 where there is no item
  ColumnRef rebuild_pick(const ColumnRef& c);
  PointerMap<SpaceRef> spaces_;
  PointerMap<ColumnRef> columns_;
};
NodeRef rebase_at(const NodeRef& n, const SpaceRef& base, const SpaceRef& derived, int link = 0);
/// n is over `over`; the result over `space`: the item at `index` of the list that each position's
/// owner has.
NodeRef rebase_pick(const NodeRef& n, const SpaceRef& space, const SpaceRef& over, ColumnRef index,
                    ColumnRef guard = {});
/// n is over `from`; the result over `to`, a space under it: repeated for every position.
NodeRef rebase_lift(const NodeRef& n, const SpaceRef& from, const SpaceRef& to);
/// n is over `from`; the result over `to`, stored lists with the same positions.
NodeRef rebase_equal(const NodeRef& n, const SpaceRef& from, const SpaceRef& to);

}  // namespace serrate::graph
