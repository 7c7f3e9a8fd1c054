// The structure of value trees as a key: see signature.h.
#include "graph/signature.h"

#include <algorithm>
#include <bit>

#include "core/seams.h"
#include "graph/absent.h"
#include "serrate/function.h"

namespace serrate::graph {
namespace {

constexpr uint64_t kNone = FirstWithKey::kNone;  // in place of a number
// First bytes of words, so that spaces, nodes and columns cannot be taken for each other.
constexpr uint64_t kSpaceWord = uint64_t{1} << 56, kNodeWord = uint64_t{2} << 56;

uint64_t mixed(uint64_t h, uint64_t word) {
  h = (h ^ word) * 0x9e3779b97f4a7c15;
  return h ^ h >> 32;
}

}  // namespace

size_t FirstWithKey::Hash::operator()(const Key& k) const {
  return mixed(mixed(mixed(0, k[0]), k[1]), k[2]);
}

FirstWithKey::Key LoadPlaces::place(const Load& l, uint64_t number) {
  return {l.bytes != 0 ? l.address : number, uint64_t{l.bytes == 0}};
}

LoadPlaces::Relations LoadPlaces::among_few(const Load& l) const {
  constexpr uint64_t none = FirstWithKey::kNone;
  Relations r{size_, size_, none, none};
  if (l.bytes == 0) return r;
  for (size_t i = few_.size(); i-- > 0;) {
    const Load& o = few_[i];
    if (o.bytes == 0) continue;
    if (o.address == l.address) {
      r.first = i;
      if (o.bytes == l.bytes) r.same = i;
    }
    if (o.type != l.type) continue;
    if (o.address == l.address - l.item) r.before = i;
    if (o.address == l.address + l.item) r.behind = i;
  }
  return r;
}

LoadPlaces::Relations LoadPlaces::among_many(const Load& l) {
  const auto of_type = [&](uint64_t address) {
    return l.bytes == 0 ? FirstWithKey::kNone : many_->types.find({address, l.type});
  };
  const uint64_t before = of_type(l.address - l.item), behind = of_type(l.address + l.item);
  const FirstWithKey::Key at = place(l, size_);
  many_->types.add({at[0], l.type, at[1]});
  return {many_->places.add(at), many_->memory.add({at[0], at[1], l.bytes}), before, behind};
}

LoadPlaces::Relations LoadPlaces::add(const Load& l) {
  Relations r;
  if (size_ < kFew) {
    r = among_few(l);
    few_.push_back(l);
  } else {
    if (!many_) {
      many_ = std::make_unique<Many>();
      size_ = 0;
      for (const Load& o : few_) {
        among_many(o);
        size_++;
      }
    }
    r = among_many(l);
  }
  size_++;
  return r;
}

uint64_t FirstWithKey::find_among_many(const Key& k) const {
  const auto known = first_->find(k);
  return known == first_->end() ? kNone : known->second;
}

void FirstWithKey::add_to_many(const Key& k) {
  if (!first_) {
    first_ = std::make_unique<std::unordered_map<Key, uint64_t, Hash>>();
    for (uint64_t i = 0; i + 1 < size(); i++) first_->try_emplace(keys_[i], i);
  }
  first_->try_emplace(k, size() - 1);
}

Signature::Signature(const std::vector<NodeRef>& roots) {
  objects_.push_back(unit().get());
  table_[place(unit().get())] = 1;
  for (const auto& r : roots) add(*r);
}

uint64_t hash_of(std::span<const uint64_t> words) {
  uint64_t h = words.size();
  for (const uint64_t w : words) h = mixed(h, w);
  return h;
}

bool Signature::is_space(const void* object) const {
  return object == unit().get() || std::ranges::find(spaces_, object) != spaces_.end();
}

size_t Signature::place(const void* p) const {
  size_t i = (std::bit_cast<uintptr_t>(p) >> 5) * 0x9e3779b1u & (places_ - 1);
  while (table_[i] != 0 && objects_[table_[i] - 1u] != p) i = (i + 1) & (places_ - 1);
  return i;
}

void Signature::grow_table() {
  places_ *= 2;
  many_places_ = std::make_unique<uint16_t[]>(places_);
  table_ = many_places_.get();
  for (size_t i = 0; i < objects_.size(); i++)
    table_[place(objects_[i])] = static_cast<uint16_t>(i + 1);
}

uint64_t Signature::keep(const void* p) {
  if (objects_.size() >= std::min(kMaxObjects, static_cast<size_t>(seams().objects))) {
    is_full_ = true;
    return kNone;
  }
  if (2 * (objects_.size() + 1) > places_) grow_table();
  const size_t at = place(p);
  objects_.push_back(p);
  table_[at] = static_cast<uint16_t>(objects_.size());
  return objects_.size() - 1;
}

void Signature::add(const Node& n) {
  const uint64_t column = number(n.column.get()), space = number(n.space.get());
  put(kNodeWord | static_cast<uint64_t>(n.kind) | uint64_t{n.size >= 0} << 8 | column << 16 |
      space << 32);
  put(n.contents.size());
  for (const auto& c : n.contents) add(*c);
}

uint64_t Signature::number(const Space* s) {
  if (s == nullptr || is_full_) return kNone;
  if (const uint16_t known = table_[place(s)]) return known - 1u;
  const uint64_t parent = number(s->parent.get()), starts = number(s->starts.get()),
                 stops = number(s->stops.get()), predicate = number(s->predicate.get());
  for (const auto& b : s->bases) number(b.get());
  put(kSpaceWord | static_cast<uint64_t>(s->kind) | uint64_t{s->contiguous} << 4 |
      uint64_t{s->replacement} << 5 | uint64_t{s->repeats_contiguous} << 6 | parent << 8 |
      starts << 24 | stops << 40);
  put(static_cast<uint64_t>(s->k) << 32 | predicate);
  put(s->bases.size());
  const auto size = static_cast<uint64_t>(s->size);
  put(s->kind == SpaceKind::rows ? rows_.add({size}) : size);
  for (const auto& b : s->bases) put(number(b.get()));
  if (!is_full_) spaces_.push_back(s);
  return keep(s);
}

uint64_t Signature::number(const Column* c) {
  if (c == nullptr || is_full_) return kNone;
  if (const uint16_t known = table_[place(c)]) return known - 1u;
  const uint64_t space = number(c->space.get()), over = number(c->over.get());
  uint64_t args = space;
  for (const auto& a : c->args) args = args << 16 | number(a.get());
  put(static_cast<uint64_t>(c->kind) | static_cast<uint64_t>(c->dtype) << 8 |
      static_cast<uint64_t>(c->op) << 16 | static_cast<uint64_t>(c->reducer) << 24 |
      static_cast<uint64_t>(static_cast<uint16_t>(c->link)) << 32 | uint64_t{c->weak} << 48 |
      uint64_t{c->descending} << 49 | static_cast<uint64_t>(c->barrier) << 50 |
      uint64_t{bool(c->over)} << 55);
  put(args);
  if (c->over) put(over);
  switch (c->kind) {
    case ColumnKind::constant:
      constant_columns_.push_back(c);
      if (is_structural(c->scalar)) {
        put(kNone);
        put(c->scalar.u);
      } else {
        put(constants_.add({c->scalar.u, static_cast<uint64_t>(c->scalar.dtype),
                            std::bit_cast<uint64_t>(c->scalar.im)}));
      }
      break;
    case ColumnKind::load:
      add_load(*c);
      break;
    case ColumnKind::barrier:
      put(c->scalar.u);
      put(static_cast<uint64_t>(c->scalar.dtype));
      break;
    case ColumnKind::call:
      put(c->function->number());
      break;
    case ColumnKind::histogram:
      put(static_cast<uint64_t>(c->space->size));
      break;
    default:
      break;
  }
  return keep(c);
}

/// The first loads from the same address and from the same memory, and from the addresses one item
/// before and behind: of such, one has where lists end that begin where the other says.
void Signature::add_load(const Column& c) {
  const Buffer& b = c.buffer;
  if (is_absent(b)) raise_absent(b);
  const auto bytes = static_cast<uint64_t>(b.bytes()), type = static_cast<uint64_t>(c.dtype);
  const auto item = static_cast<uint64_t>(itemsize(c.dtype));
  const auto [first, same, before, behind] =
      loads_.add({std::bit_cast<uintptr_t>(b.data()), bytes, type, item});
  const Device device = b.device();
  is_mixed_ |= device_.value_or(device) != device;
  device_ = device;
  put(first | same << 16 | before << 32 | behind << 48);
  put(uint64_t{bytes == 0} | uint64_t{bytes < item} << 1 | static_cast<uint64_t>(device) << 8);
}

bool is_structural(const Scalar& s) {
  if (is_complex(s.dtype)) return false;
  if (is_floating(s.dtype)) return s.f == 1 || s.f == 2;
  return s.i >= -1 && s.i <= 2;
}

}  // namespace serrate::graph
