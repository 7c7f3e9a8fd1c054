// ArrayBuilder: the calls, as steps from one growing column to the next.
#include "serrate/builder.h"

#include "io/builder_columns.h"

namespace serrate {

// --------------------------------------------------------------------------------------
ArrayBuilder::ArrayBuilder() { clear(); }
ArrayBuilder::~ArrayBuilder() = default;
ArrayBuilder::ArrayBuilder(ArrayBuilder&& o) : ArrayBuilder() { *this = std::move(o); }
ArrayBuilder& ArrayBuilder::operator=(ArrayBuilder&& o) {
  if (this == &o) return *this;
  clear();
  std::swap(root_, o.root_);
  std::swap(current_, o.current_);
  std::swap(levels_, o.levels_);
  return *this;
}

void ArrayBuilder::clear() {
  // The outermost level is a slot that nothing closes.
  root_ = std::make_unique<Slot>();
  root_->rest->contents.push_back(std::make_unique<Slot>());
  root_->rest->contents.push_back(std::make_unique<Slot>());
  root_->kind = Kind::closed;
  root_->rest->contents[1]->kind = Kind::closed;
  current_ = root_->rest->contents[0].get();
  levels_.assign(1, {root_.get(), current_, -1});
}

void ArrayBuilder::null() {
  require_open("null");
  Fill::missing(*current_, 1);
}

void ArrayBuilder::scalar_slow(Kind kind, const void* x) {
  require_open("a value");
  int tag;
  Slot* s = Fill::resolve(*current_, kind, {}, 0, tag);
  double z[2] = {0, 0};
  if (kind != s->kind) {
    // A number goes into a wider column.
    z[0] = kind == Kind::integer ? static_cast<double>(*static_cast<const int64_t*>(x))
                                 : *static_cast<const double*>(x);
    x = z;
  }
  Fill::reserve(*s, 1);
  const size_t bytes = size_t{1} << s->shift;
  std::memcpy(reinterpret_cast<void*>(s->tail), x, bytes);
  s->tail += bytes;
  Fill::done(*current_, tag);
}

void ArrayBuilder::time(Kind kind, int64_t x, std::string_view unit) {
  require_open("a time");
  int tag;
  Slot* s = Fill::resolve(*current_, kind, unit, 0, tag);
  Fill::push(*s, x);
  Fill::done(*current_, tag);
}
void ArrayBuilder::datetime(int64_t x, std::string_view unit) { time(Kind::datetime, x, unit); }
void ArrayBuilder::timedelta(int64_t x, std::string_view unit) { time(Kind::timedelta, x, unit); }

void ArrayBuilder::text(std::string_view x, bool utf8) {
  require_open("a string");
  int tag = -1;
  Slot* s = current_;
  if (s->kind != Kind::string) {
    s = Fill::resolve(*current_, Kind::string, {}, utf8, tag);
  }
  if (!x.empty())
    std::memcpy(s->rest->text.grow(static_cast<int64_t>(x.size())), x.data(), x.size());
  Fill::push(*s, s->rest->text.size);
  Fill::done(*current_, tag);
}
void ArrayBuilder::string(std::string_view x) { text(x, true); }
void ArrayBuilder::bytestring(std::string_view x) { text(x, false); }

void ArrayBuilder::require_open(const char* what) const {
  check<ValueError>(current_->kind != Kind::closed,
                    "ArrayBuilder: {} right after begin_{}: which {} is it?", what,
                    levels_.back().container->kind == Kind::tuple ? "tuple" : "record",
                    levels_.back().container->kind == Kind::tuple ? "index" : "field");
}

ArrayBuilder::Slot* ArrayBuilder::open(Kind kind, std::string_view name, int64_t slots) {
  require_open("a value");
  // Slots of a deeper level are made here only.
  // The array and its values are levels, too.
  check<ValueError>(levels_.size() + 1 < kMaxTypeDepth,
                    "ArrayBuilder: an array has at most {} levels of nesting", kMaxTypeDepth);
  int tag;
  Slot* s = Fill::resolve(*current_, kind, name, slots, tag);
  levels_.push_back({s, current_, tag});
  return s;
}

void ArrayBuilder::close(Kind kind, const char* what) {
  check<ValueError>(levels_.back().container->kind == kind,
                    "ArrayBuilder: end_{} without begin_{} at the same level", what, what);
}

void ArrayBuilder::begin_list_slow() { current_ = open(Kind::list, {}, 0)->content; }

void ArrayBuilder::end_list_slow() {
  close(Kind::list, "list");
  const Level top = levels_.back();
  Fill::push(*top.container, top.container->content->length());
  Fill::done(*top.target, top.tag);
  current_ = top.target;
  levels_.pop_back();
}

void ArrayBuilder::begin_tuple(int64_t slots) {
  check<ValueError>(slots >= 0 && slots <= kMostSlots,
                    "begin_tuple: expected a number of slots up to {}, got {}", kMostSlots, slots);
  open(Kind::tuple, {}, slots);
  current_ = root_->rest->contents[1].get();
}

void ArrayBuilder::begin_record(std::string_view name) {
  if (current_->kind == Kind::record && current_->rest->name == name)
    levels_.push_back({current_, current_, -1});
  else
    open(Kind::record, name, 0);
  levels_.back().container->rest->next_key = 0;
  current_ = root_->rest->contents[1].get();
}

// The field or slot that was filled last holds at most one value for the open record.
void ArrayBuilder::check_filled_once(const Slot& record) const {
  const bool ok = current_->kind == Kind::closed || current_->length() <= record.length() + 1;
  check<ValueError>(ok, "ArrayBuilder: a {} was filled twice",
                    record.kind == Kind::tuple ? "slot of a tuple" : "field of a record");
}

void ArrayBuilder::index(int64_t i) {
  Slot& s = *levels_.back().container;
  check<ValueError>(s.kind == Kind::tuple, "ArrayBuilder: index without begin_tuple");
  const auto slots = static_cast<int64_t>(s.rest->contents.size());
  check<ValueError>(i >= 0 && i < slots, "ArrayBuilder: index {} of a tuple of {}", i, slots);
  check_filled_once(s);
  Slot& c = *s.rest->contents[static_cast<size_t>(i)];
  Fill::missing(c, s.length() - c.length());
  current_ = &c;
}

void ArrayBuilder::field(std::string_view key) {
  Slot& s = *levels_.back().container;
  check<ValueError>(s.kind == Kind::record, "ArrayBuilder: field without begin_record");
  check_filled_once(s);
  Rest& r = *s.rest;
  size_t k = r.next_key;
  if (k >= r.keys.size() || r.keys[k] != key) k = Fill::field(s, key);
  r.next_key = k + 1;
  Slot& c = *r.contents[k];
  if (c.length() < s.length()) Fill::missing(c, s.length() - c.length());
  current_ = &c;
}

void ArrayBuilder::end_fields(Kind kind, const char* what) {
  close(kind, what);
  const Level top = levels_.back();
  check_filled_once(*top.container);
  top.container->tail += 1;
  top.container->rest->records += 1;
  if (kind == Kind::tuple) {
    for (auto& c : top.container->rest->contents)
      Fill::missing(*c, top.container->length() - c->length());
  }
  Fill::done(*top.target, top.tag);
  current_ = top.target;
  levels_.pop_back();
}
void ArrayBuilder::end_tuple() { end_fields(Kind::tuple, "tuple"); }
void ArrayBuilder::end_record() { end_fields(Kind::record, "record"); }

int64_t ArrayBuilder::size() const { return root_->rest->contents[0]->length(); }

Array ArrayBuilder::snapshot() {
  const graph::SpaceRef rows = graph::rows(size());
  return Array(graph::list_node(rows, Fill::node(*root_->rest->contents[0], rows)));
}

}  // namespace serrate
