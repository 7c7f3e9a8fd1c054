// Writes the kernels of one nest: the state that the files generate*.cpp share.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuda/codegen/generate.h"

namespace serrate::cuda {

using namespace graph;

class Generator {
 public:
  Generator(Nest& nest, const Forced& forced) : nest_(nest), forced_(forced) {}
  NewKernels make(Plan plan);

 private:
  /// Owners of an item that are searched for only if the text names them; the nearest last.
  struct Asked {
    Symbol name;
    Text line;
    bool by_warp = false;  // among the owners of the warp's items: owner0 ... owner1 - 1
  };
  struct BinnedFold {
    Accumulator acc;
    std::string lists, list_indexes;  // fields: per list, for later kernels
    std::string parts, part_indexes;  // fields: per segment of a giant list
  };
  /// One walk over lists of any lengths.
  struct Bins {
    int frame = 0;
    bool last = false;  // the owner's own work is done with its results
    std::string name;   // of its kernel
    std::vector<BinnedFold> folds;
    // Fields, if there may be long lists: the number of segments, and of those that somebody has
    // taken; these; how many of some that follow each other are done.
    std::string number, segments, arrived;
  };

  /// What a warp does with the tuples of one frame; names of shared memory.
  struct Tuples {
    struct Base {
      graph::SpaceRef space;
      std::string starts, lengths;  // starts: as ints, or ""
    };
    int frame = 0;
    std::string type;                // that counts a warp's tuples
    std::string counts;              // variable: tuples of a lane's own lists
    std::string owners, firsts;      // of lists with tuples: their number; their first tuple
    std::vector<Base> bases;         // of these, too
    std::vector<Accumulator> folds;  // per list
  };
  /// A histogram in shared memory; the names of a warp's copy, the number of copies, their size.
  struct SharedBins {
    size_t output;
    std::string name, copies, size, words;  // words: of one copy
  };

  // -- outputs
  void place_outputs();

  /// Number of items before this one, where that is known without counting.
  Text ordinal(Cursor& k);

  std::string first_item(const Space& s);
  // -- writing
  void write(Walk& w, const WalkPlan& plan);
  void append(Walk& w, const Counted& counted);
  /// One kernel more. `blocks`: how many should fit a multiprocessor at once.
  void add_kernel(std::string name, Scope& s, int threads = kThreads, int blocks = 1) {
    code_.push_back({std::move(name), threads, blocks, std::move(s.code)});
  }

  /// counting: the level of what this kernel counts, or -1 for the one that does all else.
  KernelCode kernel(Walk& w, const std::string& name, int counting);
  /// Writes the kernels that count, in levels: see generate_counts.cpp.
  void count_kernels(Walk& w);
  std::string count_name(const Walk& w, int level) const;
  /// Kernels that count, one behind the other.
  static int levels_of(const Walk& w);
  /// Where the items of this thread begin, of what was counted in kernels before.
  void find_begins(Walk& w, Cursor& unit, Scope& s, int levels);
  bool counts() const { return counting_ >= 0; }
  /// Is it known where the items of this frame begin?
  bool is_begun(int level) const { return !counts() || level < counting_; }
  /// The walk over what the threads share, as a function that a failed check leaves.
  void threads_walk(Walk& w, Cursor& unit, Scope& s);

  /// One thread an item of a stored list. Who owns it is searched for only if somebody asks.
  void items_walk(const Frame& root, Cursor& unit, Scope& s);
  /// The same, 8 items a thread: a warp has 256 items that follow each other.
  void appending_walk(const Frame& root, Cursor& unit, Scope& s);
  void keep_bits(Walk& w);
  /// What blocks of their own do.
  void kept_lists(const Walk& w, Scope& s);
  void add_up_counts(const Walk& w, Scope& s);
  /// Only the threads of the block that comes last go on. Kernels have some words to count by.
  void last_arrived(const std::string& word, const std::string& blocks, Scope& s);
  // -- few items, counted and written by one kernel: see generate_alone.cpp
  void alone_kernel(Walk& w);
  /// Each thread learns where its own items of a level begin.
  void begin_alone(int level, Scope& s);
  void say_totals(const Walk& w, Scope& s);
  void begin_lists(int f, Cursor& k, Scope& s);
  void end_lists(int f, Scope& s);
  void finish_lists(const Walk& w, Scope& s);
  void sum_lengths(Walk& w);
  void put_begin(const Walk& w, Scope& s);
  void balanced_kernel(Walk& w);
  void count_alone(Walk& w, const std::string& lists, Scope& s);
  Cursor& any_item(const SpaceRef& space, Cursor& owner);
  Text balanced_length(int f, Cursor& k);
  void inner_offsets_kernel(Walk& w);
  void use_inner_offsets(Walk& w);
  const Frame& root_of(const Walk& w) const;
  Cursor& stored_cursor(const SpaceRef& space, const Text& domain, Cursor& unit, Scope& s,
                        std::vector<Asked>& asked);
  std::string owners_of(const Space& s);
  /// True if owners of the warp's items must be known for that.
  static bool add_asked(const std::vector<Asked>& asked, Scope& s);

  // -- warps
  std::string warp_memory(std::string_view type, int itemsize, const std::string& name, Scope& s);
  Cursor& warp_list(bool own, Cursor& unit, Scope& s, std::vector<Asked>& asked);
  Tuples tuples_of(int frame, Scope& s);
  void warps_walk(Walk& w, Cursor& unit, Scope& s);
  static void put_list(Scope& s);
  void warp_tuples(const Tuples& t, Cursor& unit, Scope& s);
  void count_tuples(const Tuples& t, Cursor& unit, Scope& s);
  void do_tuples(const Tuples& t, Cursor& unit, Scope& s);
  void fold_tuples(const Tuples& t, const std::vector<Accumulator>& gave, Scope& s);

  // -- binned
  void binned(Walk& w);
  Cursor& owner_cursor(const std::string& domain, Cursor& unit, Scope& s,
                       std::vector<Asked>& asked);
  std::vector<Accumulator> declare_folds(const Bins& b, Scope& s, bool narrow = false);
  void fold_list(const Bins& b, const std::string& r, const Share& share, const Text& condition,
                 const std::vector<Accumulator>& accs, Scope& s);
  void leave_function(const Bins& b, Scope& s);
  static Text leave_call(const std::string& r, const std::vector<Accumulator>& accs);
  /// Where list `r` begins or ends.
  std::string bound(const ColumnRef& c, const std::string& r);
  static void queue_list(const std::string& length, bool giants, Scope& s);
  /// The cursor of list `r`, into whose accumulators the items will be folded.
  Cursor& begin_fold(const Bins& b, const std::string& r, const std::vector<Accumulator>& accs,
                     Scope& in, std::vector<Asked>& asked);
  static std::string cut_call(const Bins& b, const std::string& r, const std::string& length);
  void binned_lists(const Bins& b, int64_t per_block);
  struct Staging;
  size_t fold_staged(const Bins& b, const std::string& head, const std::vector<Accumulator>& accs,
                     Scope& s);
  static void name_staged(const std::string& from, Scope& s);
  void read_staged_bounds(const Staging& g, const std::string& number, Scope& s);
  void bring_staged(const Staging& g, Scope& turn);
  void fold_queued(const Staging& g, Scope& turn);
  /// The same in shared memory; false if that cannot be.
  bool staged_lists(const Bins& b, Walk::Step& step);
  void binned_segments(const Bins& b);

  // -- few long lists
  void cut(Walk& w, int frame);

  const Accumulator* find_fold(const Column* c, int into) const;
  /// What is folded into frame `into` by frame f and the frames inside it.
  void collect(int f, int into, std::vector<const Column*>& out);

  bool is_walked(int f) const { return walk_->group.walks[static_cast<size_t>(f)]; }
  bool is_ours(int f) const;
  /// All lanes see the outermost items, and what filters choose of them; they share what is inside.
  bool is_seen_by_all(int f) const;
  const Append* append_of(int f) const;
  std::string* position_of(int f);

  /// What is done at one item of a frame.
  void body(int f, Cursor& k, Scope& s);

  bool leads_to_append(int f);
  bool is_known(const Column* c) const;
  void child(int c, int f, Cursor& k, Scope& s, bool shares);

  /// Variables that count the items of filters inside frame c, whose lists begin with those of f.
  void count_filters(int c, int f, Scope& s);

  Text counter_of(int f) const;
  void join_lanes(const Accumulator& acc, Scope& s);
  /// Lanes 1, 2, 4 ... below `size` apart hand each other their values.
  void join_shuffled(const Accumulator& acc, const std::string& mask, const std::string& lane,
                     const std::string& size, const std::string& width, Scope& s);

  void filtered(int c, Cursor& k, Scope& s);
  void sinks(int f, Cursor& k, Scope& s, const Text& q);

  // -- histograms
  std::string bins_in_block(size_t output) const;
  void declare_bins(const Walk& w, Scope& s);
  void add_up_bins(Scope& s);
  void fill(size_t output, Cursor& k, Scope& s, bool one_lane);
  /// Kernels that make doubles of exact sums.
  void join_sums();
  // -- reductions of everything
  /// Joins the threads of a block; thread 0 leaves the block's part.
  void block_parts(Walk& w, Scope& s);

  void join_block(const Accumulator& acc, Scope& s);
  /// The block that comes last joins the parts of all.
  void last_block(Walk& w, Scope& s);
  Text shown(size_t output, const Text& value);
  void unit_stores();

  Nest& nest_;
  Forced forced_;
  Kernels kernels_;
  Kernels* const out_ = &kernels_;
  Arguments a_;
  Emitter e_{nest_, a_};
  std::vector<KernelCode> code_;
  Symbol symbols_ = 0;  // so many are there
  Walk* walk_ = nullptr;
  int warp_bytes_ = 0;  // of shared memory, for a warp of the kernel at hand
  int counting_ = -1;
  std::vector<std::pair<int, Accumulator>> folds_;      // into frame
  std::vector<std::pair<int, std::string>> positions_;  // appended frames
  std::vector<std::pair<int, std::string>> counters_;   // filters
  std::vector<SharedBins> shared_bins_;
  std::vector<Tuples> tuples_;           // of the warp's lists, done by now
  std::vector<BinnedFold> finished_;     // of earlier kernels of this walk
  std::vector<const Column*> unfolded_;  // lengths that the appended items' offsets tell
};

}  // namespace serrate::cuda
