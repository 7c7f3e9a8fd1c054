// The primitive reducers as data: one constexpr row per reducer, its types and identities.
#pragma once

#include <string_view>

#include "core/types/reducer.h"
#include "serrate/dtype.h"
#include "serrate/op.h"

namespace serrate {

/// The columns of reducers.def, which explains them.
struct ReducerInfo {
  enum class Item : uint8_t { value, truth, one, index };
  enum class Result : uint8_t { same, widened, boolean, count, index };
  enum class Identity : uint8_t { zero, one, highest, lowest };
  enum class Cells : uint8_t { scattered, gathered };
  std::string_view name;
  Item item;
  Result result;
  Identity identity;
  Op join;
  Op running;
  Cells cells;

  /// Does the state keep one of the items, the first in an order?
  constexpr bool is_extreme() const {
    return identity == Identity::highest || identity == Identity::lowest;
  }
  constexpr bool is_least() const { return identity == Identity::highest; }
  constexpr bool has_index() const { return item == Item::index; }
  /// Are numbers added, multiplied ... in the type of the result?
  constexpr bool is_arithmetic() const { return item == Item::value && !is_extreme(); }
};

inline constexpr ReducerInfo kReducers[] = {
#define SERRATE_REDUCER(name, item, result, identity, join, running, cells) \
  {#name,                                                                   \
   ReducerInfo::Item::item,                                                 \
   ReducerInfo::Result::result,                                             \
   ReducerInfo::Identity::identity,                                         \
   Op::join,                                                                \
   Op::running,                                                             \
   ReducerInfo::Cells::cells},
#include "core/types/reducers.def"
};
inline constexpr int kReducerCount = sizeof(kReducers) / sizeof(ReducerInfo);

/// The row of a reducer: info(Reducer::sum).join == Op::add.
constexpr const ReducerInfo& info(Reducer r) { return kReducers[static_cast<int>(r)]; }

/// The same of both (argmin and min): the reducer that gives the value whose index this one gives.
constexpr Reducer without_index(Reducer r) {
  return r == Reducer::argmin ? Reducer::min : r == Reducer::argmax ? Reducer::max : r;
}

/// Can values of this type be reduced? Times are added, if at all, where the operation says so.
constexpr bool is_defined(Reducer r, DType values) {
  return info(r).item != ReducerInfo::Item::value || accepts(info(r).join, values);
}

/// The type of the state while values of this type are folded; of those with an index the value's.
constexpr DType state_type(Reducer r, DType values) {
  switch (info(r).result) {
    case ReducerInfo::Result::widened:
      if (values == DType::boolean || is_signed_integer(values)) return DType::int64;
      return is_unsigned_integer(values) ? DType::uint64 : values;
    case ReducerInfo::Result::boolean:
      return DType::boolean;
    case ReducerInfo::Result::count:
      return DType::int64;
    default:
      return values;
  }
}
/// The type of the result.
constexpr DType result_type(Reducer r, DType values) {
  return info(r).has_index() ? DType::int64 : state_type(r, values);
}

/// The state of nothing, of a state of this type. The lowest complex number is that of the order of
/// pairs, the lowest time the lowest that is not NaT.
Scalar identity(Reducer r, DType state);

}  // namespace serrate
