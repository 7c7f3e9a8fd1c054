// Structs of accumulators: see folds.h.
#include "cuda/codegen/folds.h"

#include <utility>

namespace serrate::cuda {

using namespace graph;

std::vector<Accumulator> FoldStruct::of(const std::string& variable) const {
  std::vector<Accumulator> out = members;
  for (Accumulator& acc : out) acc = acc.of(variable);
  return out;
}

FoldStruct make_fold(Emitter& e, std::string name, const std::vector<Folded>& folded) {
  FoldStruct out{{std::move(name), {}, 0}, {}};
  Scope members, settle, join;
  Text handed;
  for (const Folded& x : folded) {
    const std::string number = std::to_string(out.members.size());
    Accumulator acc = e.declare_as({x.column, "v" + number, "i" + number, x.narrow}, members);
    for (const Text& member : acc.variables())
      handed += (handed.empty() ? "hand(" : ", hand(") + member + ")";
    e.settle(acc, settle);
    e.join(join, acc, acc.of("other"));
    out.members.push_back(std::move(acc));
  }
  out.code.bytes = fold_bytes(e.nest(), folded);
  Block& b = out.code.members;
  b = std::move(members.code);
  b.add("void settle()", std::move(settle.code));
  b.add("void join(const " + out.name() + "& other)", std::move(join.code));
  b.add("template <class Hand>");
  b.add(out.name() + " handed(Hand hand) const { return {" + handed + "}; }");
  return out;
}

}  // namespace serrate::cuda
