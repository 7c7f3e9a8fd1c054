// A GPU as a back end: see backend.h.
#include "cuda/runtime/backend.h"

#include <algorithm>
#include <utility>

#include "core/seams.h"
#include "cuda/device.h"
#include "cuda/kernels/generate.h"
#include "cuda/runtime/checks.h"
#include "cuda/runtime/downloads.h"
#include "cuda/runtime/matrices.h"
#include "cuda/runtime/offsets.h"
#include "cuda/runtime/put.h"
#include "cuda/runtime/run.h"
#include "cuda/runtime/uploads.h"
#include "cuda/schedule/facts.h"

namespace serrate::cuda {

using namespace graph;

namespace {

constexpr int32_t kDeviceCuda = 2, kDeviceManaged = 13;  // as DLPack numbers them

/// Numbers that kernels of other expressions rely on: they must be right before those are launched.
bool has_positions(const Node& n) {
  return n.kind == NodeKind::categorical || n.kind == NodeKind::union_ ||
         std::any_of(n.contents.begin(), n.contents.end(),
                     [](const NodeRef& c) { return has_positions(*c); });
}

class KernelsExecutable : public Executable {
 public:
  explicit KernelsExecutable(Kernels kernels) : kernels_(std::move(kernels)) {}

  std::vector<Written> run(Objects objects, const Demand& demand) const override {
    std::vector<Written> written =
        cuda::run(kernels_, objects, {demand.whole, demand.is_part(), demand.later});
    if (compile_only()) return run_in_their_place(objects, demand);
    const bool waits = std::any_of(demand.roots.begin(), demand.roots.end(),
                                   [](const auto& r) { return has_positions(*r); });
    for (const Written& w : written) {
      if (waits) settle_checks(w.buffer);
    }
    return written;
  }

  bool holds_trees() const override {
    return !kernels_.checks.empty() || !kernels_.aligned.empty();
  }

  void each_object(const std::function<void(int&)>& f) override {
    for (auto& word : kernels_.words) f(word.object);
    for (auto& place : kernels_.places) f(place.size.object);
    for (auto& check : kernels_.checks) f(check);
    for (auto& space : kernels_.aligned) f(space);
    for (auto& walk : kernels_.walks) each_object(walk, f);
  }

 private:
  static void each_object(Walk& walk, const std::function<void(int&)>& f) {
    f(walk.items.object);
    f(walk.kept.lists.object);
    f(walk.lists);
    for (auto& x : walk.appends) {
      f(x.most.object);
      f(x.inner_lists.object);
      for (auto& s : x.sums) {
        f(s.starts);
        f(s.stops);
        f(s.number.object);
      }
    }
    for (auto& t : walk.temporaries) f(t.bytes.of.object);
    for (auto& step : walk.steps) f(step.blocks.of.object);
  }

  /// For SERRATE_CUDA=compile-only, whose kernels never run and whose memory is the host's.
  std::vector<Written> run_in_their_place(Objects objects, const Demand& demand) const {
    Store store;
    for (const auto& r : demand.roots) store.add(r);
    Nest own(false, true), host;
    for (Nest* const nest : {&own, &host}) {
      demand.part.empty() ? store.demand(*nest) : store.demand(*nest, demand.part);
      nest->finish();
    }
    check_kept(kernels_, objects, own);
    const Compiled made = graph::backend(Device::cpu).compile(host);
    std::vector<Written> written = made.executable->run(made.objects, demand);
    for (Written& w : written) {
      const Buffer b = w.buffer;
      w.buffer = Buffer(b.data(), b.bytes(), b.owner(), Device::cuda);
    }
    return written;
  }

  Kernels kernels_;
};

class CudaDownloads : public graph::Downloads {
 public:
  Buffer add(const Buffer& b) override { return downloads_.add(b); }
  void finish() override { downloads_.finish(); }

 private:
  cuda::Downloads downloads_;
};

class CudaUploads : public graph::Uploads {
 public:
  Buffer add(const Buffer& b) override { return uploads_.add(b); }
  void finish() override { uploads_.finish(); }

 private:
  cuda::Uploads uploads_;
};

class CudaBackend : public Backend {
 public:
  Device device() const override { return Device::cuda; }
  const char* name() const override { return "cuda"; }
  void require() override { gpu(); }
  const Capabilities& capabilities() const override {
    // In compile-only memory is the host's, and the CPU computes what kernels would write. The
    // environment, which says so, is not read before a GPU is asked for.
    static const Capabilities can{.most_inputs = static_cast<size_t>(seams().inputs),
                                  .most_inputs_of_one = static_cast<size_t>(seams().inputs),
                                  .counts_to_picks = true,
                                  .stores_outer_lists = true,
                                  .carries_picks = true,
                                  .numbers_tuples = true,
                                  .splits_known_columns = true,
                                  .adds_floats_to_few_cells = false,
                                  .most_exact_cells = kMostExactCells,
                                  .shares_lists = false,
                                  .repeats_for_items = true,
                                  .raises_late = true,
                                  .scans_any_type = false,
                                  .reads_item_0 = compile_only(),
                                  .bounds_axis_0 = true,
                                  .compares_plans = compile_only() || compares_plans(),
                                  .runs_from_objects = !compile_only(),
                                  .describes_plans = true};
    return can;
  }

  Compiled compile(Nest& nest) override {
    NewKernels made = make_kernels(nest);
    return {std::make_unique<KernelsExecutable>(std::move(made.kernels)), std::move(made.objects)};
  }
  std::vector<ColumnRef> stored_before(Nest& nest) override { return stored_before_walks(nest); }
  Description describe(Nest& nest) override {
    const auto [kernels, objects] = generate(nest);
    Description d{kernels.text, waits(kernels, objects), {}};
    for (const Place& p : kernels.places) d.summed.push_back(p.is_offsets || p.is_known);
    return d;
  }

  void add_facts(Signature& s) override { cuda::add_facts(s); }
  std::vector<std::pair<const Space*, uint64_t>> facts_in(const Signature& s) override {
    return cuda::facts_in(s);
  }
  uint64_t fact(const Space& s) override { return fact_word(s); }
  bool fact(const Column& c) override { return is_large(c); }

  std::optional<Buffer> matrix_product(const MatrixPair& of) override {
    return cuda::matrix_product(of);
  }
  std::optional<Buffer> transposed(const Matrices& of) override { return cuda::transposed(of); }
  std::optional<Buffer> put(const Buffer& memory, const ItemUpdates& of) override {
    return cuda::put(memory, of);
  }
  Buffer materialise(const Column& barrier, const BarrierInput& in, int64_t skip) override {
    return cuda::materialise(barrier, in, skip);
  }
  Buffer offsets_of(const SpaceRef& s) override { return cuda::offsets_of(s); }

  Buffer upload(const Buffer& host) override { return to_gpu(host); }
  Buffer download(const Buffer& b) override { return cuda::to_host(b); }
  std::unique_ptr<graph::Uploads> uploads() override { return std::make_unique<CudaUploads>(); }
  std::unique_ptr<graph::Downloads> downloads() override {
    return std::make_unique<CudaDownloads>();
  }
  std::pair<int64_t, int64_t> integers(DType t, const Buffer& a, const Buffer& b) override {
    return two_integers(t, a, b);
  }
  void settle(const Buffer& b) override { settle_checks(b); }
  bool reads_device_type(int32_t type) const override {
    return type == kDeviceCuda || type == kDeviceManaged;
  }
  int32_t device_type() const override { return kDeviceCuda; }
  int64_t device_number() const override { return gpu().info().number; }
  void wait_for_event(void* event, bool host) override {
    gpu().wait_for_event(event);
    if (host) wait_for_gpu();
  }
  std::shared_ptr<void> record_event() override {
    void* event = gpu().record_event();
    if (event == nullptr) return {};
    return {event, [](void* e) { gpu().release_event(e); }};
  }
  void finish_reading() override {
    if (gpu_in_use()) gpu().synchronize();
  }
  std::shared_ptr<const Pending> pending(std::span<const Buffer> results) override {
    return pending_checks(results);
  }
  KnownOffsets offsets(const Buffer& lengths, int64_t n) override {
    return cuda::offsets_of(lengths, n);
  }
  void note_list_sizes(const Buffer& offsets, int64_t lists, ListSizes sizes) override {
    attach_lengths(offsets,
                   std::make_shared<const ListLengths>(lists, Lengths{sizes.total, sizes.longest}));
  }
  std::optional<ListSizes> list_sizes(const Buffer& offsets, int64_t lists) override {
    const auto known = lengths_in(offsets);
    if (!known || known->lists() != lists || offsets.data() != offsets.owner().get()) return {};
    const Lengths seen = known->look();
    return ListSizes{seen.total, seen.longest};
  }
};

}  // namespace

Backend& cuda_backend() {
  static Backend& b = *new CudaBackend;  // arrays may outlive statics
  return b;
}

}  // namespace serrate::cuda
