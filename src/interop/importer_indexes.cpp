// Indexes and tags of foreign buffers: categories, indexed contents, options, unions.
#include <algorithm>
#include <type_traits>

#include "graph/evaluate.h"
#include "interop/importer.h"
#include "serrate/error.h"

namespace serrate::interop {

using graph::ColumnRef;
using graph::NodeRef;
using graph::SpaceRef;

namespace {

ColumnRef index_column(const Form& f, const Buffer& b, const SpaceRef& s) {
  return graph::cast(graph::stored_column(b, f.index, s), DType::int64);
}

bool is_categorical(const Form& f) { return f.parameter("__array__") == "\"categorical\""; }

Parameters without_array(const Form& f) {
  Parameters p = f.parameters;
  std::erase_if(p, [](const auto& kv) { return kv.first == "__array__"; });
  return p;
}

Buffer not_negative(const Buffer& b, DType t, int64_t n) {
  return with_items(b, t, [&](const auto* index) {
    using T = std::remove_cvref_t<decltype(*index)>;
    void* out = nullptr;
    Buffer copy = Buffer::allocate(n * static_cast<int64_t>(sizeof(T)), &out);
    for (int64_t i = 0; i < n; ++i) static_cast<T*>(out)[i] = std::max<T>(index[i], 0);
    return copy;
  });
}

}  // namespace

Importer::Index Importer::get_index(const Form& f, int64_t n, bool optional) const {
  Index x;
  x.buffer = get(f, "index", f.index, n);
  void* out = nullptr;
  if (optional) x.valid = Buffer::allocate(n, &out);
  auto* valid = static_cast<uint8_t*>(out);
  with_items(x.buffer, f.index, [&](const auto* index) {
    int64_t largest = -1;
    bool identity = true;
    for (int64_t i = 0; i < n; ++i) {
      const auto k = static_cast<int64_t>(index[i]);
      if (optional) valid[i] = k >= 0;
      check<ValueError>(optional || k >= 0, "from_buffers: index {} of {} is {}", i, f.describe(),
                        k);
      identity &= k == i || k < 0;
      largest = std::max(largest, k);
    }
    check<ValueError>(largest < kMaxItems, "from_buffers: {} has an index {}", f.describe(),
                      largest);
    x.length = largest + 1;
    x.identity = identity;
  });
  return x;
}

int64_t Importer::items_in_buffers(const Form& f) const {
  const auto count = [&](const char* attribute, int64_t item) {
    return container_(key_(f.form_key.empty() ? "None" : f.form_key, attribute)).bytes() / item;
  };
  switch (f.kind) {
    case FormClass::empty:
      return 0;
    case FormClass::numpy: {
      int64_t item = itemsize(f.dtype);
      for (const int64_t size : f.inner_shape) item *= size;
      return item == 0 ? -1 : count("data", item);
    }
    case FormClass::regular: {
      const int64_t items = f.size == 0 ? -1 : items_in_buffers(f.contents[0]);
      return items < 0 ? -1 : items / f.size;
    }
    case FormClass::list:
      return count("starts", itemsize(f.index));
    case FormClass::list_offset:
      return std::max<int64_t>(0, count("offsets", itemsize(f.index)) - 1);
    case FormClass::record: {
      int64_t fewest = -1;
      for (const Form& c : f.contents) {
        const int64_t items = items_in_buffers(c);
        if (items >= 0 && (fewest < 0 || items < fewest)) fewest = items;
      }
      return fewest;
    }
    case FormClass::indexed:
    case FormClass::indexed_option:
      return count("index", itemsize(f.index));
    case FormClass::byte_masked:
      return count("mask", 1);
    case FormClass::bit_masked:
    case FormClass::unmasked:
      return items_in_buffers(f.contents[0]);
    case FormClass::union_:
      return count("tags", 1);
  }
  return -1;
}

NodeRef Importer::category(const Form& f, const Index& x, const SpaceRef& s) const {
  auto* n = new graph::Node;
  const NodeRef out(n);
  n->kind = graph::NodeKind::categorical;
  const int64_t all = how_.whole ? items_in_buffers(f.contents[0]) : -1;
  const int64_t length = std::max(x.length, all);
  n->space = graph::rows(length);
  n->column = graph::stored_column(x.buffer, f.index, s);
  n->contents = {build(f.contents[0], length, n->space)};
  return out;
}

NodeRef Importer::indexed(const Form& f, int64_t n, const SpaceRef& s) const {
  const Index x = get_index(f, n, false);
  if (is_categorical(f)) return category(f, x, s);
  if (x.identity && x.length == n) return with_parameters_of(f, build(f.contents[0], n, s));
  const SpaceRef rows = graph::rows(x.length);
  return with_parameters_of(f, graph::rebase_pick(build(f.contents[0], x.length, rows), s, rows,
                                                  index_column(f, x.buffer, s)));
}

NodeRef Importer::indexed_option(const Form& f, int64_t n, const SpaceRef& s) const {
  const Index x = get_index(f, n, true);
  const ColumnRef valid = graph::stored_column(x.valid, DType::boolean, s);
  if (is_categorical(f)) {
    // The categories stay reachable where nothing is missing, whatever the index says elsewhere.
    Index safe = x;
    if (x.length > 0) safe.buffer = not_negative(x.buffer, f.index, n);
    Form plain = f;
    plain.parameters = without_array(f);
    return option_of(plain, valid, category(f, safe, s));
  }
  if (x.identity && x.length == n) return option_of(f, valid, build(f.contents[0], n, s));
  if (x.length == 0 && f.contents[0].kind == FormClass::empty)
    return option_of(f, valid, graph::unknown_node());
  const SpaceRef rows = graph::rows(x.length);
  return option_of(f, valid,
                   graph::rebase_pick(build(f.contents[0], x.length, rows), s, rows,
                                      index_column(f, x.buffer, s), valid));
}

NodeRef Importer::union_of(const Form& f, int64_t n, const SpaceRef& s) const {
  const Buffer tags = get(f, "tags", DType::int8, n), index = get(f, "index", f.index, n);
  const auto count = static_cast<int64_t>(f.contents.size());
  std::vector<int64_t> lengths(f.contents.size(), 0);
  const auto* tag = tags.as<int8_t>();
  with_items(index, f.index, [&](const auto* k) {
    for (int64_t i = 0; i < n; ++i) {
      check<ValueError>(tag[i] >= 0 && tag[i] < count,
                        "from_buffers: tag {} of {} is {}, there are {} contents", i, f.describe(),
                        static_cast<int>(tag[i]), count);
      check<ValueError>(k[i] >= 0 && k[i] < kMaxItems, "from_buffers: index {} of {} is {}", i,
                        f.describe(), k[i]);
      auto& length = lengths[static_cast<size_t>(tag[i])];
      length = std::max(length, static_cast<int64_t>(k[i]) + 1);
    }
  });
  const ColumnRef tag_column = graph::stored_column(tags, DType::int8, s);
  const ColumnRef index_c = index_column(f, index, s);
  std::vector<NodeRef> contents;
  for (size_t i = 0; i < f.contents.size(); ++i) {
    const SpaceRef rows = graph::rows(lengths[i]);
    const ColumnRef mine = graph::apply(
        Op::equal, {tag_column, graph::constant(Scalar::of(static_cast<int64_t>(i), DType::int8))});
    contents.push_back(
        graph::rebase_pick(build(f.contents[i], lengths[i], rows), s, rows, index_c, mine));
  }
  return graph::union_node(tag_column, std::move(contents), f.parameters);
}

}  // namespace serrate::interop
