// Runs what was written down for other arguments: see trace.h.
#include "graph/traces/trace.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "graph/backend.h"
#include "graph/evaluate.h"
#include "graph/evaluation/run_kept.h"
#include "graph/parts/substitution.h"

namespace serrate::graph {
namespace {

/// The same names and parameters, of trees of the same structure?
bool are_alike(const Node& a, const Node& b) {
  if (&a == &b) return true;
  const bool fields = a.fields == b.fields || (a.fields && b.fields && *a.fields == *b.fields);
  return fields && a.kind == b.kind && a.is_tuple == b.is_tuple && a.size == b.size &&
         a.unit == b.unit && a.parameters == b.parameters &&
         std::ranges::equal(a.contents, b.contents,
                            [](const NodeRef& x, const NodeRef& y) { return are_alike(*x, *y); });
}

Extent extent_at_hand(const Space& s) {
  auto& e = const_cast<Extent&>(s.extent);
  const auto read = [](int64_t& x, std::memory_order o) { return std::atomic_ref(x).load(o); };
  Extent known;
  known.size = read(e.size, std::memory_order_acquire);
  known.first = read(e.first, std::memory_order_relaxed);
  known.longest = read(e.longest, std::memory_order_relaxed);
  return known;
}

}  // namespace

TraceKey::TraceKey(const std::vector<NodeRef>& arguments) : arguments_(arguments) {
  for (const NodeRef& n : arguments) {
    if (!is_stored(*n)) return;
  }
  Signature& s = signature_.emplace(arguments);
  if (!s.is_complete() || !s.device()) return;
  backend_of(arguments, s);
  std::vector<uint64_t> numbers;  // of lists that were found equal
  for (const Space* const space : s.spaces()) {
    if (space->grouping) return;
    if (space->kind == SpaceKind::rows) s.add(static_cast<uint64_t>(space->size));
    if (space->kind != SpaceKind::list) continue;
    const uint64_t number = space->lists.get();
    const auto known = std::ranges::find(numbers, number);
    s.add(number == 0 ? 0 : static_cast<uint64_t>(known - numbers.begin()) + 1);
    if (known == numbers.end()) numbers.push_back(number);
  }
  for (const Column* const c : s.constants()) {
    s.add(c->scalar.u);
    s.add(static_cast<uint64_t>(c->scalar.dtype));
    s.add(std::bit_cast<uint64_t>(c->scalar.im));
  }
  is_complete_ = true;
}

std::vector<int64_t> TraceKey::sizes() const {
  std::vector<int64_t> out;
  for (const Space* const s : signature_->spaces()) {
    if (s->kind != SpaceKind::list) continue;
    const StoredExtent e = stored_extent(SpaceRef(s));
    out.insert(out.end(), {e.first, e.size, longest_list(SpaceRef(s))});
  }
  return out;
}

Buffer Trace::Load::from(const Signature& arguments) const {
  const void* const object = arguments.objects()[static_cast<size_t>(argument)];
  const Buffer& memory = static_cast<const Column*>(object)->buffer;
  return is_slice ? memory.slice(offset, bytes) : memory;
}

bool Trace::fits(const TraceKey& key) const {
  return std::ranges::equal(words_, key.signature().words()) &&
         std::ranges::equal(like_, key.arguments(),
                            [](const NodeRef& a, const NodeRef& b) { return are_alike(*a, *b); }) &&
         (!sizes_ || *sizes_ == key.sizes());
}

/// While it lives, the arguments' memory is where the expression loads from.
class Trace::Filled {
 public:
  Filled(const Trace& t, const Signature& arguments) : trace_(t) {
    const auto object = [&](int n) { return arguments.objects()[static_cast<size_t>(n)]; };
    for (const Load& l : t.loads_) l.column->buffer = l.from(arguments);
    for (const Lists& l : t.lists_) {
      l.space->extent = l.argument < 0
                            ? Extent()
                            : extent_at_hand(*static_cast<const Space*>(object(l.argument)));
    }
  }
  ~Filled() {
    for (const Load& l : trace_.loads_) l.column->buffer = Buffer();
  }
  Filled(const Filled&) = delete;
  Filled& operator=(const Filled&) = delete;

 private:
  const Trace& trace_;
};

std::optional<std::vector<NodeRef>> Trace::run(const TraceKey& key) const {
  const std::unique_lock alone(running_, std::try_to_lock);
  if (!alone) return {};
  const Signature& arguments = key.signature();
  const Filled filled(*this, arguments);
  for (const auto& [space, word] : facts_) {
    if (backend_->fact(*space) != word) return {};
  }
  LaterTrees later;
  if (holds_) {
    later = [trace = shared_from_this(), of = key.arguments()] {
      Substitution given = trace->given(Signature(of));
      std::vector<NodeRef> whole;
      for (const NodeRef& n : trace->roots_) whole.push_back(given(n));
      return whole;
    };
  }
  // Few rows need steps, which may have been noted since.
  const bool has_none = plan_->in_steps && !plan_->in_steps->steps;
  const std::shared_ptr<const KeptPlan> now = has_none ? find_plan(*signature_) : plan_;
  auto stored = run_kept(now ? *now : *plan_, {roots_, *signature_, *backend_, std::move(later)});
  if (!stored) return {};
  Substitution back = given(arguments);
  for (NodeRef& n : *stored) n = back(n);
  return stored;
}

Substitution Trace::given(const Signature& arguments) const {
  Substitution made;
  const auto object = [&](int n) { return arguments.objects()[static_cast<size_t>(n)]; };
  for (const auto& [n, s] : spaces_) made.set(s.get(), static_cast<const Space*>(object(n)));
  for (const auto& [n, c] : columns_) made.set(c.get(), static_cast<const Column*>(object(n)));
  for (const Load& l : loads_) {
    if (l.is_slice) made.copy(ColumnRef(l.column))->buffer = l.from(arguments);
  }
  return made;
}

}  // namespace serrate::graph
