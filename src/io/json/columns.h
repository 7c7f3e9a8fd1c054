// Growing columns as a whole: joined, and with complex numbers for records.
#pragma once

#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "io/builder_columns.h"

namespace serrate {

class JsonColumns {
 public:
  using Slot = ArrayBuilder::Slot;
  using Kind = ArrayBuilder::Kind;

  /// Appends b's values, as if they had been appended one by one. b is used up.
  static void append(Slot& a, Slot& b);
  /// Records with these two fields become complex numbers, wherever they are. ValueError where the
  /// fields are no numbers.
  static void make_complex(Slot& s, const std::pair<std::string, std::string>& fields);

 private:
  using Fill = ArrayBuilder::Fill;
  using Rest = ArrayBuilder::Rest;
  static void append_same(Slot& a, Slot& b);
  static void append_records(Slot& a, Slot& b);
  static void append_union(Slot& a, Slot& b);
  static void append_missing(Slot& a, Slot& b);
  static Slot& alternative(Slot& a, Slot& b, int8_t& tag);
  static int64_t slots(const Slot& s) { return s.kind == Kind::string && s.rest->utf8; }
  static bool to_complex(Slot& s, const std::pair<std::string, std::string>& fields);
  static void merge_numbers(Slot& s);
};

}  // namespace serrate
