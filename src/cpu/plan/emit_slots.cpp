// Addresses, segments and entries of a plan in the making.
#include <algorithm>
#include <cstring>
#include <tuple>

#include "cpu/plan/emit.h"
#include "serrate/error.h"

namespace serrate::cpu {

int Emitter::object(const void* p) {
  p = nest_.original(p);
  const auto at = std::find(objects_.begin(), objects_.end(), p);
  if (at == objects_.end()) {
    objects_.push_back(p);
    return static_cast<int>(objects_.size()) - 1;
  }
  return static_cast<int>(at - objects_.begin());
}

int Emitter::slot(Slot::Kind kind, DType t, int f, int index, const Column* from) {
  Slot s;
  s.kind = kind;
  s.dtype = t;
  s.frame = f;
  s.index = index;
  if (from != nullptr) s.object = object(from);
  plan_.slots.push_back(s);
  const int id = static_cast<int>(plan_.slots.size()) - 1;
  if (kind != Slot::constant && kind != Slot::base && kind != Slot::first)
    cpu(f).bound.push_back(id);
  return id;
}

int Emitter::find_slot(Slot::Kind kind, int f, const Column* from, int index) const {
  auto loads_from = [&](int object) {
    return load_address(static_cast<const Column*>(objects_[static_cast<size_t>(object)])->buffer);
  };
  for (size_t i = 0; i < plan_.slots.size(); i++) {
    const Slot& s = plan_.slots[i];
    if (s.kind == kind && s.frame == f && s.index == index &&
        (from == nullptr || loads_from(s.object) == load_address(from->buffer)))
      return static_cast<int>(i);
  }
  return -1;
}

int Emitter::base_slot(const Column& load) {
  const int found = find_slot(Slot::base, 0, &load);
  return found >= 0 ? found : slot(Slot::base, load.dtype, 0, 0, &load);
}

int Emitter::direct_slot(const Column& load, int f, Slot::Kind kind) {
  const int size = itemsize(load.dtype), found = find_slot(kind, f, &load, size);
  return found >= 0 ? found : slot(kind, load.dtype, f, size, &load);
}

int Emitter::first_slot(int f) {
  const int found = find_slot(Slot::first, f, nullptr);
  return found >= 0 ? found : slot(Slot::first, DType::int64, f);
}

int Emitter::link_slot(int f, int k) {
  CpuFrame& c = cpu(f);
  while (static_cast<int>(c.links.size()) <= k)
    c.links.push_back(slot(Slot::link, DType::int32, f, static_cast<int>(c.links.size())));
  return c.links[static_cast<size_t>(k)];
}

int Emitter::offsets_slot(int f) {
  CpuFrame& c = cpu(f);
  c.needs_offsets = true;
  if (c.offsets_slot < 0) c.offsets_slot = slot(Slot::offsets, DType::int32, f);
  return c.offsets_slot;
}

int Emitter::constant_slot(const Scalar& s) {
  std::byte value[16] = {};
  store_scalar(s, value);
  return constant_slot(s.dtype, value);
}

int Emitter::constant_slot(DType t, const std::byte (&value)[16]) {
  Slot c;
  c.kind = Slot::constant;
  c.dtype = t;
  std::memcpy(c.value, value, sizeof value);
  plan_.slots.push_back(c);
  return static_cast<int>(plan_.slots.size()) - 1;
}

int Emitter::constant_slot(const Column& c) { return slot(Slot::constant, c.dtype, 0, 0, &c); }

std::pair<uint8_t, uint8_t> Emitter::known_at(std::initializer_list<int> entries) const {
  std::pair<uint8_t, uint8_t> at{0, 0};
  for (int e : entries) {
    if (e < 0) continue;
    const Entry& x = entries_[static_cast<size_t>(e)];
    at = std::max(at, std::pair(x.time, x.stage));
  }
  return at;
}

int Emitter::segment(int f, uint8_t time, uint8_t stage) {
  for (size_t i = 0; i < segments_.size(); i++) {
    const Segment& s = segments_[i];
    if (s.frame == f && s.time == time && s.stage == stage) return static_cast<int>(i);
  }
  segments_.push_back({f, time, stage, {}});
  return static_cast<int>(segments_.size()) - 1;
}

int Emitter::in_segment(int e, int s) {
  Entry& x = entries_[static_cast<size_t>(e)];
  if (x.segment == s && x.value >= 0) return x.value;
  if (x.slot < 0) slot_of(e);
  Entry& y = entries_[static_cast<size_t>(e)];
  ProgramBuilder& b = segments_[static_cast<size_t>(s)].builder;
  return y.scalar ? b.scalar(y.dtype, y.slot) : b.load(y.dtype, y.slot);
}

int Emitter::slot_of(int e) {
  Entry& x = entries_[static_cast<size_t>(e)];
  if (x.slot < 0) {
    x.slot = slot(Slot::vector, x.dtype, x.frame);
    segments_[static_cast<size_t>(x.segment)].builder.store(x.value,
                                                            entries_[static_cast<size_t>(e)].slot);
  }
  return entries_[static_cast<size_t>(e)].slot;
}

int Emitter::vector_of(int e) {
  const Entry x = entries_[static_cast<size_t>(e)];
  if (!x.scalar) return slot_of(e);
  const int out = slot(Slot::vector, x.dtype, x.frame);
  const int s = segment(x.frame, x.time, x.stage);
  ProgramBuilder& b = segments_[static_cast<size_t>(s)].builder;
  b.store(b.scalar(x.dtype, x.slot), out);
  return out;
}

int Emitter::add(const ColumnRef& c, int f, uint8_t time, uint8_t stage, int slot, bool scalar) {
  entries_.push_back({c.get(), f, c->dtype, time, stage, scalar, -1, -1, slot});
  return static_cast<int>(entries_.size()) - 1;
}

int Emitter::add_value(const ColumnRef& c, int f, int s, int value) {
  const Segment& seg = segments_[static_cast<size_t>(s)];
  entries_.push_back({c.get(), f, c->dtype, seg.time, seg.stage, false, s, value, -1});
  return static_cast<int>(entries_.size()) - 1;
}

}  // namespace serrate::cpu
