// Which frames of a nest become one kernel, and what its threads are shared out over.
//
// A frame can be walked by itself, one thread an item, when the items of its space are numbered
// (graph/evaluate.h): the owner of an item is found by search or division, if anybody asks. Frames
// stay with the walk over their owner where they fold into it, where they need a result of it, or
// where their items are only known from it.
#pragma once

#include <vector>

#include "graph/nest.h"

namespace serrate::cuda {

/// What a group does of its frames: outputs of unknown size may be left to a group of their own.
enum class Sinks : uint8_t { all, but_appended, appended };

struct Group {
  int root = 0;             // frame that the threads share
  int time = 0;             // order among the walks over the outermost spaces
  bool items = false;       // those of lists that are numbered, walked without their owners
  std::vector<int> frames;  // whose sinks are this group's
  std::vector<bool> walks;  // per frame of the nest: on the way to a sink of this group
  std::vector<graph::Fold> unit_folds;
  Sinks sinks = Sinks::all;
};

/// The frame in whose text a frame is: of its base for filters, else of its owner.
int container(const graph::Nest& nest, int f);
/// Is frame f the frame `above`, or inside of it?
bool is_above(const graph::Nest& nest, int above, int f);
/// The group walks frame f, and what is between it and the root.
void add_path(const graph::Nest& nest, Group& g, int f);
/// Are all lists of one length that the items of a stored list have? Such are those of `cartesian`,
/// nested.
bool has_one_length(const graph::Nest& nest, const graph::Frame& f);
/// Does an output only say how long the lists of frame f are? Their offsets serve as well.
bool are_lengths(const graph::Nest::Output& o, const graph::Frame& f);
std::vector<Group> group(graph::Nest& nest);
/// For the stores of these frames alone: those below different lists each by themselves.
std::vector<Group> stores_groups(graph::Nest& nest, const std::vector<int>& frames);

}  // namespace serrate::cuda
