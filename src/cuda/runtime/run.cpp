// Launches the kernels of a nest: see run.h.
#include "cuda/runtime/run.h"

#include <algorithm>
#include <stdexcept>

#include "core/waiting.h"
#include "cuda/runtime/module.h"
#include "cuda/runtime/pinned.h"
#include "cuda/runtime/runner.h"
#include "serrate/error.h"

namespace serrate::cuda {

using namespace graph;

Run::Run(const Kernels& kernels, std::span<const void* const> objects, const Evaluated& evaluated)
    : k_(kernels), objects_(objects), evaluated_(evaluated), gpu_(gpu()) {
  words_.reserve(k_.words.size());
  for (const Source& s : k_.words) {
    words_.push_back(value_of(s, objects));
    if (s.kind == Source::address) collect_checks(column(s.object).buffer, checks_);
  }
}

/// Single values are stored by a kernel of their own behind all others, or by the last block of the
/// walk that reduces everything.
bool Run::shows_at_end() const {
  if (!k_.unit.empty()) return true;
  const Walk& last = k_.walks.back();
  return last.reduces_all() && !last.balanced() &&
         std::ranges::all_of(k_.places, [](const Place& p) { return p.join.empty(); });
}

std::vector<Written> Run::run() {
  if (!k_.checks.empty() || !k_.aligned.empty()) {
    own_checks_ = std::make_shared<const Checks>(k_, objects_, evaluated_);
    checks_.push_back(own_checks_);
    set(k_.error, own_checks_->error());
  }
  if (!k_.arrived.empty()) set(k_.arrived, gpu_.arrivals());
  if (!k_.seen.empty()) {
    auto* const slot = static_cast<uint64_t*>(pinned_slots().take());
    shown_ = std::make_shared<const ShownValues>(slot, shows_at_end());
    set(k_.seen, slot);
  }
  outputs();
  for (const Walk& w : k_.walks) walk(w);
  for (size_t i = 0; i < k_.places.size(); i++) {
    if (!k_.places[i].join.empty())
      launch(k_.places[i].join, (written_[i].size + kThreads - 1) / kThreads, kThreads);
  }
  if (!k_.unit.empty()) launch(k_.unit, 1, 1);
  if (own_checks_) own_checks_->launched();
  return std::move(written_);
}

void Run::outputs() {
  written_.resize(k_.places.size());
  for (size_t i = 0; i < k_.places.size(); i++) {
    const Place& p = k_.places[i];
    if (p.is_known && !p.is_offsets)
      make_output(i, static_cast<int64_t>(value_of(p.size, objects_)));
  }
}

void Run::make_output(size_t i, int64_t size) {
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
  if (p.histogram && p.nothing != 0) fill_words(static_cast<std::byte*>(address), p.nothing, size);
  set(p.field, address);
  written_[i] = {std::move(b), size, 0, {}};
}

// A few words come from the host; then what is filled is copied behind itself.
void Run::fill_words(std::byte* to, uint64_t word, int64_t n) {
  constexpr int64_t kWord = sizeof word, kFew = 8192;
  if (n == 0) return;
  int64_t filled = std::min(n, kFew);
  const std::vector<uint64_t> words(static_cast<size_t>(filled), word);
  gpu_.upload(to, words.data(), filled * kWord);
  for (; filled < n; filled += std::min(filled, n - filled))
    gpu_.copy(to + filled * kWord, to, std::min(filled, n - filled) * kWord);
}

void* Run::temporary(int64_t bytes) {
  void* p = nullptr;
  keep_.push_back(allocate(bytes, &p));
  return p;
}

void Run::walk(const Walk& w) {
  if (w.is<BinnedByLength>() || w.is<SplitLists>()) {
    for (const auto& t : w.temporaries) {
      const int64_t bytes = value_of(t.bytes, objects_);
      void* p = temporary(bytes);
      if (t.zero) gpu_.fill(p, 0, bytes);
      set(t.field, p);
    }
    for (const auto& step : w.steps)
      launch(step.kernel, std::max<int64_t>(1, value_of(step.blocks, objects_)), step.threads);
    return;
  }
  const auto items = static_cast<int64_t>(value_of(w.items, objects_));
  // Where no more blocks run than fit, they share the items whatever their number.
  const int64_t each = int64_t{kThreads} * items_per_thread(w.schedule);
  int64_t blocks = std::max<int64_t>(1, (items * w.lanes() + each - 1) / each);
  if (w.in_one_block()) {
    blocks = alone(w, items);
  } else if (!w.appends.empty()) {
    if (!w.appends[0].sums.empty()) return balance_sums(w);
    count(w, items, blocks);
    if (w.balanced()) return balance(w);
  }
  if (w.resident()) blocks = std::min(blocks, k_.module->resident_blocks(w.name));
  if (w.reduces_all()) {
    set(w.unit_fold.parts, temporary(blocks * w.unit_fold.bytes));
    for (const std::string& result : w.unit_fold.results) set(result, temporary(16));
  }
  const int64_t lists =
      w.kept.bits.empty() ? 0 : static_cast<int64_t>(value_of(w.kept.lists, objects_));
  const int64_t more = (lists + kThreads - 1) / kThreads;
  if (items > 0 || more > 0 || w.reduces_all() || w.in_one_block())
    launch(w.name, blocks + more, kThreads);
}

void Run::launch(const std::string& name, int64_t blocks, int threads) {
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

NewKernels make_kernels(Nest& nest) {
  NewKernels made = generate(nest);
  made.kernels.module = &module_of(made.kernels.text, made.kernels.prelude);
  if (!compile_only()) made.kernels.text.clear();  // the module's key has it
  return made;
}

std::vector<Written> run(const Kernels& kernels, std::span<const void* const> objects,
                         const Evaluated& evaluated) {
  return Run(kernels, objects, evaluated).run();
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
