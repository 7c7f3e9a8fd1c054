// Launches the kernels of a nest: see run.h.
#include "cuda/run.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "core/waiting.h"
#include "cuda/checks.h"
#include "cuda/compile.h"
#include "cuda/device.h"
#include "cuda/functions.h"
#include "cuda/offsets.h"
#include "cuda/pinned.h"
#include "cuda/shown.h"
#include "serrate/error.h"

namespace serrate::cuda {

using namespace graph;

struct Module {
  void* handle = nullptr;
  std::mutex mutex;
  std::unordered_map<std::string, Kernel> kernels;
  const Kernel& kernel(const std::string& name) {
    const std::lock_guard lock(mutex);
    auto it = kernels.find(name);
    if (it == kernels.end()) it = kernels.emplace(name, gpu().kernel(handle, name.c_str())).first;
    return it->second;
  }
};

namespace {

/// Loaded texts of this process. The text says all that matters, so it is the key.
Module& module_of(const std::string& text) {
  static std::mutex mutex;
  static auto& modules = *new std::unordered_map<std::string, std::unique_ptr<Module>>;
  {
    const std::lock_guard lock(mutex);
    const auto it = modules.find(text);
    if (it != modules.end()) return *it->second;
  }
  std::string whole;
  append_prelude(whole, text);
  whole += text;
  auto m = std::make_unique<Module>();
  {
    const Waiting for_the_compiler;
    m->handle = gpu().load(compile(whole, gpu().info().arch));
  }
  const std::lock_guard lock(mutex);
  return *modules.emplace(text, std::move(m)).first->second;
}

bool is_for(const Place& p, const Append& x) {
  return p.frame == x.frame && !p.is_known && !p.is_offsets;
}

/// A block adds up so many counts as fast as a kernel of its own is launched.
constexpr int64_t kMostTiles = 8192;

/// More memory than this is not taken for items that may not come.
constexpr int64_t kMostRoom = int64_t{16} << 20;

/// Bytes that what a walk appends may take, or -1: the host must wait for what it does take.
int64_t room_ahead(const Kernels& k, const Walk& w, std::span<const void* const> objects) {
  int64_t bytes = 0;
  for (const Append& x : w.appends) {
    if (!x.needs_room) continue;
    const auto items = static_cast<int64_t>(value_of(x.most, objects));
    if (items < 0 || items > kMostRoom) return -1;
    for (const Place& p : k.places) bytes += is_for(p, x) ? items * p.itemsize : 0;
  }
  return bytes <= kMostRoom ? bytes : -1;
}

class Run {
 public:
  Run(const Kernels& kernels, std::span<const void* const> objects)
      : k_(kernels), objects_(objects), gpu_(gpu()) {
    words_.reserve(k_.words.size());
    for (const Source& s : k_.words) {
      words_.push_back(value_of(s, objects));
      if (s.kind == Source::address) collect_checks(column(s.object).buffer, checks_);
    }
  }

  std::vector<Written> run() {
    if (!k_.checks.empty() || !k_.aligned.empty()) {
      own_checks_ = std::make_shared<const Checks>(k_, objects_);
      checks_.push_back(own_checks_);
      set(k_.error, own_checks_->error());
    }
    if (!k_.arrived.empty()) set(k_.arrived, gpu_.arrivals());
    if (!k_.seen.empty()) {
      auto* const slot = static_cast<uint64_t*>(pinned_slots().take());
      shown_ = std::make_shared<const ShownValues>(slot);
      set(k_.seen, slot);
    }
    outputs();
    for (const Walk& w : k_.walks) walk(w);
    for (size_t i = 0; i < k_.places.size(); i++) {
      if (!k_.places[i].join.empty())
        launch(k_.places[i].join, (written_[i].size + kThreads - 1) / kThreads, kThreads);
    }
    if (!k_.unit.empty()) launch(k_.unit, 1, 1);
    return std::move(written_);
  }

 private:
  const Column& column(int object) const {
    return *static_cast<const Column*>(objects_[static_cast<size_t>(object)]);
  }

  void outputs() {
    written_.resize(k_.places.size());
    for (size_t i = 0; i < k_.places.size(); i++) {
      const Place& p = k_.places[i];
      if (p.is_known && !p.is_offsets)
        make_output(i, static_cast<int64_t>(value_of(p.size, objects_)));
    }
  }

  void make_output(size_t i, int64_t size) {
    const Place& p = k_.places[i];
    void* address = nullptr;
    Buffer b = allocate(size * p.itemsize, &address);
    attach_checks(b, checks_);
    if (p.shown >= 0) show(b, {shown_, p.shown});
    if (!p.sums.empty()) {
      const int64_t bytes = size * kExactBytes;
      void* sums = temporary(bytes);
      gpu_.fill(sums, 0, bytes);
      set(p.sums, sums);
    } else if (p.histogram && p.nothing == 0) {
      gpu_.fill(address, 0, b.bytes());
    }
    if (p.histogram && p.nothing != 0) {
      const std::vector<uint64_t> words(static_cast<size_t>(size), p.nothing);
      const Buffer filled = to_gpu(Buffer::copy_of(words.data(), b.bytes()));
      gpu_.copy(address, filled.data(), b.bytes());
    }
    set(p.field, address);
    written_[i] = {std::move(b), size, 0, {}};
  }

  void* temporary(int64_t bytes) {
    void* p = nullptr;
    keep_.push_back(allocate(bytes, &p));
    return p;
  }

  void walk(const Walk& w) {
    if (w.schedule == Schedule::binned || w.schedule == Schedule::cut) {
      for (const auto& t : w.temporaries) {
        const int64_t bytes = value_of(t.bytes, objects_);
        void* p = temporary(bytes);
        if (t.zero) gpu_.fill(p, 0, bytes);
        set(t.field, p);
      }
      for (const auto& step : w.steps)
        launch(step.kernel, std::max<int64_t>(1, value_of(step.blocks, objects_)), kThreads);
      return;
    }
    const auto items = static_cast<int64_t>(value_of(w.items, objects_));
    // Where no more blocks run than fit, they share the items whatever their number.
    const int64_t each = int64_t{kThreads} * w.chunk * (w.resident ? 1 : w.unroll);
    int64_t blocks = std::max<int64_t>(1, (items * w.lanes + each - 1) / each);
    if (w.alone) {
      blocks = alone(w, items);
    } else if (!w.appends.empty()) {
      if (!w.appends[0].sums.empty()) return place_sums(w);
      count(w, items, blocks);
      if (w.placed) return place(w);
    }
    if (w.resident)
      blocks = std::min(blocks, gpu_.resident_blocks(k_.module->kernel(w.name), kThreads, 0));
    for (const UnitFold& u : w.unit_folds) {
      set(u.parts, temporary(blocks * 16));
      if (!u.part_indexes.empty()) set(u.part_indexes, temporary(blocks * 8));
      set(u.result, temporary(16));
    }
    const int64_t lists =
        w.kept.bits.empty() ? 0 : static_cast<int64_t>(value_of(w.kept.lists, objects_));
    const int64_t more = (lists + kThreads - 1) / kThreads;
    if (items > 0 || more > 0 || !w.unit_folds.empty() || w.alone)
      launch(w.name, blocks + more, kThreads);
  }

  /// Room for what few items leave, and the blocks that write it.
  int64_t alone(const Walk& w, int64_t items) {
    const bool waits = !checks_.empty() || room_ahead(k_, w, objects_) < 0 || !make_room(w);
    std::vector<int64_t> sizes;
    set(w.totals, uint64_t{0});
    set(w.only_counts, uint64_t{waits});
    for (const Append& x : w.appends) {
      set(x.begins, uint64_t{0});
      set(x.seen, uint64_t{0});
      sizes.push_back(waits || !x.needs_room ? 0
                                             : static_cast<int64_t>(value_of(x.most, objects_)));
    }
    if (waits) {
      auto* const totals = static_cast<uint64_t*>(pinned_slots().take());
      set(w.totals, totals);
      launch(w.name, 1, kThreads);
      if (!checks_.empty()) wait_for_gpu();
      size_t number = 0;
      for (size_t i = 0; i < sizes.size(); i++) {
        if (!w.appends[i].needs_room) continue;
        await(totals[number]);
        sizes[i] = std::max<int64_t>(0, static_cast<int64_t>(totals[number++]));
      }
      pinned_slots().give_back(totals, true);
      for (const auto& c : checks_) c == own_checks_ ? c->raise_first() : c->raise();
      for (size_t i = 0; i < sizes.size(); i++) make_outputs(w.appends[i], sizes[i]);
      set(w.only_counts, uint64_t{0});
    }
    for (const Append& x : w.appends) {
      if (x.lengths < 0) continue;
      const auto owner = std::find_if(w.appends.begin(), w.appends.end(),
                                      [&](const Append& o) { return o.frame == x.owner; });
      const Offsets o =
          owner == w.appends.end()
              ? Offsets(items)
              : Offsets::of_at_most(sizes[static_cast<size_t>(owner - w.appends.begin())]);
      set(x.begins, o.buffer().data());
      set(x.seen, o.seen());
      lengths_of(x) = o.unseen();
    }
    return w.placed ? std::max<int64_t>(1, (sizes[0] + kPlaced - 1) / kPlaced) : 1;
  }

  void place(const Walk& w) {
    const auto p = std::find_if(k_.places.begin(), k_.places.end(),
                                [&](const Place& x) { return is_for(x, w.appends[0]); });
    const int64_t items = written_[static_cast<size_t>(p - k_.places.begin())].size;
    if (items > 0) launch(w.name, (items + kPlaced - 1) / kPlaced, kThreads);
    const Append& x = w.appends[0];
    if (x.inner < 0) return;
    const Offsets offsets(static_cast<int64_t>(value_of(x.inner_lists, objects_)));
    set(x.inner_offsets, offsets.buffer().data());
    set(x.inner_seen, offsets.seen());
    keep_.push_back(offsets.buffer());
    written_[static_cast<size_t>(x.inner)].offsets = offsets.unseen();
    const int64_t lists = stored_extent(lists_of(w)).size;
    if (lists > 0)
      launch(w.name + "_lists", (lists + kThreads - 1) / kThreads, kThreads);
    else
      begin_at_zero(offsets);
  }

  SpaceRef lists_of(const Walk& w) const {
    return SpaceRef(static_cast<const Space*>(objects_[static_cast<size_t>(w.lists)]));
  }
  void begin_at_zero(const Offsets& o) {
    gpu_.fill(const_cast<std::byte*>(o.buffer().data()), 0, sizeof(int64_t));
  }

  /// Lists that begin at the sums of where others do: nothing is counted.
  void place_sums(const Walk& w) {
    const Append& x = w.appends[0];
    const SpaceRef over = lists_of(w);
    const int64_t lists = stored_extent(over).size;
    int64_t total = 0;
    for (const Summed& s : x.sums) {
      const int64_t items =
          s.starts < 0
              ? static_cast<int64_t>(value_of(s.number, objects_)) * lists
              : stored_extent(list(over, ColumnRef(&column(s.starts)), ColumnRef(&column(s.stops))))
                    .size;
      total += s.sign * items;
    }
    make_outputs(x, total);
    set(x.total, static_cast<uint64_t>(total));
    if (x.lengths >= 0) {
      const Offsets offsets(lists);
      set(x.begins, offsets.buffer().data());
      set(x.seen, offsets.seen());
      keep_.push_back(offsets.buffer());
      if (lists == 0) begin_at_zero(offsets);
      lengths_of(x) = offsets.unseen();
    }
    if (lists > 0) launch(w.name, std::max<int64_t>(1, (total + kPlaced - 1) / kPlaced), kThreads);
  }

  /// Items per block, where each block's begin, and their number, which must be known to make room.
  void count(const Walk& w, int64_t items, int64_t blocks) {
    const int64_t n = w.per_item ? items : w.by_warps ? (items + 255) / 256 : blocks;
    const bool keeps = !w.kept.bits.empty();
    const bool adds_up = w.by_warps && n <= kMostTiles;
    if (keeps) set(w.kept.bits, temporary(n * 64));
    for (const Append& x : w.appends) {
      set(x.counts, temporary(n * 8));
      // A failed check leaves its item before that is counted.
      if (own_checks_) gpu_.fill(address(x.counts), 0, n * 8);
    }
    std::vector<std::pair<const Append*, Offsets>> begins;
    std::optional<Offsets> lists;
    if (keeps) {
      lists.emplace(static_cast<int64_t>(value_of(w.kept.lists, objects_)));
      set(w.kept.offsets, lists->buffer().data());
      set(w.kept.seen, lists->seen());
      set(w.kept.others, static_cast<uint64_t>(blocks));
      keep_.push_back(lists->buffer());
    }
    // Nobody waits for what may be allocated beforehand.
    const bool waits = !checks_.empty() || room_ahead(k_, w, objects_) < 0 || !make_room(w);
    if (adds_up && waits) {
      Offsets& o = begins.emplace_back(&w.appends[0], Offsets(n)).second;
      set(w.appends[0].begins, o.buffer().data());
      set(w.appends[0].seen, o.seen());
      keep_.push_back(o.buffer());
    } else if (adds_up) {
      auto* const places = static_cast<int64_t*>(temporary(8 * (n + 2)));
      set(w.appends[0].begins, places);
      set(w.appends[0].seen, places + n);
    }
    for (size_t level = 0; level < w.counts.size(); level++) {
      launch(w.counts[level], blocks, kThreads);
      for (const Append& x : w.appends) {
        if (adds_up || x.level != static_cast<int>(level)) continue;
        begins.emplace_back(&x, Offsets(static_cast<const int64_t*>(address(x.counts)), n));
        const Buffer& offsets = begins.back().second.buffer();
        set(x.begins, offsets.data());
        keep_.push_back(offsets);
      }
    }
    if (!checks_.empty()) wait_for_gpu();
    for (const auto& c : checks_) c == own_checks_ ? c->raise_first() : c->raise();
    for (auto& [x, offsets] : begins) {
      const int64_t total = waits && x->needs_room ? offsets.known().total : -1;
      if (waits) make_outputs(*x, total);
      if (x->lengths >= 0 && !keeps)
        lengths_of(*x) = waits && x->needs_room ? offsets.known() : offsets.unseen();
    }
    if (keeps) lengths_of(w.appends[0]) = lists->unseen();
  }

  KnownOffsets& lengths_of(const Append& x) {
    return written_[static_cast<size_t>(x.lengths)].offsets;
  }

  void make_outputs(const Append& x, int64_t size) {
    for (size_t i = 0; i < k_.places.size(); i++) {
      if (is_for(k_.places[i], x)) make_output(i, size);
    }
  }

  /// For as many items as there may be, so that nobody need wait for their number.
  bool make_room(const Walk& w) {
    try {
      for (const Append& x : w.appends)
        make_outputs(x, static_cast<int64_t>(value_of(x.most, objects_)));
    } catch (const MemoryError&) {
      return false;
    }
    return true;
  }

  void set(std::string_view field, uint64_t bits) { words_[Arguments::index(field)] = bits; }
  void set(std::string_view field, const void* p) { set(field, std::bit_cast<uint64_t>(p)); }
  void* address(std::string_view field) const {
    return std::bit_cast<void*>(words_[Arguments::index(field)]);
  }

  void launch(const std::string& name, int64_t blocks, int threads) {
    const auto bytes = static_cast<int64_t>(8 * words_.size());
    const Kernel& kernel = k_.module->kernel(name);
    if (!k_.is_in_memory) return gpu_.launch(kernel, blocks, threads, 0, words_.data(), bytes);
    void* const there = temporary(bytes);
    {
      const Waiting waiting;
      gpu_.upload(there, words_.data(), bytes);
    }
    gpu_.launch(kernel, blocks, threads, 0, &there, sizeof there);
  }

  const Kernels& k_;
  const std::span<const void* const> objects_;
  GpuDevice& gpu_;
  std::vector<uint64_t> words_;
  std::vector<Written> written_;
  std::vector<Buffer> keep_;
  std::shared_ptr<const Checks> own_checks_;
  std::shared_ptr<const ShownValues> shown_;
  ChecksList checks_;  // these, and those of what is read
};

}  // namespace

NewKernels make_kernels(Nest& nest) {
  NewKernels made = generate(nest);
  made.kernels.module = &module_of(made.kernels.text);
  if (!compile_only()) made.kernels.text.clear();  // the module's key has it
  return made;
}

std::vector<Written> run(const Kernels& kernels, std::span<const void* const> objects) {
  return Run(kernels, objects).run();
}

void check_kept(const Kernels& kept, std::span<const void* const> objects, Nest& nest) {
  const NewKernels made = generate(nest);
  const Kernels& anew = made.kernels;
  bool same = kept.text == anew.text && kept.words.size() == anew.words.size() &&
              kept.walks.size() == anew.walks.size();
  const auto agree = [&](const auto& a, const auto& b) {
    same = same && value_of(a, objects) == value_of(b, std::span(made.objects));
  };
  for (size_t i = 0; same && i < kept.words.size(); i++) agree(kept.words[i], anew.words[i]);
  for (size_t i = 0; same && i < kept.walks.size(); i++) {
    const Walk &a = kept.walks[i], &b = anew.walks[i];
    agree(a.items, b.items);
    for (size_t j = 0; j < a.temporaries.size(); j++)
      agree(a.temporaries[j].bytes, b.temporaries[j].bytes);
    for (size_t j = 0; j < a.steps.size(); j++) agree(a.steps[j].blocks, b.steps[j].blocks);
  }
  for (size_t i = 0; same && i < kept.places.size(); i++) {
    if (kept.places[i].is_known) agree(kept.places[i].size, anew.places[i].size);
  }
  if (!same)
    throw std::logic_error(fmt::format("cuda: kept kernels are not those that are needed: {}\n{}",
                                       kept.text, anew.text));
}

int waits(const Kernels& kernels, std::span<const void* const> objects) {
  const bool checks = !kernels.checks.empty() || !kernels.aligned.empty();
  return static_cast<int>(
      std::count_if(kernels.walks.begin(), kernels.walks.end(), [&](const Walk& w) {
        return !w.appends.empty() && w.appends[0].sums.empty() &&
               (checks || room_ahead(kernels, w, objects) < 0);
      }));
}

}  // namespace serrate::cuda
