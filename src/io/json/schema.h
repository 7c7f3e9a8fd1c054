// Columns of a JSONSchema: types are known, so values are written where they belong.
#pragma once

#include <cstring>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/builder_columns.h"

namespace serrate::io {

enum class SchemaType : uint8_t {
  boolean,
  integer,
  number,
  string,
  category,
  list,
  regular,
  object
};

/// One level. What is missing has a value of no meaning, and 0 in `valid`.
struct SchemaColumn {
  SchemaType type = SchemaType::object;
  bool optional = false;
  int64_t length = 0;
  int64_t size = 0;                // regular
  builder::Bytes valid;            // optional: a byte each
  builder::Bytes data;             // numbers; offsets (but the first, 0); indexes of categories
  builder::Bytes text;             // of strings
  std::vector<std::string> names;  // object; categories
  std::unordered_map<std::string, size_t> index;
  std::vector<std::unique_ptr<SchemaColumn>> contents;

  template <class T>
  void push(T x) {
    std::memcpy(data.grow(sizeof(T)), &x, sizeof(T));
    ++length;
  }
  /// A value of no meaning.
  void pad();
  /// b's values behind these.
  void append(const SchemaColumn& b);
  /// Records with these two fields become complex numbers: ValueError if the fields are no numbers.
  void make_complex(const std::pair<std::string, std::string>& fields);
  /// Awkward's form; the buffers by their names in it.
  nlohmann::ordered_json form(std::unordered_map<std::string, Buffer>& buffers) const;
  std::unique_ptr<SchemaColumn> fresh() const;

 private:
  nlohmann::ordered_json plain_form(std::unordered_map<std::string, Buffer>& buffers,
                                    const std::string& key) const;
};

/// Of a schema's node. TypeError for what is none, or is not concrete.
std::unique_ptr<SchemaColumn> schema_column(const nlohmann::ordered_json& schema);

}  // namespace serrate::io
