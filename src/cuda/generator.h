// Writes the kernels of one nest: the state that the files generate*.cpp share.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/generate.h"

namespace serrate::cuda {

using namespace graph;

class Generator {
 public:
  Generator(Nest& nest, const Forced& forced) : nest_(nest), forced_(forced) {}
  std::unique_ptr<Kernels> make();

 private:
  /// Owners of an item that are searched for only if the text names them; the nearest last.
  struct Asked {
    std::string name, line;
  };
  struct TileFold {
    Accumulator acc;
    std::string lists, list_indexes;  // fields: per list, what is known so far
    std::string heads, head_indexes;  // fields: per tile, of the list that began before it
    std::string values, indexes;      // names in shared memory
  };

  // -- outputs
  void place_outputs();

  static int64_t known_size(const SpaceRef& s);
  /// Number of items before this one, where that is known without counting.
  std::string ordinal(Cursor& k);

  std::string first_item(const Space& s, int64_t first);
  // -- choosing
  double average(const SpaceRef& s) const;

  void choose(Walk& w);
  /// Frames of the group with outputs of unknown size.
  std::vector<int> appended_frames(const Group& g) const;
  bool split(const Group& g);
  // -- writing
  void write(Walk& w);

  void write_once(Walk& w);
  std::string header(const std::string& name, int threads = kThreads);

  /// counting: the level of what this kernel counts, or -1 for the one that does all else.
  std::string kernel(Walk& w, const std::string& name, int counting);
  /// Writes the kernels that count, in levels: see generate_counts.cpp.
  std::string count_kernels(Walk& w);
  std::string count_name(const Walk& w, int level) const;
  void find_levels(Walk& w);
  /// Where the items of this thread begin, of what was counted in kernels before.
  void find_begins(Walk& w, Cursor& unit, Scope& s, int levels);
  bool counts() const { return counting_ >= 0; }
  /// Is it known where the items of this frame begin?
  bool is_begun(int level) const { return !counts() || level < counting_; }
  /// The walk over what the threads share, as a function that a failed check leaves.
  void threads_walk(Walk& w, Cursor& unit, Scope& s);

  /// One thread an item of a stored list. Who owns it is searched for only if somebody asks.
  void items_walk(const Frame& root, Cursor& unit, Scope& s);
  Cursor& stored_cursor(const SpaceRef& space, const std::string& domain, Cursor& unit, Scope& s,
                        std::vector<Asked>& asked);
  static void add_asked(const std::vector<Asked>& asked, Scope& s);

  // -- warps
  bool can_share_warps(const Walk& w) const;
  static std::string counts_type(const Space& s);
  void warps_walk(Walk& w, Cursor& unit, Scope& s);
  void warp_step(int c, Cursor& k, Cursor& unit, Scope& s, const std::string& first,
                 const std::vector<Accumulator>& accs, const std::vector<Accumulator>& done);

  // -- tiles
  bool can_tile(const Walk& w) const;
  bool is_skewed(const Walk& w) const;
  void tiles(Walk& w);
  Cursor& owner_cursor(const SpaceRef& space, const std::string& domain, Cursor& unit, Scope& s,
                       std::vector<Asked>& asked);
  std::string tile_kernel(Walk& w, int c, const std::string& name, std::vector<TileFold>& folds,
                          int each, int64_t blocks);
  void tile_marks(const std::string& offsets, const std::string& lists_end, const std::string& end,
                  int each, Scope& s);
  void tile_item(int c, const std::string& list, const std::string& offsets,
                 const std::vector<Accumulator>& accs, Scope& in);
  void tile_fold(const TileFold& f, const std::string& offsets, Scope& s);
  void tile_runs(const TileFold& f, Scope& in);
  void use_offsets(Walk& w);
  std::string tile_join(Walk& w, int c, const std::string& name, std::vector<TileFold>& folds,
                        int64_t tile, bool sinks_too);

  const Accumulator* find_fold(const Column* c, int into) const;
  /// What is folded into frame `into` by frame f and the frames inside it.
  void collect(int f, int into, std::vector<const Column*>& out) const;

  bool is_walked(int f) const { return walk_->group.walks[static_cast<size_t>(f)]; }
  bool is_ours(int f) const;
  const Append* append_of(int f) const;
  /// Stands in a text for a position that is not known yet.
  static std::string not_begun(int f) { return "unknown_" + std::to_string(f) + "_"; }
  std::string* position_of(int f);

  /// What is done at one item of a frame.
  void body(int f, Cursor& k, Scope& s);

  bool leads_to_append(int f);
  bool is_known(const Column* c) const;
  void child(int c, int f, Cursor& k, Scope& s, bool shares);

  /// Variables that count the items of filters inside frame c, whose lists begin with those of f.
  void count_filters(int c, int f, Scope& s);

  std::string counter_of(int f) const;
  void join_lanes(const Accumulator& acc, Scope& s);

  void filtered(int c, Cursor& k, Scope& s);
  void sinks(int f, Cursor& k, Scope& s, const std::string& q);

  void fill(const Column& c, const std::string& bins, Cursor& k, Scope& s, bool one_lane);
  // -- reductions of everything
  /// Joins the threads of a block; thread 0 leaves the block's part.
  void block_parts(Walk& w, Scope& s);

  void join_block(const Accumulator& acc, Scope& s);
  /// The kernel that joins the parts of all blocks.
  void finish(Walk& w);

  std::string parts_field();
  void unit_stores();

  Nest& nest_;
  Forced forced_;
  std::unique_ptr<Kernels> out_ = std::make_unique<Kernels>();
  Arguments& a_ = out_->arguments;
  Emitter e_{nest_, a_};
  std::string kernels_;
  Walk* walk_ = nullptr;
  int counting_ = -1;
  std::vector<std::pair<int, Accumulator>> folds_;      // into frame
  std::vector<std::pair<int, std::string>> positions_;  // appended frames
  std::vector<std::pair<int, std::string>> counters_;   // filters
  std::vector<std::pair<const Space*, std::string>> firsts_;
  std::vector<TileFold> finished_;  // of earlier kernels of this walk
  std::string list_origin_;
  std::vector<const Column*> unfolded_;  // lengths that the appended items' offsets tell
};

/// Items of the outermost loop over a space of axis 0, or of a stored list.
int64_t driver_size(const Space& s);

}  // namespace serrate::cuda
