// The loop nest that value trees become: which spaces are walked, in what order, and what is kept
// from each walk.
//
// A frame is one walk over a space inside a walk over its parent. Columns that need the result of a
// walk (x - mean(x)) come in a later walk over the same space: walks inside one parent are ordered
// by `time`. A back end turns frames into blocks of vectors (CPU) or nested scalar loops (CUDA).
#pragma once

#include <array>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/pointer_map.h"
#include "graph/ir.h"
#include "graph/repeats.h"

namespace serrate::graph {

inline constexpr int kMaxDepth = 64;  // levels of a space, and levels joined to one

/// When a column can be known: the time of the walk at each depth of its space, and the time inside
/// its own body. A flat space stands at one depth but is walked inside walks over the lists it
/// joins: their times are in `inner`, as bytes, of the depths that have some.
struct Times {
  std::array<uint8_t, kMaxDepth> at{};
  std::vector<std::string> inner;
  uint8_t ready = 0;

  std::string& inner_at(int depth) {
    if (inner.size() <= static_cast<size_t>(depth)) inner.resize(static_cast<size_t>(depth) + 1);
    return inner[static_cast<size_t>(depth)];
  }
};

/// A reduction done by a frame into its owner (the frame of over->parent).
struct Fold {
  const Column* column = nullptr;
  int into = 0;  // frame
};

struct Frame {
  SpaceRef space;
  int id = 0;
  int parent = -1;     // frame of space->parent (-1: unit)
  int time = 0;        // order among the walks inside the parent
  std::string inner;   // flat: times of the walks it is inside of
  int rank = 0;        // 0: plain lists; derived spaces come after what they derive from
  int inside = -1;     // select, flat: the frame of the base, in whose blocks this one is walked
  int repeats = -1;    // the frame whose lists this one's owners look at again: see Repeats
  bool whole = false;  // all lists of a block of the parent at once: another frame looks at
                       // arbitrary positions
  std::vector<int>
      children;  // frames with this parent, ordered by time and rank; without those `inside`
  std::vector<int> filters;           // frames with inside == this
  std::vector<int> bases;             // frames of space->bases
  std::vector<Fold> folds;            // done in this frame
  std::vector<const Column*> stores;  // columns written out, see Nest::outputs
  std::vector<const Column*> histograms;
  std::vector<const Column*> checks;  // that its own sinks do not make: see Nest::find_checks
};

/// Frames and demanded columns for a set of roots.
class Nest {
 public:
  /// `repeats_lists`: what repeated lists say of their items alone is computed once for each of
  /// these, in a walk before (Capabilities::repeats_lists).
  /// `carries_picks`: what is picked at an argmin or argmax is a part of that fold
  /// (Capabilities::carries_picks).
  explicit Nest(bool repeats_lists = false, bool carries_picks = false)
      : repeats_lists_(repeats_lists), carries_picks_(carries_picks) {}
  /// A column over `space` must be written out, one value per position. Returns its number.
  /// `lengths`: nobody asks for more than the lists of these lengths.
  int store(const ColumnRef& c, const SpaceRef& space, bool lengths = false);
  int store_histogram(const ColumnRef& c);
  /// A reduction over unit that nobody stores and no column below the stored ones has. Then comes
  /// finish(). It may be added once.
  void add_fold(const ColumnRef& c);
  /// Every check that somebody asks for is made at all positions of its space. A back end that
  /// computes columns by demand, where their readers are, makes those of Frame::checks besides:
  /// their readers may be in lists that are empty, or behind filters.
  void find_checks();
  /// Sorts children; call after all stores.
  void finish();

  const std::vector<Frame>& frames() const { return frames_; }
  std::vector<Frame>& frames() { return frames_; }
  const Times& times(const ColumnRef& c);
  const Times& times(const SpaceRef& s);
  /// The frame that walks `s` at these times, made if need be.
  int frame(const SpaceRef& s, const Times& t);
  /// The frame in which column c over space s is evaluated when seen from frame f (whose space is
  /// s).
  int base_frame(int f, int link, const ColumnRef& c);
  int pick_frame(int f, const Column& c);
  int fold_frame(int f, const ColumnRef& c);
  /// A column that frame f repeats, as its lists have it, and the frame of these; null if it
  /// repeats none.
  std::pair<ColumnRef, int> repeated(const ColumnRef& c, int f);
  /// What a space or a column of a frame is in the expression that was asked for.
  const void* original(const void* p) { return repeats_.original(p); }
  /// The argmin or argmax that carries what is picked along, null if it is found again by its
  /// index.
  const Column* carrier(const Column& pick) const;
  /// Picks that an argmin or argmax like this one carries, one for each value.
  const std::vector<const Column*>& carried(const Column& extreme) const;
  /// The one of these that stands for a pick.
  const Column* first_carried(const Column& pick) const;
  /// Something is computed from a histogram or is a barrier: those must be filled before this nest.
  bool needs_fills() const { return needs_fills_; }
  /// Long derived lists are looked at by index: see graph/evaluation/picks.h.
  bool has_long_picks() const { return has_long_picks_; }
  /// Walks over the outermost spaces: sweeps over the data.
  int passes() const;

  struct Output {
    ColumnRef column;
    SpaceRef space;
    int frame = 0;
    bool histogram = false;
    bool lengths = false;  // of lists, of which offsets may be written instead
  };
  const std::vector<Output>& outputs() const { return outputs_; }

 private:
  SpaceRef repeated_lists(const SpaceRef& s) {
    return repeats_lists_ ? repeats_.lists(s) : SpaceRef();
  }
  ColumnRef once(const ColumnRef& c) { return repeats_lists_ ? repeats_.once(c) : ColumnRef(); }
  /// The frame of the lists that f repeats, once `c` over them is known (null: any walk).
  int lists_frame(int f, const ColumnRef& c);
  void demand(const ColumnRef& c, int f);
  void demand_space(int f);
  void demand_carried(const Column& pick, const Column& extreme, int f);
  int find_frame(const SpaceRef& s, const Times& t);
  /// The frame's blocks, and those it is walked inside of, are looked at as a whole.
  void make_whole(int f);
  Times path(int f) const;

  bool repeats_lists_, carries_picks_;
  Repeats repeats_;
  std::vector<Frame> frames_;
  std::vector<Output> outputs_;
  bool needs_fills_ = false, has_long_picks_ = false;
  std::vector<ColumnRef> added_folds_;
  const Times& keep(const void* space_or_column, const Times& t);
  /// Whether it is the first time that c is demanded in frame f, which is remembered.
  bool is_new(const Column* c, int f);

  std::deque<Times> all_times_;     // grows while references are held
  PointerMap<const Times*> times_;  // of columns and spaces
  PointerMap<std::vector<std::pair<Times, int>>> derived_frames_;  // of derived spaces, by times
  struct Carried {
    const Column* extreme;
    std::vector<const Column*> picks;
  };
  std::vector<Carried> carried_;
  mutable PointerMap<const Column*> carriers_;  // of picks
  std::vector<std::pair<const Column*, int>> demanded_;
  std::set<std::pair<const Column*, int>> many_demanded_;  // the same, if they are many
};

}  // namespace serrate::graph
