// Copies of loads in RAM: see in_ram.h.
#include "cuda/runtime/in_ram.h"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "core/host.h"
#include "cuda/device.h"
#include "cuda/runtime/gpu_memory.h"
#include "graph/device.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

using namespace graph;

namespace {

/// What is there of a buffer. Item 0 may stand before the memory, where nobody looks.
Buffer in_ram(const Buffer& b) {
  if (on_host(b)) return b;
  int64_t before = 0;
  if (std::get_deleter<GpuMemory>(b.owner()) != nullptr)
    before = std::max<int64_t>(0, static_cast<const std::byte*>(b.owner().get()) - b.data());
  before = std::min(before, b.bytes());
  return behind_zeros(to_host(b.slice(before, b.bytes() - before)), before);
}

class InRam : public Rebase {
 public:
  InRam() : Rebase(unit(), unit()) { keeps_order_ = true; }
  NodeRef tree(const NodeRef& n) {
    if (n->kind == NodeKind::unknown) return n;
    if (n->kind == NodeKind::categorical) return leaf((*this)(n->column));
    auto* r = new Node(*n);
    const NodeRef result(r);
    if (n->column) r->column = (*this)(n->column);
    if (n->space) r->space = (*this)(n->space);
    for (auto& c : r->contents) c = tree(c);
    return result;
  }

 protected:
  ColumnRef wrap(const ColumnRef& c) override { return rebuild(c); }
  ColumnRef replacement(const ColumnRef& c) override {
    // What is made of one item of a buffer is nowhere.
    if (c->kind != ColumnKind::load) return c->space ? ColumnRef() : rebuild(c);
    ColumnRef& known = loads_[c.get()];
    if (!known) {
      Buffer& b = buffers_[{c->buffer.data(), c->buffer.bytes()}];
      if (b.bytes() == 0) b = in_ram(c->buffer);
      known = load(b, c->dtype, (*this)(c->args[0]));
    }
    return known;
  }

 private:
  std::unordered_map<const Column*, ColumnRef> loads_;
  std::map<std::pair<const std::byte*, int64_t>, Buffer> buffers_;
};

}  // namespace

void evaluate_in_ram(const std::vector<NodeRef>& roots) {
  InRam in_ram;
  std::vector<NodeRef> trees;
  trees.reserve(roots.size());
  for (const NodeRef& n : roots) trees.push_back(in_ram.tree(n));
  evaluate(trees);
}

}  // namespace serrate::cuda
