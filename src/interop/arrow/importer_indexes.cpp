// Importing Arrow's unions, dictionaries and run-end encoded arrays.
#include <algorithm>
#include <array>

#include "graph/backend.h"
#include "graph/evaluate.h"
#include "graph/limits.h"
#include "interop/arrow/importer.h"
#include "serrate/error.h"

namespace serrate::interop::arrow {

using graph::apply;
using graph::ColumnRef;
using graph::constant;
using graph::NodeRef;
using graph::SpaceRef;

NodeRef Importer::union_of(const Field& f, const Items& x) const {
  const size_t count = f.children.size();
  if (count == 0) {
    check<ValueError>(x.n == 0, "from_arrow: {} has {} items, but no types", f, x.n);
    return graph::unknown_node();
  }
  const bool dense = f.kind == Kind::dense_union;
  std::array<int8_t, 256> position{};
  position.fill(-1);
  bool same = true;
  for (size_t i = 0; i < count; ++i) {
    position[static_cast<size_t>(f.type_codes[i])] = static_cast<int8_t>(i);
    same &= f.type_codes[i] == static_cast<int>(i);
  }
  Buffer tags = memory(f, x, 0, DType::int8);
  const Buffer index = dense ? memory(f, x, 1, DType::int32) : Buffer();
  const Buffer host_tags = graph::to_host(tags);
  const Buffer host_index = dense ? graph::to_host(index) : Buffer();
  std::vector<int64_t> lengths(count, 0);
  void* made = nullptr;
  const Buffer mapped = same ? Buffer() : Buffer::allocate(x.n, &made);
  for (int64_t i = 0; i < x.n; ++i) {
    const int8_t p = position[static_cast<uint8_t>(host_tags.as<int8_t>()[i])];
    check<ValueError>(p >= 0, "from_arrow: item {} of {} has type code {}, which is none of its", i,
                      f, static_cast<int>(host_tags.as<int8_t>()[i]));
    if (!same) static_cast<int8_t*>(made)[i] = p;
    if (!dense) continue;
    const int64_t k = host_index.as<int32_t>()[i], most = x.child(p)->length;
    check<ValueError>(k >= 0 && k < most,
                      "from_arrow: item {} of {} is item {} of its type, which has {}", i, f, k,
                      most);
    lengths[static_cast<size_t>(p)] = std::max(lengths[static_cast<size_t>(p)], k + 1);
  }
  if (!same) tags = placed(mapped);
  const ColumnRef tag = graph::stored_column(tags, DType::int8, x.s);
  const ColumnRef at =
      dense ? graph::cast(graph::stored_column(index, DType::int32, x.s), DType::int64)
            : ColumnRef();
  std::vector<NodeRef> contents;
  for (size_t i = 0; i < count; ++i) {
    const ArrowArray* child = x.child(static_cast<int64_t>(i));
    if (!dense) {
      contents.push_back(build(f.children[i], {child, x.begin(), x.n, x.s}));
      continue;
    }
    const SpaceRef rows = graph::rows(lengths[i]);
    const ColumnRef mine =
        apply(Op::equal, {tag, constant(Scalar::of(static_cast<int64_t>(i), DType::int8))});
    contents.push_back(graph::rebase_pick(build(f.children[i], {child, 0, lengths[i], rows}), x.s,
                                          rows, at, mine));
  }
  if (count == 1) return contents[0];
  return graph::union_node(tag, std::move(contents), parameters_of(f));
}

NodeRef Importer::dictionary(const Field& f, const Items& x, const ColumnRef& valid) const {
  const DType t = f.stored;
  Buffer index = memory(f, x, 1, t);
  const ArrowArray* values = x.array == nullptr ? nullptr : x.array->dictionary;
  const int64_t length = values == nullptr ? 0 : values->length;
  const SpaceRef rows = graph::rows(std::max<int64_t>(0, length));
  const NodeRef content = build(f.dictionary[0], {values, 0, rows->size, rows}, Place::top);
  const Buffer host = graph::to_host(index);
  // What is missing may have any index.
  const bool some = valid && x.n > 0 && x.array->buffers[0] != nullptr;
  const int64_t begin = x.begin();
  const Buffer there =
      some ? graph::to_host(memory(f, x, 0, begin >> 3, ((begin & 7) + x.n + 7) >> 3, 1, 1))
           : Buffer();
  const auto is_valid = [&](int64_t i) {
    const int64_t k = i + (begin & 7);
    return !some || (there.as<uint8_t>()[k >> 3] >> (k & 7) & 1) != 0;
  };
  bool outside = false;
  with_integers(host, t, [&](const auto* p) {
    for (int64_t i = 0; i < x.n; ++i) {
      const auto k = static_cast<int64_t>(p[i]);
      if (k >= 0 && k < length) [[likely]]
        continue;
      outside = true;
      check<ValueError>(!is_valid(i),
                        "from_arrow: item {} of {} has index {}, but the dictionary has {} values",
                        i, f, k, length);
    }
  });
  const bool kept = t != DType::uint64 && !outside;
  if (!kept) {
    void* made = nullptr;
    const Buffer safe = Buffer::allocate(x.n * 8, &made);
    with_integers(host, t, [&](const auto* p) {
      for (int64_t i = 0; i < x.n; ++i) {
        const auto k = static_cast<int64_t>(p[i]);
        static_cast<int64_t*>(made)[i] = k >= 0 && k < length ? k : 0;
      }
    });
    index = placed(safe);
  }
  const DType index_type = kept ? t : DType::int64;
  const ColumnRef column = graph::stored_column(index, index_type, x.s);
  const bool none_to_choose = length == 0 && x.n > 0;
  if (none_to_choose || content->kind == graph::NodeKind::option) {
    // All items are missing, or what is chosen may be missing: these are the values.
    return graph::rebase_pick(content, x.s, rows, graph::cast(column, DType::int64),
                              none_to_choose ? constant(Scalar::boolean(false)) : ColumnRef());
  }
  auto* n = new graph::Node;
  const NodeRef out(n);
  n->kind = graph::NodeKind::categorical;
  n->space = rows;
  n->column = column;
  n->contents = {content};
  return out;
}

NodeRef Importer::run_ends(const Field& f, const Items& x) const {
  const Field &ends_field = f.children[0], &values_field = f.children[1];
  const ArrowArray *ends = x.child(0), *values = x.child(1);
  const int64_t runs = ends == nullptr ? 0 : ends->length;
  void* made = nullptr;
  const Buffer index = Buffer::allocate(x.n * 8, &made);
  int64_t used = 0;
  if (x.n > 0) {
    check<ValueError>(runs > 0 && runs <= graph::kMaxItems,
                      "from_arrow: {} has {} items, but {} runs", f, x.n, runs);
    const Items all{ends, 0, runs, x.s};
    check_array(ends_field, all);
    const DType t = ends_field.stored;
    const Buffer host = graph::to_host(memory(ends_field, all, 1, t));
    const auto expand = [&](const auto* end) {
      int64_t before = 0;
      for (int64_t r = 0; r < runs; ++r) {
        check<ValueError>(end[r] > before, "from_arrow: run {} of {} ends at {}, behind {}", r, f,
                          end[r], before);
        before = static_cast<int64_t>(end[r]);
      }
      const int64_t begin = x.begin();
      check<ValueError>(before >= begin + x.n, "from_arrow: the runs of {} end at {}, before {}", f,
                        before, begin + x.n);
      int64_t r = std::upper_bound(end, end + runs, begin) - end;
      for (int64_t i = 0; i < x.n; ++i) {
        while (end[r] <= begin + i) ++r;
        static_cast<int64_t*>(made)[i] = r;
      }
      used = r + 1;
    };
    t == DType::int16   ? expand(host.as<int16_t>())
    : t == DType::int32 ? expand(host.as<int32_t>())
                        : expand(host.as<int64_t>());
  }
  const SpaceRef rows = graph::rows(used);
  const NodeRef content = build(values_field, {values, 0, used, rows});
  return graph::rebase_pick(content, x.s, rows,
                            graph::stored_column(placed(index), DType::int64, x.s));
}

}  // namespace serrate::interop::arrow
