// The CPU as a back end: see backend.h.
#include "cpu/backend.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/seams.h"
#include "cpu/lists/flat/put.h"
#include "cpu/lists/flat/search.h"
#include "cpu/lists/flat/strided_box.h"
#include "cpu/lists/flat/take.h"
#include "cpu/lists/matrices/transpose.h"
#include "cpu/machine/pool.h"
#include "cpu/plan/plan.h"
#include "cpu/plan/run_flat.h"
#include "cpu/plan/strided_blocks.h"
#include "graph/evaluation/barriers.h"

namespace serrate::cpu {

using namespace graph;

namespace {

class PlanExecutable : public Executable {
 public:
  explicit PlanExecutable(CpuPlan plan) : plan_(std::move(plan)), flat_(plan_) {}

  std::vector<Written> run(Objects objects, const Demand&) const override {
    return cpu::run(plan_, objects);
  }

  bool runs_flat(int64_t rows, bool shortly) const override { return flat_.takes(rows, shortly); }
  void run_flat(Objects objects, int64_t rows, void* out) const override {
    flat_(plan_, objects, rows, out);
  }
  void run_strided(Objects objects, std::span<const StridedItems* const> strided, int64_t rows,
                   void* out) const override {
    flat_(plan_, objects, rows, out, strided);
  }

  void each_object(const std::function<void(int&)>& f) override {
    for (auto& x : plan_.frames) {
      f(x.space);
      f(x.offsets);
    }
    for (auto& slot : plan_.slots) f(slot.object);
    for (auto& check : plan_.checks) f(check.object);
    for (auto& b : plan_.bounds) f(b.column);
    for (auto& s : plan_.strided) f(s.column);
    for (auto& s : plan_.lines) f(s.index.column);
    for (auto& s : plan_.gathered) {
      f(s.column);
      f(s.place_column);
    }
  }

 private:
  CpuPlan plan_;
  FlatRun flat_;
};

class CpuBackend : public Backend {
 public:
  Device device() const override { return Device::cpu; }
  const char* name() const override { return "cpu"; }
  const Capabilities& capabilities() const override { return can_; }

  Compiled compile(Nest& nest) override {
    NewPlan made = make_plan(nest);
    return {std::make_unique<PlanExecutable>(std::move(made.plan)), std::move(made.objects)};
  }

  Buffer materialise(const Column& barrier, const BarrierInput& in, int64_t skip) override {
    return cpu::materialise(barrier, in, skip);
  }
  std::optional<ItemGroups> group(const Column& order, const BarrierInput& in,
                                  bool numbers) override {
    return cpu::group(order, in, numbers);
  }
  std::optional<Buffer> distinct(const Column& order, const BarrierInput& in) override {
    return cpu::distinct(order, in);
  }
  Buffer members(const BarrierInput& items, const BarrierInput& set) override {
    return cpu::members(items, set);
  }
  std::optional<Buffer> transposed(const Matrices& of) override { return cpu::transposed(of); }
  void transpose(const Matrices& of, std::byte* to, int64_t stride) override {
    cpu::transpose(of.items, {of.count, of.rows, of.columns, of.stride, stride}, of.itemsize, to);
  }
  void copy_strided(const StridedItems& of, std::byte* to) override { copy_box(box_of(of), to); }
  Buffer count_in_columns(const ListColumns& c) override { return cpu::count_in_columns(c); }
  Buffer to_columns(const ListColumns& c, const std::byte* items, int64_t itemsize) override {
    return cpu::to_columns(c, items, itemsize);
  }
  void from_columns(const ListColumns& c, const std::byte* items, int64_t itemsize,
                    std::byte* to) override {
    cpu::from_columns(c, items, itemsize, to);
  }
  Buffer lists_in_columns(const ListColumns& c) override { return cpu::lists_in_columns(c); }
  Buffer places_in_columns(const ListColumns& c) override { return cpu::places_in_columns(c); }
  std::optional<Buffer> folded(const ColumnFold& fold, const Matrices& of) override {
    return cpu::folded(fold, of);
  }
  std::optional<Buffer> folded(const ColumnFold& fold, const ListColumns& of,
                               const std::byte* items) override {
    return cpu::folded(fold, of, items);
  }
  std::optional<Buffer> scanned(const ColumnScan& scan, const Matrices& of) override {
    return cpu::scanned(scan, of);
  }
  std::optional<Buffer> scanned(const ColumnScan& scan, const ListColumns& of,
                                const std::byte* items) override {
    return cpu::scanned(scan, of, items);
  }
  std::optional<Buffer> matrix_product(const MatrixPair& of) override {
    return cpu::matrix_product(of);
  }
  std::optional<Buffer> searched(const NumbersToFind& of) override {
    if (!searches(of.sorted_type, of.item_type)) return {};
    void* out = nullptr;
    Buffer places = Buffer::allocate(8 * of.count, &out);
    search({of.sorted_type, of.sorted, of.size, of.item_type, of.items, of.count, of.right},
           static_cast<int64_t*>(out));
    return places;
  }
  std::optional<Buffer> take(const ItemsToTake& of) override {
    void* out = nullptr;
    Buffer taken = Buffer::allocate(of.count * of.itemsize, &out);
    const TakeArgs all{of.items, of.size, of.itemsize, of.index_type, of.index, of.count};
    if (!cpu::take(all, out)) return {};
    return taken;
  }
  std::optional<Buffer> put(const Buffer& memory, const ItemUpdates& of) override {
    const bool overwrites = of.may_overwrite && memory.writable() != nullptr;
    Buffer out = memory;
    const auto numbers = [&]() -> void* {
      // Others see the memory they hold. Positions stay what they are, so there may be some before
      // the numbers that nobody reads, but for the first.
      const int64_t before = of.numbers - memory.data(), bytes = of.size * itemsize(of.type);
      if (!overwrites) {
        void* copy = nullptr;
        out = Buffer::allocate(before + bytes, &copy);
        std::memset(copy, 0, static_cast<size_t>(std::min<int64_t>(before, itemsize(of.type))));
        std::copy_n(of.numbers, bytes, static_cast<std::byte*>(copy) + before);
      }
      return const_cast<std::byte*>(out.data()) + before;
    };
    const bool done =
        cpu::put({of.type, of.size / of.run, of.places, of.count, of.first, of.step, of.mask, of.op,
                  of.values, of.value_type, of.is_one, of.run, of.sizes, of.strides},
                 numbers);
    return done ? std::optional(out) : std::nullopt;
  }
  Buffer offsets_of(const SpaceRef& s) override { return offsets_on_host(s); }

  int64_t items_at_a_time() const override { return seams().at_a_time; }
  int64_t parts_at_once() const override { return num_threads(); }
  void share(int64_t n, const std::function<void(int64_t)>& task) const override {
    parallel_for(n, [&](int64_t i, int) { task(i); });
  }

  Buffer upload(const Buffer& host) override { return host; }
  Buffer download(const Buffer& b) override { return b; }

 private:
  // Plans of more inputs take time as the square of them.
  const Capabilities can_{.most_inputs = 2000,
                          .repeats_lists = true,
                          .sorts_with_missing = true,
                          .sorts_complex = true,
                          .groups_by_hash = true,
                          .sees_spaces_by_kind = true,
                          .moves_to_columns = true,
                          .transposes_bands = true,
                          .multiplies_exactly = true,
                          .compares_plans = compares_plans()};
};

}  // namespace

Backend& cpu_backend() {
  static Backend& b = *new CpuBackend;  // arrays may outlive statics
  return b;
}

}  // namespace serrate::cpu
