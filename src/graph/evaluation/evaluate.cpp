// Looking at values: trees become a loop nest, the nest runs on a back end, results become stored
// trees.
#include "graph/evaluate.h"

#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "core/seams.h"
#include "graph/absent.h"
#include "graph/backend.h"
#include "graph/device.h"
#include "graph/evaluation/barriers.h"
#include "graph/evaluation/fills.h"
#include "graph/evaluation/flat_plans.h"
#include "graph/evaluation/plan_cache.h"
#include "graph/evaluation/run_kept.h"
#include "graph/evaluation/steps.h"
#include "graph/evaluation/stored_lists.h"
#include "graph/interrupted.h"
#include "graph/nest.h"
#include "graph/operation.h"
#include "graph/parts/dense.h"
#include "graph/parts/outer_lists.h"
#include "graph/parts/row_parts.h"

namespace serrate::graph {

constinit thread_local Looks* looks_of_thread = nullptr;

namespace {
thread_local std::optional<Device> surrounding;

thread_local const std::vector<NodeRef>* whole = nullptr;
thread_local const LaterTrees* later_whole = nullptr;
/// While it lives, errors are those of these trees, whatever parts of them are evaluated before.
class Whole {
 public:
  explicit Whole(const std::vector<NodeRef>& roots, const LaterTrees* later = nullptr)
      : before_(whole), later_before_(later_whole) {
    if (whole != nullptr) return;
    whole = &roots;
    later_whole = later;
  }
  ~Whole() {
    whole = before_;
    later_whole = later_before_;
  }
  Whole(const Whole&) = delete;
  Whole& operator=(const Whole&) = delete;

 private:
  const std::vector<NodeRef>* before_;
  const LaterTrees* later_before_;
};
}  // namespace

Interrupted::Interrupted()
    : surrounding_(std::exchange(surrounding, std::nullopt)),
      whole_(std::exchange(whole, nullptr)),
      later_(std::exchange(later_whole, nullptr)) {}
Interrupted::~Interrupted() {
  surrounding = surrounding_;
  whole = whole_;
  later_whole = later_;
}

Surrounding::Surrounding(std::optional<Device> d) : before_(surrounding) {
  if (d) surrounding = d;
}
Surrounding::~Surrounding() { surrounding = before_; }

Device surrounding_device() {
  if (surrounding) return *surrounding;
  return Operation::device().value_or(default_device());
}

Device device_of(const std::vector<NodeRef>& roots) {
  return buffers_device(roots).value_or(surrounding_device());
}

namespace {

std::vector<NodeRef> evaluate_noted(const std::vector<NodeRef>& roots, StepsRecorder* recorder);

}  // namespace

Backend& backend_of(const std::vector<NodeRef>& roots, Signature& s) {
  const bool is_known = s.is_complete() && !s.is_mixed();
  Backend& b = backend(is_known ? s.device().value_or(surrounding_device()) : device_of(roots));
  if (!s.device()) s.add(static_cast<uint64_t>(b.device()));  // loads tell theirs
  b.add_facts(s);
  return b;
}

namespace {

/// Fills are stored, and loads take their place; nothing where there is no fill.
std::optional<std::vector<NodeRef>> filled(const std::vector<NodeRef>& roots,
                                           const Capabilities& can,
                                           std::vector<ColumnRef> first = {},
                                           StepsRecorder* recorder = nullptr) {
  Fills fills(can, std::move(first));
  for (const auto& r : roots) fills.find(*r);
  if (!fills.any()) return {};
  const std::vector<NodeRef> trees = fills.inputs();
  std::optional<Signature> before;
  if (recorder != nullptr) backend_of(trees, before.emplace(trees));
  // Kept steps have plans of all that they read, of what is stored as well.
  const auto with_plans = [&] {
    const WithPlans kept;
    return evaluate_noted(trees, nullptr);
  };
  fills.fill(recorder != nullptr ? with_plans() : evaluate(trees));
  if (recorder != nullptr) recorder->step(fills, trees, *before);
  std::vector<NodeRef> rest;
  for (const auto& r : roots) rest.push_back(fills.replace(r));
  if (recorder != nullptr) recorder->replaced(fills);
  return rest;
}

/// Where barriers are over derived lists they are computed, and what follows is over the stored
/// forms of these. Nothing where there is no such barrier.
std::optional<std::vector<NodeRef>> behind_stored_lists(const std::vector<NodeRef>& roots,
                                                        const Capabilities& can) {
  Fills fills(can);
  for (const auto& r : roots) fills.find(*r);
  if (!fills.any()) return {};
  std::vector<NodeRef> trees = fills.inputs();
  const size_t inputs = trees.size();
  StoredLists lists(fills, trees, roots);
  if (!lists.any()) return {};
  for (NodeRef& n : lists.others()) trees.push_back(std::move(n));
  std::vector<NodeRef> stored = evaluate(trees);
  lists.note(stored);
  stored.resize(inputs);
  fills.fill(std::move(stored));
  std::vector<NodeRef> rest;
  for (const auto& r : roots) {
    NodeRef n = lists(r);
    rest.push_back(n ? std::move(n) : fills.replace(r));
  }
  return rest;
}

/// What is run for these trees, of which maybe others are a part.
Demand demand_of(const std::vector<NodeRef>& roots, std::span<const int> part = {}) {
  return {roots, *whole, part, later_whole};
}

/// Outputs in parts, each by an executable of its own: see Capabilities::most_inputs.
std::vector<CompiledPart> compiled_in_parts(Backend& b, const Store& store,
                                            std::vector<std::vector<int>> parts) {
  std::vector<CompiledPart> out;
  for (auto& part : parts) {
    Nest nest(b.capabilities().repeats_lists, b.capabilities().carries_picks);
    store.demand(nest, part);
    nest.finish();
    out.push_back({b.compile(nest), std::move(part)});
  }
  return out;
}

/// The outputs of one part at their places among all.
void run_part(const Executable& executable, Objects objects, const std::vector<NodeRef>& roots,
              std::span<const int> part, std::vector<Written>& written) {
  std::vector<Written> some = executable.run(objects, demand_of(roots, part));
  if (part.empty()) {
    written = std::move(some);
    return;
  }
  written.resize(std::max(written.size(), static_cast<size_t>(part.back()) + 1));
  for (size_t i = 0; i < part.size(); i++)
    written[static_cast<size_t>(part[i])] = std::move(some[i]);
}

/// What has fills, or columns that are to be stored first: as it was done before, if that is known,
/// else one step after the other, which is noted. Nothing where there is none.
std::optional<std::vector<NodeRef>> evaluate_in_steps(const std::vector<NodeRef>& roots,
                                                      const Signature& signature, Backend& b,
                                                      const InSteps* known, StepsRecorder* outer,
                                                      std::vector<ColumnRef> first = {}) {
  const Capabilities& can = b.capabilities();
  if (outer == nullptr && !can.compares_plans && signature.most_bytes() > seams().again) {
    if (known == nullptr) keep_steps(signature, {});
    if (const auto rest = behind_stored_lists(roots, can)) return evaluate_noted(*rest, nullptr);
  }
  const bool compares = can.compares_plans, has_steps = known != nullptr && known->steps;
  if (outer == nullptr && has_steps && !compares) {
    if (auto stored = known->steps->run(roots, signature)) return stored;
  }
  const InSteps before = known == nullptr ? InSteps() : *known;
  std::optional<StepsRecorder> own;
  // Of trees whose data differ in what steps depend on.
  const bool notes = before.noted < seams().notes || compares;
  if (outer == nullptr && notes) own.emplace(roots, signature, b);
  StepsRecorder* const recorder = own ? &*own : outer;
  const auto rest = filled(roots, can, std::move(first), recorder);
  if (!rest) return {};
  if (!own && known == nullptr) keep_steps(signature, {});
  std::vector<NodeRef> stored = evaluate_noted(*rest, recorder);
  if (!own) return stored;
  const std::shared_ptr<const Steps> steps = own->done();
  if (compares && has_steps && steps && known->steps->contradicts(*steps))
    throw std::logic_error("evaluate: kept steps are not those that are needed");
  keep_steps(signature, {steps, before.noted + 1, before.by_rows});
  // Else they run when the expression is repeated.
  if (compares && can.runs_from_objects && steps) return steps->run(roots, signature).value();
  return stored;
}

/// Rows some at a time, where there are many. Small arrays do not look.
std::optional<std::vector<NodeRef>> by_rows(const std::vector<NodeRef>& roots, const Signature& s,
                                            const Backend& b) {
  if (s.most_bytes() <= b.items_at_a_time()) return {};
  return evaluate_by_rows(roots, b);
}

/// Derived lists over stored ones, stored.
SpaceRef stored_lists(const SpaceRef& lists) {
  return stored_items(lists->parent, list_node(lists, unknown_node())).items->space;
}

/// Slices of matrices and boxes as flat arrays; null of others. Of large ones some rows at a time,
/// as blocks if a plan for such a flat array was kept.
NodeRef evaluate_flat(const NodeRef& root) {
  const DenseExpression dense(root);
  if (!dense) return {};
  const bool by_blocks = dense.is_faster_by_blocks();
  const int64_t rows = by_blocks ? dense.rows_of_one_loop() : dense.rows_of(seams().dense);
  if (!by_blocks && rows < dense.rows() && !dense.is_faster_in_parts()) return {};
  const Backend& b = backend(device_of({root}));
  const int64_t size = dense.bytes_of_row(), itemsize = size / dense.items_of_row();
  const int64_t pieces = dense.pieces(), parts = (dense.rows() + rows - 1) / rows * pieces;
  void* p = nullptr;
  const Buffer out = Buffer::allocate(dense.rows() * size, &p);
  const auto part = [&](int64_t i) {
    const int64_t first = i / pieces * rows, last = std::min(first + rows, dense.rows());
    const int64_t piece = i % pieces;
    std::byte* const to =
        static_cast<std::byte*>(p) + first * size + piece * dense.items_of_piece() * itemsize;
    if (dense.is_slice()) return dense.copy(first, last, to);
    const Surrounding here(b.device());
    if (by_blocks) {
      std::vector<StridedColumn> strided;
      const NodeRef flat = dense.flat(first, last, strided);
      if (FlatExpression(flat).evaluate_to(to, strided)) return;
    }
    const NodeRef flat = dense.flat(first, last, piece);
    if (FlatExpression(flat).evaluate_to(to)) return;
    const NodeRef stored = evaluate_noted({flat}, nullptr).front();
    std::copy_n(stored->contents[0]->column->buffer.data(), flat->space->size * itemsize, to);
  };
  part(0);  // the others have its plan
  b.share(parts - 1, [&](int64_t i) { part(i + 1); });
  return dense.of_items(out);
}

std::vector<NodeRef> evaluate_noted(const std::vector<NodeRef>& roots, StepsRecorder* recorder) {
  std::optional<FlatExpression> flat;
  if (roots.size() == 1 && recorder == nullptr) {
    const bool plans_wanted = WithPlans::wanted();
    flat.emplace(roots[0]);
    const bool has_lists = *flat && flat->has_lists();
    if (NodeRef stored = has_lists && plans_wanted ? NodeRef() : flat->evaluate())
      return {std::move(stored)};
    if (*flat && flat->is_option())
      return {flat->with_content(evaluate_noted({flat->value()}, nullptr).front())};
    if (!plans_wanted) {
      if (has_lists)
        return {flat->with_lists(evaluate_noted({flat->without_lists()}, nullptr).front())};
      if (NodeRef stored = run_alone(roots[0])) return {std::move(stored)};
      if (NodeRef stored = evaluate_flat(roots[0])) return {std::move(stored)};
    }
  }
  Signature signature(roots);
  if (!signature.is_complete()) refuse_absent(roots);  // which else has seen all columns
  Backend& b = backend_of(roots, signature);
  const Surrounding whole(b.device());
  const auto some_rows = [&](const InSteps& known) -> std::optional<std::vector<NodeRef>> {
    if (recorder != nullptr) return {};
    auto stored = by_rows(roots, signature, b);  // parts have signatures of their own
    if (stored && !known.by_rows) keep_steps(signature, {known.steps, known.noted, true});
    return stored;
  };
  const auto note = [&](std::vector<NodeRef> stored) {
    if (recorder != nullptr) recorder->last(roots, signature);
    return stored;
  };
  const auto kept = find_plan(signature);
  const InSteps* const known = kept && kept->in_steps ? &*kept->in_steps : nullptr;
  if (known != nullptr) {
    if (auto stored = some_rows(*known)) return *std::move(stored);
    if (auto stored = evaluate_in_steps(roots, signature, b, known, recorder)) return *stored;
  } else if (kept) {
    if (flat && *flat && !b.capabilities().compares_plans) flat->keep(signature, kept);
    return note(stored_trees(roots, kept->stores, run_plan(*kept, roots, signature.objects())));
  }
  const Capabilities& can = b.capabilities();
  if (can.stores_outer_lists && recorder == nullptr && known == nullptr) {
    if (const auto rest = OuterLists(signature.most_bytes(), stored_lists)(roots))
      return evaluate_noted(*rest, nullptr);
  }
  Store store;
  for (const auto& r : roots) store.add(r);
  if (can.most_inputs_of_one < SIZE_MAX) {
    if (std::vector<ColumnRef> first = store.broad(can.most_inputs_of_one); !first.empty())
      return evaluate(filled(roots, can, std::move(first)).value());
  }
  std::vector<CompiledPart> compiled;
  std::vector<Written> written;
  const auto finish = [&] {
    for (const auto& [made, outputs] : compiled)
      run_part(*made.executable, made.objects, roots, outputs, written);
    std::vector<NodeRef> trees = stored_trees(roots, store.plans(), written);
    keep_plan(signature, store.plans(), std::move(compiled));
    return note(std::move(trees));
  };
  if (auto parts = store.parts(can.most_inputs); parts.size() > 1) {
    if (const auto rest = filled(roots, can)) return evaluate(*rest);
    compiled = compiled_in_parts(b, store, std::move(parts));
    return finish();
  }
  Nest nest(can.repeats_lists, can.carries_picks);
  store.demand(nest);
  if (nest.needs_fills() || (can.counts_to_picks && nest.has_long_picks())) {
    if (auto stored = some_rows({})) return *std::move(stored);
    if (auto stored = evaluate_in_steps(roots, signature, b, nullptr, recorder)) return *stored;
  }
  if (!nest.outputs().empty()) {
    nest.finish();
    if (auto first = b.stored_before(nest); !first.empty()) {
      if (auto stored = evaluate_in_steps(roots, signature, b, known, recorder, std::move(first)))
        return *stored;
    }
    compiled.push_back({b.compile(nest), {}});
  }
  return finish();
}

}  // namespace

std::vector<Written> run_plan(const KeptPlan& plan, const std::vector<NodeRef>& roots,
                              Objects objects) {
  std::vector<Written> written;
  for (const KeptPart& part : plan.parts)
    run_part(*part.executable, objects, roots, part.outputs, written);
  return written;
}

std::optional<std::vector<NodeRef>> run_kept(const KeptPlan& plan, const Bound& on) {
  const Whole all(on.roots, on.later ? &on.later : nullptr);
  const Surrounding here(on.backend.device());
  if (plan.in_steps) {
    if (auto stored = by_rows(on.roots, on.signature, on.backend)) return stored;
    return plan.in_steps->steps ? plan.in_steps->steps->run(on.roots, on.signature) : std::nullopt;
  }
  return stored_trees(on.roots, plan.stores, run_plan(plan, on.roots, on.signature.objects()));
}

std::vector<NodeRef> evaluate(const std::vector<NodeRef>& roots) {
  note_look_at_values();
  const auto is_ready = [](const NodeRef& n) { return is_stored(*n); };
  if (!WithPlans::wanted() && std::ranges::all_of(roots, is_ready)) return roots;
  const Whole all(roots);
  return evaluate_noted(roots, nullptr);
}

NodeRef evaluate_beside(const NodeRef& root, const Node& like) {
  const Surrounding whole(some_device(NodeRef(&like)).value_or(surrounding_device()));
  return evaluate(root);
}

}  // namespace serrate::graph
