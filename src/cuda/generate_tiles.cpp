// Folds over lists of any lengths: blocks take equal numbers of items, whatever lists they are in.
//
// A tile is what one block takes. Its threads first mark where lists begin and spread the marks, so
// that every item knows its list; then they compute the items' values, next to each other; then
// each thread folds a run of consecutive items, and the block joins the runs list by list. A list
// that began in an earlier tile leaves its part of this tile in `heads`. A second kernel, one
// thread a list, joins a list's heads (the whole block does where a list has many) and does what
// the owners are wanted for. Walks that need results of earlier ones come as further pairs of
// kernels.
#include "cuda/functions.h"
#include "cuda/generator.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

namespace {

/// One fold of a tile: its accumulator per list, heads per tile, and values in shared memory.
std::string size_of(const Column* c) {
  return "sizeof(" + std::string(Emitter::value_type(c)) + ")";
}

}  // namespace

bool Generator::can_tile(const Walk& w) const {
  const Frame& root = nest_.frames()[w.group.root];
  if (!is_stored(root.space) || !w.group.unit_folds.empty() || !w.appends.empty() || w.keeps_order)
    return false;
  bool any = false;
  for (int c : root.children) {
    if (!is_walked(c)) continue;
    any = true;
    const SpaceRef& s = nest_.frames()[c].space;
    if (s->kind != SpaceKind::list || !is_stored(s) || stored_extent(s).size == 0) return false;
  }
  if (!any) return false;
  for (int f : root.filters) {
    if (is_walked(f)) return false;
  }
  for (int f : w.group.frames) {
    for (const Fold& x : nest_.frames()[f].folds) {
      if (Emitter::order_matters(x.column)) return false;
    }
  }
  return true;
}

void Generator::tiles(Walk& w) {
  const Frame& root = nest_.frames()[w.group.root];
  counting_ = -1;
  finished_.clear();
  int number = 0, last = -1;
  for (int c : root.children) {
    if (is_walked(c)) last = c;
  }
  for (int c : root.children) {
    if (!is_walked(c)) continue;
    std::vector<TileFold> folds;
    std::vector<const Column*> into;
    collect(c, root.id, into);
    const std::string name = w.name + "_tiles" + std::to_string(number++);
    const int64_t lists = stored_extent(root.space).size;
    // Shared memory holds a value of each fold for all items of a tile.
    int bytes = 4;
    for (const Column* x : into) bytes += 16 + (Emitter::has_index(x) ? 8 : 0);
    const int each = bytes <= 20 ? 8 : bytes <= 40 ? 4 : 2;
    const int64_t tile = kThreads * each;
    const int64_t items = stored_extent(nest_.frames()[c].space).size;
    const int64_t blocks = (items + tile - 1) / tile;
    for (const Column* x : into) {
      TileFold f;
      f.acc.column = x;
      const std::string type(Emitter::value_type(x));
      f.lists = a_.output(type);
      f.heads = a_.output(type);
      w.temporaries.push_back({f.lists, 16 * lists});
      w.temporaries.push_back({f.heads, 16 * blocks});
      if (Emitter::has_index(x)) {
        f.list_indexes = a_.output("long long");
        f.head_indexes = a_.output("long long");
        w.temporaries.push_back({f.list_indexes, 8 * lists});
        w.temporaries.push_back({f.head_indexes, 8 * blocks});
      }
      folds.push_back(f);
    }
    kernels_ += tile_kernel(w, c, name, folds, each, blocks);
    w.steps.push_back({name, blocks});
    if (!folds.empty() || c == last) {
      const std::string join = name + "_join";
      kernels_ += tile_join(w, c, join, folds, tile, c == last);
      w.steps.push_back({join, (lists + kThreads - 1) / kThreads});
    }
    finished_.insert(finished_.end(), folds.begin(), folds.end());
  }
}

/// The cursor of the lists' owner, with what is known of it.
Cursor& Generator::owner_cursor(const SpaceRef& space, const std::string& domain, Cursor& unit,
                                Scope& s, std::vector<Asked>& asked) {
  Cursor& k = stored_cursor(space, domain, unit, s, asked);
  for (const TileFold& f : finished_) {
    Accumulator acc = f.acc;
    acc.name = f.lists + "[" + ordinal(k) + "]";
    if (!f.list_indexes.empty()) acc.index = f.list_indexes + "[" + ordinal(k) + "]";
    e_.remember(acc.column, k, s, Emitter::result(acc));
  }
  return k;
}

/// Every item of the tile learns its list, counted from list0.
void Generator::tile_marks(const std::string& offsets, const std::string& lists_end,
                           const std::string& end, int each, Scope& s) {
  auto put = [&](const std::string& text) { Emitter::line(s, text); };
  const std::string n = std::to_string(each), threads = std::to_string(kThreads);
  const std::string room = std::to_string((each + 1) * kThreads);
  put("for (int j = threadIdx.x; j < " + room + "; j += " + threads + ") list_of[j] = 0;");
  put("__syncthreads();");
  put("for (long long r = list0 + 1 + threadIdx.x; r <= list1; r += " + threads + ") {");
  put("  const long long at = (long long)" + offsets + "[r];");
  put("  const long long next = r + 1 < " + lists_end + " ? (long long)" + offsets +
      "[r + 1] : " + end + ";");
  put("  if (at < next) list_of[slot((int)(at - begin))] = (int)(r - list0);");
  put("}");
  put("__syncthreads();");
  put("{");
  put("  int most = 0;");
  put("  for (int k = 0; k < " + n + "; k++) most = max(most, list_of[threadIdx.x * " + n +
      " + threadIdx.x + k]);");
  put("  int before = sr_block_most_before(most);");
  put("  for (int k = 0; k < " + n + "; k++) {");
  put("    int& l = list_of[threadIdx.x * " + n + " + threadIdx.x + k];");
  put("    before = max(before, l);");
  put("    l = before;");
  put("  }");
  put("}");
  put("__syncthreads();");
}

/// What is done at item j of the tile, in the list that `list` says.
void Generator::tile_item(int c, const std::string& list, const std::string& offsets,
                          const std::vector<Accumulator>& accs, Scope& in) {
  const Frame& root = nest_.frames()[walk_->group.root];
  Cursor& unit = e_.unit_cursor(in);
  const std::string i = e_.fresh("i"), r = e_.fresh("r");
  Emitter::line(in, "const long long " + i + " = begin + j;");
  Emitter::line(in, "const long long " + r + " = " + list + ";");
  std::vector<Asked> asked;
  Cursor& owner = owner_cursor(root.space, r, unit, in, asked);
  Cursor& k = e_.cursor(nest_.frames()[c].space, &owner, &in);
  k.domain = i;
  k.local = "(" + i + " - (long long)" + offsets + "[" + r + "])";
  folds_.clear();
  positions_.clear();
  counters_.clear();
  for (const Accumulator& acc : accs) folds_.push_back({root.id, acc});
  body(c, k, in);
  add_asked(asked, in);
}

std::string Generator::tile_kernel(Walk& w, int c, const std::string& name,
                                   std::vector<TileFold>& folds, int each, int64_t blocks) {
  const Frame& root = nest_.frames()[w.group.root];
  const SpaceRef& space = nest_.frames()[c].space;
  const StoredExtent e = stored_extent(space), p = stored_extent(root.space);
  const Column& starts = *space->starts;
  const std::string offsets = a_.input(type_text(starts.dtype), starts.buffer.data());
  const std::string n = std::to_string(each), tile = std::to_string(each * kThreads);
  const std::string room = std::to_string((each + 1) * kThreads);
  const std::string first = first_item(*space, e.first);
  const std::string lists_from = first_item(*root.space, p.first);
  list_origin_ = lists_from;
  const std::string end = a_.integer(e.first + e.size), lists = a_.integer(p.size);
  Scope s;
  auto put = [&](const std::string& text) { Emitter::line(s, text); };
  // A place every `each` is left free, so that threads a run apart meet different banks.
  put("const auto slot = [](int j) { return j + j / " + n + "; };");
  put("const long long begin = " + first + " + (long long)blockIdx.x * " + tile + ";");
  put("const int items = (int)min((long long)" + tile + ", " + end + " - begin);");
  put("__shared__ int list_of[" + room + "];");
  const std::string bounds = a_.output("long long");
  w.temporaries.push_back({bounds, 16 * blocks});
  put("const long long list0 = " + bounds + "[2 * blockIdx.x], list1 = " + bounds +
      "[2 * blockIdx.x + 1];");
  int number = 0;
  for (TileFold& f : folds) {
    const std::string type(Emitter::value_type(f.acc.column));
    f.values = "values" + std::to_string(number);
    put("__shared__ __align__(16) unsigned char room" + std::to_string(number) + "[" + room +
        " * " + size_of(f.acc.column) + "];");
    put(type + "* " + f.values + " = (" + type + "*)room" + std::to_string(number) + ";");
    if (!f.list_indexes.empty()) {
      f.indexes = "indexes" + std::to_string(number);
      put("__shared__ long long " + f.indexes + "[" + room + "];");
    }
    number++;
  }
  const int number_of_folds = static_cast<int>(folds.size());
  if (number_of_folds > 0) {
    // A tile inside one list: threads keep what they compute.
    Scope one = Emitter::inside(s);
    std::vector<Accumulator> all;
    for (const TileFold& f : folds) all.push_back(e_.declare(f.acc.column, one));
    Scope strip = Emitter::inside(one);
    Emitter::line(strip, "const int j = threadIdx.x + k * " + std::to_string(kThreads) + ";");
    Scope in = Emitter::inside(strip);
    tile_item(c, "list0", offsets, all, in);
    Emitter::close(strip, "if (j < items) [&]()", in);
    strip.code.insert(strip.code.size() - 1, "();");
    Emitter::line(one, "#pragma unroll");
    Emitter::close(one, "for (int k = 0; k < " + n + "; k++)", strip);
    for (size_t q = 0; q < folds.size(); q++) {
      join_block(all[q], one);
      const bool index = !folds[q].head_indexes.empty();
      const std::string place = "[list0 - " + list_origin_ + "]";
      Emitter::line(
          one,
          "if (threadIdx.x == 0 && (long long)" + offsets + "[list0] < begin) { " + folds[q].heads +
              "[blockIdx.x] = " + all[q].name + ";" +
              (index ? " " + folds[q].head_indexes + "[blockIdx.x] = " + all[q].index + ";" : "") +
              " }");
      Emitter::line(
          one, "if (threadIdx.x == 0 && (long long)" + offsets + "[list0] >= begin) { " +
                   folds[q].lists + place + " = " + all[q].name + ";" +
                   (index ? " " + folds[q].list_indexes + place + " = " + all[q].index + ";" : "") +
                   " }");
    }
    Emitter::line(one, "return;");
    Emitter::close(s, "if (list0 == list1)", one);
  }
  tile_marks(offsets, lists_from + " + " + lists, end, each, s);
  // Values, threads side by side.
  Scope in = Emitter::inside(s);
  {
    std::vector<Accumulator> accs;
    for (TileFold& f : folds) {
      f.acc = e_.declare(f.acc.column, in);
      accs.push_back(f.acc);
    }
    tile_item(c, "list0 + list_of[slot(j)]", offsets, accs, in);
    for (TileFold& f : folds) {
      Emitter::line(in, f.values + "[slot(j)] = " + f.acc.name + ";");
      if (!f.indexes.empty()) Emitter::line(in, f.indexes + "[slot(j)] = " + f.acc.index + ";");
    }
  }
  Scope loop = Emitter::inside(s);
  loop.code = in.code;
  Emitter::close(s, "const auto item = [&](int j)", loop);
  s.code.insert(s.code.size() - 1, ";");
  put("#pragma unroll");
  put("for (int k = 0; k < " + n + "; k++) {");
  put("  const int j = threadIdx.x + k * " + std::to_string(kThreads) + ";");
  put("  if (j < items) item(j);");
  put("}");
  if (!folds.empty()) {
    put("__syncthreads();");
    put("const int from = threadIdx.x * " + n + ", to = min(from + " + n + ", items);");
    put("const bool begins = from > 0 && from < items && list_of[slot(from)] != list_of[slot(from "
        "- 1)];");
    for (TileFold& f : folds) tile_fold(f, offsets, s);
  }
  // The lists of each tile's first and last item: all searches at once, before.
  Scope find;
  Emitter::line(find, "const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;");
  Emitter::line(find, "const long long begin = " + first + " + t * " + tile + ";");
  Emitter::line(find, "if (begin >= " + end + ") return;");
  Emitter::line(find, bounds + "[2 * t] = sr_search(" + offsets + ", " + lists_from + ", " +
                          lists_from + " + " + lists + ", begin);");
  Emitter::line(find, bounds + "[2 * t + 1] = sr_search(" + offsets + ", " + lists_from + ", " +
                          lists_from + " + " + lists + ", min(begin + " + tile + ", " + end +
                          ") - 1);");
  w.steps.push_back({name + "_find", (blocks + kThreads - 1) / kThreads});
  return header(name + "_find") + find.code + "}\n" + header(name) + s.code + "}\n";
}

/// One fold of the values in shared memory, list by list.
void Generator::tile_fold(const TileFold& f, const std::string& offsets, Scope& s) {
  Scope in = Emitter::inside(s);
  const bool index = !f.indexes.empty();
  auto put = [&](const std::string& text) { Emitter::line(in, text); };
  // What a list has got in this tile: its own if it begins here, else the tile's head.
  put("const auto leave = [&](int list, const auto& value, long long at) {");
  put("  if (list == 0 && (long long)" + offsets + "[list0] < begin) {");
  put("    " + f.heads + "[blockIdx.x] = value;" +
      (index ? " " + f.head_indexes + "[blockIdx.x] = at;" : ""));
  put("  } else {");
  const std::string place = "[list0 - " + list_origin_ + " + list]";
  put("    " + f.lists + place + " = value;" +
      (index ? " " + f.list_indexes + place + " = at;" : ""));
  put("  }");
  put("};");
  tile_runs(f, in);
  Emitter::line(in, "__syncthreads();");
  Emitter::close(s, "", in);
}

/// Values of several lists: each thread folds a run of them.
void Generator::tile_runs(const TileFold& f, Scope& in) {
  const bool index = !f.indexes.empty();
  auto put = [&](const std::string& text) { Emitter::line(in, text); };
  Accumulator acc = e_.declare(f.acc.column, in);
  const std::string type(Emitter::value_type(f.acc.column));
  // The run of this thread: what ends in it but began before is kept for the end.
  put(type + " head = " + acc.name + "; long long head_at = -1;");
  put("bool ends = false;");
  put("int list = from < items ? list_of[slot(from)] : -1;");
  Scope run = Emitter::inside(in);
  Emitter::line(run, "const int l = list_of[slot(j)];");
  Emitter::line(run, "if (l != list) {");
  Emitter::line(run, "  if (ends || begins || from == 0) leave(list, " + acc.name + ", " +
                         (index ? acc.index : "-1") + ");");
  Emitter::line(run, "  else { head = " + acc.name + ";" +
                         (index ? " head_at = " + acc.index + ";" : "") + " }");
  {
    Scope fresh = Emitter::inside(run);
    const Accumulator empty = e_.declare(f.acc.column, fresh);
    Emitter::line(fresh,
                  acc.name + " = " + empty.name + ";" + (index ? " " + acc.index + " = -1;" : ""));
    run.code += fresh.code;
  }
  Emitter::line(run, "  ends = true;");
  Emitter::line(run, "  list = l;");
  Emitter::line(run, "}");
  e_.join(run, acc, f.values + "[slot(j)]", index ? f.indexes + "[slot(j)]" : "");
  Emitter::close(in, "for (int j = from; j < to; j++)", run);
  // What threads before this one have of the list that goes on into it.
  put(type + " carry = " + acc.name + "; long long carry_at = " + (index ? acc.index : "-1") + ";");
  Accumulator carried{f.acc.column, "carry", index ? "carry_at" : ""};
  put("bool cut = ends || begins || from == 0 || from >= items;");
  put("__shared__ __align__(16) unsigned char warp_room[32 * sizeof(" + type + ")];");
  put(type + "* warp_parts = (" + type + "*)warp_room;");
  put("__shared__ long long warp_at[32];");
  put("__shared__ bool warp_cut[32];");
  put("const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;");
  Scope step = Emitter::inside(in);
  Emitter::line(step, type + " other = sr_lane(~0u, carry, lane - d, 32);");
  Emitter::line(step, "long long at = " +
                          std::string(index ? "sr_lane(~0u, carry_at, lane - d, 32);" : "-1;"));
  Emitter::line(step, "const bool other_cut = __shfl_up_sync(~0u, cut, d);");
  {
    Scope take = Emitter::inside(step);
    // The earlier part first, so that sums are made in order.
    Accumulator earlier{f.acc.column, "other", index ? "at" : ""};
    e_.join(take, earlier, "carry", "carry_at");
    Emitter::line(take, "carry = other;");
    if (index) Emitter::line(take, "carry_at = at;");
    Emitter::close(step, "if (lane >= d && !cut)", take);
  }
  Emitter::line(step, "if (lane >= d) cut = cut || other_cut;");
  Emitter::close(in, "for (int d = 1; d < 32; d *= 2)", step);
  put("if (lane == 31) { warp_parts[warp] = carry; warp_at[warp] = carry_at; warp_cut[warp] = cut; "
      "}");
  put(type + " before = sr_lane(~0u, carry, lane - 1, 32);");
  put("long long before_at = " +
      std::string(index ? "sr_lane(~0u, carry_at, lane - 1, 32);" : "-1;"));
  put("bool before_cut = __shfl_up_sync(~0u, cut, 1);");
  put("__syncthreads();");
  {
    // From earlier warps: at most 7 of them.
    Scope none = Emitter::inside(in);
    const Accumulator empty = e_.declare(f.acc.column, none);
    Emitter::line(none, "before = " + empty.name + "; before_at = -1; before_cut = false;");
    Emitter::close(in, "if (lane == 0)", none);
    Scope back = Emitter::inside(in);
    Emitter::line(back, type + " sum = warp_parts[v];");
    Emitter::line(back, "long long sum_at = warp_at[v];");
    Accumulator sum{f.acc.column, "sum", index ? "sum_at" : ""};
    e_.join(back, sum, "before", "before_at");
    Emitter::line(back, "before = sum; before_at = sum_at; before_cut = warp_cut[v];");
    Emitter::close(in, "for (int v = warp - 1; v >= 0 && !before_cut; v--)", back);
  }
  // The list that this thread's run begins with ends here, or at the end of the tile.
  put("const bool goes_on = to < items && from < items && list_of[slot(to)] == list;");
  put("const int first_list = from < items ? list_of[slot(from)] : -1;");
  {
    Scope done = Emitter::inside(in);
    Accumulator b{f.acc.column, "before", index ? "before_at" : ""};
    e_.join(done, b, "head", "head_at");
    Emitter::line(done, "leave(first_list, before, before_at);");
    Emitter::close(in, "if (ends && !begins && from > 0)", done);
  }
  {
    Scope done = Emitter::inside(in);
    Scope joined = Emitter::inside(done);
    Accumulator b{f.acc.column, "before", index ? "before_at" : ""};
    e_.join(joined, b, acc.name, acc.index);
    Emitter::line(joined,
                  acc.name + " = before;" + (index ? " " + acc.index + " = before_at;" : ""));
    Emitter::close(done, "if (!ends && !begins && from > 0)", joined);
    Emitter::line(done, "leave(list, " + acc.name + ", " + (index ? acc.index : "-1") + ");");
    Emitter::close(in, "if (from < items && !goes_on)", done);
  }
}

/// One thread a list: its parts joined, then the owner's own work.
std::string Generator::tile_join(Walk& w, int c, const std::string& name,
                                 std::vector<TileFold>& folds, int64_t tile, bool sinks_too) {
  const Frame& root = nest_.frames()[w.group.root];
  const SpaceRef& space = nest_.frames()[c].space;
  const StoredExtent e = stored_extent(space), p = stored_extent(root.space);
  const Column& starts = *space->starts;
  const std::string offsets = a_.input(type_text(starts.dtype), starts.buffer.data());
  const std::string stops = a_.input(type_text(space->stops->dtype), space->stops->buffer.data());
  const std::string first = first_item(*space, e.first), n = std::to_string(tile);
  const std::string from = first_item(*root.space, p.first), lists = a_.integer(p.size);
  Scope s;
  auto put = [&](const std::string& text) { Emitter::line(s, text); };
  put("const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;");
  const std::string r = e_.fresh("r");
  put("const long long " + r + " = " + from + " + t;");
  put("const bool is_list = t < " + lists + ";");
  put("const long long start = is_list ? (long long)" + offsets + "[" + r + "] - " + first +
      " : 0;");
  put("const long long stop = is_list ? (long long)" + stops + "[" + r + "] - " + first + " : 0;");
  put("const long long tile0 = start / " + n + ", tile1 = start < stop ? (stop - 1) / " + n +
      " : tile0;");
  if (!folds.empty()) {
    put("__shared__ int long_lists, longs[" + std::to_string(kThreads) + "];");
    put("__shared__ long long long_tiles[2];");
    put("if (threadIdx.x == 0) long_lists = 0;");
    put("__syncthreads();");
    // In the order of threads, so that a list's turn does not depend on chance.
    put("{ long long total; const int at = (int)sr_block_before(tile1 - tile0 > 16, total);");
    put("  if (tile1 - tile0 > 16) longs[at] = threadIdx.x;");
    put("  if (threadIdx.x == 0) long_lists = (int)total; }");
    put("__syncthreads();");
  }
  for (TileFold& f : folds) {
    f.acc = e_.declare(f.acc.column, s);
    const bool index = !f.list_indexes.empty();
    {
      Scope own = Emitter::inside(s);
      Emitter::line(own, f.acc.name + " = " + f.lists + "[t];" +
                             (index ? " " + f.acc.index + " = " + f.list_indexes + "[t];" : ""));
      Scope more = Emitter::inside(own);
      e_.join(more, f.acc, f.heads + "[k]", index ? f.head_indexes + "[k]" : "");
      Emitter::close(own, "if (tile1 - tile0 <= 16) for (long long k = tile0 + 1; k <= tile1; k++)",
                     more);
      Emitter::close(s, "if (start < stop)", own);
    }
    // Long ones by the whole block.
    Scope lng = Emitter::inside(s);
    Emitter::line(lng,
                  "if (threadIdx.x == longs[q]) { long_tiles[0] = tile0; long_tiles[1] = tile1; }");
    Emitter::line(lng, "__syncthreads();");
    Accumulator part = e_.declare(f.acc.column, lng);
    Scope strip = Emitter::inside(lng);
    e_.join(strip, part, f.heads + "[k]", index ? f.head_indexes + "[k]" : "");
    Emitter::close(lng,
                   "#pragma unroll 8\n    for (long long k = long_tiles[0] + 1 + threadIdx.x; k <= "
                   "long_tiles[1]; k += blockDim.x)",
                   strip);
    join_block(part, lng);
    const std::string type(Emitter::value_type(f.acc.column));
    Emitter::line(lng, "__shared__ __align__(16) unsigned char all_room[sizeof(" + type + ")];");
    Emitter::line(lng, "__shared__ long long all_at;");
    Emitter::line(lng, "if (threadIdx.x == 0) { *(" + type + "*)all_room = " + part.name + ";" +
                           (index ? " all_at = " + part.index + ";" : "") + " }");
    Emitter::line(lng, "__syncthreads();");
    Scope get = Emitter::inside(lng);
    e_.join(get, f.acc, "(*(" + type + "*)all_room)", index ? "all_at" : "");
    Emitter::close(lng, "if (threadIdx.x == longs[q])", get);
    Emitter::line(lng, "__syncthreads();");
    Emitter::close(s, "for (int q = 0; q < long_lists; q++)", lng);
  }
  Cursor& unit = e_.unit_cursor(s);
  Scope in = Emitter::inside(s);
  unit.scope = &in;
  std::vector<Asked> asked;
  Cursor& k = owner_cursor(root.space, r, unit, in, asked);
  for (const TileFold& f : folds) {
    if (!sinks_too) {
      Emitter::line(in, f.lists + "[t] = " + f.acc.name + ";");
      if (!f.list_indexes.empty()) Emitter::line(in, f.list_indexes + "[t] = " + f.acc.index + ";");
    }
    e_.remember(f.acc.column, k, in, Emitter::result(f.acc));
  }
  if (sinks_too) {
    folds_.clear();
    if (is_ours(root.id)) sinks(root.id, k, in, {});
  }
  add_asked(asked, in);
  Emitter::close(s, "if (is_list)", in);
  return header(name) + s.code + "}\n";
}

}  // namespace serrate::cuda
