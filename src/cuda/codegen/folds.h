// What threads know of a list while they fold it, as a struct of the text.
//
// The prelude's templates hand such structs from lane to lane, keep them in shared or global
// memory, and join them (prelude/fold.h): they know as little how many reductions there are as
// which.
#pragma once

#include <string>
#include <vector>

#include "cuda/codegen/emit.h"
#include "cuda/schedule/block_memory.h"

namespace serrate::cuda {

/// struct Fold0 { double v0 = 0.0; ...; void settle(); void join(const Fold0& other); ... };
struct FoldStruct {
  TypeCode code;
  std::vector<Accumulator> members;  // by their names in the struct

  const std::string& name() const { return code.name; }
  int64_t bytes() const { return code.bytes; }
  /// The members of a variable.
  std::vector<Accumulator> of(const std::string& variable) const;
};

FoldStruct make_fold(Emitter& e, std::string name, const std::vector<Folded>& folded);

}  // namespace serrate::cuda
