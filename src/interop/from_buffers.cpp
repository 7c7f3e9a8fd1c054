// Arrays over foreign buffers: everything is checked while the tree is made, nothing is copied that
// can be used as it is.
#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include "cuda/device.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "interop/foreign.h"
#include "interop/form.h"
#include "serrate/error.h"
#include "serrate/io.h"

namespace serrate {
namespace interop {
namespace {

using graph::ColumnRef;
using graph::NodeRef;
using graph::SpaceRef;

constexpr int64_t kMaxLength = int64_t{1} << 56;  // so that bytes never overflow
constexpr int64_t kMostUsed = int64_t{1} << 30;   // positions of which is noted whether they are

int64_t times(int64_t n, int64_t size, const Form& f) {
  check<ValueError>(size == 0 || n <= kMaxLength / size, "from_buffers: {} has too many items",
                    f.describe());
  return n * size;
}

// Calls g with the items of an index buffer.
template <class G>
auto with_items(const Buffer& b, DType t, G&& g) {
  switch (t) {
    case DType::int32:
      return g(b.as<int32_t>());
    case DType::uint32:
      return g(b.as<uint32_t>());
    default:
      return g(b.as<int64_t>());
  }
}

class Importer {
 public:
  // Which positions belong to some list above; null: all.
  using Used = std::shared_ptr<const std::vector<bool>>;

  Importer(const Container& container, const BufferKey& key, ByteOrder order, bool leave_numbers,
           bool only_used)
      : container_(container),
        key_(key),
        swap_(order == ByteOrder::big),
        leave_numbers_(leave_numbers),
        only_used_(only_used) {}

  // Values at positions 0 .. n - 1 of the domain of s.
  NodeRef build(const Form& f, int64_t n, const SpaceRef& s, const Used& used = {}) const {
    check<ValueError>(n <= kMaxLength, "from_buffers: {} would have {} items", f.describe(), n);
    switch (f.kind) {
      case FormClass::empty:
        check<ValueError>(n == 0, "from_buffers: {} has no values, but {} are expected",
                          f.describe(), n);
        return graph::unknown_node();
      case FormClass::numpy:
        return numbers(f, n, s);
      case FormClass::regular: {
        const SpaceRef child = graph::stored_fixed(s, f.size);
        return graph::list_node(child, build(f.contents[0], times(n, f.size, f), child), f.size,
                                f.parameters);
      }
      case FormClass::list:
        return only_used_ ? used_lists(f, n, s, used) : lists(f, n, s);
      case FormClass::list_offset: {
        if (only_used_) return used_lists(f, n, s, used);
        const Buffer offsets = get_offsets(f, n);
        const int64_t length = check_offsets(f, offsets, n);
        const SpaceRef child = graph::stored_list(s, offsets, f.index);
        return graph::list_node(child, build(f.contents[0], length, child), -1, f.parameters);
      }
      case FormClass::record: {
        std::vector<NodeRef> contents;
        for (const auto& c : f.contents) contents.push_back(build(c, n, s, used));
        if (f.is_tuple) return graph::tuple_node(std::move(contents), f.parameters);
        return graph::record_node(f.fields, std::move(contents), f.parameters);
      }
      case FormClass::indexed:
        return indexed(f, n, s);
      case FormClass::indexed_option:
        return indexed_option(f, n, s);
      case FormClass::byte_masked:
      case FormClass::bit_masked: {
        const Buffer valid = f.kind == FormClass::byte_masked ? byte_mask(f, n) : bit_mask(f, n);
        return option(f, graph::stored_column(valid, DType::boolean, s),
                      build(f.contents[0], n, s));
      }
      case FormClass::unmasked:
        return option(f, graph::constant(Scalar::boolean(true)), build(f.contents[0], n, s));
      case FormClass::union_:
        return union_of(f, n, s);
    }
    return graph::unknown_node();
  }

  /// Whether a buffer was on the GPU.
  bool used_gpu() const { return used_gpu_; }

 private:
  // The first n items of a buffer, in this machine's byte order.
  Buffer get(const Form& f, const char* attribute, DType t, int64_t n) const {
    // As Awkward, which formats Python's None.
    const std::string name = key_(f.form_key.empty() ? "None" : f.form_key, attribute);
    Buffer b = container_(name);
    const int64_t need = n * itemsize(t);
    check<ValueError>(b.bytes() >= need,
                      "from_buffers: buffer \"{}\" ({} of {}) is too short: {} items of {} need {} "
                      "bytes, found {}",
                      name, attribute, f.describe(), n, serrate::name(t), need, b.bytes());
    if (b.bytes() != need) b = b.slice(0, need);
    if (b.device() == Device::cuda) {
      used_gpu_ = true;
      // What must be looked at to be checked is looked at on the host.
      const bool plain =
          std::string_view(attribute) == "data" && t != DType::boolean && !swap_ &&
          reinterpret_cast<uintptr_t>(b.data()) % static_cast<uintptr_t>(itemsize(t)) == 0;
      if (leave_numbers_ && plain) return b;
      b = cuda::to_host(b);
    }
    return usable(b, t, swap_);
  }

  Buffer get_offsets(const Form& f, int64_t n) const {
    if (n == 0) {
      // No lists: the one offset has nothing to say, and is not always there.
      static constexpr int64_t zero[2] = {0, 0};
      return Buffer(zero, 2 * itemsize(f.index), nullptr);
    }
    return get(f, "offsets", f.index, n + 1);
  }

  int64_t check_offsets(const Form& f, const Buffer& b, int64_t n) const {
    return with_items(b, f.index, [&](const auto* o) -> int64_t {
      bool bad = o[0] < 0;
      for (int64_t i = 0; i < n; ++i) bad |= o[i + 1] < o[i];
      if (bad) {
        check<ValueError>(o[0] >= 0, "from_buffers: offsets of {} start at {}", f.describe(), o[0]);
        int64_t i = 0;
        while (o[i + 1] >= o[i]) ++i;
        throw ValueError(fmt::format("from_buffers: offsets of {} decrease at {}: {}, {}",
                                     f.describe(), i, o[i], o[i + 1]));
      }
      return n == 0 ? 0 : static_cast<int64_t>(o[n]);
    });
  }

  NodeRef numbers(const Form& f, int64_t n, SpaceRef s) const {
    std::vector<SpaceRef> levels;
    for (const int64_t size : f.inner_shape) {
      n = times(n, size, f);
      s = graph::stored_fixed(s, size);
      levels.push_back(s);
    }
    Buffer data = get(f, "data", f.dtype, n);
    if (f.dtype == DType::boolean) data = zeros_and_ones(data, true);
    // Parameters belong to the outermost level.
    NodeRef out = graph::leaf(graph::stored_column(data, f.dtype, s), f.unit,
                              levels.empty() ? f.parameters : Parameters{});
    for (size_t i = levels.size(); i-- > 0;)
      out =
          graph::list_node(levels[i], out, f.inner_shape[i], i == 0 ? f.parameters : Parameters{});
    return out;
  }

  NodeRef lists(const Form& f, int64_t n, const SpaceRef& s) const {
    const Buffer starts = get(f, "starts", f.index, n), stops = get(f, "stops", f.index, n);
    int64_t length = 0;
    with_items(starts, f.index, [&](const auto* a) {
      const auto* b = stops.as<std::remove_cvref_t<decltype(*a)>>();
      for (int64_t i = 0; i < n; ++i) {
        if (a[i] == b[i]) continue;  // an empty list may point anywhere
        check<ValueError>(a[i] >= 0 && a[i] < b[i],
                          "from_buffers: list {} of {} starts at {} and stops at {}", i,
                          f.describe(), a[i], b[i]);
        length = std::max(length, static_cast<int64_t>(b[i]));
      }
    });
    const auto column = [&](const Buffer& b) {
      const ColumnRef c = graph::stored_column(b, f.index, s);
      return f.index == DType::uint32 ? graph::cast(c, DType::int64) : c;
    };
    const SpaceRef child = graph::list(s, column(starts), column(stops));
    return graph::list_node(child, build(f.contents[0], length, child), -1, f.parameters);
  }

  // Lists of which only those that belong to lists above need to make sense: others are empty.
  NodeRef used_lists(const Form& f, int64_t n, const SpaceRef& s, const Used& used) const {
    const bool offsets = f.kind == FormClass::list_offset;
    const Buffer from = offsets ? get_offsets(f, n) : get(f, "starts", f.index, n);
    const Buffer to = offsets ? from.slice(itemsize(f.index)) : get(f, "stops", f.index, n);
    std::vector<int64_t> starts(static_cast<size_t>(n)), stops(starts);
    int64_t length = 0;
    with_items(from, f.index, [&](const auto* a) {
      const auto* b = to.as<std::remove_cvref_t<decltype(*a)>>();
      for (size_t i = 0; i < starts.size(); ++i) {
        if ((used && !(*used)[i]) || a[i] == b[i]) continue;
        check<ValueError>(a[i] >= 0 && a[i] < b[i] && b[i] <= kMostUsed,
                          "from_buffers: list {} of {} starts at {} and stops at {}", i,
                          f.describe(), a[i], b[i]);
        starts[i] = static_cast<int64_t>(a[i]);
        stops[i] = static_cast<int64_t>(b[i]);
        length = std::max(length, stops[i]);
      }
    });
    const auto below = std::make_shared<std::vector<bool>>(static_cast<size_t>(length));
    for (size_t i = 0; i < starts.size(); ++i)
      std::fill(below->begin() + starts[i], below->begin() + stops[i], true);
    const auto column = [&](const std::vector<int64_t>& v) {
      return graph::stored_column(Buffer::copy_of(v.data(), 8 * n), DType::int64, s);
    };
    const SpaceRef child = graph::list(s, column(starts), column(stops));
    return graph::list_node(child, build(f.contents[0], length, child, below), -1, f.parameters);
  }

  // -- indexes --
  struct Index {
    Buffer buffer;
    Buffer valid;          // bytes: index >= 0; made for options
    int64_t length = 0;    // of the content: the largest index and one
    bool identity = true;  // item i is content i wherever there is one
  };

  Index get_index(const Form& f, int64_t n, bool optional) const {
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
      check<ValueError>(largest < kMaxLength, "from_buffers: {} has an index {}", f.describe(),
                        largest);
      x.length = largest + 1;
      x.identity = identity;
    });
    return x;
  }

  ColumnRef index_column(const Form& f, const Buffer& b, const SpaceRef& s) const {
    return graph::cast(graph::stored_column(b, f.index, s), DType::int64);
  }

  static bool is_categorical(const Form& f) {
    return f.parameter("__array__") == "\"categorical\"";
  }
  static Parameters without_array(const Form& f) {
    Parameters p = f.parameters;
    std::erase_if(p, [](const auto& kv) { return kv.first == "__array__"; });
    return p;
  }

  // Values of the content over rows of their own, chosen by an index.
  NodeRef category(const Form& f, const Index& x, const SpaceRef& s) const {
    auto* n = new graph::Node;
    const NodeRef out(n);
    n->kind = graph::NodeKind::categorical;
    n->space = graph::rows(x.length);
    n->column = graph::stored_column(x.buffer, f.index, s);
    n->contents = {build(f.contents[0], x.length, n->space)};
    return out;
  }

  NodeRef indexed(const Form& f, int64_t n, const SpaceRef& s) const {
    const Index x = get_index(f, n, false);
    if (is_categorical(f)) return category(f, x, s);
    if (x.identity && x.length == n) return with(f.parameters, build(f.contents[0], n, s));
    const SpaceRef rows = graph::rows(x.length);
    return with(f.parameters, graph::rebase_pick(build(f.contents[0], x.length, rows), s, rows,
                                                 index_column(f, x.buffer, s)));
  }

  NodeRef indexed_option(const Form& f, int64_t n, const SpaceRef& s) const {
    const Index x = get_index(f, n, true);
    const ColumnRef valid = graph::stored_column(x.valid, DType::boolean, s);
    if (is_categorical(f)) {
      // The categories stay reachable where nothing is missing, whatever the index says elsewhere.
      Index safe = x;
      if (x.length > 0) safe.buffer = not_negative(x.buffer, f.index, n);
      Form plain = f;
      plain.parameters = without_array(f);
      return option(plain, valid, category(f, safe, s));
    }
    if (x.identity && x.length == n) return option(f, valid, build(f.contents[0], n, s));
    if (x.length == 0 && f.contents[0].kind == FormClass::empty)
      return option(f, valid, graph::unknown_node());
    const SpaceRef rows = graph::rows(x.length);
    return option(f, valid,
                  graph::rebase_pick(build(f.contents[0], x.length, rows), s, rows,
                                     index_column(f, x.buffer, s), valid));
  }

  static Buffer not_negative(const Buffer& b, DType t, int64_t n) {
    return with_items(b, t, [&](const auto* index) {
      using T = std::remove_cvref_t<decltype(*index)>;
      void* out = nullptr;
      Buffer copy = Buffer::allocate(n * static_cast<int64_t>(sizeof(T)), &out);
      for (int64_t i = 0; i < n; ++i) static_cast<T*>(out)[i] = std::max<T>(index[i], 0);
      return copy;
    });
  }

  // -- options --
  static NodeRef with(const Parameters& p, const NodeRef& n) {
    if (p.empty()) return n;
    auto* copy = new graph::Node(*n);
    for (const auto& [key, json] : p) {
      std::erase_if(copy->parameters, [&k = key](const auto& kv) { return kv.first == k; });
      copy->parameters.emplace_back(key, json);
    }
    return copy;
  }
  static NodeRef option(const Form& f, const ColumnRef& valid, const NodeRef& content) {
    return with(f.parameters, graph::option_node(valid, content));
  }

  Buffer byte_mask(const Form& f, int64_t n) const {
    return zeros_and_ones(get(f, "mask", DType::int8, n), f.valid_when);
  }

  Buffer bit_mask(const Form& f, int64_t n) const {
    const Buffer bits = get(f, "mask", DType::uint8, (n + 7) / 8);
    void* out = nullptr;
    Buffer valid = Buffer::allocate(n, &out);
    const auto* in = bits.as<uint8_t>();
    for (int64_t i = 0; i < n; ++i) {
      const int shift = static_cast<int>(f.lsb_order ? i & 7 : 7 - (i & 7));
      static_cast<uint8_t*>(out)[i] = ((in[i >> 3] >> shift & 1) != 0) == f.valid_when;
    }
    return valid;
  }

  // -- unions --
  NodeRef union_of(const Form& f, int64_t n, const SpaceRef& s) const {
    const Buffer tags = get(f, "tags", DType::int8, n), index = get(f, "index", f.index, n);
    const auto count = static_cast<int64_t>(f.contents.size());
    std::vector<int64_t> lengths(f.contents.size(), 0);
    const auto* tag = tags.as<int8_t>();
    with_items(index, f.index, [&](const auto* k) {
      for (int64_t i = 0; i < n; ++i) {
        check<ValueError>(tag[i] >= 0 && tag[i] < count,
                          "from_buffers: tag {} of {} is {}, there are {} contents", i,
                          f.describe(), static_cast<int>(tag[i]), count);
        check<ValueError>(k[i] >= 0 && k[i] < kMaxLength, "from_buffers: index {} of {} is {}", i,
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
          Op::equal,
          {tag_column, graph::constant(Scalar::of(static_cast<int64_t>(i), DType::int8))});
      contents.push_back(
          graph::rebase_pick(build(f.contents[i], lengths[i], rows), s, rows, index_c, mine));
    }
    return graph::union_node(tag_column, std::move(contents), f.parameters);
  }

  const Container& container_;
  const BufferKey& key_;
  bool swap_;
  bool leave_numbers_, only_used_;
  mutable bool used_gpu_ = false;
};

bool has_categories(const graph::Node& n) {
  return n.kind == graph::NodeKind::categorical ||
         std::any_of(n.contents.begin(), n.contents.end(),
                     [](const NodeRef& c) { return has_categories(*c); });
}

/// Lists in lists.
bool has_lists(const Form& f, bool inside = false) {
  const bool is_list = f.kind == FormClass::list || f.kind == FormClass::list_offset;
  return (inside && is_list) ||
         std::any_of(f.contents.begin(), f.contents.end(),
                     [&](const Form& c) { return has_lists(c, inside || is_list); });
}

}  // namespace
}  // namespace interop

Array from_buffers(std::string_view form_json, int64_t length, const Container& container,
                   const BufferKey& key, ByteOrder byteorder) {
  check<ValueError>(length >= 0, "from_buffers: expected a length, got {}", length);
  const interop::Form form = interop::parse_form(form_json);
  auto build = [&](bool leave_numbers, bool* on_gpu, bool only_used) {
    const graph::SpaceRef rows = graph::rows(length);
    const interop::Importer importer(container, key, byteorder, leave_numbers, only_used);
    graph::NodeRef root = graph::list_node(rows, importer.build(form, length, rows));
    graph::type_of(*root);  // a form too deep for a type is refused here
    *on_gpu = importer.used_gpu();
    return root;
  };
  bool on_gpu = false, only_used = false;
  graph::NodeRef root;
  try {
    root = build(true, &on_gpu, only_used);
  } catch (const ValueError&) {
    // Something may be wrong with lists that no list above holds.
    if (!interop::has_lists(form)) throw;
    only_used = true;
    root = build(true, &on_gpu, only_used);
  }
  if (!on_gpu) return Array(std::move(root));
  // Numbers are used where they are; what is to be computed of the structure, and categories, is
  // computed on the host.
  if (!graph::is_stored(*root) || interop::has_categories(*root))
    root = graph::evaluate(build(false, &on_gpu, only_used));
  return Array(graph::move_stored(root, Device::cuda));
}

}  // namespace serrate
