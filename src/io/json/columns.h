// Growing columns as a whole: joined, and with complex numbers for records.
#pragma once

#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "io/builder_columns.h"

namespace serrate {

class JsonColumns {
 public:
  using Slot = ArrayBuilder::Slot;
  using Kind = ArrayBuilder::Kind;

  /// What of appended columns is yet to be copied: threads share it.
  class Copies {
   public:
    struct Copy {
      enum Kind : uint8_t { bytes, offsets, doubles } kind;
      Slot* to;  // into its items, or its text
      bool text;
      int64_t at;  // behind so many bytes
      const void* from;
      int64_t n;         // bytes, offsets, integers
      int64_t base = 0;  // added to offsets
    };
    void add(const Copy& c) { copies_.push_back(c); }
    /// Copies what was added. Before slots change otherwise, and before sources are gone.
    void finish();

   private:
    std::vector<Copy> copies_;
  };

  /// Appends b's values, as if they had been appended one by one; they are there when copies are
  /// finished. b is used up then.
  static void append(Slot& a, Slot& b, Copies& copies);
  /// Records with these two fields become complex numbers, wherever they are. ValueError where the
  /// fields are no numbers.
  static void make_complex(Slot& s, const std::pair<std::string, std::string>& fields);

 private:
  using Fill = ArrayBuilder::Fill;
  using Rest = ArrayBuilder::Rest;
  static void append_same(Slot& a, Slot& b, Copies& copies);
  static void append_records(Slot& a, Slot& b, Copies& copies);
  static void append_union(Slot& a, Slot& b, Copies& copies);
  static void append_missing(Slot& a, Slot& b);
  static Slot& alternative(Slot& a, Slot& b, int8_t& tag, Copies& copies);
  static bool takes(Slot& a, Slot& b, Copies& copies);
  static int64_t slots(const Slot& s) { return s.kind == Kind::string && s.rest->utf8; }
  static bool to_complex(Slot& s, const std::pair<std::string, std::string>& fields);
  static void merge_numbers(Slot& s);
};

}  // namespace serrate
