// Errors belong to values: what an array was made of must hold although nothing of it is in the
// array's own tree, as x[:, 1] of zeros_like(x[:, 1]). So do devices: zeros_like(x) has no buffer,
// and is where x is.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "graph/ir.h"
#include "serrate/array.h"

namespace serrate::graph {

class Pending;

/// What evaluation finds to hold, or raises: one of the three.
struct Assertion {
  ColumnRef check;
  SpaceRef aligned;
  std::shared_ptr<const Pending> pending;   ///< of what was evaluated, and is still running
  mutable std::atomic<bool> holds = false;  ///< somebody has looked
};
/// In the order in which they were written; null: none.
using Assertions = std::shared_ptr<const std::vector<std::shared_ptr<const Assertion>>>;

/// While the outermost one of a thread lives, arrays are made of those whose trees are read: what
/// is asserted of them is asserted of the results.
class Operation {
 public:
  Operation() : Operation(Reads::items) {}
  enum class Reads : bool { items, structure };
  explicit Operation(Reads what);
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  static bool is_running();
  /// The number of the outermost one among those of this thread; 0: there is none, or nothing is
  /// made of what it reads.
  static uint64_t number();
  static void add_operand(const Assertions& of_it);
  /// What is asserted of what is made: what is of the operands, and what was found to be asserted
  /// while it was made.
  static Assertions of_results();

  /// Where operands are: the first one that is somewhere. What is made of them and has no buffers
  /// is there, too.
  static void add_device(std::optional<Device> of_it);
  static std::optional<Device> device();
  /// What is made from now on is there, wherever the operands are.
  static void set_device(Device d);

  /// A check or an aligned space is made.
  static void note(const ColumnRef& check);
  static void note(const SpaceRef& aligned);

 private:
  Assertions operands_;
  std::vector<std::shared_ptr<const Assertion>> made_;
  std::optional<Device> device_;
  uint64_t number_ = 0;
  bool is_outermost_;
};

/// evaluate() of what all of this is asserted of. Where much fails the error is the first one's, as
/// if each operation had been evaluated when it was written.
std::vector<NodeRef> evaluate(const std::vector<NodeRef>& roots, const Assertions& asserted);
/// Is all of this found by whoever evaluates the trees, or by whoever waits for what they are of?
bool are_made_of(const std::vector<NodeRef>& roots, const Assertions& asserted);
/// What remains asserted of an array once it is evaluated, if anything was: what runs may still
/// find wrong about what is stored of it.
Assertions asserted_of_results(const Assertions& before, const NodeRef& stored);
/// What runs may still find wrong about stored trees.
Assertions pending_assertions(const std::vector<NodeRef>& stored);
/// Is it computed? Then nobody can find anything wrong any more.
bool is_evaluated(const Array& a);
/// Where its buffers are or, if it has none, those of what it was made of; nothing if these have
/// none, and while no GPU is in use. Not for use inside of operations.
std::optional<Device> place_of(const Array& a);

/// The tree with numbers of Python and C++ in it as items of the type that it shows: only by
/// themselves do they take the type of what they meet.
NodeRef with_own_types(const NodeRef& n);
/// What is asserted of either.
Assertions joined(const Assertions& a, const Assertions& b);

}  // namespace serrate::graph
