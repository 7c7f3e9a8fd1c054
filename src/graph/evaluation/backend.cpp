// What back ends have in common, and where expressions without buffers go: see backend.h.
#include "graph/backend.h"

#include <atomic>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "core/types/load_scalar.h"
#include "graph/evaluate.h"
#include "graph/evaluation/barriers.h"

namespace serrate::graph {
namespace {

/// One after the other.
template <class Way, Buffer (Backend::*move)(const Buffer&)>
class EachByItself : public Way {
 public:
  explicit EachByItself(Backend& b) : backend_(b) {}
  Buffer add(const Buffer& b) override { return (backend_.*move)(b); }
  void finish() override {}

 private:
  Backend& backend_;
};

std::atomic<bool> other_memory{false};

}  // namespace

std::unique_ptr<Uploads> Backend::uploads() {
  return std::make_unique<EachByItself<Uploads, &Backend::upload>>(*this);
}

std::unique_ptr<Downloads> Backend::downloads() {
  return std::make_unique<EachByItself<Downloads, &Backend::download>>(*this);
}

std::pair<int64_t, int64_t> Backend::integers(DType t, const Buffer& a, const Buffer& b) {
  return {load_scalar(download(a).data(), t).i, load_scalar(download(b).data(), t).i};
}

KnownOffsets Backend::offsets(const Buffer& lengths, int64_t n) {
  const KnownOffsets host = offsets_of_lengths(download(lengths), n);
  return {upload(host.buffer), host.total, host.longest};
}

std::optional<ItemGroups> Backend::group(const Column&, const BarrierInput&, bool) { return {}; }

std::optional<Buffer> Backend::distinct(const Column&, const BarrierInput&) { return {}; }

Buffer Backend::members(const BarrierInput&, const BarrierInput&) { return {}; }

std::optional<Buffer> Backend::matrix_product(const MatrixPair&) { return {}; }
std::optional<Buffer> Backend::transposed(const Matrices&) { return {}; }
void Backend::transpose(const Matrices&, std::byte*, int64_t) {}
std::optional<Buffer> Backend::searched(const NumbersToFind&) { return {}; }

std::optional<Buffer> Backend::take(const ItemsToTake&) { return {}; }

std::optional<Buffer> Backend::put(const Buffer&, const ItemUpdates&) { return {}; }

std::optional<Buffer> Backend::scanned(const ColumnScan&, const Matrices&) { return {}; }
std::optional<Buffer> Backend::scanned(const ColumnScan&, const ListColumns&, const std::byte*) {
  return {};
}
std::optional<Buffer> Backend::folded(const ColumnFold&, const Matrices&) { return {}; }
std::optional<Buffer> Backend::folded(const ColumnFold&, const ListColumns&, const std::byte*) {
  return {};
}

bool compares_plans() {
  const char* const said = std::getenv("SERRATE_COMPARE_PLANS");
  return said != nullptr && std::string_view(said) == "1";
}

bool other_memory_in_use() { return other_memory.load(std::memory_order_relaxed); }

void use_other_memory() {
  if (!other_memory_in_use()) other_memory = true;
}

static std::atomic<Device> default_of_all{Device::cpu};

Device default_device() {
  return default_device_of_thread().value_or(default_of_all.load(std::memory_order_relaxed));
}

void set_default_device(Device d) { default_of_all.store(d, std::memory_order_relaxed); }

std::optional<Device>& default_device_of_thread() {
  static thread_local std::optional<Device> d;
  return d;
}

}  // namespace serrate::graph
