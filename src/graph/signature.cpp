// The structure of value trees as a key: see signature.h.
#include "graph/signature.h"

#include <bit>

#include "core/seams.h"

namespace serrate::graph {
namespace {

constexpr uint64_t kNone = 255;  // in place of a number
// First bytes of words, so that spaces, nodes and columns cannot be taken for each other.
constexpr uint64_t kSpaceWord = uint64_t{1} << 56, kNodeWord = uint64_t{2} << 56;

const std::byte* address(const Buffer& b) { return b.bytes() == 0 ? nullptr : b.data(); }

}  // namespace

Signature::Signature(const std::vector<NodeRef>& roots) {
  table_[place(unit().get())] = 1;
  objects_[objects_count_++] = unit().get();
  for (const auto& r : roots) add(*r);
}

uint64_t Signature::hash() const {
  uint64_t h = words_count_;
  for (uint64_t w : words()) {
    h = (h ^ w) * 0x9e3779b97f4a7c15;
    h ^= h >> 32;
  }
  return h;
}

size_t Signature::place(const void* p) const {
  size_t i = (std::bit_cast<uintptr_t>(p) >> 5) * 0x9e3779b1u % kPlaces;
  while (table_[i] != 0 && objects_[table_[i] - 1u] != p) i = (i + 1) % kPlaces;
  return i;
}

int Signature::find(const void* object) const { return table_[place(object)] - 1; }

uint64_t Signature::keep(const void* p) {
  if (objects_count_ >= std::min(kMaxObjects, static_cast<size_t>(seams().objects))) {
    is_full_ = true;
    return kNone;
  }
  const size_t at = place(p);
  objects_[objects_count_++] = p;
  table_[at] = static_cast<uint8_t>(objects_count_);
  return objects_count_ - 1;
}

void Signature::add(const Node& n) {
  const uint64_t column = number(n.column.get()), space = number(n.space.get());
  put(kNodeWord | static_cast<uint64_t>(n.kind) | uint64_t{n.size >= 0} << 8 | column << 16 |
      space << 24 | n.contents.size() << 32);
  for (const auto& c : n.contents) add(*c);
}

uint64_t Signature::number(const Space* s) {
  if (s == nullptr || is_full_) return kNone;
  if (const uint8_t known = table_[place(s)]) return known - 1u;
  const uint64_t parent = number(s->parent.get()), starts = number(s->starts.get()),
                 stops = number(s->stops.get()), predicate = number(s->predicate.get());
  for (const auto& b : s->bases) number(b.get());
  put(kSpaceWord | static_cast<uint64_t>(s->kind) | uint64_t{s->contiguous} << 4 |
      uint64_t{s->replacement} << 5 | parent << 24 | starts << 32 | stops << 40 | predicate << 48);
  put(static_cast<uint64_t>(s->k) << 32 | s->bases.size());
  put(s->kind == SpaceKind::rows ? equal_rows(*s) : static_cast<uint64_t>(s->size));
  for (const auto& b : s->bases) put(number(b.get()));
  if (!is_full_ && spaces_count_ < kMaxObjects) spaces_[spaces_count_++] = s;
  return keep(s);
}

uint64_t Signature::number(const Column* c) {
  if (c == nullptr || is_full_) return kNone;
  if (const uint8_t known = table_[place(c)]) return known - 1u;
  const uint64_t space = number(c->space.get()), over = number(c->over.get());
  uint64_t args = 0;
  for (const auto& a : c->args) args = args << 8 | number(a.get());
  put(static_cast<uint64_t>(c->kind) | static_cast<uint64_t>(c->dtype) << 8 |
      static_cast<uint64_t>(c->op) << 16 | static_cast<uint64_t>(c->reducer) << 24 |
      static_cast<uint64_t>(static_cast<uint16_t>(c->link)) << 32 | uint64_t{c->weak} << 48 |
      uint64_t{c->descending} << 49 | static_cast<uint64_t>(c->barrier) << 50);
  put(args | space << 24 | over << 32);
  switch (c->kind) {
    case ColumnKind::constant:
      if (is_structural(c->scalar)) {
        put(kNone);
        put(c->scalar.u);
      } else {
        put(equal_constants(*c));
      }
      break;
    case ColumnKind::load:
      put(equal_loads(*c));
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
/// before and behind: of such, one has where lists end that begin where the other says. Empty
/// memory is nobody's, wherever it is.
uint64_t Signature::equal_loads(const Column& c) {
  if (loads_count_ == kMaxObjects) return kNone;
  uint64_t first = loads_count_, same = loads_count_, before = kNone, behind = kNone;
  const auto item = static_cast<uint64_t>(itemsize(c.dtype));
  for (uint64_t i = c.buffer.bytes() == 0 ? 0 : loads_count_; i-- > 0;) {
    if (loads_[i]->dtype == c.dtype) {
      if (address(loads_[i]->buffer) + item == address(c.buffer)) before = i;
      if (address(c.buffer) + item == address(loads_[i]->buffer)) behind = i;
    }
    if (address(loads_[i]->buffer) == address(c.buffer)) first = i;
    if (loads_[i]->buffer.same_memory(c.buffer)) same = i;
  }
  loads_[loads_count_++] = &c;
  const Device device = c.buffer.device();
  is_mixed_ |= device_.value_or(device) != device;
  device_ = device;
  return first | same << 8 | uint64_t{c.buffer.bytes() == 0} << 16 |
         uint64_t{c.buffer.bytes() < itemsize(c.dtype)} << 17 |
         static_cast<uint64_t>(device) << 24 | before << 32 | behind << 40;
}

uint64_t Signature::equal_rows(const Space& s) {
  if (rows_count_ == kMaxObjects) return kNone;
  uint64_t first = rows_count_;
  for (uint64_t i = rows_count_; i-- > 0;) {
    if (rows_[i]->size == s.size) first = i;
  }
  rows_[rows_count_++] = &s;
  return first;
}

uint64_t Signature::equal_constants(const Column& c) {
  if (constants_count_ == kMaxObjects) return kNone;
  uint64_t first = constants_count_;
  for (uint64_t i = constants_count_; i-- > 0;) {
    if (constants_[i]->scalar == c.scalar) first = i;
  }
  constants_[constants_count_++] = &c;
  return first;
}

bool is_structural(const Scalar& s) {
  if (is_complex(s.dtype)) return false;
  if (is_floating(s.dtype)) return s.f == 1 || s.f == 2;
  return s.i >= -1 && s.i <= 2;
}

}  // namespace serrate::graph
