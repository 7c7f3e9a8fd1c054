// The reference evaluator as a back end: see backend.h.
#include "reference/backend.h"

#include <cstring>
#include <utility>

#include "graph/device.h"
#include "graph/evaluation/barriers.h"
#include "reference/evaluator.h"

namespace serrate::reference {

using namespace graph;

Buffer store(Evaluator& evaluator, const ColumnRef& c, const Places& at) {
  void* out = nullptr;
  const int size = itemsize(c->dtype);
  Buffer b = Buffer::allocate(static_cast<int64_t>(at.size()) * size, &out);
  for (size_t i = 0; i < at.size(); i++)
    std::memcpy(static_cast<std::byte*>(out) + static_cast<int64_t>(i) * size,
                evaluator.eval(c, *at[i]).data(), static_cast<size_t>(size));
  return b;
}

namespace {

Buffer tagged(const Buffer& b, Device d) { return {b.data(), b.bytes(), b.owner(), d}; }

/// Columns over spaces, all of them objects.
class ColumnsExecutable : public Executable {
 public:
  ColumnsExecutable(Nest& nest, std::vector<const void*>& objects) {
    nest.find_checks();
    const auto add = [&](std::vector<Over>& to, const ColumnRef& c, const SpaceRef& s) {
      const auto n = static_cast<int>(objects.size());
      to.push_back({n, n + 1});
      objects.push_back(c.get());
      objects.push_back(s.get());
    };
    for (const Frame& f : nest.frames()) {
      for (const Column* c : f.checks) add(checks_, ColumnRef(c), f.space);
      if (f.space->kind != SpaceKind::aligned) continue;
      aligned_.push_back(static_cast<int>(objects.size()));
      objects.push_back(f.space.get());
    }
    for (const Nest::Output& o : nest.outputs())
      add(outputs_, o.column, o.histogram ? o.column->space : o.space);
  }

  std::vector<Written> run(Objects objects, const Demand&) const override {
    Evaluator evaluator;
    const auto column = [&](const Over& o) {
      return ColumnRef(static_cast<const Column*>(objects[static_cast<size_t>(o.column)]));
    };
    const auto items = [&](int space) {
      return evaluator.all_items(
          SpaceRef(static_cast<const Space*>(objects[static_cast<size_t>(space)])));
    };
    std::vector<Written> written;
    for (const Over& o : outputs_) {
      const Places places = items(o.space);
      written.push_back({tagged(store(evaluator, column(o), places), kReference),
                         static_cast<int64_t>(places.size()),
                         0,
                         {}});
    }
    // What nobody reads must hold, too.
    for (const int s : aligned_) items(s);
    for (const Over& o : checks_) {
      for (const Place* p : items(o.space)) evaluator.eval(column(o), *p);
    }
    return written;
  }

  void each_object(const std::function<void(int&)>& f) override {
    for (std::vector<Over>* const all : {&outputs_, &checks_}) {
      for (Over& o : *all) {
        f(o.column);
        f(o.space);
      }
    }
    for (int& s : aligned_) f(s);
  }

 private:
  struct Over {
    int column, space;
  };
  std::vector<Over> outputs_, checks_;
  std::vector<int> aligned_;
};

class ReferenceBackend : public Backend {
 public:
  Device device() const override { return kReference; }
  const char* name() const override { return "reference"; }
  void require() override { use_other_memory(); }
  const Capabilities& capabilities() const override { return can_; }

  Compiled compile(Nest& nest) override {
    std::vector<const void*> objects;
    auto columns = std::make_unique<ColumnsExecutable>(nest, objects);
    return {std::move(columns), std::move(objects)};
  }

  Buffer materialise(const Column& c, const BarrierInput& in, int64_t skip) override {
    auto* of_stored = new Column(c);
    const ColumnRef barrier(of_stored);
    of_stored->space = in.space;
    of_stored->over = c.over ? in.key->space : SpaceRef();
    of_stored->args[0] = c.over ? in.key->contents[0]->column : in.key->column;
    of_stored->args[1] = in.take_part;
    Evaluator evaluator;
    const Buffer items = store(evaluator, barrier, evaluator.all_items(in.space));
    return upload(behind_zeros(items, skip));
  }
  Buffer offsets_of(const SpaceRef& s) override { return upload(offsets_on_host(s)); }

  Buffer upload(const Buffer& host) override {
    use_other_memory();
    return tagged(host, kReference);
  }
  Buffer download(const Buffer& b) override { return tagged(b, Device::cpu); }

 private:
  const Capabilities can_{.sorts_with_missing = true};
};

}  // namespace

Backend& reference_backend() {
  static Backend& b = *new ReferenceBackend;  // arrays may outlive statics
  return b;
}

}  // namespace serrate::reference
