// What a run of a plan works on: see run_state.h.
#include "cpu/plan/run_state.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "core/memory.h"
#include "core/seams.h"
#include "core/stream_copy.h"
#include "cpu/plan/scatter.h"
#include "graph/backend.h"
#include "graph/evaluate.h"
#include "graph/limits.h"
#include "serrate/error.h"

namespace serrate::cpu {

using graph::SpaceKind;

const std::byte* load_address(const Buffer& b) {
  alignas(64) static constexpr std::byte kNothing[64] = {};
  return b.bytes() == 0 ? kNothing : b.data();
}

namespace {
constexpr size_t kBehind = 64;  // a vector store may finish its last lane there
}

// -- Grow
// ---------------------------------------------------------------------------------------------------------------

Grow::Grow(int item, int64_t known_size, int64_t origin)
    : origin_(origin), item_(item), known_(known_size >= 0) {
  if (known_) {
    reserve(known_size);
    size_ = known_size;
  }
}

Grow Grow::up_to(int item, int64_t most) {
  Grow g(item, -1, 0);
  if (most == 0 || most > seams().large / item) return g;
  void* p = nullptr;
  g.buffer_ = Buffer::allocate(most * item, &p);
  g.data_ = static_cast<std::byte*>(p);
  g.room_ = most;
  return g;
}

void Grow::reserve(int64_t items) {
  if (items <= room_ && data_ != nullptr) return;
  constexpr int64_t kMore = 8;  // times what is there, whatever is expected
  const int64_t expected = std::min(expected_, kMore * room_);
  int64_t room = known_ ? items : std::max<int64_t>({items, 2 * room_, expected, 64});
  void* p = nullptr;
  if (block_ != nullptr && size_ > 0) return extend(room);
  Buffer b = origin_ > 0                                ? behind_origin(room, &p)
             : known_ || room * item_ < seams().growing ? Buffer::allocate(room * item_, &p)
                                                        : growing(room, &p);
  if (size_ > 0 && data_ != nullptr) std::memcpy(p, data_, static_cast<size_t>(size_ * item_));
  buffer_ = std::move(b);
  data_ = static_cast<std::byte*>(p);
  room_ = room;
}

/// Memory for items whose domain begins before them: item 0 is read where a guard does not hold
/// (Capabilities::reads_item_0). Of much memory before them only its page is touched.
Buffer Grow::behind_origin(int64_t room, void** p) const {
  constexpr int64_t kUntouched = 1 << 16;
  const int64_t before = origin_ * item_, bytes = before + room * item_;
  std::shared_ptr<const void> owner;
  std::byte* all = nullptr;
  if (before > kUntouched) {
    all = static_cast<std::byte*>(std::calloc(static_cast<size_t>(bytes) + kBehind, 1));
    if (all == nullptr) throw std::bad_alloc();
    owner.reset(all, [](const void* q) { std::free(const_cast<void*>(q)); });
  } else {
    void* memory = nullptr;
    owner = Buffer::allocate(bytes, &memory).owner();
    all = static_cast<std::byte*>(memory);
    std::memset(all, 0, static_cast<size_t>(before));
  }
  *p = all + before;
  return Buffer(*p, room * item_, std::move(owner));
}

/// Memory for `room` items or more; `room` becomes how many.
Buffer Grow::growing(int64_t& room, void** p) {
  const size_t wanted = static_cast<size_t>(room * item_) + kBehind;
  block_ = std::make_shared<Block>();
  block_->bytes = wanted;
  *p = block_->p = acquire_growing(block_->bytes, expected_ > 0);
  room = std::max(room, static_cast<int64_t>(block_->bytes - kBehind) / item_);
  return Buffer(*p, room * item_, block_);
}

/// The same memory and more.
void Grow::extend(int64_t room) {
  size_t bytes = static_cast<size_t>(room * item_) + kBehind;
  block_->p = extend_memory(block_->p, block_->bytes, bytes);
  block_->bytes = bytes;
  room_ = std::max(room, static_cast<int64_t>(bytes - kBehind) / item_);
  data_ = static_cast<std::byte*>(block_->p);
  buffer_ = Buffer(data_, room_ * item_, block_);
}

Grow::Block::~Block() {
  if (p != nullptr) release_memory(p, bytes);
}

void* Grow::place(int64_t first, int64_t n) {
  if (known_) return data_ + (first - origin_) * item_;
  reserve(size_ + n);
  void* p = data_ + size_ * item_;
  size_ += n;
  return p;
}

void Grow::put(int64_t begin, Grow part) {
  if (part.size_ == 0) return;
  const auto bytes = static_cast<size_t>(part.size_ * item_);
  if (room_ * item_ > seams().large)
    stream_copy(data_ + begin * item_, part.data_, bytes);
  else
    std::memcpy(data_ + begin * item_, part.data_, bytes);
}

void Grow::set_size(int64_t items) {
  // All that may be there already is moved, if there is more than was expected.
  size_ = std::min(items, room_);
  reserve(items);
  size_ = items;
}

graph::Written Grow::take() {
  reserve(0);
  data_ = nullptr;
  block_ = nullptr;
  // Much more room than was needed is for others.
  if (const int64_t bytes = size_ * item_; !known_ && buffer_.bytes() > 4 * bytes + 4096)
    buffer_ = Buffer::copy_of(buffer_.data(), bytes);
  return {buffer_.slice(0, size_ * item_), size_, origin_, {}};
}

// -- Context
// ------------------------------------------------------------------------------------------------------------

/// One piece of scratch memory, as allocations of their own took longer than small runs.
void Context::make_tables(size_t constants) {
  const auto sizes_of = [&](auto&& each) {
    each(constants_, constants);
    each(states, plan.frames.size());
    each(carry, plan.frames.size());
    each(slots, plan.slots.size());
    each(outputs, plan.outputs.size());
    each(histograms, plan.histograms.size());
  };
  size_t bytes = 0;
  sizes_of([&]<class T>(std::span<T>&, size_t n) { bytes += n * sizeof(T); });
  auto* at = scratch.get<std::byte>(bytes);
  sizes_of([&]<class T>(std::span<T>& table, size_t n) {
    static_assert(std::is_trivially_destructible_v<T>);
    table = {reinterpret_cast<T*>(at), n};  // the first has the widest alignment
    std::uninitialized_value_construct(table.begin(), table.end());
    at += n * sizeof(T);
  });
}

Context::Context(const CpuPlan& plan, std::span<const void* const> objects, Scratch& scratch)
    : plan(plan), scratch(scratch) {
  make_tables(
      static_cast<size_t>(std::count_if(plan.slots.begin(), plan.slots.end(), [](const Slot& s) {
        return s.kind == Slot::constant && s.object >= 0;
      })));
  constexpr int64_t kNear = 1 << 18;
  int64_t looked_up = 0;
  size_t constants = 0;
  for (size_t i = 0; i < slots.size(); i++) {
    const Slot& s = plan.slots[i];
    if (s.kind == Slot::constant && s.object >= 0) {
      std::byte* const value = constants_[constants++].bytes;
      store_scalar(static_cast<const graph::Column*>(objects[s.object])->scalar, value);
      slots[i] = value;
    } else if (s.kind == Slot::constant) {
      slots[i] = const_cast<std::byte*>(s.value);
    }
    if (s.kind == Slot::base) {
      const Buffer& buffer = static_cast<const graph::Column*>(objects[s.object])->buffer;
      slots[i] = const_cast<std::byte*>(load_address(buffer));
      looked_up += buffer.bytes();
    }
  }
  near = looked_up <= kNear;
  point_firsts();
}

Context::Context(const Context& o, Scratch& scratch)
    : plan(o.plan), scratch(scratch), walks(o.walks), near(o.near) {
  make_tables(0);
  std::ranges::copy(o.slots, slots.begin());
  std::ranges::copy(o.states, states.begin());
  std::ranges::copy(o.outputs, outputs.begin());
  std::ranges::copy(o.histograms, histograms.begin());
  std::ranges::copy(o.carry, carry.begin());
  point_firsts();
}

void Context::point_firsts() {
  for (size_t i = 0; i < slots.size(); i++) {
    if (plan.slots[i].kind == Slot::first)
      slots[i] = &states[static_cast<size_t>(plan.slots[i].frame)].first;
  }
}

// -- RunState
// -----------------------------------------------------------------------------------------------------------

RunState::RunState(const CpuPlan& plan, std::span<const void* const> objects, Scratch& scratch)
    : kernels(ragged()), plan_(plan), objects_(objects) {
  frames_ = {scratch.get<FrameRun>(plan.frames.size()), plan.frames.size()};
  std::uninitialized_value_construct(frames_.begin(), frames_.end());
  const int64_t block = plan.block(), least = std::min(seams().rows, 2 * block);
  for (size_t f = 0; f < frames_.size(); f++) {
    const CpuFrame& c = plan.frames[f];
    if (c.kind != SpaceKind::rows) continue;
    const int64_t size = space(static_cast<int>(f)).size;
    frames_[f].weight = size > 0 ? weight(static_cast<int>(f), size) : 1;
    const double rows =
        static_cast<double>(c.children.empty() ? 2 * block : block) / frames_[f].weight;
    frames_[f].block_rows = std::clamp<int64_t>(static_cast<int64_t>(rows), least, 2 * block);
  }
  outputs_.reserve(plan.outputs.size());
  int64_t bytes = 0, read = 0;
  for (const Output& o : plan.outputs) {
    if (o.histogram) {
      outputs_.emplace_back(8, 0, 0);
    } else if (o.appends) {
      outputs_.push_back(Grow::up_to(itemsize(o.dtype), most_items(o.frame)));
    } else {
      const graph::StoredExtent e = extent(o.frame);
      outputs_.emplace_back(itemsize(o.dtype), e.size, e.first);
      bytes += e.size * itemsize(o.dtype);
    }
  }
  for (const Slot& x : plan.slots) {
    const CpuFrame& c = plan.frames[x.frame];
    if (x.kind == Slot::direct && (c.stored || c.kind == SpaceKind::rows))
      read += extent(x.frame).size * itemsize(x.dtype);
  }
  is_large = bytes > seams().large;
  reads_much = read > seams().large;
  for (const auto& h : plan.histograms) {
    histogram_at_.push_back(static_cast<int64_t>(filled_.size()));
    filled_.resize(filled_.size() + static_cast<size_t>(h.words()), empty_word(h));
  }
  histogram_bytes = static_cast<int64_t>(filled_.size()) * 8;
}

graph::StoredExtent RunState::extent(int f) const {
  const graph::Space& s = space(f);
  if (s.kind == SpaceKind::rows) return {0, s.size};  // without a holder of the space
  const CpuFrame& c = plan_.frames[f];
  return c.counted ? graph::StoredExtent{0, graph::items_of(extent(c.parent).size, s.size)}
                   : graph::stored_extent(&s);
}

int64_t RunState::most_items(int f) const {
  const CpuFrame& c = plan_.frames[f];
  if (f == 0) return 0;
  if (c.stored || c.counted || c.kind == SpaceKind::rows) return extent(f).size;
  if (c.kind == SpaceKind::select) return most_items(c.inside);
  const int64_t lists = c.kind == SpaceKind::fixed && c.repeats < 0 ? most_items(c.parent) : 0;
  return lists > 0 ? graph::items_of(lists, space(f).size) : 0;
}

double RunState::weight(int f, int64_t rows) const {
  double most = 1;
  for (const int child : plan_.frames[f].children) {
    const CpuFrame& c = plan_.frames[child];
    if (!c.stored && !c.counted) continue;
    const auto items = static_cast<double>(extent(child).size) / static_cast<double>(rows);
    most = std::max({most, items, c.counted ? weight(child, rows) : 1});
  }
  return most;
}

double RunState::work(int f) const {
  double most = 0;
  for (const int child : plan_.frames[f].children) {
    const CpuFrame& c = plan_.frames[child];
    if (c.stored || c.counted)
      most = std::max({most, static_cast<double>(extent(child).size), work(child)});
  }
  return most;
}

int64_t RunState::task_rows(int f, int64_t items, int64_t block) {
  const double work = std::max(static_cast<double>(items) * frames_[f].weight, this->work(f));
  const auto tasks = std::clamp<int64_t>(
      static_cast<int64_t>(work / static_cast<double>(seams().task)), 1, seams().tasks);
  const int64_t rows = (items + tasks - 1) / tasks;
  return frames_[f].per_task = std::max<int64_t>(1, (rows + block - 1) / block * block);
}

bool RunState::is_giant(int f, int64_t task, int64_t) const {
  if (plan_.frames[f].kind != SpaceKind::rows) return false;
  const int64_t from = task * frames_[f].per_task,
                to = std::min(space(f).size, from + frames_[f].per_task);
  for (int c : plan_.frames[f].children) {
    if (!plan_.frames[c].stored) continue;
    const graph::SpaceRef s(&space(c));
    if (graph::stored_offset(s, to) - graph::stored_offset(s, from) > seams().giant) return true;
  }
  return false;
}

void RunState::own_first_sinks(Context& ctx) {
  for (size_t o = 0; o < outputs_.size(); o++) ctx.outputs[o] = &outputs_[o];
  for (size_t h = 0; h < histogram_at_.size(); h++)
    ctx.histograms[h] = filled_.data() + histogram_at_[h];
}

std::vector<Grow*> RunState::growing(const Context& ctx) const {
  std::vector<Grow*> out;
  for (size_t o = 0; o < outputs_.size(); o++)
    if (!outputs_[o].known()) out.push_back(ctx.outputs[o]);
  return out;
}

void RunState::own_growing(Context& ctx, std::vector<Grow>& parts) const {
  auto part = parts.begin();
  for (size_t o = 0; o < outputs_.size(); o++)
    if (!outputs_[o].known()) ctx.outputs[o] = &*part++;
}

void RunState::own_fills(Context& ctx, std::vector<uint64_t>& filled) {
  filled.clear();
  for (const auto& h : plan_.histograms)
    filled.resize(filled.size() + static_cast<size_t>(h.words()), empty_word(h));
  for (size_t h = 0; h < histogram_at_.size(); h++)
    ctx.histograms[h] = filled.data() + histogram_at_[h];
}

void RunState::join_fills(Context& ctx, const std::vector<uint64_t>& filled) {
  for (size_t h = 0; h < histogram_at_.size(); h++) {
    const HistogramSink& sink = plan_.histograms[h];
    join_words(sink, filled.data() + histogram_at_[h], sink.words(), ctx.histograms[h]);
  }
}

std::vector<graph::Written> RunState::results() {
  std::vector<graph::Written> out;
  out.reserve(outputs_.size());
  for (auto& o : outputs_) out.push_back(o.take());
  for (size_t h = 0; h < histogram_at_.size(); h++) {
    graph::Written& r = out[static_cast<size_t>(plan_.histograms[h].output)];
    const HistogramSink& sink = plan_.histograms[h];
    uint64_t* first = filled_.data() + histogram_at_[h];
    for (int t = 1; t < sink.tables; t++)
      join_words(sink, first + t * (sink.size + 1), sink.size, first);
    r.size = sink.size;
    r.buffer = Buffer::copy_of(first, r.size * 8);
  }
  return out;
}

void raise_check(const graph::CheckInfo& info, int64_t row, int64_t index) {
  graph::raise_check(info, row, index);
}

}  // namespace serrate::cpu
