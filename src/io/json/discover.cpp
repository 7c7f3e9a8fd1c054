// JSON whose types are found out while it is read, straight into the columns of an ArrayBuilder.
#include "graph/ir.h"
#include "io/json/columns.h"
#include "io/json/target.h"
#include "serrate/error.h"
#include "serrate/ops.h"

namespace serrate {

class JsonReader final : public io::JsonTarget {
 public:
  explicit JsonReader(const JsonNumbers& o)
      : numbers_(o), special_(o), root_(std::make_unique<Slot>()) {}

  void read(io::JsonCursor& c) override {
    c_ = &c;
    value(*root_);
  }
  std::unique_ptr<io::JsonTarget> fresh() const override {
    return std::make_unique<JsonReader>(numbers_);
  }
  void append(std::span<const std::unique_ptr<io::JsonTarget>> later) override {
    JsonColumns::Copies copies;
    for (const auto& part : later)
      JsonColumns::append(*root_, *static_cast<JsonReader&>(*part).root_, copies);
    copies.finish();
  }
  Array array(bool single) override {
    if (numbers_.complex_record_fields)
      JsonColumns::make_complex(*root_, *numbers_.complex_record_fields);
    // The rows of a document that is a list; the only row of other ones.
    const bool is_list = single && root_->kind == Kind::list;
    if (single && !is_list) return Array(Fill::node(*root_, graph::unit()));
    Slot& s = is_list ? *root_->content : *root_;
    const graph::SpaceRef rows = graph::rows(s.length());
    return Array(graph::list_node(rows, Fill::node(s, rows)));
  }

 private:
  using Slot = ArrayBuilder::Slot;
  using Kind = ArrayBuilder::Kind;
  using Fill = ArrayBuilder::Fill;

  void value(Slot& s) {
    const char* p = c_->next();
    switch (*p) {
      case '"':
        return string(s, p + 1);
      case '[':
        return list(s, p);
      case '{':
        return record(s, p);
      case 't':
        c_->literal(p, "true");
        return scalar(s, Kind::boolean, uint8_t{1});
      case 'f':
        c_->literal(p, "false");
        return scalar(s, Kind::boolean, uint8_t{0});
      case 'n':
        c_->literal(p, "null");
        return Fill::missing(s, 1);
      default:
        return number(s, c_->number(p));
    }
  }

  template <class T>
  void scalar(Slot& s, Kind kind, T x) {
    if (s.kind == kind && s.tail != s.limit) [[likely]]
      return ArrayBuilder::put(s, x);
    int tag;
    Slot* t = Fill::resolve(s, kind, {}, 0, tag);
    if (t->kind == kind)
      Fill::push(*t, x);
    else
      Fill::push(*t, static_cast<double>(x));  // an integer among reals
    Fill::done(s, tag);
  }

  void number(Slot& s, const io::JsonNumber& x) {
    if (!x.integer) return scalar(s, Kind::real, x.d);
    if (s.kind == Kind::real && s.tail != s.limit)
      return ArrayBuilder::put(s, static_cast<double>(x.i));
    scalar(s, Kind::integer, x.i);
  }

  void string(Slot& s, const char* p) {
    const std::string_view text = c_->string(p, scratch_);
    if (double x; special_.any() && special_.find(text, x)) return scalar(s, Kind::real, x);
    int tag = -1;
    Slot* t = s.kind == Kind::string ? &s : Fill::resolve(s, Kind::string, {}, 1, tag);
    builder::Bytes& bytes = t->rest->text;
    if (!text.empty())
      std::memcpy(bytes.grow(static_cast<int64_t>(text.size())), text.data(), text.size());
    Fill::push(*t, bytes.size);
    Fill::done(s, tag);
  }

  void list(Slot& s, const char* p) {
    const io::JsonCursor::Level level(*c_, p);
    int tag = -1;
    Slot* l = s.kind == Kind::list ? &s : Fill::resolve(s, Kind::list, {}, 0, tag);
    Slot& content = *l->content;
    if (c_->peek() == ']') {
      c_->skip();
    } else {
      do {
        value(content);
      } while (c_->more(']'));
    }
    Fill::push(*l, content.length());
    Fill::done(s, tag);
  }

  void record(Slot& s, const char* p) {
    const io::JsonCursor::Level level(*c_, p);
    int tag = -1;
    Slot* r = s.kind == Kind::record ? &s : Fill::resolve(s, Kind::record, {}, 0, tag);
    size_t k = 0;
    if (c_->peek() == '}') {
      c_->skip();
    } else {
      do {
        Slot& content = field(*r, c_->key(), k);
        ++k;
        c_->colon();
        value(content);
      } while (c_->more('}'));
    }
    r->tail += 1;
    r->rest->records += 1;
    Fill::done(s, tag);
  }

  // The field that the key at p names: probably the k-th.
  Slot& field(Slot& record, const char* p, size_t& k) {
    ArrayBuilder::Rest& r = *record.rest;
    if (k >= r.keys.size() || r.odd_keys || !c_->is_key(p, r.keys[k])) k = find_field(record, p);
    Slot& content = *r.contents[k];
    const int64_t absent = record.length() - content.length();
    if (absent > 0) Fill::missing(content, absent);
    if (absent < 0) c_->fail(p - 1, fmt::format("the record has a field '{}' already", r.keys[k]));
    return content;
  }

  size_t find_field(Slot& record, const char* p) {
    ArrayBuilder::Rest& r = *record.rest;
    const std::string_view key = c_->string(p, scratch_);
    const size_t before = r.keys.size(), k = Fill::field(record, key);
    if (k == before) r.odd_keys |= key.find_first_of("\"\\") != key.npos;
    return k;
  }

  JsonNumbers numbers_;
  io::SpecialNumbers special_;
  std::unique_ptr<Slot> root_;
  std::string scratch_;
  io::JsonCursor* c_ = nullptr;
};

namespace io {
std::unique_ptr<JsonTarget> discovering_target(const JsonNumbers& o) {
  return std::make_unique<JsonReader>(o);
}
}  // namespace io

}  // namespace serrate
