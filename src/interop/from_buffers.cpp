// Arrays over foreign buffers.
#include <algorithm>
#include <utility>

#include "core/host.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "interop/importer.h"
#include "interop/whole.h"
#include "serrate/error.h"

namespace serrate {
namespace interop {
namespace {

bool has_categories(const graph::Node& n) {
  return n.kind == graph::NodeKind::categorical ||
         std::any_of(n.contents.begin(), n.contents.end(),
                     [](const graph::NodeRef& c) { return has_categories(*c); });
}

/// Lists in lists.
bool has_lists(const Form& f, bool inside = false) {
  const bool is_list = f.kind == FormClass::list || f.kind == FormClass::list_offset;
  return (inside && is_list) ||
         std::any_of(f.contents.begin(), f.contents.end(),
                     [&](const Form& c) { return has_lists(c, inside || is_list); });
}

Array imported(std::string_view form_json, int64_t length, const Container& container,
               const BufferKey& key, ByteOrder byteorder, bool whole) {
  check<ValueError>(length >= 0, "from_buffers: expected a length, got {}", length);
  const Form form = parse_form(form_json);
  auto build = [&](bool leave_numbers, Device* device, bool only_used) {
    const graph::SpaceRef rows = graph::rows(length);
    const Importer importer(container, key, byteorder, {leave_numbers, only_used, whole});
    graph::NodeRef root = graph::list_node(rows, importer.build(form, length, rows));
    graph::type_of(*root);  // a form too deep for a type is refused here
    *device = importer.device();
    return root;
  };
  Device device = Device::cpu;
  bool only_used = false;
  graph::NodeRef root;
  try {
    root = build(true, &device, only_used);
  } catch (const ValueError&) {
    // Something may be wrong with lists that no list above holds.
    if (!has_lists(form)) throw;
    only_used = true;
    root = build(true, &device, only_used);
  }
  if (is_host(device)) return Array(std::move(root));
  // Numbers are used where they are; what is to be computed of the structure, and categories, is
  // computed on the host.
  if (!graph::is_stored(*root) || has_categories(*root))
    root = graph::evaluate(build(false, &device, only_used));
  return Array(graph::move_stored(root, device));
}

}  // namespace

Array from_whole_buffers(std::string_view form_json, int64_t length, const Container& container,
                         const BufferKey& key, ByteOrder byteorder) {
  return imported(form_json, length, container, key, byteorder, true);
}

}  // namespace interop

Array from_buffers(std::string_view form_json, int64_t length, const Container& container,
                   const BufferKey& key, ByteOrder byteorder) {
  return interop::imported(form_json, length, container, key, byteorder, false);
}

}  // namespace serrate
