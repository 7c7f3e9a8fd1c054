// Fields of records at any depth: x["name"], x[["a", "b"]].
#include "graph/type_text.h"
#include "ops/slice/slice.h"
#include "ops/tree/input.h"
#include "ops/tree/merge.h"
#include "serrate/error.h"

namespace serrate::ops {
namespace {

using namespace graph;

int64_t existing_field(const Node& record, const std::string& name) {
  const int64_t i = field_index(record, name);
  if (i >= 0) return i;
  std::string known;
  for (size_t k = 0; k < record.contents.size(); k++)
    known += (k ? ", " : "") + (record.is_tuple ? std::to_string(k) : (*record.fields)[k]);
  throw FieldError(fmt::format("getitem: no field {:?} in a record with fields {}", name, known));
}

}  // namespace

NodeRef slice_field(const SpaceRef& space, const NodeRef& n, std::string_view name) {
  return get_field(space, n, std::string(name));
}

NodeRef slice_fields(const SpaceRef& space, const NodeRef& n,
                     const std::vector<const SliceItem*>& fields) {
  NodeRef out = n;
  for (size_t i = 0; i < fields.size(); i++) {
    if (const auto* name = std::get_if<std::string>(fields[i])) {
      out = slice_field(space, out, *name);
      continue;
    }
    // After a list of names, what follows is meant inside each of these fields.
    const auto& names = std::get<std::vector<std::string>>(*fields[i]);
    const std::vector<const SliceItem*> rest(fields.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                             fields.end());
    return at_records(
        space, out, names.empty() ? "" : names[0], [&](const SpaceRef& s, const NodeRef& r) {
          std::vector<NodeRef> contents;
          for (const auto& name : names)
            contents.push_back(
                slice_fields(s, r->contents[static_cast<size_t>(existing_field(*r, name))], rest));
          return r->is_tuple ? tuple_node(std::move(contents))
                             : record_node(names, std::move(contents));
        });
  }
  return out;
}

}  // namespace serrate::ops
