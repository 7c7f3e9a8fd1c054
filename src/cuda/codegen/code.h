// The statements of a kernel before they are printed, and what each of them uses.
//
// Expressions are text that carries the symbols it names; statements are made of such text, with
// blocks inside them; a block knows what its statements use. Liveness, order and size are asked of
// these, never of printed text, and printing is the last thing that is done to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace serrate::cuda {

/// The number of a variable whose definition is only written where something uses it.
using Symbol = int;

/// What something uses, each once, in order: symbols, and names that the prelude declares.
class Uses {
 public:
  void add(Symbol s);
  /// `name` is a literal, or of the text of the prelude or the table of operations.
  void add(std::string_view name);
  void add(const Uses& other);
  bool has(Symbol s) const;
  const std::vector<std::string_view>& names() const { return names_; }

 private:
  std::vector<Symbol> symbols_;
  std::vector<std::string_view> names_;
};

/// Text of an expression or a statement's line.
class Text {
 public:
  Text() = default;
  Text(std::string text) : text_(std::move(text)) {}
  Text(const char* text) : text_(text) {}
  Text(std::string text, const Uses& uses) : text_(std::move(text)), uses_(uses) {}
  /// The name of a variable.
  Text(std::string name, Symbol s) : text_(std::move(name)) { uses_.add(s); }

  const std::string& str() const { return text_; }
  const Uses& uses() const { return uses_; }
  bool empty() const { return text_.empty(); }

  Text& append(std::string_view text) {
    text_ += text;
    return *this;
  }
  Text& operator+=(const Text& other) {
    text_ += other.text_;
    uses_.add(other.uses_);
    return *this;
  }
  friend Text operator+(Text a, const Text& b) { return std::move(a += b); }
  friend bool operator==(const Text& a, std::string_view b) { return a.text_ == b; }

 private:
  std::string text_;
  Uses uses_;
};

/// The name of a function, variable or type of the prelude.
inline Text of_prelude(std::string_view name) {
  Uses uses;
  uses.add(name);
  return {std::string(name), uses};
}
/// No text, but a use of that name.
inline Text uses_of(std::string_view name) { return {std::string(), of_prelude(name).uses()}; }
/// A call of a function of the prelude.
Text prelude_call(std::string_view function, std::initializer_list<Text> arguments);

struct Statement;

/// Statements one after the other.
class Block {
 public:
  void add(Text line);
  /// `head {`, the statements of a block, and `end`.
  void add(Text head, Block inner, std::string end = "}");
  void append(const Block& other);
  /// What another block's statements use must stand before them.
  void prepend(const Block& other);
  bool empty() const { return statements_.empty(); }
  bool uses(Symbol s) const { return uses_.has(s); }
  const Uses& uses() const { return uses_; }
  /// How many lines it is printed as: a measure of what its statements ask for.
  size_t lines() const;
  void print(std::string& out, int indent) const;

 private:
  std::vector<Statement> statements_;
  Uses uses_;
};

/// A line, or a head and a block that ends with `end`.
struct Statement {
  Text head;
  std::string end;  // "": no block
  Block block;
};

/// A kernel of the one parameter that all of a text have.
struct KernelCode {
  std::string name;
  int threads = 0;  // of a block
  int blocks = 1;   // how many should fit a multiprocessor at once
  Block body;
};

/// A struct that kernels of a text share. The compiler checks its size.
struct TypeCode {
  std::string name;
  Block members;
  int64_t bytes = 0;
};
void print(std::string& out, const TypeCode& t);

/// Where kernels find their arguments: in the parameter, or in memory at the address that it is.
enum class ArgumentsIn : bool { parameter, memory };
void print(std::string& out, const KernelCode& k, ArgumentsIn in);

}  // namespace serrate::cuda
