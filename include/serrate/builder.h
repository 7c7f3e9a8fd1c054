// ArrayBuilder: an array from values given one by one, its type found out while they come.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "serrate/array.h"
#include "serrate/type.h"

namespace serrate {

/// Appends values and nested lists, tuples and records; constant time each, amortised. Integers
/// with reals become float64, with complex numbers complex128; other mixtures become unions; the
/// first missing value makes an option; record fields that are not always there become options.
///
///   ArrayBuilder b;                  // b.snapshot(): [[1, 2.5], [], None]
///   b.begin_list(); b.integer(1); b.real(2.5); b.end_list();
///   b.begin_list(); b.end_list();
///   b.null();
///
/// ValueError for calls that do not nest or nest deeper than any array may, for tuples of more
/// slots than kMostSlots, and for a field that is filled twice in one record.
class ArrayBuilder {
 public:
  ArrayBuilder();
  ~ArrayBuilder();
  /// What is moved from is empty, and may be filled again.
  ArrayBuilder(ArrayBuilder&&);
  ArrayBuilder& operator=(ArrayBuilder&&);

  void null();
  void boolean(bool x) { scalar(Kind::boolean, static_cast<uint8_t>(x)); }
  void integer(int64_t x) { scalar(Kind::integer, x); }
  void real(double x) { scalar(Kind::real, x); }
  void complex(std::complex<double> x) { scalar(Kind::complex, x); }
  /// Counts of `unit` ("s", "10us" ...) since 1970.
  void datetime(int64_t x, std::string_view unit);
  void timedelta(int64_t x, std::string_view unit);
  /// UTF-8 text.
  void string(std::string_view x);
  void bytestring(std::string_view x);

  void begin_list() {
    if (current_->kind == Kind::list) [[likely]] {
      levels_.push_back({current_, current_, -1});
      current_ = current_->content;
    } else {
      begin_list_slow();
    }
  }
  void end_list() {
    const Level top = levels_.back();
    if (top.container->kind == Kind::list && top.tag < 0 &&
        top.container->tail != top.container->limit) [[likely]] {
      put(*top.container, current_->length());
      current_ = top.target;
      levels_.pop_back();
    } else {
      end_list_slow();
    }
  }
  void begin_tuple(int64_t slots);
  /// The next value is slot i of the tuple.
  void index(int64_t i);
  void end_tuple();
  /// A record, of a named type unless `name` is empty.
  void begin_record(std::string_view name = {});
  /// The next value is this field of the record. Fastest if records repeat their order of fields.
  void field(std::string_view key);
  void end_record();

  /// Finished rows so far.
  int64_t size() const;
  /// Type of snapshot().
  Type type() { return snapshot().type(); }
  /// The rows so far. Shares memory with the builder, which may go on; copies no items.
  Array snapshot();
  /// Forgets everything.
  void clear();

  static constexpr int64_t kMostSlots = 1'000'000;  ///< of a tuple

 private:
  enum class Kind : uint8_t {
    unknown,  // only missing values so far
    boolean,
    integer,
    real,
    complex,
    datetime,
    timedelta,
    string,
    list,
    record,
    tuple,
    union_,
    closed  // takes nothing: inside a record before its first field, for example
  };
  struct Rest;
  /// A column being filled: items at begin .. tail, room up to limit. Kinds without items of their
  /// own (record ...) count in tail.
  struct Slot {
    Kind kind = Kind::unknown;
    uint8_t shift = 0;  // log2 of the item's bytes
    uint8_t extra = 0;  // items more than values: 1 for offsets
    uintptr_t begin = 0, tail = 0, limit = 0;
    Slot* content = nullptr;  // of list
    std::unique_ptr<Rest> rest;
    Slot();
    ~Slot();
    int64_t length() const { return static_cast<int64_t>((tail - begin) >> shift) - extra; }
  };
  struct Level {
    Slot* container;  // the list, record or tuple that is open
    Slot* target;     // where it was begun: container, or the union that it is in
    int tag;          // of container in that union, or -1
  };

  template <class T>
  static void put(Slot& s, T x) {
    *reinterpret_cast<T*>(s.tail) = x;
    s.tail += sizeof(T);
  }
  template <class T>
  void scalar(Kind kind, T x) {
    if (current_->kind == kind && current_->tail != current_->limit) [[likely]]
      put(*current_, x);
    else
      scalar_slow(kind, &x);
  }
  void scalar_slow(Kind kind, const void* x);
  void begin_list_slow();
  void end_list_slow();
  void time(Kind kind, int64_t x, std::string_view unit);
  void text(std::string_view x, bool utf8);
  Slot* open(Kind kind, std::string_view name, int64_t slots);
  void close(Kind kind, const char* what);
  void require_open(const char* what) const;
  void check_filled_once(const Slot& record) const;
  void end_fields(Kind kind, const char* what);
  struct Fill;
  friend struct Fill;
  friend class JsonReader;
  friend class JsonColumns;

  std::unique_ptr<Slot> root_;
  Slot* current_ = nullptr;  // takes the next value; never null
  std::vector<Level> levels_;
};

}  // namespace serrate
