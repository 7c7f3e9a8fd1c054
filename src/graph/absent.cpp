// Columns that were not read: their buffers lie where nothing can.
#include "graph/absent.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <unordered_set>

#include "graph/below.h"
#include "serrate/error.h"

namespace serrate::graph {

namespace {

/// An address of its own, so that two columns are not taken for one, and room enough for any index.
Buffer absent_buffer(std::string path, Device d) {
  static std::atomic<uintptr_t> next{0};
  constexpr uintptr_t kColumns = 1U << 20;
  constexpr int64_t kRoom = int64_t{1} << 40;
  const uintptr_t number = next.fetch_add(1, std::memory_order_relaxed) % kColumns;
  const uintptr_t address = kAbsentFrom + number * kRoom;
  return {reinterpret_cast<const void*>(address), kRoom,
          std::make_shared<const std::string>(std::move(path)), d};
}

/// Not a plain load, which would pass for stored.
ColumnRef absent_column(DType t, const SpaceRef& space, const std::string& path, Device d) {
  const Buffer b = absent_buffer(path, d);
  return load(b, t, load(b, DType::int64, position(space)));
}

NodeRef absent_list(const Node& like, const SpaceRef& space, const std::string& path, Device d) {
  const std::string inside = is_string(like) ? path : "*" + path;
  ColumnRef starts = absent_column(DType::int64, space, inside, d);
  const SpaceRef child = like.size >= 0 ? fixed(space, std::move(starts), like.size)
                                        : list(space, std::move(starts),
                                               absent_column(DType::int64, space, inside, d));
  return list_node(child, absent_node(*like.contents[0], child, path, d), like.size,
                   like.parameters);
}

/// The lists of fields that have the same lengths, once one of them is known.
class ListsOfGroups {
 public:
  explicit ListsOfGroups(const EqualLists& groups) : groups_(groups), lists_(groups.size()) {}

  /// Those of a field's group; none if it has no group, or no lists.
  SpaceRef* of(const Node& like, const std::string& field) {
    if (like.kind != NodeKind::list || like.size >= 0 || is_string(like)) return nullptr;
    for (size_t g = 0; g < groups_.size(); ++g)
      if (std::find(groups_[g].begin(), groups_[g].end(), field) != groups_[g].end())
        return &lists_[g];
    return nullptr;
  }

 private:
  const EqualLists& groups_;
  std::vector<SpaceRef> lists_;
};

/// A field of which nothing was read, over the lists of its group.
NodeRef absent_field(const Node& like, const SpaceRef& space, const std::string& path, Device d,
                     SpaceRef* lists) {
  if (lists != nullptr && *lists)
    return list_node(*lists, absent_node(*like.contents[0], *lists, path, d), like.size,
                     like.parameters);
  NodeRef made = absent_node(like, space, path, d);
  if (lists != nullptr) *lists = made->space;
  return made;
}

/// The spaces and columns of trees, each once.
class Walk {
 public:
  void node(const Node& n) {
    if (n.column) add(n.column);
    if (n.space) add(n.space);
    for (const NodeRef& c : n.contents) node(*c);
  }
  std::vector<std::string> paths() {
    while (!todo_.empty()) {
      const auto next = todo_.back();
      todo_.pop_back();
      if (next.column) visit(*next.column);
      if (next.space) each_below(*next.space, [&](const auto& x) { add(x); });
    }
    return std::move(paths_);
  }

 private:
  struct Item {
    ColumnRef column;
    SpaceRef space;
  };
  void add(const ColumnRef& c) {
    if (seen_.insert(c.get()).second) todo_.push_back({c, {}});
  }
  void add(const SpaceRef& s) {
    if (seen_.insert(s.get()).second) todo_.push_back({{}, s});
  }
  void visit(const Column& c) {
    if (c.kind == ColumnKind::load && is_absent(c.buffer)) {
      const auto& path = *static_cast<const std::string*>(c.buffer.owner().get());
      if (std::find(paths_.begin(), paths_.end(), path) == paths_.end()) paths_.push_back(path);
    }
    each_below(c, [&](const auto& x) { add(x); });
  }
  std::unordered_set<const void*> seen_;
  std::vector<Item> todo_;
  std::vector<std::string> paths_;
};

}  // namespace

NodeRef absent_node(const Node& like, const SpaceRef& space, const std::string& path, Device d,
                    const EqualLists& equal) {
  switch (like.kind) {
    case NodeKind::leaf:
      return leaf(absent_column(like.column->dtype, space, path, d), like.unit, like.parameters);
    case NodeKind::list:
      return absent_list(like, space, path, d);
    case NodeKind::option:
      return option_node(absent_column(DType::boolean, space, "*" + path, d),
                         absent_node(*like.contents[0], space, path, d));
    case NodeKind::union_:
    case NodeKind::record: {
      std::vector<NodeRef> contents;
      ListsOfGroups groups(equal);
      const bool names = like.kind == NodeKind::record;
      for (size_t i = 0; i < like.contents.size(); ++i) {
        const std::string field = like.is_tuple || !names ? std::to_string(i) : (*like.fields)[i];
        const Node& one = *like.contents[i];
        contents.push_back(absent_field(one, space, names ? path + "\n" + field : path, d,
                                        names ? groups.of(one, field) : nullptr));
      }
      if (!names) {
        return union_node(absent_column(DType::int8, space, "*" + path, d), std::move(contents),
                          like.parameters);
      }
      return like.is_tuple ? tuple_node(std::move(contents), like.parameters)
                           : record_node(*like.fields, std::move(contents), like.parameters);
    }
    case NodeKind::unknown:
      return unknown_node();
    case NodeKind::categorical: {
      auto* out = new Node(like);
      out->column = absent_column(like.column->dtype, space, path, d);
      return NodeRef(out);
    }
  }
  return unknown_node();
}

NodeRef with_absent(const NodeRef& present, const Node& like, const SpaceRef& space,
                    const std::string& path, Device d, const EqualLists& equal) {
  if (present->kind != like.kind || is_string(like)) return present;
  const auto inside = [&](const SpaceRef& s) {
    return with_absent(present->contents[0], *like.contents[0], s, path, d);
  };
  if (like.kind == NodeKind::list)
    return list_node(present->space, inside(present->space), present->size, present->parameters);
  if (like.kind == NodeKind::option) return option_node(present->column, inside(space));
  if (like.kind != NodeKind::record || like.is_tuple) return present;
  ListsOfGroups groups(equal);
  std::vector<NodeRef> contents(like.contents.size());
  for (size_t i = 0; i < contents.size(); ++i) {
    const std::string& name = (*like.fields)[i];
    const int64_t at = field_index(*present, name);
    if (at < 0) continue;
    const Node& one = *like.contents[i];
    contents[i] =
        with_absent(present->contents[static_cast<size_t>(at)], one, space, path + "\n" + name, d);
    SpaceRef* lists = groups.of(one, name);
    if (lists != nullptr && !*lists && contents[i]->kind == NodeKind::list)
      *lists = contents[i]->space;
  }
  for (size_t i = 0; i < contents.size(); ++i) {
    if (contents[i]) continue;
    const std::string& name = (*like.fields)[i];
    const Node& one = *like.contents[i];
    contents[i] = absent_field(one, space, path + "\n" + name, d, groups.of(one, name));
  }
  return record_node(*like.fields, std::move(contents), like.parameters);
}

std::vector<std::string> absent_paths(const std::vector<NodeRef>& roots) {
  Walk walk;
  for (const NodeRef& r : roots) walk.node(*r);
  return walk.paths();
}

namespace {
[[noreturn]] void raise(const std::string& path) {
  throw ValueError("this column was not read: " + path);
}
}  // namespace

void refuse_absent(const std::vector<NodeRef>& roots) {
  if (const auto paths = absent_paths(roots); !paths.empty()) raise(paths[0]);
}

void raise_absent(const Buffer& b) { raise(*static_cast<const std::string*>(b.owner().get())); }

}  // namespace serrate::graph
