// The hook of language bindings for the user's line.
#include "core/where.h"

#include <atomic>

namespace serrate {
namespace {
std::atomic<SourceLocationHook> location_hook{nullptr};
}

void set_source_location_hook(SourceLocationHook hook) { location_hook = hook; }

std::string current_where(std::string op) {
  if (const SourceLocationHook hook = location_hook.load(std::memory_order_relaxed)) {
    const std::string line = hook();
    if (!line.empty()) op.append(" (").append(line).append(")");
  }
  return op;
}

}  // namespace serrate
