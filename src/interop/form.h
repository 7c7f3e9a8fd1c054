// Awkward's forms: the tree that says how buffers become an array.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "serrate/dtype.h"
#include "serrate/type.h"

namespace serrate::interop {

enum class FormClass : uint8_t {
  empty,
  numpy,
  regular,
  list,
  list_offset,
  record,
  indexed,
  indexed_option,
  byte_masked,
  bit_masked,
  unmasked,
  union_
};

/// One node of a form; only the members of its class are set.
struct Form {
  FormClass kind = FormClass::empty;
  std::string class_name;            // "ListOffsetArray"
  std::string where;                 // path from the root: "form.content.contents[1]"
  std::string form_key;              // "" if none
  Parameters parameters;             // values as Python's json.dumps writes them
  DType dtype = DType::int64;        // numpy
  std::string unit;                  // numpy, times
  std::vector<int64_t> inner_shape;  // numpy
  int64_t size = 0;                  // regular
  DType index = DType::int64;        // of starts and stops, offsets, or index
  bool valid_when = true, lsb_order = true;
  bool is_tuple = false;
  std::vector<std::string> fields;
  std::vector<Form> contents;

  /// JSON text of a parameter, "" if absent.
  std::string_view parameter(std::string_view key) const;
  /// "ListOffsetArray at form.content", for messages.
  std::string describe() const { return class_name + " at " + where; }
};

/// Reads Awkward's JSON, verbose or short, with the class names of Awkward 1 too. ValueError says
/// which node lacks what.
Form parse_form(std::string_view json);

}  // namespace serrate::interop
