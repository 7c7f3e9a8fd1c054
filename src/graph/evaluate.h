// Looking at values: the one door from the symbolic graph to a back end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/ir.h"

namespace serrate::graph {

/// What a thread looked at while somebody wants to know: what it wrote down may depend on that.
struct Looks {
  bool at_values = false;
  std::vector<const Space*> lists;  // numbers of items of stored ones, which may be gone
};
extern constinit thread_local Looks* looks_of_thread;
inline void note_look_at_values() {
  if (looks_of_thread != nullptr) looks_of_thread->at_values = true;
}
inline void note_look_at_size(const Space& s) {
  // Of others nothing is known.
  const bool is_stored = s.kind == SpaceKind::list && s.contiguous;
  if (looks_of_thread != nullptr && is_stored) looks_of_thread->lists.push_back(&s);
}

/// Stored form of value trees over unit, computed together (one pass where they share a space).
/// Afterwards:
///   spaces are unit, rows(n), list(P, load(offsets, position(P)), load(offsets + 1, position(P)))
///   with contiguous set (offsets int32, uint32 or int64; the first need not be 0), or fixed(P,
///   position(P) * size, size); leaves, validities, tags and indexes are load(buffer, position(S)),
///   or constant at unit; contents of unions are stored at full length (position i of content
///   tag(i)).
/// What is stored already is passed on without a copy. Throws the exception of the first failed
/// check.
std::vector<NodeRef> evaluate(const std::vector<NodeRef>& roots);
inline NodeRef evaluate(const NodeRef& root) { return evaluate(std::vector<NodeRef>{root})[0]; }
/// As part of what `like` is of: where that is, if the root has no buffers.
NodeRef evaluate_beside(const NodeRef& root, const Node& like);
/// Where trees are evaluated: where their buffers are, else surrounding_device().
Device device_of(const std::vector<NodeRef>& roots);
/// Where expressions without buffers are evaluated: as this thread says, else as all do.
Device default_device();
void set_default_device(Device d);
/// What this thread says of it.
std::optional<Device>& default_device_of_thread();
/// Where the expression is evaluated whose parts this thread is about to evaluate, else where the
/// operands are of what it makes, else the default device.
Device surrounding_device();
/// While it lives, what has no buffers is evaluated there, if that is known.
class Surrounding {
 public:
  explicit Surrounding(std::optional<Device> d);
  ~Surrounding();
  Surrounding(const Surrounding&) = delete;
  Surrounding& operator=(const Surrounding&) = delete;

 private:
  std::optional<Device> before_;
};
/// Lists that an aligned space is about have lengths a and b: IndexError where they slice, else
/// ValueError.
[[noreturn]] void raise_unequal(const std::string& where, int64_t a, int64_t b, int64_t position);
bool is_stored(const Node& n);
bool is_stored(const SpaceRef& s);
bool is_stored(const Node& n, const SpaceRef& over);
/// An option of which nothing is missing, as is known without a look: its validity needs no memory.
bool is_unmasked(const Node& n);

/// What evaluation would do, without doing it.
struct Explanation {
  std::string text;           // the plan, drawn
  int passes = 0;             // sweeps over the data, each sort and scan is one
  int64_t bytes_read = 0;     // of stored buffers, and of what is stored on the way
  int64_t bytes_written = 0;  // outputs whose size is known before the data are looked at
  int waits = 0;              // times the host waits for a GPU to make room for results
  std::string kernels;        // CUDA text, if asked for
};
/// `device`: where it would be evaluated, if not where the buffers are.
Explanation explain(const std::vector<NodeRef>& roots, bool kernels = false,
                    Device device = Device::cpu);

// -- reading stored trees
// ---------------------------------------------------------------------------------------------
/// Address of item 0 of the domain of a stored column: load(buffer, position(S)).
const void* stored_data(const ColumnRef& c);
/// Length of a stored space, and the domain position of its first item (offsets[0]; 0 for rows).
struct StoredExtent {
  int64_t first = 0;
  int64_t size = 0;
};
StoredExtent stored_extent(const SpaceRef& s);
/// Are its items numbered as a stored space's are: is it one, or are they lists of one length over
/// such a space, wherever each of them begins? Not where these have no items: nobody who walks
/// items would find that an index of such a list is out of range.
bool is_numbered(const SpaceRef& s);
/// stored_extent(s).size, or -1 where a GPU would have to be asked.
int64_t size_at_hand(const SpaceRef& s);
/// stored_extent(s).first, which is often known without a look at a GPU.
int64_t stored_first(const SpaceRef& s);
/// Length of the longest list, or -1 if nobody has looked for it.
int64_t longest_list(const SpaceRef& s);
/// Offset i (0 .. number of lists) of a stored list or fixed space.
int64_t stored_offset(const SpaceRef& s, int64_t i);

// -- making stored trees
// ----------------------------------------------------------------------------------------------
/// n items of `t` in `data` over rows(n).
ColumnRef stored_column(const Buffer& data, DType t, const SpaceRef& s);
/// Lists over `parent` with offsets (int32, uint32 or int64; number of parent positions + 1 of
/// them), trusted.
SpaceRef stored_list(const SpaceRef& parent, const Buffer& offsets, DType offsets_type,
                     const Extent& extent = {});
SpaceRef stored_fixed(const SpaceRef& parent, int64_t size);

}  // namespace serrate::graph
