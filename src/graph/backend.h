// The contract of a back end: all that evaluation, the operations and whoever reads arrays ask of a
// device. There is one Backend for each Device; what it computes is the stored form of trees
// (graph/evaluate.h), by loop nests (graph/nest.h) and by barriers.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/host.h"
#include "core/types/reducer_info.h"
#include "graph/ir.h"
#include "graph/nest.h"
#include "graph/signature.h"
#include "graph/store.h"

namespace serrate::graph {

struct BarrierInput;
struct ItemGroups;

/// Matrices of items of some bytes, row by row, one after the other.
struct Matrices {
  const std::byte* items;
  int64_t count, rows, columns, itemsize;
  int64_t stride = 0;  // items from row to row, where these are parts of longer ones; else 0
};

/// Items of some bytes at equal strides, which are counted in items, along each of some dimensions,
/// of which the last one varies fastest; along one of them maybe anywhere.
struct StridedItems {
  static constexpr int kMostDimensions = 4;
  const std::byte* items = nullptr;
  int itemsize = 0;
  int dimensions = 0;
  std::array<int64_t, kMostDimensions> sizes{}, strides{};
  int table_dimension = -1;
  const int64_t* table = nullptr;  // where its items are, not strides * i
  bool operator==(const StridedItems&) const = default;
};

/// What is made of each column of matrices: a result of result_type(), or a wide one.
struct ColumnFold {
  Reducer reducer = Reducer::sum;
  DType dtype = DType::float64;  // of the items
  bool wide = false;             // sums: as float64, or complex128
  bool squares = false;          // sums: of the squares of differences from the mean, as float64
  bool but_nan = false;          // sums, count, any, positions: NaN takes no part
  bool operator==(const ColumnFold&) const = default;
  DType result() const {
    if (!wide && !squares) return result_type(reducer, dtype);
    return is_complex(dtype) ? DType::complex128 : DType::float64;
  }
};

/// Running results of each column of matrices or lists.
struct ColumnScan {
  Reducer reducer = Reducer::sum;
  DType dtype = DType::float64;      // of the items
  DType result = DType::float64;     // as that of Barrier::scan
  const std::byte* valid = nullptr;  // booleans, of each item: others add nothing; null: all do
};

/// Stored lists of which item j is in column j of their owner, or behind a first column of their
/// own. Columns lie one behind the other, those of an owner together. Offsets are int64, from 0 on.
struct ListColumns {
  int64_t owners = 0;
  Buffer lists;        // offsets of the lists of each owner
  Buffer items;        // of the items of each list
  Buffer columns;      // of the columns of each owner
  Buffer places;       // of what is in each column
  Buffer first;        // int64, of each list: its first column among its owner's; empty: 0
  Buffer take_part;    // booleans, of each item: others are in no column; empty: all are
  int64_t count = 0;   // of items
  int64_t placed = 0;  // of those in columns
  // Those that are asked for, of all columns; `end` -1: all from the first one on.
  int64_t first_column = 0, end_column = -1;
};

/// Dense matrices of one type, row by row: `left` of rows x inner items, `right` of inner x
/// columns; `count` pairs, one behind the other. Of one row and one column `left` may be asked to
/// be conjugated.
struct MatrixPair {
  DType type = DType::float64;
  const void* left = nullptr;
  const void* right = nullptr;
  int64_t rows = 0, inner = 0, columns = 0;
  int64_t count = 1;
  bool conjugates = false;
};

/// Items side by side, and integers that say which of them are asked for: those below 0 from the
/// end.
struct ItemsToTake {
  const std::byte* items = nullptr;
  int64_t size = 0;
  int itemsize = 0;
  DType index_type = DType::int64;
  const std::byte* index = nullptr;
  int64_t count = 0;
};

/// Numbers in order, NaN last, and those whose places among them are asked for.
struct NumbersToFind {
  DType sorted_type = DType::float64;
  const std::byte* sorted = nullptr;
  int64_t size = 0;
  DType item_type = DType::float64;
  const std::byte* items = nullptr;
  int64_t count = 0;
  bool right = false;  // behind equal ones
};

/// Numbers side by side in some memory, and values for some of their places.
struct ItemUpdates {
  const std::byte* numbers = nullptr;  // in the memory
  int64_t size = 0;
  DType type = DType::float64;
  const int64_t* places = nullptr;  // below 0: counted from the end; null: from `first` on
  int64_t count = 0;
  int64_t first = 0, step = 1;
  int64_t run = 1;  // places are of runs of so many numbers, as rows of a matrix are; without op
  std::span<const int64_t> sizes = {};    // of a box of places from `first` on, which are that far
  std::span<const int64_t> strides = {};  // apart along each dimension; one value, without op
  const uint8_t* mask = nullptr;          // of all numbers: one value comes where it is not 0
  std::optional<Op> op = {};              // of the number and the value, one after the other
  const std::byte* values = nullptr;  // one for each number; or one for all, in memory of the host
  DType value_type = DType::float64;  // another than `type` where numbers come to booleans
  bool is_one = false;
  bool may_overwrite = false;  // if nobody else holds the memory
};

/// What runs may still find wrong about results that they left (Capabilities::raises_late).
class Pending {
 public:
  virtual ~Pending() = default;
  /// Nothing can be found any more, as is known without a wait.
  virtual bool passed() const = 0;
  /// Waits, and throws what was found.
  virtual void settle() const = 0;
  /// Is all of this found by whoever looks at what that is about, too?
  virtual bool is_part_of(const Pending& other) const = 0;
};

/// What a back end can do, and what it must be spared: whatever is decided before it is asked.
struct Capabilities {
  /// Loads, constants, spaces and outputs that one nest should have. What has more is evaluated in
  /// parts (Store::parts).
  size_t most_inputs = SIZE_MAX;
  /// Those that a single output may have: of one with more, parts are stored before (Store::broad).
  size_t most_inputs_of_one = SIZE_MAX;
  /// It counts its way to items of derived lists that are looked at by index, so long lists are
  /// materialised before (graph/evaluation/picks.h).
  bool counts_to_picks = false;
  /// Few outer lists are stored before what is inside of them (graph/parts/outer_lists.h).
  bool stores_outer_lists = false;
  /// Its argmin and argmax carry along what is picked at their index (graph/extremes.h). Whoever
  /// counts to picks must.
  bool carries_picks = false;
  /// Items of tuples along axis 0 are found by their number, so what the tuples are made of is
  /// materialised before.
  bool numbers_tuples = false;
  /// It gives each column of a table threads of its own if their number is known when the
  /// expression is built: worth a look at the data.
  bool splits_known_columns = false;
  /// Histograms of doubles with few cells are fast.
  bool adds_floats_to_few_cells = true;
  /// Sums of floats in histograms of more cells differ from run to run.
  int64_t most_exact_cells = INT64_MAX;
  /// Long lists are shared by all threads; else the one list of a whole array is materialised
  /// before.
  bool shares_lists = true;
  /// What is said of a list is computed again for each of its items that asks.
  bool repeats_for_items = false;
  /// It copies what was computed for a list to each item that looks at that list again, as in
  /// nested products (graph/repeats.h).
  bool repeats_lists = false;
  /// Failed checks are raised when somebody waits (settle), not where they ran.
  bool raises_late = false;
  /// Sorts of integers leave out items that take no part by themselves; else keys say so
  /// (sort_key).
  bool sorts_with_missing = false;
  /// Sorts take complex numbers, in NumPy's order; else their parts are sorted one after the other.
  bool sorts_complex = false;
  /// Running sums and products read any type; else only that of the result.
  bool scans_any_type = true;
  /// Equal items are found by hashing (Backend::group, members); else by sorts.
  bool groups_by_hash = false;
  /// Item 0 of a domain is read where a guard does not hold: it must be there.
  bool reads_item_0 = true;
  /// Of spaces, plans see kind, k and size only: any like them may stand in
  /// (graph/evaluation/steps.h).
  bool sees_spaces_by_kind = false;
  /// Of lists along axis 0, plans know bounds of their number that others do not have.
  bool bounds_axis_0 = false;
  /// It moves items of lists to columns and back (Backend::to_columns ...); else they are sorted.
  bool moves_to_columns = false;
  /// It transposes parts of the rows of matrices, to parts of others.
  bool transposes_bands = false;
  /// It has products of matrices of integers and booleans, too (Backend::matrix_product).
  bool multiplies_exactly = false;
  /// Kept plans are compared with what is planned anew, each time: for tests.
  bool compares_plans = false;
  /// Results come from the objects of a plan alone, so that steps can be run again as one plan.
  bool runs_from_objects = true;
  /// Plans have a text that explain() shows, and the host may wait while they run.
  bool describes_plans = false;
};

/// The spaces and columns that a plan names by number.
using Objects = std::span<const void* const>;

/// Trees that are made when somebody needs them.
using LaterTrees = std::function<std::vector<NodeRef>()>;

/// What outputs are written for.
struct Demand {
  const std::vector<NodeRef>& roots;  // trees
  const std::vector<NodeRef>& whole;  // that these are part of: errors are theirs
  std::span<const int> part = {};     // of the outputs of the trees (Store::demand); empty: all
  const LaterTrees* later = nullptr;  // in place of `whole` once the run has ended, if not null
  bool is_part() const { return &roots != &whole || !part.empty(); }
};

/// A nest made ready to run on any arrays of its structure: it holds nothing of those it was made
/// for. Runs may go on at the same time.
class Executable {
 public:
  virtual ~Executable() = default;
  /// All outputs of the nest, in their order. Throws the exception of the first failed check, now
  /// or when somebody looks (Backend::settle).
  virtual std::vector<Written> run(Objects objects, const Demand& demand) const = 0;
  /// Can it write its one output, of a walk over so many rows, to memory that it is given?
  /// `shortly`: in a few microseconds, without a wait.
  virtual bool runs_flat(int64_t /*rows*/, bool /*shortly*/) const { return false; }
  virtual void run_flat(Objects, int64_t /*rows*/, void* /*out*/) const {}
  /// The same of columns whose items do not all lie side by side: by their objects' numbers those
  /// that do not, null for others. All have the same shape.
  virtual void run_strided(Objects, std::span<const StridedItems* const>, int64_t /*rows*/,
                           void* /*out*/) const {}
  /// Hands over each number of an object that it holds, -1 for none; f may change it.
  virtual void each_object(const std::function<void(int&)>& f) = 0;
  /// May a run hold the demand's trees after its end, for what it may still find wrong?
  virtual bool holds_trees() const { return false; }
};

/// An executable, with the objects of the nest it was made from.
struct Compiled {
  std::unique_ptr<Executable> executable;
  std::vector<const void*> objects;
};

/// What explain() says of a nest beside its drawing.
struct Description {
  std::string text;          // of its kernels
  int waits = 0;             // times that the host waits, to make room
  std::vector<bool> summed;  // outputs that are lengths: their total is known without a wait
};

/// Offsets from 0 on of n lists of these lengths (int64), all on the host.
KnownOffsets offsets_of_lengths(const Buffer& lengths, int64_t n);
/// What the back end of a tree can do: the CPU's, where it has no buffers.
const Capabilities& capabilities_of(const NodeRef& n);
/// Throws what a failed check says. `row`: index along axis 0.
[[noreturn]] void raise_check(const CheckInfo& info, int64_t row, int64_t index);

/// Numbers of lists.
struct ListSizes {
  int64_t total = 0, longest = -1;  // -1: there are no lists
};

/// Buffers that come to the host together, with one wait for all.
class Downloads {
 public:
  virtual ~Downloads() = default;
  /// The bytes in memory of the host; some are there only when finish() has returned.
  virtual Buffer add(const Buffer& b) = 0;
  /// Throws what went wrong where one of the buffers was written.
  virtual void finish() = 0;
};

/// Buffers that go to a device together.
class Uploads {
 public:
  virtual ~Uploads() = default;
  /// Memory of the device; some of it is written only when finish() has returned.
  virtual Buffer add(const Buffer& host) = 0;
  virtual void finish() = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual Device device() const = 0;
  /// As backend= and SERRATE_BACKEND name it.
  virtual const char* name() const = 0;
  /// Throws an exception that says what is missing, if it cannot be used here.
  virtual void require() {}
  virtual const Capabilities& capabilities() const = 0;

  // -- nests
  /// A finished nest without histograms that others are computed from and without barriers.
  virtual Compiled compile(Nest& nest) = 0;
  /// Reductions of lists that should be stored before this nest runs, as few of its threads would
  /// walk long lists one after the other.
  virtual std::vector<ColumnRef> stored_before(Nest&) { return {}; }
  /// What compile() would make, without making it. Asked if describes_plans.
  virtual Description describe(Nest&) { return {}; }

  // -- what plans depend on beside the structure: numbers of spaces, one word each
  /// Adds them to the signature, those of spaces last.
  virtual void add_facts(Signature&) {}
  /// Those of spaces that were added.
  virtual std::vector<std::pair<const Space*, uint64_t>> facts_in(const Signature&) { return {}; }
  /// That of one space.
  virtual uint64_t fact(const Space&) { return 0; }
  /// That of a load, a bit.
  virtual bool fact(const Column&) { return false; }

  // -- barriers
  /// Results of a barrier, one an item of its stored input, behind `skip` bytes of which the first
  /// item is zero.
  virtual Buffer materialise(const Column& barrier, const BarrierInput& in, int64_t skip) = 0;
  /// The groups of equal keys of each list, in the order that the barrier `order`, an argsort,
  /// says; nothing where a sort would be as fast. Asked if groups_by_hash. `numbers`: of items as
  /// well.
  virtual std::optional<ItemGroups> group(const Column& order, const BarrierInput& in,
                                          bool numbers);
  /// The different keys of its one list, in order, NaN at most once; nothing where groups are as
  /// fast.
  virtual std::optional<Buffer> distinct(const Column& order, const BarrierInput& in);
  /// For each item of a barrier's input, of booleans, whether it is equal to one of those of
  /// another. Those are of the same type, or of float32, float64, int64 or uint64 beside numbers of
  /// at most 8 bytes but float16, which are compared as that. NaN is equal to nothing. Asked if
  /// groups_by_hash.
  virtual Buffer members(const BarrierInput& items, const BarrierInput& set);
  /// The products of pairs of matrices, rows x columns; nothing where there is no library for it,
  /// or not of this type.
  virtual std::optional<Buffer> matrix_product(const MatrixPair& of);
  /// Matrices one after the other, each transposed; nothing where picks are as fast.
  virtual std::optional<Buffer> transposed(const Matrices& of);
  /// The same to memory where rows of the results are `stride` items apart, of a back end that
  /// transposes bands (Capabilities).
  virtual void transpose(const Matrices& of, std::byte* to, int64_t stride);
  /// Strided items of the host, one behind the other, into its memory.
  virtual void copy_strided(const StridedItems&, std::byte* /*to*/) {}
  /// How many items (int64) are in each column; `places` need not be known.
  virtual Buffer count_in_columns(const ListColumns&) { return {}; }
  /// Items of some bytes, one behind the other, as they lie in the columns that are asked for, in
  /// the order of their lists.
  virtual Buffer to_columns(const ListColumns&, const std::byte*, int64_t) { return {}; }
  /// Those of the columns that are asked for to where they lie in lists; with the last column any
  /// to items in none.
  virtual void from_columns(const ListColumns&, const std::byte*, int64_t, std::byte*) {}
  /// What list of its owner each is of (int32), as they lie in the columns that are asked for;
  /// where in all columns each is (int64), as they lie in lists.
  virtual Buffer lists_in_columns(const ListColumns&) { return {}; }
  virtual Buffer places_in_columns(const ListColumns&) { return {}; }
  /// The columns of matrices of numbers of this type, folded: a result each. Nothing where a
  /// nest is as fast.
  virtual std::optional<Buffer> folded(const ColumnFold& fold, const Matrices& of);
  /// The same of few long lists, and the products of any, of whose columns all items take part;
  /// `items` lie one behind the other.
  virtual std::optional<Buffer> folded(const ColumnFold& fold, const ListColumns& of,
                                       const std::byte* items);
  /// Running results of the items of matrices' columns, where these lie; nothing where a scan of
  /// lists of columns is as fast.
  virtual std::optional<Buffer> scanned(const ColumnScan& scan, const Matrices& of);
  /// The same of lists' columns; of items in none anything.
  virtual std::optional<Buffer> scanned(const ColumnScan& scan, const ListColumns& of,
                                        const std::byte* items);
  /// How many of the sorted numbers come before each of those that are looked for (int64); nothing
  /// where an expression is as fast, or for types that it does not know.
  virtual std::optional<Buffer> searched(const NumbersToFind& of);
  /// The items that are asked for, one after the other; nothing if one is none, or if it can't do
  /// so.
  virtual std::optional<Buffer> take(const ItemsToTake& of);
  /// The memory with values at places of its numbers, of which the last one stays: itself, or a
  /// copy. Nothing, and nothing is written, if a place is none, or if it can't do so.
  virtual std::optional<Buffer> put(const Buffer& memory, const ItemUpdates& of);
  /// Offsets of a stored space as int64, from 0 on: one more than its parent has positions.
  virtual Buffer offsets_of(const SpaceRef& s) = 0;

  // -- rows that are evaluated some at a time: see graph/parts/row_parts.h
  /// Items of a part, where steps store what is no result, for any number of threads: long sums
  /// would be others. 0: all rows are evaluated together.
  virtual int64_t items_at_a_time() const { return 0; }
  virtual int64_t parts_at_once() const { return 1; }
  /// Runs tasks 0 to n - 1 on as many threads.
  virtual void share(int64_t n, const std::function<void(int64_t)>& task) const {
    for (int64_t i = 0; i < n; i++) task(i);
  }

  // -- memory; that of the host is passed on as it is
  virtual Buffer upload(const Buffer& host) = 0;
  /// Waits, and throws what went wrong where it was written.
  virtual Buffer download(const Buffer& b) = 0;
  virtual std::unique_ptr<Uploads> uploads();
  virtual std::unique_ptr<Downloads> downloads();
  /// Two numbers of an integer type, looked at together.
  virtual std::pair<int64_t, int64_t> integers(DType t, const Buffer& a, const Buffer& b);
  /// Waits, and throws what went wrong where this was written.
  virtual void settle(const Buffer&) {}
  /// What settle() of these would wait for; null: nothing.
  virtual std::shared_ptr<const Pending> pending(std::span<const Buffer> /*results*/) { return {}; }
  /// Offsets from 0 on of lists of these lengths (int64), n of them; a total or longest list of -1
  /// comes with list_sizes().
  virtual KnownOffsets offsets(const Buffer& lengths, int64_t n);
  /// Says so, of fresh memory that begins with the offsets of so many lists.
  virtual void note_list_sizes(const Buffer& /*offsets*/, int64_t /*lists*/, ListSizes) {}
  /// If it has been said, or is on its way: waits for it.
  virtual std::optional<ListSizes> list_sizes(const Buffer& /*offsets*/, int64_t /*lists*/) {
    return {};
  }

  // -- memory of other libraries
  /// Is memory on devices of this type, as DLPack numbers them, this one's?
  virtual bool reads_device_type(int32_t /*type*/) const { return false; }
  /// The type and the number of the device that arrays are on.
  virtual int32_t device_type() const { return 1; }
  virtual int64_t device_number() const { return -1; }
  /// All work from now on comes after the event at this address, and if `host` says so, the host's.
  virtual void wait_for_event(void* /*event*/, bool /*host*/) {}
  /// The address of an event after all work so far; null: nothing is to be waited for.
  virtual std::shared_ptr<void> record_event() { return {}; }
  /// Waits until nothing reads memory that is about to be released.
  virtual void finish_reading() {}
};

/// The back end of a device. Defined above all of them, as is backends().
Backend& backend(Device d);
std::span<Backend* const> backends();

/// SERRATE_COMPARE_PLANS=1: what Capabilities::compares_plans says of all.
bool compares_plans();

/// Whether there may be memory that is not the host's: no back end but the CPU's was asked for it
/// before.
bool other_memory_in_use();
void use_other_memory();

/// The bytes where the host can read them.
inline Buffer to_host(const Buffer& b) {
  note_look_at_values();
  return on_host(b) ? b : backend(b.device()).download(b);
}
/// The bytes, which are the host's, in the memory of a device.
inline Buffer to_device(const Buffer& host, Device d) {
  return is_host(d) ? host : backend(d).upload(host);
}
inline void settle(const Buffer& b) {
  note_look_at_values();
  if (!on_host(b)) backend(b.device()).settle(b);
}

}  // namespace serrate::graph
