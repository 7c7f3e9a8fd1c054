// Functions of arrays that are written down once and run again.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "serrate/array.h"

namespace serrate {

/// A function of arrays, which is called for the first arguments of each structure: types, lengths
/// along axis 0, and which of them share lists. Others of that structure go straight to the loops
/// or kernels that were made for its expressions. Results are evaluated; so are arguments, before.
///
///     Compiled mass = compile([](const std::vector<Array>& a) { return std::vector{a[0] * 2}; });
///     Array twice = mass({x})[0];
///
/// The function must be one of its arguments alone. Where it looks at values, it is called each
/// time. Copies share what is kept; threads may call them at the same time.
class Compiled {
 public:
  using Function = std::function<std::vector<Array>(const std::vector<Array>&)>;
  explicit Compiled(Function f);
  std::vector<Array> operator()(const std::vector<Array>& arguments) const;
  /// Structures of arguments that are kept.
  int64_t kept() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

inline Compiled compile(Compiled::Function f) { return Compiled(std::move(f)); }

}  // namespace serrate
