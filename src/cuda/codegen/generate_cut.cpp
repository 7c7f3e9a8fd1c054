// Few long lists, of derived spaces too (sums along axis 0): each is cut into as many parts as keep
// all blocks busy; the block that comes last to a list's parts joins them in order.
#include <algorithm>

#include "core/seams.h"
#include "cuda/codegen/functions.h"
#include "cuda/codegen/generator.h"
#include "cuda/schedule/facts.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

void Generator::cut(Walk& w, int c) {
  const Frame& root = nest_.frames()[w.group.root];
  const auto length = static_cast<int64_t>(equal_lengths(nest_.frames()[c].space));
  const int64_t parts = std::min(seams().cut_parts, length / seams().cut_part + 1);
  counting_ = -1;
  positions_.clear();
  counters_.clear();
  std::vector<const Column*> into;
  collect(c, root.id, into);
  const std::string n = a_.structural("long long", static_cast<uint64_t>(parts)),
                    arrived = a_.output("int");
  w.temporaries.push_back({arrived, {w.items, 4}, true});
  struct Part {
    std::string values, indexes;
  };
  std::vector<Part> fields;
  for (const Column* x : into) {
    Part f{a_.output(Emitter::value_type(x)), {}};
    w.temporaries.push_back({f.values, {w.items, 16 * parts}});
    if (has_index(*x)) {
      f.indexes = a_.output("long long");
      w.temporaries.push_back({f.indexes, {w.items, 8 * parts}});
    }
    fields.push_back(f);
  }
  Scope s;
  const auto put = [&](const Text& t) { Emitter::line(s, t); };
  put("__shared__ bool is_last;");
  put("const long long list = blockIdx.x / " + n + ", part = blockIdx.x % " + n + ";");
  put("if (list >= " + a_.number(w.items.kind, *root.space) + ") return;");
  std::vector<Accumulator> accs, all;
  for (const Column* x : into) accs.push_back(e_.declare(x, s));
  Cursor& unit = e_.unit_cursor(s);
  Cursor& owner = e_.at_index(root.space, unit, s, "list");
  const SpaceRef& items = nest_.frames()[c].space;
  const Text size = e_.length(items, owner);
  const Text begin = e_.integer(items->starts, owner, s);
  put("const long long from = " + begin + " + " + size + " * part / " + n + ";");
  put("const long long to = " + begin + " + " + size + " * (part + 1) / " + n + ";");
  folds_.clear();
  for (const Accumulator& acc : accs) folds_.push_back({root.id, acc});
  Scope in = Emitter::inside(s);
  const std::string threads = std::to_string(kThreads);
  e_.each(items, owner, in, Share{"threadIdx.x", threads, "from", "to", "/ " + threads},
          [&](Cursor& item, Scope& inner) { body(c, item, inner); });
  Emitter::call(s, in);
  for (const Accumulator& acc : accs) join_block(acc, s);
  Scope own = Emitter::inside(s);
  for (size_t i = 0; i < accs.size(); i++) {
    Emitter::line(own, fields[i].values + "[blockIdx.x] = " + accs[i].name + ";");
    if (!fields[i].indexes.empty())
      Emitter::line(own, fields[i].indexes + "[blockIdx.x] = " + accs[i].index + ";");
  }
  Emitter::line(own, "__threadfence();");
  Emitter::line(own, "is_last = atomicAdd(&" + arrived + "[list], 1) + 1 == " + n + ";");
  Emitter::close(s, "if (threadIdx.x == 0)", own);
  put("__syncthreads();");
  put("if (!is_last) return;");
  put("__threadfence();");
  Scope part = Emitter::inside(s);
  for (size_t i = 0; i < accs.size(); i++) {
    all.push_back(e_.declare(into[i], s));
    e_.join(part, all[i], fields[i].values + "[list * " + n + " + k]",
            fields[i].indexes.empty() ? Text() : fields[i].indexes + "[list * " + n + " + k]");
  }
  Emitter::close(s, "for (long long k = threadIdx.x; k < " + n + "; k += " + threads + ")", part);
  for (const Accumulator& acc : all) join_block(acc, s);
  Scope last = Emitter::inside(s);
  for (const Accumulator& acc : all) e_.remember(acc.column, owner, last, Emitter::result(acc));
  folds_.clear();
  if (is_ours(root.id)) sinks(root.id, owner, last, {});
  Emitter::call(s, last, "threadIdx.x == 0");
  w.steps.push_back({w.name, {w.items, parts}});
  add_kernel(w.name, s);
}

}  // namespace serrate::cuda
