// The operations on arrays. Names, arguments, defaults and results are Awkward Array's and NumPy's.
//
// Element-wise functions (sqrt, add, maximum ...) are declared by expanding elementwise.def at the
// end. Nothing is computed when a function is called, unless it is said to look at the data; wrong
// types and axes raise at once, what depends on the data when somebody looks at the result.
//
// An axis counts list levels from the outermost (0), or from the innermost (-1) where it is
// negative. AxisError where x is not that deep.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "serrate/array.h"
#include "serrate/op.h"

namespace serrate {

/// axis=None reduces everything.
using Axis = std::optional<int>;
inline constexpr std::nullopt_t none = std::nullopt;

// -- element-wise ---------------------------------------------------------------------------------
/// Any row of elementwise.def on broadcast arrays. Missing items stay missing.
Array elementwise(Op op, const std::vector<Array>& args);
/// condition ? x : y, broadcast; `mergebool` makes numbers of booleans that meet numbers.
Array where(const Array& condition, const Array& x, const Array& y, bool mergebool = true);
/// Leaves as another type; of times, with another unit. Arrays of unknown type stay unless they are
/// to be included.
Array values_astype(const Array& x, DType to, const std::string& unit = {},
                    bool including_unknown = false);
struct LikeOptions {
  std::optional<DType> dtype = {};
  bool including_unknown = false;
};
/// Leaves of x are replaced by a constant; the structure stays.
Array full_like(const Array& x, const Array& value, LikeOptions o = {});
/// 0 (false, "" or the epoch) in place of each leaf.
Array zeros_like(const Array& x, LikeOptions o = {});
/// 1 in place of each leaf.
Array ones_like(const Array& x, LikeOptions o = {});
struct CloseOptions {
  double rtol = 1e-5, atol = 1e-8;
  bool equal_nan = false;
};
/// |a - b| <= atol + rtol |b|, item by item.
Array isclose(const Array& a, const Array& b, CloseOptions o = {});
/// NaN becomes `nan`, infinities what is given or the largest finite numbers.
Array nan_to_num(const Array& x, const Array& nan = Array(0.0), const Array* posinf = nullptr,
                 const Array* neginf = nullptr);
/// Values below lo as lo, above hi as hi; null: no bound.
Array clip(const Array& x, const Array* lo, const Array* hi);
/// To this many decimals, halves to the even neighbour.
Array round(const Array& x, int decimals = 0);
/// Texts as numbers; ValueError where one is none. Looks at the data.
Array strings_astype(const Array& x, DType to);
/// x as this type: missing values, union members, fields and dimensions added or taken away,
/// numbers cast. ValueError where the types can't be converted. Looks at the data.
Array enforce_type(const Array& x, const Type& type);

// -- reducers -------------------------------------------------------------------------------------
struct ReduceOptions {
  Axis axis = none;
  bool keepdims = false;  ///< lists of one in place of the axis
  /// Empty lists give None; default: true for min, max, argmin, argmax.
  std::optional<bool> mask_identity = {};
  std::optional<Scalar> initial = {};  ///< sum, prod, min, max only
};
/// Reducers take an axis away: of "n * var * float64" axis -1 leaves "n * float64", none a single
/// value. Along an outer axis the j-th items of all lists that have one are a list. Missing items
/// take no part. Records and tuples can't be reduced: TypeError.
/// sum([[1, 2], []], {.axis = -1}) is [3, 0]. Integers are added as int64 or uint64.
Array sum(const Array& x, ReduceOptions o = {});
/// 1 of nothing.
Array prod(const Array& x, ReduceOptions o = {});
/// None of empty lists.
Array min(const Array& x, ReduceOptions o = {});
Array max(const Array& x, ReduceOptions o = {});
/// Whether some item, or each one, is true: not 0. Of empty lists false and true.
Array any(const Array& x, ReduceOptions o = {});
Array all(const Array& x, ReduceOptions o = {});
/// Items that are not missing; those that are not 0 either.
Array count(const Array& x, ReduceOptions o = {});
Array count_nonzero(const Array& x, ReduceOptions o = {});
/// Positions in the lists of the first of the smallest (largest) items; None of empty lists.
Array argmin(const Array& x, ReduceOptions o = {});
Array argmax(const Array& x, ReduceOptions o = {});
/// sum(weight x) / sum(weight), in float64; NaN of empty lists.
Array mean(const Array& x, ReduceOptions o = {}, const Array* weight = nullptr);
/// mean((x - mean(x))^2) n / (n - ddof), and its square root.
Array var(const Array& x, ReduceOptions o = {}, double ddof = 0, const Array* weight = nullptr);
Array std(const Array& x, ReduceOptions o = {}, double ddof = 0, const Array* weight = nullptr);
/// max - min.
Array ptp(const Array& x, ReduceOptions o = {});
/// The value below which the part q of the items lies, 0 <= q <= 1, between neighbours in
/// proportion; 0.5 is the median. float64, NaN of nothing and where there is a NaN.
Array quantile(const Array& x, double q, ReduceOptions o = {});
Array median(const Array& x, ReduceOptions o = {});
/// Mean of x to the power n.
Array moment(const Array& x, double n, ReduceOptions o = {}, const Array* weight = nullptr);
/// Mean of (x - mean(x)) (y - mean(y)), and that over both standard deviations.
Array covar(const Array& x, const Array& y, ReduceOptions o = {}, const Array* weight = nullptr);
Array corr(const Array& x, const Array& y, ReduceOptions o = {}, const Array* weight = nullptr);
/// Least squares: records of intercept, slope and their errors.
Array linear_fit(const Array& x, const Array& y, ReduceOptions o = {},
                 const Array* weight = nullptr);
/// The same of what is not NaN: of nan_to_none(x), and of the weight. Where nothing else is, or
/// nothing at all, sums are 0, products 1, and the rest None by default. nansum([[1, nan], []],
/// {.axis = -1}) is [1, 0], nanmean of it [1, None].
Array nansum(const Array& x, ReduceOptions o = {});
Array nanprod(const Array& x, ReduceOptions o = {});
Array nanmin(const Array& x, ReduceOptions o = {});
Array nanmax(const Array& x, ReduceOptions o = {});
Array nanargmin(const Array& x, ReduceOptions o = {});
Array nanargmax(const Array& x, ReduceOptions o = {});
Array nanmean(const Array& x, ReduceOptions o = {}, const Array* weight = nullptr);
Array nanvar(const Array& x, ReduceOptions o = {}, double ddof = 0, const Array* weight = nullptr);
Array nanstd(const Array& x, ReduceOptions o = {}, double ddof = 0, const Array* weight = nullptr);
Array nanquantile(const Array& x, double q, ReduceOptions o = {});
Array nanmedian(const Array& x, ReduceOptions o = {});
/// exp(x) over its sum. With `mask_identity` empty lists are missing, or, with `keepdims`, as they
/// are in type only: their items are options.
Array softmax(const Array& x, Axis axis = -1, std::optional<bool> mask_identity = false,
              bool keepdims = false);

// -- whole lists in order -------------------------------------------------------------------------
struct SortOptions {
  Axis axis = -1;  ///< none: all items as one list
  bool ascending = true;
};
/// Lists in order, equal items as they were; NaN and NaT last, then what is missing. Fields of
/// records each on their own. Along an outer axis the j-th items of all lists that have one are a
/// list.
Array sort(const Array& x, SortOptions o = {});
/// Positions along the axis of the items in order: argsort([[3, 1, 2]]) is [[1, 2, 0]].
Array argsort(const Array& x, SortOptions o = {});
/// What equal items get: the mean of their places, the first, the last; dense: the number of the
/// distinct value; ordinal: places in the order they stand.
enum class RankMethod : uint8_t { average, min, max, dense, ordinal };
/// Places of the items in order, from 1 on.
Array rank(const Array& x, RankMethod method = RankMethod::average, SortOptions o = {});
/// Sums of the items up to each; missing items stay missing and add nothing.
Array cumsum(const Array& x, Axis axis = -1);
Array cumprod(const Array& x, Axis axis = -1);
Array cummin(const Array& x, Axis axis = -1);
Array cummax(const Array& x, Axis axis = -1);
/// Differences of neighbours along an axis, n times; along an outer one, of each item and the one
/// before it at the same place of the lists inside, dropped where there is none.
Array diff(const Array& x, int n = 1, int axis = -1);
/// The same in the order of these fields of records, the first one counting most. Records are the
/// items of the innermost lists above them, or of one list.
Array sort_by(const Array& x, const std::vector<std::string>& by, SortOptions o = {});
Array argsort_by(const Array& x, const std::vector<std::string>& by, SortOptions o = {});
/// The first k items (fewer where a list has fewer) of the innermost lists in order, or their
/// positions: the largest ones with ascending = false.
Array topk(const Array& x, int64_t k, SortOptions o = {.ascending = false});
Array argtopk(const Array& x, int64_t k, SortOptions o = {.ascending = false});
/// The distinct items of the innermost lists in order; of each the position of the first one, and
/// how many there are; for each item the number of its value.
struct UniqueParts {
  Array values, index, inverse, counts;
};
UniqueParts unique(const Array& x, Axis axis = -1);
/// Whether all items of a list are different.
Array is_unique(const Array& x, Axis axis = -1);
/// The distinct items of the innermost lists in order, and how many there are: records of value and
/// count.
Array value_counts(const Array& x, Axis axis = -1);
/// The items that have equal keys, for each of the innermost lists of keys: the distinct keys in
/// order, and for each the list of its items as they stood. Keys may be records: of several keys.
struct Grouped {
  Array keys, values;
};
Grouped group_by(const Array& x, const Array& keys, Axis axis = -1);
/// Lengths of the runs of equal values in the innermost lists.
Array run_lengths(const Array& x, Axis axis = -1);
/// Whether an item is one of the values: of all leaves of `values` as one set, or with
/// `axis` of the list of `values` along it in the item's place (an outer one: the j-th items of all
/// lists for j-th items). Missing items stay missing. Looks at the values.
Array isin(const Array& x, const Array& values, Axis axis = none);
/// Where in a sorted list a value belongs, before equal items or (`right`) after them: in one list,
/// or for nested ones in the list along `axis` in the value's place. Looks at the lists.
Array searchsorted(const Array& sorted, const Array& values, bool right = false, int axis = -1);

// -- records --------------------------------------------------------------------------------------
struct ZipOptions {
  std::optional<int> depth_limit = {};
  std::string with_name = {};
  bool right_broadcast = false;
  /// A record is missing where one of its fields is.
  bool optiontype_outside_record = false;
  Parameters parameters = {};  ///< of the records
};
/// Arrays of equal structure to one array of records, broadcast down to depth_limit.
Array zip(const std::vector<std::pair<std::string, Array>>& fields, ZipOptions o = {});
Array zip(const std::vector<Array>& slots, ZipOptions o = {});
/// The same without broadcasting: all must be numbers, or lists of numbers of equal lengths.
Array zip_no_broadcast(const std::vector<std::pair<std::string, Array>>& fields,
                       const std::string& with_name = {}, Parameters parameters = {});
Array zip_no_broadcast(const std::vector<Array>& slots, const std::string& with_name = {},
                       Parameters parameters = {});
/// One array per field; a one-element vector if there are no records.
std::vector<Array> unzip(const Array& x);
template <size_t N>
auto unzip(const Array& x) {
  auto parts = unzip(x);
  check<ValueError>(parts.size() == N, "unzip: expected {} fields, found {}", N, parts.size());
  return [&]<size_t... i>(std::index_sequence<i...>) { return std::tuple{parts[i]...}; }
  (std::make_index_sequence<N>{});
}
/// Adds or replaces the field at a path ({"a", "b"} sets x["a", "b"]); `what` is broadcast to the
/// records.
Array with_field(const Array& x, const Array& what, const std::vector<std::string>& path);
/// FieldError if there is no such field.
Array without_field(const Array& x, const std::vector<std::string>& path);
/// Records of this name, which behaviours go by; "" for none.
Array with_name(const Array& x, const std::string& name);
/// A parameter of the outermost level of x, as JSON.
Array with_parameter(const Array& x, const std::string& key, const std::string& json);
/// More parameters for the outermost records.
Array with_record_parameters(const Array& x, const Parameters& more);
/// No parameters at any level; strings become lists of bytes.
Array without_parameters(const Array& x);
/// Records with only these fields.
Array project(const Array& x, const std::vector<std::string>& fields);
/// union[{a}, {b}] as {?a, ?b} at this axis.
Array merge_union_of_records(const Array& x, int axis = -1);
/// ?{x, y} as {?x, ?y} at this axis.
Array merge_option_of_records(const Array& x, int axis = -1);
/// The arrays with the fields of all; those that were not there are missing.
std::vector<Array> broadcast_fields(const std::vector<Array>& arrays);

// -- structure ------------------------------------------------------------------------------------
/// Lengths of the lists at this axis: num([[1, 2], []]) is [2, 0], axis 0 the length of x.
Array num(const Array& x, int axis = 1);
/// One list level less, missing lists dropped: flatten([[1, 2], [], [3]]) is [1, 2, 3]. With none
/// all leaves in one list, missing ones dropped.
Array flatten(const Array& x, Axis axis = 1);
/// All leaves in one list, missing ones too.
Array ravel(const Array& x);
/// Splits axis into lists of these lengths (one number, or an integer array): unflatten([1, 2, 3],
/// [2, 0, 1]) is [[1, 2], [], [3]]. ValueError unless they add up to what there is. Looks at them.
Array unflatten(const Array& x, const Array& counts, int axis = 0);
/// Position of each item in its list: local_index([[3, 5], []]) is [[0, 1], []].
Array local_index(const Array& x, int axis = -1);
/// "n * var * T" as "n * m * T", at one axis or at all: looks at the data. ValueError if lengths
/// differ.
Array to_regular(const Array& x, Axis axis = 1);
/// "n * m * T" as "n * var * T".
Array from_regular(const Array& x, Axis axis = 1);
/// Arrays, or list by list their lists at an inner axis, one behind the other. Types that don't
/// unify become a union; `mergebool` makes numbers of booleans that meet numbers.
Array concatenate(const std::vector<Array>& arrays, int axis = 0, bool mergebool = true);
struct BroadcastArraysOptions {
  std::optional<int> depth_limit = {};
  bool left_broadcast = true, right_broadcast = true;
  /// Parameters of lists and records: "one_to_one", "intersect", "all_or_nothing" or "none".
  std::string parameters_rule = "one_to_one";
};
/// The arrays with the structure they have after broadcasting together.
std::vector<Array> broadcast_arrays(const std::vector<Array>& arrays,
                                    const BroadcastArraysOptions& o = {});
/// Whether there is a categorical on the outermost path.
bool is_categorical(const Array& x);
/// The distinct values of the first categorical found; nothing without one.
std::optional<Array> categories(const Array& x);
/// The values themselves in place of categories.
Array from_categorical(const Array& x);

// -- missing values -------------------------------------------------------------------------------
/// x with items missing where `keep` is not `valid_when`: mask([1, 2], [true, false]) is [1, None].
Array mask(const Array& x, const Array& keep, bool valid_when = true);
/// Whether the items at this axis are missing: "n * bool" for axis 0.
Array is_none(const Array& x, int axis = 0);
/// `value` in place of what is missing at this axis, or at all.
Array fill_none(const Array& x, const Array& value, Axis axis = -1);
/// Without what is missing at this axis, or at all: drop_none([[1, None], [3]]) is [[1], [3]].
Array drop_none(const Array& x, Axis axis = none);
/// Lists of `target` items or more, filled up with None; with `clip` of exactly as many: regular.
Array pad_none(const Array& x, int64_t target, int axis = 1, bool clip = false);
/// The first item of each list, None of empty ones: firsts([[1, 2], []]) is [1, None].
Array firsts(const Array& x, int axis = 1);
/// Lists of one item, of none where it is missing: singletons([1, None]) is [[1], []].
Array singletons(const Array& x, int axis = 0);
/// NaN becomes missing.
Array nan_to_none(const Array& x);

// -- combinatorics --------------------------------------------------------------------------------
struct CombinationOptions {
  bool replacement = false;  ///< an item may be taken several times
  int axis = 1;
  std::vector<std::string> fields = {};  ///< empty: tuples
  std::string with_name = {};
};
/// All choices of n items of each list, in the order they stand: combinations([[1, 2, 3]], 2) is
/// [[(1, 2), (1, 3), (2, 3)]]. ValueError unless n > 0.
Array combinations(const Array& x, int n, CombinationOptions o = {});
/// Their positions in the lists.
Array argcombinations(const Array& x, int n, CombinationOptions o = {});
struct CartesianOptions {
  int axis = 1;
  std::vector<std::string> fields = {};  ///< empty: tuples
  std::vector<int> nested = {};          ///< which factors group the result into lists
  std::string with_name = {};
};
/// All tuples of an item of each array's list at the axis, the last one changing fastest:
/// cartesian({[[1], [2]], [[5, 6], []]}) is [[(1, 5), (1, 6)], []].
Array cartesian(const std::vector<Array>& arrays, CartesianOptions o = {});
/// Their positions in the lists.
Array argcartesian(const std::vector<Array>& arrays, CartesianOptions o = {});

// -- slicing --------------------------------------------------------------------------------------
struct Slice {
  std::optional<int64_t> start = {}, stop = {}, step = {};
};
struct Ellipsis {};
struct NewAxis {};
/// One item of x[...]: an integer, a slice, ..., newaxis, a field, fields, or an array (boolean or
/// integer, flat or jagged).
using SliceItem =
    std::variant<int64_t, Slice, Ellipsis, NewAxis, std::string, std::vector<std::string>, Array>;
/// x[items...] by Awkward's rules. IndexError, ValueError, TypeError, FieldError.
Array getitem(const Array& x, const std::vector<SliceItem>& items);

// -- devices --------------------------------------------------------------------------------------
/// The array on a device: evaluated, then copied, unless it is there. Nothing else moves data: an
/// expression over both devices is a ValueError. std::runtime_error, saying what is missing, where
/// no GPU can be used.
Array to_backend(const Array& x, Device to);

// -- comparing ------------------------------------------------------------------------------------
struct EqualOptions {
  double rtol = 1e-5, atol = 1e-8;
  bool equal_nan = false, dtype_exact = true, check_parameters = true, check_regular = true;
};
/// Whether structure, types and values are the same, numbers within the tolerances. Looks at both.
bool almost_equal(const Array& a, const Array& b, EqualOptions o = {});
bool array_equal(const Array& a, const Array& b, EqualOptions o = {});

// -- histograms -----------------------------------------------------------------------------------
/// Counts of all leaves of x (any nesting; missing items are left out) in `bins` equal bins over
/// [lo, hi): int64, or float64 sums of weights. With `flow` the underflow comes first and the
/// overflow (and NaN) last: bins + 2 numbers.
Array histogram(const Array& x, int64_t bins, double lo, double hi, const Array* weight = nullptr,
                bool flow = true);

// -- operators and named element-wise functions ---------------------------------------------------
#define SERRATE_ELEMENTWISE_1(name) \
  inline Array name(const Array& x) { return elementwise(Op::name, {x}); }
#define SERRATE_ELEMENTWISE_2(name) \
  inline Array name(const Array& x, const Array& y) { return elementwise(Op::name, {x, y}); }
#define SERRATE_ELEMENTWISE_3(name)
#define SERRATE_ELEMENTWISE(name, arity, ...) SERRATE_ELEMENTWISE_##arity(name)
#include "serrate/elementwise.def"
#undef SERRATE_ELEMENTWISE
#undef SERRATE_ELEMENTWISE_1
#undef SERRATE_ELEMENTWISE_2
#undef SERRATE_ELEMENTWISE_3

inline Array abs(const Array& x) { return absolute(x); }
/// Quotient and remainder, as floor_divide and remainder; of integers by one division.
std::pair<Array, Array> divmod(const Array& x, const Array& y);
inline Array operator+(const Array& x, const Array& y) { return add(x, y); }
inline Array operator-(const Array& x, const Array& y) { return subtract(x, y); }
inline Array operator*(const Array& x, const Array& y) { return multiply(x, y); }
inline Array operator/(const Array& x, const Array& y) { return divide(x, y); }
inline Array operator%(const Array& x, const Array& y) { return remainder(x, y); }
inline Array operator-(const Array& x) { return negative(x); }
inline Array operator==(const Array& x, const Array& y) { return equal(x, y); }
inline Array operator!=(const Array& x, const Array& y) { return not_equal(x, y); }
inline Array operator<(const Array& x, const Array& y) { return less(x, y); }
inline Array operator<=(const Array& x, const Array& y) { return less_equal(x, y); }
inline Array operator>(const Array& x, const Array& y) { return greater(x, y); }
inline Array operator>=(const Array& x, const Array& y) { return greater_equal(x, y); }
inline Array operator&(const Array& x, const Array& y) { return bitwise_and(x, y); }
inline Array operator|(const Array& x, const Array& y) { return bitwise_or(x, y); }
inline Array operator^(const Array& x, const Array& y) { return bitwise_xor(x, y); }
inline Array operator~(const Array& x) { return invert(x); }

}  // namespace serrate
