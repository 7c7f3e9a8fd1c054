// Launches the kernels of a nest: see run.h.
#include "cuda/run.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "cpu/run_state.h"
#include "cuda/compile.h"
#include "cuda/device.h"
#include "cuda/functions.h"
#include "cuda/generate.h"
#include "serrate/error.h"

namespace serrate::cuda {

using namespace graph;

namespace {

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
  m->handle = gpu().load(compile(whole, gpu().info().arch));
  const std::lock_guard lock(mutex);
  return *modules.emplace(text, std::move(m)).first->second;
}

struct Error {
  uint64_t first = ~uint64_t{0}, want = ~uint64_t{0};
  int64_t index = 0, size = 0;
};

class Run {
 public:
  explicit Run(Nest& nest)
      : nest_(nest),
        k_(generate(nest)),
        a_(k_->arguments),
        gpu_(gpu()),
        module_(module_of(k_->text)) {}

  std::vector<Written> run() {
    const bool checked = !k_->checks.empty() || !k_->aligned.empty();
    if (checked) {
      keep_.push_back(allocate(sizeof(Error), &error_));
      gpu_.fill(error_, 0xff, 16);
      a_.set(k_->error, error_);
    }
    outputs();
    walk_all();
    if (checked) look_at_errors();
    std::vector<Written> out;
    for (size_t i = 0; i < places_.size(); i++) out.push_back({places_[i], sizes_[i], 0, {}});
    for (const auto& [i, lists] : lists_) out[i].offsets = lists;
    return out;
  }

 private:
  void outputs() {
    const auto& outputs = nest_.outputs();
    places_.resize(outputs.size());
    sizes_.resize(outputs.size());
    for (size_t i = 0; i < outputs.size(); i++) {
      if (k_->places[i].size >= 0 && !k_->places[i].is_offsets) make_output(i, k_->places[i].size);
    }
  }

  void make_output(size_t i, int64_t size) {
    const auto& o = nest_.outputs()[i];
    const int64_t bytes = size * (o.histogram ? 8 : itemsize(o.column->dtype));
    void* p = nullptr;
    places_[i] = allocate(bytes, &p);
    sizes_[i] = size;
    a_.set(k_->places[i].field, p);
    histograms_ |= o.histogram;
  }

  void walk_all() {
    if (histograms_) {
      for (size_t i = 0; i < places_.size(); i++) {
        if (nest_.outputs()[i].histogram)
          gpu_.fill(const_cast<std::byte*>(places_[i].data()), 0, places_[i].bytes());
      }
    }
    for (Walk& w : k_->walks) walk(w);
    if (!k_->unit.empty()) launch(k_->unit, 1, 1);
  }

  void* temporary(int64_t bytes) {
    void* p = nullptr;
    keep_.push_back(allocate(bytes, &p));
    return p;
  }

  void walk(Walk& w) {
    if (w.schedule == Schedule::binned || w.schedule == Schedule::cut) {
      for (const auto& t : w.temporaries) {
        void* p = temporary(t.bytes);
        if (t.zero) gpu_.fill(p, 0, t.bytes);
        a_.set(t.field, p);
      }
      for (const auto& step : w.steps)
        launch(step.kernel, std::max<int64_t>(1, step.blocks), kThreads);
      return;
    }
    // Where no more blocks run than fit, they share the items whatever their number.
    const int64_t each = int64_t{kThreads} * w.chunk * (w.resident ? 1 : w.unroll);
    int64_t blocks = std::max<int64_t>(1, (w.items * w.lanes + each - 1) / each);
    if (!w.appends.empty()) count(w, blocks);
    if (w.resident)
      blocks = std::min(blocks, gpu_.resident_blocks(module_.kernel(w.name), kThreads, 0));
    for (UnitFold& u : w.unit_folds) {
      a_.set(u.parts, temporary(blocks * 16));
      if (!u.part_indexes.empty()) a_.set(u.part_indexes, temporary(blocks * 8));
      a_.set(u.result, temporary(16));
    }
    if (w.items > 0 || !w.unit_folds.empty()) launch(w.name, blocks, kThreads);
    if (!w.finish.empty()) {
      a_.set(k_->parts, static_cast<uint64_t>(blocks));
      launch(w.finish, 1, kThreads);
    }
  }

  /// Items per block, where each block's begin, and their number, which must be known to make room.
  void count(Walk& w, int64_t blocks) {
    const int64_t n = w.per_item ? w.items : w.by_warps ? (w.items + 255) / 256 : blocks;
    if (!w.kept.kernel.empty()) a_.set(w.kept.bits, temporary(n * 64));
    std::vector<Buffer> begun;
    for (Append& x : w.appends) {
      a_.set(x.counts, temporary(n * 8));
      // A failed check leaves its item before that is counted.
      if (error_ != nullptr) gpu_.fill(address(x.counts), 0, n * 8);
      a_.set(x.begins, temporary((n + 2) * 8));
      begun.push_back(keep_.back());
    }
    for (size_t level = 0; level < w.counts.size(); level++) {
      launch(w.counts[level], blocks, kThreads);
      for (Append& x : w.appends) {
        if (x.level == static_cast<int>(level)) counted(w, x, n, begun);
      }
    }
  }

  void counted(const Walk& w, Append& x, int64_t n, const std::vector<Buffer>& begun) {
    const bool again = x.total > 0;  // to look closer at an error
    // The total and, behind it, the longest list come in one look.
    auto* begins = static_cast<int64_t*>(address(x.begins));
    const auto* counts = static_cast<const int64_t*>(address(x.counts));
    gpu_.scan(counts, n, begins);
    int64_t seen[2] = {0, -1};
    if (!w.kept.kernel.empty()) {
      const Buffer offsets = kept_lists(w);
      gpu_.download(seen, offsets.data() + 8 * w.kept.lists, 16);
      x.total = seen[0];
      lists_.push_back({static_cast<size_t>(x.lengths), {offsets, x.total, seen[1]}});
      if (!again) make_outputs(x);
      return;
    }
    if (x.lengths >= 0 && n > 0) gpu_.max(counts, n, begins + n + 1);
    gpu_.download(seen, begins + n, x.lengths >= 0 && n > 0 ? 16 : 8);
    x.total = seen[0];
    if (x.lengths >= 0) {
      const auto number = static_cast<size_t>(&x - w.appends.data());
      lists_.push_back({static_cast<size_t>(x.lengths), {begun[number], x.total, seen[1]}});
    }
    if (!again) make_outputs(x);
  }

  void make_outputs(const Append& x) {
    for (size_t i = 0; i < k_->places.size(); i++) {
      if (nest_.outputs()[i].frame == x.frame && k_->places[i].size < 0) make_output(i, x.total);
    }
  }

  /// Offsets of the lists of kept items; behind them, the length of the longest.
  Buffer kept_lists(const Walk& w) {
    void* p = nullptr;
    const Buffer offsets = allocate((w.kept.lists + 2) * 8, &p);
    keep_.push_back(offsets);
    a_.set(w.kept.offsets, p);
    gpu_.fill(static_cast<std::byte*>(p) + 8 * (w.kept.lists + 1), 0, 8);
    launch(w.kept.kernel, (w.kept.lists + kThreads - 1) / kThreads, kThreads);
    return offsets;
  }

  void* address(const std::string& field) const { return std::bit_cast<void*>(a_.get(field)); }

  void launch(const std::string& name, int64_t blocks, int threads) {
    gpu_.launch(module_.kernel(name), blocks, threads, 0, a_.words().data(),
                static_cast<int64_t>(8 * a_.words().size()));
  }

  void look_at_errors() {
    Error e;
    gpu_.download(&e, error_, sizeof e);
    if (e.first == ~uint64_t{0}) return;
    // Once more, with the thread that failed first telling what it saw.
    e.want = e.first;
    gpu_.upload(error_, &e, sizeof e);
    walk_all();
    gpu_.download(&e, error_, sizeof e);
    const auto row = static_cast<int64_t>(e.want >> 8);
    const auto number = static_cast<size_t>(e.want & 127);
    if ((e.want & 128) == 0) cpu::raise_check(*k_->checks[number], row, e.index);
    throw ValueError(
        fmt::format("{}: cannot broadcast nested list: lengths {} and {} at position {}",
                    k_->aligned[number]->where, e.index, e.size, row));
  }

  Nest& nest_;
  std::unique_ptr<Kernels> k_;
  Arguments& a_;
  GpuDevice& gpu_;
  Module& module_;
  std::vector<Buffer> places_, keep_;
  std::vector<int64_t> sizes_;
  void* error_ = nullptr;
  bool histograms_ = false;
  std::vector<std::pair<size_t, graph::KnownOffsets>> lists_;
};

}  // namespace

std::vector<Written> run(Nest& nest) { return Run(nest).run(); }

std::string kernel_text(Nest& nest) { return generate(nest)->text; }

}  // namespace serrate::cuda
