// Lists of foreign buffers: by offsets, or by starts and stops.
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

constexpr int64_t kMostUsed = int64_t{1} << 30;  // positions of which is noted whether they are

}  // namespace

Buffer Importer::get_offsets(const Form& f, int64_t n) const {
  if (n == 0) {
    // No lists: the one offset has nothing to say, and is not always there.
    static constexpr int64_t zero[2] = {0, 0};
    return Buffer(zero, 2 * itemsize(f.index), nullptr);
  }
  return get(f, "offsets", f.index, n + 1);
}

int64_t Importer::check_offsets(const Form& f, const Buffer& b, int64_t n) const {
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

NodeRef Importer::offset_lists(const Form& f, int64_t n, const SpaceRef& s) const {
  const Buffer offsets = get_offsets(f, n);
  const int64_t length = check_offsets(f, offsets, n);
  const SpaceRef child = graph::stored_list(s, offsets, f.index);
  return graph::list_node(child, build(f.contents[0], length, child), -1, f.parameters);
}

NodeRef Importer::lists(const Form& f, int64_t n, const SpaceRef& s) const {
  const Buffer starts = get(f, "starts", f.index, n), stops = get(f, "stops", f.index, n);
  int64_t length = 0;
  with_items(starts, f.index, [&](const auto* a) {
    const auto* b = stops.as<std::remove_cvref_t<decltype(*a)>>();
    for (int64_t i = 0; i < n; ++i) {
      if (a[i] == b[i]) continue;  // an empty list may point anywhere
      check<ValueError>(a[i] >= 0 && a[i] < b[i],
                        "from_buffers: list {} of {} starts at {} and stops at {}", i, f.describe(),
                        a[i], b[i]);
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

NodeRef Importer::used_lists(const Form& f, int64_t n, const SpaceRef& s, const Used& used) const {
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
                        "from_buffers: list {} of {} starts at {} and stops at {}", i, f.describe(),
                        a[i], b[i]);
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

}  // namespace serrate::interop
