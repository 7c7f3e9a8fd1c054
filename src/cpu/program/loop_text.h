// Programs, and calls of users' functions between them, as one loop over items: LLVM's text of a
// block function (serrate/function.h) whose inputs are addresses of all that it reads and writes.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "cpu/program/program.h"
#include "serrate/function.h"

namespace serrate::cpu {

/// Items have the same bits as those of the programs and the functions themselves: only operations
/// of which IEEE 754 or two's complement leave no choice are taken.
class LoopText {
 public:
  /// Everything of it can be said here. Maths functions, gathers and types that LLVM has not can't.
  static bool can_say(const ProgramBuilder& p);
  /// Its text is known, and it neither fails nor loops.
  static bool can_say(const Function& f) { return !f.item_code.empty(); }

  void add(const ProgramBuilder& p);
  /// A call with values in slots; where `where` (a slot, or -1) is false outputs are 0.
  void add(const Function& f, std::span<const int> inputs, int where, std::span<const int> outputs);

  struct Loop {
    std::string text;        ///< a module; its function is called kName
    std::vector<int> slots;  ///< of its inputs
  };
  /// The loop, which writes those of the slots for which `is_stored` holds.
  Loop finish(const std::function<bool(int slot)>& is_stored) &&;

  static constexpr const char* kName = "serrate_loop";

 private:
  struct Item {
    std::string value;
    DType type;
  };

  std::string fresh() { return "%v" + std::to_string(count_++); }
  /// "%p3": the address in a slot.
  std::string address(int slot);
  Item loaded(DType t, int slot);
  Item scalar(DType t, int slot);
  Item iota(int slot);
  Item operation(Op op, DType result, std::span<const Item> args);
  Item cast(const Item& x, DType to);
  std::string truth(const Item& x);
  /// A line "%v3 = ..."; its value.
  std::string let(const std::string& what);

  std::map<int, Item> items_;  // by slot: loaded, or computed here
  std::map<int, Item> ones_;   // scalars
  std::vector<int> written_, slots_;
  std::map<std::string, std::string> functions_;  // texts by name
  std::string entry_, body_;
  std::string label_ = "item";  // of the block that is being written
  int count_ = 0;
};

}  // namespace serrate::cpu
