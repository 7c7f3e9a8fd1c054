// The one parameter of all kernels of a text: a struct of 8-byte fields, and where what is in them
// comes from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuda/codegen/functions.h"
#include "cuda/schedule/source.h"

namespace serrate::cuda {

/// Collects fields in the order of their first use, so that the text says nothing of addresses,
/// sizes or constants.
class Arguments {
 public:
  /// The buffer that a column loads from: "b0", "b1", ... The same address and type give the same
  /// name.
  std::string input(const graph::Column& load) {
    use_type(uses_, load.dtype);
    const std::string_view type =
        load.dtype == DType::boolean ? "unsigned char" : type_text(load.dtype);
    std::string t = "const " + std::string(type) + "* __restrict__";
    for (size_t i = 0; i < fields_.size(); i++) {
      if (sources_[i].kind != Source::address || fields_[i].type != t) continue;
      const void* const other = objects_[static_cast<size_t>(sources_[i].object)];
      if (static_cast<const graph::Column*>(other)->buffer.data() == load.buffer.data())
        return "a." + fields_[i].name;
    }
    return field('b', std::move(t), source(Source::address, &load));
  }
  /// Memory that is written: its address comes when kernels run.
  std::string output(std::string_view type) { return field('w', std::string(type) + "*", {}); }
  std::string output(DType type) {
    use_type(uses_, type);
    return output(type_text(type));
  }
  /// Of a struct of the prelude.
  std::string output_of(const Text& type) {
    uses_.add(type.uses());
    return output(std::string_view(type.str()));
  }
  /// A number of 8 bytes: "n0", "n1", ... Equal numbers stay apart: equality is not structure.
  std::string number(std::string_view type, Source s) { return field('n', std::string(type), s); }
  /// A number of a space.
  std::string number(Source::Kind kind, const graph::Space& s) {
    return number("long long", source(kind, &s));
  }
  /// A number that the signature of the trees has by value.
  std::string structural(std::string_view type, uint64_t bits) {
    return number(type, {.bits = bits});
  }
  /// A number that the run sets.
  std::string fresh_integer() { return number("long long", {}); }

  Source source(Source::Kind kind, const void* object) {
    const auto at = std::find(objects_.begin(), objects_.end(), object);
    const auto number = static_cast<int>(at - objects_.begin());
    if (at == objects_.end()) objects_.push_back(object);
    return {kind, number, 0};
  }

  std::string declaration() const {
    std::string s = "struct Arguments {\n";
    for (const Field& f : fields_) s += "  " + f.type + " " + f.name + ";\n";
    return s + "};\n";
  }
  /// What the types of the fields are.
  const Uses& uses() const { return uses_; }
  const std::vector<Source>& sources() const { return sources_; }
  /// What the numbers of objects stand for, while kernels are written.
  const std::vector<const void*>& objects() const { return objects_; }

  /// Number of the field of this name ("a.w3").
  static size_t index(std::string_view name) {
    size_t i = 0;
    for (char c : name.substr(3)) i = i * 10 + static_cast<size_t>(c - '0');
    return i;
  }

 private:
  struct Field {
    std::string type, name;
  };
  std::string field(char letter, std::string type, Source s) {
    fields_.push_back({std::move(type), letter + std::to_string(fields_.size())});
    sources_.push_back(s);
    return "a." + fields_.back().name;
  }
  std::vector<Field> fields_;
  Uses uses_;
  std::vector<Source> sources_;
  std::vector<const void*> objects_;
};

}  // namespace serrate::cuda
