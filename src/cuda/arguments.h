// The one parameter of all kernels of a text: a struct of 8-byte fields, and what is in it for one
// launch.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace serrate::cuda {

/// Collects fields in the order of their first use, so that the text says nothing of addresses,
/// sizes or constants.
class Arguments {
 public:
  /// A buffer that is read: "b0", "b1", ... The same address and type give the same name.
  std::string input(std::string_view type, const void* address) {
    return field('b', "const " + std::string(type) + "* __restrict__",
                 std::bit_cast<uint64_t>(address), true);
  }
  /// Memory that is written: its address may come later.
  std::string output(std::string_view type, const void* address = nullptr) {
    return field('w', std::string(type) + "*", std::bit_cast<uint64_t>(address), false);
  }
  /// A number of 8 bytes: "n0", "n1", ... Equal numbers stay apart: equality is not structure.
  std::string number(std::string_view type, uint64_t bits) {
    return field('n', std::string(type), bits, false);
  }
  std::string integer(int64_t v) { return number("long long", static_cast<uint64_t>(v)); }
  std::string fresh_integer() { return field('n', "long long", 0, false); }

  /// Sets the word of a field named before ("a.w3").
  void set(std::string_view name, uint64_t bits) { words_[index(name)] = bits; }
  void set(std::string_view name, const void* p) { set(name, std::bit_cast<uint64_t>(p)); }

  std::string declaration() const {
    std::string s = "struct Arguments {\n";
    for (const Field& f : fields_) s += "  " + f.type + " " + f.name + ";\n";
    return s + "};\n";
  }
  uint64_t get(std::string_view name) const { return words_[index(name)]; }
  const std::vector<uint64_t>& words() const { return words_; }

 private:
  struct Field {
    std::string type, name;
  };
  std::string field(char letter, std::string type, uint64_t bits, bool share) {
    if (share) {
      for (size_t i = 0; i < fields_.size(); i++) {
        if (shared_[i] && words_[i] == bits && fields_[i].type == type)
          return "a." + fields_[i].name;
      }
    }
    fields_.push_back({std::move(type), letter + std::to_string(fields_.size())});
    words_.push_back(bits);
    shared_.push_back(share);
    return "a." + fields_.back().name;
  }
  size_t index(std::string_view name) const {
    size_t i = 0;
    for (char c : name.substr(3)) i = i * 10 + static_cast<size_t>(c - '0');
    return i;
  }
  std::vector<Field> fields_;
  std::vector<uint64_t> words_;
  std::vector<bool> shared_;
};

}  // namespace serrate::cuda
