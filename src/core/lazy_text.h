// Arguments of messages that are made only when the message is.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

namespace serrate {

/// check(ok, "expected an array, got {}", lazily([&] { return x.type().str(); })): check's
/// arguments are evaluated always, and texts cost allocations.
template <class F>
struct LazyText {
  F make;
};
template <class F>
LazyText<F> lazily(F make) {
  return {std::move(make)};
}

}  // namespace serrate

template <class F>
struct fmt::formatter<serrate::LazyText<F>> {
  constexpr auto parse(fmt::format_parse_context& c) { return c.begin(); }
  template <class Context>
  auto format(const serrate::LazyText<F>& t, Context& c) const {
    const std::string text = t.make();
    return std::copy(text.begin(), text.end(), c.out());
  }
};
