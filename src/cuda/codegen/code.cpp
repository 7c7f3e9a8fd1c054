// Blocks of statements, printed: see code.h.
#include "cuda/codegen/code.h"

#include <algorithm>

namespace serrate::cuda {

namespace {

template <class T>
void insert(std::vector<T>& sorted, const T& x) {
  const auto at = std::ranges::lower_bound(sorted, x);
  if (at == sorted.end() || *at != x) sorted.insert(at, x);
}

}  // namespace

void Uses::add(Symbol s) { insert(symbols_, s); }
void Uses::add(std::string_view name) { insert(names_, name); }

void Uses::add(const Uses& other) {
  for (const Symbol s : other.symbols_) add(s);
  for (const std::string_view name : other.names_) add(name);
}

bool Uses::has(Symbol s) const { return std::binary_search(symbols_.begin(), symbols_.end(), s); }

Text prelude_call(std::string_view function, std::initializer_list<Text> arguments) {
  Text out = of_prelude(function) + "(";
  const char* between = "";
  for (const Text& x : arguments) {
    out += between + x;
    between = ", ";
  }
  return out + ")";
}

void Block::add(Text line) {
  uses_.add(line.uses());
  statements_.push_back({std::move(line), {}, {}});
}

void Block::add(Text head, Block inner, std::string end) {
  uses_.add(head.uses());
  uses_.add(inner.uses());
  statements_.push_back({std::move(head), std::move(end), std::move(inner)});
}

void Block::append(const Block& other) {
  uses_.add(other.uses_);
  statements_.insert(statements_.end(), other.statements_.begin(), other.statements_.end());
}

void Block::prepend(const Block& other) {
  uses_.add(other.uses_);
  statements_.insert(statements_.begin(), other.statements_.begin(), other.statements_.end());
}

size_t Block::lines() const {
  size_t n = 0;
  for (const Statement& s : statements_) {
    const std::string& head = s.head.str();
    n += 1 + static_cast<size_t>(std::count(head.begin(), head.end(), '\n'));
    if (!s.end.empty()) n += s.block.lines() + 1;
  }
  return n;
}

namespace {

/// A lambda inside an expression has several lines.
void print_lines(std::string& out, std::string_view text, int indent) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    out.append(static_cast<size_t>(2 * indent), ' ').append(text.substr(begin, end - begin));
    out += '\n';
    begin = end + 1;
  }
}

}  // namespace

void Block::print(std::string& out, int indent) const {
  for (const Statement& s : statements_) {
    print_lines(out, s.end.empty() ? s.head.str() : s.head.str() + " {", indent);
    if (s.end.empty()) continue;
    s.block.print(out, indent + 1);
    print_lines(out, s.end, indent);
  }
}

void print(std::string& out, const TypeCode& t) {
  out += "struct " + t.name + " {\n";
  t.members.print(out, 1);
  out += "};\nstatic_assert(sizeof(" + t.name + ") == " + std::to_string(t.bytes) + ");\n";
}

void print(std::string& out, const KernelCode& k, ArgumentsIn in) {
  out += "\nextern \"C\" __global__ void __launch_bounds__(" + std::to_string(k.threads) +
         (k.blocks > 1 ? ", " + std::to_string(k.blocks) : "") + ")\n" + k.name;
  // Volatile: a compiler that keeps thousands of arguments in registers takes minutes.
  out += in == ArgumentsIn::parameter ? "(const __grid_constant__ Arguments a) {\n"
                                      : "(const volatile Arguments* arguments) {\n"
                                        "  const volatile Arguments& a = *arguments;\n";
  k.body.print(out, 1);
  out += "}\n";
}

}  // namespace serrate::cuda
