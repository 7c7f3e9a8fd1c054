// Equality of types as Awkward defines it.
#include <algorithm>

#include "serrate/type.h"

namespace serrate {
namespace {

bool equivalent_parameters(const Type& a, const Type& b, bool all) {
  if (all) {
    return a.parameters().size() == b.parameters().size() &&
           std::all_of(a.parameters().begin(), a.parameters().end(),
                       [&](const auto& p) { return b.parameter(p.first) == p.second; });
  }
  for (const std::string_view key : {"__array__", "__list__", "__record__", "__categorical__"}) {
    if (a.parameter(key) != b.parameter(key)) return false;
  }
  return true;
}

/// Pairs each content of `a` with one of `b`. Taking the first that fits is enough: being
/// equivalent is transitive.
bool equivalent_in_any_order(const Type& a, const Type& b, bool all) {
  std::vector<bool> taken(b.contents().size());
  return std::all_of(a.contents().begin(), a.contents().end(), [&](const Type& content) {
    for (size_t i = 0; i < taken.size(); ++i) {
      if (taken[i] || !equivalent(content, b.content(i), all)) continue;
      taken[i] = true;
      return true;
    }
    return false;
  });
}

}  // namespace

bool equivalent(const Type& a, const Type& b, bool all) {
  using Kind = Type::Kind;
  if (a.kind() != b.kind() || a.is_tuple() != b.is_tuple()) return false;
  if (a.contents().size() != b.contents().size() || !equivalent_parameters(a, b, all)) return false;
  if (a.is(Kind::number)) return a.dtype() == b.dtype() && a.unit() == b.unit();
  if (a.is_string_like()) return a.size() == b.size();
  if (a.is(Kind::union_)) return equivalent_in_any_order(a, b, all);
  const bool sized = a.size() != kUnknownSize && b.size() != kUnknownSize;
  if (sized && a.size() != b.size()) return false;
  for (size_t i = 0; i < a.contents().size(); ++i) {
    const int64_t j = a.fields().empty() ? static_cast<int64_t>(i) : b.field_index(a.fields()[i]);
    if (j < 0 || !equivalent(a.content(i), b.content(j), all)) return false;
  }
  return true;
}

}  // namespace serrate
